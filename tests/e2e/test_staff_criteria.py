"""A certifier reads in a real browser why a measurement cannot be certified under a contract's criteria."""

import pytest

from certificates.demo import seeding
from certificates.tests import registry
from certificates.tests.test_groups_page import INSUFFICIENT, measurement_of
from grading import publication
from registry_site import clock

pytestmark = [
    pytest.mark.chromium,
    pytest.mark.slow,
    pytest.mark.django_db(transaction=True),
    pytest.mark.usefixtures("evidence_folder"),
]


@pytest.mark.parametrize(("language", "width", "dark"), [("es", 1280, False), ("en", 320, True)])
def test_why_nothing_can_be_issued(open_browser, sign_in, look, language, width, dark):
    who = registry.people()
    who.certifier.language = language
    who.certifier.save()
    publication.publish(seeding.CONTRACT.read_bytes(), at=clock.now())
    measurement = measurement_of(INSUFFICIENT, who)
    page = open_browser(language=language, width=width, dark=dark)
    sign_in(page, who.certifier)
    page.goto(f"/staff/measurements/{measurement.pk}/")
    assert page.locator(f"a[href='/staff/measurements/{measurement.pk}/issue/']").count() == 0
    page.locator("a[href='#criteria']").first.click()
    words = {"es": "evidencia insuficiente", "en": "insufficient evidence"}
    assert words[language] in page.locator("#criteria").inner_text()
    page.locator("details summary").first.click()
    look(page, f"staff-criteria-{width}{'-dark' if dark else ''}")
