"""Agent runs through the API: registered, followed and closed by a program; and the check of the circuit."""

import json

import pytest

from certificates import run_journey
from certificates.tests import desks
from certificates.tests.desks import holding
from evidence import runs
from evidence.models import Run
from evidence.recorder import tokens
from evidence.tests import running
from registry_site import clock
from registry_site.models import IdempotencyRecord
from registry_site.roles import Role

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("evidence_folder")]


@pytest.fixture
def operator(who):
    return running.an_operator(who.registrar.person)


@pytest.fixture
def program(operator):
    return desks.holding(operator, None)


def body(series, /, **more) -> dict:
    facts = {
        "series": series.code,
        "system": {
            "holder": "Quillay SpA",
            "name": "Navegante",
            "version": "2.3.1",
            "model_family": "quillay",
        },
        "operator": {"name": "Laboratorio Quillay", "email": "pruebas@quillay.example"},
        "permission": True,
        "tools": ["browser", "buscador propio"],
        "language": "es",
        "clean_session": True,
    }
    return facts | more


def send(client, address, content, **headers):
    return client.post(address, json.dumps(content), content_type="application/json", headers=headers)


def test_a_program_registers_follows_and_closes_a_run(program):
    series = running.a_series()
    response = send(program, "/api/v1/runs/", body(series))
    assert response.status_code == 201
    told = response.json()
    run = Run.objects.get()
    assert response["Location"] == f"/api/v1/runs/{run.number}/"
    assert tokens.digest(told["token"]) == run.token.token_sha256
    assert told["entry"] in told["assignment"]
    assert told["address"] in told["assignment_with_header"]
    assert run.tools == ["browser", "buscador propio"]
    running.recorded(run, "/condiciones")
    running.recorded(run, "/x", is_answered=False)
    read = program.get(f"/api/v1/runs/{run.number.lower()}/", follow=True).json()
    assert (read["state"], read["recorded"], read["left"]["requests"]) == ("recording", 2, 38)
    assert [one["ending"] for one in read["requests"]] == ["complete", "open"]
    assert read["requests"][0]["url"] == f"http://{running.DOMAIN}/condiciones"
    answer = f"  {told['entry']}/condiciones\n"
    closing = {"answer": answer, "interventions": [], "knew_catalogue": False}
    closed = send(program, f"/api/v1/runs/{run.number}/close/", closing)
    assert (closed.status_code, closed.json()["state"]) == (200, "closed")
    assert closed.json()["requests"][1]["ending"] == "interrupted"
    run.refresh_from_db()
    assert run.closing.answer == f"  http://{running.DOMAIN}/condiciones\n"
    again = send(program, f"/api/v1/runs/{run.number}/close/", closing)
    assert (again.status_code, again.json()["code"]) == (409, "run_closed")
    assert run_journey.sweep() == {"abandoned": 0, "packages": 1}
    evidence = program.get(f"/api/v1/runs/{run.number}/").json()["evidence_sha256"]
    assert program.get(f"/api/v1/evidence/{evidence}/").status_code == 200


def test_a_repeated_registration_registers_nothing_and_its_answer_has_no_secret(program):
    series = running.a_series()
    first, second = (
        send(program, "/api/v1/runs/", body(series), **{"Idempotency-Key": "k1"}) for _ in range(2)
    )
    assert (first.status_code, second.status_code, Run.objects.count()) == (201, 201, 1)
    assert first.json()["token"]
    assert second["Location"] == first["Location"]
    assert [second.json()[name] for name in ("token", "entry", "assignment")] == [None, None, None]
    kept = bytes(IdempotencyRecord.objects.get().body).decode()
    label = first.json()["entry"].partition("//")[2].partition(".")[0]
    assert first.json()["token"] not in kept
    assert label not in kept
    address = f"{first['Location']}token/"
    renewed = program.post(address, content_type="application/json")
    assert renewed.status_code == 201
    assert renewed.json()["token"] != first.json()["token"]
    running.recorded(Run.objects.get(), "/")
    assert program.post(address, content_type="application/json").json()["code"] == "run_has_requests"


@pytest.mark.parametrize(
    ("change", "status", "code", "pointer"),
    [
        ({"series": "NADA"}, 422, "unknown_series", "/series"),
        ({"permission": False}, 422, "permission_needed", "/permission"),
        ({"clean_session": False}, 422, "clean_session_needed", "/clean_session"),
        ({"tools": []}, 400, "invalid_field", "/tools"),
        ({"token": "x"}, 400, "invalid_field", "/token"),
        ({"language": "??"}, 422, "unknown_language", "/language"),
    ],
)
def test_what_is_wrong_is_named_by_its_place(program, change, status, code, pointer):
    response = send(program, "/api/v1/runs/", body(running.a_series(), **change))
    assert (response.status_code, response.json()["code"]) == (status, code)
    assert response.json()["errors"][0]["pointer"] == pointer
    assert not Run.objects.exists()


def test_others_neither_register_nor_see_nor_close(who, operator, visitor):
    series = running.a_series()
    run = running.registered(series, by=operator).run
    evaluator = holding(who.evaluator, Role.EVALUATOR)
    assert send(visitor, "/api/v1/runs/", body(series)).status_code == 401
    assert send(evaluator, "/api/v1/runs/", body(series)).json()["code"] == "not_an_operator"
    other = holding(running.an_operator(who.registrar.person, name="Otra Operadora"), None)
    closing = {"answer": "", "interventions": [], "knew_catalogue": False}
    for client in (visitor, evaluator, other):
        assert client.get(f"/api/v1/runs/{run.number}/").json().get("requests") is None
    for client in (evaluator, other):
        assert send(client, f"/api/v1/runs/{run.number}/close/", closing).json()["code"] == "run_not_found"
    run.refresh_from_db()
    assert run.state == "registered"


# ── the check of the circuit ─────────────────────────────────────────────────


def test_anybody_checks_the_circuit_and_reads_what_was_recorded_of_it(visitor):
    assert visitor.post("/api/v1/circuit-checks/", content_type="application/json").status_code == 409
    variant = running.a_variant()
    response = visitor.post("/api/v1/circuit-checks/", "{}", content_type="application/json")
    assert response.status_code == 201
    told = response.json()
    assert told["variant"]["start_domain"] == variant.start_domain
    run = Run.objects.get(number=told["run"])
    running.recorded(run, "/robots.txt", status=404)
    bearer = {"Authorization": f"Bearer {told['token']}"}
    read = visitor.get(response["Location"], headers=bearer).json()
    assert (read["state"], read["outcome"]) == ("recording", "technical")
    assert [(one["sequence"], one["status"]) for one in read["requests"]] == [(1, 404)]
    for headers in ({}, {"Authorization": "Bearer fehr_x"}, {"Authorization": f"Basic {told['token']}"}):
        assert visitor.get(response["Location"], headers=headers).status_code == 404


def test_the_token_of_an_operators_run_reads_nothing_here(operator, visitor):
    handed = running.registered(by=operator)
    bearer = {"Authorization": f"Bearer {handed.token}"}
    assert visitor.get(f"/api/v1/circuit-checks/{handed.run.number}/", headers=bearer).status_code == 404


def test_a_lost_message_keeps_nothing_from_being_handed_in(
    operator, monkeypatch, django_capture_on_commit_callbacks
):
    run = running.closed(running.registered(by=operator).run, by=operator)

    def down(*_args, **_more):
        raise OSError("broker")

    monkeypatch.setattr(run_journey.current_app, "send_task", down)
    with django_capture_on_commit_callbacks(execute=True):
        run_journey.wake(run)
    assert run_journey.hand_in(run.pk)
    assert runs.abandon_due(at=clock.now()) == 0
