"""A question set is asked only if it keeps its rules; its hash is the registry's."""

import json

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evidence import canonical, hallucination_records
from evidence.typed_json import faults_of
from grading.harness import question_sets, scheme_files, shapes
from grading.tests.harness.servers import item, items, write_set

SCHEME = scheme_files.shipped()["HALU", "1"]


def problems_of(folder, questions, catalogue=(("Ley 1", "7"),), **options):
    sound, problems = question_sets.load(write_set(folder, questions, catalogue), scheme=SCHEME, **options)
    assert (sound is None) == bool(problems)
    return [(problem.code, problem.line, problem.key) for problem in problems]


def test_a_sound_set_is_read_with_its_hash_and_its_parts(tmp_path):
    questions = items()
    sound, problems = question_sets.load(write_set(tmp_path, questions), scheme=SCHEME)
    assert not problems
    assert sound.by_category == {
        "factual_direct": 4,
        "factual_applied": 0,
        "trap": 1,
        "out_of_corpus": 1,
        "adversarial": 1,
    }
    digests = canonical.Digests()
    read = [msgspec.convert(question, hallucination_records.Item) for question in questions]
    for one in read:
        one.id = None
    digests.extend(read)
    assert sound.sha256 == digests.set_sha256()[0]


@pytest.mark.parametrize(
    ("change", "code", "key"),
    [
        ({"question": "¿Qué dice el artículo 7 de la ley?"}, "QUESTION_NAMES_ARTICLE", "question"),
        ({"reference_text": None}, "REFERENCE_MISSING", "reference_text"),
        ({"reference_text": "  "}, "REFERENCE_MISSING", "reference_text"),
        ({"reference_source": None}, "REFERENCE_MISSING", "reference_source"),
        ({"category": "factual"}, "VALUE_NOT_ALLOWED", "category"),
        ({"language": "español"}, "VALUE_NOT_ALLOWED", "language"),
        ({"in_corpus": "true"}, "WRONG_TYPE", "in_corpus"),
        ({"questoin": "¿?"}, "UNKNOWN_KEY", "questoin"),
        ({"question": None}, "MISSING_KEY", "question"),
        ({"written_by": {"kind": "model", "family": "GPT-4o"}}, "JUDGE_SAME_FAMILY", "written_by.family"),
    ],
)
def test_each_fault_of_a_factual_question_is_named_with_its_line(tmp_path, change, code, key):
    found = problems_of(tmp_path, [*items(), item("q9", **change)], evaluated_family="gpt")
    assert found == [(code, 8, key)]


def test_a_trap_whose_article_exists_is_no_trap(tmp_path):
    found = problems_of(tmp_path, items(), catalogue=[("Ley 1", "7"), ("LEY 1", "art. 999")])
    assert found == [("TRAP_ARTICLE_EXISTS", 5, "expected_citation")]


def test_traps_need_a_catalogue(tmp_path):
    assert problems_of(tmp_path, items(), catalogue=None) == [("CATALOGUE_MISSING", None, None)]


def test_every_hostile_category_must_be_there(tmp_path):
    assert problems_of(tmp_path, items()[:-1]) == [("HOSTILE_CATEGORY_MISSING", None, "category")]


def test_equal_questions_and_equal_ids_are_errors(tmp_path):
    twin = item("q0") | {"id": "q8"}
    again = item("q0", question="¿Otra?")
    assert problems_of(tmp_path, [*items(), twin, again]) == [
        ("EQUAL_ITEMS", 8, None),
        ("DUPLICATE_ID", 9, "id"),
    ]


def test_a_file_that_is_no_json_lines_is_told_line_by_line(tmp_path):
    folder = write_set(tmp_path, items())
    with (folder / "items.jsonl").open("ab") as file:
        file.write(b'{"id": \n[]\n{"id": "\xff"}\n\n')
    _, problems = question_sets.load(folder, scheme=SCHEME)
    assert [(problem.code, problem.line) for problem in problems] == [
        ("INVALID_JSON", 8),
        ("WRONG_TYPE", 9),
        ("INVALID_UTF8", 10),
        ("INVALID_JSON", 11),
    ]


@pytest.mark.parametrize(
    ("text", "code", "line"),
    [
        ("fuente,articulo\nLey 1,7\n", "UNKNOWN_KEY", 1),
        ("source,article\nLey 1\n", "WRONG_TYPE", 2),
        ("source,article\nLey 1,\n", "MISSING_KEY", 2),
        ("", "MISSING_KEY", 1),
        ('source,article\n"Ley 1"x,7\n', "WRONG_TYPE", 2),
    ],
)
def test_a_catalogue_that_cannot_be_read_is_told(tmp_path, text, code, line):
    (write_set(tmp_path, items()) / "catalogue.csv").write_text(text)
    _, problems = question_sets.load(tmp_path, scheme=SCHEME)
    assert (code, line) in [(problem.code, problem.line) for problem in problems]


def test_cells_a_spreadsheet_would_run_are_guarded_and_read_back():
    for cell in ("=1+1", "+1", "-1", "@a", "\tx", "plain", "'quoted"):
        guarded = question_sets.guarded(cell)
        assert not guarded.startswith(("=", "+", "-", "@", "\t"))
        assert question_sets.unguarded(guarded) == cell


# -- both readers of records say the same ---------------------------------------------------------

texts = st.text(st.characters(exclude_categories=("Cs",)), max_size=12)
junk = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-5, 5),
    st.floats(allow_nan=False),
    texts,
    st.lists(st.integers(), max_size=2),
)


def mostly(good):
    return st.one_of(good, good, good, good, good, junk)


item_like = st.fixed_dictionaries(
    {
        "id": mostly(st.text("abc", min_size=1, max_size=4)),
        "category": mostly(st.sampled_from(["factual_direct", "trap"])),
        "question": mostly(texts.filter(bool)),
        "in_corpus": mostly(st.booleans()),
        "abstention_correct": mostly(st.booleans()),
    },
    optional={
        "language": mostly(st.sampled_from(["es", "en-GB", "und", ""])),
        "expected_citation": mostly(
            st.fixed_dictionaries({"source": mostly(texts), "article": mostly(texts)})
        ),
        "written_by": mostly(
            st.fixed_dictionaries({"kind": mostly(st.just("model"))}, optional={"family": texts})
        ),
        "reference_text": mostly(texts),
        "cluster": mostly(texts),
        "unknown": st.just(1),
    },
)
citation_like = st.fixed_dictionaries({"source": texts, "article": texts, "verified": mostly(st.booleans())})
response_like = st.fixed_dictionaries(
    {"item": mostly(st.text("abc", min_size=1)), "answer": mostly(texts)},
    optional={
        "run": mostly(st.integers(1, 3)),
        "abstained": mostly(st.booleans()),
        "confidence": mostly(st.one_of(st.floats(0, 1), st.just("alta"))),
        "latency_ms": mostly(st.integers(0, 9)),
        "requested_at": mostly(st.sampled_from(["2026-07-10T15:00:00Z", "2026-07-10T15:00:00", "ayer"])),
        "citations": mostly(
            st.lists(
                st.fixed_dictionaries({"source": texts, "article": texts, "verified": mostly(st.booleans())}),
                max_size=2,
            )
        ),
    },
)


@pytest.mark.parametrize(
    ("shape", "struct", "values"),
    [
        (shapes.ITEM, hallucination_records.Item, item_like),
        (shapes.RESPONSE, hallucination_records.Response, response_like),
    ],
)
def test_the_client_refuses_a_record_exactly_when_the_registry_does(shape, struct, values):
    @given(values)
    def same(value):
        ours = {(fault.code, fault.key) for fault in shape.faults(value)}
        theirs = {(fault.code, fault.key) for fault in faults_of(value, struct)}
        assert ours == theirs

    same()


@given(st.lists(item_like, max_size=6))
def test_both_hash_a_set_alike(values):
    sound = [value for value in values if not list(shapes.ITEM.faults(value))]
    digests = canonical.Digests()
    read = [msgspec.json.decode(json.dumps(value), type=hallucination_records.Item) for value in sound]
    for one in read:
        one.id = None
    digests.extend(read)
    assert question_sets.set_sha256(sound) == digests.set_sha256()[0]
