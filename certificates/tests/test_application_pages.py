"""The doors to an application: the letter when a measurement is ready, the page to apply on, the private page."""

import re
from datetime import timedelta

import pytest
from django.test import Client

from certificates import applications, letters, lifecycle
from certificates.models import Application, ApplicationLink, ApplicationStanding
from certificates.tests import registry
from certificates.tests.applying import filed, stored
from registry_site import clock, outbox
from registry_site.models import Outbox


@pytest.fixture
def measurement(who):
    return registry.measurement(by=who.evaluator)


def letter(measurement, kind: str = "application.invited") -> str:
    holder = measurement.system_version.system.holder
    row = Outbox.objects.filter(kind=kind, recipient=holder.contact_email).order_by("-pk").first()
    return outbox.message(row, letters.compose).body


def link_in(body: str) -> str:
    return re.search(r"http://testserver(/es/apply/(?:link|follow)/[^/\s]+/)", body)[1]


def come(measurement, client: Client | None = None) -> Client:
    """A browser that opened the link of the letter."""
    client = client or Client()
    applications.invite(measurement, at=clock.now())
    answer = client.get(link_in(letter(measurement)))
    assert (answer.status_code, answer["Location"]) == (302, "/es/apply/")
    return client


def text_of(answer) -> str:
    told = re.sub(r"<[^>]+>|\s+", " ", answer.content.decode()).replace("\xa0", " ")
    return re.sub(r"\s+", " ", told)


# ── applying ─────────────────────────────────────────────────────────────────


def test_the_link_shows_what_was_measured_and_a_press_files_it(who, measurement):
    holder = come(measurement)
    page = holder.get("/es/apply/")
    assert page.status_code == 200
    assert (page["Referrer-Policy"], "no-store" in page["Cache-Control"]) == ("same-origin", True)
    told = text_of(page)
    for fact in ("Peumo Consulta", "4.2.1", "Peumo SpA", "15 de 148", "descriptivo", f"M-{measurement.pk}"):
        assert fact in told
    assert "se denegaría" not in told
    assert holder.post("/es/apply/")["Location"] == "/es/apply/mine/"
    application = Application.objects.get()
    own = text_of(holder.get("/es/apply/mine/"))
    assert application.number in own
    assert "en espera de decisión" in own
    assert "Apply" not in text_of(holder.get("/es/apply/mine/"))
    assert "awaiting a decision" in text_of(holder.get("/en/apply/mine/"))


def test_the_decision_is_told_on_the_private_page_and_the_public_ones_name_the_application(who, measurement):
    holder = come(measurement)
    holder.post("/es/apply/")
    application = Application.objects.get()
    certificate = registry.issued(who, measurement)
    notice = certificate.notices.get()
    own = text_of(holder.get("/es/apply/mine/"))
    assert certificate.number in own
    assert notice.number in own
    assert "Desistir" not in own
    for address in (f"/es/c/{certificate.number}/", f"/es/notices/{notice.number}/"):
        assert f"{application.number} , presentada por el titular" in text_of(Client().get(address))
    alone = registry.issued(who)
    assert "sin solicitud registrada" in text_of(Client().get(f"/es/c/{alone.number}/"))


def test_what_the_staff_stored_is_told_as_such(who, measurement):
    stored(measurement, by=who.evaluator)
    notice = lifecycle.refuse_issue(
        measurement, by=who.certifier, at=clock.now(), statement=registry.STATEMENT
    )
    assert "en nombre del titular" in text_of(Client().get(f"/es/notices/{notice.number}/"))
    assert "on the holder's behalf" in text_of(Client().get(f"/en/notices/{notice.number}/")).replace(
        "&#x27;", "'"
    )


def test_whoever_applies_for_what_would_be_refused_is_told_why_and_may(who):
    measurement = registry.measurement(by=who.evaluator, evidence=registry.Evidence(coincides=False))
    holder = come(measurement)
    told = text_of(holder.get("/es/apply/"))
    assert "el certificado se denegaría" in told
    assert "difiere de la recalculada" in told
    holder.post("/es/apply/")
    assert ApplicationStanding.objects.get().state == "filed"


# ── links ────────────────────────────────────────────────────────────────────


def test_opening_the_link_changes_nothing_and_twice_does_no_harm(who, measurement):
    come(measurement)
    body = letter(measurement)
    for _ in range(3):
        assert Client().get(link_in(body)).status_code == 302
        assert Client().head(link_in(body)).status_code == 302
    assert not ApplicationLink.objects.exclude(used_at=None).exists()
    assert Client().post(link_in(body)).status_code == 405
    assert not Application.objects.exists()


def test_pressing_twice_and_going_back_files_once(who, measurement):
    holder = come(measurement)
    kept = dict(holder.session["application_link"])
    assert holder.post("/es/apply/")["Location"] == "/es/apply/mine/"
    assert holder.post("/es/apply/")["Location"] == "/es/apply/mine/"
    # The second of two presses whose session was read before the first one was answered.
    session = holder.session
    session["application_link"] = kept
    session.save()
    assert holder.post("/es/apply/")["Location"] == "/es/apply/mine/"
    assert holder.get("/es/apply/").status_code == 410
    assert Application.objects.count() == 1


def test_without_a_link_a_used_one_a_late_one_or_a_wrong_one_the_page_says_so(who, measurement):
    for address in ("/es/apply/", "/en/apply/", "/es/apply/mine/"):
        assert Client().get(address).status_code == 410
    assert Client().get("/es/apply/link/" + "x" * 43 + "/").status_code == 404
    come(measurement).post("/es/apply/")
    body = letter(measurement, "application.filed")
    assert Client().get(link_in(body))["Location"] == "/es/apply/mine/"
    ApplicationLink.objects.update(expires_at=clock.now() - timedelta(days=1), used_at=None)
    late = Client().get(link_in(body))
    assert (late.status_code, "plazo" in text_of(late)) == (410, True)


def test_a_used_link_does_not_open_what_was_filed_with_it(who, measurement):
    applications.invite(measurement, at=clock.now())
    # Written out once: of the same letter sent again only the later link lives.
    address = link_in(letter(measurement))
    holder = Client()
    holder.get(address)
    holder.post("/es/apply/")
    used = Client().get(address)
    assert (used.status_code, "sirve una sola vez" in text_of(used)) == (410, True)


def test_a_session_of_one_measurement_is_of_no_use_for_another(who, measurement):
    other = registry.measurement(by=who.evaluator)
    come(measurement).post("/es/apply/", {"measurement": other.pk})
    assert Application.objects.get().measurement == measurement


def test_an_expired_session_sends_back_to_the_letter(who, measurement):
    holder = come(measurement)
    session = holder.session
    session["application_link"] = {**session["application_link"], "until": clock.now().isoformat()}
    session.save()
    assert holder.get("/es/apply/").status_code == 410
    assert holder.post("/es/apply/").status_code == 410


def test_what_was_decided_meanwhile_is_said(who, measurement):
    holder = come(measurement)
    certificate = registry.issued(who, measurement)
    page = holder.get("/es/apply/")
    assert (page.status_code, certificate.number in text_of(page)) == (409, True)
    assert "<form" not in page.content.decode()
    assert holder.post("/es/apply/").status_code == 409
    assert not Application.objects.exists()


def test_a_form_from_another_site_is_refused(who, measurement):
    holder = come(measurement, Client(enforce_csrf_checks=True))
    assert holder.post("/es/apply/").status_code == 403
    assert not Application.objects.exists()


# ── withdrawing ──────────────────────────────────────────────────────────────


def test_whoever_filed_may_withdraw_and_apply_again_by_the_letter(who, measurement):
    come(measurement).post("/es/apply/")
    holder = Client()
    holder.get(link_in(letter(measurement, "application.filed")))
    assert "Desistir de la solicitud" in text_of(holder.get("/es/apply/mine/"))
    for _ in range(2):
        assert holder.post("/es/apply/withdraw/")["Location"] == "/es/apply/mine/"
    assert ApplicationStanding.objects.get().state == "withdrawn"
    assert "desistida" in text_of(holder.get("/es/apply/mine/"))
    assert holder.get(link_in(letter(measurement, "application.withdrawn")))["Location"] == "/es/apply/"
    holder.post("/es/apply/")
    assert list(ApplicationStanding.objects.order_by("pk").values_list("state", flat=True)) == [
        "withdrawn",
        "filed",
    ]


def test_withdrawing_too_late_shows_what_was_decided(who, measurement):
    application = filed(measurement)
    holder = Client()
    holder.get(link_in(letter(measurement, "application.filed")))
    certificate = registry.issued(who, measurement)
    assert holder.post("/es/apply/withdraw/")["Location"] == "/es/apply/mine/"
    assert certificate.number in text_of(holder.get("/es/apply/mine/"))
    assert ApplicationStanding.objects.get(application=application).state == "issued"
