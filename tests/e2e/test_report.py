"""A complaint in a real browser: sent, confirmed, followed, put to the holder, replied to, decided, told to all."""

import re
from datetime import timedelta

from certificates import letters, reports
from certificates.models import Report
from certificates.tests import registry
from certificates.tests.reporting import EMAIL, REPLY, SUMMARY, TEXT, decide
from certificates.views import tickets
from registry_site import clock, outbox
from registry_site.models import Outbox


def link_to(recipient: str, kind: str) -> str:
    row = Outbox.objects.filter(recipient=recipient, kind=kind).latest("pk")
    return re.search(r"(/es/report/(?:link|follow|reply)/\S+)", outbox.message(row, letters.compose).body)[1]


def test_a_visitor_complains_and_the_holder_replies(
    transactional_db, live_server, open_browser, look, monkeypatch
):
    monkeypatch.setattr(tickets, "QUICKEST", timedelta(0))
    who = registry.people()
    certificate = registry.issued(who)

    visitor = open_browser()
    visitor.goto(f"/es/c/{certificate.number}/")
    visitor.locator("#complaints").get_by_role("link", name="Presentar una queja").click()
    look(visitor, "report-form")
    visitor.get_by_role("button", name="Enviar la queja").click()
    assert visitor.title().startswith("Error:")
    look(visitor, "report-form-errors")
    visitor.get_by_label("el sistema que se ofrece no es la versión evaluada").check()
    visitor.locator("#id_text").fill(TEXT)
    visitor.locator("#id_email").fill(EMAIL)
    visitor.locator("#id_attachments").set_input_files(
        [{"name": "captura.txt", "mimeType": "text/plain", "buffer": "Versión 4.4".encode()}]
    )
    visitor.get_by_role("button", name="Enviar la queja").click()
    visitor.wait_for_url("**/es/report/sent/")
    look(visitor, "report-sent")
    visitor.goto(link_to(EMAIL, "report.confirm"))
    look(visitor, "report-confirm")
    visitor.get_by_role("button", name="Confirmar la queja").click()
    visitor.wait_for_url("**/es/report/mine/")
    look(visitor, "report-mine")

    report = Report.objects.get()
    reports.take_up(report, by=who.second_certifier, at=clock.now())
    reports.ask_holder(report, by=who.second_certifier, at=clock.now(), summary=SUMMARY)
    holder = open_browser(width=320, dark=True)
    holder.goto(link_to(certificate.system_version.system.holder.contact_email, "report.with_holder"))
    look(holder, "report-reply-320-dark")
    holder.locator("#id_text_es").fill(REPLY["es"])
    holder.get_by_label("Cualquier persona").check()
    holder.get_by_role("button", name="Ver la respuesta antes de enviarla").click()
    look(holder, "report-reply-preview-320-dark")
    holder.get_by_role("button", name="Enviar la respuesta").click()
    holder.get_by_role("heading", name="La respuesta quedó registrada").wait_for()
    look(holder, "report-replied-320-dark")

    decided = decide(report, who.second_certifier, "dismissed")
    plain = open_browser(script=False)
    plain.goto(link_to(EMAIL, "report.decided"))
    plain.locator("#id_why").fill("Falta ver la captura.")
    plain.get_by_role("button", name="Pedir una revisión").click()
    assert "Otra persona" in plain.locator("main").inner_text()

    narrow = open_browser(width=320)
    narrow.goto(link_to(EMAIL, "report.decided"))
    look(narrow, "report-mine-320")
    narrow.goto("/es/report/")
    look(narrow, "report-form-320")
    narrow.goto(f"/es/c/{certificate.number}/")
    assert report.number in narrow.locator("#complaints").inner_text()
    look(narrow, "report-public-320")
    narrow.goto(f"/es/notices/{decided.notice.number}/")
    look(narrow, "report-notice-320")
