"""A holder appeals in a real browser and someone who was not involved upholds it; each page is looked at."""

import json
import re
import urllib.request

import pytest

from certificates import letters
from certificates.models import Appeal
from certificates.tests import registry
from registry_site import outbox
from registry_site.models import Outbox

pytestmark = [pytest.mark.chromium, pytest.mark.django_db(transaction=True)]

GROUNDS = "El texto se retiró el mismo día; la decisión parte de un error."


def link_for(certificate, notice) -> str:
    holder = certificate.system_version.system.holder
    row = Outbox.objects.get(concerns=notice.number, recipient=holder.contact_email)
    return re.search(r"https?://[^/]+(/es/appeal/link/\S+)", outbox.message(row, letters.compose).body)[1]


def status(live_server, number: str) -> dict:
    address = f"{live_server.url}/api/v1/certificates/{number}/status/"
    with urllib.request.urlopen(address, timeout=10) as answer:  # noqa: S310 - our own server
        return json.load(answer)


def sign(page, look, name: str) -> None:
    page.get_by_role("button", name="Ver el texto público antes de decidir").click()
    page.get_by_role("heading", name="Así se publicará").wait_for()
    look(page, f"{name}-preview")
    page.get_by_role("button", name="Firmar y publicar la decisión").click()
    page.wait_for_url(re.compile(r"/staff/appeals/[^/]+/$"))
    look(page, f"{name}-signed")


def test_a_suspension_is_appealed_and_upheld(transactional_db, live_server, open_browser, sign_in, look):
    who = registry.people()
    certificate = registry.issued(who)
    suspension = registry.suspend(certificate, by=who.certifier)
    number = certificate.number

    holder = open_browser()
    link = link_for(certificate, suspension.notice)
    holder.goto(link)
    assert holder.url.endswith("/es/appeal/")
    look(holder, "appeal-form")
    holder.get_by_role("button", name="Presentar la apelación").click()
    assert holder.title().startswith("Error:")
    look(holder, "appeal-form-errors")
    holder.locator("#id_grounds").fill(GROUNDS)
    holder.locator("#id_name").fill("Paula Peumo")
    holder.locator("#id_email").fill("paula@peumo.example")
    holder.locator("#id_attachments").set_input_files(
        [{"name": "nota.txt", "mimeType": "text/plain", "buffer": "Se retiró.".encode()}]
    )
    holder.get_by_role("button", name="Presentar la apelación").click()
    holder.wait_for_url("**/es/appeal/mine/")
    look(holder, "appeal-mine")
    appeal = Appeal.objects.get()
    holder.goto(link)
    look(holder, "appeal-link-used")

    narrow = open_browser(width=320, dark=True)
    narrow.goto(f"/es/c/{number}/")
    assert appeal.number in narrow.locator("#complaints, main").first.inner_text()
    look(narrow, "appeal-public-320-dark")
    assert status(live_server, number)["open_appeal"] == appeal.number

    certifier = open_browser()
    sign_in(certifier, who.certifier)
    certifier.goto(f"/staff/appeals/{appeal.number}/")
    assert "(regla 2)" in certifier.locator("main").inner_text()
    look(certifier, "appeal-certifier-refused")

    officer = open_browser()
    sign_in(officer, who.appeals_officer)
    look(officer, "appeal-queue")
    officer.get_by_role("link", name=re.compile("Abrir.*Apelación presentada")).click()
    look(officer, "appeal-staff")
    officer.get_by_role("link", name="Admitir la apelación a trámite").click()
    officer.locator("#id_summary_es").fill("El titular dice que retiró el texto.")
    officer.locator("#id_summary_en").fill("The holder says that the text was removed.")
    look(officer, "appeal-admit")
    sign(officer, look, "appeal-admit")
    officer.get_by_role("link", name="Decidir la apelación").click()
    look(officer, "appeal-decide")
    officer.get_by_label("acogida", exact=True).check()
    officer.locator("#id_reasons_es").fill("El texto ya no estaba en el sitio.")
    officer.locator("#id_reasons_en").fill("The text was no longer on the site.")
    sign(officer, look, "appeal-decide")

    assert status(live_server, number)["status"] == "active"
    visitor = open_browser(language="en")
    for language, word in (("es", "Vigente"), ("en", "In force")):
        visitor.goto(f"/{language}/c/{number}/")
        assert visitor.locator("h1").first.inner_text().startswith(word)
        assert appeal.number in visitor.locator("main").inner_text()
    look(visitor, "appeal-public-upheld")
    visitor.goto(f"/es/notices/{suspension.notice.number}/")
    look(visitor, "appeal-notice")


def test_the_form_fits_a_phone_in_the_dark_and_needs_no_script(transactional_db, open_browser, look):
    who = registry.people()
    certificate = registry.issued(who)
    suspension = registry.suspend(certificate, by=who.certifier)
    page = open_browser(width=320, dark=True)
    page.goto(link_for(certificate, suspension.notice))
    look(page, "appeal-form-320-dark")
    plain = open_browser(script=False)
    plain.goto(link_for(certificate, suspension.notice))
    plain.locator("#id_grounds").fill(GROUNDS)
    plain.locator("#id_name").fill("Paula Peumo")
    plain.locator("#id_email").fill("paula@peumo.example")
    plain.get_by_role("button", name="Presentar la apelación").click()
    plain.wait_for_url("**/es/appeal/mine/")
    plain.get_by_role("button", name="Desistir de la apelación").click()
    assert "desistida" in plain.locator("h1").inner_text()
