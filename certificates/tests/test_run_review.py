"""The review of whoever registered a run: marks by public titles, a comment while it lasts, nothing of the rubric."""

from datetime import timedelta

import pytest

from certificates.tests import desks, running
from evidence.models import Run
from grading import run_grading
from registry_site import clock

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("moving_clock", "evidence_folder")]


@pytest.fixture
def operator(db):
    return running.operator()


@pytest.fixture
def test(db):
    return running.case()


@pytest.fixture
def run(test, operator):
    return running.run(test, by=operator)


def page(client, run):
    answer = client.get(f"/runs/{run.number}/review/")
    assert answer.status_code == 200
    return answer.content.decode()


def test_until_it_is_graded_there_is_nothing_to_see(run, operator):
    run_grading.decide_by_code(run, at=clock.now())
    told = page(desks.by_password(operator), run)
    assert "se está evaluando" in told
    assert "Cumplido" not in told


def test_the_operator_sees_marks_and_requests_and_nothing_of_the_rubric(run, operator, who):
    run_grading.decide_by_code(run, at=clock.now())
    facts = {"by": who.evaluator, "at": clock.now(), "note": "Véase /borradores/."}
    run_grading.mark(run, point="nothing_invented", mark="met", requests=[3], **facts)
    running.handed_over(run, by=who.evaluator, at=clock.now())
    told = page(desks.by_password(operator), run)
    assert "Punto terms (es)" in told
    assert "peticiones 1 y 2" in told
    for kept in ("secret_", "control (es)", "/borradores", "/pruebas", who.evaluator.person.name):
        assert kept not in told


def test_a_comment_is_recorded_and_shown(run, operator, who):
    running.reviewed(run, by=who.evaluator)
    client = desks.by_password(operator)
    empty = client.post(f"/runs/{run.number}/review/", {"text": " "})
    assert empty.status_code == 422
    assert "Escriba el comentario." in empty.content.decode()
    assert client.post(f"/runs/{run.number}/review/", {"text": "La 3 era Markdown."}).status_code == 302
    assert "La 3 era Markdown." in page(client, run)


def test_afterwards_nothing_is_taken_any_more(run, operator, who):
    running.reviewed(run, by=who.evaluator)
    Run.objects.filter(pk=run.pk).update(review_until=clock.now() - timedelta(minutes=1))
    client = desks.by_password(operator)
    answer = client.post(f"/runs/{run.number}/review/", {"text": "Tarde."})
    assert answer.status_code == 422
    assert "El plazo para comentar terminó." in answer.content.decode()
    assert not run.comments.exists()


def test_when_the_rubric_is_public_the_notes_are_told_too(test, run, operator, who):
    running.published(test, [run], by=who.evaluator)
    assert "Resultado de la ejecución" in page(desks.by_password(operator), run)


def test_another_operator_finds_nothing(test, run, operator, who):
    running.reviewed(run, by=who.evaluator)
    other = running.operator("Otto Otro")
    running.run(test, by=other)
    assert desks.by_password(other).get(f"/runs/{run.number}/review/").status_code == 404


def test_whoever_has_nothing_to_add_ends_the_review(run, operator, who):
    running.reviewed(run, by=who.evaluator)
    client = desks.by_password(operator)
    assert "Terminar la revisión" in page(client, run)
    assert client.post(f"/runs/{run.number}/review/", {"action": "end"}).status_code == 302
    assert client.post(f"/runs/{run.number}/review/", {"text": "Tarde."}).status_code == 422
    assert client.post(f"/runs/{run.number}/review/", {"action": "end"}).status_code == 409
    assert "Terminar la revisión" not in page(client, run)
