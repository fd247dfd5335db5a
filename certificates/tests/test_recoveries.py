"""A lost second factor: two registrars or the console, its owner told, and a day without decisions."""

import io
from datetime import timedelta

import pytest
from allauth.mfa.models import Authenticator
from django.core.management import CommandError, call_command
from django.db import IntegrityError, transaction

from certificates import appeal_authors, appeals, letters, lifecycle, policies, reports
from certificates.tests import appealing, desks, registry, reporting
from evidence import contacts, identities, memberships
from evidence.models import ContactChange
from registry_site import clock, invitations, outbox, recoveries, roles
from registry_site.models import AuditEntry, FactorRecovery, Outbox, Person, User
from registry_site.problems import NotAllowed
from registry_site.recoveries import CannotRecover
from registry_site.roles import DecisionsBlocked, Role

pytestmark = pytest.mark.django_db
REASON = "Perdió el teléfono; hablé con él en persona."


@pytest.fixture
def second(who) -> User:
    desks.with_app(who.certifier)
    return registry.person("Raúl Registrador", Role.REGISTRAR)


def ask(who, **more) -> FactorRecovery:
    facts = {"by": who.registrar.person, "at": clock.now(), "reason": REASON}
    return recoveries.ask(who.certifier, **(facts | more))


def removed(who, second, user: User | None = None) -> User:
    """The account after its second factor was removed, as the next request reads it."""
    user = user or who.certifier
    if not Authenticator.objects.filter(user=user).exists():
        desks.with_app(user)
    case = recoveries.ask(user, by=who.registrar.person, at=clock.now(), reason=REASON)
    recoveries.confirm(case, by=second.person, at=clock.now())
    return User.objects.get(pk=user.pk)


# ── the case ─────────────────────────────────────────────────────────────────


def test_one_registrar_opens_it_and_another_confirms_on_the_pages(who, second):
    inside, program = desks.at_desk(who.certifier), desks.holding(who.certifier, Role.CERTIFIER)
    first, other = desks.at_desk(who.registrar), desks.at_desk(second)
    page = first.get(f"/staff/people/{who.certifier.person.pk}/").content.decode()
    address = f"/staff/people/accounts/{who.certifier.pk}/recover/"
    assert address in page
    assert "otra persona encargada" in first.get(address).content.decode()
    assert first.post(address, {"reason": ""}).status_code == 422
    opened = first.post(address, {"reason": REASON})
    case = FactorRecovery.objects.get()
    assert opened["Location"] == f"/staff/people/recoveries/{case.pk}/"
    # A second press leads to the same case.
    assert first.post(address, {"reason": REASON})["Location"] == opened["Location"]
    assert inside.get("/staff/").status_code == 200

    own = first.get(opened["Location"]).content.decode()
    assert REASON in own
    assert 'value="confirm"' not in own
    assert "Quien abrió el caso no lo confirma" in own
    assert first.post(opened["Location"], {"action": "confirm"}).status_code == 403
    queue = other.get("/staff/").content.decode()
    assert opened["Location"] in queue
    assert opened["Location"] not in inside.get("/staff/").content.decode()
    assert "de viva voz" in other.get(opened["Location"]).content.decode()
    assert other.post(opened["Location"], {"action": "confirm"}).status_code == 302
    assert other.post(opened["Location"], {"action": "confirm"}).status_code == 409

    assert not Authenticator.objects.filter(user=who.certifier).exists()
    assert inside.get("/staff/").status_code == 302
    assert program.get("/api/v1/packages/").status_code == 401
    assert "Sin decisiones hasta" in first.get(f"/staff/people/{who.certifier.person.pk}/").content.decode()
    assert opened["Location"] not in other.get("/staff/").content.decode()
    told = set(AuditEntry.objects.filter(subject=f"recovery:{case.pk}").values_list("action", flat=True))
    assert told == {"recovery.opened", "recovery.seen", "recovery.confirmed"}
    assert REASON not in str(list(AuditEntry.objects.values_list("detail", flat=True)))


def test_its_owner_and_every_registrar_are_told_at_each_step(who, second):
    case = ask(who)
    recoveries.cancel(case, by=second.person, at=clock.now())
    removed(who, second)
    for kind, times in (("recovery.opened", 2), ("recovery.cancelled", 1), ("recovery.confirmed", 1)):
        told = Outbox.objects.filter(kind=kind)
        assert sorted(told.values_list("recipient", flat=True)) == sorted(
            [who.certifier.email, who.registrar.email, second.email] * times
        )
        for row in told:
            for language in ("es", "en"):
                row.language = language
                letter = outbox.message(row, letters.compose)
                assert "Carlos" not in letter.subject
                assert "Carlos Certificador" in letter.body
                assert REASON not in letter.body
                assert "{" not in letter.body
    owner = Outbox.objects.filter(kind="recovery.opened", recipient=who.certifier.email).first()
    assert "Si no lo esperaba, avise de inmediato" in outbox.message(owner, letters.compose).body


def test_who_may_do_what(who, second):
    for user in (who.certifier, who.evaluator):
        with pytest.raises(NotAllowed):
            ask(who, by=user.person)
    with pytest.raises(NotAllowed) as own:
        recoveries.ask(who.registrar, by=who.registrar.person, at=clock.now(), reason=REASON)
    assert own.value.code == "own_account"
    case = ask(who)
    with pytest.raises(CannotRecover) as twice:
        ask(who, by=second.person)
    assert twice.value.code == "case_is_open"
    with pytest.raises(NotAllowed) as alone:
        recoveries.confirm(case, by=who.registrar.person, at=clock.now())
    assert alone.value.code == "second_registrar_needed"
    with pytest.raises(NotAllowed):
        recoveries.confirm(case, by=who.appeals_officer.person, at=clock.now())
    recoveries.cancel(case, by=who.registrar.person, at=clock.now())
    for act in (recoveries.confirm, recoveries.cancel):
        with pytest.raises(CannotRecover):
            act(case, by=second.person, at=clock.now())
    assert Authenticator.objects.filter(user=who.certifier).exists()


@pytest.mark.parametrize("reason", ["", "  ", "x" * 2001, "a\x00b"])
def test_a_case_has_its_reason(who, second, reason):
    with pytest.raises(CannotRecover) as refused:
        ask(who, reason=reason)
    assert refused.value.code == "reason_needed"


def test_a_case_that_nobody_confirmed_lapses_and_is_in_nobodys_way(who, second, moving_clock):
    case = ask(who)
    FactorRecovery.objects.filter(pk=case.pk).update(deadline_at=clock.now())
    with pytest.raises(CannotRecover) as refused:
        recoveries.confirm(case, by=second.person, at=clock.now())
    assert refused.value.code == "case_lapsed"
    again = ask(who)
    assert again.pk != case.pk


def test_there_must_be_something_to_recover(who, second):
    with pytest.raises(CannotRecover) as nothing:
        recoveries.ask(who.evaluator, by=who.registrar.person, at=clock.now(), reason=REASON)
    assert nothing.value.code == "no_second_factor"
    User.objects.filter(pk=who.certifier.pk).update(is_active=False)
    who.certifier.refresh_from_db()
    with pytest.raises(CannotRecover) as closed:
        ask(who)
    assert closed.value.code == "account_closed"


def test_the_database_wants_two_registrars_and_never_the_owner(who, second):
    case = ask(who)
    now = clock.now()
    for facts in (
        {"confirmed_by": who.registrar.person},
        {"confirmed_by": who.certifier.person},
        {"confirmed_by": None},
        {"confirmed_by": second.person, "blocked_until": None},
        {"confirmed_by": second.person, "cancelled_at": now},
        {"opened_by": who.certifier.person, "confirmed_by": second.person},
    ):
        with pytest.raises(IntegrityError), transaction.atomic():
            FactorRecovery.objects.filter(pk=case.pk).update(
                **({"confirmed_at": now, "blocked_until": now + timedelta(days=1)} | facts)
            )


def test_the_console_does_both_at_once(who):
    desks.with_app(who.certifier)
    out = io.StringIO()
    call_command("recover_second_factor", "--user", who.certifier.email, "--reason", REASON, stdout=out)
    case = FactorRecovery.objects.get()
    assert (case.opened_by, case.confirmed_by, case.confirmed_at is None) == (None, None, False)
    assert not Authenticator.objects.filter(user=who.certifier).exists()
    assert Outbox.objects.filter(kind="recovery.confirmed", recipient=who.certifier.email).exists()
    with pytest.raises(CommandError, match="no account"):
        call_command("recover_second_factor", "--user", "nadie@registro.example", "--reason", REASON)
    with pytest.raises(CommandError, match="no tiene segundo factor"):
        call_command("recover_second_factor", "--user", who.certifier.email, "--reason", REASON)


# ── a day without decisions ──────────────────────────────────────────────────


def test_for_a_day_nothing_is_decided_by_page_token_or_writer(who, second):
    certificate = registry.issued(who)
    certifier = removed(who, second)
    desk = desks.at_desk(certifier)
    page = desk.get(f"/staff/certificates/{certificate.number}/revoke/").content.decode()
    assert "no se toman decisiones hasta" in page
    assert '<form method="post" action="/staff/certificates' not in page
    step = {"reason": "false_declaration", "statement_es": "x", "statement_en": "x", "if_sequence": 1}
    answer = desk.post(f"/staff/certificates/{certificate.number}/revoke/", step | {"action": "preview"})
    assert answer.status_code == 403
    program = desks.holding(certifier, Role.CERTIFIER)
    answer = program.post(
        f"/api/v1/certificates/{certificate.number}/revoke/",
        {"reason": "false_declaration", "statement": {"es": "x", "en": "x"}, "if_sequence": 1},
        content_type="application/json",
    )
    assert (answer.status_code, answer.json()["code"]) == (403, "decisions_blocked")
    assert answer.json()["until"].startswith("20")
    with pytest.raises(DecisionsBlocked):
        registry.suspend(certificate, by=certifier)
    with pytest.raises(DecisionsBlocked):
        lifecycle.issue(
            registry.measurement(by=who.evaluator), by=certifier, at=clock.now(), statement=registry.STATEMENT
        )
    with pytest.raises(DecisionsBlocked):
        identities.confirm_holder(
            registry.holder(confirmation="proposed"),
            name="Peumo SpA",
            identifier_kind="domain",
            identifier="peumo.example",
            country="CL",
            by=certifier.person,
            at=clock.now(),
        )
    assert certificate.events.count() == 1


def test_a_superuser_is_blocked_like_everybody(who, second):
    certifier = removed(who, second)
    User.objects.filter(pk=certifier.pk).update(is_superuser=True, is_staff=True)
    certifier = User.objects.get(pk=certifier.pk)
    refusal = policies.refusal_to_issue(certifier, registry.measurement(by=who.evaluator), at=clock.now())
    assert isinstance(refusal, DecisionsBlocked)


def test_appeals_sets_and_people_wait_as_well(who, second):
    suspension = registry.suspend(registry.issued(who), by=who.certifier)
    officer = removed(who, second, who.appeals_officer)
    appeal = appealing.filed(suspension.notice)
    with pytest.raises(DecisionsBlocked):
        appeals.admit(appeal, by=officer, at=clock.now(), summary={"es": "x", "en": "x"})
    evaluator = removed(who, second, who.evaluator)
    assert isinstance(policies.refusal_to_seal_set(evaluator), DecisionsBlocked)
    third = registry.person("Rosa Registradora", Role.REGISTRAR)
    desks.with_app(second)
    case = recoveries.ask(second, by=third.person, at=clock.now(), reason=REASON)
    recoveries.confirm(case, by=who.registrar.person, at=clock.now())
    blocked = Person.objects.get(pk=second.person.pk)
    with pytest.raises(DecisionsBlocked):
        roles.grant(who.evaluator.person, Role.CERTIFIER, by=blocked, at=clock.now())
    with pytest.raises(DecisionsBlocked):
        invitations.invite(name="N", email="n@x.example", language="es", by=blocked, at=clock.now())
    # Looking is no decision.
    desk = desks.at_desk(User.objects.get(pk=second.pk))
    assert desk.get("/staff/people/").status_code == 200
    assert desk.post(f"/staff/people/accounts/{who.evaluator.pk}/deactivate/").status_code == 403


def test_what_speaks_for_a_holder_waits_as_well_and_the_letters_link_serves_meanwhile(who, second):
    certificate = registry.issued(who)
    suspension = registry.suspend(certificate, by=who.certifier)
    holder = policies.holder_of(suspension.notice)
    paula = registry.person("Paula Peumo")
    memberships.link(holder, user=paula, by=who.registrar.person, at=clock.now())
    report = reporting.with_holder(certificate, who.second_certifier)
    paula = removed(who, second, paula)
    changed = {"email": "otro@peumo.example", "language": "es", "at": clock.now()}
    assert policies.appealable_by(paula, [suspension.notice], at=clock.now()) == frozenset()
    link = appealing.link_to(suspension.notice)
    for step in (
        lambda: appealing.filed(suspension.notice, by=appeal_authors.ByAccount(paula, suspension.notice)),
        lambda: reports.reply(report, at=clock.now(), text={"es": "x"}, published=True, by=paula),
        lambda: contacts.ask(holder, by=paula.person, **changed),
    ):
        with pytest.raises(DecisionsBlocked):
            step()
    appealing.filed(suspension.notice, link=link)
    with pytest.raises(DecisionsBlocked):
        appeals.withdraw(appeal_authors.ByAccount(paula, suspension.notice), at=clock.now())

    third = registry.person("Rosa Registradora", Role.REGISTRAR)
    desks.with_app(second)
    case = recoveries.ask(second, by=third.person, at=clock.now(), reason=REASON)
    recoveries.confirm(case, by=who.registrar.person, at=clock.now())
    with pytest.raises(DecisionsBlocked):
        contacts.ask(holder, by=Person.objects.get(pk=second.person.pk), **changed)
    assert not ContactChange.objects.exists()


def test_after_a_day_it_decides_again(who, second, moving_clock):
    certificate = registry.issued(who)
    certifier = removed(who, second)
    Person.objects.filter(pk=certifier.person.pk).update(decides_again_at=clock.now())
    certifier = User.objects.get(pk=certifier.pk)
    assert registry.suspend(certificate, by=certifier)
