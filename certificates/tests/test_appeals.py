"""Appeals: who may file, admit and decide, what follows for the certificate, and what the database refuses."""

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
from django.db import IntegrityError, connection, transaction
from django.test import Client

from certificates import (
    appeal_links,
    appeals,
    lifecycle,
    page_facts,
    policies,
    projections,
    publishing,
    replay,
)
from certificates.appeal_states import TRANSITIONS, AppealState, AppealStep
from certificates.models import (
    Appeal,
    AppealContact,
    AppealEvent,
    AppealStanding,
    Certificate,
    CertificateState,
    StatusEvent,
)
from certificates.models.appeal import LinkPurpose
from certificates.refusals import (
    AppealRefused,
    IncompleteAppeal,
    IncompleteDecision,
    NotAppealable,
    NotYetFinal,
    RuleOfImpartiality,
)
from certificates.states import FINALITY_GRACE, Status, status_of
from certificates.tests import registry
from certificates.tests.appealing import (
    GROUNDS,
    REASONS,
    SUMMARY,
    admitted,
    by_link,
    decide,
    filed,
    link_to,
    link_to_follow,
)
from evidence.models import Participation
from registry_site import clock
from registry_site.append_only import WrittenOnceError
from registry_site.models import Outbox, PublicEvent, RoleGrant
from registry_site.problems import NotAllowed
from registry_site.roles import Role
from registry_site.signed_links import LinkRefused


def word_of(certificate: Certificate) -> Status:
    return status_of(projections.facts_of(projections.events_of(certificate)), clock.now()).word


def told(certificate: Certificate):
    return page_facts.of_certificate(certificate, at=clock.now()).page


@pytest.fixture
def suspension(who):
    return registry.suspend(registry.issued(who), by=who.certifier)


@pytest.fixture
def revocation(who):
    return lifecycle.revoke(
        registry.issued(who),
        by=who.certifier,
        at=clock.now(),
        reason="false_declaration",
        statement=registry.STATEMENT,
    )


# ── the whole story ──────────────────────────────────────────────────────────


def test_a_suspension_is_appealed_and_upheld_and_the_certificate_is_in_force_again(who, suspension):
    certificate = suspension.certificate
    appeal = filed(suspension.notice)
    page = told(certificate)
    assert (page.verdict.status, page.verdict.open_appeal) == ("suspended", appeal.number)
    assert page.history[0].appeal.state == "filed"
    assert (
        GROUNDS
        not in publishing.page(page_facts.of_certificate(certificate, at=clock.now()), "es").content.decode()
    )

    appeals.admit(appeal, by=who.appeals_officer, at=clock.now(), summary=SUMMARY)
    assert told(certificate).appeals[0].grounds.es == SUMMARY["es"]

    with pytest.raises(RuleOfImpartiality) as refusal:
        appeals.decide(appeal, by=who.certifier, at=clock.now(), outcome="upheld", reasons=REASONS)
    assert (refusal.value.code, refusal.value.extra["rule"]) == ("took_part_in_decision", 2)
    assert word_of(certificate) is Status.SUSPENDED

    then = clock.now()
    decided = decide(appeal, who)
    page = told(certificate)
    assert (page.verdict.status, page.verdict.in_force, page.verdict.open_appeal) == ("active", True, None)
    assert page.verdict.overturned[0].appeal == appeal.number
    assert [entry.step for entry in page.history] == ["overturn", "suspend", "issue"]
    assert page.history[1].appeal.outcome == "upheld"
    assert decided.notice.about == suspension.notice
    assert decided.notice.role == Role.APPEALS_OFFICER
    _status, later = publishing.status_then(certificate, then=then, now=clock.now())
    assert [one.appeal for one in later] == [appeal.number]
    assert replay.replay().faults == ()
    assert list(
        PublicEvent.objects.filter(subject=appeal.number).order_by("pk").values_list("type", flat=True)
    ) == [
        "appeal.filed",
        "appeal.admitted",
        "appeal.decided",
    ]


def test_an_upheld_appeal_returns_a_revoked_certificate_to_the_suspension_it_came_from(who, suspension):
    revocation = lifecycle.revoke(
        suspension.certificate,
        by=who.certifier,
        at=clock.now(),
        reason="false_declaration",
        statement=registry.STATEMENT,
    )
    decide(admitted(revocation.notice, who), who)
    assert word_of(suspension.certificate) is Status.SUSPENDED
    assert replay.replay().faults == ()


def test_a_revocation_that_is_upheld_in_part_becomes_a_suspension(who, revocation):
    appeal = admitted(revocation.notice, who)
    with pytest.raises(IncompleteDecision) as refusal:
        decide(appeal, who, "partly_upheld", effect="vary")
    assert refusal.value.extra["field"] == "conditions"
    review_on = (clock.now() + timedelta(days=20)).date()
    decide(appeal, who, "partly_upheld", effect="vary", conditions=registry.CONDITIONS, review_on=review_on)
    verdict = told(revocation.certificate).verdict
    assert (verdict.status, verdict.review_on, verdict.reason) == (
        "suspended",
        review_on,
        "false_declaration",
    )
    assert verdict.conditions[0].text.es == registry.CONDITIONS[0].es
    assert replay.replay().faults == ()


def test_a_varied_suspension_keeps_what_is_not_given(who, suspension):
    appeal = admitted(suspension.notice, who)
    decide(appeal, who, "partly_upheld", effect="vary", reason="figure_error")
    verdict = told(suspension.certificate).verdict
    assert (verdict.reason, verdict.review_on) == ("figure_error", suspension.review_on)
    assert len(verdict.conditions) == 1


def test_an_amended_statement_takes_the_place_of_the_signed_one(who, suspension):
    appeal = admitted(suspension.notice, who)
    amended = {"es": "Se usó la marca en un folleto.", "en": "The mark was used in a leaflet."}
    decide(appeal, who, "partly_upheld", effect="amend", amended=amended)
    page = told(suspension.certificate)
    assert (page.verdict.status, page.verdict.statement.en) == ("suspended", amended["en"])
    assert page.history[0].statement == registry.STATEMENT, "the past entry says what was signed"


@pytest.mark.parametrize(("outcome", "more"), [("dismissed", {}), ("partly_upheld", {"effect": "none"})])
def test_an_outcome_without_effect_leaves_the_certificate_and_has_its_notice(who, suspension, outcome, more):
    decided = decide(admitted(suspension.notice, who), who, outcome, **more)
    assert word_of(suspension.certificate) is Status.SUSPENDED
    assert (decided.notice.decision, decided.notice.about) == ("appeal", suspension.notice)
    assert StatusEvent.objects.count() == 2


def test_a_suspension_lifted_before_its_appeal_is_upheld_is_recorded_and_stays_in_force(who, suspension):
    appeal = admitted(suspension.notice, who)
    lifecycle.reinstate(
        suspension.certificate, by=who.certifier, at=clock.now(), statement=registry.STATEMENT
    )
    decide(appeal, who)
    verdict = told(suspension.certificate).verdict
    assert verdict.status == "active"
    assert verdict.overturned[0].suspended_from is not None
    assert replay.replay().faults == ()


@pytest.mark.usefixtures("moving_clock")
def test_a_certificate_that_expired_while_suspended_shows_both_and_its_appeal_is_only_recorded(who):
    certificate = registry.issued(who, valid_until=clock.now() + timedelta(hours=1))
    suspension = registry.suspend(certificate, by=who.certifier)
    appeal = admitted(suspension.notice, who)
    after = certificate.valid_until + timedelta(seconds=1)
    verdict = page_facts.of_certificate(certificate, at=after).page.verdict
    assert (verdict.status, verdict.suspended_decision) == ("expired", suspension.notice.number)
    appeals.decide(appeal, by=who.appeals_officer, at=after, outcome="upheld", reasons=REASONS)
    verdict = page_facts.of_certificate(certificate, at=after).page.verdict
    assert (verdict.status, verdict.overturned[0].status_stays) == ("expired", True)
    assert replay.replay().faults == ()


def test_an_overturned_refusal_goes_back_to_another_certifier(who):
    measurement = registry.measurement(by=who.evaluator)
    refusal = lifecycle.refuse_issue(
        measurement, by=who.certifier, at=clock.now(), reason="other", statement=registry.STATEMENT
    )
    decide(admitted(refusal, who), who)
    again = policies.refusal_to_issue(who.certifier, measurement, at=clock.now())
    assert again.code == "another_certifier_needed"
    assert lifecycle.issue(
        measurement, by=who.second_certifier, at=clock.now(), statement=registry.STATEMENT
    ).number


# ── finality ─────────────────────────────────────────────────────────────────


@pytest.mark.usefixtures("moving_clock")
def test_a_revocation_nobody_appealed_becomes_final_by_the_clock(who, revocation):
    assert lifecycle.sweep(at=revocation.appeal_until + FINALITY_GRACE)["finalised"] == 1


@pytest.mark.usefixtures("moving_clock")
def test_an_open_appeal_keeps_a_revocation_from_becoming_final(who, revocation):
    certificate, later = revocation.certificate, revocation.appeal_until + FINALITY_GRACE
    appeal = admitted(revocation.notice, who)
    with pytest.raises(NotYetFinal) as refusal:
        lifecycle.finalise(certificate, at=later)
    assert refusal.value.code == "under_appeal"
    ended = later + timedelta(days=3)
    appeals.decide(appeal, by=who.appeals_officer, at=ended, outcome="dismissed", reasons=REASONS)
    with pytest.raises(NotYetFinal):
        lifecycle.finalise(certificate, at=ended + timedelta(hours=23))
    lifecycle.finalise(certificate, at=ended + timedelta(hours=24))
    assert CertificateState.objects.get(pk=certificate.pk).final


@pytest.mark.usefixtures("moving_clock")
def test_the_database_itself_refuses_finality_under_appeal(who, revocation, monkeypatch):
    filed(revocation.notice)
    monkeypatch.setattr(lifecycle, "_require_no_appeal", lambda notice, *, at: None)
    with pytest.raises(IntegrityError, match="under appeal"):
        lifecycle.finalise(revocation.certificate, at=revocation.appeal_until + FINALITY_GRACE)


# ── filing ───────────────────────────────────────────────────────────────────


@pytest.mark.usefixtures("moving_clock")
def test_late_is_recorded_and_can_only_be_declared_inadmissible(who, revocation):
    link = link_to(revocation.notice)
    appeal = filed(revocation.notice, link=link, at=revocation.appeal_until)
    assert appeal.late
    with pytest.raises(AppealRefused) as refusal:
        appeals.admit(appeal, by=who.appeals_officer, at=revocation.appeal_until, summary=SUMMARY)
    assert refusal.value.code == "appeal_late"
    with pytest.raises(IncompleteDecision):
        appeals.declare_inadmissible(
            appeal, by=who.appeals_officer, at=revocation.appeal_until, reason="other", reasons=REASONS
        )
    event = appeals.declare_inadmissible(
        appeal, by=who.appeals_officer, at=revocation.appeal_until, reason="late", reasons=REASONS
    )
    assert event.notice.statement_es == REASONS["es"]
    assert AppealStanding.objects.get().state == "inadmissible"


def test_a_link_serves_once_for_one_decision_until_its_deadline(who, suspension, revocation):
    link = link_to(suspension.notice)
    copy = link_to(suspension.notice)
    with pytest.raises(LinkRefused) as refusal:
        appeal_links.living(link, at=appeal_links.last_moment(suspension.notice))
    assert refusal.value.code == "link_expired"
    filed(suspension.notice, link=link)
    for used in (link, copy):
        used.refresh_from_db()
        with pytest.raises(LinkRefused) as refusal:
            filed(suspension.notice, link=used)
        assert refusal.value.code == "link_used"
    with pytest.raises(LinkRefused):
        appeal_links.find("not-a-secret", purpose=LinkPurpose.FILE, at=clock.now())


def test_a_secret_is_kept_as_a_hash_alone(who, suspension):
    secret = appeal_links.to_file(suspension.notice, at=clock.now())
    assert len(secret) >= 43
    with connection.cursor() as cursor:
        cursor.execute("SELECT to_jsonb(l)::text FROM certificates_appeallink l")
        assert secret not in cursor.fetchone()[0]
    with pytest.raises(LinkRefused):
        appeal_links.find(secret, purpose=LinkPurpose.FOLLOW, at=clock.now())


def test_a_withdrawn_appeal_counts(who, suspension):
    appeal = filed(suspension.notice)
    follow = link_to_follow(appeal)
    appeals.withdraw(by_link(follow), at=clock.now())
    assert AppealStanding.objects.get().state == "withdrawn"
    assert appeal_links.to_file(suspension.notice, at=clock.now()) is None
    follow.refresh_from_db()
    with pytest.raises(LinkRefused):
        appeals.withdraw(by_link(follow), at=clock.now())


@pytest.mark.parametrize(
    ("more", "field"),
    [({"grounds": "  "}, "grounds"), ({"grounds": "a" * 100_000}, "grounds"), ({"name": "\u202e"}, "name")],
)
def test_what_an_appeal_needs(who, suspension, more, field):
    with pytest.raises(IncompleteAppeal) as refusal:
        filed(suspension.notice, **more)
    assert refusal.value.extra["field"] == field
    assert not Appeal.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_of_eight_filings_at_once_one_stands(who):
    suspension = registry.suspend(registry.issued(who), by=who.certifier)
    link = link_to(suspension.notice)

    def file_it(_):
        try:
            filed(suspension.notice, link=link)
        except (LinkRefused, NotAppealable) as refusal:
            return refusal.code
        finally:
            connection.close()
        return "filed"

    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(file_it, range(8)))
    assert sorted(answers) == ["filed", *["link_used"] * 7]
    assert Appeal.objects.count() == 1


# ── who decides ──────────────────────────────────────────────────────────────


def test_nobody_involved_takes_a_step_on_it_superuser_included(who, suspension):
    appeal = filed(suspension.notice)
    who.certifier.is_superuser = True
    who.certifier.save()
    RoleGrant.objects.create(person=who.certifier.person, role=Role.APPEALS_OFFICER, granted_at=clock.now())
    RoleGrant.objects.create(person=who.evaluator.person, role=Role.APPEALS_OFFICER, granted_at=clock.now())
    cases = {
        who.certifier: "took_part_in_decision",
        who.evaluator: "took_part_in_evaluation",
        who.second_certifier: "role_missing",
        who.registrar: "role_missing",
        registry.person("Susana Superusuaria", is_superuser=True): "role_missing",
    }
    for user, code in cases.items():
        with pytest.raises(NotAllowed) as refusal:
            appeals.admit(appeal, by=user, at=clock.now(), summary=SUMMARY)
        assert refusal.value.code == code
    assert policies.refusal_to_decide_appeal(who.appeals_officer, appeal, at=clock.now()) is None
    # Whoever decides the appeal is not kept from a later one by that.
    appeals.admit(appeal, by=who.appeals_officer, at=clock.now(), summary=SUMMARY)
    decide(appeal, who, "dismissed")
    assert policies.refusal_to_decide_appeal(who.appeals_officer, appeal, at=clock.now()) is None
    assert Participation.objects.filter(person=who.evaluator.person).exists()


def test_the_database_refuses_a_decision_on_the_own_decision(who, suspension, monkeypatch):
    appeal = filed(suspension.notice)
    monkeypatch.setattr(policies, "refusal_to_decide_appeal", lambda *a, **k: None)
    with pytest.raises(IntegrityError, match="own decision"), transaction.atomic():
        appeals.admit(appeal, by=who.certifier, at=clock.now(), summary=SUMMARY)


@pytest.mark.parametrize(
    ("more", "field"),
    [
        ({"outcome": "maybe"}, "outcome"),
        ({"outcome": "partly_upheld"}, "effect"),
        ({"outcome": "dismissed", "effect": "none"}, "effect"),
        ({"outcome": "partly_upheld", "effect": "amend"}, "amended.es"),
    ],
)
def test_an_outcome_is_complete(who, suspension, more, field):
    appeal = admitted(suspension.notice, who)
    with pytest.raises(IncompleteDecision) as refusal:
        decide(appeal, who, **more)
    assert refusal.value.extra["field"] == field
    assert AppealStanding.objects.get().state == "admitted"


def test_an_appeal_takes_the_steps_of_its_table(who, suspension):
    appeal = filed(suspension.notice)
    with pytest.raises(AppealRefused):
        decide(appeal, who)
    appeals.admit(appeal, by=who.appeals_officer, at=clock.now(), summary=SUMMARY)
    with pytest.raises(AppealRefused):
        appeals.admit(appeal, by=who.appeals_officer, at=clock.now(), summary=SUMMARY)


# ── what stays, what goes ────────────────────────────────────────────────────


def test_what_was_written_stays_and_who_filed_it_can_be_erased(who, suspension):
    appeal = admitted(suspension.notice, who)
    event = appeal.events.first()
    with pytest.raises(WrittenOnceError):
        event.save()
    for table in ("certificates_appeal", "certificates_appealevent"):
        with pytest.raises(IntegrityError), transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(f"DELETE FROM {table}")  # noqa: S608 - our own names
    with pytest.raises(IntegrityError), transaction.atomic():
        AppealStanding.objects.update(state="decided", deadline_at=None)
    appeals.erase_contact(appeal, at=clock.now())
    contact = AppealContact.objects.get()
    assert (contact.name, contact.email) == ("", "")
    assert Appeal.objects.get().grounds == GROUNDS


def test_who_filed_is_forgotten_some_time_after_the_end_and_not_before(who, suspension, settings):
    appeal = admitted(suspension.notice, who)
    now = clock.now()
    later = now + timedelta(days=settings.PERSONAL_DATA_DAYS + 1)
    assert appeals.sweep(at=later) == 0, "it is still open"
    decide(appeal, who, "dismissed")
    assert appeals.sweep(at=now) == 0
    assert AppealContact.objects.get().email
    assert appeals.sweep(at=later) == 1
    assert (AppealContact.objects.get().email, AppealContact.objects.get().name) == ("", "")
    assert appeals.sweep(at=later) == 0
    assert Appeal.objects.get().grounds == GROUNDS


def test_whoever_filed_and_who_decides_are_told_of_every_step(who, suspension):
    appeal = admitted(suspension.notice, who)
    decide(appeal, who, "dismissed")
    rows = Outbox.objects.filter(concerns=appeal.number)
    assert {row.kind for row in rows} == {"appeal.filed", "appeal.admitted", "appeal.decided"}
    assert {row.recipient for row in rows} == {"paula@peumo.example", who.appeals_officer.email}


@pytest.mark.parametrize("way", ["filed", "admitted", "inadmissible", "decided", "withdrawn"])
def test_the_trigger_has_the_order_of_the_table(who, suspension, way):
    appeal = filed(suspension.notice)
    now = clock.now()
    if way in ("admitted", "decided"):
        appeals.admit(appeal, by=who.appeals_officer, at=now, summary=SUMMARY)
    if way == "decided":
        decide(appeal, who, "dismissed")
    if way == "inadmissible":
        appeals.declare_inadmissible(
            appeal, by=who.appeals_officer, at=now, reason="without_grounds", reasons=REASONS
        )
    if way == "withdrawn":
        appeals.withdraw(by_link(link_to_follow(appeal)), at=now)
    last = appeal.events.last()
    for step in AppealStep:
        # Past the order of steps other constraints may refuse a row as bare as this one.
        refused = ""
        try:
            with transaction.atomic():
                AppealEvent.objects.create(
                    appeal=appeal, sequence=last.sequence + 1, step=step, at=clock.now()
                )
        except IntegrityError as error:
            refused = str(error)
        assert ("does not go from" in refused) == ((AppealState(way), step) not in TRANSITIONS)


def test_the_page_offers_no_second_appeal_against_the_same_decision(who, suspension):
    certificate = suspension.certificate

    def offers() -> bool:
        page = Client().get(f"/es/c/{certificate.number}/").content.decode()
        return "El titular puede apelar hasta" in page

    assert offers()
    decide(admitted(suspension.notice, who), who, "dismissed")
    assert not offers()
    notice = Client().get(f"/es/notices/{suspension.notice.number}/").content.decode()
    assert "Se puede apelar hasta" not in notice
    # A prolongation is another decision, with its own period.
    lifecycle.prolong(
        certificate,
        by=who.certifier,
        at=clock.now(),
        statement=registry.STATEMENT,
        review_on=(clock.now() + timedelta(days=60)).date(),
    )
    assert offers()
