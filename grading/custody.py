"""Custody of question sets: registers a seal, reveals it, records a leak, and says how often a set was used.

The only writer of sets, their events and their uses. The registry holds no question of a sealed set beside the evidence
it was handed in with: a reveal is checked against the bytes that whoever reveals brings, and those are kept only when
the custodian publishes them.
"""

import gzip
import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any
from zoneinfo import ZoneInfo

from django.conf import settings
from django.db import connection, transaction
from django.db.models import Min
from django.utils.translation import gettext_lazy as _

from grading import sealing, set_commitments
from grading.harness import sealing_sets, shapes
from grading.models import (
    Exposure,
    Measurement,
    QuestionSet,
    QuestionSetEvent,
    RevealedItems,
    Scheme,
    SetStep,
    SetUse,
)
from grading.sealing import State, Step
from registry_site import audit, public_events
from registry_site.models import Person
from registry_site.problems import Refusal

# What is brought to reveal a set is read in the memory of the web process.
MOST_BYTES = 16 * 1024**2
LONGEST_LINE = 1024**2


class FaultyCommitment(Refusal):
    code = "set_commitment_faulty"
    title = _("This is no file that `benchmark seal` writes, or it was changed")


class SetAlreadyRegistered(Refusal):
    code = "set_already_registered"
    title = _("A set with that hash is registered already")


class ForbiddenSetStep(Refusal):
    code = "forbidden_set_step"
    title = _("The set does not allow this step any more")


class SealDiffers(Refusal):
    """What was brought is not what was sealed: nothing is published."""

    code = "seal_differs"
    title = _("The questions or the salt are not those that were sealed")


class UnreadableItems(Refusal):
    code = "set_items_unreadable"
    title = _("The questions cannot be read")


class LeakInTheFuture(Refusal):
    code = "leak_in_the_future"
    title = _("A leak that has not happened is not recorded")


@dataclass(frozen=True, slots=True)
class Custody:
    """A registered set with its events and uses, as they are at one instant."""

    row: QuestionSet
    events: Mapping[str, QuestionSetEvent]
    state: State
    # When answers were first collected or frozen, and whether that was before the seal was registered.
    first_used_at: datetime | None
    used_before_seal: bool

    @property
    def sealed_at(self) -> datetime:
        return self.row.registered_at

    @property
    def exposure(self) -> QuestionSetEvent | None:
        return self.events.get(SetStep.REVEAL) or self.events.get(SetStep.LEAK)

    @property
    def keeps_items(self) -> bool:
        """Whether no question of it may be served: until its custodian publishes them, whatever else happened."""
        reveal = self.events.get(SetStep.REVEAL)
        return reveal is None or not reveal.publishes_items


# ── reading ──────────────────────────────────────────────────────────────────


def of(set_sha256: str, *, at: datetime | None = None) -> Custody | None:
    """The set registered under a hash, as it was at `at` (or is now); None where there was none."""
    row = QuestionSet.objects.filter(set_sha256=set_sha256).first()
    if row is None or (at is not None and row.registered_at > at):
        return None
    return of_row(row, at=at)


def of_row(row: QuestionSet, *, at: datetime | None = None) -> Custody:
    """Everything about a registered set, as it was at `at` or is now."""
    (kept,) = of_rows([row], at=at)
    return kept


def of_rows(rows: Sequence[QuestionSet], *, at: datetime | None = None) -> list[Custody]:
    """The same for several, in two queries."""
    events = QuestionSetEvent.objects.filter(question_set__in=rows).select_related("public_event")
    used = Measurement.objects.filter(set_sha256__in=[row.set_sha256 for row in rows])
    if at is not None:
        events, used = events.filter(at__lte=at), used.filter(frozen_at__lte=at)
    happened: dict[int, dict[str, QuestionSetEvent]] = {}
    for event in events:
        happened.setdefault(event.question_set_id, {})[event.step] = event
    first = {
        set_sha256: moments
        for set_sha256, *moments in used.values_list("set_sha256")
        .annotate(frozen=Min("frozen_at"), measured=Min("measured_at"))
        .order_by()
    }
    return [_custody(row, happened.get(row.pk, {}), *first.get(row.set_sha256, (None, None))) for row in rows]


def _custody(
    row: QuestionSet,
    events: Mapping[str, QuestionSetEvent],
    frozen_at: datetime | None,
    measured_at: datetime | None,
) -> Custody:
    # The declared instant of measuring counts too: whoever says it was earlier says that the set was in use.
    first = min((moment for moment in (frozen_at, measured_at) if moment is not None), default=None)
    return Custody(
        row=row,
        events=events,
        state=_state(events.values(), frozen_at, row.registered_at),
        first_used_at=first,
        used_before_seal=first is not None and first < row.registered_at,
    )


def _state(events: Iterable[QuestionSetEvent], used_at: datetime | None, sealed_at: datetime) -> State:
    """The state by the table of steps, in order of time. A reveal closes the set: nobody reveals what is in use."""
    taken: list[tuple[datetime, int, Step]] = []
    if used_at is not None:
        taken.append((max(used_at, sealed_at), 1, Step.USE))
    for event in events:
        step = Step(event.step)
        if step is Step.REVEAL:
            taken.append((event.at, 2, Step.CLOSE))
        taken.append((event.at, 0 if step is Step.SEAL else 3, step))
    return sealing.state_of(step for _at, _rank, step in sorted(taken))


def keeping_items(hashes: Iterable[str]) -> frozenset[str]:
    """Of these set hashes those whose questions may not be served by anyone: sealed here and not published."""
    asked = set(hashes) - {""}
    if not asked:
        return frozenset()
    published = QuestionSetEvent.objects.filter(
        question_set__set_sha256__in=asked, publishes_items=True
    ).values_list("question_set__set_sha256", flat=True)
    registered = QuestionSet.objects.filter(set_sha256__in=asked).values_list("set_sha256", flat=True)
    return frozenset(registered.difference(published))


def limitations_of(use: SetUse | None) -> list[dict[str, Any]]:
    """What a use says of a measurement's limits, shaped as the limitations of a result."""
    if use is None or not use.exposure:
        return []
    return [{"code": f"set_{use.exposure}_before", "date": use.exposed_on.isoformat()}]


# ── writing ──────────────────────────────────────────────────────────────────


@transaction.atomic
def seal(file: bytes, *, by: Person, at: datetime) -> QuestionSet:
    """Register a sealed set from the file that `benchmark seal` wrote; the same file again returns what exists.

    Raises FaultyCommitment, SetAlreadyRegistered.
    """
    told, faults = set_commitments.read(file)
    if told is None:
        raise FaultyCommitment(
            " · ".join(_fault(fault) for fault in faults[:10]), faults=[fault.code for fault in faults[:10]]
        )
    _lock(told.set_sha256)
    known = QuestionSet.objects.filter(set_sha256=told.set_sha256).first()
    if known is not None:
        if bytes(known.file) == file:
            return known
        raise SetAlreadyRegistered
    if not Scheme.objects.filter(code=told.scheme[0], version=told.scheme[1]).exists():
        raise FaultyCommitment(
            _("The scheme %(scheme)s, whose categories it counts, is not published here.")
            % {"scheme": "-".join(told.scheme)}
        )
    row = QuestionSet.objects.create(
        set_sha256=told.set_sha256,
        commitment=told.commitment,
        name=told.name,
        custodian=told.custodian,
        items=told.items,
        by_category=dict(told.by_category),
        by_language=dict(told.by_language),
        scheme_code=told.scheme[0],
        scheme_version=told.scheme[1],
        examples=[dict(example) for example in told.examples],
        file=file,
        registered_by=by,
        registered_at=at,
    )
    _append(row, SetStep.SEAL, by=by, at=at, fixed={"file": hashlib.sha256(file).hexdigest()})
    return row


@transaction.atomic
def reveal(
    row: QuestionSet,
    *,
    items: bytes,
    salt: bytes,
    publishes_items: bool,
    statement_es: str,
    statement_en: str,
    by: Person,
    at: datetime,
) -> QuestionSetEvent:
    """Open a seal: `items` (a file of items, or the sealed bytes) and `salt` (a file of it) must be what was sealed.

    Raises UnreadableItems, SealDiffers, ForbiddenSetStep; then nothing has changed.
    """
    content = _canonical(items, expected=row.items)
    bare = sealing.salt_in(salt)
    if bare is None or not sealing.matches(content, salt=bare, commitment=row.commitment):
        raise SealDiffers
    if sealing.set_sha256(content.splitlines()) != row.set_sha256:
        # A commitment to other questions than the hash: it was wrong from its first day.
        raise SealDiffers
    _lock(row.set_sha256)
    _require(row, Step.REVEAL)
    event = _append(
        row,
        SetStep.REVEAL,
        by=by,
        at=at,
        statement_es=statement_es,
        statement_en=statement_en,
        salt=bare,
        publishes_items=publishes_items,
        fixed={"salt": bare.hex(), "publishes_items": publishes_items},
    )
    if publishes_items:
        RevealedItems.objects.create(
            event=event,
            content=gzip.compress(content, mtime=0),
            size=len(content),
            sha256=hashlib.sha256(content).hexdigest(),
        )
    return event


@transaction.atomic
def leak(
    row: QuestionSet, *, occurred_on: date, statement_es: str, statement_en: str, by: Person, at: datetime
) -> QuestionSetEvent:
    """Record that the questions got out, and on which day as far as is known.

    Raises ForbiddenSetStep, LeakInTheFuture.
    """
    if occurred_on > at.astimezone(ZoneInfo(settings.REGISTRY_TIME_ZONE)).date():
        raise LeakInTheFuture(field="occurred_on")
    _lock(row.set_sha256)
    _require(row, Step.LEAK)
    return _append(
        row,
        SetStep.LEAK,
        by=by,
        at=at,
        statement_es=statement_es,
        statement_en=statement_en,
        occurred_on=occurred_on,
        fixed={"occurred_on": occurred_on.isoformat()},
    )


def record_use(measurement: Measurement, *, at: datetime) -> SetUse:
    """Write down what is known of a measurement's set as it is frozen; in the transaction that freezes it."""
    _lock(measurement.set_sha256)
    before = (
        Measurement.objects.filter(set_sha256=measurement.set_sha256)
        .exclude(package=measurement.package_id)
        .values("package")
        .distinct()
        .count()
    )
    exposure, day = Exposure.NONE, None
    event = (
        QuestionSetEvent.objects.filter(
            question_set__set_sha256=measurement.set_sha256, step__in=[SetStep.REVEAL, SetStep.LEAK]
        )
        .order_by("pk")
        .first()
    )
    # By when the registry received the bytes: that its answers are older than that is a declaration.
    if event is not None and event.at <= measurement.package.received_at:
        exposure = Exposure.REVEALED if event.step == SetStep.REVEAL else Exposure.LEAKED
        day = event.occurred_on or event.at.astimezone(ZoneInfo(settings.REGISTRY_TIME_ZONE)).date()
    return SetUse.objects.create(
        measurement=measurement,
        set_sha256=measurement.set_sha256,
        uses_before=before,
        exposure=exposure,
        exposed_on=day,
        at=at,
    )


def _lock(set_sha256: str) -> None:
    """One at a time for each set: a first use and a seal, or two uses, do not pass each other unseen."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(hashtextextended(%s, 340))", [set_sha256])


def _require(row: QuestionSet, step: Step) -> None:
    present = of_row(row)
    state = sealing.after(present.state, Step.CLOSE) if _is_closed_by(step, present.state) else present.state
    try:
        sealing.after(state, step)
    except sealing.ForbiddenStep as error:
        raise ForbiddenSetStep(state=present.state.value) from error


def _is_closed_by(step: Step, state: State) -> bool:
    return step is Step.REVEAL and (state, Step.CLOSE) in sealing.TRANSITIONS


def _append(
    row: QuestionSet, step: SetStep, *, by: Person, at: datetime, fixed: dict[str, Any], **facts: Any
) -> QuestionSetEvent:
    words = {"seal": "set.sealed", "reveal": "set.revealed", "leak": "set.leaked"}
    statement = (
        {"es": facts["statement_es"], "en": facts["statement_en"]} if "statement_es" in facts else None
    )
    public = public_events.append(
        words[step.value],
        subject=f"set:{row.set_sha256}",
        at=at,
        document={
            "v": 1,
            "set": row.set_sha256,
            "commitment": row.commitment,
            **fixed,
            **({"statement": statement} if statement else {}),
        },
    )
    audit.record(words[step.value], by=by, at=at, subject=f"set:{row.set_sha256}")
    return QuestionSetEvent.objects.create(
        question_set=row, step=step, at=at, by=by, public_event=public, **facts
    )


def _canonical(items: bytes, *, expected: int) -> bytes:
    """The sealed bytes of a file of `expected` items, with ids or without. A fault tells code and line, never a value.

    It stops at the first fault: a hostile file has more of them than there is memory for.
    """
    if len(items) > MOST_BYTES:
        raise UnreadableItems(_("The file is larger than %(most)s MiB.") % {"most": MOST_BYTES // 1024**2})
    lines = items.count(b"\n") + (not items.endswith(b"\n") and bool(items))
    if lines != expected:
        raise SealDiffers(
            _("The sealed set has %(expected)s questions and the file %(found)s lines.")
            % {"expected": expected, "found": lines}
        )
    forms = []
    for number, line in enumerate(items.removesuffix(b"\n").split(b"\n"), 1):
        if len(line) > LONGEST_LINE:
            raise UnreadableItems(f"LINE_TOO_LONG ({number})")
        read, faults = shapes.read_lines(line + b"\n", sealing_sets.ITEM)
        if faults:
            raise UnreadableItems(f"{faults[0][1].code} ({number})")
        forms += [sealing.item_form(item) for _line, item in read]
    return sealing.canonical_form(forms)


def _fault(fault: Any) -> str:
    place = f"{fault.code} {fault.key}" if fault.key else fault.code
    return f"{place}: {fault.expected}" if fault.expected else place
