"""Records are read strictly: each fault is named by code, member with its line, and key; sealed ones without values."""

import json

import pytest

from evidence import record_files
from evidence.records import Reader
from evidence.tests.record_files import DESCRIPTOR, descriptor, item, package, read, response, verdict

TRAP = {"category": "trap", "in_corpus": False, "abstention_correct": True}


class Watcher:
    """An observer that remembers what it was shown."""

    def __init__(self):
        self.items_seen, self.responses_seen = [], []

    def begin(self, descriptor, *, files):
        self.files = files

    def catalogue(self, source, article):
        pass

    def items(self, items, first_place):
        assert first_place == len(self.items_seen)
        self.items_seen += [one.question for one in items]
        return ()

    def abstention(self, item, abstained, reviewer):
        pass

    def responses(self, responses, items):
        self.responses_seen += [(one.answer, place) for one, place in zip(responses, items, strict=True)]

    def finish(self, records):
        return (), ()


def findings(files, **options):
    reader = read(files, Reader(schemes={("HALU", "1")}), **options)
    return [(finding.code, finding.member, finding.key) for finding in reader.findings]


def sound(**changes):
    return package(
        [item("a"), item("b")], [response("a"), response("b")], [verdict("a"), verdict("b")], **changes
    )


def with_line(path, line):
    files = sound()
    files[path] += line + b"\n"
    return files


def test_a_sound_package_has_no_findings_and_shows_all_its_records():
    watcher = Watcher()
    reader = read(sound(), Reader(schemes={("HALU", "1")}, observer=watcher), chunk=7)
    assert list(reader.findings) == []
    assert reader.descriptor.scheme.code == "HALU"
    assert len(watcher.items_seen) == 2
    assert [place for _, place in watcher.responses_seen] == [0, 1]
    assert reader.records.verdicts["j1"] == bytearray([1, 1])


@pytest.mark.parametrize("chunk", [1, 3, 1 << 16])
def test_the_order_of_lines_and_the_chunks_change_nothing(chunk):
    files = package(
        [item("a"), item("b"), item("c")], [response(id_) for id_ in "cab"], [verdict(id_) for id_ in "bca"]
    )
    straight = package(
        [item("c"), item("a"), item("b")], [response(id_) for id_ in "abc"], [verdict(id_) for id_ in "abc"]
    )
    one, other = (read(files_, Reader(), chunk=chunk).records for files_ in (files, straight))
    assert one.set_sha256 == other.set_sha256
    assert list(one.response_item) == [2, 0, 1]


def test_the_descriptor_is_read_first_and_answers_after_their_items():
    paths = [
        "data/verdicts.jsonl",
        "bagit.txt",
        "data/responses.jsonl",
        "data/items.jsonl",
        "data/evaluation.json",
    ]
    assert Reader().order(paths) == [
        "data/evaluation.json",
        "data/items.jsonl",
        "data/responses.jsonl",
        "data/verdicts.jsonl",
        "bagit.txt",
    ]


ITEMS, RESPONSES, VERDICTS = "data/items.jsonl", "data/responses.jsonl", "data/verdicts.jsonl"


@pytest.mark.parametrize(
    ("path", "line", "fault"),
    [
        (ITEMS, b"\xff", ("INVALID_UTF8", None)),
        (ITEMS, b'{"id":"\xed\xa0\x80"}', ("INVALID_UTF8", None)),
        (ITEMS, b"\xef\xbb\xbf{}", ("INVALID_JSON", None)),
        (ITEMS, b'{"id":', ("INVALID_JSON", None)),
        (ITEMS, b"", ("INVALID_JSON", None)),
        (ITEMS, b"{} {}", ("INVALID_JSON", None)),
        (ITEMS, b'{"id":"c\x01"}', ("INVALID_JSON", None)),
        (ITEMS, b"5", ("WRONG_TYPE", None)),
        (ITEMS, b"null", ("WRONG_TYPE", None)),
        (ITEMS, item("c", pregunta="x"), ("UNKNOWN_KEY", "pregunta")),
        (
            ITEMS,
            item("c", expected_citation={"source": "L", "article": "1", "page": 2}),
            ("UNKNOWN_KEY", "expected_citation.page"),
        ),
        (ITEMS, item("c", question=None), ("MISSING_KEY", "question")),
        (ITEMS, {**item("c"), "id": None}, ("MISSING_KEY", "id")),
        (
            ITEMS,
            item("c", expected_citation={"source": "L", "article": None}),
            ("MISSING_KEY", "expected_citation.article"),
        ),
        (ITEMS, item("c", in_corpus="true"), ("WRONG_TYPE", "in_corpus")),
        (ITEMS, item("c", question=["x"]), ("WRONG_TYPE", "question")),
        (ITEMS, item(""), ("VALUE_NOT_ALLOWED", "id")),
        (ITEMS, item("c", written_by={"kind": "robot"}), ("VALUE_NOT_ALLOWED", "written_by.kind")),
        (
            ITEMS,
            item("c", written_by={"kind": "model", "family": "OpenAI"}),
            ("JUDGE_SAME_FAMILY", "written_by.family"),
        ),
        (ITEMS, item("c", question="a\u0000b"), ("RECORD_TEXT", "question")),
        (ITEMS, b'{"id":"c\\ud800"}', ("RECORD_TEXT", "id")),
        (ITEMS, item("c\u202e"), ("UNSAFE_TEXT", "id")),
        (ITEMS, item("c", language="es\u0007"), ("UNSAFE_TEXT", "language")),
        (ITEMS, item("c", cluster="x\u2066"), ("UNSAFE_TEXT", "cluster")),
        (ITEMS, item("a"), ("DUPLICATE_ID", "id")),
        (ITEMS, b'{"id":' + b"[" * 40 + b"]" * 40 + b"}", ("RECORD_DEPTH", None)),
        (ITEMS, b'{"id":' + b"[" * 100_000, ("RECORD_DEPTH", None)),
        (ITEMS, b'{"id":' + b"9" * 5000 + b"}", ("INVALID_JSON", None)),
        (RESPONSES, response("z"), ("UNKNOWN_REFERENCE", "item")),
        (RESPONSES, response("a"), ("DUPLICATE_ID", "item")),
        (RESPONSES, response("a", run=1), ("DUPLICATE_ID", "item")),
        (RESPONSES, response("a", run=0), ("VALUE_NOT_ALLOWED", "run")),
        (RESPONSES, response("a", run=1.0), ("WRONG_TYPE", "run")),
        (RESPONSES, response("a", run=2, answer=None), ("MISSING_KEY", "answer")),
        (RESPONSES, response("a", run=2, confidence=1.5), ("VALUE_NOT_ALLOWED", "confidence")),
        (RESPONSES, b'{"item":"a","run":2,"answer":"","confidence":NaN}', ("INVALID_JSON", None)),
        (RESPONSES, b'{"item":"a","run":2,"answer":"","confidence":Infinity}', ("INVALID_JSON", None)),
        (
            RESPONSES,
            b'{"item":"a","run":2,"answer":"","latency_ms":1e999}',
            ("VALUE_NOT_ALLOWED", "latency_ms"),
        ),
        (RESPONSES, response("a", run=2, requested_at="2026-07-10"), ("VALUE_NOT_ALLOWED", "requested_at")),
        (
            RESPONSES,
            response("a", run=2, citations=[{"source": "L", "article": "1"}]),
            ("MISSING_KEY", "citations[0].verified"),
        ),
        (RESPONSES, response("a", run=2, confidence="al\u202eta"), ("UNSAFE_TEXT", "confidence")),
        (VERDICTS, verdict("z"), ("UNKNOWN_REFERENCE", "item")),
        (VERDICTS, verdict("a", judge="j9"), ("UNKNOWN_REFERENCE", "judge")),
        (VERDICTS, verdict("a", run=2), ("UNKNOWN_REFERENCE", "run")),
        (VERDICTS, verdict("a"), ("DUPLICATE_ID", "item")),
        (VERDICTS, verdict("a", "perfect"), ("VALUE_NOT_ALLOWED", "verdict")),
    ],
)
def test_a_faulty_line_is_named(path, line, fault):
    files = with_line(path, line if isinstance(line, bytes) else json.dumps(line).encode())
    code, key = fault
    assert (code, f"{path}:3", key) in findings(files)
    assert (code, f"{path}:3", key) in findings(files, chunk=11)


def test_sound_lines_around_a_faulty_one_are_read():
    files = package([item("a"), b"\xff", item("b")], [response("a"), response("b")], [])
    assert findings(files) == [("INVALID_UTF8", "data/items.jsonl:2", None)]


def test_the_answer_to_a_faulty_item_is_no_stranger():
    files = package([item("a", pregunta=1)], [response("a")], [])
    assert findings(files) == [("UNKNOWN_KEY", "data/items.jsonl:1", "pregunta")]


def test_an_escaped_backslash_before_u0000_is_sound():
    files = package([item("a", question="C:\\u0000")], [response("a", answer="\\u0000")], [])
    assert findings(files) == []


def test_last_line_may_lack_its_line_feed_and_lines_may_end_in_crlf():
    files = sound()
    for path in (ITEMS, RESPONSES, VERDICTS):
        files[path] = files[path].replace(b"\n", b"\r\n").removesuffix(b"\r\n")
    assert findings(files) == []


def test_null_equals_absent_also_in_the_set_hash():
    plain = package([item("a")], [response("a")], [])
    nulls = package(
        [{**item("a"), "cluster": None, "written_by": None, "expected_citation": None}],
        [{**response("a"), "run": None, "citations": None, "invalid": None}],
        [],
    )
    one, other = (read(files, Reader()) for files in (plain, nulls))
    assert one.records.set_sha256 == other.records.set_sha256 is not None


def test_a_line_of_more_than_16_megabytes_is_named():
    files = with_line(ITEMS, b'{"id":"' + b"x" * 17_000_000 + b'"}')
    assert ("LINE_TOO_LONG", "data/items.jsonl:3", None) in findings(files)


def test_a_million_faults_are_counted_and_a_hundred_kept():
    files = package([item("a")], [response("a")], [])
    files[ITEMS] += b"x\n" * 20_000
    reader = read(files, Reader())
    assert len(reader.findings) == 100
    assert reader.findings.omitted == {"INVALID_JSON": 19_900}


def test_every_item_is_answered_in_some_run():
    files = package([item("a"), item("b")], [response("b", run=2)], [])
    assert findings(files) == [("RESPONSE_MISSING", "data/items.jsonl:1", "id")]


def test_runs_of_an_item_are_told_apart():
    runs = [response("a", run=run) for run in (3, 1, 2)]
    files = package([item("a")], runs, [verdict("a", run=2), verdict("a", "incorrect", run=3)])
    records = read(files, Reader()).records
    assert records.verdicts["j1"] == bytearray([4, 0, 1])
    files[RESPONSES] += json.dumps(response("a", run=2)).encode()
    assert findings(files) == [("DUPLICATE_ID", "data/responses.jsonl:4", "item")]


def test_a_set_hash_other_than_the_declared_one():
    files = sound()
    records = read(files, Reader()).records
    for declared, expected in (
        (records.set_sha256, []),
        ("0" * 64, [("SET_HASH_MISMATCH", "data/evaluation.json", "question_set.sha256")]),
    ):
        question_set = {"name": "normativa-cl", "sha256": declared}
        files["data/evaluation.json"] = json.dumps(descriptor(question_set=question_set)).encode()
        assert findings(files) == expected


def test_equal_items_under_other_ids_are_counted_and_warned_of():
    files = package([item("a", question="¿?"), item("b", question="¿?")], [response("a"), response("b")], [])
    reader = read(files, Reader())
    assert list(reader.findings) == []
    (warning,) = reader.warnings
    assert (warning.code, warning.found) == ("EQUAL_ITEMS", 1)


def test_a_floating_judge_is_warned_of():
    judge = {**DESCRIPTOR["judges"][0], "version": "claude-latest"}
    reader = read(sound(of=descriptor(judges=[judge])), Reader())
    assert [(one.code, one.key) for one in reader.warnings] == [
        ("JUDGE_VERSION_FLOATING", "judges[0].version")
    ]


def test_verdicts_need_judges():
    files = sound(of=descriptor(judges=None))
    assert findings(files) == [("MISSING_KEY", "data/evaluation.json", "judges")]


@pytest.mark.parametrize("path", [ITEMS, RESPONSES, VERDICTS])
def test_record_files_must_be_there(path):
    files = sound()
    del files[path]
    assert ("RECORDS_MISSING", path, None) in findings(files)


def test_a_set_without_items_measures_nothing():
    assert findings(package([], [], [])) == [("RECORDS_MISSING", "data/items.jsonl", None)]


def test_a_package_needs_its_descriptor():
    files = sound()
    del files["data/evaluation.json"]
    assert findings(files) == [("DESCRIPTOR_MISSING", "data/evaluation.json", None)]


def test_other_files_are_unexpected_but_attachments_are_welcome():
    files = sound()
    files["data/notes.txt"] = files["data/attachments/raw.har"] = b"\xff"
    assert findings(files) == [("UNEXPECTED_FILE", "data/notes.txt", None)]


def test_of_an_unknown_method_no_record_is_judged():
    files = sound(of=descriptor(method="web_agent"))
    files[ITEMS] = b"\xff"
    assert findings(files) == [("METHOD_UNKNOWN", "data/evaluation.json", "method")]


class TestCsv:
    @pytest.mark.parametrize(
        ("stem", "text", "faults"),
        [
            ("catalogue", "source,article\nL,1\n", []),
            ("catalogue", "article,source\r\n1,L\r\n", []),
            ("catalogue", "\ufeffsource,article\nL,1\n", []),
            (
                "catalogue",
                "source;article\nL;1\n",
                [
                    ("MISSING_KEY", 1, "source"),
                    ("MISSING_KEY", 1, "article"),
                    ("UNKNOWN_KEY", 1, "source;article"),
                ],
            ),
            ("catalogue", "source,article,note\nL,1,x\n", [("UNKNOWN_KEY", 1, "note")]),
            ("catalogue", "source,article,article\nL,1,1\n", [("DUPLICATE_KEY", 1, "article")]),
            ("catalogue", "source,article\nL,\n", [("MISSING_KEY", 2, "article")]),
            ("catalogue", "source,article\nL\n", [("WRONG_TYPE", 2, None)]),
            ("catalogue", "source,article\nL\u202e,1\n", [("UNSAFE_TEXT", 2, "source")]),
            ("catalogue", "", [("MISSING_KEY", 1, "source, article")]),
            ("abstention_review", "item,abstained,reviewer\na,true,r\nb,false,r\n", []),
            (
                "abstention_review",
                "item,abstained,reviewer\na,sí,r\n",
                [("VALUE_NOT_ALLOWED", 2, "abstained")],
            ),
            ("abstention_review", "item,abstained,reviewer\nz,true,r\n", [("UNKNOWN_REFERENCE", 2, "item")]),
            (
                "abstention_review",
                "item,abstained,reviewer\na,true,r\na,false,r\n",
                [("DUPLICATE_ID", 3, "item")],
            ),
            ("reviews", "item,reviewer,verdict\na,r,exact\na,s,incorrect\n", []),
            ("reviews", "item,reviewer,verdict\na,r,perfect\n", [("VALUE_NOT_ALLOWED", 2, "verdict")]),
            ("reviews", "item,reviewer,verdict\na,r,exact\na,r,exact\n", [("DUPLICATE_ID", 3, "item")]),
        ],
    )
    def test_each_fault_has_its_code_line_and_column(self, stem, text, faults):
        path = f"data/{stem.replace('_', '-')}.csv"
        expected = [(code, f"{path}:{line}", key) for code, line, key in faults]
        assert findings(sound(**{stem: text})) == expected


class TestSealed:
    def test_findings_never_quote_a_sealed_member(self):
        secret = "canario-7413"
        files = package(
            [
                item("a", question=5, language=f"x{secret}", category="trap\u202e" + secret),
                item(secret),
                item(secret),
            ],
            [response(secret + "x"), response(secret, run=secret)],
            [verdict(secret, "perfect" + secret)],
            of=descriptor(sealed=["data/items.jsonl"]),
            catalogue=f"source,article\n{secret}\u202e,1\n",
        )
        reader = read(files, Reader())
        assert len(reader.findings) > 4
        assert secret not in "".join(
            json.dumps(one.as_json(language)) for one in reader.findings for language in ("es", "en")
        )

    def test_a_sealed_member_must_be_there(self):
        files = sound(of=descriptor(sealed=["data/items.jsonl", "data/otros.jsonl"]))
        assert findings(files) == [("UNKNOWN_REFERENCE", "data/evaluation.json", "sealed[1]")]


def test_a_file_of_nothing_but_faults_is_not_read_to_its_end(monkeypatch):
    monkeypatch.setattr(record_files, "MOST_FOUND", 3_000)
    reader = Reader()
    read({**package([], []), ITEMS: b"\n" * 50_000}, reader, chunk=1 << 10)
    assert reader.findings.codes >= {"INVALID_JSON"}
    # It stops at the end of the block in which the number was reached.
    assert 3_000 <= counted(reader) < 5_000


def test_a_line_of_nothing_but_faults_is_told_up_to_a_number(monkeypatch):
    monkeypatch.setattr(record_files, "MOST_FAULTS", 500)
    line = b"{" + b",".join(b'"k%d":0' % number for number in range(20_000)) + b"}\n"
    reader = Reader()
    read({**package([], []), ITEMS: line}, reader)
    assert counted(reader) == 500


def counted(reader: Reader) -> int:
    return len(reader.findings) + sum(reader.findings.omitted.values())
