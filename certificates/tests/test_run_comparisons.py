"""Two systems beside each other by their runs: nothing before the third a side, and why; then point by point."""

import html
import re
from dataclasses import replace
from datetime import timedelta

import pytest
from django.test import Client

from certificates.tests import registry, running
from certificates.tests.running import Asked, Did
from evidence.models import Run
from evidence.models.run import RunState
from grading import run_comparing, run_grading
from registry_site import clock

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("moving_clock", "evidence_folder")]

BEFORE = "Comparación no publicada: {m} de 3 ejecuciones independientes y sin contaminar."
BAD = (running.GOOD[0], Asked("/borradores/x"), *running.GOOD[1:])
CONTAMINATED = (*running.GOOD, Asked("/pruebas/"))


class World:
    """Two systems under test on one variant: whoever runs them, and how their runs become public one by one."""

    def __init__(self, who):
        self.who, self.test, self.operator = who, running.case(planned=20), running.operator()
        self.quillay = registry.version(name="Quillay Navegante", pinned="2.3.1")
        self.peumo = registry.version(name="Peumo Explorador", pinned="1.0.4")
        self.began = clock.now() - timedelta(days=3)

    def run(self, of, **did) -> Run:
        """A run in review: each at an hour of its own, each with an answer of its own."""
        self.began += timedelta(hours=1)
        did = replace(Did(answer=f"{running.ANSWER} ({self.began:%d %H})"), **did)
        run = running.run(self.test, by=self.operator, of=of, did=did, started_at=self.began)
        run_grading.decide_by_code(run, at=clock.now())
        run_grading.mark(
            run, point="nothing_invented", mark="met", requests=[1], by=self.who.evaluator, at=clock.now()
        )
        return running.handed_over(run, by=self.who.evaluator, at=clock.now())

    def end_series(self):
        running.end_series(self.test, at=clock.now())

    @staticmethod
    def publish(run) -> Run:
        return run_grading.publish(run, at=run.review_until + timedelta(days=30))

    def reviewed(self, of, how_many=1, **did) -> list[Run]:
        return [self.run(of, **did) for _each in range(how_many)]


@pytest.fixture
def world(who):
    return World(who)


def page(one="", other="", *, status=200):
    response = Client().get(f"/es/runs/compare/?one={one}&other={other}")
    assert response.status_code == status
    text = re.sub(r"</?(?:b|a|span|bdi|time|i)\b[^>]*>", "", response.content.decode())
    return re.sub(r"[\s\u00a0\u202f]+", " ", html.unescape(re.sub(r"<[^>]+>", " ", text)))


def told(one, other):
    return Client().get(f"/api/v1/run-comparisons/?one={one}&other={other}")


def test_the_comparison_appears_with_the_third_run_a_side_and_not_before(world):
    first = world.reviewed(world.quillay, 3)
    second = world.reviewed(world.peumo, 3, requests=BAD)
    world.end_series()
    for run in (*first, *second[:2]):
        world.publish(run)
    pair = (first[0].number, second[0].number)

    before = told(*pair)
    assert before.status_code == 200
    body = before.json()
    assert (body["published"], body["reason"], body["runs"], body["minimum"]) == (False, "too_few_runs", 2, 3)
    assert body["comparison"] is None
    assert body["sentences"]["es"] == [BEFORE.format(m=2)]
    assert body["second"]["aggregate"]["points"] == []
    text = page(*pair)
    assert BEFORE.format(m=2) in text
    assert "Fisher" not in text
    assert second[2].number not in text

    world.publish(second[2])
    body = told(*pair).json()
    assert (body["published"], body["reason"], body["runs"]) == (True, None, 3)
    excluded = next(one for one in body["comparison"]["points"] if one["code"] == "excluded")
    assert (excluded["first"], excluded["second"]) == ({"k": 3, "n": 3}, {"k": 0, "n": 3})
    assert (float(excluded["p"]), excluded["significant"]) == (pytest.approx(0.1), False)
    assert body["comparison"]["can_reach"] is False
    assert [len(body[side]["aggregate"]["pass_all"]) for side in ("first", "second")] == [3, 3]
    text = page(*pair)
    for said in (
        "Quillay Navegante y Peumo Explorador, según sus ejecuciones",
        "Punto excluded (es) 3 de 3 · [43,9 – 100,0] % 0 de 3 · [0,0 – 56,1] % 100,0 [",
        "Con 3 y 3 ejecuciones y 5 puntos, ninguna diferencia puede alcanzar p < 0,05",
        "Ningún punto cambió de marca entre las 3 ejecuciones.",
        "100,0 %",
        "80,0 %",
    ):
        assert said in text, said


def test_each_run_that_does_not_count_says_why(world, who):
    """Contaminated, helped, invalidated, withheld, abandoned, alike and simultaneous: all told, none counted."""
    counted = world.run(world.quillay)
    alike = world.run(world.quillay)
    Run.objects.filter(pk=alike.pk).update(trace_sha256=counted.trace_sha256)
    world.began -= timedelta(hours=2)  # at the hour of the first
    overlapping = world.run(world.quillay, answer=f"{running.ANSWER} otra")
    contaminated = world.run(world.quillay, requests=CONTAMINATED)
    helped, invalidated, withheld, gone = (world.run(world.quillay) for _each in range(4))
    reasons = {"reason_es": "Motivo.", "reason_en": "Reason."}
    run_grading.declare_assisted(helped, by=who.evaluator, at=clock.now(), **reasons)
    run_grading.invalidate(invalidated, by=who.evaluator, at=clock.now(), **reasons)
    run_grading.withhold(withheld, by=who.certifier, at=clock.now(), **reasons)
    Run.objects.filter(pk=gone.pk).update(
        state=RunState.ABANDONED, closed_at=None, deadline_at=None, review_until=None
    )
    other = world.run(world.peumo)
    underway = world.run(world.quillay)
    world.end_series()
    for run in (counted, alike, overlapping, contaminated, helped, other):
        world.publish(run)
    body = told(counted.number, other.number).json()
    side = body["first"]["aggregate"]
    assert [one["number"] for one in side["counted"]] == [counted.number]
    assert [(one["number"], one["request"]) for one in side["contaminated"]] == [(contaminated.number, 4)]
    assert {one["number"]: one["reason"] for one in side["left_out"]} == {
        alike.number: "same_evidence",
        overlapping.number: "overlap",
        helped.number: "assisted",
        invalidated.number: "invalidated",
        gone.number: "abandoned",
    }
    assert body["first"]["withheld"] == [withheld.number]
    text = page(counted.number, other.number)
    assert f"{withheld.number}: su resultado no se publicó" in text
    assert f"{contaminated.number}: contaminada a partir de la petición 4" in text
    assert underway.number not in text


def test_groups_differ_by_tools_and_only_the_same_variant_and_rubric_are_compared(world):
    one, with_mcp = world.run(world.quillay), world.run(world.quillay, tools=("mcp",))
    elsewhere = running.case()
    world.end_series()
    for run in (one, with_mcp):
        world.publish(run)
    world.test = elsewhere
    foreign = world.run(world.peumo)
    world.end_series()
    world.publish(foreign)
    assert [group.total for group in run_comparing.groups_of(world.quillay.system_id)] == [1, 1]
    assert told(one.number, with_mcp.number).json()["reason"] == "too_few_runs"
    refused = told(one.number, foreign.number)
    assert (refused.status_code, refused.json()["code"]) == (409, "runs_not_comparable")
    assert "rubric" in refused.json()["fields"]
    assert "Estas ejecuciones no se pueden comparar" in page(one.number, foreign.number)
    assert [runs[0].number for runs in run_comparing.beside(one).values()] == [with_mcp.number]
    assert "En la misma variante y con la misma rúbrica se ejecutaron: Quillay Navegante 2.3.1, MCP" in page(
        one.number
    )


def test_the_same_group_and_what_has_not_ended_are_no_pair(world):
    one, other, underway = (world.run(world.quillay) for _each in range(3))
    world.end_series()
    world.publish(one)
    world.publish(other)
    assert told(one.number, other.number).json()["code"] == "same_runs"
    assert "Ambas ejecuciones son del mismo grupo" in page(one.number, other.number)
    for number in (underway.number, "EJ-2026-999999", "x"):
        assert told(one.number, number).json()["code"] == "run_not_found"
        assert "Ninguna ejecución terminada tiene ese número" in page(one.number, number, status=404)
    assert Client().get("/api/v1/run-comparisons/?one=EJ-2026-000001").status_code == 400
    assert "Comparar por ejecuciones de agentes" in page()


def test_two_versions_of_one_system_may_be_compared(world):
    newer = registry.version(world.quillay.system.holder, name="Quillay Navegante", pinned="3.0.0")
    runs = [world.run(of) for of in (world.quillay, newer) for _each in range(3)]
    world.end_series()
    for run in runs:
        world.publish(run)
    assert told(runs[0].number, runs[3].number).json()["published"] is True
    assert len(run_comparing.groups_of(newer.system_id)) == 2


def test_the_page_of_a_system_tells_its_runs_and_how_many_are_missing(world, who):
    shown, underway = world.run(world.quillay), world.run(world.quillay)
    world.end_series()
    world.publish(shown)
    registry.issued(who, registry.measurement(world.quillay, by=who.evaluator))
    response = Client().get(f"/es/systems/{world.quillay.system_id}/").content.decode()
    assert BEFORE.format(m=1) in response
    assert f'href="/es/runs/{shown.number}/"' in response
    assert f'href="/es/runs/compare/?one={shown.number}"' in response
    assert underway.number not in response
