"""A holder applies by the link of its letter, a certificate answers it; one stored on behalf is turned away."""

import re

import pytest

from certificates import applications, letters
from certificates.models import Application
from certificates.tests import registry
from certificates.tests.applying import stored
from registry_site import clock, outbox
from registry_site.models import Outbox

pytestmark = [pytest.mark.chromium, pytest.mark.django_db(transaction=True)]


def link_to(measurement) -> str:
    applications.invite(measurement, at=clock.now())
    row = Outbox.objects.filter(kind="application.invited").order_by("-pk").first()
    return re.search(r"https?://[^/]+(/es/apply/link/\S+)", outbox.message(row, letters.compose).body)[1]


def test_a_holder_applies_and_the_certificate_answers_it(transactional_db, open_browser, sign_in, look):
    who = registry.people()
    measurement = registry.measurement(by=who.evaluator)
    holder = open_browser()
    link = link_to(measurement)
    holder.goto(link)
    look(holder, "application-form")
    holder.get_by_role("button", name="Solicitar el certificado").click()
    holder.wait_for_url("**/es/apply/mine/")
    look(holder, "application-mine")
    application = Application.objects.get()
    holder.goto(link)
    look(holder, "application-link-used")

    certifier = open_browser()
    sign_in(certifier, who.certifier)
    look(certifier, "application-queue")
    certifier.get_by_role("link", name=re.compile(rf"^(Abrir|Decidir).*{application.number}")).click()
    look(certifier, "application-staff")
    certifier.get_by_role("link", name="Emitir certificado").click()
    assert application.number in certifier.locator("main").inner_text()
    look(certifier, "application-issue")
    certifier.locator("#id_statement_es").fill("La evidencia es íntegra.")
    certifier.locator("#id_statement_en").fill("The evidence is intact.")
    certifier.get_by_role("button", name="Ver el texto público antes de decidir").click()
    certifier.get_by_role("button", name="Firmar y publicar la decisión").click()
    certifier.wait_for_url(re.compile(r"/staff/certificates/[^/]+/$"))

    visitor = open_browser(language="en")
    number = measurement.certificates.get().number
    visitor.goto(f"/en/c/{number}/")
    assert f"{application.number}, filed by the holder" in visitor.locator("main").inner_text()
    holder.goto("/es/apply/mine/")


def test_the_pages_fit_a_phone_in_the_dark_and_need_no_script(transactional_db, open_browser, sign_in, look):
    who = registry.people()
    measurement = registry.measurement(by=who.evaluator, evidence=registry.Evidence(coincides=False))
    narrow = open_browser(width=320, dark=True, script=False)
    narrow.goto(link_to(measurement))
    assert "se denegaría" in narrow.locator("main").inner_text()
    narrow = open_browser(width=320, dark=True)
    narrow.goto(link_to(measurement))
    look(narrow, "application-form-320-dark")
    narrow.get_by_role("button", name="Solicitar el certificado").click()
    narrow.wait_for_url("**/es/apply/mine/")
    look(narrow, "application-mine-320-dark")
    narrow.get_by_role("button", name="Desistir de la solicitud").click()
    assert "desistida" in narrow.locator("h1").inner_text()

    application = stored(measurement, by=who.evaluator)
    desk = open_browser(width=320)
    sign_in(desk, who.certifier)
    for name, address in {
        "application-measurement-320": f"/staff/measurements/{measurement.pk}/",
        "application-staff-320": f"/staff/applications/{application.number}/",
        "application-inadmissible-320": f"/staff/applications/{application.number}/inadmissible/",
    }.items():
        desk.goto(address)
        look(desk, name)
    desk.get_by_label("le falta algo que el esquema exige").check()
    desk.locator("#id_reasons_es").fill("Falta el poder de quien firma.")
    desk.get_by_role("button", name="Declarar inadmisible la solicitud").click()
    look(desk, "application-inadmissible-errors-320")
    desk.locator("#id_reasons_en").fill("The signatory's authority is missing.")
    desk.get_by_role("button", name="Declarar inadmisible la solicitud").click()
    desk.wait_for_url(f"**/staff/applications/{application.number}/")
    look(desk, "application-inadmissible-done-320")
    desk.goto(f"/staff/measurements/{measurement.pk}/application/")
    look(desk, "application-store-320")
