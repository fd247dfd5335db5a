"""Reads the audit log: who did or looked at what; a registrar everybody's entries, others their own."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Q, QuerySet

from registry_site import roles
from registry_site.models import AuditEntry, Person

PAGE_SIZE = 100
# Of the file that is taken along; the filters cut it smaller.
LONGEST_EXPORT = 100_000


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is asked for: empty asks for everything that the reader may see. Instants: from, and before."""

    person: int | None = None
    action: str = ""
    subjects: Sequence[str] = ()  # «kind:identifier», any of them
    since: datetime | None = None
    until: datetime | None = None
    before: int | None = None  # the last entry of the page before


@dataclass(frozen=True, slots=True)
class Page:
    entries: Sequence[AuditEntry]
    before: int | None  # of the next page


def page(wanted: Wanted, *, reader: Person) -> Page:
    """A page of the log, the latest first."""
    rows = list(_matching(wanted, reader=reader)[: PAGE_SIZE + 1])
    return Page(rows[:PAGE_SIZE], rows[PAGE_SIZE - 1].pk if len(rows) > PAGE_SIZE else None)


def export(wanted: Wanted, *, reader: Person) -> Iterator[AuditEntry]:
    """The entries that match, the latest first, at most `LONGEST_EXPORT`."""
    return _matching(wanted, reader=reader)[:LONGEST_EXPORT].iterator(chunk_size=1000)


def people() -> QuerySet[Person]:
    """Whoever holds or held a role, by name: those whose entries can be asked for."""
    return Person.objects.filter(role_grants__isnull=False).distinct().order_by("name", "pk")


def _matching(wanted: Wanted, *, reader: Person) -> QuerySet[AuditEntry]:
    rows = AuditEntry.objects.select_related("person").order_by("-at", "-pk")
    if not roles.is_registrar(reader):
        rows = rows.filter(person=reader)
    elif wanted.person is not None:
        rows = rows.filter(person=wanted.person)
    if wanted.action:
        rows = rows.filter(action=wanted.action)
    if wanted.subjects:
        rows = rows.filter(subject__in=wanted.subjects)
    if wanted.since is not None:
        rows = rows.filter(at__gte=wanted.since)
    if wanted.until is not None:
        rows = rows.filter(at__lt=wanted.until)
    if wanted.before is not None and (last := AuditEntry.objects.filter(pk=wanted.before).first()):
        rows = rows.filter(Q(at__lt=last.at) | Q(at=last.at, pk__lt=last.pk))
    return rows
