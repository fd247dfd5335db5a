"""PURE. The words of a certificate's life, which step may follow which, and what its status is at an instant.

``TRANSITIONS`` is the one table of allowed steps: writers ask it, the tests walk every pair of it, and
`certificates.diagram` draws it. ``status_of(events, now)`` is the one answer to «what is its status»: page, list, API,
preview and queue all read it, so they cannot disagree.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from enum import StrEnum
from types import MappingProxyType


class Status(StrEnum):
    """The word on the page."""

    ACTIVE = "active"
    SUSPENDED = "suspended"
    REVOKED = "revoked"
    TERMINATED = "terminated"
    EXPIRED = "expired"
    SUPERSEDED = "superseded"


# The first of these that is true is the word; the others are still listed as facts.
PRECEDENCE = (
    Status.REVOKED,
    Status.TERMINATED,
    Status.SUPERSEDED,
    Status.EXPIRED,
    Status.SUSPENDED,
    Status.ACTIVE,
)


class Step(StrEnum):
    ISSUE = "issue"
    SUSPEND = "suspend"
    PROLONG = "prolong"
    REINSTATE = "reinstate"
    REVOKE = "revoke"
    TERMINATE = "terminate"
    SUPERSEDE = "supersede"
    VARY = "vary"
    OVERTURN = "overturn"
    FINALISE = "finalise"
    EXPIRE = "expire"
    ERRATUM = "erratum"


# The word of the public log for each step: the `type` in an event's bytes. Never reworded.
EVENT_TYPES = MappingProxyType(
    {
        Step.ISSUE: "certificate.issued",
        Step.SUSPEND: "certificate.suspended",
        Step.PROLONG: "certificate.suspension_prolonged",
        Step.REINSTATE: "certificate.reinstated",
        Step.REVOKE: "certificate.revoked",
        Step.TERMINATE: "certificate.terminated",
        Step.SUPERSEDE: "certificate.superseded",
        Step.VARY: "certificate.decision_varied",
        Step.OVERTURN: "certificate.decision_overturned",
        Step.FINALISE: "certificate.revocation_final",
        Step.EXPIRE: "certificate.expired",
        Step.ERRATUM: "certificate.erratum",
    }
)


class Decision(StrEnum):
    """What a numbered notice decides: the steps that people take, and the refusal to issue."""

    ISSUE = "issue"
    REFUSE = "refuse"
    SUSPEND = "suspend"
    PROLONG = "prolong"
    REINSTATE = "reinstate"
    REVOKE = "revoke"
    TERMINATE = "terminate"
    SUPERSEDE = "supersede"
    VARY = "vary"
    OVERTURN = "overturn"
    ERRATUM = "erratum"
    APPEAL = "appeal"  # the outcome of an appeal that takes no step on a certificate
    REPORT = "report"  # the outcome of a complaint, which takes none either


# Written by the sweep: facts of the clock, not decisions of anyone, so they carry no notice.
STEPS_OF_THE_CLOCK = frozenset({Step.EXPIRE, Step.FINALISE})
# Decisions a holder may appeal against (a refusal too, which is no event of a certificate).
APPEALABLE = frozenset({Step.SUSPEND, Step.PROLONG, Step.REVOKE})


class Reason(StrEnum):
    SYSTEM_CHANGED = "system_changed"
    EVIDENCE_INTEGRITY = "evidence_integrity"
    FIGURE_ERROR = "figure_error"
    CONTAMINATION_FOUND = "contamination_found"
    MISUSE_OF_CERTIFICATE = "misuse_of_certificate"
    REMEASUREMENT_OVERDUE = "remeasurement_overdue"
    REPORT_UPHELD = "report_upheld"
    CRITERIA_NOT_MET = "criteria_not_met"
    FALSE_DECLARATION = "false_declaration"
    HOLDER_REQUEST = "holder_request"
    OTHER = "other"


# Taken only where a report is decided, which brings its own number with it.
REASONS_OF_A_REPORT = frozenset({Reason.REPORT_UPHELD})


class Standing(StrEnum):
    """Where a certificate stands for the question «what may come next»: the status, finality told apart."""

    NONE = "none"
    ACTIVE = "active"
    SUSPENDED = "suspended"
    REVOKED = "revoked"
    REVOKED_FINAL = "revoked_final"
    TERMINATED = "terminated"
    SUPERSEDED = "superseded"
    EXPIRED = "expired"


ENDED = frozenset({Standing.REVOKED_FINAL, Standing.TERMINATED, Standing.SUPERSEDED, Standing.EXPIRED})


class Outcome(StrEnum):
    """What a step leads to when that is not simply another standing."""

    AS_BEFORE_THE_DECISION = "as_before_the_decision"  # replay without the overturned event, now
    STATUS_STAYS = "status_stays"  # the event is appended, the word does not change
    ANOTHER_CERTIFIER = "another_certifier"  # a refusal is overturned: someone else decides anew


def _transitions() -> dict[tuple[Standing, Step], Standing | Outcome]:
    table: dict[tuple[Standing, Step], Standing | Outcome] = {
        (Standing.NONE, Step.ISSUE): Standing.ACTIVE,
        (Standing.NONE, Step.OVERTURN): Outcome.ANOTHER_CERTIFIER,
        (Standing.ACTIVE, Step.SUSPEND): Standing.SUSPENDED,
        (Standing.ACTIVE, Step.REVOKE): Standing.REVOKED,
        (Standing.ACTIVE, Step.TERMINATE): Standing.TERMINATED,
        (Standing.ACTIVE, Step.SUPERSEDE): Standing.SUPERSEDED,
        (Standing.SUSPENDED, Step.PROLONG): Standing.SUSPENDED,
        (Standing.SUSPENDED, Step.REINSTATE): Standing.ACTIVE,
        (Standing.SUSPENDED, Step.REVOKE): Standing.REVOKED,
        (Standing.SUSPENDED, Step.TERMINATE): Standing.TERMINATED,
        (Standing.SUSPENDED, Step.SUPERSEDE): Standing.SUPERSEDED,
        (Standing.SUSPENDED, Step.VARY): Standing.SUSPENDED,
        (Standing.SUSPENDED, Step.OVERTURN): Outcome.AS_BEFORE_THE_DECISION,
        (Standing.REVOKED, Step.FINALISE): Standing.REVOKED_FINAL,
        (Standing.REVOKED, Step.VARY): Standing.SUSPENDED,
        (Standing.REVOKED, Step.OVERTURN): Outcome.AS_BEFORE_THE_DECISION,
        # The clock has already made it expired; the sweep only writes that down.
        (Standing.EXPIRED, Step.EXPIRE): Outcome.STATUS_STAYS,
    }
    # The recorded outcome of an appeal filed in time: «decision N overturned on DATE». Also where it is in force
    # again: the suspension was lifted before the appeal against it was decided (docs/decisions/0012).
    for ended in (Standing.ACTIVE, *sorted(ENDED)):
        table[ended, Step.VARY] = Outcome.STATUS_STAYS
        table[ended, Step.OVERTURN] = Outcome.STATUS_STAYS
    for standing in Standing:
        if standing is not Standing.NONE:
            table[standing, Step.ERRATUM] = Outcome.STATUS_STAYS
    return table


TRANSITIONS = MappingProxyType(_transitions())
# No one takes these: `valid_until` passes.
BY_THE_CLOCK = MappingProxyType({Standing.ACTIVE: Standing.EXPIRED, Standing.SUSPENDED: Standing.EXPIRED})

# A revocation becomes final at the earliest this long after the period to appeal has ended: an appeal sent in
# the last minute is still being stored, a bounced e-mail still being reported.
FINALITY_GRACE = timedelta(hours=24)


# ── refusals ─────────────────────────────────────────────────────────────────


class StepRefused(Exception):
    """A step cannot be taken on this certificate now."""

    code = "step_refused"

    def __init__(self, step: Step, standing: Standing, **facts: object) -> None:
        super().__init__(f"{step} from {standing}")
        self.step = step
        self.standing = standing
        self.facts = facts


class ForbiddenTransition(StepRefused):
    code = "forbidden_transition"


class DatedBack(StepRefused):
    """The step would be dated before the event it follows."""

    code = "dated_back"


class AlreadyRecorded(StepRefused):
    """The sweep has already written this fact of the clock."""

    code = "already_recorded"


class NotYetFinal(StepRefused):
    """The period to appeal, and the day after it, have not passed (`facts["earliest"]`)."""

    code = "not_yet_final"


class UnknownDecision(StepRefused):
    """The decision to be varied or overturned is not one that can be appealed, or no longer stands."""

    code = "unknown_decision"


class NotIssued(ValueError):
    """A history without its first event has no status."""


# ── events and facts ─────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """What status depends on, of one event of the history. All instants are aware."""

    sequence: int
    step: Step
    at: datetime
    reason: str | None = None
    notice: str | None = None
    role: str | None = None
    target: int | None = None  # the event that vary, overturn or finalise is about
    valid_until: datetime | None = None  # issue: the first instant at which it is no longer in force
    review_on: date | None = None  # suspend, prolong, vary: the last day of the review, as printed
    review_until: datetime | None = None  # the instant at which that day has ended
    appeal_until: datetime | None = None  # the first instant at which an appeal is late
    other: str | None = None  # the other certificate of a supersession
    do_not_rely: bool = False  # erratum
    appeal: str | None = None  # the appeal that varied or overturned


@dataclass(frozen=True, slots=True, kw_only=True)
class Suspension:
    """A suspension that stands (or stood when the certificate ended), with the terms in force."""

    since: datetime
    sequence: int  # the event whose notice holds the reason in force
    terms: int  # the event whose notice holds the conditions and the review date in force
    reason: str | None
    notice: str | None
    review_on: date | None
    review_until: datetime | None
    appeal_until: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Overturned:
    """A decision left without effect. `status_stays`: the certificate had ended meanwhile."""

    sequence: int
    notice: str | None
    step: Step
    by: int
    on: datetime
    appeal: str | None
    status_stays: bool
    suspended_from: datetime | None = None
    suspended_to: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    """One thing that is true of the certificate now. Several are; the first by precedence is the word."""

    status: Status
    since: datetime
    sequence: int | None = None  # None: the clock
    notice: str | None = None
    reason: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class StatusFacts:
    """Everything that may be said of a status at one instant."""

    word: Status
    in_force: bool
    since: datetime  # since when the word holds
    not_in_force_since: (
        datetime | None
    )  # start of the unbroken stretch out of force (a suspension before a revocation)
    facts: tuple[Fact, ...]
    valid_until: datetime
    sequence: int  # of the last event seen
    last_change: datetime  # instant of the last event seen
    standing: Standing
    suspension: Suspension | None  # also when it has ended meanwhile: «it was suspended at the time»
    ending: Event | None  # revoke, terminate or supersede
    final: bool
    review_overdue: bool
    appeal_until: datetime | None  # of the decision that keeps it out of force now
    appeal_period_over: bool
    superseded_by: str | None
    past_suspensions: tuple[tuple[datetime, datetime], ...]
    overturned: tuple[Overturned, ...]
    varied: tuple[int, ...]
    errata: tuple[Event, ...]
    erratum: Event | None  # of these the one that weighs most: «do not rely on it», else the latest
    do_not_rely: bool
    expiry_recorded: bool
    stale_at: datetime | None  # the next instant at which any of this changes by the clock alone


# ── the one function ─────────────────────────────────────────────────────────


def status_of(events: Sequence[Event], now: datetime) -> StatusFacts:
    """The status at `now` after the events up to `now`: a past instant answers what the page said then.

    `events` is a whole history in order of `sequence`. Raises `NotIssued` when nothing had happened yet.
    """
    walk = _Walk()
    for event in events:
        if event.at > now:
            break
        walk.take(event)
    if walk.valid_until is None:
        raise NotIssued("a status needs the event that issued the certificate")
    return walk.facts_at(now)


def later_overturned(events: Sequence[Event], *, then: datetime, now: datetime) -> tuple[Overturned, ...]:
    """Of the decisions that the page showed `then`, those that were overturned since."""
    return tuple(
        overturned
        for overturned in status_of(events, now).overturned
        if overturned.on > then and events[overturned.sequence - 1].at <= then
    )


def course(events: Sequence[Event]) -> list[tuple[Status | None, Status]]:
    """For each event the word just before it and the word after it, the clock included."""
    walk = _Walk()
    words: list[tuple[Status | None, Status]] = []
    for event in events:
        walk.pass_time(event.at)
        before = walk.word
        walk.take(event)
        if walk.word is None:
            raise NotIssued("a history begins with the event that issued the certificate")
        words.append((before, walk.word))
    return words


def require_step(
    step: Step, events: Sequence[Event], *, at: datetime, target: int | None = None
) -> StatusFacts | None:
    """Refuse `step` at `at` by name (`StepRefused`), or return the facts it starts from (None: no issue)."""
    facts = status_of(events, at) if events and events[0].at <= at else None
    standing = facts.standing if facts else Standing.NONE
    if events and at < events[-1].at:
        raise DatedBack(step, standing, last=events[-1].at)
    if (standing, step) not in TRANSITIONS:
        raise ForbiddenTransition(step, standing)
    if facts is None:
        return None
    if step is Step.EXPIRE and facts.expiry_recorded:
        raise AlreadyRecorded(step, standing)
    if step is Step.FINALISE:
        earliest = (facts.appeal_until or facts.since) + FINALITY_GRACE
        if at < earliest:
            raise NotYetFinal(step, standing, earliest=earliest)
    if step in (Step.VARY, Step.OVERTURN):
        _require_decision(step, events, facts, target)
    return facts


def _require_decision(step: Step, events: Sequence[Event], facts: StatusFacts, target: int | None) -> None:
    known = {event.sequence: event for event in events}
    closed = {overturned.sequence for overturned in facts.overturned} | set(facts.varied)
    if target not in known or known[target].step not in APPEALABLE or target in closed:
        raise UnknownDecision(step, facts.standing, target=target)


class _Walk:
    """A history taken one event at a time; the clock enters only between events and at the end."""

    def __init__(self) -> None:
        self.seen: list[Event] = []
        self.valid_until: datetime | None = None
        self.removed: set[int] = set()
        self.replaced: dict[int, Event] = {}
        self.overturned: list[Overturned] = []
        self.varied: list[int] = []
        self.errata: list[Event] = []
        self.expiry_recorded = False
        self.word: Status | None = None
        self.since: datetime | None = None
        self.not_in_force_since: datetime | None = None
        self._start()

    def _start(self) -> None:
        self.base = Standing.NONE
        self.suspension: Suspension | None = None
        self.past: list[tuple[int, datetime, datetime]] = []
        self.ending: Event | None = None
        self.final = False

    def take(self, event: Event) -> None:
        self.pass_time(event.at)
        self.seen.append(event)
        if event.step is Step.ISSUE:
            self.valid_until = event.valid_until
        if event.step in (Step.OVERTURN, Step.VARY):
            self._take_outcome(event)
        elif event.step is Step.ERRATUM:
            self.errata.append(event)
        elif event.step is Step.EXPIRE:
            self.expiry_recorded = True
        else:
            self._apply(event)
        self._note_word(event.at)

    def _take_outcome(self, event: Event) -> None:
        ended = self._standing_at(event.at) in ENDED
        target = next((earlier for earlier in self.seen if earlier.sequence == event.target), None)
        if event.step is Step.VARY:
            self.varied.append(event.target or 0)
        elif target is not None:
            self.overturned.append(self._overturned(target, event, ended))
        if ended or target is None:
            return
        if event.step is Step.VARY:
            self.replaced[target.sequence] = event
        else:
            self.removed.add(target.sequence)
        # As before the decision: the history anew, without it (or with what took its place).
        self._start()
        for earlier in self.seen:
            self._apply(earlier)

    def _overturned(self, target: Event, event: Event, ended: bool) -> Overturned:
        stretch: tuple[datetime | None, datetime | None] = (None, None)
        if target.step is Step.SUSPEND:
            lifted = [(start, end) for sequence, start, end in self.past if sequence == target.sequence]
            if lifted:
                stretch = lifted[0]
            else:
                stretch = (
                    target.at,
                    self.ending.at if self.ending else min(event.at, self.valid_until or event.at),
                )
        return Overturned(
            sequence=target.sequence,
            notice=target.notice,
            step=target.step,
            by=event.sequence,
            on=event.at,
            appeal=event.appeal,
            status_stays=ended,
            suspended_from=stretch[0],
            suspended_to=stretch[1],
        )

    def _apply(self, event: Event) -> None:
        """Tolerant on purpose: without an overturned suspension its prolongation has nothing to act on."""
        if event.sequence in self.removed:
            return
        step, terms = event.step, event
        if event.sequence in self.replaced:
            terms = self.replaced[event.sequence]
            # A varied revocation counts as a suspension from the day of the revocation.
            step = Step.SUSPEND if step is Step.REVOKE else step
        live = self.base in (Standing.ACTIVE, Standing.SUSPENDED)
        if step is Step.ISSUE:
            self.base = Standing.ACTIVE
        elif step is Step.SUSPEND and live:
            since = self.suspension.since if self.base is Standing.SUSPENDED and self.suspension else event.at
            self.base = Standing.SUSPENDED
            self.suspension = Suspension(
                since=since,
                sequence=terms.sequence,
                terms=terms.sequence,
                reason=terms.reason or event.reason,
                notice=terms.notice,
                review_on=terms.review_on or event.review_on,
                review_until=terms.review_until or event.review_until,
                appeal_until=event.appeal_until,
            )
        elif step is Step.PROLONG and self.base is Standing.SUSPENDED and self.suspension:
            if self.suspension.terms > terms.sequence:
                return  # the suspension was varied after this extension: the terms set last are in force
            self.suspension = replace(
                self.suspension,
                terms=terms.sequence,
                review_on=terms.review_on or event.review_on,
                review_until=terms.review_until or event.review_until,
                appeal_until=event.appeal_until or self.suspension.appeal_until,
            )
        elif step is Step.REINSTATE and self.base is Standing.SUSPENDED and self.suspension:
            self.past.append((self.suspension.sequence, self.suspension.since, event.at))
            self.base = Standing.ACTIVE
            self.suspension = None
        elif step in (Step.REVOKE, Step.TERMINATE, Step.SUPERSEDE) and live:
            self.base = Standing(_ENDINGS[step])
            self.ending = event
        elif step is Step.FINALISE and self.base is Standing.REVOKED:
            self.final = True

    # -- the clock

    def _expired_at(self, now: datetime) -> bool:
        return self.valid_until is not None and now >= self.valid_until

    def _word_at(self, now: datetime) -> Status | None:
        if self.base is Standing.NONE:
            return None
        if self.ending is not None:
            return _ENDINGS[self.ending.step]
        return Status.EXPIRED if self._expired_at(now) else Status(self.base)

    def _standing_at(self, now: datetime) -> Standing:
        word = self._word_at(now)
        if word is None:
            return Standing.NONE
        return Standing.REVOKED_FINAL if self.final else Standing(word)

    def pass_time(self, now: datetime) -> None:
        if self.word in (Status.ACTIVE, Status.SUSPENDED) and self._expired_at(now):
            self._note_word(self.valid_until or now)

    def _note_word(self, at: datetime) -> None:
        word = self._word_at(at)
        if word is self.word:
            return
        if word is Status.ACTIVE:
            self.not_in_force_since = None
        elif self.not_in_force_since is None:
            self.not_in_force_since = at
        # What the term has ended is «expired since the end of the term», whenever that became visible again.
        self.word, self.since = word, self.valid_until if word is Status.EXPIRED else at

    # -- the answer

    def facts_at(self, now: datetime) -> StatusFacts:
        self.pass_time(now)
        word, since, valid_until = self.word, self.since, self.valid_until
        if word is None or since is None or valid_until is None:
            raise NotIssued("a status needs the event that issued the certificate")
        suspension = self.suspension
        appeal_until = None
        if word is Status.REVOKED and self.ending:
            appeal_until = self.ending.appeal_until
        elif word is Status.SUSPENDED and suspension:
            appeal_until = suspension.appeal_until
        review_until = suspension.review_until if word is Status.SUSPENDED and suspension else None
        clock = [valid_until, review_until, None if self.final else appeal_until]
        return StatusFacts(
            word=word,
            in_force=word is Status.ACTIVE,
            since=since,
            not_in_force_since=self.not_in_force_since,
            facts=tuple(self._all_facts(now)),
            valid_until=valid_until,
            sequence=self.seen[-1].sequence,
            last_change=self.seen[-1].at,
            standing=self._standing_at(now),
            suspension=suspension,
            ending=self.ending,
            final=self.final,
            review_overdue=review_until is not None and now >= review_until,
            appeal_until=appeal_until,
            appeal_period_over=appeal_until is not None and now >= appeal_until,
            superseded_by=self.ending.other if self.ending and self.ending.step is Step.SUPERSEDE else None,
            past_suspensions=tuple((start, end) for _, start, end in self.past),
            overturned=tuple(self.overturned),
            varied=tuple(self.varied),
            errata=tuple(self.errata),
            erratum=max(self.errata, key=lambda one: (one.do_not_rely, one.sequence), default=None),
            do_not_rely=any(erratum.do_not_rely for erratum in self.errata),
            expiry_recorded=self.expiry_recorded,
            stale_at=min((moment for moment in clock if moment is not None and moment > now), default=None),
        )

    def _all_facts(self, now: datetime) -> Iterable[Fact]:
        true: dict[Status, Fact] = {}
        if self.ending is not None:
            ending = self.ending
            true[_ENDINGS[ending.step]] = Fact(
                status=_ENDINGS[ending.step],
                since=ending.at,
                sequence=ending.sequence,
                notice=ending.notice,
                reason=ending.reason,
            )
        if self.valid_until is not None and self._expired_at(now):
            true[Status.EXPIRED] = Fact(status=Status.EXPIRED, since=self.valid_until)
        overturned = {one.sequence for one in self.overturned}
        if self.suspension is not None and self.suspension.sequence not in overturned:
            true[Status.SUSPENDED] = Fact(
                status=Status.SUSPENDED,
                since=self.suspension.since,
                sequence=self.suspension.sequence,
                notice=self.suspension.notice,
                reason=self.suspension.reason,
            )
        if not true and self.since is not None:
            true[Status.ACTIVE] = Fact(
                status=Status.ACTIVE, since=self.since, sequence=self.seen[-1].sequence
            )
        return (true[status] for status in PRECEDENCE if status in true)


_ENDINGS = MappingProxyType(
    {Step.REVOKE: Status.REVOKED, Step.TERMINATE: Status.TERMINATED, Step.SUPERSEDE: Status.SUPERSEDED}
)
