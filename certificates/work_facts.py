"""What the staff's pages tell of the work on a thing: who has it, who took part, who may not decide, the notes."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Q

from certificates import four_eyes, work_subjects
from certificates.models import Assignment, StaffNote
from certificates.work_subjects import Subject
from registry_site.models import Person

NOTES_SHOWN = 30


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """Of one thing. `own_bar` is the rule that keeps the reader from deciding, told of a third person."""

    subject: Subject
    assignment: Assignment | None
    mine: bool
    may_release: bool
    may_take: bool
    own_bar: Any
    parts: list[four_eyes.Part]
    barred: list[four_eyes.Barred]
    notes: list[StaffNote]
    more_notes: bool


@dataclass(frozen=True, slots=True)
class Candidate:
    """Somebody to whom a matter may be given, or the rule why not."""

    person: Person
    why_not: Any


def staff_of(subject: Subject) -> list[Person]:
    """Who holds a role that has to do with such a thing, by name."""
    held = work_subjects.KINDS[subject.kind].roles
    return list(
        Person.objects.filter(
            role_grants__role__in=held, role_grants__ended_at=None, accounts__is_active=True
        )
        .distinct()
        .order_by("name", "pk")
    )


def of(thing: Any, *, reader: Person, at: datetime) -> Work:
    """All of it in a fixed number of queries."""
    subject = work_subjects.of(thing)
    kind = work_subjects.KINDS[subject.kind]
    people = staff_of(subject)
    bars = kind.bars(people, thing, at)
    assignment = assignments([subject]).get(subject)
    notes = list(
        StaffNote.objects.filter(kind=subject.kind, identifier=subject.identifier)
        .select_related("by")
        .order_by("-pk")[: NOTES_SHOWN + 1]
    )
    mine = assignment is not None and assignment.person_id == reader.pk
    able = any(person.pk == reader.pk for person in people)
    return Work(
        subject=subject,
        assignment=assignment,
        mine=mine,
        may_release=assignment is not None and reader.pk in (assignment.person_id, assignment.assigned_by_id),
        may_take=able and not mine and reader.pk not in bars,
        own_bar=four_eyes.why(bars[reader.pk]) if reader.pk in bars else None,
        parts=kind.parts(thing),
        barred=four_eyes.barred(people, bars),
        notes=notes[:NOTES_SHOWN],
        more_notes=len(notes) > NOTES_SHOWN,
    )


def candidates(subject: Subject, thing: Any, *, at: datetime) -> list[Candidate]:
    """To whom it may be given, and to whom not and why."""
    people = staff_of(subject)
    bars = work_subjects.KINDS[subject.kind].bars(people, thing, at)
    return [Candidate(one, four_eyes.why(bars[one.pk]) if one.pk in bars else None) for one in people]


def assignments(subjects: Iterable[Subject]) -> dict[Subject, Assignment]:
    """Who has each of these in hand: one query for all."""
    by_kind: dict[str, list[str]] = {}
    for subject in subjects:
        by_kind.setdefault(subject.kind, []).append(subject.identifier)
    if not by_kind:
        return {}
    wanted = Q()
    for kind, identifiers in by_kind.items():
        wanted |= Q(kind=kind, identifier__in=identifiers)
    rows = Assignment.objects.filter(wanted, ended_at=None).select_related("person")
    return {Subject(row.kind, row.identifier): row for row in rows}
