"""A person of a holder appeals, withdraws and changes the contact in a real browser; each page is looked at."""

import re

import pytest

from certificates import policies
from certificates.models import Appeal, AppealStanding
from certificates.tests import registry
from certificates.tests.reporting import with_holder
from evidence import memberships
from evidence.models import ContactChange
from registry_site import clock

pytestmark = [pytest.mark.chromium, pytest.mark.django_db(transaction=True)]

PASSWORD = "una clave bien larga"


def come_in(page, user) -> None:
    """By password alone: a holder's account need not have a second factor."""
    page.goto("/accounts/login/")
    page.get_by_label("Correo electrónico").or_(page.get_by_label("Email")).fill(user.email)
    page.locator("input[type=password]").fill(PASSWORD)
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile(r"/holder/\d+/$"))


def test_a_holders_person_uses_the_area(transactional_db, live_server, open_browser, look):
    who = registry.people()
    certificate = registry.issued(who)
    suspension = registry.suspend(certificate, by=who.certifier)
    holder = policies.holder_of(suspension.notice)
    paula = registry.person("Paula Peumo")
    paula.set_password(PASSWORD)
    paula.save()
    memberships.link(holder, user=paula, by=who.registrar.person, at=clock.now())

    complaint = with_holder(certificate, who.second_certifier)

    page, phone = open_browser(), open_browser(width=320, dark=True)
    come_in(page, paula)
    look(page, "holder-home")
    come_in(phone, paula)
    look(phone, "holder-home-320-dark")
    for name in ("packages", "decisions", "complaints", f"complaints/{complaint.number}/reply", "contact"):
        for one, suffix in ((page, ""), (phone, "-320-dark")):
            one.goto(f"/holder/{holder.pk}/{name}/")
            look(one, f"holder-{name.rpartition('/')[2]}{suffix}")
    phone.goto(f"/holder/{holder.pk}/packages/{certificate.measurement.package_id}/")
    look(phone, "holder-package-320-dark")

    page.goto(f"/holder/{holder.pk}/decisions/")
    page.get_by_role("link", name=re.compile("Apelar esta decisión")).click()
    page.locator("#id_grounds").fill("El texto se retiró el mismo día.")
    look(page, "holder-appeal-form")
    page.get_by_role("button", name="Presentar la apelación").click()
    page.wait_for_url(re.compile(r"/appeals/AP-"))
    look(page, "holder-appeal")
    assert Appeal.objects.get().notice == suspension.notice
    page.get_by_role("link", name="Desistir de la apelación").click()
    look(page, "holder-withdraw")
    page.get_by_role("button", name="Desistir de la apelación").click()
    page.wait_for_url(re.compile(r"/appeals/AP-[^/]+/$"))
    assert AppealStanding.objects.get().state == "withdrawn"

    phone.goto(f"/holder/{holder.pk}/contact/")
    phone.locator("#id_email").fill("nuevo@peumo.example")
    phone.get_by_role("button", name="Pedir el cambio").click()
    phone.get_by_text("nuevo@peumo.example").first.wait_for()
    look(phone, "holder-contact-waiting-320-dark")
    assert ContactChange.objects.get().new_email == "nuevo@peumo.example"
