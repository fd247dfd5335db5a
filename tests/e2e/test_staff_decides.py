"""A certifier suspends, reinstates and revokes in a real browser; page, list and API agree at every step."""

import json
import re
import urllib.request
from datetime import timedelta

import pytest
from playwright.sync_api import Error

from certificates.tests import registry
from registry_site import clock

pytestmark = [pytest.mark.chromium, pytest.mark.django_db(transaction=True)]

WORDS = {
    "active": ("Vigente", "In force"),
    "suspended": ("No vigente", "Not in force"),
    "revoked": ("No vigente", "Not in force"),
}
SHORT = {
    "active": ("vigente", "in force"),
    "suspended": ("suspendido", "suspended"),
    "revoked": ("revocado", "revoked"),
}


@pytest.fixture
def certificate(who):
    return registry.issued(who)


@pytest.fixture
def who(transactional_db):
    return registry.people()


def api(live_server, path: str) -> dict:
    with urllib.request.urlopen(f"{live_server.url}{path}", timeout=10) as answer:  # noqa: S310 - our own server
        return json.load(answer)


def all_agree(visitor, live_server, number: str, status: str) -> None:
    """The public page and the list in both languages, and the API, say the same."""
    for index, language in enumerate(("es", "en")):
        visitor.goto(f"/{language}/c/{number}/")
        sentence = visitor.locator("h1").first.inner_text()
        assert sentence.startswith(WORDS[status][index])
        if status != "active":
            assert SHORT[status][index] in sentence
        visitor.goto(f"/{language}/certificates/")
        row = visitor.locator("li, tr").filter(has_text=number).first.inner_text()
        assert re.search(rf"\b{SHORT[status][index]}\b", row)
        visitor.goto(f"/{language}/certificates/?status={status}")
        assert number in visitor.locator("main").inner_text()
    told = api(live_server, f"/api/v1/certificates/{number}/status/")
    assert (told["status"], told["in_force"]) == (status, status == "active")
    assert api(live_server, f"/api/v1/certificates/{number}/")["status"] == status


def written(page, es: str, en: str) -> None:
    page.locator("#id_statement_es").fill(es)
    page.locator("#id_statement_en").fill(en)


def sign(page, look, name: str) -> None:
    page.get_by_role("button", name="Ver el texto público antes de decidir").click()
    page.get_by_role("heading", name="Así se publicará").wait_for()
    assert page.locator(".sheet[lang=es]").count() == page.locator(".sheet[lang=en]").count() == 1
    look(page, f"{name}-preview")
    page.get_by_role("button", name="Firmar y publicar la decisión").click()
    page.wait_for_url(re.compile(r"/staff/certificates/[^/]+/$"))
    look(page, f"{name}-signed")


def test_suspend_reinstate_revoke(live_server, open_browser, sign_in, look, who, certificate):
    number = certificate.number
    visitor, page = open_browser(), open_browser()
    all_agree(visitor, live_server, number, "active")

    sign_in(page, who.certifier)
    look(page, "queue")
    page.goto(f"/staff/certificates/{number}/")
    look(page, "certificate")
    page.get_by_role("link", name="Suspender", exact=True).click()

    # An empty form is not lost and not obscure: the summary has the focus and leads to each field.
    page.get_by_role("button", name="Ver el texto público antes de decidir").click()
    assert page.title().startswith("Error:")
    assert page.evaluate("document.activeElement.classList.contains('errors')")
    look(page, "suspend-errors")
    page.locator(".errors a").first.click()
    assert page.evaluate("document.activeElement.id") == "id_reason"

    page.locator("#id_reason").select_option("system_changed")
    written(page, "El sitio ofrece la versión 4.3.", "The site offers version 4.3.")
    page.locator("#id_conditions_es").fill("Volver a ofrecer la versión 4.2.1.\nMedir otra vez.")
    page.locator("#id_conditions_en").fill("Offer version 4.2.1 again.\nMeasure again.")
    day = clock.now().date() + timedelta(days=40)
    for part, value in zip(page.locator(".date input").all(), (day.day, day.month, day.year), strict=True):
        part.fill(str(value))
    look(page, "suspend-form")
    sign(page, look, "suspend")
    all_agree(visitor, live_server, number, "suspended")

    page.get_by_role("link", name="Restablecer", exact=True).click()
    written(page, "Se cumplieron las dos condiciones.", "Both conditions were met.")
    sign(page, look, "reinstate")
    all_agree(visitor, live_server, number, "active")

    page.get_by_role("link", name="Revocar", exact=True).click()
    page.locator("#id_reason").select_option("false_declaration")
    written(page, "La versión declarada no existía.", "The declared version did not exist.")
    page.get_by_role("button", name="Ver el texto público antes de decidir").click()
    page.get_by_role("heading", name="Así se publicará").wait_for()
    # The back button leads to the form as it was written.
    page.go_back()
    assert page.locator("#id_statement_es").input_value() == "La versión declarada no existía."
    sign(page, look, "revoke")
    all_agree(visitor, live_server, number, "revoked")

    # After signing, the back button shows the signed form again; pressing it once more changes nothing.
    # (A browser short of room keeps no answer to a POST and offers to send the form again; a person may refuse.)
    if is_kept(page.go_back):
        page.get_by_role("button", name="Firmar y publicar la decisión").click()
        page.wait_for_url(f"**/staff/certificates/{number}/")
        assert "Su decisión ya constaba" in page.locator("body").inner_text()
    assert certificate.events.count() == 4


def is_kept(go_back) -> bool:
    """Whether the browser still had the page that the back button leads to."""
    try:
        go_back()
    except Error as error:
        if "ERR_CACHE_MISS" not in str(error):
            raise
        return False
    return True


def test_a_decision_without_scripts_by_keyboard(live_server, open_browser, sign_in, who, certificate):
    page = open_browser(script=False)
    sign_in(page, who.certifier)
    page.goto(f"/staff/certificates/{certificate.number}/revoke/")
    page.locator("#id_reason").focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Tab")
    page.keyboard.type("La versión declarada no existía.")
    page.keyboard.press("Tab")
    page.keyboard.type("The declared version did not exist.")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    page.get_by_role("heading", name="Así se publicará").wait_for()
    page.get_by_role("button", name="Firmar y publicar la decisión").focus()
    page.keyboard.press("Enter")
    page.wait_for_url(f"**/staff/certificates/{certificate.number}/")
    assert certificate.events.count() == 2


@pytest.mark.parametrize(("width", "dark"), [(320, False), (1280, True)])
def test_the_pages_fit_a_phone_and_the_dark(open_browser, sign_in, look, who, certificate, width, dark):
    # What the dark can break is contrast; the rest is the same page.
    rules = {"rules": ["color-contrast"]} if dark else {}
    registry.suspend(certificate, by=who.second_certifier)
    measured = registry.measurement(by=who.evaluator)
    proposal = registry.holder(
        "Nueva SpA", confirmation="proposed", identifier="", identifier_kind="", country=""
    )
    kind = f"{width}-{'dark' if dark else 'light'}"
    page = open_browser(width=width, dark=dark)
    page.goto("/accounts/login/")
    look(page, f"login-{kind}", **rules)
    sign_in(page, who.certifier)
    for name, address in (
        ("queue", "/staff/"),
        ("certificate", f"/staff/certificates/{certificate.number}/"),
        ("prolong", f"/staff/certificates/{certificate.number}/prolong/"),
        ("terminate", f"/staff/certificates/{certificate.number}/terminate/"),
        ("supersede", f"/staff/certificates/{certificate.number}/supersede/"),
        ("erratum", f"/staff/certificates/{certificate.number}/erratum/"),
        ("forbidden", f"/staff/certificates/{certificate.number}/suspend/"),
        ("measurement", f"/staff/measurements/{measured.pk}/"),
        ("issue", f"/staff/measurements/{measured.pk}/issue/"),
        ("packages", "/staff/packages/"),
        ("package", f"/staff/packages/{measured.package_id}/"),
        ("holder", f"/staff/holders/{proposal.pk}/"),
        ("request", f"/staff/certificates/{certificate.number}/request/"),
        ("account", "/accounts/2fa/"),
    ):
        page.goto(address)
        look(page, f"{name}-{kind}", **rules)
    page.goto(f"/staff/measurements/{measured.pk}/refuse/")
    page.locator("#id_reason").select_option("evidence_integrity")
    written(page, "Faltan las respuestas de dos idiomas.", "The answers in two languages are missing.")
    page.get_by_role("button", name="Ver el texto público antes de decidir").click()
    page.get_by_role("heading", name="Así se publicará").wait_for()
    look(page, f"refuse-preview-{kind}", **rules)
