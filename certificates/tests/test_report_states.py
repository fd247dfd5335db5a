"""The table of a complaint's life: what may follow on what, whatever is tried, and replay as the only truth."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from certificates import report_states
from certificates.report_states import (
    EVENT_TYPES,
    OPEN,
    STEPS_OF_STAFF,
    STEPS_OF_THE_CLOCK,
    STEPS_OF_THE_HOLDER,
    STEPS_OF_THE_REPORTER,
    TRANSITIONS,
    ReportOutcome,
    ReportState,
    ReportStep,
    ReportStepRefused,
    Taken,
    life_of,
    require,
)
from certificates.words import TABLES

NOON = datetime(2026, 11, 30, 12, tzinfo=UTC)
TERM = timedelta(days=10)


def taken(*steps: ReportStep, outcome: ReportOutcome = ReportOutcome.DISMISSED) -> list[Taken]:
    opens = {ReportStep.ASK_HOLDER, ReportStep.DECIDE}
    return [
        Taken(
            step=step,
            at=NOON + place * timedelta(hours=1),
            until=NOON + TERM if step in opens else None,
            outcome=outcome if step is ReportStep.DECIDE else None,
        )
        for place, step in enumerate(steps)
    ]


HEARD = (ReportStep.CONFIRM, ReportStep.TAKE_UP, ReportStep.ASK_HOLDER, ReportStep.REPLY)


def test_every_word_of_the_table_is_told_in_words():
    for table, words in (("report", ReportState), ("report_step", ReportStep)):
        assert set(TABLES[table]) == {word.value for word in words}
    assert set(EVENT_TYPES) == set(ReportStep)
    assert set(TABLES["report_kind"]) == {kind.value for kind in report_states.ReportKind}
    assert set(TABLES["out_of_remit"]) == {reason.value for reason in report_states.OutOfRemit}


def test_every_step_is_someones():
    parts = (STEPS_OF_STAFF, STEPS_OF_THE_CLOCK, STEPS_OF_THE_HOLDER, STEPS_OF_THE_REPORTER)
    assert frozenset().union(*parts) == frozenset(ReportStep)
    assert sum(len(part) for part in parts) == len(ReportStep)


@pytest.mark.parametrize(
    ("steps", "code"),
    [
        ((ReportStep.CONFIRM, ReportStep.TAKE_UP, ReportStep.DECIDE), "holder_not_heard"),
        ((*HEARD[:3], ReportStep.DECIDE), "holder_may_still_reply"),
        ((*HEARD, ReportStep.REPLY), "holder_heard_already"),
        ((*HEARD, ReportStep.DECLINE), "report_out_of_order"),
        ((*HEARD, ReportStep.DECIDE, ReportStep.CLOSE), "report_not_yet"),
        (
            (*HEARD, ReportStep.DECIDE, ReportStep.ASK_REVIEW, ReportStep.DECIDE, ReportStep.ASK_REVIEW),
            "report_not_reviewable",
        ),
        ((*HEARD, ReportStep.DECIDE, ReportStep.ASK_REVIEW, ReportStep.ASK_HOLDER), "holder_heard_already"),
        ((ReportStep.TAKE_UP,), "report_out_of_order"),
    ],
)
def test_what_cannot_follow_is_refused_by_name(steps, code):
    with pytest.raises(ReportStepRefused) as refusal:
        life_of(taken(*steps))
    assert refusal.value.code == code


def test_of_what_others_do_no_holder_is_heard():
    steps = (ReportStep.CONFIRM, ReportStep.TAKE_UP)
    assert life_of(taken(*steps, ReportStep.DECIDE), about_others=True).state is ReportState.DECIDED
    with pytest.raises(report_states.NoHolderToHear):
        life_of(taken(*steps, ReportStep.ASK_HOLDER), about_others=True)


@given(st.lists(st.sampled_from(ReportStep), max_size=12), st.booleans(), st.sampled_from(ReportOutcome))
def test_whatever_is_tried_only_the_table_is_followed(steps, about_others, outcome):
    """Steps in any order, each tried and kept if it is allowed: the state is always that of the replay."""
    kept: list[Taken] = []
    for place, step in enumerate(steps):
        at = NOON + place * timedelta(days=3)
        life = life_of(kept, about_others=about_others)
        before = life.state if life else None
        try:
            after = require(step, life, at=at, about_others=about_others)
        except ReportStepRefused:
            continue
        assert TRANSITIONS[before, step] is after
        kept.append(
            Taken(
                step=step,
                at=at,
                until=at + timedelta(days=5),
                outcome=outcome if step is ReportStep.DECIDE else None,
            )
        )
        life = life_of(kept, about_others=about_others)
        assert life.state is after
        assert life.is_open == (after in OPEN)
        done = [one.step for one in kept]
        assert done.count(ReportStep.ASK_REVIEW) <= 1
        assert done.count(ReportStep.REPLY) <= 1
        if ReportStep.DECIDE in done and not about_others:
            assert ReportStep.ASK_HOLDER in done[: done.index(ReportStep.DECIDE)], "heard before decided"
        if done[-1] is ReportStep.CLOSE:
            assert before in (ReportState.DECIDED, ReportState.OUT_OF_REMIT)
        for moment in (at - timedelta(seconds=1), at):
            assert (life_of(kept, until=moment, about_others=about_others) == life) == (moment >= at)
