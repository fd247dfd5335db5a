"""The whole queue: every kind asked once, filtered, in order of deadline, by stretches of time."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any

from django.utils.translation import pgettext_lazy

from certificates import names, work_facts
from certificates.work_queue import (
    appeals,
    applications,
    certificates,
    identities,
    jobs,
    mail,
    measurements,
    packages,
    recoveries,
    reports,
    requests,
    rubrics,
    runs,
)
from certificates.work_queue.matters import Asked, Kind, Matter
from registry_site.models import Person
from registry_site.roles import Role

# More of one kind than this are counted, not listed: a queue nobody can read is none.
SHOWN = 50
# So many of each kind are looked through for what a filter asks of the words and hands of a matter.
LOOKED_THROUGH = 500


class Hands(StrEnum):
    """In whose hands a matter is."""

    MINE = "mine"
    NOBODY = "nobody"


HANDS_WORDS = {
    Hands.MINE: pgettext_lazy("matters", "In my hands"),
    Hands.NOBODY: pgettext_lazy("matters", "In nobody's hands"),
}


@dataclass(frozen=True, slots=True)
class Source:
    """Who reads which kinds."""

    kinds: tuple[Kind, ...]
    read: Callable[[Asked], list[Matter]]


# In this order matters of one deadline stand.
SOURCES = (
    Source((Kind.PACKAGE,), packages.read),
    Source((Kind.APPLICATION,), applications.read),
    Source((Kind.RUN,), runs.read),
    Source((Kind.RUBRIC,), rubrics.read),
    Source((Kind.MEASUREMENT,), measurements.read),
    Source((Kind.IDENTITY,), identities.read),
    Source((Kind.REPORT,), reports.read),
    Source((Kind.APPEAL,), appeals.read),
    Source((Kind.REQUEST,), requests.read),
    Source((Kind.RECOVERY,), recoveries.read),
    Source((Kind.MAIL,), mail.read),
    Source(certificates.KINDS, certificates.read),
    Source((Kind.JOB,), jobs.read),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Filters:
    """What is asked for; a field that is left out asks for nothing."""

    kind: Kind | None = None
    hands: Hands | None = None
    overdue: bool = False
    text: str = ""

    @property
    def looks_inside(self) -> bool:
        """Whether matters must be read before it is known that they are not asked for."""
        return bool(self.hands or self.overdue or self.text)


@dataclass(frozen=True, slots=True)
class Period:
    """The matters of one stretch of time, with its heading."""

    code: str
    heading: Any
    matters: tuple[Matter, ...]


@dataclass(frozen=True, slots=True)
class Queue:
    """What is listed, and how many of each kind there are under the other filters.

    `counts` tells (how many, whether there are more than that) of each kind.
    """

    periods: tuple[Period, ...]
    count: int
    overdue: int
    counts: Mapping[Kind, tuple[int, bool]]
    more: frozenset[Kind]  # kinds of which not all are listed


def read(*, person: Person, roles: frozenset[Role], now: datetime, filters: Filters | None = None) -> Queue:
    """The queue of one person at `now`; `now` in the zone in which days are counted.

    Every kind is read whatever is chosen, for the counts: a fixed number of queries.
    """
    filters = filters or Filters()
    limit = LOOKED_THROUGH if filters.looks_inside else SHOWN
    in_hand = filters.hands is Hands.MINE
    asked = Asked(person=person, roles=roles, now=now, limit=limit, in_hand=in_hand)
    found: dict[Kind, list[Matter]] = {}
    for source in SOURCES:
        for matter in source.read(asked):
            found.setdefault(matter.kind, []).append(matter)
    beyond = {kind for kind, matters in found.items() if len(matters) > limit}
    kept = _kept([m for matters in found.values() for m in matters[:limit]], filters, person, now)
    counts = {kind: (len(matters), kind in beyond) for kind, matters in kept.items()}
    chosen = [kind for kind in kept if filters.kind in (None, kind)]
    matters = [matter for kind in chosen for matter in kept[kind][:SHOWN]]
    # Stable: of one deadline the order of kinds stands.
    matters.sort(key=lambda m: (m.due is None, m.due or now))
    periods = _by_period(matters, now)
    overdue = next((len(p.matters) for p in periods if p.code == "overdue"), 0)
    more = frozenset(kind for kind in chosen if kind in beyond or len(kept[kind]) > SHOWN)
    return Queue(periods=periods, count=len(matters), overdue=overdue, counts=counts, more=more)


def _kept(matters: list[Matter], filters: Filters, person: Person, now: datetime) -> dict[Kind, list[Matter]]:
    """By kind those that the filters let through, each with who has it in hand."""
    hands = work_facts.assignments(m.subject for m in matters if m.subject)
    words = names.folded(filters.text).split()
    kept: dict[Kind, list[Matter]] = {}
    for matter in matters:
        assignment = hands.get(matter.subject) if matter.subject else None
        if filters.hands is Hands.NOBODY and assignment is not None:
            continue
        if filters.hands is Hands.MINE and (assignment is None or assignment.person_id != person.pk):
            continue
        if filters.overdue and not (matter.due and matter.due <= now):
            continue
        if words and not _tells(matter, assignment, words):
            continue
        due = matter.due.astimezone(now.tzinfo) if matter.due else None
        kept.setdefault(matter.kind, []).append(replace(matter, due=due, assignment=assignment))
    return kept


def _tells(matter: Matter, assignment: Any, words: Iterable[str]) -> bool:
    """Whether a row has all these words, as it is read."""
    row = names.folded(
        " ".join(
            (
                str(matter.title),
                matter.number,
                str(matter.about),
                str(matter.missing),
                assignment.person.name if assignment else "",
            )
        )
    )
    return all(word in row for word in words)


_HEADINGS = (
    ("overdue", pgettext_lazy("deadline", "Overdue")),
    ("today", pgettext_lazy("deadline", "Today")),
    ("week", pgettext_lazy("deadline", "This week")),
    ("later", pgettext_lazy("deadline", "Later")),
    ("none", pgettext_lazy("deadline", "Without a deadline")),
)


def _by_period(matters: Iterable[Matter], now: datetime) -> tuple[Period, ...]:
    sorted_in: dict[str, list[Matter]] = {code: [] for code, _heading in _HEADINGS}
    for matter in matters:
        sorted_in[_period(matter.due, now)].append(matter)
    return tuple(
        Period(code, heading, tuple(sorted_in[code])) for code, heading in _HEADINGS if sorted_in[code]
    )


def _period(due: datetime | None, now: datetime) -> str:
    if due is None:
        return "none"
    if due <= now:
        return "overdue"
    # An instant at midnight is the end of the day before.
    days = ((due - timedelta(microseconds=1)).date() - now.date()).days
    return "today" if days == 0 else "week" if days <= 7 else "later"
