"""The holder's area: what its own people see, appeal, withdraw and change; and that nobody else sees anything."""

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from certificates import lifecycle, policies
from certificates.models import Appeal, AppealStanding
from certificates.tests import registry
from certificates.tests.appealing import GROUNDS, filed
from certificates.tests.desks import at_desk, by_password
from evidence import memberships
from evidence.models import ContactChange, EvidencePackage
from registry_site import clock
from registry_site.models import AuditEntry

pytestmark = pytest.mark.django_db
WRITTEN = {"grounds": GROUNDS, "name": "Paula Peumo", "email": "paula@peumo.example"}


@pytest.fixture
def suspension(who):
    return registry.suspend(registry.issued(who), by=who.certifier)


@pytest.fixture
def holder(suspension):
    return policies.holder_of(suspension.notice)


@pytest.fixture
def paula(who, holder):
    user = registry.person("Paula Peumo")
    link(holder, user, who)
    return user


@pytest.fixture
def browser(paula):
    return by_password(paula)


def link(holder, user, who):
    return memberships.link(holder, user=user, by=who.registrar.person, at=clock.now())


def text(answer) -> str:
    assert answer.status_code == 200, answer.content.decode()
    return answer.content.decode()


# ── who comes in ─────────────────────────────────────────────────────────────


def test_signing_in_leads_to_the_holders_page(holder, browser):
    assert browser.get("/staff/")["Location"] == "/holder/"
    answer = browser.get("/holder/")
    assert answer["Location"] == f"/holder/{holder.pk}/"
    page = browser.get(answer["Location"])
    assert holder.name in text(page)
    assert "no-store" in page["Cache-Control"]
    assert browser.get("/staff/packages/").status_code == 403


def test_of_several_holders_one_is_chosen_and_of_none_it_is_said(who, holder, paula, browser):
    other = registry.holder("Quillay SpA")
    link(other, paula, who)
    page = text(browser.get("/holder/"))
    assert f"/holder/{holder.pk}/" in page
    assert f"/holder/{other.pk}/" in page
    assert "no está vinculada" in text(by_password(registry.person("Sara Sola")).get("/holder/"))


def test_another_holders_pages_are_not_there(who, suspension, holder, browser):
    other = registry.suspend(registry.issued(who), by=who.certifier)
    appeal = filed(other.notice)
    foreign = policies.holder_of(other.notice)
    package = other.certificate.measurement.package
    for address in (
        f"/holder/{foreign.pk}/",
        f"/holder/{foreign.pk}/packages/",
        f"/holder/{foreign.pk}/decisions/",
        f"/holder/{foreign.pk}/contact/",
        f"/holder/{holder.pk}/packages/{package.pk}/",
        f"/holder/{holder.pk}/decisions/{other.notice.number}/appeal/",
        f"/holder/{holder.pk}/appeals/{appeal.number}/",
        f"/holder/{holder.pk}/appeals/{appeal.number}/withdraw/",
        f"/holder/{foreign.pk}/appeals/{appeal.number}/withdraw/",
        "/holder/999999/",
    ):
        assert browser.get(address).status_code == 404, address
    for address, written in (
        (f"/holder/{holder.pk}/decisions/{other.notice.number}/appeal/", WRITTEN),
        (f"/holder/{holder.pk}/appeals/{appeal.number}/withdraw/", {}),
        (f"/holder/{foreign.pk}/contact/", {"email": "x@x.example", "language": "es"}),
        (f"/holder/{foreign.pk}/contact/cancel/", {}),
    ):
        assert browser.post(address, written).status_code == 404, address
    assert Appeal.objects.get() == appeal
    assert not ContactChange.objects.exists()


def test_strangers_sign_in_and_whoever_left_sees_nothing_any_more(who, holder, paula, browser):
    answer = Client().get(f"/holder/{holder.pk}/")
    assert (answer.status_code, answer["Location"]) == (302, f"/accounts/login/?next=/holder/{holder.pk}/")
    assert by_password(who.certifier).get(f"/holder/{holder.pk}/").status_code == 404
    memberships.end(memberships.living(paula.person).get(), by=who.registrar.person, at=clock.now())
    for address in ("", "packages/", "decisions/", "contact/"):
        assert browser.get(f"/holder/{holder.pk}/{address}").status_code == 404
    assert browser.get("/staff/").status_code == 403


def test_whoever_has_a_second_factor_gives_it_here_too(who, holder, paula):
    at_desk(paula)
    answer = by_password(paula).get(f"/holder/{holder.pk}/")
    assert answer["Location"].startswith("/accounts/2fa/reauthenticate/")
    assert at_desk(paula).get(f"/holder/{holder.pk}/").status_code == 200


# ── what is seen ─────────────────────────────────────────────────────────────


def test_what_is_due_stands_first(who, suspension, holder, paula, django_assert_max_num_queries):
    browser = by_password(paula)
    with django_assert_max_num_queries(22):
        page = text(browser.get(f"/holder/{holder.pk}/"))
    assert f"/holder/{holder.pk}/decisions/{suspension.notice.number}/appeal/" in page
    assert registry.CONDITIONS[0].es in page
    assert "No vigente" in page
    filed(suspension.notice)
    page = text(by_password(paula, language="en").get(f"/holder/{holder.pk}/"))
    assert f"{suspension.notice.number}/appeal/" not in page
    assert "Not in force" in page


def test_a_holder_without_anything_reads_that(who):
    empty = registry.holder("Vacío SpA")
    user = registry.person("Vera Vacía")
    link(empty, user, who)
    browser = by_password(user)
    assert "Nada espera" in text(browser.get(f"/holder/{empty.pk}/"))
    assert "aún no tiene certificados" in text(browser.get(f"/holder/{empty.pk}/"))
    assert "Ningún paquete" in text(browser.get(f"/holder/{empty.pk}/packages/"))
    assert "Aún no se ha decidido nada" in text(browser.get(f"/holder/{empty.pk}/decisions/"))


def handed_in(by, sha256, **more) -> EvidencePackage:
    """A package that was rejected."""
    now = clock.now()
    facts = {
        "submitter": by,
        "sha256": sha256 * 32,
        "size": 1,
        "state": "rejected",
        "created_at": now,
        "received_at": now,
        "finished_at": now,
    }
    return EvidencePackage.objects.create(**(facts | more))


def test_packages_of_its_systems_with_findings_and_how_to_mend_them(who, holder, suspension, browser):
    package = handed_in(
        who.evaluator, "ab", filename="<b>peumo</b>.zip", system_version=suspension.certificate.system_version
    )
    finding = {
        "code": "DIGEST_MISMATCH",
        "member": "data/items.jsonl",
        "key": None,
        "expected": "aa",
        "found": "bb",
    }
    registry.verification(package, findings=[finding])
    page = text(browser.get(f"/holder/{holder.pk}/packages/"))
    assert f"/holder/{holder.pk}/packages/{package.pk}/" in page
    assert "&lt;b&gt;peumo" in page
    page = text(browser.get(f"/holder/{holder.pk}/packages/{package.pk}/"))
    for told in ("data/items.jsonl", "<dd>aa</dd>", "<dd>bb</dd>"):
        assert told in page
    assert "Elena" not in page  # who of the staff handed it in is not the holder's matter


def test_what_its_own_people_handed_in_and_was_rejected_is_seen_too(who, holder, paula):
    rejected, of_another = handed_in(paula, "ab"), handed_in(who.evaluator, "cd")
    browser = by_password(paula)
    assert browser.get(f"/holder/{holder.pk}/packages/{rejected.pk}/").status_code == 200
    assert browser.get(f"/holder/{holder.pk}/packages/{of_another.pk}/").status_code == 404


def test_refusals_are_among_the_decisions(who, holder, browser):
    refusal = lifecycle.refuse_issue(
        registry.measurement(registry.version(holder, name="Peumo Otro"), by=who.evaluator),
        by=who.certifier,
        at=clock.now(),
        reason="criteria_not_met",
        statement=registry.STATEMENT,
    )
    page = text(browser.get(f"/holder/{holder.pk}/decisions/"))
    assert f"/holder/{holder.pk}/decisions/{refusal.number}/appeal/" in page
    answer = browser.post(f"/holder/{holder.pk}/decisions/{refusal.number}/appeal/", WRITTEN)
    assert answer["Location"] == f"/holder/{holder.pk}/appeals/{Appeal.objects.get().number}/"


# ── appealing ────────────────────────────────────────────────────────────────


def test_an_appeal_is_filed_from_the_account_and_shown_on_a_private_page(suspension, holder, paula, browser):
    form = f"/holder/{holder.pk}/decisions/{suspension.notice.number}/appeal/"
    page = text(browser.get(form))
    assert 'value="Paula Peumo"' in page
    assert paula.email in page
    answer = browser.post(form, WRITTEN | {"attachments": SimpleUploadedFile("nota.txt", b"hola")})
    appeal = Appeal.objects.get()
    own = f"/holder/{holder.pk}/appeals/{appeal.number}/"
    assert answer["Location"] == own
    page = text(browser.get(own))
    assert GROUNDS in page
    assert "nota.txt" in page
    assert appeal.number in text(browser.get(f"/holder/{holder.pk}/decisions/"))
    # The back button and a second press: what was recorded is shown, nothing is recorded again.
    for answer in (browser.get(form), browser.post(form, WRITTEN)):
        assert answer["Location"] == own
    assert Appeal.objects.count() == 1
    public = text(Client().get(f"/es/c/{suspension.certificate.number}/"))
    assert "Presentada por el titular" in public
    assert "Paula" not in public


def test_what_was_typed_stays_when_it_is_refused(suspension, holder, browser):
    form = f"/holder/{holder.pk}/decisions/{suspension.notice.number}/appeal/"
    answer = browser.post(form, WRITTEN | {"attachments": SimpleUploadedFile("a.exe", b"MZ\x00\x01")})
    assert answer.status_code == 422
    assert GROUNDS in answer.content.decode()
    assert 'href="#id_attachments"' in answer.content.decode()
    assert browser.post(form, WRITTEN | {"grounds": ""}).status_code == 422
    huge = browser.post(form, {"grounds": "x"}, CONTENT_LENGTH=str(10**9))
    assert huge.status_code == 413
    assert not Appeal.objects.exists()


def test_a_form_that_another_site_posts_is_refused(suspension, holder, paula):
    strict = Client(enforce_csrf_checks=True)
    strict.force_login(paula)
    form = f"/holder/{holder.pk}/decisions/{suspension.notice.number}/appeal/"
    assert strict.post(form, WRITTEN).status_code == 403
    assert not Appeal.objects.exists()


def test_withdrawing_asks_once_more(suspension, holder, paula, browser):
    appeal = filed(suspension.notice)
    own = f"/holder/{holder.pk}/appeals/{appeal.number}/"
    assert "no se puede apelar de nuevo" in text(browser.get(f"{own}withdraw/"))
    assert AppealStanding.objects.get().state == "filed"
    for _ in range(2):  # the back button, or a second press
        assert browser.post(f"{own}withdraw/")["Location"] == own
    assert AppealStanding.objects.get().state == "withdrawn"
    assert browser.get(f"{own}withdraw/")["Location"] == own
    assert AuditEntry.objects.filter(action="appeal.withdrawn", person=paula.person).count() == 1
    page = text(browser.get(own))
    assert "desistida" in page
    assert "withdraw/" not in page


# ── contact ──────────────────────────────────────────────────────────────────


def test_a_change_of_contact_is_asked_for_and_cancelled(holder, paula, browser):
    address = f"/holder/{holder.pk}/contact/"
    assert holder.contact_email in text(browser.get(address))
    written = {"email": "nuevo@peumo.example", "language": "en"}
    for _ in range(2):
        assert browser.post(address, written)["Location"] == address
    change = ContactChange.objects.get()
    assert (change.asked_by, change.on_behalf) == (paula.person, False)
    page = text(browser.get(address))
    assert "nuevo@peumo.example" in page
    assert holder.contact_email in page
    assert browser.post(address, written | {"email": "otro@peumo.example"}).status_code == 422
    for _ in range(2):
        assert browser.post(f"{address}cancel/")["Location"] == address
    change.refresh_from_db()
    assert change.cancelled_by == paula.person
    wrong = browser.post(address, {"email": "nadie", "language": "es"})
    assert wrong.status_code == 422
    assert 'value="nadie"' in wrong.content.decode()
