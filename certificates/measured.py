"""What may be told of frozen measurements: published figures, declared ones beside them, and which stand together."""

from collections.abc import Sequence
from typing import Any

from django.db.models import Prefetch

from certificates import errata, sealed_sets, visibility
from certificates.models import Certificate
from evidence.descriptor import Access
from grading import suppression
from grading.figures import Band, Figure
from grading.models import Figure as FigureRow
from grading.models import Measurement

# Metric and denominator of the figure that stands for a measurement where there is room for one.
HEADLINE = ("hallucination", "judged")


def published_figures(measurement: Measurement) -> tuple[Figure, ...]:
    """What may be shown of a measurement: every figure after suppression, in its stored order."""
    figures = [figure(row) for row in measurement.figures.all()]
    return tuple(
        suppression.published(
            figures, measurement.scheme.rules, evidence_is_public=evidence_is_public(measurement)
        )
    )


def evidence_is_public(measurement: Measurement) -> bool:
    """Whether every member of the evidence can be read by anyone, who then can count for himself."""
    handed_in = measurement.descriptor
    opened = handed_in.get("access") != Access.DIGEST_ONLY and not handed_in.get("sealed")
    return opened and not sealed_sets.covers(measurement)


def figure(row: FigureRow) -> Figure:
    """A stored figure as what it was, before suppression."""
    return Figure(
        metric=row.metric,
        denominator=row.denominator,
        group=row.group,
        category=row.category,
        judge=row.judge,
        k=row.k,
        n=row.n,
        unjudged=row.unjudged,
        estimate=row.estimate,
        low=row.low,
        high=row.high,
        interval=row.interval,
        n_eff=row.n_eff,
        clusters=row.clusters,
        band=row.band,
        reason=row.reason,
    )


def descriptor_is_open(measurement: Measurement) -> bool:
    """Whether the descriptor may be read: where something is sealed, not when it tells what is suppressed.

    A certificate stands only where what was declared is what we computed, so a declared figure is the figure.
    """
    if evidence_is_public(measurement) or not measurement.result.get("declared"):
        return True
    told = declared_beside(measurement.result, published_figures(measurement))
    return len(told) == len(measurement.result["declared"])


def relatives_of(certificate: Certificate) -> list[Measurement]:
    """All measurements of this version under this scheme, and later ones of the system: none is picked."""
    headline = FigureRow.objects.filter(
        metric=HEADLINE[0], denominator=HEADLINE[1], group=None, category=None, judge=None
    )
    system = certificate.system_version.system_id
    every = (
        Measurement.objects.filter(visibility.tells_no_unpublished_run(), system_version__system=system)
        .select_related("system_version", "package", "scheme")
        .prefetch_related(
            Prefetch("figures", queryset=headline, to_attr="headlines"),
            errata.carrying(),
        )
        .order_by("package__received_at", "pk")
    )
    own = certificate.measurement
    return [
        one
        for one in every
        if (one.system_version_id == own.system_version_id and one.scheme_id == own.scheme_id)
        or one.frozen_at > own.frozen_at
    ]


def headline_of(measurement: Measurement) -> Figure | None:
    """The headline of a measurement, suppressed where its own scheme suppresses it."""
    if not measurement.headlines:
        return None
    return suppression.published([figure(measurement.headlines[0])], measurement.scheme.rules)[0]


def declared_beside(result: dict[str, Any], figures: Sequence[Figure]) -> list[dict[str, Any]]:
    """The declared figures that may be shown beside published ones: what is suppressed is not told twice."""
    hidden = {
        (one.metric, one.denominator, one.group, one.category)
        for one in figures
        if one.judge is None and one.band == Band.SUPPRESSED
    }
    return [
        one
        for one in result.get("declared") or ()
        if (one["metric"], one["denominator"], one["group"], one["category"]) not in hidden
    ]
