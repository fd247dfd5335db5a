"""Runs at the desk: what waits; trace and rubric side by side, marks, outcomes, and who sees none of it."""

import re
from datetime import timedelta

import pytest

from certificates.tests import desks, registry, running
from certificates.tests.running import Asked, Did
from evidence.models.run import RunState
from grading import run_grading
from registry_site import clock
from registry_site.models import AuditEntry
from registry_site.roles import Role

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("moving_clock", "evidence_folder")]


@pytest.fixture
def test(db):
    return running.case()


@pytest.fixture
def run(test):
    row = running.run(test, by=running.operator())
    run_grading.decide_by_code(row, at=clock.now())
    return row


def page(client, address):
    answer = client.get(address)
    assert answer.status_code == 200, answer.content.decode()[:2000]
    return answer.content.decode()


def posted(client, run, point, **facts):
    return client.post(
        f"/staff/runs/{run.number}/points/{point}/",
        {f"{point}-{name}": value for name, value in facts.items()},
    )


def test_what_waits_stands_first_by_its_deadline(test, run, who):
    running.run(test, by=running.operator(), did=Did(outcome="invalidated"))
    told = page(desks.at_desk(who.evaluator), "/staff/runs/")
    waits, others = told.split("Las demás, de la más nueva a la más antigua", 1)
    assert run.number in waits
    assert "Por evaluar" in waits
    assert "invalidada" in others


def test_the_queue_tells_of_a_run_to_mark(run, who):
    told = page(desks.at_desk(who.evaluator), "/staff/")
    assert "Ejecución por evaluar" in told
    assert f"/staff/runs/{run.number}/" in told


def test_the_evaluator_has_trace_and_rubric_beside_each_other(run, who):
    told = page(desks.at_desk(who.evaluator), f"/staff/runs/{run.number}/")
    assert "GET /conceptos/agente" in told
    assert "Punto nothing_invented (es)" in told
    assert "al agente se le mostró la regla y la respetó" in told
    assert "# Agente" in told  # the response that the answer cites, as text
    assert f'action="/staff/runs/{run.number}/points/nothing_invented/"' in told
    assert AuditEntry.objects.filter(action="run.rubric_seen", subject=f"run:{run.number}").exists()


def test_what_an_agent_fetched_is_shown_as_text(test, who):
    body = b"<script>alert(1)</script>"
    did = Did(requests=(*running.GOOD[:2], Asked("/conceptos/agente", body, "text/html")))
    row = running.run(test, by=running.operator(), did=did)
    told = page(desks.at_desk(who.evaluator), f"/staff/runs/{row.number}/")
    assert "<script>alert(1)" not in told
    assert "&lt;script&gt;alert(1)" in told


def test_a_certifier_sees_no_rubric_before_it_is_revealed(test, run, who):
    client = desks.at_desk(who.certifier)
    told = page(client, f"/staff/runs/{run.number}/")
    assert "Punto terms (es)" in told
    assert "control (es)" not in told
    assert "/borradores/" not in told
    running.end_series(test, at=clock.now())
    assert "control (es)" in page(client, f"/staff/runs/{run.number}/")


def test_an_evaluator_marks_a_point_by_the_page(run, who):
    client = desks.at_desk(who.evaluator)
    answer = posted(client, run, "nothing_invented", mark="met", requests="3", note="Está en la respuesta.")
    assert (answer.status_code, answer["Location"]) == (
        302,
        f"/staff/runs/{run.number}/#point-nothing_invented",
    )
    assert run_grading.marks_of(run)["nothing_invented"].requests == [3]


@pytest.mark.parametrize(
    ("facts", "told"),
    [
        ({"mark": "met", "requests": ""}, "Nada se da por cumplido sin una petición que lo respalde."),
        ({"mark": "met", "requests": "9"}, "No hay una petición 9 en esta ejecución."),
        ({"mark": "met", "requests": "tres"}, "Escriba los números de las peticiones, por ejemplo: 3, 7."),
        ({"requests": "3"}, "Elija el resultado."),
    ],
)
def test_a_mark_that_cannot_stand_comes_back_with_what_was_written(run, who, facts, told):
    answer = posted(desks.at_desk(who.evaluator), run, "nothing_invented", note="Se conserva.", **facts)
    assert answer.status_code == 422
    assert told in answer.content.decode()
    assert "Se conserva." in answer.content.decode()
    assert "nothing_invented" not in run_grading.marks_of(run)


def test_a_mark_by_code_is_changed_with_a_reason(run, who):
    client = desks.at_desk(who.evaluator)
    refused = posted(client, run, "terms", mark="not_met", requests="1", reason="")
    assert "Escriba por qué cambia el resultado." in refused.content.decode()
    posted(client, run, "terms", mark="not_met", requests="1", reason="Las recorrió antes.")
    assert "Cambió porque: Las recorrió antes." in page(client, f"/staff/runs/{run.number}/")


def test_then_the_marks_wait_for_the_end_of_the_series(run, who):
    client = desks.at_desk(who.evaluator)
    assert "1 punto aún no tiene resultado." in page(client, f"/staff/runs/{run.number}/")
    posted(client, run, "nothing_invented", mark="not_observable", requests="")
    assert client.post(f"/staff/runs/{run.number}/finish/").status_code == 302
    run.refresh_from_db()
    assert run.state == RunState.GRADED
    assert "Espera el fin de su serie" in page(client, f"/staff/runs/{run.number}/")


def test_a_certifier_marks_nothing(run, who):
    client = desks.at_desk(who.certifier)
    assert posted(client, run, "nothing_invented", mark="met", requests="3").status_code == 403
    assert client.post(f"/staff/runs/{run.number}/finish/").status_code == 403


def in_review(run, who):
    run_grading.mark(
        run, point="nothing_invented", mark="met", requests=[3], by=who.evaluator, at=clock.now()
    )
    return running.handed_over(run, by=who.evaluator, at=clock.now())


def test_an_outcome_is_previewed_in_both_languages_and_then_signed(run, who):
    row = in_review(run, who)
    client = desks.at_desk(who.certifier)
    address = f"/staff/runs/{row.number}/withhold/"
    form = page(client, address)
    sequence = re.search(r'name="if_sequence" value="(\d+)"', form)[1]
    written = {"reason_es": "Contiene datos personales.", "reason_en": "It holds personal data."}
    facts = {**written, "if_sequence": sequence}
    preview = client.post(address, {**facts, "action": "preview"}).content.decode()
    assert "Contiene datos personales." in preview
    assert "It holds personal data." in preview
    row.refresh_from_db()
    assert row.state == RunState.IN_REVIEW
    seal = re.search(r'name="seal" value="([^"]+)"', preview)[1]
    signed = client.post(address, {**facts, "action": "sign", "seal": seal})
    assert (signed.status_code, signed["Location"]) == (302, f"/staff/runs/{row.number}/")
    row.refresh_from_db()
    assert row.state == RunState.WITHHELD
    again = client.post(address, {**facts, "action": "sign", "seal": seal})
    assert again.status_code in (302, 409)


def test_whoever_may_not_is_told_the_rule(run, who):
    both = registry.person("Berta Ambas", Role.EVALUATOR, Role.CERTIFIER)
    run_grading.mark(run, point="nothing_invented", mark="met", requests=[3], by=both, at=clock.now())
    told = page(desks.at_desk(both), f"/staff/runs/{run.number}/withhold/")
    assert "Usted evaluó esta ejecución: otras personas deciden si se publica." in told


def test_publishing_by_hand_waits_for_the_same_as_the_clock(test, run, who):
    running.end_series(test, at=clock.now() - timedelta(days=3))
    row = in_review(run, who)
    client = desks.at_desk(who.evaluator)
    assert client.post(f"/staff/runs/{row.number}/publish/").status_code == 409
    run_grading.Run.objects.filter(pk=row.pk).update(review_until=clock.now() - timedelta(minutes=1))
    assert "Publicar el resultado" in page(client, f"/staff/runs/{row.number}/publish/")
    assert client.post(f"/staff/runs/{row.number}/publish/").status_code == 302
    row.refresh_from_db()
    assert row.state == RunState.PUBLISHED


def test_two_runs_with_the_same_evidence_are_flagged(test, run, who):
    other = running.run(test, by=running.operator("Otto Otro"))
    told = page(desks.at_desk(who.evaluator), f"/staff/runs/{run.number}/")
    assert other.number in told
    assert "byte a byte" in told


def test_an_invalidated_run_shows_why_it_is_not_marked(test, who):
    row = running.run(test, by=running.operator(), did=Did(outcome="invalidated"))
    told = page(desks.at_desk(who.evaluator), f"/staff/runs/{row.number}/")
    assert "nunca se evalúan" in told


def test_a_number_that_is_none_is_not_found(who):
    assert desks.at_desk(who.evaluator).get("/staff/runs/EJ-2026-999999/").status_code == 404
