"""The API's reference page in a real browser, without script and on a small screen."""

import pytest

pytestmark = [pytest.mark.chromium, pytest.mark.slow, pytest.mark.django_db(transaction=True)]


@pytest.mark.parametrize(("language", "width"), [("es", 320), ("en", 1280)])
def test_nothing_is_in_anybodys_way(open_browser, look, live_server, language, width):
    page = open_browser(language=language, width=width, script=width > 320)
    asked = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto("/api/v1/docs/")
    assert page.locator("html").get_attribute("lang") == language
    assert page.locator("article").count() > 30
    if width == 320:
        wide = page.locator("html").evaluate("e => e.scrollWidth")
        assert wide <= 320
    else:
        look(page, f"api-reference-{language}-{width}")
    assert all(url.startswith(live_server.url) for url in asked)
