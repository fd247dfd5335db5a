"""The whole queue: every kind asked once, in order of deadline, by stretches of time."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any

from django.utils.translation import pgettext_lazy

from certificates.work_queue import (
    appeals,
    applications,
    certificates,
    identities,
    mail,
    measurements,
    packages,
    recoveries,
)
from certificates.work_queue.matters import Asked, Kind, Matter
from registry_site.models import Person
from registry_site.roles import Role

# More of one kind than this are counted, not listed: a queue nobody can read is none.
SHOWN = 50


@dataclass(frozen=True, slots=True)
class Source:
    """Who reads which kinds."""

    kinds: tuple[Kind, ...]
    read: Callable[[Asked], list[Matter]]


# In this order matters of one deadline stand.
SOURCES = (
    Source((Kind.PACKAGE,), packages.read),
    Source((Kind.APPLICATION,), applications.read),
    Source((Kind.MEASUREMENT,), measurements.read),
    Source((Kind.IDENTITY,), identities.read),
    Source((Kind.APPEAL,), appeals.read),
    Source((Kind.RECOVERY,), recoveries.read),
    Source((Kind.MAIL,), mail.read),
    Source(certificates.KINDS, certificates.read),
)


@dataclass(frozen=True, slots=True)
class Period:
    """The matters of one stretch of time, with its heading."""

    code: str
    heading: Any
    matters: tuple[Matter, ...]


@dataclass(frozen=True, slots=True)
class Queue:
    periods: tuple[Period, ...]
    count: int
    overdue: int
    more: frozenset[Kind]  # kinds of which not all are listed


def read(*, person: Person, roles: frozenset[Role], now: datetime, kind: Kind | None = None) -> Queue:
    """The queue of one person at `now`; `now` in the zone in which days are counted."""
    asked = Asked(person=person, roles=roles, now=now, limit=SHOWN)
    found: dict[Kind, list[Matter]] = {}
    for source in SOURCES:
        if kind is None or kind in source.kinds:
            for matter in source.read(asked):
                found.setdefault(matter.kind, []).append(matter)
    chosen = [one for one in found if kind in (None, one)]
    matters = [matter for one in chosen for matter in found[one][:SHOWN]]
    matters = [replace(m, due=m.due.astimezone(now.tzinfo) if m.due else None) for m in matters]
    # Stable: of one deadline the order of kinds stands.
    matters.sort(key=lambda m: (m.due is None, m.due or now))
    periods = _by_period(matters, now)
    overdue = next((len(p.matters) for p in periods if p.code == "overdue"), 0)
    more = frozenset(one for one in chosen if len(found[one]) > SHOWN)
    return Queue(periods=periods, count=len(matters), overdue=overdue, more=more)


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
