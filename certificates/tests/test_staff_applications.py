"""Applications at the staff's desk: the queue, their page, storing one, turning one away; and by API."""

import re

import pytest

from certificates import lifecycle
from certificates.models import Application, ApplicationStanding, Certificate
from certificates.tests import appealing, registry
from certificates.tests.applying import REASONS, REQUEST, filed, stored
from certificates.tests.desks import at_desk, holding
from registry_site import clock
from registry_site.models import AuditEntry, Outbox
from registry_site.roles import Role

NO_DAY = {"received_on_day": "", "received_on_month": "", "received_on_year": ""}


@pytest.fixture
def measurement(who):
    return registry.measurement(by=who.evaluator)


def text_of(answer) -> str:
    told = re.sub(r"<[^>]+>|\s+", " ", answer.content.decode()).replace("\xa0", " ")
    return re.sub(r"\s+", " ", told)


def written() -> dict[str, str]:
    today = clock.now().date()
    return {
        "text": REQUEST,
        "received_on_day": str(today.day),
        "received_on_month": str(today.month),
        "received_on_year": str(today.year),
    }


# ── the queue ────────────────────────────────────────────────────────────────


def test_an_application_stands_in_the_queue_instead_of_its_measurement(who, measurement):
    desk = at_desk(who.certifier)
    assert "Medición lista" in text_of(desk.get("/staff/"))
    application = filed(measurement)
    queue = text_of(desk.get("/staff/"))
    assert "Solicitud por responder" in queue
    assert application.number in queue
    assert "Medición lista" not in queue
    assert application.number in text_of(desk.get("/staff/?kind=application"))
    registry.issued(who, measurement)
    assert application.number not in text_of(desk.get("/staff/"))


def test_the_queue_says_who_cannot_answer_it_and_what_came_back(who, measurement):
    stored(measurement, by=who.certifier)
    assert "usted la registró" in text_of(at_desk(who.certifier).get("/staff/"))
    refusal = lifecycle.refuse_issue(
        measurement, by=who.second_certifier, at=clock.now(), statement=registry.STATEMENT
    )
    appealing.decide(appealing.admitted(refusal, who), who)
    assert "abierta de nuevo tras una apelación" in text_of(at_desk(who.certifier).get("/staff/"))


def test_the_queue_costs_the_same_however_many_apply(who, django_assert_max_num_queries):
    desk = at_desk(who.certifier)
    desk.get("/staff/")
    for _ in range(3):
        filed(registry.measurement(by=who.evaluator))
    with django_assert_max_num_queries(17):
        desk.get("/staff/?kind=application")
    for _ in range(12):
        filed(registry.measurement(by=who.evaluator))
    with django_assert_max_num_queries(17):
        assert text_of(desk.get("/staff/?kind=application")).count("Solicitud por responder") >= 15


# ── the pages ────────────────────────────────────────────────────────────────


def test_the_measurement_and_the_decision_lead_to_the_application(who, measurement):
    desk = at_desk(who.certifier)
    assert "sin solicitud registrada" in text_of(desk.get(f"/staff/measurements/{measurement.pk}/"))
    application = filed(measurement)
    page = desk.get(f"/staff/measurements/{measurement.pk}/").content.decode()
    assert f"/staff/applications/{application.number}/" in page
    for step in ("issue", "refuse"):
        told = text_of(desk.get(f"/staff/measurements/{measurement.pk}/{step}/"))
        assert f"Responde a la solicitud N.º {application.number}" in told
        assert "presentada por el titular" in told
    told = desk.get(f"/staff/applications/{application.number}/")
    assert "15 de 148" in text_of(told)
    for address in ("issue/", "refuse/"):
        assert f"/staff/measurements/{measurement.pk}/{address}" in told.content.decode()


def test_the_pages_ask_few_queries(who, measurement, django_assert_max_num_queries):
    desk = at_desk(who.certifier)
    application = stored(measurement, by=who.evaluator)
    desk.get("/staff/")
    for address in (
        f"/staff/applications/{application.number}/",
        f"/staff/applications/{application.number}/inadmissible/",
    ):
        with django_assert_max_num_queries(16):
            assert desk.get(address).status_code == 200


def test_one_stores_the_written_request_and_another_answers(who, measurement):
    desk = at_desk(who.certifier)
    address = f"/staff/measurements/{measurement.pk}/application/"
    assert desk.get(address).status_code == 200
    empty = desk.post(address, NO_DAY | {"text": REQUEST})
    assert (empty.status_code, REQUEST in empty.content.decode()) == (422, True)
    answer = desk.post(address, written())
    application = Application.objects.get()
    assert answer["Location"] == f"/staff/applications/{application.number}/"
    assert desk.post(address, written())["Location"] == answer["Location"], "a second press"
    assert Application.objects.count() == 1
    page = desk.get(answer["Location"])
    assert REQUEST in page.content.decode()
    assert "decide una segunda persona" in text_of(page)
    assert "/issue/" not in page.content.decode()
    assert AuditEntry.objects.filter(action="application.request_seen").exists()
    refused = desk.get(f"/staff/measurements/{measurement.pk}/issue/")
    assert "regla 6" in text_of(refused)
    statement = {"statement_es": "Se emite.", "statement_en": "It is issued.", "if_sequence": "0"}
    assert desk.post(f"/staff/measurements/{measurement.pk}/issue/", statement).status_code == 403
    second = at_desk(who.second_certifier)
    assert f"/staff/measurements/{measurement.pk}/issue/" in second.get(answer["Location"]).content.decode()
    assert at_desk(who.evaluator).post(address, written()).status_code == 409


def test_html_in_the_request_is_text(who, measurement):
    application = stored(measurement, by=who.evaluator, text="<script>alert(1)</script>")
    page = at_desk(who.certifier).get(f"/staff/applications/{application.number}/").content.decode()
    assert "<script>alert" not in page
    assert "&lt;script&gt;alert(1)" in page


def test_an_application_is_turned_away_with_reasons_once(who, measurement):
    application = filed(measurement)
    desk = at_desk(who.certifier)
    address = f"/staff/applications/{application.number}/inadmissible/"
    wanted = {"reason": "incomplete", "reasons_es": REASONS["es"], "reasons_en": REASONS["en"]}
    half = desk.post(address, wanted | {"reasons_en": ""})
    assert (half.status_code, REASONS["es"] in half.content.decode()) == (422, True)
    for _ in range(2):
        assert desk.post(address, wanted)["Location"] == f"/staff/applications/{application.number}/"
    assert ApplicationStanding.objects.get().state == "inadmissible"
    assert application.events.count() == 2
    assert REASONS["es"] in text_of(desk.get(f"/staff/applications/{application.number}/"))
    late = at_desk(who.second_certifier).post(address, wanted | {"reasons_es": "Otra razón."})
    assert (late.status_code, "Otra razón." in late.content.decode()) == (422, True)
    assert "ya fue respondida" in text_of(desk.get(address))
    assert at_desk(who.evaluator).post(address, wanted).status_code == 403


def test_the_link_to_apply_is_sent_once_more(who, measurement):
    desk = at_desk(who.evaluator)
    address = f"/staff/measurements/{measurement.pk}/application/link/"
    assert desk.get(address).status_code == 405
    assert desk.post(address)["Location"] == f"/staff/measurements/{measurement.pk}/"
    assert Outbox.objects.filter(kind="application.invited").count() == 1
    assert at_desk(who.registrar).post(address).status_code == 403
    unreachable = registry.version(registry.holder("Sin correo SpA", contact_email=""))
    other = registry.measurement(unreachable, by=who.evaluator)
    desk.post(f"/staff/measurements/{other.pk}/application/link/")
    assert "No se envió nada" in text_of(desk.get(f"/staff/measurements/{other.pk}/"))
    assert Outbox.objects.filter(kind="application.invited").count() == 1


def test_confirming_the_holder_sends_it_the_link(who):
    proposed = registry.holder("Nueva SpA", confirmation="proposed", identifier="", identifier_kind="")
    registry.measurement(registry.version(proposed, confirmation="confirmed"), by=who.evaluator)
    facts = {
        "name": "Nueva SpA",
        "identifier_kind": "domain",
        "identifier": "nueva.example.cl",
        "country": "CL",
        "contact_email": "contacto@nueva.example",
    }
    answer = at_desk(who.certifier).post(f"/staff/holders/{proposed.pk}/", facts)
    assert answer.status_code == 302
    assert Outbox.objects.get(kind="application.invited").recipient == "contacto@nueva.example"


# ── by API ───────────────────────────────────────────────────────────────────


def test_the_api_tells_the_staff_of_applications_and_nobody_else(who, measurement, client):
    application = stored(measurement, by=who.evaluator)
    other = filed(registry.measurement(by=who.evaluator))
    program = holding(who.certifier, Role.CERTIFIER)
    listed = program.get("/api/v1/applications/").json()
    assert [one["number"] for one in listed["results"]] == [other.number, application.number]
    found = program.get(f"/api/v1/applications/{application.number}/")
    told = found.json()
    assert (told["state"], told["way"], told["measurement"]) == ("filed", "on_behalf", measurement.pk)
    assert REQUEST not in found.content.decode()
    registry.issued(who, measurement)
    waiting = program.get("/api/v1/applications/?state=filed").json()["results"]
    assert [one["number"] for one in waiting] == [other.number]
    told = program.get(f"/api/v1/applications/{application.number}/").json()
    assert [one["step"] for one in told["steps"]] == ["file", "issue"]
    assert told["steps"][1]["certificate"] == Certificate.objects.get().number
    assert program.get("/api/v1/applications/?state=lost").status_code == 400
    assert program.get("/api/v1/applications/SOL-2026-999999/").status_code == 404
    assert client.get("/api/v1/applications/").status_code == 401
    assert holding(who.registrar, Role.REGISTRAR).get("/api/v1/applications/").status_code == 403


def test_certificate_and_notice_name_the_application_they_answer(who, measurement, client):
    application = filed(measurement)
    certificate = registry.issued(who, measurement)
    notice = certificate.notices.get()
    for address in (f"/api/v1/certificates/{certificate.number}/", f"/api/v1/notices/{notice.number}/"):
        told = client.get(address).json()["application"]
        assert (told["number"], told["way"]) == (application.number, "link")
    alone = registry.issued(who)
    assert client.get(f"/api/v1/certificates/{alone.number}/").json()["application"] is None


def test_rule_six_is_the_same_by_api(who, measurement):
    stored(measurement, by=who.certifier)
    body = {"measurement": measurement.pk, "statement": {"es": "Se emite.", "en": "It is issued."}}
    who.certifier.is_superuser = True
    who.certifier.save()
    answer = holding(who.certifier, Role.CERTIFIER).post(
        "/api/v1/certificates/", body, content_type="application/json"
    )
    assert (answer.status_code, answer.json()["code"]) == (403, "second_person_needed")
    assert not Certificate.objects.exists()
