"""Who speaks for a holder, and how its address changes: by whom, after how long, and what the database holds."""

from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from django.db import IntegrityError, connection, transaction

from evidence import contacts, identities, memberships
from evidence.models import ContactChange, Holder, HolderMember
from evidence.tests.people import a_certifier, a_service, person_with
from registry_site import accounts, clock
from registry_site.models import AuditEntry, Outbox
from registry_site.problems import NotAllowed
from registry_site.roles import Role
from registry_site.signed_links import LinkRefused

pytestmark = pytest.mark.django_db


def a_holder(name: str = "Peumo SpA", **more) -> Holder:
    facts = {
        "name": name,
        "folded": name.casefold(),
        "identifier_kind": "domain",
        "identifier": f"{name.split()[0].lower()}.example",
        "country": "CL",
        "contact_email": "contacto@peumo.example",
        "confirmation": "confirmed",
        "created_at": clock.now(),
    }
    return Holder.objects.create(**(facts | more))


@pytest.fixture
def registrar():
    return person_with(Role.REGISTRAR, name="Rita Registradora")


@pytest.fixture
def paula():
    return person_with(name="Paula Peumo")


def linked(holder, user, registrar) -> HolderMember:
    return memberships.link(holder, user=user, by=registrar.person, at=clock.now())


def told(kind: str) -> set[str]:
    return set(Outbox.objects.filter(kind=kind).values_list("recipient", flat=True))


@pytest.fixture
def days_pass():
    """Lets rows be dated by hand until the end of the test."""
    with connection.cursor() as cursor:
        cursor.execute(
            "CREATE OR REPLACE FUNCTION registry_clock_may_move() RETURNS boolean LANGUAGE sql STABLE "
            "AS 'SELECT true'"
        )


# ── people ───────────────────────────────────────────────────────────────────


def test_a_registrar_links_an_account_and_both_sides_are_told(registrar, paula):
    holder = a_holder()
    linked(holder, paula, registrar)
    assert memberships.is_member(paula.person, holder)
    assert [one.holder for one in memberships.living(paula.person)] == [holder]
    assert told("holder.member_linked") == {paula.email, holder.contact_email}
    entry = AuditEntry.objects.get(action="holder.member_linked")
    assert (entry.person, entry.subject) == (registrar.person, f"holder:{holder.pk}")


def test_an_ended_link_opens_nothing_any_more_and_stays_recorded(registrar, paula):
    holder = a_holder()
    member = linked(holder, paula, registrar)
    for _ in range(2):  # a second press changes nothing
        memberships.end(member, by=registrar.person, at=clock.now())
    assert not memberships.is_member(paula.person, holder)
    assert AuditEntry.objects.filter(action="holder.member_ended").count() == 1
    member.refresh_from_db()
    assert member.ended_by == registrar.person
    again = linked(holder, paula, registrar)
    assert again != member


@pytest.mark.parametrize("role", [Role.CERTIFIER, Role.EVALUATOR, Role.APPEALS_OFFICER])
def test_nobody_but_a_registrar_links_or_ends(role, registrar, paula):
    holder = a_holder()
    someone = person_with(role, name="Otra Persona")
    with pytest.raises(NotAllowed) as refusal:
        linked(holder, paula, someone)
    assert refusal.value.code == "role_missing"
    member = linked(holder, paula, registrar)
    with pytest.raises(NotAllowed):
        memberships.end(member, by=someone.person, at=clock.now())


def test_who_cannot_be_linked(registrar, paula):
    holder = a_holder()
    for refused, code in [
        (lambda: linked(holder, registrar, registrar), "own_link"),
        (lambda: linked(holder, a_service(), registrar), "no_such_account"),
        (lambda: memberships.account("nadie@peumo.example"), "no_such_account"),
        (
            lambda: linked(a_holder("Nueva SpA", confirmation="proposed"), paula, registrar),
            "holder_is_proposed",
        ),
    ]:
        with pytest.raises(memberships.CannotLink) as refusal:
            refused()
        assert refusal.value.code == code
    linked(holder, paula, registrar)
    with pytest.raises(memberships.CannotLink) as refusal:
        linked(holder, paula, registrar)
    assert refusal.value.code == "linked_already"


def test_a_registrar_of_the_holder_links_nobody_to_it(registrar, paula):
    holder = a_holder()
    other = person_with(Role.REGISTRAR, name="Rosa Registradora")
    linked(holder, registrar, other)
    with pytest.raises(NotAllowed) as refusal:
        linked(holder, paula, registrar)
    assert (refusal.value.code, refusal.value.extra["rule"]) == ("person_of_the_holder", 3)


def test_rule_3_a_person_of_the_holder_confirms_none_of_its_systems(registrar):
    holder, certifier = a_holder(), a_certifier()
    member = linked(holder, certifier, registrar)
    system = holder.systems.create(name="Asistente", folded="asistente", created_at=clock.now())
    with pytest.raises(NotAllowed) as refusal:
        identities.confirm_system(system, name="Asistente", by=certifier.person, at=clock.now())
    assert refusal.value.code == "person_of_the_holder"
    memberships.end(member, by=registrar.person, at=clock.now())
    with pytest.raises(NotAllowed):  # and not for two years
        identities.confirm_system(system, name="Asistente", by=certifier.person, at=clock.now())


def test_a_link_weighs_for_two_years_by_the_calendar():
    chile = ZoneInfo("America/Santiago")
    assert memberships.weighs_since(datetime(2028, 2, 29, 12, tzinfo=chile)) == datetime(
        2026, 2, 28, 12, tzinfo=chile
    )
    assert memberships.weighs_since(datetime(2026, 11, 30, 9, tzinfo=chile)) == datetime(
        2024, 11, 30, 9, tzinfo=chile
    )


@pytest.mark.parametrize(
    ("change", "constraint"),
    [
        ({"linked_by": "paula"}, "nobody_links_oneself_to_a_holder"),
        ({"ended_at": "now"}, "an_ended_link_says_who_ended_it_and_when"),
    ],
)
def test_the_database_refuses_it_too(registrar, paula, change, constraint):
    facts = {
        "holder": a_holder(),
        "person": paula.person,
        "linked_by": registrar.person,
        "linked_at": clock.now(),
    }
    values = {"paula": paula.person, "now": clock.now()}
    with pytest.raises(IntegrityError, match=constraint), transaction.atomic():
        HolderMember.objects.create(**(facts | {name: values[value] for name, value in change.items()}))
    HolderMember.objects.create(**facts)
    with pytest.raises(IntegrityError, match="a_person_is_linked_to_a_holder_once"), transaction.atomic():
        HolderMember.objects.create(**facts)


# ── the contact ──────────────────────────────────────────────────────────────


def asked(holder, user, email="nuevo@peumo.example", language="en", **more) -> ContactChange:
    return contacts.ask(
        holder, by=user.person, at=more.pop("at", None) or clock.now(), email=email, language=language
    )


def test_a_change_waits_72_hours_and_the_old_address_hears_of_it_at_once(registrar, paula, days_pass):
    holder = a_holder()
    linked(holder, paula, registrar)
    asked_at = clock.now()
    change = asked(holder, paula, at=asked_at)
    assert told("contact.change_asked") == {"contacto@peumo.example", "nuevo@peumo.example", paula.email}
    assert change.effective_at == asked_at + timedelta(hours=72)
    assert contacts.apply_due(at=asked_at + timedelta(hours=71, minutes=59)) == 0
    holder.refresh_from_db()
    assert holder.contact_email == "contacto@peumo.example"
    assert contacts.apply_due(at=asked_at + timedelta(hours=72)) == 1
    assert contacts.apply_due(at=asked_at + timedelta(hours=73)) == 0
    holder.refresh_from_db()
    assert (holder.contact_email, holder.contact_language) == ("nuevo@peumo.example", "en")
    assert told("contact.changed") == {"contacto@peumo.example", "nuevo@peumo.example", paula.email}


@pytest.mark.parametrize("gone", ["membership", "account"])
def test_what_was_asked_for_by_someone_who_is_gone_is_cancelled_and_told(registrar, paula, days_pass, gone):
    holder = a_holder()
    member = linked(holder, paula, registrar)
    change = asked(holder, paula)
    if gone == "membership":
        memberships.end(member, by=registrar.person, at=clock.now())
    else:
        accounts.deactivate(paula, by=registrar.person, at=clock.now())
    assert contacts.apply_due(at=change.effective_at) == 0
    holder.refresh_from_db()
    assert holder.contact_email == "contacto@peumo.example"
    change.refresh_from_db()
    assert (change.cancelled_at, change.cancelled_by) == (change.effective_at, None)
    assert told("contact.change_cancelled") == {"contacto@peumo.example", "nuevo@peumo.example"}
    assert AuditEntry.objects.get(action="contact.change_cancelled").detail["by_link"] is False
    assert asked(holder, registrar).on_behalf, "nothing is in the way of another one"


def test_one_change_that_fails_keeps_none_of_the_others_waiting(registrar, paula, days_pass, monkeypatch):
    first, second = a_holder(), a_holder("Otra SpA")
    stuck = asked(first, registrar)
    later = asked(second, registrar)
    tell = contacts._tell

    def fail_for_one(kind, change, *, at):
        if change.pk == stuck.pk:
            raise RuntimeError
        tell(kind, change, at=at)

    monkeypatch.setattr(contacts, "_tell", fail_for_one)
    assert contacts.apply_due(at=later.effective_at) == 1
    stuck.refresh_from_db()
    assert stuck.applied_at is None


def test_the_audit_log_names_the_change_and_not_the_address(registrar, paula):
    holder = a_holder()
    linked(holder, paula, registrar)
    change = asked(holder, paula)
    contacts.cancel(change, by=paula.person, at=clock.now())
    for entry in AuditEntry.objects.filter(action__startswith="contact."):
        assert entry.detail["change"] == change.pk
        assert "@" not in str(entry.detail)
    for row in Outbox.objects.filter(kind__startswith="contact."):
        assert "@" not in str(row.data)


def test_the_old_address_cancels_it_by_its_link(registrar, paula):
    holder = a_holder()
    linked(holder, paula, registrar)
    change = asked(holder, paula)
    first, second = (contacts.link_to_cancel(change, at=clock.now()) for _ in range(2))
    link = contacts.find_link(first, at=clock.now())
    for _ in range(2):  # a second press changes nothing
        assert contacts.cancel_by_link(link, at=clock.now()).cancelled_at is not None
    assert AuditEntry.objects.get(action="contact.change_cancelled").person is None
    with pytest.raises(LinkRefused) as refusal:
        contacts.find_link(second, at=clock.now())
    assert refusal.value.code == "link_used"
    assert contacts.link_to_cancel(ContactChange.objects.get(), at=clock.now()) is None
    assert contacts.apply_due(at=change.effective_at) == 0


def test_a_link_past_its_deadline_or_of_nobody_cancels_nothing(registrar, paula):
    holder = a_holder()
    linked(holder, paula, registrar)
    change = asked(holder, paula)
    secret = contacts.link_to_cancel(change, at=clock.now())
    with pytest.raises(LinkRefused) as refusal:
        contacts.find_link(secret, at=change.effective_at)
    assert refusal.value.code == "link_expired"
    with pytest.raises(LinkRefused) as refusal:
        contacts.find_link("x" * 43, at=clock.now())
    assert refusal.value.status == 404


def test_the_same_change_twice_is_one_and_another_one_waits(registrar, paula):
    holder = a_holder()
    linked(holder, paula, registrar)
    assert asked(holder, paula) == asked(holder, paula)
    with pytest.raises(contacts.ContactRefused) as refusal:
        asked(holder, paula, email="otro@peumo.example")
    assert refusal.value.code == "change_pending"
    contacts.cancel(contacts.pending(holder), by=registrar.person, at=clock.now())
    assert asked(holder, paula, email="otro@peumo.example").new_email == "otro@peumo.example"


def test_what_changes_nothing_or_speaks_no_language_of_ours_is_refused(registrar, paula):
    holder = a_holder()
    linked(holder, paula, registrar)
    for facts, code in [
        ({"email": holder.contact_email, "language": "es"}, "nothing_changes"),
        ({"language": "fr"}, "unknown_language"),
    ]:
        with pytest.raises(contacts.ContactRefused) as refusal:
            asked(holder, paula, **facts)
        assert refusal.value.code == code


def test_only_the_holders_people_and_registrars_ask(registrar, paula):
    holder, other = a_holder(), a_holder("Otra SpA")
    linked(other, paula, registrar)
    for user in (paula, a_certifier()):
        with pytest.raises(NotAllowed):
            asked(holder, user)
    assert asked(holder, registrar).on_behalf is True
    assert asked(other, paula).on_behalf is False


def test_a_change_that_took_effect_is_not_cancelled(registrar, paula, days_pass):
    holder = a_holder()
    linked(holder, paula, registrar)
    change = asked(holder, paula)
    contacts.apply_due(at=change.effective_at)
    with pytest.raises(contacts.ContactRefused) as refusal:
        contacts.cancel(change, by=paula.person, at=clock.now())
    assert refusal.value.code == "change_applied"


def test_the_database_lets_no_address_in_by_another_road(registrar, paula):
    holder = a_holder()
    with pytest.raises(IntegrityError, match="the contact of a confirmed holder"), transaction.atomic():
        Holder.objects.filter(pk=holder.pk).update(contact_email="ladron@example.org")
    change = asked(holder, registrar, email="ladron@example.org")
    with pytest.raises(IntegrityError, match="the contact of a confirmed holder"), transaction.atomic():
        Holder.objects.filter(pk=holder.pk).update(contact_email="ladron@example.org", contact_language="en")
    with pytest.raises(IntegrityError, match="waits_before_it_takes_effect"), transaction.atomic():
        ContactChange.objects.filter(pk=change.pk).update(effective_at=clock.now())
    with pytest.raises(IntegrityError, match="nothing is dated back"), transaction.atomic():
        ContactChange.objects.create(
            holder=a_holder("Otra SpA"),
            old_language="es",
            new_email="ladron@example.org",
            new_language="es",
            asked_by=registrar.person,
            asked_at=clock.now() - timedelta(days=4),
            effective_at=clock.now() - timedelta(days=1),
        )
