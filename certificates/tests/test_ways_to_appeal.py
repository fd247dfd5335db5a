"""How an appeal comes: by the link, from an account of the holder, or on its behalf by a second person (rule 6)."""

from datetime import timedelta

import pytest
from django.db import IntegrityError, transaction

from certificates import (
    appeal_authors,
    appeal_links,
    appeals,
    holder_requests,
    lifecycle,
    page_facts,
    policies,
)
from certificates.models import Appeal, AppealEvent, AppealStanding
from certificates.refusals import (
    AppealRefused,
    IncompleteDecision,
    NotAppealable,
    NotYetFinal,
    RuleOfImpartiality,
)
from certificates.tests import registry
from certificates.tests.appealing import GROUNDS, REASONS, by_link, decide, filed, link_to, link_to_follow
from evidence import memberships
from registry_site import clock
from registry_site.models import AuditEntry
from registry_site.problems import NotAllowed

pytestmark = pytest.mark.django_db


@pytest.fixture
def suspension(who):
    return registry.suspend(registry.issued(who), by=who.certifier)


@pytest.fixture
def paula(who, suspension):
    """A person of the holder."""
    user = registry.person("Paula Peumo")
    link(policies.holder_of(suspension.notice), user, who)
    return user


def link(holder, user, who):
    return memberships.link(holder, user=user, by=who.registrar.person, at=clock.now())


def by_account(user, notice) -> appeal_authors.ByAccount:
    return appeal_authors.ByAccount(user, notice)


def store(notice, by, kind="appeal", **more):
    facts = {"text": GROUNDS, "received_on": clock.now().date(), "at": clock.now()}
    return holder_requests.store(notice, by=by, kind=kind, **(facts | more))


def told(certificate):
    return page_facts.of_certificate(certificate, at=clock.now()).page.appeals[0]


# ── from an account ──────────────────────────────────────────────────────────


def test_a_person_of_the_holder_appeals_and_withdraws_from_its_account(suspension, paula):
    appeal = filed(suspension.notice, by=by_account(paula, suspension.notice))
    event = appeal.events.get()
    assert (event.way, event.by, event.role, event.request) == ("account", paula.person, None, None)
    assert AuditEntry.objects.get(action="appeal.filed").person == paula.person
    assert told(suspension.certificate).way == "account"
    assert appeal_links.to_file(suspension.notice, at=clock.now()) is None
    appeals.withdraw(by_account(paula, suspension.notice), at=clock.now())
    assert AppealStanding.objects.get().state == "withdrawn"
    assert told(suspension.certificate).withdrawn_way == "account"
    with pytest.raises(AppealRefused):
        appeals.withdraw(by_account(paula, suspension.notice), at=clock.now())


def test_an_appeal_dies_with_the_links_and_the_links_with_the_appeal(suspension, paula):
    living = link_to(suspension.notice)
    filed(suspension.notice, by=by_account(paula, suspension.notice))
    living.refresh_from_db()
    assert living.used_at is not None
    with pytest.raises(NotAppealable) as refusal:
        filed(suspension.notice, by=by_account(paula, suspension.notice))
    assert refusal.value.code == "already_appealed"
    assert Appeal.objects.count() == 1


def test_what_was_filed_by_the_link_is_withdrawn_from_the_account_too(suspension, paula):
    filed(suspension.notice)
    appeals.withdraw(by_account(paula, suspension.notice), at=clock.now())
    page = told(suspension.certificate)
    assert (page.way, page.withdrawn_way) == ("link", "account")


def test_nobody_else_appeals_from_an_account(who, suspension, paula):
    stranger = registry.person("Sara Suspicaz")
    link(registry.holder("Otra SpA"), stranger, who)
    former = registry.person("Fermín Fue")
    memberships.end(
        link(policies.holder_of(suspension.notice), former, who), by=who.registrar.person, at=clock.now()
    )
    for user in (stranger, former, who.certifier, who.second_certifier, who.registrar):
        with pytest.raises(NotAllowed) as refusal:
            filed(suspension.notice, by=by_account(user, suspension.notice))
        assert refusal.value.code == "not_of_the_holder"
    appeal = filed(suspension.notice)
    for user in (stranger, former):
        with pytest.raises(NotAllowed):
            appeals.withdraw(by_account(user, suspension.notice), at=clock.now())
    assert appeal.events.count() == 1


def test_whoever_decided_does_not_speak_for_the_holder_against_it(who, suspension):
    link(policies.holder_of(suspension.notice), who.certifier, who)
    with pytest.raises(RuleOfImpartiality) as refusal:
        filed(suspension.notice, by=by_account(who.certifier, suspension.notice))
    assert refusal.value.code == "took_part_in_decision"


def test_a_late_appeal_is_recorded_for_a_day_and_then_not_taken(suspension, paula, moving_clock):
    until = suspension.notice.appeal_until
    with pytest.raises(NotAppealable) as refusal:
        filed(
            suspension.notice,
            by=by_account(paula, suspension.notice),
            at=appeal_links.last_moment(suspension.notice),
        )
    assert refusal.value.code == "appeal_period_over"
    assert filed(suspension.notice, by=by_account(paula, suspension.notice), at=until).late


def test_a_decision_that_is_not_appealed_is_not_appealed_from_an_account(who, suspension, paula):
    lifted = lifecycle.reinstate(
        suspension.certificate, by=who.certifier, at=clock.now(), statement=registry.STATEMENT
    )
    with pytest.raises(NotAppealable):
        filed(lifted.notice, by=by_account(paula, lifted.notice))


# ── on the holder's behalf ───────────────────────────────────────────────────


def test_one_person_stores_the_request_and_a_second_one_files_the_appeal(who, suspension):
    request = store(suspension.notice, who.second_certifier)
    assert (request.certificate, request.notice) == (suspension.certificate, suspension.notice)
    appeal = filed(suspension.notice, by=appeal_authors.OnBehalf(who.evaluator, request))
    event = appeal.events.get()
    assert (event.way, event.by, event.request) == ("on_behalf", who.evaluator.person, request)
    assert told(suspension.certificate).way == "on_behalf"
    withdrawal = store(suspension.notice, who.evaluator, kind="withdraw", text="Desistimos.")
    appeals.withdraw(appeal_authors.OnBehalf(who.second_certifier, withdrawal), at=clock.now())
    assert told(suspension.certificate).withdrawn_way == "on_behalf"


def test_a_refusal_has_no_certificate_and_is_appealed_on_its_holders_behalf_too(who):
    refusal = lifecycle.refuse_issue(
        registry.measurement(by=who.evaluator),
        by=who.certifier,
        at=clock.now(),
        reason="criteria_not_met",
        statement=registry.STATEMENT,
    )
    request = store(refusal, who.second_certifier)
    assert request.certificate is None
    assert filed(refusal, by=appeal_authors.OnBehalf(who.evaluator, request)).notice == refusal


def test_who_may_not_act_on_a_stored_request(who, suspension):
    request = store(suspension.notice, who.second_certifier)
    member = registry.person("Marta Mixta", registry.Role.EVALUATOR)
    link(policies.holder_of(suspension.notice), member, who)
    for user, code in [
        (who.second_certifier, "second_person_needed"),
        (who.certifier, "took_part_in_decision"),
        (who.registrar, "role_missing"),
        (registry.person("Sin Función"), "role_missing"),
        (member, "person_of_the_holder"),
    ]:
        with pytest.raises(NotAllowed) as refusal:
            filed(suspension.notice, by=appeal_authors.OnBehalf(user, request))
        assert refusal.value.code == code
    assert not Appeal.objects.exists()


def test_a_request_is_acted_on_once_and_for_what_it_asks(who, suspension):
    request = store(suspension.notice, who.second_certifier)
    with pytest.raises(IncompleteDecision) as refusal:
        appeals_withdrawn = appeal_authors.OnBehalf(who.evaluator, request)
        filed(suspension.notice)
        appeals.withdraw(appeals_withdrawn, at=clock.now())
    assert refusal.value.code == "request_does_not_fit"
    with pytest.raises(NotAppealable):
        filed(suspension.notice, by=appeal_authors.OnBehalf(who.evaluator, request))
    withdrawal = store(suspension.notice, who.second_certifier, kind="withdraw")
    appeals.withdraw(appeal_authors.OnBehalf(who.evaluator, withdrawal), at=clock.now())
    with pytest.raises(IncompleteDecision) as refusal:
        appeals.withdraw(appeal_authors.OnBehalf(who.evaluator, withdrawal), at=clock.now())
    assert refusal.value.code == "request_already_used"


def test_only_what_makes_sense_is_stored(who, suspension):
    for kind, code in [("terminate", "unknown_kind"), ("withdraw", "no_open_appeal")]:
        with pytest.raises((IncompleteDecision, AppealRefused)) as refusal:
            store(suspension.notice, who.second_certifier, kind=kind)
        assert refusal.value.code == code
    with pytest.raises(IncompleteDecision):
        store(suspension.certificate, who.second_certifier, kind="appeal")
    filed(suspension.notice)
    with pytest.raises(NotAppealable):
        store(suspension.notice, who.second_certifier)


def test_whoever_spoke_for_the_holder_does_not_decide_its_appeal(who, suspension):
    both = registry.person("Berta Ambas", registry.Role.APPEALS_OFFICER)
    request = store(suspension.notice, both)
    other = registry.person("Olga Otra", registry.Role.APPEALS_OFFICER)
    appeal = filed(suspension.notice, by=appeal_authors.OnBehalf(other, request))
    for user in (both, other):
        refused = policies.refusal_to_decide_appeal(user, appeal, at=clock.now())
        assert (refused.code, refused.extra["rule"]) == ("spoke_for_the_holder", 2)
        with (
            pytest.raises(IntegrityError, match="whoever spoke for the holder"),
            transaction.atomic(),
        ):
            AppealEvent.objects.create(
                appeal=appeal,
                sequence=2,
                step="admit",
                at=clock.now(),
                by=user.person,
                role="appeals_officer",
                summary_es="x",
                summary_en="x",
                public_event=appeal.events.get().public_event,
            )
    assert policies.refusal_to_decide_appeal(who.appeals_officer, appeal, at=clock.now()) is None


@pytest.mark.parametrize(
    ("columns", "constraint"),
    [
        ({"way": "account"}, "says_how_it_came"),
        ({"way": "on_behalf", "by": "evaluator"}, "says_how_it_came"),
        ({"way": "link", "by": "evaluator"}, "says_how_it_came"),
        ({"way": "on_behalf", "by": "second_certifier", "request": True}, "a second person acts"),
    ],
)
def test_the_database_holds_how_it_came(who, suspension, columns, constraint):
    filed(suspension.notice)
    appeal = Appeal.objects.get()
    request = store(suspension.notice, who.second_certifier, kind="withdraw")
    values = dict(columns)
    if "by" in values:
        values["by"] = getattr(who, values["by"]).person
    if "request" in values:
        values["request"] = request
    with pytest.raises(IntegrityError, match=constraint), transaction.atomic():
        AppealEvent.objects.create(
            appeal=appeal,
            sequence=2,
            step="withdraw",
            at=clock.now(),
            public_event=appeal.events.get().public_event,
            **values,
        )


def test_a_request_that_came_in_time_is_not_late_and_keeps_a_revocation_from_finality(who, moving_clock):
    revoked = lifecycle.revoke(
        registry.issued(who),
        by=who.certifier,
        at=clock.now(),
        reason="false_declaration",
        statement=registry.STATEMENT,
    )
    until = revoked.notice.appeal_until
    request = store(
        revoked.notice,
        who.second_certifier,
        at=until + timedelta(hours=1),
        received_on=(until - timedelta(days=3)).date(),
    )
    later = until + timedelta(days=2)
    with pytest.raises(NotYetFinal) as refusal:
        lifecycle.finalise(revoked.certificate, at=later)
    assert refusal.value.code == "request_to_appeal_waits"
    appeal = filed(revoked.notice, by=appeal_authors.OnBehalf(who.evaluator, request), at=later)
    assert not appeal.late


def test_a_request_that_came_late_is_late(who, suspension, moving_clock):
    until = suspension.notice.appeal_until
    request = store(
        suspension.notice,
        who.second_certifier,
        at=until + timedelta(hours=2),
        received_on=until.date() + timedelta(days=0),
    )
    appeal = filed(
        suspension.notice,
        by=appeal_authors.OnBehalf(who.evaluator, request),
        at=until + timedelta(hours=3),
    )
    assert appeal.late


def test_the_link_goes_on_as_before(suspension):
    appeal = filed(suspension.notice)
    assert appeal.events.get().way == "link"
    appeals.withdraw(by_link(link_to_follow(appeal)), at=clock.now())
    assert told(suspension.certificate).withdrawn_way == "link"


def test_what_is_decided_afterwards_goes_as_ever(who, suspension, paula):
    appeal = filed(suspension.notice, by=by_account(paula, suspension.notice))
    appeals.admit(
        appeal, by=who.appeals_officer, at=clock.now(), summary={"es": "Resumen.", "en": "Summary."}
    )
    assert decide(appeal, who).reasons_es == REASONS["es"]
