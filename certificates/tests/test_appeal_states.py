"""The table of an appeal: every pair is allowed or refused by name, and the state is always the replay of the steps."""

from datetime import timedelta

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from certificates import appeal_states, states
from certificates.appeal_states import AppealOutcome, AppealState, AppealStep, Effect, Taken
from certificates.states import Step
from certificates.tests.histories import DAY, NINE, history

# The table of the design, typed a second time by hand.
DESIGN = {
    None: {"file": "filed"},
    "filed": {"admit": "admitted", "declare_inadmissible": "inadmissible", "withdraw": "withdrawn"},
    "admitted": {"decide": "decided", "withdraw": "withdrawn"},
    "inadmissible": {},
    "decided": {},
    "withdrawn": {},
}
WAYS = {
    None: [],
    AppealState.FILED: [AppealStep.FILE],
    AppealState.ADMITTED: [AppealStep.FILE, AppealStep.ADMIT],
    AppealState.INADMISSIBLE: [AppealStep.FILE, AppealStep.DECLARE_INADMISSIBLE],
    AppealState.DECIDED: [AppealStep.FILE, AppealStep.ADMIT, AppealStep.DECIDE],
    AppealState.WITHDRAWN: [AppealStep.FILE, AppealStep.WITHDRAW],
}


def taken(*steps: AppealStep, late: bool = False) -> list[Taken]:
    return [Taken(step=step, at=NINE + place * DAY, late=late) for place, step in enumerate(steps)]


@pytest.mark.parametrize("state", [None, *AppealState])
@pytest.mark.parametrize("step", AppealStep)
def test_every_pair_is_in_the_table_or_refused_by_name(state, step):
    life = appeal_states.life_of(taken(*WAYS[state]))
    assert (life.state if life else None) == state
    if step in DESIGN[state]:
        assert appeal_states.require(step, life) == DESIGN[state][step]
        return
    with pytest.raises(appeal_states.OutOfOrder) as refusal:
        appeal_states.require(step, life)
    assert (refusal.value.step, refusal.value.state) == (step, state)


def test_a_late_appeal_ends_without_being_admitted():
    life = appeal_states.life_of(taken(AppealStep.FILE, late=True))
    with pytest.raises(appeal_states.Late):
        appeal_states.require(AppealStep.ADMIT, life)
    for step in (AppealStep.DECLARE_INADMISSIBLE, AppealStep.WITHDRAW):
        assert appeal_states.require(step, life) not in appeal_states.OPEN


def test_a_past_instant_answers_what_stood_then():
    steps = taken(AppealStep.FILE, AppealStep.ADMIT, AppealStep.DECIDE)
    then = [appeal_states.life_of(steps, until=NINE + days * DAY) for days in (-1, 0, 1, 2)]
    assert [life.state if life else None for life in then] == [None, "filed", "admitted", "decided"]
    assert then[3].ended_at == NINE + 2 * DAY


class AppealsOfACertificate(RuleBasedStateMachine):
    """Random steps by the holder, by people and by the clock, on a certificate and on the appeals against it."""

    def __init__(self):
        super().__init__()
        self.events = history(Step.ISSUE)
        self.appeals: dict[int, list[Taken]] = {}
        self.at = NINE
        self.seen: list = list(self.events)

    def now(self):
        self.at += timedelta(hours=7)
        return self.at

    def append(self, step: Step, **more) -> None:
        event = history(step, start=self.at)[0]
        event = states.replace(event, sequence=len(self.events) + 1, **more)
        self.events.append(event)
        self.seen.append(event)

    def allowed(self, step: Step, target: int | None = None) -> bool:
        try:
            states.require_step(step, self.events, at=self.at, target=target)
        except states.StepRefused:
            return False
        return True

    @rule(days=st.integers(0, 40))
    def time_passes(self, days):
        self.at += days * DAY

    @rule(
        step=st.sampled_from(
            [Step.SUSPEND, Step.PROLONG, Step.REINSTATE, Step.REVOKE, Step.TERMINATE, Step.ERRATUM]
        )
    )
    def people_decide(self, step):
        self.now()
        if self.allowed(step):
            self.append(step)

    @rule()
    def the_sweep_makes_it_final(self):
        self.now()
        facts = states.status_of(self.events, self.at)
        appeal = self.appeals.get(facts.ending.sequence) if facts.ending else None
        held = appeal is not None and appeal_states.life_of(appeal).is_open
        if self.allowed(Step.FINALISE) and not held:
            self.append(Step.FINALISE, target=facts.ending.sequence)

    @rule(place=st.integers(0, 30))
    def the_holder_files(self, place):
        self.now()
        open_ones = [e for e in self.events if e.step in states.APPEALABLE and e.sequence not in self.appeals]
        if open_ones:
            event = open_ones[place % len(open_ones)]
            self.appeals[event.sequence] = [
                Taken(step=AppealStep.FILE, at=self.at, late=self.at >= event.appeal_until)
            ]

    @rule(
        place=st.integers(0, 30),
        step=st.sampled_from(AppealStep),
        outcome=st.sampled_from(AppealOutcome),
        effect=st.sampled_from(Effect),
    )
    def someone_takes_a_step_on_an_appeal(self, place, step, outcome, effect):
        self.now()
        if not self.appeals:
            return
        target = list(self.appeals)[place % len(self.appeals)]
        steps = self.appeals[target]
        try:
            appeal_states.require(step, appeal_states.life_of(steps))
        except appeal_states.AppealStepRefused:
            return
        before = states.status_of(self.events, self.at)
        decided = step is AppealStep.DECIDE
        effect = effect if decided and outcome is AppealOutcome.PARTLY_UPHELD else None
        steps.append(Taken(step=step, at=self.at, outcome=outcome if decided else None, effect=effect))
        if decided and (outcome is AppealOutcome.UPHELD or effect is Effect.VARY):
            taken_step = Step.OVERTURN if outcome is AppealOutcome.UPHELD else Step.VARY
            # Whatever the certificate has become, an admitted appeal can be decided.
            assert self.allowed(taken_step, target), before.standing
            self.append(taken_step, target=target)
            after = states.status_of(self.events, self.at)
            outcome_ = states.TRANSITIONS[before.standing, taken_step]
            if outcome_ is states.Outcome.STATUS_STAYS:
                assert after.standing is before.standing

    @invariant()
    def no_past_event_changes(self):
        assert self.events == self.seen

    @invariant()
    def each_state_is_the_replay_and_one_of_the_table(self):
        facts = states.status_of(self.events, self.at)
        assert facts.word in states.PRECEDENCE
        assert facts.in_force == (facts.word is states.Status.ACTIVE)
        for steps in self.appeals.values():
            state = None
            for one in steps:
                state = appeal_states.TRANSITIONS[state, one.step]
            life = appeal_states.life_of(steps)
            assert life.state is state
            assert not (life.late and life.state in (AppealState.ADMITTED, AppealState.DECIDED))

    @invariant()
    def nothing_final_is_under_appeal_filed_in_time(self):
        facts = states.status_of(self.events, self.at)
        if facts.final and facts.ending.sequence in self.appeals:
            life = appeal_states.life_of(self.appeals[facts.ending.sequence])
            assert not life.is_open or life.late or life.filed_at >= facts.ending.appeal_until


TestAppealsOfACertificate = AppealsOfACertificate.TestCase
TestAppealsOfACertificate.settings = settings(max_examples=60, stateful_step_count=25, deadline=None)
