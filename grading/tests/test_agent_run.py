"""A run is graded from its trace: facts, marks that agree with the rubric, and counts without a rate."""

import hashlib
import json

import pytest

from evidence import records
from evidence.tests.record_files import read
from evidence.tests.run_packages import (
    ANSWER,
    CONCEPT,
    GOOD_BODIES,
    GOOD_TRACE,
    TERMS,
    mark,
    package,
    request,
    run,
)
from grading import computing, data, figures
from grading.methods import METHODS
from grading.tests.test_compute_figures import run as compute_figures
from grading.tests.test_compute_figures import zipped

RUBRIC = data.read("rubrics/PI-000.json")
SALT = bytes(range(32))
MARKS = [
    mark("terms", requests=[2, 3]),
    mark("excluded", requests=[2]),
    mark("address", requests=[4]),
    mark("faithful", requests=[4]),
]


def graded(files):
    reader = computing.reader()
    read(files, reader)
    return reader._observer.result, [(str(one.code), one.member, one.key) for one in reader.findings]


def sound(files):
    result, found = graded(files)
    assert found == []
    return result


def of(result, metric, point=None):
    return figures.at(result.figures, metric, "points", category=point)


def with_mark(changed):
    """The sound marks, one of them replaced."""
    return [changed if one["point"] == changed["point"] else one for one in MARKS]


class TestClosed:
    """The package that closing writes: neither marks nor a rubric exist yet."""

    def test_it_gives_the_facts_of_the_trace_and_says_that_it_is_not_graded(self):
        result = sound(package())
        assert result.run["facts"]["counted"] == 4
        assert result.run["facts"]["token_age_seconds"] == "60.500000"
        assert result.run["points"] == []
        assert result.run["rubric"] is None
        assert of(result, "met").reason == "not_graded"
        assert [one.code for one in result.limitations] == ["run_not_graded"]

    def test_its_set_is_the_variant_of_the_case(self):
        assert sound(package()).set_sha256 == run()["assignment_sha256"]

    def test_its_language_and_tools_are_told(self):
        told = sound(package(of=run(language="es-CL"))).run
        assert (told["language"], told["group"], told["tools"]) == ("es-CL", "es", ["browser", "http"])


class TestByCode:
    """With the rubric and without marks: what code decides."""

    def test_every_point_has_its_mark_and_its_requests(self):
        result = sound(package(rubric=RUBRIC))
        assert [(p["code"], p["mark"], p["requests"], p["by"]) for p in result.run["points"]] == [
            (one["point"], "met", one["requests"], "code") for one in MARKS
        ]

    def test_what_only_an_evaluator_can_mark_is_open(self):
        result = sound(
            package(rubric=RUBRIC, answer=ANSWER.replace("decide", "elige").replace("hacer", "ha"))
        )
        faithful = result.run["points"][-1]
        assert (faithful["mark"], faithful["by"]) == (None, None)
        assert (of(result, "met").k, of(result, "met").n, of(result, "met").unjudged) == (3, 3, 1)
        assert (of(result, "met", "faithful").n, of(result, "met", "faithful").unjudged) == (0, 1)
        assert "run_points_not_marked" in [one.code for one in result.limitations]


class TestGraded:
    def test_marks_that_the_trace_gives_are_counted_without_a_rate(self):
        result = sound(package(rubric=RUBRIC, marks=MARKS, salt=SALT))
        assert [
            (of(result, metric).k, of(result, metric).n) for metric in ("met", "not_met", "not_observable")
        ] == [
            (4, 4),
            (0, 4),
            (0, 4),
        ]
        for one in result.figures:
            assert (one.estimate, one.low, one.high, one.interval) == (None, None, None, "none")
            assert one.band == "indicative"
        assert figures.contradictions(result.figures) == []

    def test_its_commitment_is_that_of_sha256sum(self):
        rubric = sound(package(rubric=RUBRIC, marks=MARKS, salt=SALT)).run["rubric"]
        assert rubric["commitment"] == hashlib.sha256(SALT + RUBRIC).hexdigest()
        assert sound(package(rubric=RUBRIC, marks=MARKS)).run["rubric"]["commitment"] is None

    @pytest.mark.parametrize(
        ("changed", "fault"),
        [
            (mark("terms", "not_met", [2, 3]), ("MARK_DIFFERS", "mark")),
            (mark("terms", requests=[2]), ("MARK_DIFFERS", "requests")),
            (mark("terms", requests=[2, 3], by="evaluator"), ("MISSING_KEY", "note")),
            (mark("terms", requests=[], by="evaluator", note="x"), ("MARK_DIFFERS", "requests")),
            (mark("terms", requests=[2, 9], by="evaluator", note="x"), ("UNKNOWN_REFERENCE", "requests")),
        ],
    )
    def test_a_mark_that_the_trace_does_not_give_is_refused(self, changed, fault):
        _, found = graded(package(rubric=RUBRIC, marks=with_mark(changed)))
        assert found == [(fault[0], "data/marks.jsonl:1", fault[1])]

    def test_a_point_that_the_rubric_does_not_have_and_one_without_a_mark(self):
        _, found = graded(package(rubric=RUBRIC, marks=[*MARKS[:3], mark("speed", requests=[1])]))
        assert found == [
            ("UNKNOWN_REFERENCE", "data/marks.jsonl:4", "point"),
            ("MISSING_KEY", "data/marks.jsonl", "faithful"),
        ]

    def test_an_evaluator_who_changes_what_code_decided_says_why_and_it_is_told(self):
        changed = mark("excluded", "not_observable", by="evaluator", note="La página llegó cortada.")
        result = sound(package(rubric=RUBRIC, marks=with_mark(changed)))
        assert result.run["points"][1]["changed"]
        assert [one.code for one in result.limitations] == ["run_marks_changed"]

    def test_a_rubric_of_another_case_is_refused(self):
        other = json.dumps(json.loads(RUBRIC) | {"case": "PI-777"}).encode()
        assert graded(package(rubric=other))[1] == [("UNKNOWN_REFERENCE", "data/rubric.json", "case")]

    def test_what_is_no_rubric_is_told_by_its_place(self):
        broken = json.dumps(json.loads(RUBRIC) | {"points": []}).encode()
        assert graded(package(rubric=broken))[1] == [("VALUE_NOT_ALLOWED", "data/rubric.json", "points")]

    def test_a_sealed_rubric_stays_sealed_in_the_result(self):
        result = sound(package(rubric=RUBRIC, marks=MARKS, descriptor={"sealed": ["data/rubric.json"]}))
        assert [point["controls"] for point in result.run["points"]] == [None] * 4
        assert "no_comments" not in json.dumps(result.as_json())


class TestContaminated:
    def test_what_comes_after_the_catalogue_changes_no_mark(self):
        trace = [*GOOD_TRACE, request(5, "/pruebas/", b"<p>PI-000</p>"), request(6, "/comentarios/1", b"x")]
        files = package(trace, bodies=[*GOOD_BODIES, b"<p>PI-000</p>", b"x"], rubric=RUBRIC, marks=MARKS)
        result = sound(files)
        assert (result.run["facts"]["catalogue_at"], result.run["facts"]["cut"]) == (5, 5)
        assert [one.code for one in result.limitations] == ["run_contaminated"]

    def test_a_mark_that_rests_on_what_came_later_is_refused(self):
        trace = [*GOOD_TRACE, request(5, "/pruebas/"), request(6, "/conceptos/agente", CONCEPT)]
        late = mark("address", requests=[6], by="evaluator", note="x")
        _, found = graded(package(trace, bodies=[], rubric=RUBRIC, marks=with_mark(late)))
        assert ("MARK_DIFFERS", "data/marks.jsonl:3", "requests") in found

    def test_the_request_that_found_it_may_show_what_was_done(self):
        trace = [GOOD_TRACE[0], GOOD_TRACE[1], request(3, "/pruebas/")]
        kept = sound(package(trace, bodies=[b"<p>inicio</p>", TERMS], rubric=RUBRIC)).run["points"]
        marks = [
            mark(point["code"], point["mark"], point["requests"])
            if point["code"] != "excluded"
            else mark("excluded", "not_met", [3], by="evaluator", note="Entró en el catálogo.")
            for point in kept
        ]
        assert sound(package(trace, bodies=[b"<p>inicio</p>", TERMS], rubric=RUBRIC, marks=marks))


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"outcome": "technical"}, "run_technical"),
        ({"outcome": "invalidated", "knew_catalogue": True}, "run_invalidated"),
        ({"outcome": "assisted", "interventions": [{"kind": "other_help"}]}, "run_assisted"),
        ({"ended": "abandoned"}, "run_abandoned"),
        ({"clean_session": False}, "run_session_not_clean"),
        (
            {"recorded_by": "submitter", "run": "lab-7", "token_sha256": None, "token_issued_at": None},
            "run_recorded_by_submitter",
        ),
        ({"interrupted_by_registry": True}, "run_interrupted_by_registry"),
    ],
)
def test_what_the_page_must_say_of_a_run(changes, code):
    assert [one.code for one in sound(package(of=run(**changes))).limitations] == ["run_not_graded", code]


def test_a_run_without_bodies_says_so():
    assert sound(package(bodies=[])).limitations[-1].code == "run_without_bodies"


def test_each_method_is_read_and_graded():
    assert set(METHODS) == set(records.METHODS)


def test_a_scheme_of_another_method_is_refused():
    files = package(descriptor={"scheme": {"code": "HALU", "version": "1"}})
    reader = read(files, computing.reader())
    (fault,) = reader.findings
    assert (str(fault.code), fault.member, fault.key) == (
        "VALUE_NOT_ALLOWED",
        "data/evaluation.json",
        "method",
    )


def test_compute_figures_prints_a_run(tmp_path):
    path = zipped(tmp_path / "run.zip", package(rubric=RUBRIC, marks=MARKS, salt=SALT))
    status, out = compute_figures(str(path), "--json")
    answer = json.loads(out)
    assert status == 0
    assert answer["method"] == "agent_run"
    assert answer["run"]["number"] == "EJ-2026-000012"
    assert answer["criteria"] is None
    status, out = compute_figures(str(path), "--language", "es")
    assert status == 0
    assert "EJ-2026-000012" in out
    assert "Condiciones obtenidas antes de recorrer" in out
    assert "cumplido" in out


def test_check_package_refuses_a_run_whose_mark_was_changed(tmp_path):
    path = zipped(
        tmp_path / "run.zip", package(rubric=RUBRIC, marks=with_mark(mark("terms", "not_met", [2, 3])))
    )
    status, out = compute_figures(str(path), "--json")
    assert status == 1
    assert [finding["code"] for finding in json.loads(out)["findings"]] == ["MARK_DIFFERS"]
