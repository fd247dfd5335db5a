"""Status is a pure function of the events and the instant: what a visitor may rely on at that moment."""

from dataclasses import replace
from datetime import timedelta

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from certificates import states
from certificates.states import Event, Standing, Status, Step, status_of
from certificates.tests.histories import DAY, NINE, YEAR, history


def words(facts):
    return [fact.status for fact in facts.facts]


def test_from_issue_on_it_is_in_force():
    facts = status_of(history(Step.ISSUE), NINE)
    assert (facts.word, facts.in_force, facts.since) == (Status.ACTIVE, True, NINE)
    assert facts.stale_at == NINE + YEAR


def test_before_its_issue_there_is_no_status():
    for events, now in (([], NINE), (history(Step.ISSUE), NINE - timedelta(microseconds=1))):
        with pytest.raises(states.NotIssued):
            status_of(events, now)


def test_it_expires_by_the_clock_although_no_job_ran():
    events = history(Step.ISSUE)
    assert status_of(events, NINE + YEAR - timedelta(microseconds=1)).in_force
    expired = status_of(events, NINE + YEAR)
    assert (expired.word, expired.in_force, expired.since) == (Status.EXPIRED, False, NINE + YEAR)
    assert not expired.expiry_recorded
    assert expired.stale_at is None


def test_expired_while_suspended_shows_both_facts():
    facts = status_of(history(Step.ISSUE, Step.SUSPEND), NINE + YEAR + DAY)
    assert words(facts) == [Status.EXPIRED, Status.SUSPENDED]
    assert facts.since == NINE + YEAR
    assert facts.not_in_force_since == NINE + DAY
    assert facts.suspension.since == NINE + DAY
    assert not facts.review_overdue, "an expired certificate waits for no review"


def test_an_overdue_review_is_shown_and_changes_nothing():
    events = history(Step.ISSUE, Step.SUSPEND)
    due = events[1].review_until
    before, after = status_of(events, due - timedelta(microseconds=1)), status_of(events, due)
    assert before.stale_at == due
    assert (before.review_overdue, after.review_overdue) == (False, True)
    assert before.word is after.word is Status.SUSPENDED


def test_prolonging_moves_the_review_and_leaves_the_beginning():
    events = history(Step.ISSUE, Step.SUSPEND, Step.PROLONG)
    facts = status_of(events, NINE + 3 * DAY)
    assert facts.since == facts.suspension.since == NINE + DAY
    assert facts.suspension.review_until == events[2].review_until
    assert (facts.suspension.sequence, facts.suspension.terms) == (2, 3)
    assert facts.appeal_until == events[2].appeal_until


def test_reinstated_it_is_in_force_again_and_the_suspension_is_remembered():
    facts = status_of(history(Step.ISSUE, Step.SUSPEND, Step.REINSTATE), NINE + 3 * DAY)
    assert (facts.in_force, facts.since) == (True, NINE + 2 * DAY)
    assert facts.past_suspensions == ((NINE + DAY, NINE + 2 * DAY),)
    assert facts.not_in_force_since is None


def test_a_revocation_is_not_final_before_its_event():
    events = history(Step.ISSUE, Step.REVOKE)
    open_period = status_of(events, NINE + 2 * DAY)
    assert (open_period.word, open_period.final, open_period.appeal_period_over) == (
        Status.REVOKED,
        False,
        False,
    )
    assert open_period.stale_at == events[1].appeal_until
    over = status_of(events, NINE + 90 * DAY)
    assert (over.final, over.appeal_period_over) == (False, True)
    final = status_of([*events, Event(sequence=3, step=Step.FINALISE, at=NINE + 91 * DAY)], NINE + 91 * DAY)
    assert (final.final, final.standing) == (True, Standing.REVOKED_FINAL)


def test_revoked_after_a_suspension_was_out_of_force_from_the_suspension_on():
    facts = status_of(history(Step.ISSUE, Step.SUSPEND, Step.REVOKE), NINE + 3 * DAY)
    assert facts.since == NINE + 2 * DAY
    assert facts.not_in_force_since == NINE + DAY
    assert words(facts) == [Status.REVOKED, Status.SUSPENDED]


def test_terminated_while_suspended_says_so():
    facts = status_of(history(Step.ISSUE, Step.SUSPEND, Step.TERMINATE), NINE + 3 * DAY)
    assert words(facts) == [Status.TERMINATED, Status.SUSPENDED]


def test_an_overturned_suspension_is_as_if_it_had_not_been_but_is_told():
    events = history(Step.ISSUE, Step.SUSPEND, Step.PROLONG, (Step.OVERTURN, {"target": 2, "appeal": "AP-1"}))
    facts = status_of(events, NINE + 4 * DAY)
    assert facts.word is Status.ACTIVE
    assert facts.past_suspensions == ()
    (told,) = facts.overturned
    assert (told.sequence, told.appeal, told.status_stays) == (2, "AP-1", False)
    assert (told.suspended_from, told.suspended_to) == (NINE + DAY, NINE + 3 * DAY)


def test_an_overturned_prolongation_brings_the_earlier_review_date_back():
    events = history(Step.ISSUE, Step.SUSPEND, Step.PROLONG, (Step.OVERTURN, {"target": 3}))
    facts = status_of(events, NINE + 4 * DAY)
    assert facts.word is Status.SUSPENDED
    assert facts.suspension.review_until == events[1].review_until


def test_an_overturned_revocation_returns_to_the_suspension_before_it():
    events = history(Step.ISSUE, Step.SUSPEND, Step.REVOKE, (Step.OVERTURN, {"target": 3}))
    facts = status_of(events, NINE + 4 * DAY)
    assert (facts.word, facts.since) == (Status.SUSPENDED, NINE + 3 * DAY)
    assert facts.not_in_force_since == NINE + DAY


def test_an_overturned_revocation_whose_term_has_passed_is_expired():
    events = history(Step.ISSUE, Step.REVOKE, (Step.OVERTURN, {"target": 2, "at": NINE + YEAR + DAY}))
    facts = status_of(events, NINE + YEAR + DAY)
    assert (facts.word, facts.since) == (Status.EXPIRED, NINE + YEAR)


def test_a_varied_revocation_is_a_suspension_with_its_own_terms():
    events = history(Step.ISSUE, Step.REVOKE, (Step.VARY, {"target": 2, "reason": "system_changed"}))
    facts = status_of(events, NINE + 3 * DAY)
    assert (facts.word, facts.suspension.reason) == (Status.SUSPENDED, "system_changed")
    assert facts.suspension.since == NINE + DAY
    assert facts.suspension.notice == events[2].notice


def test_the_outcome_of_an_appeal_after_the_end_is_recorded_and_the_status_stays():
    events = history(Step.ISSUE, Step.SUSPEND, Step.TERMINATE, (Step.OVERTURN, {"target": 2}))
    facts = status_of(events, NINE + 4 * DAY)
    assert facts.word is Status.TERMINATED
    assert words(facts) == [Status.TERMINATED], "an overturned suspension is no longer held against it"
    assert facts.overturned[0].status_stays


def test_the_page_of_a_past_day_is_answered_as_it_was_with_what_was_overturned_since():
    events = history(Step.ISSUE, Step.SUSPEND, Step.PROLONG, (Step.OVERTURN, {"target": 2}))
    then = NINE + 2 * DAY
    assert status_of(events, then).word is Status.SUSPENDED
    (later,) = states.later_overturned(events, then=then, now=NINE + 10 * DAY)
    assert later.sequence == 2
    assert states.later_overturned(events, then=NINE + 5 * DAY, now=NINE + 10 * DAY) == ()


def test_an_erratum_may_say_that_nothing_is_to_be_relied_on():
    events = history(Step.ISSUE, (Step.ERRATUM, {"do_not_rely": True}))
    facts = status_of(events, NINE + 2 * DAY)
    assert facts.in_force
    assert facts.do_not_rely
    assert facts.errata == (events[1],)


def test_superseded_names_the_other_certificate():
    facts = status_of(history(Step.ISSUE, Step.SUPERSEDE), NINE + 2 * DAY)
    assert (facts.word, facts.superseded_by) == (Status.SUPERSEDED, "FEH-2026-000043-84")


def test_each_event_has_the_words_on_both_sides_of_it():
    events = history(Step.ISSUE, Step.SUSPEND, Step.ERRATUM, (Step.EXPIRE, {"at": NINE + YEAR}))
    assert states.course(events) == [
        (None, Status.ACTIVE),
        (Status.ACTIVE, Status.SUSPENDED),
        (Status.SUSPENDED, Status.SUSPENDED),
        (Status.EXPIRED, Status.EXPIRED),
    ]


def test_five_hundred_events_are_read_at_once():
    steps = [Step.ISSUE] + [Step.SUSPEND, Step.REINSTATE] * 250
    events = history(*steps, every=timedelta(hours=1))
    assert len(status_of(events, NINE + 30 * DAY).past_suspensions) == 250


class Life(RuleBasedStateMachine):
    """Random steps at random instants: the status never contradicts the table, the clock or its own past."""

    def __init__(self):
        super().__init__()
        self.events = history(Step.ISSUE)
        self.now = NINE
        self.answers: list[tuple] = []

    @rule(hours=st.integers(0, 24 * 45))
    def time_passes(self, hours):
        self.answers.append((self.now, len(self.events), status_of(self.events, self.now)))
        self.now += timedelta(hours=hours, microseconds=1)

    @rule(step=st.sampled_from(Step), about=st.integers(1, 12))
    @precondition(lambda self: len(self.events) < 14)
    def someone_tries(self, step, about):
        before = status_of(self.events, self.now)
        target = about if step in (Step.VARY, Step.OVERTURN) else None
        try:
            states.require_step(step, self.events, at=self.now, target=target)
        except states.StepRefused as refusal:
            assert refusal.standing is before.standing  # noqa: PT017 - most tries are refused, not all
            return
        event = replace(history(step, start=self.now)[0], sequence=len(self.events) + 1, target=target)
        self.events.append(event)
        after = status_of(self.events, self.now)
        outcome = states.TRANSITIONS[before.standing, step]
        if outcome is states.Outcome.STATUS_STAYS:
            assert after.standing is before.standing
        elif isinstance(outcome, Standing) and step is not Step.VARY:
            assert after.standing is outcome
        self.now += timedelta(microseconds=1)

    @invariant()
    def the_word_is_the_first_true_fact(self):
        facts = status_of(self.events, self.now)
        assert facts.facts[0].status is facts.word
        assert facts.in_force == (facts.word is Status.ACTIVE) == (facts.not_in_force_since is None)
        assert facts.in_force is False or self.now < facts.valid_until
        assert facts.since <= self.now
        assert facts.final is False or facts.word is Status.REVOKED

    @invariant()
    def nothing_changes_before_stale_at(self):
        facts = status_of(self.events, self.now)
        until = facts.stale_at or self.now + 5000 * DAY
        assert until > self.now
        just_before = status_of(self.events, until - timedelta(microseconds=1))
        assert just_before == replace(facts, stale_at=just_before.stale_at)
        if facts.stale_at:
            assert status_of(self.events, until) != just_before

    @invariant()
    def the_past_stays_as_it_was_told(self):
        for then, count, answer in self.answers[-3:]:
            if count == len([event for event in self.events if event.at <= then]):
                assert status_of(self.events, then) == answer


Life.TestCase.settings = settings(max_examples=40, stateful_step_count=25, deadline=None)
TestLife = Life.TestCase
