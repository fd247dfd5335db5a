"""The whole story in a real browser: issued, complained of, heard, suspended, appealed, upheld, in force again.

At every step the public page in both languages, the history on the page and by API, and the status agree. With
PICTURES=FOLDER the test keeps a picture of every page that its people see.
"""

import json
import re
import urllib.request
from datetime import timedelta

import pytest

from certificates import letters
from certificates.models import Appeal, Report
from certificates.tests import registry
from registry_site import clock, outbox
from registry_site.models import Outbox

pytestmark = [pytest.mark.chromium, pytest.mark.django_db(transaction=True)]

TEXT = "El servicio que se vende responde con la versión 5.0, y el certificado habla de la 4.2.1."
EMAIL = "vecina@correo.example"
WORDS = {"active": ("Vigente", "In force"), "suspended": ("No vigente", "Not in force")}


class Registry:
    """What anybody can see of one certificate, asked in every way that there is."""

    def __init__(self, live_server, browser, look, number: str) -> None:
        self.url, self.browser, self.look, self.number = live_server.url, browser, look, number
        self.seen = 0

    def api(self, path: str) -> dict:
        address = f"{self.url}/api/v1/certificates/{self.number}/{path}"
        with urllib.request.urlopen(address, timeout=10) as told:  # noqa: S310 - our own server
            return json.load(told)

    def agrees(self, status: str, steps: list[str], *, also: tuple[str, ...] = ()) -> None:
        """Page, history and status say the same in both languages; `also` are numbers that the page names."""
        told = self.api("status/")
        assert (told["status"], told["in_force"]) == (status, status == "active")
        assert [event["step"] for event in self.api("history/")["events"]] == steps
        for place, language in enumerate(("es", "en")):
            self.browser.goto(f"/{language}/c/{self.number}/")
            assert self.browser.locator("h1").first.inner_text().startswith(WORDS[status][place])
            text = self.browser.locator("main").inner_text()
            for number in also:
                assert number in text
            for secret in (TEXT, EMAIL, "Violeta"):
                assert secret not in self.browser.content()
            self.seen += 1
            self.look(self.browser, f"story-{self.seen:02}-{status}-{language}")


def link_in_letter(kind: str, recipient: str) -> str:
    """The one address of the newest letter of a kind to somebody, as they would open it."""
    row = Outbox.objects.filter(kind=kind, recipient=recipient).latest("pk")
    body = outbox.message(row, letters.compose).body
    appeal = re.search(r"https?://[^/\s]+(/es/appeal/link/\S+)", body)
    return appeal[1] if appeal else re.search(r"https?://[^/\s]+(/\S+)", body)[1]


def sign(page, look, name: str, button: str = "Firmar y publicar la decisión") -> None:
    page.locator("form button").last.click()
    page.get_by_role("button", name=button).wait_for()
    look(page, f"{name}-preview")
    page.get_by_role("button", name=button).click()
    page.wait_for_load_state()


def write(page, **texts: str) -> None:
    for field, text in texts.items():
        page.locator(f"#id_{field}").fill(text)


def test_from_issue_to_suspension_on_a_complaint_and_back(
    transactional_db, live_server, open_browser, sign_in, look, monkeypatch
):
    from certificates.views import tickets

    # What a person needs to read the form; a test would only wait.
    monkeypatch.setattr(tickets, "QUICKEST", tickets.QUICKEST * 0)
    who = registry.people()
    certificate = registry.issued(who)
    number = certificate.number
    holder_email = certificate.system_version.system.holder.contact_email
    public = Registry(live_server, open_browser(), look, number)
    public.agrees("active", ["issue"])

    # A visitor complains from the page of the certificate, and confirms by e-mail.
    visitor = open_browser()
    visitor.goto(f"/es/c/{number}/")
    visitor.get_by_role("link", name="Presentar una queja").first.click()
    look(visitor, "story-complaint-form")
    visitor.get_by_label("El sistema que se ofrece no es la versión evaluada").check()
    write(visitor, text=TEXT, name="Violeta Vecina", email=EMAIL)
    visitor.get_by_role("button", name="Enviar la queja").click()
    visitor.wait_for_url("**/es/report/sent/")
    look(visitor, "story-complaint-sent")
    assert not Report.objects.exists()
    visitor.goto(link_in_letter("report.confirm", EMAIL))
    look(visitor, "story-complaint-confirm")
    visitor.get_by_role("button", name="Confirmar la queja").click()
    visitor.wait_for_url("**/es/report/mine/")
    look(visitor, "story-complaint-mine")
    report = Report.objects.get()
    assert report.number in visitor.locator("main").inner_text()
    public.agrees("active", ["issue"])
    assert report.number not in public.browser.content(), "not public before the holder was told"

    # Whoever issued it may not work on it; another certifier takes it up and puts it to the holder.
    issuer = open_browser()
    sign_in(issuer, who.certifier)
    issuer.goto(f"/staff/reports/{report.number}/")
    refused = issuer.locator("main").inner_text()
    assert "(regla 2)" in refused
    assert TEXT not in refused
    look(issuer, "story-issuer-refused")
    staff = open_browser()
    sign_in(staff, who.second_certifier)
    look(staff, "story-queue")
    staff.goto(f"/staff/reports/{report.number}/")
    assert TEXT in staff.locator("main").inner_text()
    look(staff, "story-complaint-staff")
    staff.get_by_role("button", name="Tomar la queja a trámite").click()
    staff.get_by_role("link", name="Poner la queja en conocimiento del titular").click()
    write(
        staff,
        summary_es="Se dice que el sistema que se ofrece no es la versión evaluada.",
        summary_en="It is said that the system offered is not the version evaluated.",
    )
    sign(staff, look, "story-to-holder", "Firmar y poner en conocimiento del titular")
    public.agrees("active", ["issue"], also=(report.number,))
    assert public.api("status/")["open_report"] == report.number

    # The holder replies by its link, and chooses to publish it.
    holder = open_browser()
    holder.goto(link_in_letter("report.with_holder", holder_email))
    assert TEXT not in holder.content()
    look(holder, "story-reply-form")
    write(holder, text_es="La versión se cambió por error.", text_en="The version was changed by mistake.")
    holder.locator("input[name=publish][value=yes]").check()
    holder.locator("form button").last.click()
    look(holder, "story-reply-preview")
    holder.get_by_role("button", name="Enviar la respuesta").click()
    holder.wait_for_load_state()
    look(holder, "story-reply-recorded")
    public.agrees("active", ["issue"], also=(report.number,))
    public.browser.goto(f"/es/c/{number}/")
    assert "La versión se cambió por error." in public.browser.locator("main").inner_text()

    # It is upheld; suspended with conditions by someone who did not look into it.
    staff.goto(f"/staff/reports/{report.number}/")
    staff.get_by_role("link", name="Decidir la queja").click()
    staff.get_by_label("acogida", exact=True).check()
    write(staff, reasons_es="Se comprobó en el sitio.", reasons_en="It was established on the site.")
    sign(staff, look, "story-complaint-decided")
    public.agrees("active", ["issue"], also=(report.number,))
    issuer.goto(f"/staff/certificates/{number}/suspend/")
    issuer.locator("#id_reason").select_option("report_upheld")
    issuer.locator(f"[name=report][value='{report.number}']").check()
    write(
        issuer,
        statement_es="La versión que se ofrece no es la evaluada.",
        statement_en="The version offered is not the one evaluated.",
        conditions_es="Reponer la versión 4.2.1.",
        conditions_en="Bring version 4.2.1 back.",
    )
    day = clock.now().date() + timedelta(days=40)
    for part, value in zip(issuer.locator(".date input").all(), (day.day, day.month, day.year), strict=True):
        part.fill(str(value))
    sign(issuer, look, "story-suspend")
    public.agrees("suspended", ["issue", "suspend"], also=(report.number,))

    # The holder appeals; the certifier who suspended tries to decide it and is refused.
    holder.goto(link_in_letter("certificate.suspended", holder_email))
    write(
        holder, grounds="La versión se repuso el mismo día.", name="Paula Peumo", email="paula@peumo.example"
    )
    holder.get_by_role("button", name="Presentar la apelación").click()
    holder.wait_for_url("**/es/appeal/mine/")
    appeal = Appeal.objects.get()
    public.agrees("suspended", ["issue", "suspend"], also=(appeal.number,))
    issuer.goto(f"/staff/appeals/{appeal.number}/")
    assert "(regla 2)" in issuer.locator("main").inner_text()
    issuer.goto(f"/staff/appeals/{appeal.number}/admit/")
    assert "(regla 2)" in issuer.locator("main").inner_text()
    assert issuer.locator("#id_summary_es").count() == 0
    public.agrees("suspended", ["issue", "suspend"], also=(appeal.number,))

    # The appeals officer, who had no part in it, admits and upholds it.
    officer = open_browser()
    sign_in(officer, who.appeals_officer)
    officer.goto(f"/staff/appeals/{appeal.number}/admit/")
    write(
        officer,
        summary_es="El titular dice que repuso la versión.",
        summary_en="The holder says that the version is back.",
    )
    sign(officer, look, "story-appeal-admit")
    officer.goto(f"/staff/appeals/{appeal.number}/decide/")
    officer.get_by_label("acogida", exact=True).check()
    write(officer, reasons_es="La versión estaba repuesta.", reasons_en="The version was back.")
    sign(officer, look, "story-appeal-decide")
    public.agrees(
        "active",
        ["issue", "suspend", "overturn"],
        also=(report.number, appeal.number),
    )
    visitor.goto(link_in_letter("report.decided", EMAIL))
    look(visitor, "story-complaint-mine-decided")
    assert "acogida" in visitor.locator("h1").inner_text()
