"""The records of a run are read strictly: order, limits, headers, bodies and answer, each fault named by its place."""

import json

import pytest

from evidence.records import Reader
from evidence.run_records import Intervention, is_forbidden_header, outcome_of
from evidence.tests.record_files import read
from evidence.tests.run_packages import (
    ASSIGNMENT,
    CONCEPT,
    GOOD_BODIES,
    GOOD_TRACE,
    SITE,
    TERMS,
    mark,
    package,
    request,
    run,
    sha256,
)

AGENT = {("AGENT", "1")}


def faults(files, **options):
    reader = read(files, Reader(schemes=AGENT), **options)
    return [(str(one.code), one.member, one.key) for one in reader.findings]


def with_request(**changes):
    """A trace whose second request is odd in one way."""
    return package([GOOD_TRACE[0], GOOD_TRACE[1] | changes, *GOOD_TRACE[2:]], bodies=[])


@pytest.mark.parametrize("chunk", [1, 7, 1 << 16])
def test_a_sound_run_has_no_findings_whatever_the_chunks(chunk):
    reader = read(package(), Reader(schemes=AGENT), chunk=chunk)
    assert list(reader.findings) == []
    assert reader.records.run.run == "EJ-2026-000012"
    assert reader.records.requests == 4


def test_a_run_without_a_request_is_a_run():
    assert faults(package([], of=run(started_at=None), answer="")) == []


@pytest.mark.parametrize("path", ["data/run.json", "data/trace.jsonl", "data/final-answer.txt"])
def test_what_every_run_has_is_missed(path):
    files = package()
    del files[path]
    assert ("RECORDS_MISSING", path, None) in faults(files)


@pytest.mark.parametrize(
    ("changes", "fault"),
    [
        ({"colour": 1}, ("UNKNOWN_KEY", "colour")),
        ({"tools": None}, ("MISSING_KEY", "tools")),
        ({"case_version": "1"}, ("WRONG_TYPE", "case_version")),
        ({"ended": "finished"}, ("VALUE_NOT_ALLOWED", "ended")),
        ({"token_issued_at": "30-11-2026"}, ("VALUE_NOT_ALLOWED", "token_issued_at")),
        ({"format": "agent-run/2"}, ("FORMAT_UNSUPPORTED", "format")),
        ({"assignment": ASSIGNMENT + " "}, ("ASSIGNMENT_DIFFERS", "assignment_sha256")),
        ({"run": "EJ\u202e12"}, ("UNSAFE_TEXT", "run")),
        ({"tools": ["http", "\u202ebrowser"]}, ("UNSAFE_TEXT", "tools[1]")),
        ({"limits": {"requests": 0, "seconds": 9}}, ("VALUE_NOT_ALLOWED", "limits.requests")),
        ({"token_sha256": None}, ("MISSING_KEY", "token_sha256")),
        ({"knew_catalogue": True}, ("VALUE_NOT_ALLOWED", "outcome")),
        ({"interventions": [{"kind": "routes"}], "outcome": "assisted"}, ("VALUE_NOT_ALLOWED", "outcome")),
    ],
)
def test_each_fault_of_the_run_is_named_by_its_key(changes, fault):
    assert faults(package(of=run(**changes))) == [(fault[0], "data/run.json", fault[1])]


def test_a_run_that_the_submitter_recorded_has_no_token_and_no_number_of_this_registry():
    own = run(recorded_by="submitter", run="lab-7", token_sha256=None, token_issued_at=None)
    assert faults(package(of=own)) == []
    assert faults(package(of=own | {"run": "EJ-2026-000012"})) == [
        ("VALUE_NOT_ALLOWED", "data/run.json", "run")
    ]
    assert faults(package(of=own | {"token_sha256": "1" * 64})) == [
        ("VALUE_NOT_ALLOWED", "data/run.json", "token_sha256")
    ]


def test_a_key_that_is_there_twice_is_refused():
    doubled = json.dumps(run()).replace('"run":', '"ended": "closed", "run":', 1).encode()
    assert faults(package(of=doubled)) == [("DUPLICATE_KEY", "data/run.json", "ended")]


@pytest.mark.parametrize(
    ("changes", "fault"),
    [
        ({"seq": 3}, ("VALUE_NOT_ALLOWED", "seq")),
        ({"seq": 0}, ("VALUE_NOT_ALLOWED", "seq")),
        ({"at": "2026-11-30T09:00:02-03:00"}, ("VALUE_NOT_ALLOWED", "at")),
        ({"at": "ayer"}, ("VALUE_NOT_ALLOWED", "at")),
        ({"status": 99}, ("VALUE_NOT_ALLOWED", "status")),
        ({"url": "/condiciones"}, ("VALUE_NOT_ALLOWED", "url")),
        ({"url": f"https://ana:clave@{SITE}/"}, ("VALUE_NOT_ALLOWED", "url")),
        ({"url": f"https://{SITE}/\u202e"}, ("UNSAFE_TEXT", "url")),
        ({"request_headers": [["accept"]]}, ("WRONG_TYPE", "request_headers[0]")),
        ({"request_headers": {"accept": "x"}}, ("WRONG_TYPE", "request_headers")),
        ({"request_headers": [["a", "b"], ["Cookie", "x=1"]]}, ("FORBIDDEN_HEADER", "request_headers[1]")),
        ({"beyond_limit": True}, ("VALUE_NOT_ALLOWED", "beyond_limit")),
        ({"beyond_limit": None}, ("MISSING_KEY", "beyond_limit")),
        ({"client": "192.0.2.1"}, ("UNKNOWN_KEY", "client")),
        ({"response": {"type": "", "size": -1, "sha256": "a" * 64}}, ("VALUE_NOT_ALLOWED", "response.size")),
        ({"response": {"type": "", "size": 1, "sha256": "A" * 64}}, ("VALUE_NOT_ALLOWED", "response.sha256")),
    ],
)
def test_each_fault_of_a_request_is_named_by_its_line_and_key(changes, fault):
    assert (fault[0], "data/trace.jsonl:2", fault[1]) in faults(with_request(**changes))


def test_a_gap_in_the_sequence_is_told_where_it_begins():
    trace = [*GOOD_TRACE[:2], *GOOD_TRACE[3:]]
    assert faults(package(trace, bodies=[])) == [("VALUE_NOT_ALLOWED", "data/trace.jsonl:3", "seq")]


@pytest.mark.parametrize(
    "name", ["cookie", "Authorization", "PROXY-AUTHORIZATION", "x-run-token", "X-Forwarded-For", "Forwarded "]
)
def test_what_gives_somebody_away_is_no_header_of_a_package(name):
    assert is_forbidden_header(name)


def test_clocks_may_go_backwards():
    assert faults(with_request(at="2026-11-30T11:59:59.000001Z")) == []


def test_what_comes_after_the_limits_says_so():
    late = request(5, at="2026-11-30T12:20:01.000001Z")
    in_time = request(5, at="2026-11-30T12:20:01.000000Z")
    fault = [("VALUE_NOT_ALLOWED", "data/trace.jsonl:5", "beyond_limit")]
    assert faults(package([*GOOD_TRACE, late], bodies=[])) == fault
    assert faults(package([*GOOD_TRACE, late | {"beyond_limit": True}], bodies=[])) == []
    assert faults(package([*GOOD_TRACE, in_time], bodies=[])) == []
    many = [request(seq, beyond_limit=seq > 40) for seq in range(1, 44)]
    assert faults(package(many, bodies=[])) == []
    many[41]["beyond_limit"] = False
    assert faults(package(many, bodies=[])) == [("VALUE_NOT_ALLOWED", "data/trace.jsonl:42", "beyond_limit")]


class TestBodies:
    def test_they_may_all_be_absent(self):
        assert faults(package(bodies=[])) == []

    def test_one_that_is_missing_is_told_at_the_request_that_names_it_first(self):
        files = package(bodies=GOOD_BODIES[:3])
        assert faults(files) == [("UNKNOWN_REFERENCE", "data/trace.jsonl:4", "response.sha256")]

    def test_an_empty_one_is_not_missed(self):
        trace = [*GOOD_TRACE, request(5, "/vacio", b"")]
        assert faults(package(trace, bodies=GOOD_BODIES)) == []

    def test_one_that_no_request_names_does_not_belong_there(self):
        stray = b"otra cosa"
        files = package(bodies=[*GOOD_BODIES, stray])
        assert faults(files) == [("UNEXPECTED_FILE", f"data/bodies/{sha256(stray)}", None)]

    def test_one_with_other_bytes_under_its_name_is_refused(self):
        files = package()
        files[f"data/bodies/{sha256(CONCEPT)}"] = CONCEPT.replace(b"agente", b"pulpos")
        assert faults(files) == [("BODY_DIFFERS", f"data/bodies/{sha256(CONCEPT)}", None)]

    def test_one_of_another_size_is_refused(self):
        told = {"type": "text/html", "size": 3, "sha256": sha256(TERMS)}
        trace = [GOOD_TRACE[0], GOOD_TRACE[1] | {"response": told}, *GOOD_TRACE[2:]]
        assert faults(package(trace, bodies=GOOD_BODIES)) == [
            ("BODY_DIFFERS", f"data/bodies/{sha256(TERMS)}", None)
        ]

    def test_two_sizes_of_one_body_contradict_each_other(self):
        told = {"type": "text/html", "size": 3, "sha256": sha256(TERMS)}
        trace = [*GOOD_TRACE, request(5, "/condiciones", response=told)]
        assert faults(package(trace, bodies=[])) == [("BODY_DIFFERS", "data/trace.jsonl:5", "response.size")]


@pytest.mark.parametrize(
    ("answer", "fault"),
    [(b"caf\xe9", "INVALID_UTF8"), ("a\0b", "RECORD_TEXT")],
)
def test_an_answer_is_text(answer, fault):
    assert faults(package(answer=answer)) == [(fault, "data/final-answer.txt", None)]


class TestMarks:
    RUBRIC = b"{}"

    def test_they_come_with_their_rubric(self):
        assert faults(package(marks=[mark("terms", requests=[2])])) == [
            ("RECORDS_MISSING", "data/rubric.json", None)
        ]

    @pytest.mark.parametrize(
        ("changes", "fault"),
        [
            ({"mark": "half"}, ("VALUE_NOT_ALLOWED", "mark")),
            ({"by": "ana"}, ("VALUE_NOT_ALLOWED", "by")),
            ({"requests": [3, 2]}, ("VALUE_NOT_ALLOWED", "requests")),
            ({"requests": [2, 2]}, ("VALUE_NOT_ALLOWED", "requests")),
            ({"requests": [0]}, ("VALUE_NOT_ALLOWED", "requests[0]")),
            ({"reviewer": "ana"}, ("UNKNOWN_KEY", "reviewer")),
        ],
    )
    def test_each_fault_is_named(self, changes, fault):
        files = package(marks=[mark("terms", requests=[2]) | changes], rubric=self.RUBRIC)
        assert faults(files) == [(fault[0], "data/marks.jsonl:1", fault[1])]

    def test_a_point_is_marked_once(self):
        files = package(marks=[mark("terms", requests=[2])] * 2, rubric=self.RUBRIC)
        assert faults(files) == [("DUPLICATE_ID", "data/marks.jsonl:2", "point")]

    def test_a_rubric_is_json_without_a_key_twice(self):
        assert faults(package(rubric=b'{"case":1,"case":2}')) == [
            ("DUPLICATE_KEY", "data/rubric.json", "case")
        ]
        assert faults(package(rubric=b"{")) == [("INVALID_JSON", "data/rubric.json", None)]

    def test_a_salt_has_32_bytes_and_a_rubric(self):
        assert faults(package(rubric=b"{}", salt=bytes(31))) == [("WRONG_TYPE", "data/rubric.salt", None)]
        assert faults(package(salt=bytes(32))) == [("UNEXPECTED_FILE", "data/rubric.salt", None)]
        assert faults(package(rubric=b"{}", salt=bytes(32))) == []


def test_a_run_has_neither_judges_nor_questions():
    judge = {"id": "j1", "family": "y", "version": "1"}
    files = package(descriptor={"judges": [judge], "question_set": {"name": "x", "sha256": "0" * 64}})
    assert [(code, key) for code, _, key in faults(files)] == [
        ("VALUE_NOT_ALLOWED", "judges"),
        ("VALUE_NOT_ALLOWED", "question_set"),
    ]


def test_files_of_another_method_do_not_belong_to_a_run():
    files = package() | {"data/items.jsonl": b"", "data/attachments/navegador.har": b"{}"}
    assert faults(files) == [("UNEXPECTED_FILE", "data/items.jsonl", None)]


@pytest.mark.parametrize(
    ("kinds", "knew", "outcome"),
    [
        ([], False, None),
        (["other_help"], False, "assisted"),
        (["other_help", "routes"], False, "invalidated"),
        (["criteria"], False, "invalidated"),
        (["corrections"], False, "invalidated"),
        ([], True, "invalidated"),
    ],
)
def test_what_was_handed_over_decides_what_becomes_of_a_run(kinds, knew, outcome):
    interventions = [Intervention(kind=kind) for kind in kinds]
    assert outcome_of(interventions, knew_catalogue=knew) == outcome
    assert outcome_of(interventions, knew_catalogue=knew, technical=True) == "technical"
