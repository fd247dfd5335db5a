"""The geometry of the forest plot: one row per language group, an interval each, the total as a diamond.

Everything is in per cent of the row's width, so that a page scales the plot without scaling its letters. No
word stands here.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from grading.figures import Figure

# Room left of 0 and right of the last tick, so that half a dot or a number is not cut.
EDGE = Decimal(1)
STEPS = (Decimal(1), Decimal(2), Decimal(5), Decimal(10), Decimal(20))
MOST_TICKS = 6


@dataclass(frozen=True, slots=True)
class Tick:
    value: Decimal  # in hundredths: 5 is 5 %
    x: str
    last: bool = False


@dataclass(frozen=True, slots=True)
class Row:
    """`kind`: interval · indicative · none (k = 0) · every (k = n) · suppressed · no_data · counts (no
    interval is known).
    """

    figure: Figure
    kind: str
    low: str = ""
    point: str = ""
    high: str = ""
    width: str = ""  # from low to high
    diamond: str = ""  # path of the total, on a square of 100


@dataclass(frozen=True, slots=True)
class Forest:
    metric: str
    denominator: str
    rows: tuple[Row, ...]
    total: Row | None
    ticks: tuple[Tick, ...]
    threshold: str = ""  # its place; empty without one
    threshold_value: str = ""  # as it was given, a fraction of 1
    total_line: str = ""

    @property
    def kinds(self) -> frozenset[str]:
        """Which marks the legend has to explain."""
        return frozenset(row.kind for row in self.rows)

    @property
    def suppressed(self) -> tuple[Row, ...]:
        return tuple(row for row in self.rows if row.kind == "suppressed")


def plot(
    figures: Iterable[Figure], *, metric: str, denominator: str, threshold: str | None = None
) -> Forest | None:
    """The plot of one metric over its groups; None when nothing of it was measured.

    Rows stand by descending n (never by the figure itself: this is no ranking), then the joint rest, then
    what is suppressed.
    """
    mine = [
        figure
        for figure in figures
        if figure.metric == metric
        and figure.denominator == denominator
        and figure.category is None
        and figure.judge is None
    ]
    if not mine:
        return None
    scale = _Scale.over(mine, threshold)
    groups = sorted((figure for figure in mine if figure.group is not None), key=_order)
    total = next((figure for figure in mine if figure.group is None), None)
    total_row = _row(total, scale, total=True) if total is not None else None
    return Forest(
        metric=metric,
        denominator=denominator,
        rows=tuple(_row(figure, scale) for figure in groups),
        total=total_row,
        ticks=scale.ticks(),
        threshold=scale.place(Decimal(threshold)) if threshold else "",
        threshold_value=threshold or "",
        total_line=total_row.point if total_row and total_row.kind in ("interval", "indicative") else "",
    )


def course(figures: Iterable[Figure]) -> Forest | None:
    """The plot of one figure through time: a row a measurement, in the order given; None without one."""
    mine = list(figures)
    if not mine:
        return None
    scale = _Scale.over(mine, None)
    return Forest(
        metric=mine[0].metric,
        denominator=mine[0].denominator,
        rows=tuple(_row(figure, scale) for figure in mine),
        total=None,
        ticks=scale.ticks(),
    )


@dataclass(frozen=True, slots=True)
class _Scale:
    end: Decimal  # hundredths
    step: Decimal

    @classmethod
    def over(cls, figures: Iterable[Figure], threshold: str | None) -> _Scale:
        """From 0 to the first tick above every end of an interval and above the threshold."""
        ends = [Decimal(figure.high) * 100 for figure in figures if figure.high is not None]
        ends += [Decimal(threshold) * 100] if threshold else []
        largest = max(ends, default=Decimal(100))
        for step in STEPS:
            end = min(Decimal(100), (largest // step + 1) * step)
            if end / step <= MOST_TICKS:
                break
        return cls(end=max(end, step), step=step)

    def place(self, fraction: Decimal) -> str:
        return _percent(EDGE + fraction * 100 / self.end * (100 - 2 * EDGE))

    def span(self, low: Decimal, high: Decimal) -> str:
        return _percent((high - low) * 100 / self.end * (100 - 2 * EDGE))

    def ticks(self) -> tuple[Tick, ...]:
        count = int(self.end / self.step)
        return tuple(
            Tick(value=step * self.step, x=self.place(step * self.step / 100), last=step == count)
            for step in range(count + 1)
        )


def _order(figure: Figure) -> tuple[int, int, str]:
    place = 2 if figure.band == "suppressed" else 1 if figure.group == "rest" else 0
    return place, -(figure.n or 0), figure.group or ""


def _row(figure: Figure, scale: _Scale, total: bool = False) -> Row:
    if figure.band in ("suppressed", "no_data"):
        return Row(figure=figure, kind=figure.band)
    if figure.low is None or figure.high is None or figure.estimate is None:
        return Row(figure=figure, kind="counts")
    low, point, high = Decimal(figure.low), Decimal(figure.estimate), Decimal(figure.high)
    if figure.k == 0:
        kind = "none"
    elif figure.k == figure.n:
        kind = "every"
    else:
        kind = "indicative" if figure.band == "indicative" else "interval"
    middle = _number((point - low) / (high - low) * 100) if high > low else "50"
    return Row(
        figure=figure,
        kind=kind,
        low=scale.place(low),
        point=scale.place(point),
        high=scale.place(high),
        width=scale.span(low, high),
        diamond=f"M0 50 {middle} 0 100 50 {middle} 100z" if total else "",
    )


def _percent(value: Decimal) -> str:
    return f"{value:.2f}%"


def _number(value: Decimal) -> str:
    return f"{value:.1f}"
