"""PURE: the table of an application's steps, and where the replay of the steps leads."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from certificates.application_states import (
    EVENT_TYPES,
    OPEN,
    TRANSITIONS,
    ApplicationState,
    ApplicationStep,
    OutOfOrder,
    Taken,
    life_of,
    require,
)

NOON = datetime(2026, 11, 30, 12, tzinfo=UTC)


def steps(*taken: ApplicationStep) -> list[Taken]:
    return [Taken(step=step, at=NOON + timedelta(hours=n)) for n, step in enumerate(taken)]


def test_every_state_is_reached_and_every_step_is_in_the_table():
    assert set(TRANSITIONS.values()) == set(ApplicationState)
    assert {step for _state, step in TRANSITIONS} == set(ApplicationStep) == set(EVENT_TYPES)


def test_a_refusal_that_is_overturned_waits_again_from_then_on():
    life = life_of(steps(ApplicationStep.FILE, ApplicationStep.REFUSE, ApplicationStep.REOPEN))
    assert (life.state, life.is_open, life.ended_at) == (ApplicationState.FILED, True, None)
    assert (life.filed_at, life.waiting_since) == (NOON, NOON + timedelta(hours=2))
    ended = life_of(
        steps(ApplicationStep.FILE, ApplicationStep.REFUSE, ApplicationStep.REOPEN, ApplicationStep.ISSUE)
    )
    assert (ended.state, ended.ended_at) == (ApplicationState.ISSUED, NOON + timedelta(hours=3))


def test_what_was_not_filed_has_no_life_and_the_past_is_told_as_it_was():
    assert life_of([]) is None
    taken = steps(ApplicationStep.FILE, ApplicationStep.WITHDRAW)
    assert life_of(taken, until=NOON - timedelta(hours=1)) is None
    assert life_of(taken, until=NOON).state is ApplicationState.FILED
    assert life_of(taken).state is ApplicationState.WITHDRAWN


@pytest.mark.parametrize("step", set(ApplicationStep) - {ApplicationStep.FILE})
def test_nothing_comes_before_filing(step):
    with pytest.raises(OutOfOrder) as refusal:
        require(step, None)
    assert (refusal.value.step, refusal.value.state) == (step, None)


@given(st.lists(st.sampled_from(list(ApplicationStep)), max_size=8))
def test_an_ended_application_takes_no_step_but_the_reopening_of_a_refusal(taken):
    state = None
    for step in taken:
        try:
            after = require(step, state)
        except OutOfOrder:
            assert (state, step) not in TRANSITIONS
            continue
        if state is not None and state not in OPEN:
            assert (state, step) == (ApplicationState.REFUSED, ApplicationStep.REOPEN)
        state = after
