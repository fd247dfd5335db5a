"""Which runs may be put together, and two systems beside each other by their runs. Reads only.

A group are the runs of one version on one variant, under one rubric, with the same tools, in one language; any run that
has ended names the group that it is in. Nothing is told of runs that have not ended, not even that they are there.
"""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from django.db.models import Q, QuerySet

from evidence import run_members, run_numbers
from evidence.models import RequestArrived, Run
from evidence.models.run import ENDED_STATES, RunOutcome, RunState
from evidence.routes import Patterns
from grading import rubric_language, run_aggregates, run_sealing, schemes
from grading.models import Mark, Rubric
from grading.run_aggregates import (
    Aggregate,
    Conditions,
    MarkedRun,
    OtherConditions,
    RunComparison,
    TooFewRuns,
)

HAS_ENDED = Q(state__in=ENDED_STATES) | Q(outcome=RunOutcome.INVALIDATED)


@dataclass(frozen=True, slots=True)
class Group:
    """The runs that have ended under the same conditions. `named` is one of them: the group's system, variant, tools.

    `withheld` were marked and are not published: they count nowhere and are told all the same.
    """

    named: Run
    aggregate: Aggregate
    withheld: tuple[str, ...]

    @property
    def total(self) -> int:
        among = self.aggregate.runs
        return len(among.counted) + len(among.left_out) + len(self.withheld)


@dataclass(frozen=True, slots=True)
class Pairing:
    """Two groups, and what is said of them: a comparison, «m of 3» (`too_few`), or the conditions that forbid it."""

    first: Group
    second: Group
    comparison: RunComparison | None = None
    too_few: TooFewRuns | None = None
    fields: tuple[str, ...] = ()

    @property
    def is_same(self) -> bool:
        return self.first.aggregate.conditions == self.second.aggregate.conditions


def minimum() -> int:
    """Below so many independent runs a side nothing is said, by the scheme."""
    return schemes.shipped()[run_members.SCHEME["code"], run_members.SCHEME["version"]].minimum_runs or 0


# ── groups ───────────────────────────────────────────────────────────────────


def named(text: str) -> Run | None:
    """The ended run that a number names, however it is written."""
    number = run_numbers.parse(text)
    return _ended().filter(number=number).first() if number else None


def group_of(run: Run) -> Group:
    """The group that an ended run is in."""
    near = _ended().filter(
        system_version=run.system_version, variant=run.variant, language=run.language, series__isnull=False
    )
    (group,) = [one for one in _groups(near) if one.aggregate.conditions == _conditions([run])[run.pk]]
    return group


def groups_of(system: int) -> tuple[Group, ...]:
    """All groups of a system, each named by its first run, in the order of these."""
    return _groups(_ended().filter(system_version__system=system, series__isnull=False))


def beside(run: Run) -> dict[Conditions, list[Run]]:
    """The groups that this run's group may be compared with: the same variant under the same rubric."""
    rows = list(_ended().filter(variant=run.variant, series__isnull=False))
    conditions = _conditions([run, *rows])
    groups, own = _by_conditions(rows, conditions), conditions[run.pk]
    return {of: near for of, near in groups.items() if of.rubric == own.rubric and of != own}


def pair(one: Run, other: Run) -> Pairing:
    """Two groups beside each other; of the same one neither a comparison nor a reason."""
    first, second = group_of(one), group_of(other)
    if first.aggregate.conditions == second.aggregate.conditions:
        return Pairing(first, second)
    try:
        return Pairing(first, second, comparison=run_aggregates.compare(first.aggregate, second.aggregate))
    except OtherConditions as other_conditions:
        return Pairing(first, second, fields=other_conditions.fields)
    except TooFewRuns as too_few:
        return Pairing(first, second, too_few=too_few)


def _ended() -> QuerySet[Run]:
    return (
        Run.objects.filter(HAS_ENDED, system_version__isnull=False)
        .select_related("variant__case", "series", "system_version__system__holder", "token", "counter")
        .prefetch_related("series__events")
        .order_by("pk")
    )


def _groups(rows: Iterable[Run]) -> tuple[Group, ...]:
    rows = list(rows)
    conditions = _conditions(rows)
    marked = _marked(rows, conditions)
    by_conditions = _by_conditions(rows, conditions)
    return tuple(_group(of, near, marked) for of, near in by_conditions.items())


def _by_conditions(rows: Iterable[Run], conditions: Mapping[int, Conditions]) -> dict[Conditions, list[Run]]:
    groups: dict[Conditions, list[Run]] = {}
    for row in rows:
        groups.setdefault(conditions[row.pk], []).append(row)
    return groups


def _group(conditions: Conditions, rows: Sequence[Run], marked: Mapping[int, MarkedRun]) -> Group:
    least = minimum()
    told = [marked[row.pk] for row in rows if row.state != RunState.WITHHELD]
    return Group(
        named=rows[0],
        aggregate=run_aggregates.aggregate(told, minimum=least)
        if told
        else Aggregate(conditions, least, run_aggregates.independence(())),
        withheld=tuple(row.number for row in rows if row.state == RunState.WITHHELD),
    )


# ── from rows ────────────────────────────────────────────────────────────────


def _conditions(rows: Iterable[Run]) -> dict[int, Conditions]:
    """Of each run. The rubric counts by its bytes, whichever salt it was sealed with."""
    rows = list(rows)
    documents = Rubric.objects.filter(commitment__in={row.series.commitment for row in rows})
    rubrics = {one.commitment: hashlib.sha256(bytes(one.document)).hexdigest() for one in documents}
    return {
        row.pk: Conditions(
            system=str(row.system_version_id),
            variant=row.variant.sha256,
            rubric=rubrics[row.series.commitment],
            tools=tuple(sorted(row.tools)),
            language=row.language,
        )
        for row in rows
    }


def _marked(rows: Sequence[Run], conditions: Mapping[int, Conditions]) -> dict[int, MarkedRun]:
    published = [row for row in rows if row.state == RunState.PUBLISHED]
    marks = _marks(published)
    contaminated = _contaminated(published)
    return {
        row.pk: MarkedRun(
            number=row.number,
            conditions=conditions[row.pk],
            token_sha256=row.token.token_sha256,
            evidence=row.trace_sha256 or row.number,
            began_at=row.counter.first_request_at or row.token.issued_at,
            ended_at=row.closed_at or row.token.ended_at or row.token.expires_at,
            marks=marks.get(row.pk, {}),
            outcome=row.outcome or None,
            contaminated_at=contaminated.get(row.pk),
            abandoned=row.state == RunState.ABANDONED,
            clean_session=row.clean_session,
            before_reveal=_is_before_reveal(row),
            interrupted_by_registry=row.our_fault,
        )
        for row in rows
    }


def _marks(rows: Sequence[Run]) -> dict[int, dict[str, str]]:
    """The mark that stands of each point, in the order of the case's points."""
    latest: dict[int, dict[str, str]] = {row.pk: {} for row in rows}
    for key, point, mark in (
        Mark.objects.filter(run__in=rows).order_by("pk").values_list("run", "point", "mark")
    ):
        latest[key][point] = mark
    return {
        row.pk: {
            point["code"]: latest[row.pk][point["code"]]
            for point in row.variant.case.points
            if point["code"] in latest[row.pk]
        }
        for row in rows
    }


def _contaminated(rows: Sequence[Run]) -> dict[int, int]:
    """k of each run that found the catalogue of its rubric."""
    documents = Rubric.objects.filter(commitment__in={row.series.commitment for row in rows})
    catalogues = {
        one.commitment: Patterns(rubric_language.load(bytes(one.document)).catalogue) for one in documents
    }
    found: dict[int, int] = {}
    patterns = {row.pk: catalogues[row.series.commitment] for row in rows}
    arrivals = RequestArrived.objects.filter(run__in=rows).order_by("run", "sequence")
    for key, sequence, path in arrivals.values_list("run", "sequence", "path").iterator():
        if key not in found and patterns[key].matches(path):
            found[key] = sequence
    return found


def _is_before_reveal(run: Run) -> bool:
    exposed = run_sealing.standing_of(run.series).exposed_at
    began = run.counter.first_request_at or run.token.issued_at
    return exposed is None or began < exposed
