"""Every pair of standing and step is in the table or refused by name; real steps reach every standing."""

from datetime import timedelta
from pathlib import Path

import pytest

from certificates import diagram, states
from certificates.states import Outcome, Standing, Status, Step
from certificates.tests.histories import DAY, NINE, YEAR, history

# How to come to each standing by real steps, and the instant at which one then stands there.
WAYS = {
    Standing.ACTIVE: ([Step.ISSUE, Step.SUSPEND, Step.REINSTATE], NINE + 3 * DAY),
    Standing.SUSPENDED: ([Step.ISSUE, Step.SUSPEND], NINE + 2 * DAY),
    Standing.REVOKED: ([Step.ISSUE, Step.REVOKE], NINE + 40 * DAY),
    Standing.REVOKED_FINAL: (
        [Step.ISSUE, Step.REVOKE, (Step.FINALISE, {"at": NINE + 33 * DAY})],
        NINE + 40 * DAY,
    ),
    Standing.TERMINATED: ([Step.ISSUE, Step.SUSPEND, Step.TERMINATE], NINE + 3 * DAY),
    Standing.SUPERSEDED: ([Step.ISSUE, Step.SUSPEND, Step.SUPERSEDE], NINE + 3 * DAY),
    Standing.EXPIRED: ([Step.ISSUE, Step.SUSPEND], NINE + YEAR),
}

# The table of the design, typed a second time by hand: what differs from it is a fault of one of the two.
DESIGN = {
    "none": {"issue": "active", "overturn": "another_certifier"},
    "active": {
        "suspend": "suspended",
        "revoke": "revoked",
        "terminate": "terminated",
        "supersede": "superseded",
        "vary": "status_stays",
        "overturn": "status_stays",
        "erratum": "status_stays",
    },
    "suspended": {
        "prolong": "suspended",
        "reinstate": "active",
        "revoke": "revoked",
        "terminate": "terminated",
        "supersede": "superseded",
        "vary": "suspended",
        "overturn": "as_before_the_decision",
        "erratum": "status_stays",
    },
    "revoked": {
        "vary": "suspended",
        "overturn": "as_before_the_decision",
        "finalise": "revoked_final",
        "erratum": "status_stays",
    },
    "revoked_final": {"vary": "status_stays", "overturn": "status_stays", "erratum": "status_stays"},
    "terminated": {"vary": "status_stays", "overturn": "status_stays", "erratum": "status_stays"},
    "superseded": {"vary": "status_stays", "overturn": "status_stays", "erratum": "status_stays"},
    "expired": {
        "vary": "status_stays",
        "overturn": "status_stays",
        "erratum": "status_stays",
        "expire": "status_stays",
    },
}


def target_of(events):
    return next((event.sequence for event in events if event.step in states.APPEALABLE), None)


@pytest.mark.parametrize("standing", Standing)
@pytest.mark.parametrize("step", Step)
def test_every_pair_is_in_the_table_or_refused_by_name(standing, step):
    assert DESIGN[standing].get(step) == states.TRANSITIONS.get((standing, step))
    if standing is Standing.NONE:
        events, now = [], NINE
    else:
        way, now = WAYS[standing]
        events = history(*way)
        assert states.status_of(events, now).standing is standing
    allowed = (standing, step) in states.TRANSITIONS
    if not allowed:
        with pytest.raises(states.ForbiddenTransition) as refusal:
            states.require_step(step, events, at=now, target=target_of(events))
        assert (refusal.value.step, refusal.value.standing) == (step, standing)
        return
    states.require_step(step, events, at=now, target=target_of(events))
    if standing is Standing.NONE:
        return
    outcome = states.TRANSITIONS[standing, step]
    taken = history(step)[0]
    taken = states.replace(taken, sequence=len(events) + 1, at=now, target=target_of(events))
    after = states.status_of([*events, taken], now)
    if isinstance(outcome, Standing):
        assert after.standing is outcome
    elif outcome is Outcome.STATUS_STAYS:
        assert after.standing is standing
    else:
        without = [event for event in events if event.sequence != taken.target]
        assert after.word is states.status_of(without, now).word


def test_every_word_of_the_vocabulary_has_its_place():
    assert set(states.PRECEDENCE) == set(Status)
    assert set(states.EVENT_TYPES) == set(Step)
    assert set(DESIGN) == {standing.value for standing in Standing}
    assert {step for _, step in states.TRANSITIONS} == set(Step)
    assert set(states.Decision) - {"refuse", "appeal", "report"} == {s.value for s in Step} - {
        s.value for s in states.STEPS_OF_THE_CLOCK
    }
    assert {s.value for s in Standing} - {"none", "revoked_final"} == {s.value for s in Status}


def test_nothing_is_dated_back():
    events = history(Step.ISSUE, Step.SUSPEND)
    with pytest.raises(states.DatedBack):
        states.require_step(Step.REINSTATE, events, at=events[-1].at - timedelta(microseconds=1))


def test_a_revocation_is_final_at_the_earliest_a_day_after_the_period_to_appeal():
    events = history(Step.ISSUE, Step.REVOKE)
    earliest = events[-1].appeal_until + timedelta(hours=24)
    with pytest.raises(states.NotYetFinal) as refusal:
        states.require_step(Step.FINALISE, events, at=earliest - timedelta(microseconds=1))
    assert refusal.value.facts["earliest"] == earliest
    assert states.require_step(Step.FINALISE, events, at=earliest).appeal_period_over


def test_the_sweep_writes_an_expiry_down_once():
    events = history(Step.ISSUE, (Step.EXPIRE, {"at": NINE + YEAR}))
    with pytest.raises(states.AlreadyRecorded):
        states.require_step(Step.EXPIRE, events, at=NINE + YEAR)


@pytest.mark.parametrize("target", [None, 1, 3, 99])
def test_only_a_decision_that_stands_and_can_be_appealed_is_overturned(target):
    events = history(Step.ISSUE, Step.SUSPEND, Step.ERRATUM)
    with pytest.raises(states.UnknownDecision):
        states.require_step(Step.OVERTURN, events, at=NINE + 3 * DAY, target=target)


def test_a_decision_is_varied_or_overturned_once():
    events = history(Step.ISSUE, Step.SUSPEND, (Step.VARY, {"target": 2}))
    for step in (Step.VARY, Step.OVERTURN):
        with pytest.raises(states.UnknownDecision):
            states.require_step(step, events, at=NINE + 4 * DAY, target=2)


def test_the_diagram_in_the_documentation_is_the_table():
    page = (Path(__file__).parents[2] / "docs" / "lifecycle.md").read_text(encoding="utf-8")
    assert diagram.mermaid() in page, "Run: script/manage draw_lifecycle"
    assert diagram.table() in page, "Run: script/manage draw_lifecycle"
