"""PURE. The words of a complaint's life, which step may follow which, and where it stands after the steps taken.

``TRANSITIONS`` is the one table: `certificates.reports` asks it before it writes, and a trigger of the database
holds the same order. Before it is confirmed a complaint is no row of this table: it has no number, and whoever
never confirms it leaves nothing behind.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum
from types import MappingProxyType


class ReportState(StrEnum):
    UNCONFIRMED = "unconfirmed"
    RECEIVED = "received"
    IN_REMIT = "in_remit"
    OUT_OF_REMIT = "out_of_remit"
    WITH_HOLDER = "with_holder"
    DECIDED = "decided"
    CLOSED = "closed"


class ReportStep(StrEnum):
    CONFIRM = "confirm"
    TAKE_UP = "take_up"
    DECLINE = "decline"  # outside our remit
    ASK_HOLDER = "ask_holder"
    REPLY = "reply"
    DECIDE = "decide"
    ASK_REVIEW = "ask_review"
    CLOSE = "close"


class ReportKind(StrEnum):
    FIGURES = "figures"
    EVIDENCE = "evidence"
    SYSTEM_CHANGED = "system_changed"
    MISUSE_BY_HOLDER = "misuse_by_holder"
    MISUSE_BY_OTHERS = "misuse_by_others"
    OTHER = "other"


class ReportOutcome(StrEnum):
    UPHELD = "upheld"
    PARTLY_UPHELD = "partly_upheld"
    DISMISSED = "dismissed"


class OutOfRemit(StrEnum):
    NOT_ABOUT_A_CERTIFICATE = "not_about_a_certificate"
    ANOTHER_BODY = "another_body"
    ALREADY_DECIDED = "already_decided"
    WITHOUT_FACTS = "without_facts"
    OTHER = "other"


# What others do with a mark is no fact about the certificate whose mark it is: its page stays without a word of it,
# and its holder has nothing to answer for.
ABOUT_OTHERS = frozenset({ReportKind.MISUSE_BY_OTHERS})
STEPS_OF_THE_REPORTER = frozenset({ReportStep.CONFIRM, ReportStep.ASK_REVIEW})
STEPS_OF_THE_HOLDER = frozenset({ReportStep.REPLY})
STEPS_OF_THE_CLOCK = frozenset({ReportStep.CLOSE})
STEPS_OF_STAFF = frozenset(ReportStep) - STEPS_OF_THE_REPORTER - STEPS_OF_THE_HOLDER - STEPS_OF_THE_CLOCK

# The word of the audit log, of letters, and (where the public is told) of the public log. Never reworded.
EVENT_TYPES = MappingProxyType(
    {
        ReportStep.CONFIRM: "report.received",
        ReportStep.TAKE_UP: "report.in_remit",
        ReportStep.DECLINE: "report.out_of_remit",
        ReportStep.ASK_HOLDER: "report.with_holder",
        ReportStep.REPLY: "report.replied",
        ReportStep.DECIDE: "report.decided",
        ReportStep.ASK_REVIEW: "report.review_asked",
        ReportStep.CLOSE: "report.closed",
    }
)

TRANSITIONS = MappingProxyType(
    {
        (None, ReportStep.CONFIRM): ReportState.RECEIVED,
        (ReportState.RECEIVED, ReportStep.TAKE_UP): ReportState.IN_REMIT,
        (ReportState.RECEIVED, ReportStep.DECLINE): ReportState.OUT_OF_REMIT,
        (ReportState.IN_REMIT, ReportStep.DECLINE): ReportState.OUT_OF_REMIT,
        (ReportState.IN_REMIT, ReportStep.ASK_HOLDER): ReportState.WITH_HOLDER,
        (ReportState.IN_REMIT, ReportStep.DECIDE): ReportState.DECIDED,
        (ReportState.WITH_HOLDER, ReportStep.REPLY): ReportState.WITH_HOLDER,
        (ReportState.WITH_HOLDER, ReportStep.DECIDE): ReportState.DECIDED,
        (ReportState.DECIDED, ReportStep.ASK_REVIEW): ReportState.IN_REMIT,
        (ReportState.DECIDED, ReportStep.CLOSE): ReportState.CLOSED,
        (ReportState.OUT_OF_REMIT, ReportStep.CLOSE): ReportState.CLOSED,
    }
)
# Where someone has still to do something about it.
OPEN = frozenset({ReportState.RECEIVED, ReportState.IN_REMIT, ReportState.WITH_HOLDER})


class ReportStepRefused(Exception):
    """A step cannot be taken on this complaint now."""

    code = "report_step_refused"

    def __init__(self, step: ReportStep, state: ReportState | None) -> None:
        super().__init__(f"{step} from {state}")
        self.step = step
        self.state = state


class OutOfOrder(ReportStepRefused):
    """The table has no such step from here."""

    code = "report_out_of_order"


class HolderNotHeard(ReportStepRefused):
    """It is about what the holder answers for, and the holder has not been asked yet."""

    code = "holder_not_heard"


class HolderMayReply(ReportStepRefused):
    """The holder has not replied, and may still do so."""

    code = "holder_may_still_reply"


class HeardAlready(ReportStepRefused):
    """The holder was asked before, or has replied before: once is enough."""

    code = "holder_heard_already"


class NoHolderToHear(ReportStepRefused):
    """It is about what others do: no holder answers for it."""

    code = "no_holder_to_hear"


class NotReviewable(ReportStepRefused):
    """Only what was dismissed is reviewed, once, and in time."""

    code = "report_not_reviewable"


class NotYet(ReportStepRefused):
    """It does not close before the time to ask for a review has passed."""

    code = "report_not_yet"


@dataclass(frozen=True, slots=True, kw_only=True)
class Taken:
    """One step that was taken. `until` is the term that it opened: to reply, or to ask for a review."""

    step: ReportStep
    at: datetime
    until: datetime | None = None
    outcome: ReportOutcome | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportLife:
    """Where a complaint stands, and since when it stood elsewhere."""

    state: ReportState
    received_at: datetime
    taken_up_at: datetime | None = None
    asked_holder_at: datetime | None = None
    reply_until: datetime | None = None
    replied_at: datetime | None = None
    decided_at: datetime | None = None
    outcome: ReportOutcome | None = None
    review_until: datetime | None = None
    review_asked_at: datetime | None = None
    closed_at: datetime | None = None

    @property
    def is_open(self) -> bool:
        return self.state in OPEN

    @property
    def is_public(self) -> bool:
        """Told to visitors only after triage and after the holder was told."""
        return self.asked_holder_at is not None


def require(
    step: ReportStep, life: ReportLife | None, *, at: datetime, about_others: bool = False
) -> ReportState:
    """The state that `step` leads to at `at`, or a `ReportStepRefused` by name."""
    state = life.state if life else None
    after = TRANSITIONS.get((state, step))
    if after is None:
        raise OutOfOrder(step, state)
    if life is not None:
        _require_heard(step, life, at, about_others)
        if step is ReportStep.ASK_REVIEW and not is_reviewable(life, at=at):
            raise NotReviewable(step, state)
        if step is ReportStep.CLOSE and life.review_until is not None and at < life.review_until:
            raise NotYet(step, state)
    return after


def is_reviewable(life: ReportLife, *, at: datetime) -> bool:
    """Whether whoever complained may still ask for a review by someone else."""
    return (
        life.state is ReportState.DECIDED
        and life.outcome is ReportOutcome.DISMISSED
        and life.review_asked_at is None
        and life.review_until is not None
        and at < life.review_until
    )


def _require_heard(step: ReportStep, life: ReportLife, at: datetime, about_others: bool) -> None:
    if step is ReportStep.ASK_HOLDER:
        if about_others:
            raise NoHolderToHear(step, life.state)
        if life.asked_holder_at is not None:
            raise HeardAlready(step, life.state)
    if step is ReportStep.DECLINE and (life.asked_holder_at or life.review_asked_at):
        raise OutOfOrder(step, life.state)
    if step is ReportStep.REPLY:
        if life.replied_at is not None:
            raise HeardAlready(step, life.state)
        if life.reply_until is not None and at >= life.reply_until:
            raise OutOfOrder(step, life.state)
    if step is ReportStep.DECIDE and not about_others:
        if life.asked_holder_at is None:
            raise HolderNotHeard(step, life.state)
        if life.replied_at is None and life.reply_until is not None and at < life.reply_until:
            raise HolderMayReply(step, life.state)


def life_of(
    taken: Sequence[Taken], *, until: datetime | None = None, about_others: bool = False
) -> ReportLife | None:
    """The replay of the steps in order, those after `until` left out; None before it was confirmed."""
    life: ReportLife | None = None
    for one in taken:
        if until is not None and one.at > until:
            break
        after = require(one.step, life, at=one.at, about_others=about_others)
        if life is None:
            life = ReportLife(state=after, received_at=one.at)
        else:
            life = replace(life, state=after, **_change(one))
    return life


def _change(one: Taken) -> dict[str, object]:
    match one.step:
        case ReportStep.TAKE_UP:
            return {"taken_up_at": one.at}
        case ReportStep.DECLINE:
            return {"decided_at": one.at}
        case ReportStep.ASK_HOLDER:
            return {"asked_holder_at": one.at, "reply_until": one.until}
        case ReportStep.REPLY:
            return {"replied_at": one.at}
        case ReportStep.DECIDE:
            return {"decided_at": one.at, "outcome": one.outcome, "review_until": one.until}
        case ReportStep.ASK_REVIEW:
            return {"review_asked_at": one.at, "decided_at": None, "outcome": None, "review_until": None}
        case ReportStep.CLOSE:
            return {"closed_at": one.at}
    return {}
