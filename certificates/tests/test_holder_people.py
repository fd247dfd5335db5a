"""What a registrar does for a holder, and that a person of the holder has no staff right on it, whatever the door."""

import re

import pytest
from django.test import Client

from certificates import letters, policies
from certificates.models import Certificate, StatusEvent
from certificates.refusals import RuleOfImpartiality
from certificates.tests import registry
from certificates.tests.appealing import filed
from certificates.tests.desks import at_desk, holding
from evidence import contacts, memberships
from evidence.models import ContactChange, HolderMember
from registry_site import clock, invitations, outbox
from registry_site.models import AuditEntry, Invitation, Outbox
from registry_site.roles import Role

pytestmark = pytest.mark.django_db


@pytest.fixture
def holder(who):
    return registry.holder()


@pytest.fixture
def paula(who):
    return registry.person("Paula Peumo")


def link(holder, user, who) -> HolderMember:
    return memberships.link(holder, user=user, by=who.registrar.person, at=clock.now())


# ── the registrar's pages ────────────────────────────────────────────────────


def test_a_registrar_links_an_account_and_ends_the_link(who, holder, paula):
    desk, page = at_desk(who.registrar), f"/staff/holders/{holder.pk}/"
    assert f"{page}link/" in desk.get(page).content.decode()
    assert AuditEntry.objects.filter(action="holder.people_seen", person=who.registrar.person).exists()
    for _ in range(2):  # a second press says that it stands
        assert desk.post(f"{page}link/", {"email": paula.email.upper()})["Location"] == page
    member = HolderMember.objects.get()
    assert (member.person, member.linked_by) == (paula.person, who.registrar.person)
    assert paula.email in desk.get(page).content.decode()
    ending = f"{page}members/{member.pk}/end/"
    assert "Paula Peumo" in desk.get(ending).content.decode()
    member.refresh_from_db()
    assert member.ended_at is None  # looking ends nothing
    for _ in range(2):
        assert desk.post(ending)["Location"] == page
    member.refresh_from_db()
    assert member.ended_by == who.registrar.person


def test_an_address_without_an_account_is_told_at_its_field(who, holder):
    answer = at_desk(who.registrar).post(
        f"/staff/holders/{holder.pk}/link/", {"email": "nadie@peumo.example"}
    )
    assert answer.status_code == 422
    page = answer.content.decode()
    assert 'href="#id_email"' in page
    assert "nadie@peumo.example" in page


def test_nobody_else_sees_or_links_the_people_of_a_holder(who, holder, paula):
    member = link(holder, paula, who)
    for user in (who.certifier, who.evaluator, who.appeals_officer):
        desk = at_desk(user)
        assert paula.email not in desk.get(f"/staff/holders/{holder.pk}/").content.decode()
        for address in ("link/", f"members/{member.pk}/end/", "contact/"):
            assert desk.get(f"/staff/holders/{holder.pk}/{address}").status_code == 403
            assert (
                desk.post(f"/staff/holders/{holder.pk}/{address}", {"email": "x@x.example"}).status_code
                == 403
            )
    other = registry.holder("Otra SpA")
    assert (
        at_desk(who.registrar).post(f"/staff/holders/{other.pk}/members/{member.pk}/end/").status_code == 404
    )


def test_a_registrar_enters_another_contact_on_the_holders_behalf(who, holder):
    desk, page = at_desk(who.registrar), f"/staff/holders/{holder.pk}/"
    written = {"email": "nuevo@peumo.example", "language": "en"}
    for _ in range(2):
        assert desk.post(f"{page}contact/", written)["Location"] == page
    change = ContactChange.objects.get()
    assert change.on_behalf
    assert "nuevo@peumo.example" in desk.get(page).content.decode()
    holder.refresh_from_db()
    assert holder.contact_email != "nuevo@peumo.example"
    answer = desk.post(f"{page}contact/", written | {"email": "otro@peumo.example"})
    assert answer.status_code == 422
    for _ in range(2):
        assert desk.post(f"{page}contact/cancel/")["Location"] == page
    change.refresh_from_db()
    assert change.cancelled_by == who.registrar.person


def letter_of(kind: str, recipient: str) -> str:
    row = Outbox.objects.get(kind=kind, recipient=recipient)
    return outbox.message(row, letters.compose).body


@pytest.mark.parametrize("again", [False, True])
def test_a_person_without_an_account_is_invited_and_linked_when_it_is_open(who, holder, again):
    desk, page = at_desk(who.registrar), f"/staff/holders/{holder.pk}/"
    written = {"name": "Pedro Peumo", "email": "pedro@peumo.example", "language": "es"}
    assert desk.post(f"{page}invite/", written)["Location"] == page
    assert desk.post(f"{page}invite/", written).status_code == 422  # a second press: it is open already
    assert "pedro@peumo.example" in desk.get(page).content.decode()
    invitation = Invitation.objects.get()
    if again:
        invitations.renew(invitation, by=who.registrar.person, at=clock.now())
    assert memberships.take_up_accepted(at=clock.now()) == 0
    row = Outbox.objects.filter(kind="invitation.made").last()
    invited = Client()
    invited.get(re.search(r"http://testserver(/accounts/\S+)", outbox.message(row, letters.compose).body)[1])
    answer = invited.post(
        "/accounts/invitation/", {"password": "una clave bien larga", "again": "una clave bien larga"}
    )
    assert answer.status_code == 302, answer.content.decode()
    member = HolderMember.objects.get()
    assert (member.holder, member.person.name) == (holder, "Pedro Peumo")
    assert member.linked_by == who.registrar.person
    assert memberships.take_up_accepted(at=clock.now()) == 0


def test_who_was_invited_for_a_role_later_is_not_linked_by_an_old_invitation(who, holder):
    waiting = memberships.invite(
        holder,
        name="Pedro Peumo",
        email="pedro@peumo.example",
        language="es",
        by=who.registrar.person,
        at=clock.now(),
    )
    invitations.cancel(waiting.invitation, by=who.registrar.person, at=clock.now())
    other = invitations.invite(
        name="Pedro Peumo",
        email="pedro@peumo.example",
        language="es",
        by=who.registrar.person,
        at=clock.now(),
        roles=[Role.CERTIFIER],
    )
    invitations.accept(other, password="una clave bien larga", language="es", at=clock.now())
    assert memberships.take_up_accepted(at=clock.now()) == 0
    assert not HolderMember.objects.exists()


# ── the old address ──────────────────────────────────────────────────────────


@pytest.fixture
def change(who, holder):
    return contacts.ask(
        holder, by=who.registrar.person, at=clock.now(), email="nuevo@peumo.example", language="en"
    )


def link_in(body: str) -> str:
    return re.search(r"http://testserver(/es/contact/link/[^/\s]+/)", body)[1]


def test_the_old_address_cancels_a_change_by_its_letter(who, holder, change):
    address = link_in(letter_of("contact.change_asked", holder.contact_email))
    reader = Client()
    for _ in range(2):  # programs look at mail before people do
        assert reader.get(address)["Location"] == "/es/contact/cancel/"
        assert Client().head(address).status_code == 302
    page = reader.get("/es/contact/cancel/")
    assert "nuevo@peumo.example" in page.content.decode()
    assert "no-store" in page["Cache-Control"]
    change.refresh_from_db()
    assert change.cancelled_at is None
    assert Client().post(address).status_code == 405
    for _ in range(2):  # the back button, or a second press
        assert reader.post("/es/contact/cancel/")["Location"] == "/es/contact/cancel/"
    change.refresh_from_db()
    assert (change.cancelled_at is not None, change.cancelled_by) == (True, None)
    assert "El cambio quedó cancelado" in reader.get("/es/contact/cancel/").content.decode()
    assert "The change is cancelled" in reader.get("/en/contact/cancel/").content.decode()
    assert Client().get(address).status_code == 410


def test_without_the_letter_nothing_is_shown_or_cancelled(who, holder, change):
    assert Client().get("/es/contact/cancel/").status_code == 410
    assert Client().post("/es/contact/cancel/").status_code == 410
    assert Client().get("/es/contact/link/" + "x" * 43 + "/").status_code == 404
    change.refresh_from_db()
    assert change.cancelled_at is None


# ── rule 3 ───────────────────────────────────────────────────────────────────


def test_a_certifier_of_the_holder_decides_nothing_on_it(who):
    certificate = registry.issued(who)
    measured = registry.measurement(
        registry.version(certificate.system_version.system.holder, pinned="4.3"), by=who.evaluator
    )
    member = link(certificate.system_version.system.holder, who.second_certifier, who)
    events = StatusEvent.objects.count()
    for refused in (
        policies.refusal_to_decide(who.second_certifier, certificate, at=clock.now()),
        policies.refusal_to_issue(who.second_certifier, measured, at=clock.now()),
        policies.refusal_to_refuse(who.second_certifier, measured, at=clock.now()),
        policies.refusal_to_store_request(who.second_certifier, certificate, at=clock.now()),
    ):
        assert (refused.code, refused.extra["rule"]) == ("person_of_the_holder", 3)

    with pytest.raises(RuleOfImpartiality):
        registry.suspend(certificate, by=who.second_certifier)

    desk = at_desk(who.second_certifier)
    page = desk.get(f"/staff/certificates/{certificate.number}/").content.decode()
    assert "(regla 3)" in page
    assert f"/staff/certificates/{certificate.number}/suspend/" not in page
    assert "(regla 3)" in desk.get(f"/staff/measurements/{measured.pk}/issue/").content.decode()
    answer = desk.post(
        f"/staff/certificates/{certificate.number}/reinstate/",
        {"statement_es": "x", "statement_en": "x", "if_sequence": 1, "action": "sign", "seal": "x"},
    )
    assert answer.status_code in {403, 409}

    token = holding(who.second_certifier, Role.CERTIFIER)
    answer = token.post(
        f"/api/v1/certificates/{certificate.number}/suspend/",
        {
            "reason": "misuse_of_certificate",
            "statement": {"es": "Se suspende.", "en": "It is suspended."},
            "conditions": [{"es": "Retirarlo.", "en": "Remove it."}],
            "review_on": "2027-01-15",
            "if_sequence": 1,
        },
        content_type="application/json",
    )
    assert (answer.status_code, answer.json()["code"]) == (403, "person_of_the_holder")

    memberships.end(member, by=who.registrar.person, at=clock.now())
    still = policies.refusal_to_decide(who.second_certifier, certificate, at=clock.now())
    assert still.code == "person_of_the_holder"
    assert StatusEvent.objects.count() == events
    assert Certificate.objects.count() == 1


def test_an_appeals_officer_of_the_holder_decides_none_of_its_appeals(who):
    taken = registry.suspend(registry.issued(who), by=who.certifier)
    appeal = filed(taken.notice)
    link(taken.certificate.system_version.system.holder, who.appeals_officer, who)
    refused = policies.refusal_to_decide_appeal(who.appeals_officer, appeal, at=clock.now())
    assert refused.code == "person_of_the_holder"
    page = at_desk(who.appeals_officer).get(f"/staff/appeals/{appeal.number}/").content.decode()
    assert "(regla 3)" in page
    assert "paula@peumo.example" not in page


def test_a_link_to_another_holder_does_not_count(who, holder):
    link(holder, who.second_certifier, who)
    certificate = registry.issued(who)
    assert policies.refusal_to_decide(who.second_certifier, certificate, at=clock.now()) is None


# ── letters ──────────────────────────────────────────────────────────────────


def test_every_letter_about_people_and_contact_is_written_in_both_languages(who, holder, paula):
    memberships.end(link(holder, paula, who), by=who.registrar.person, at=clock.now())
    link(holder, paula, who)
    change = contacts.ask(holder, by=paula.person, at=clock.now(), email="nuevo@peumo.example", language="es")
    asked = {row.pk: row for row in Outbox.objects.filter(kind="contact.change_asked")}
    links = [
        row.recipient
        for row in asked.values()
        if "/es/contact/link/" in outbox.message(row, letters.compose).body
    ]
    assert links == [holder.contact_email]  # nobody but the old address can cancel by a link
    contacts.cancel(change, by=paula.person, at=clock.now())
    rows = Outbox.objects.exclude(kind__startswith="certificate.")
    assert {row.kind for row in rows} == {
        "holder.member_linked",
        "holder.member_ended",
        "contact.change_asked",
        "contact.change_cancelled",
    }
    for row in rows:
        for language in ("es", "en"):
            row.language = language
            letter = outbox.message(row, letters.compose)
            html = letter.alternatives[0][0]
            assert "{" not in letter.subject + letter.body
            assert "Peumo" not in letter.subject
            assert html.count("<a ") == 1
            assert f'lang="{language}"' in html
