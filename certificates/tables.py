"""Which figures stand together in the tables of a certificate's page; selects and orders, computes no figure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from grading.figures import Figure

# How the answers to questions that are not hostile divide: these and the unjudged add up to all.
ANSWERS = (
    ("accuracy", "all"),
    ("incomplete", "all"),
    ("ill_founded", "all"),
    ("incorrect", "all"),
    ("abstention", "all"),
)
# The order in which further figures of the total are read.
FURTHER = (
    "accuracy",
    "incomplete",
    "ill_founded",
    "incorrect",
    "abstention",
    "unnecessary_abstention",
    "necessary_abstention",
    "hostile_fabrication",
    "hostile_not_held",
    "confident_fabrication",
    "phantom_response",
    "phantom_citation",
    "expected_citation",
)


@dataclass(frozen=True, slots=True)
class Pair:
    """One group's figure over each of the two denominators."""

    group: str | None
    judged: Figure | None
    all: Figure | None


@dataclass(frozen=True, slots=True)
class Answers:
    """How the answers of one group divide."""

    group: str | None
    cells: tuple[Figure | None, ...]  # in the order of ANSWERS
    unjudged: int | None
    n: int | None
    suppressed: bool = False


def groups_in_order(figures: Iterable[Figure]) -> list[str | None]:
    """As the plot: groups by descending number of judged answers, the joint rest, what is suppressed, the total."""
    seen: dict[str | None, tuple[int, int]] = {}
    for figure in figures:
        if figure.category is not None or figure.judge is not None or figure.metric != "hallucination":
            continue
        n = (figure.n or 0) if figure.denominator == "judged" else 0
        hidden = 1 if figure.band == "suppressed" else 0
        place, before = seen.get(figure.group, (0, 0))
        seen[figure.group] = (max(place, hidden), max(before, n))

    def order(group: str | None) -> tuple[int, int, str]:
        hidden, n = seen[group]
        place = 3 if group is None else 2 if hidden else 1 if group == "rest" else 0
        return place, -n, group or ""

    return sorted(seen, key=order)


def pairs(figures: Sequence[Figure], metric: str) -> tuple[Pair, ...]:
    """Both denominators of one metric, group by group, the total last."""
    cells = _index(figures)
    return tuple(
        Pair(group=group, judged=cells.get((metric, "judged", group)), all=cells.get((metric, "all", group)))
        for group in groups_in_order(figures)
    )


def answers(figures: Sequence[Figure]) -> tuple[Answers, ...]:
    """How the answers divide, group by group, the total last."""
    cells = _index(figures)
    rows = []
    for group in groups_in_order(figures):
        row = tuple(cells.get((metric, denominator, group)) for metric, denominator in ANSWERS)
        first = next((cell for cell in row if cell is not None), None)
        if first is None:
            continue
        hidden = all(cell is None or cell.band == "suppressed" for cell in row)
        rows.append(Answers(group=group, cells=row, unjudged=first.unjudged, n=first.n, suppressed=hidden))
    return tuple(rows)


def totals(figures: Sequence[Figure]) -> tuple[Figure, ...]:
    """The further figures of the total, over every denominator they have."""
    mine = [
        figure
        for figure in figures
        if figure.group is None
        and figure.category is None
        and figure.judge is None
        and figure.metric in FURTHER
    ]
    return tuple(
        sorted(mine, key=lambda figure: (FURTHER.index(figure.metric), figure.denominator != "judged"))
    )


def categories(figures: Sequence[Figure]) -> tuple[Figure, ...]:
    """Hallucination over judged, and what was measured on hostile questions, for each category of the total."""
    wanted = (
        ("hallucination", "judged"),
        ("hostile_fabrication", "hostile"),
        ("hostile_not_held", "hostile"),
    )
    mine = [
        figure
        for figure in figures
        if figure.category is not None
        and figure.group is None
        and figure.judge is None
        and (figure.metric, figure.denominator) in wanted
        and figure.band != "no_data"
    ]
    return tuple(
        sorted(
            mine,
            key=lambda figure: (wanted.index((figure.metric, figure.denominator)), figure.category or ""),
        )
    )


def judges(figures: Sequence[Figure], metric: str, denominator: str) -> tuple[Figure, ...]:
    """The headline as each judge alone sees it, where there are several."""
    return tuple(
        figure
        for figure in figures
        if figure.judge is not None
        and figure.group is None
        and figure.category is None
        and figure.metric == metric
        and figure.denominator == denominator
    )


def find(figures: Iterable[Figure], metric: str, denominator: str, group: str | None = None) -> Figure | None:
    """One figure without category and judge."""
    return _index(figures).get((metric, denominator, group))


def _index(figures: Iterable[Figure]) -> dict[tuple[str, str, str | None], Figure]:
    return {
        (figure.metric, figure.denominator, figure.group): figure
        for figure in figures
        if figure.category is None and figure.judge is None
    }
