"""Fills the page of a system from rows: every public measurement of it through time. Reads only."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from zoneinfo import ZoneInfo

from django.conf import settings
from django.db.models import Prefetch, Q, QuerySet

from certificates import (
    comparisons,
    errata,
    measured,
    names,
    page_facts,
    pages,
    queries,
    run_comparisons,
    visibility,
)
from certificates.models import CertificateState
from evidence.models import System
from grading import comparing, suppression
from grading.figures import Figure
from grading.models import Figure as FigureRow
from grading.models import Measurement, QuestionSet

PAGE_SIZE = 50
METRIC = measured.HEADLINE[0]


def of(key: int, *, at: datetime, before: str = "") -> pages.SystemPage | None:
    """The page of a system by its id; None where nothing of it is public.

    `before` is the cursor that a page gave out: only what was frozen before that measurement is listed.
    """
    system = System.objects.select_related("holder").filter(pk=key).first()
    public = visibility.public_measurements().filter(system_version__system=key)
    versions = _versions(public)
    if system is None or not versions:
        return None
    rows = list(_before(_whole(public), before)[: PAGE_SIZE + 2])
    shown = rows[:PAGE_SIZE]
    certified = list(
        CertificateState.objects.filter(system_version__system=key).order_by("-issued_at", "-pk")
    )
    listed = queries.listed(certified, at=at)
    sets = _sets_with_a_page(shown)
    holder = system.holder
    return pages.SystemPage(
        frame=page_facts.frame(
            f"systems/{key}/", as_of=_here(at), query=f"before={before}" if before else ""
        ),
        id=key,
        system=system.name,
        holder=pages.Holder(
            name=holder.name,
            country=holder.country,
            identifier=holder.identifier,
            identifier_kind=holder.identifier_kind,
        ),
        versions=versions,
        certificates=listed,
        measurements=tuple(
            _measured(one, earlier, sets)
            for one, earlier in zip(shown, [*rows[1 : len(shown) + 1], None], strict=False)
        ),
        comparisons=comparisons.comparisons_of(shown),
        runs=run_comparisons.of_system(key),
        older=f"before={shown[-1].pk}" if len(rows) > PAGE_SIZE else "",
    )


def _versions(public: QuerySet[Measurement]) -> tuple[str, ...]:
    """In the order in which they were first measured."""
    every = public.order_by("frozen_at", "pk").values_list("system_version__version", flat=True)
    return tuple(dict.fromkeys(every))


def _whole(public: QuerySet[Measurement]) -> QuerySet[Measurement]:
    headline = FigureRow.objects.filter(metric=METRIC, group=None, category=None, judge=None)
    return (
        public.select_related("package", "scheme", "system_version")
        .prefetch_related(
            Prefetch("figures", queryset=headline, to_attr="headlines"),
            errata.carrying(),
        )
        .order_by("-frozen_at", "-pk")
    )


def _before(rows: QuerySet[Measurement], cursor: str) -> QuerySet[Measurement]:
    """What was frozen before the measurement that the cursor names; everything where it names none of these."""
    named = comparisons.key_of(cursor)
    last = None if named is None else rows.filter(pk=named).values_list("frozen_at", "pk").first()
    if last is None:
        return rows
    frozen_at, key = last
    return rows.filter(Q(frozen_at__lt=frozen_at) | Q(frozen_at=frozen_at, pk__lt=key))


def _sets_with_a_page(rows: Sequence[Measurement]) -> frozenset[str]:
    hashes = {one.set_sha256 for one in rows}
    return frozenset(QuestionSet.objects.filter(set_sha256__in=hashes).values_list("set_sha256", flat=True))


def _measured(one: Measurement, earlier: Measurement | None, sets: frozenset[str]) -> pages.Measured:
    zone = one.scheme.rules.zone
    figures = _headlines(one)
    return pages.Measured(
        reference=names.reference(one),
        measured_at=one.measured_at.astimezone(zone),
        frozen_at=one.frozen_at.astimezone(zone),
        version=one.system_version.version,
        scheme=str(one.scheme),
        set_name=one.set_name,
        set_sha256=one.set_sha256,
        set_has_page=one.set_sha256 in sets,
        judges=_judges(one),
        evidence_sha256=one.package.sha256,
        corpus=page_facts.corpus(one.descriptor.get("corpus")),
        judged=figures.get("judged"),
        all=figures.get("all"),
        certificates=tuple(certificate.number for certificate in one.carrying),
        errata=errata.of(one.carrying),
        breaks=() if earlier is None else _breaks(one, earlier),
    )


def _headlines(one: Measurement) -> Mapping[str, Figure]:
    """By denominator, suppressed where its own scheme suppresses it."""
    figures = suppression.published([measured.figure(row) for row in one.headlines], one.scheme.rules)
    return {figure.denominator: figure for figure in figures}


def _judges(one: Measurement) -> tuple[str, ...]:
    return tuple(
        sorted(f"{judge['family']} · {judge['version']}" for judge in one.descriptor.get("judges") or ())
    )


# What the reader is told of a field that has to be the same.
_TOLD_AS = {"method": "scheme", "scheme": "scheme", "scheme_sha256": "scheme", "judges": "judges"}


def _breaks(one: Measurement, earlier: Measurement) -> tuple[str, ...]:
    """What has to be the same for two figures to be read beside each other, and is not: as for a comparison."""
    other = ["set"] if one.set_sha256 != earlier.set_sha256 else []
    fields = comparing.differences(earlier, one)
    return tuple(dict.fromkeys([*other, *(_TOLD_AS.get(of["field"], "rules") for of in fields)]))


def _here(at: datetime) -> datetime:
    return at.astimezone(ZoneInfo(settings.REGISTRY_TIME_ZONE))
