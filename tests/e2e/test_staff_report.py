"""A complaint at the desk in a real browser: read, taken up, put to the holder, decided; each page is looked at."""

import io
import re

import pytest

from certificates import attached_files, reports
from certificates.tests import registry, reporting
from registry_site import clock

pytestmark = [pytest.mark.chromium, pytest.mark.django_db(transaction=True)]


def test_a_complaint_is_worked_on_and_decided(transactional_db, live_server, open_browser, sign_in, look):
    who = registry.people()
    certificate = registry.issued(who)
    kept = attached_files.keep([("contrato.txt", io.BytesIO(b"Un contrato."))])
    report = reporting.received(certificate, attachments=kept)
    page = open_browser()
    sign_in(page, who.second_certifier)
    page.goto("/staff/?kind=report")
    look(page, "staff-report-queue")
    page.get_by_role("link", name=re.compile("Abrir")).click()
    look(page, "staff-report")
    page.get_by_role("button", name="Tomar la queja a trámite").click()
    page.get_by_role("link", name="Poner la queja en conocimiento del titular").click()
    page.locator("#id_summary_es").fill(f"Lo dice {reporting.EMAIL}.")
    page.locator("#id_summary_en").fill(reporting.SUMMARY["en"])
    page.locator("#id_proposal").fill("Suspender hasta que se reponga la versión.")
    page.get_by_role("button", name="Ver lo que leerá el titular").click()
    assert page.title().startswith("Error:")
    look(page, "staff-report-names-somebody")
    page.locator("#id_summary_es").fill(reporting.SUMMARY["es"])
    page.get_by_role("button", name="Ver lo que leerá el titular").click()
    page.get_by_role("heading", name="Esto leerá el titular").wait_for()
    look(page, "staff-report-to-the-holder")
    page.get_by_role("button", name="Firmar y poner en conocimiento del titular").click()
    page.wait_for_url(f"**/staff/reports/{report.number}/")
    look(page, "staff-report-with-holder")

    reports.reply(report, at=clock.now(), text=reporting.REPLY, published=True)
    page.goto(f"/staff/reports/{report.number}/decide/")
    page.get_by_label("acogida", exact=True).check()
    page.locator("#id_reasons_es").fill(reporting.REASONS["es"])
    page.locator("#id_reasons_en").fill(reporting.REASONS["en"])
    look(page, "staff-report-decide")
    page.get_by_role("button", name="Ver el texto público antes de decidir").click()
    look(page, "staff-report-decide-preview")
    page.get_by_role("button", name="Firmar y publicar la decisión").click()
    page.wait_for_url(f"**/staff/reports/{report.number}/")

    narrow = open_browser(width=320, dark=True)
    sign_in(narrow, who.certifier)
    for address, name in (
        (f"/staff/reports/{report.number}/", "staff-report-rule-narrow"),
        ("/staff/reports/", "staff-reports-narrow"),
        (f"/staff/certificates/{certificate.number}/revoke/", "staff-revoke-on-report-narrow"),
        (f"/staff/certificates/{certificate.number}/", "staff-certificate-concerns-narrow"),
    ):
        narrow.goto(address)
        look(narrow, name)
