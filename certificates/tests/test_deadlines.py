"""What comes is told in time, once, and to the right people; nothing is decided by it."""

from datetime import timedelta
from zoneinfo import ZoneInfo

import pytest
from django.core import mail
from django.db import IntegrityError, transaction

from certificates import (
    appeals,
    deadline_sources,
    deadlines,
    digest_letters,
    letters,
    lifecycle,
    policies,
)
from certificates.models import ExpiryNotice
from certificates.states import Status
from certificates.tests import applying, registry, reporting
from certificates.tests.appealing import SUMMARY, admitted, decide, filed
from registry_site import clock, outbox, wording
from registry_site.models import Outbox, User

pytestmark = pytest.mark.django_db
SOON = "certificate.expires_soon"


def before_the_end(certificate, **left):
    return certificate.valid_until - timedelta(**left)


def told(at) -> list[tuple[str, str]]:
    """(recipient, certificate) of what the sweep tells at `at`."""
    known = set(Outbox.objects.values_list("pk", flat=True))
    deadlines.sweep(at=at)
    rows = Outbox.objects.filter(kind=SOON).exclude(pk__in=known).order_by("recipient")
    return [(row.recipient, row.concerns) for row in rows]


@pytest.fixture
def certificate(who):
    return registry.issued(who)


def test_the_holder_and_the_certifiers_are_told_sixty_thirty_and_seven_days_before(who, certificate):
    holder = certificate.system_version.system.holder.contact_email
    everybody = sorted([holder, who.certifier.email, who.second_certifier.email])
    assert told(before_the_end(certificate, days=61, hours=1)) == []
    for days in (60, 30, 7):
        assert [recipient for recipient, _ in told(before_the_end(certificate, days=days))] == everybody
        assert told(before_the_end(certificate, days=days - 1)) == [], "once each"
    assert told(before_the_end(certificate, minutes=1)) == []
    assert list(ExpiryNotice.objects.order_by("pk").values_list("days_before", flat=True)) == [60, 30, 7]


def test_after_days_without_a_sweep_the_nearest_alone_is_told(who, certificate):
    holder = certificate.system_version.system.holder.contact_email
    assert [one for one in told(before_the_end(certificate, days=3)) if one[0] == holder] == [
        (holder, certificate.number)
    ]
    assert told(before_the_end(certificate, days=2)) == []
    assert ExpiryNotice.objects.get().days_before == 7


def test_what_ended_after_it_expired_is_not_told(certificate):
    assert told(certificate.valid_until) == []
    assert told(certificate.valid_until + timedelta(days=3)) == []


@pytest.mark.parametrize("status", [Status.REVOKED, Status.TERMINATED, Status.SUPERSEDED])
def test_what_has_ended_otherwise_expires_without_a_word(who, status):
    certificate = registry.certificate_at(status, who)
    numbers = {number for _, number in told(before_the_end(certificate, days=20))}
    assert certificate.number not in numbers


def test_a_revocation_that_was_overturned_is_told_like_any_other(who, certificate):
    revocation = lifecycle.revoke(
        certificate,
        by=who.certifier,
        at=clock.now(),
        reason="false_declaration",
        statement=registry.STATEMENT,
    )
    assert told(before_the_end(certificate, days=50)) == []
    decide(admitted(revocation.notice, who), who)
    assert {number for _, number in told(before_the_end(certificate, days=49))} == {certificate.number}


def test_a_short_certificate_is_told_seven_days_before_and_not_on_its_first_day(who):
    certificate = registry.issued(who, valid_until=(clock.now() + timedelta(days=20)).date())
    assert told(clock.now()) == []
    assert told(before_the_end(certificate, days=6))


def test_a_second_notice_of_the_same_term_is_refused_by_the_database(certificate):
    told(before_the_end(certificate, days=30))
    for days in (30, 45):
        with pytest.raises(IntegrityError), transaction.atomic():
            ExpiryNotice.objects.create(certificate=certificate, days_before=days, at=clock.now())


# ── the letter ───────────────────────────────────────────────────────────────


def sent_to_holder(certificate, subject_part):
    holder = certificate.system_version.system.holder.contact_email
    Outbox.objects.filter(kind=SOON).update(next_attempt_at=clock.now())
    mail.outbox.clear()
    outbox.send_due(compose=letters.compose)
    (found,) = [one for one in mail.outbox if one.to == [holder] and subject_part in one.subject]
    return found


def issued_for(who, days):
    """A certificate that ends in so many days from today, told as if its last notice were due."""
    zone = ZoneInfo("America/Santiago")
    certificate = registry.issued(who, valid_until=clock.now().astimezone(zone).date() + timedelta(days=days))
    deadlines.sweep(at=before_the_end(certificate, days=3))
    return certificate


@pytest.mark.parametrize(
    ("days", "subject"),
    [(12, "vence en 12 días"), (9, "vence en 9 días"), (8, "vence en 8 días")],
)
def test_the_subject_counts_the_days_that_are_left_when_it_leaves(who, days, subject):
    certificate = issued_for(who, days)
    found = sent_to_holder(certificate, "vence")
    assert found.subject == f"El certificado {certificate.number} {subject}"
    until = wording.deadline(certificate.valid_until.astimezone(ZoneInfo(certificate.zone)), "es")
    assert until in found.body
    assert "24:00" in until
    assert "no está vigente" not in found.body
    assert f"/es/c/{certificate.number}/" in found.body


def test_of_a_suspended_certificate_both_facts_are_told(who):
    version = registry.version(registry.holder(contact_language="en"))
    certificate = registry.issued(who, registry.measurement(version, by=who.evaluator))
    notice = registry.suspend(certificate, by=who.certifier).notice
    deadlines.sweep(at=before_the_end(certificate, days=29))
    found = sent_to_holder(certificate, "expires in")
    assert "not in force: suspended since" in found.body
    assert f"decision No. {notice.number}" in found.body
    assert "to be reviewed by" in found.body
    assert "expires on" in found.body


# ── the staff ────────────────────────────────────────────────────────────────

DIGEST = "staff.digest"
ZONE = ZoneInfo("America/Santiago")


def morning(moment, *, hour=9):
    """Nine o'clock, in the registry's zone, on the day of `moment`."""
    return moment.astimezone(ZONE).replace(hour=hour, minute=0, second=0, microsecond=0)


def digests(at) -> dict[str, list[str]]:
    """Recipient → what the digest of that morning names."""
    known = set(Outbox.objects.values_list("pk", flat=True))
    deadlines.remind_staff(at=at)
    rows = Outbox.objects.filter(kind=DIGEST).exclude(pk__in=known)
    return {row.recipient: [item["name"] for item in row.data["items"]] for row in rows}


def test_certifiers_are_reminded_of_a_review_a_week_before_and_when_it_is_overdue(who, certificate):
    event = registry.suspend(certificate, by=who.certifier)
    both = {email: [certificate.number] for email in (who.certifier.email, who.second_certifier.email)}
    due = event.review_until
    assert digests(morning(due - timedelta(days=9))) == {}
    assert digests(morning(due - timedelta(days=7))) == both
    assert digests(morning(due - timedelta(days=7), hour=18)) == {}, "one a day"
    assert digests(morning(due - timedelta(days=5))) == {}, "nothing new"
    assert digests(morning(due + timedelta(days=1))) == both
    assert digests(morning(due + timedelta(days=3))) == {}
    assert digests(morning(due + timedelta(days=9))) == both, "once a week while it is overdue"
    certificate.state.refresh_from_db()
    assert certificate.state.word == "suspended", "nothing is decided by it"


def test_nobody_is_written_to_at_night(who, certificate):
    event = registry.suspend(certificate, by=who.certifier)
    day = event.review_until - timedelta(days=4)
    assert digests(morning(day, hour=5)) == {}
    assert digests(morning(day, hour=7))


def test_whoever_decides_appeals_is_reminded_of_each_step(who, certificate):
    event = registry.suspend(certificate, by=who.certifier)
    appeal = filed(event.notice)
    officer = who.appeals_officer.email
    assert digests(morning(clock.now() + timedelta(days=2))) == {}
    assert digests(morning(appeal.standing.deadline_at - timedelta(days=3))) == {officer: [appeal.number]}
    appeals.admit(appeal, by=who.appeals_officer, at=clock.now(), summary=SUMMARY)
    appeal.standing.refresh_from_db()
    later = morning(appeal.standing.deadline_at + timedelta(days=1))
    found = digests(later)
    assert found[officer] == [appeal.number]
    row = Outbox.objects.filter(kind=DIGEST, recipient=officer).latest("pk")
    assert [(item["source"], item["overdue"]) for item in row.data["items"]] == [("appeal_decision", True)]


def test_evidence_that_grows_too_old_is_told_while_something_can_be_done(who):
    measured = registry.measurement(by=who.evaluator)
    until = policies.certifiable_until(measured)
    assert digests(morning(until - timedelta(days=20))) == {}
    assert digests(morning(until - timedelta(days=10))) == {
        email: [str(measured.pk)] for email in (who.certifier.email, who.second_certifier.email)
    }
    assert digests(morning(until + timedelta(days=2))) == {}, "it has lapsed: nothing is left to do"


def test_complaints_and_applications_that_wait_are_reminded_of_too(who, certificate):
    report = reporting.received(certificate)
    application = applying.filed(registry.measurement(by=who.evaluator))
    found = digests(morning(report.standing.deadline_at - timedelta(days=2)))
    deciding = (who.certifier, who.second_certifier, who.appeals_officer)
    assert found == {user.email: [report.number] for user in deciding}
    found = digests(morning(application.standing.deadline_at - timedelta(days=6)))
    assert application.number in found[who.certifier.email]
    assert application.number not in found.get(who.appeals_officer.email, [])
    applying.withdraw(application)
    later = digests(morning(application.standing.deadline_at + timedelta(days=9)))
    assert application.number not in str(later)


@pytest.mark.parametrize("decided", ["issued", "refused"])
def test_of_a_measurement_that_was_decided_on_nobody_is_reminded(who, decided):
    measured = registry.measurement(by=who.evaluator)
    if decided == "issued":
        registry.issued(who, measured)
    else:
        lifecycle.refuse_issue(measured, by=who.certifier, at=clock.now(), statement=registry.STATEMENT)
    assert digests(morning(policies.certifiable_until(measured) - timedelta(days=10))) == {}


def test_somebody_with_two_accounts_and_two_roles_gets_one_letter(who, certificate):
    person = who.certifier.person
    registry.RoleGrant.objects.create(person=person, role="appeals_officer", granted_at=clock.now())
    User.objects.create_user("carlos.dos@registro.example", person=person)
    event = registry.suspend(certificate, by=who.second_certifier)
    appeal = filed(event.notice)
    found = digests(morning(max(event.review_until, appeal.standing.deadline_at) + timedelta(days=1)))
    assert set(found[who.certifier.email]) == {certificate.number, appeal.number}
    assert "carlos.dos@registro.example" not in found


def test_the_database_lets_one_digest_a_day_through(who, certificate):
    event = registry.suspend(certificate, by=who.certifier)
    digests(morning(event.review_until))
    row = Outbox.objects.filter(kind=DIGEST).first()
    row.pk = None
    with pytest.raises(IntegrityError), transaction.atomic():
        row.save(force_insert=True)


@pytest.mark.parametrize(
    ("language", "subject", "line"),
    [
        (
            "es",
            "Plazos del registro: 0 por cumplirse, 1 fuera de plazo",
            "- Suspensión por revisar: {number} — ",
        ),
        ("en", "Deadlines of the registry: 0 coming, 1 overdue", "- Suspension to review: {number} — "),
    ],
)
def test_a_digest_is_written_in_the_language_of_its_reader(who, certificate, language, subject, line):
    event = registry.suspend(certificate, by=who.certifier)
    User.objects.filter(pk=who.certifier.pk).update(language=language)
    digests(morning(event.review_until + timedelta(days=1)))
    Outbox.objects.filter(kind=DIGEST).update(next_attempt_at=clock.now())
    mail.outbox.clear()
    outbox.send_due(compose=letters.compose)
    (found,) = [
        one for one in mail.outbox if one.to == [who.certifier.email] and one.subject.startswith(subject[:9])
    ]
    assert found.subject == subject
    assert line.format(number=certificate.number) in found.body
    assert "24:00" in found.body
    assert found.body.count("http") == 1
    assert "http://testserver/staff/" in found.body


def test_every_source_of_deadlines_has_its_words():
    assert set(digest_letters._WORDS) == {source.code for source in deadline_sources.SOURCES}
