"""The public pages in a real browser, made from facts by hand: axe, small screens, dark, keyboard, weight, paper."""

import functools
import http.server
import threading
from contextlib import contextmanager

import pytest
from django.conf import settings
from django.contrib.staticfiles import finders
from django.template.loader import render_to_string
from django.utils import translation

from certificates.tests import sample_pages
from registry_site import catalogues

pytestmark = [pytest.mark.chromium, pytest.mark.slow]
# Seen first by whoever scans the code on a paper.
CERTIFICATE = "certificate-active-suspended-before"
LOOKED_AT = [
    (CERTIFICATE, "es", 1280, False),
    (CERTIFICATE, "en", 320, True),
    ("certificate-do-not-rely", "es", 320, False),
    ("certificate-threshold", "es", 1280, False),
    ("certificate-threshold", "en", 320, True),
    ("compare-done", "es", 1280, False),
    ("compare-done", "en", 320, True),
    ("compare-differs", "es", 320, False),
    ("compare-choose", "es", 1280, True),
    ("home", "es", 320, True),
    ("list", "es", 1280, True),
    ("notice", "en", 1280, False),
    ("set-leaked", "es", 1280, False),
    ("set-published", "en", 320, True),
    ("statuses", "es", 320, False),
]


class Quiet(http.server.SimpleHTTPRequestHandler):
    """Serves the rendered pages under the registry's own policy, and the style sheets from the source."""

    def translate_path(self, path: str) -> str:
        if path.startswith(settings.STATIC_URL):
            return finders.find(path.removeprefix(settings.STATIC_URL)) or "/nowhere"
        return super().translate_path(path)

    def end_headers(self) -> None:
        directives = settings.CONTENT_SECURITY_POLICY["DIRECTIVES"]
        told = "; ".join(f"{name} {' '.join(values)}" for name, values in directives.items())
        self.send_header("Content-Security-Policy", told)
        super().end_headers()

    def log_message(self, *_) -> None:
        """Nobody reads it."""


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    catalogues.compile_catalogues()
    folder = tmp_path_factory.mktemp("pages")
    for name, (template, page) in sample_pages.every_page().items():
        for language in ("es", "en"):
            with translation.override(language):
                html = render_to_string(template, {"page": page})
            (folder / f"{language}-{name}.html").write_text(html, encoding="utf-8")
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=folder))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


@pytest.fixture
def visit(chromium, address):
    @contextmanager
    def opened(name: str, language: str = "es", width: int = 1280, dark: bool = False, **more):
        context = chromium.new_context(
            viewport={"width": width, "height": 900},
            color_scheme="dark" if dark else "light",
            reduced_motion="reduce",
            **more,
        )
        page = context.new_page()
        page.faults = []
        page.on("console", lambda told: page.faults.append(told.text) if told.type == "error" else None)
        page.asked = []
        page.on("request", lambda request: page.asked.append(request.url))
        page.goto(f"{address}/{language}-{name}.html")
        yield page
        context.close()

    return opened


@pytest.mark.parametrize(("name", "language", "width", "dark"), LOOKED_AT)
def test_nothing_is_in_anybodys_way(visit, look, name, language, width, dark):
    with visit(name, language, width, dark) as page:
        look(page, f"public-{language}-{name}-{width}{'-dark' if dark else ''}")


def test_every_page_fits_a_small_screen_and_a_thumb(visit, address):
    small = """() => [...document.querySelectorAll('a, button, input, select, summary')]
        .filter(e => e.offsetParent && !e.closest('p, dd, td, figcaption, li:not(.onpage li)'))
        .filter(e => e.getBoundingClientRect().height < 24).map(e => e.outerHTML)"""
    with visit("home", width=320) as page:
        for name in sample_pages.every_page():
            page.goto(f"{address}/es-{name}.html")
            wide = page.evaluate("document.documentElement.scrollWidth")
            assert wide <= 320, f"{name} is {wide} px wide"
            assert page.evaluate(small) == [], name


def test_nothing_is_asked_of_anybody_else(visit, address):
    with visit(CERTIFICATE) as page:
        assert page.asked
        assert all(url.startswith(address) for url in page.asked)
        assert page.faults == []


def test_without_script_everything_is_there_but_the_copy_button(visit):
    with visit(CERTIFICATE, java_script_enabled=False) as page:
        assert page.locator("button[data-copy]").count() == 1
        assert not page.locator("button[data-copy]").is_visible()
        assert page.locator("#evidence-sha256").inner_text().replace("\n", "") == sample_pages.HASH
        assert page.locator("#history .ev").count() == 4


def test_the_first_key_leads_past_the_head_and_the_focus_is_seen(visit):
    with visit(CERTIFICATE) as page:
        page.keyboard.press("Tab")
        focused = page.locator(":focus")

        assert focused.inner_text() == "Ir al contenido"
        assert focused.evaluate("e => getComputedStyle(e).outlineStyle") != "none"


def test_forced_colours_keep_shapes_and_words(visit):
    with visit("certificate-revoked", forced_colors="active") as page:
        shape = page.locator("#status .sh").first
        ink = page.locator("#status h1").evaluate("e => getComputedStyle(e).color")

        assert shape.is_visible()
        assert shape.evaluate("e => getComputedStyle(e).color") == ink


def test_paper_shows_the_code_and_spells_out_no_navigation(visit):
    with visit(CERTIFICATE) as page:
        page.emulate_media(media="print")

        assert page.locator(".head .qr").is_visible()
        assert not page.locator(".mast nav").is_visible()
        assert not page.locator(".onpage").is_visible()
        noted = page.evaluate("document.documentElement.dataset.paper")
        assert sample_pages.NUMBER in noted
        assert "al 11\u00a0de\u00a0septiembre de\u00a02026, 09:14 (hora de Chile, UTC−3)" in noted
