"""PURE. The words of an appeal's life, which step may follow which, and where it stands after the steps taken.

``TRANSITIONS`` is the one table: `certificates.appeals` asks it before it writes, and a trigger of the database
holds the same order. An appeal stands where the replay of its steps leads, and nowhere else.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from types import MappingProxyType


class AppealState(StrEnum):
    FILED = "filed"
    ADMITTED = "admitted"
    INADMISSIBLE = "inadmissible"
    DECIDED = "decided"
    WITHDRAWN = "withdrawn"


class AppealStep(StrEnum):
    FILE = "file"
    ADMIT = "admit"
    DECLARE_INADMISSIBLE = "declare_inadmissible"
    DECIDE = "decide"
    WITHDRAW = "withdraw"


class AppealOutcome(StrEnum):
    UPHELD = "upheld"
    PARTLY_UPHELD = "partly_upheld"
    DISMISSED = "dismissed"


class Effect(StrEnum):
    """What an appeal that is upheld in part does to the decision."""

    VARY = "vary"  # another reason, conditions or review date; a revocation becomes a suspension
    AMEND = "amend"  # its public statement is worded anew
    NONE = "none"  # the holder was right in part, and nothing follows from it


class Inadmissibility(StrEnum):
    LATE = "late"
    NOT_THE_HOLDER = "not_the_holder"
    WITHOUT_GROUNDS = "without_grounds"
    OTHER = "other"


# The word of the public log for each step. Never reworded.
EVENT_TYPES = MappingProxyType(
    {
        AppealStep.FILE: "appeal.filed",
        AppealStep.ADMIT: "appeal.admitted",
        AppealStep.DECLARE_INADMISSIBLE: "appeal.inadmissible",
        AppealStep.DECIDE: "appeal.decided",
        AppealStep.WITHDRAW: "appeal.withdrawn",
    }
)

TRANSITIONS = MappingProxyType(
    {
        (None, AppealStep.FILE): AppealState.FILED,
        (AppealState.FILED, AppealStep.ADMIT): AppealState.ADMITTED,
        (AppealState.FILED, AppealStep.DECLARE_INADMISSIBLE): AppealState.INADMISSIBLE,
        (AppealState.FILED, AppealStep.WITHDRAW): AppealState.WITHDRAWN,
        (AppealState.ADMITTED, AppealStep.DECIDE): AppealState.DECIDED,
        (AppealState.ADMITTED, AppealStep.WITHDRAW): AppealState.WITHDRAWN,
    }
)
# While it stands here a revocation it is about does not become final.
OPEN = frozenset({AppealState.FILED, AppealState.ADMITTED})
# Taken by the holder; all others by someone who was not involved.
STEPS_OF_THE_HOLDER = frozenset({AppealStep.FILE, AppealStep.WITHDRAW})


class AppealStepRefused(Exception):
    """A step cannot be taken on this appeal now."""

    code = "appeal_step_refused"

    def __init__(self, step: AppealStep, state: AppealState | None) -> None:
        super().__init__(f"{step} from {state}")
        self.step = step
        self.state = state


class OutOfOrder(AppealStepRefused):
    """The table has no such step from here."""

    code = "appeal_out_of_order"


class Late(AppealStepRefused):
    """It was filed when the period was over: it can be declared inadmissible or withdrawn, not admitted."""

    code = "appeal_late"


@dataclass(frozen=True, slots=True, kw_only=True)
class Taken:
    """One step that was taken; `late` belongs to the filing."""

    step: AppealStep
    at: datetime
    late: bool = False
    outcome: AppealOutcome | None = None
    effect: Effect | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class AppealLife:
    """Where an appeal stands, and since when it stood elsewhere."""

    state: AppealState
    filed_at: datetime
    late: bool = False
    admitted_at: datetime | None = None
    ended_at: datetime | None = None
    outcome: AppealOutcome | None = None
    effect: Effect | None = None

    @property
    def is_open(self) -> bool:
        return self.state in OPEN


def require(step: AppealStep, life: AppealLife | None) -> AppealState:
    """The state that `step` leads to, or an `AppealStepRefused` by name."""
    state = life.state if life else None
    after = TRANSITIONS.get((state, step))
    if after is None:
        raise OutOfOrder(step, state)
    if step is AppealStep.ADMIT and life is not None and life.late:
        raise Late(step, state)
    return after


def life_of(taken: Sequence[Taken], *, until: datetime | None = None) -> AppealLife | None:
    """The replay of the steps in order, those after `until` left out; None when it had not been filed."""
    life: AppealLife | None = None
    for one in taken:
        if until is not None and one.at > until:
            break
        after = require(one.step, life)
        if life is None:
            life = AppealLife(state=after, filed_at=one.at, late=one.late)
            continue
        life = AppealLife(
            state=after,
            filed_at=life.filed_at,
            late=life.late,
            admitted_at=one.at if one.step is AppealStep.ADMIT else life.admitted_at,
            ended_at=None if after in OPEN else one.at,
            outcome=one.outcome,
            effect=one.effect,
        )
    return life
