"""PURE. The words of an application's life, which step may follow which, and where it stands after the steps taken.

``TRANSITIONS`` is the one table: `certificates.applications` asks it before it writes, and a trigger of the database
holds the same order. An application stands where the replay of its steps leads, and nowhere else.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from types import MappingProxyType


class ApplicationState(StrEnum):
    FILED = "filed"
    ISSUED = "issued"
    REFUSED = "refused"
    INADMISSIBLE = "inadmissible"
    WITHDRAWN = "withdrawn"


class ApplicationStep(StrEnum):
    FILE = "file"
    ISSUE = "issue"
    REFUSE = "refuse"
    DECLARE_INADMISSIBLE = "declare_inadmissible"
    WITHDRAW = "withdraw"
    REOPEN = "reopen"  # the refusal was overturned on appeal


class ApplicationInadmissibility(StrEnum):
    NOT_THE_HOLDER = "not_the_holder"
    INCOMPLETE = "incomplete"
    OUT_OF_SCOPE = "out_of_scope"
    OTHER = "other"


# What the e-mails and the audit log call each step. Never reworded.
EVENT_TYPES = MappingProxyType(
    {
        ApplicationStep.FILE: "application.filed",
        ApplicationStep.ISSUE: "application.issued",
        ApplicationStep.REFUSE: "application.refused",
        ApplicationStep.DECLARE_INADMISSIBLE: "application.inadmissible",
        ApplicationStep.WITHDRAW: "application.withdrawn",
        ApplicationStep.REOPEN: "application.reopened",
    }
)

TRANSITIONS = MappingProxyType(
    {
        (None, ApplicationStep.FILE): ApplicationState.FILED,
        (ApplicationState.FILED, ApplicationStep.ISSUE): ApplicationState.ISSUED,
        (ApplicationState.FILED, ApplicationStep.REFUSE): ApplicationState.REFUSED,
        (ApplicationState.FILED, ApplicationStep.DECLARE_INADMISSIBLE): ApplicationState.INADMISSIBLE,
        (ApplicationState.FILED, ApplicationStep.WITHDRAW): ApplicationState.WITHDRAWN,
        (ApplicationState.REFUSED, ApplicationStep.REOPEN): ApplicationState.FILED,
    }
)
# Waiting for an answer; of one measurement there is one such application at a time.
OPEN = frozenset({ApplicationState.FILED})
# Steps that rest on a public notice: it says what was decided and why.
WITH_NOTICE = frozenset({ApplicationStep.ISSUE, ApplicationStep.REFUSE, ApplicationStep.REOPEN})


class OutOfOrder(Exception):
    """The table has no such step from here."""

    code = "application_out_of_order"

    def __init__(self, step: ApplicationStep, state: ApplicationState | None) -> None:
        super().__init__(f"{step} from {state}")
        self.step = step
        self.state = state


@dataclass(frozen=True, slots=True, kw_only=True)
class Taken:
    """One step that was taken."""

    step: ApplicationStep
    at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class ApplicationLife:
    """Where an application stands, since when it waits (`waiting_since`: filed or re-opened), and when it ended."""

    state: ApplicationState
    filed_at: datetime
    waiting_since: datetime
    ended_at: datetime | None = None

    @property
    def is_open(self) -> bool:
        return self.state in OPEN


def require(step: ApplicationStep, state: ApplicationState | None) -> ApplicationState:
    """The state that `step` leads to, or `OutOfOrder`."""
    after = TRANSITIONS.get((state, step))
    if after is None:
        raise OutOfOrder(step, state)
    return after


def life_of(taken: Sequence[Taken], *, until: datetime | None = None) -> ApplicationLife | None:
    """The replay of the steps in order, those after `until` left out; None when it had not been filed."""
    life: ApplicationLife | None = None
    for one in taken:
        if until is not None and one.at > until:
            break
        after = require(one.step, life.state if life else None)
        life = ApplicationLife(
            state=after,
            filed_at=life.filed_at if life else one.at,
            waiting_since=one.at if after in OPEN or life is None else life.waiting_since,
            ended_at=None if after in OPEN else one.at,
        )
    return life
