"""A real browser on a live server: Debian's Chromium, axe, and people who sign in as they do."""

import os
import time
from pathlib import Path

import pytest
from allauth.mfa.models import Authenticator
from allauth.mfa.totp.internal.auth import TOTP, format_hotp_value, generate_totp_secret, hotp_value
from allauth.mfa.utils import decrypt

# The recorder as its own tests have it.
from evidence.tests.recorder.conftest import recorder, recorder_database  # noqa: F401

CHROMIUM = "/usr/bin/chromium"
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
]
AXE = (Path(__file__).parent / "vendor" / "axe.min.js").read_text(encoding="utf-8")
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
PASSWORD = "una-frase-larga-y-propia"


@pytest.fixture(scope="session")
def chromium():
    from playwright.sync_api import sync_playwright

    # Playwright runs an event loop in this thread; the tests ask the database from the same one, in turn.
    before = os.environ.get("DJANGO_ALLOW_ASYNC_UNSAFE")
    os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "1"
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield browser
        browser.close()
    if before is None:
        del os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"]


@pytest.fixture
def open_browser(chromium, live_server, settings):
    """Call it for a page of a fresh browser: `open_browser(language="es", width=1280, script=True)`."""
    settings.PUBLIC_URL = live_server.url
    # Half a second less for every person who signs in.
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
    contexts = []

    def make(*, language: str = "es", width: int = 1280, dark: bool = False, script: bool = True):
        context = chromium.new_context(
            base_url=live_server.url,
            locale=language,
            viewport={"width": width, "height": 900},
            color_scheme="dark" if dark else "light",
            java_script_enabled=script,
        )
        contexts.append(context)
        context.set_default_timeout(10_000)
        page = context.new_page()
        page.faults = []
        # What the Content-Security-Policy refuses, and every error of a script, is told on the console.
        page.on("console", lambda told: page.faults.append(told.text) if _is_fault(told) else None)
        page.on("pageerror", lambda error: page.faults.append(str(error)))
        return page

    yield make
    for context in contexts:
        context.close()


def _is_fault(told) -> bool:
    # A form with errors is answered with 422, which the console mentions although nothing is wrong.
    return told.type == "error" and "status of 4" not in told.text


@pytest.fixture
def sign_in():
    """Sign a person in as the pages ask: password, then the code of an authenticator app."""

    def go(page, user):
        user.set_password(PASSWORD)
        user.save()
        if not Authenticator.objects.filter(user=user, type="totp").exists():
            TOTP.activate(user, generate_totp_secret())
        page.goto("/accounts/login/")
        page.get_by_label("Correo electrónico").or_(page.get_by_label("Email")).fill(user.email)
        page.locator("input[type=password]").fill(PASSWORD)
        page.keyboard.press("Enter")
        page.wait_for_url("**/accounts/2fa/authenticate/")
        page.locator("input[name=code]").fill(code_of(user))
        page.keyboard.press("Enter")
        page.wait_for_url("**/staff/")

    return go


def code_of(user) -> str:
    if (left := 30 - time.time() % 30) < 2:
        time.sleep(left)
    secret = decrypt(Authenticator.objects.get(user=user, type="totp").data["secret"])
    return format_hotp_value(hotp_value(secret, int(time.time()) // 30))


@pytest.fixture
def look():
    """Look at a page as it is: no axe violation, no overflow, nothing refused by the policy.

    `rules` are axe's tags, or the names of single rules. With PICTURES=FOLDER a picture of each page is kept there.
    """
    pictures = Path(os.environ["PICTURES"]) if os.environ.get("PICTURES") else None

    def at(page, name: str, *, rules: list[str] = RULES):
        if pictures:
            pictures.mkdir(parents=True, exist_ok=True)
            page.screenshot(path=pictures / f"{name}.png", full_page=True)
        page.evaluate(AXE)
        found = page.evaluate(
            "async (tags) => (await axe.run({runOnly: tags})).violations.map("
            "v => v.id + ': ' + v.nodes.map(n => n.html + ' ' + n.failureSummary).join(' | '))",
            rules,
        )
        assert found == [], f"{name}: {found}"
        wide = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
        assert wide <= 0, f"{name} is {wide} px wider than its window"
        assert page.faults == [], f"{name}: {page.faults}"

    return at
