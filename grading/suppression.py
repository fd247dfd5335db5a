"""What of a measurement a page may show: small cells are hidden, and enough others that no total gives them away.

Everything is decided on whole numbers. Measurements themselves keep every k and n; only what is published passes here,
and nothing derived from figures (ranges, comparisons, sums) may be published but from what `published` returns.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING

from grading.figures import Band, Figure, figure, rate

if TYPE_CHECKING:
    # Named only: what is compared offline needs none of what reads a scheme.
    from grading.schemes import Scheme

REST = "rest"
FEW = "few"
COMPLEMENTARY = "complementary"

# Figures whose counts give each other away are hidden together: the verdicts share k over both denominators.
_FAMILIES = {
    "accuracy": "ordinary",
    "incomplete": "ordinary",
    "ill_founded": "ordinary",
    "incorrect": "ordinary",
    "hallucination": "ordinary",
    "abstention": "ordinary",
    "expected_citation": "ordinary",
    "phantom_response": "phantoms",
    "phantom_citation": "phantoms",
    "hostile_fabrication": "hostile",
    "hostile_not_held": "hostile",
}

Cell = tuple[str | None, str | None]
# Of each cell the independent answers over each denominator.
Sizes = dict[Cell, dict[str, int]]


def published(
    figures: Iterable[Figure], scheme: "Scheme", *, evidence_is_public: bool = False
) -> tuple[Figure, ...]:
    """The figures a page may show, in their order; hidden ones have no numbers, band `suppressed` and a reason.

    `few`: fewer answers than the scheme's threshold. `complementary`: hidden because another cell could be worked out.
    Hidden groups, and hidden categories, are joined in a row «rest». Where the evidence itself is public everybody can
    count, so cells are hidden by their band alone, and there is no rest.
    """
    figures = tuple(figures)
    if evidence_is_public:
        return tuple(_hidden(of, FEW) if of.band == Band.SUPPRESSED else of for of in figures)
    hidden: dict[tuple[str, str | None], dict[Cell, str]] = {}
    by_family: dict[tuple[str, str | None], list[Figure]] = {}
    for of in figures:
        by_family.setdefault(_family(of), []).append(of)
    least = scheme.suppression.suppressed_below
    for family, members in by_family.items():
        hidden[family] = _hidden_cells(_sizes(members), least)
    shown: list[Figure] = []
    for of in figures:
        reason = hidden[_family(of)].get((of.group, of.category))
        shown.append(of if reason is None else _hidden(of, reason))
    return tuple(shown) + tuple(_rests(figures, hidden, scheme))


def _family(of: Figure) -> tuple[str, str | None]:
    return _FAMILIES.get(of.metric, of.metric), of.judge


def _hidden(of: Figure, reason: str) -> Figure:
    return replace(
        of,
        k=None,
        n=None,
        unjudged=None,
        estimate=None,
        low=None,
        high=None,
        interval="none",
        n_eff=None,
        clusters=None,
        band=Band.SUPPRESSED,
        reason=reason,
    )


def _sizes(figures: Sequence[Figure]) -> Sizes:
    sizes: Sizes = {}
    for of in figures:
        over = sizes.setdefault((of.group, of.category), {})
        over[of.denominator] = of.independent
    return sizes


def _hidden_cells(sizes: Sizes, least: int) -> dict[Cell, str]:
    """Which cells of one family are hidden, and why."""
    hidden = {cell: FEW for cell, over in sizes.items() if any(0 < size < least for size in over.values())}
    groups = [cell for cell in sizes if cell[0] is not None and cell[1] is None]
    categories = [cell for cell in sizes if cell[0] is None and cell[1] is not None]
    crossed = [cell for cell in sizes if None not in cell]
    total: Cell = (None, None)
    if total in sizes and total not in hidden:
        for parts in (groups, categories):
            _complement(parts, sizes, least, hidden)
    if crossed:
        _complement_crossed(crossed, sizes, least, hidden)
    return hidden


def _complement(parts: Sequence[Cell], sizes: Sizes, least: int, hidden: dict[Cell, str]) -> bool:
    """Hide further parts of a published total until none can be worked out; whether any was.

    Over every denominator the hidden parts that are not empty are none, or at least two with `least` answers together;
    the smallest part joins them. When no part is left to join, all are hidden and say no more than their total.
    """
    joined = False
    while True:
        wanting = None
        for denominator in {denominator for cell in parts for denominator in sizes[cell]}:
            inside = [sizes[cell].get(denominator, 0) for cell in parts if cell in hidden]
            inside = [size for size in inside if size]
            if inside and (len(inside) < 2 or sum(inside) < least):
                wanting = denominator
                break
        if wanting is None:
            return joined
        free = [cell for cell in parts if cell not in hidden and sizes[cell].get(wanting, 0)]
        if not free:
            return joined
        smallest = min(free, key=lambda cell: (sizes[cell][wanting], cell[0] or "", cell[1] or ""))
        hidden[smallest] = COMPLEMENTARY
        joined = True


def _complement_crossed(crossed: Sequence[Cell], sizes: Sizes, least: int, hidden: dict[Cell, str]) -> None:
    """The same for a table with published margins: by rows, then by columns, until nothing changes.

    A cell under a hidden margin is hidden with it. Should a cell still follow from the margins (two circles of hidden
    cells that one cell connects, a row with a single answered cell), the whole table is hidden, its empty cells too:
    then nothing follows from margins alone.
    """
    for cell in crossed:
        under_hidden = (cell[0], None) in hidden or (None, cell[1]) in hidden
        if under_hidden and any(sizes[cell].values()):
            hidden.setdefault(cell, COMPLEMENTARY)
    lines = [
        [cell for cell in crossed if cell[axis] == name]
        for axis in (0, 1)
        for name in sorted({cell[axis] for cell in crossed})
    ]
    # Every line is asked, whatever the ones before it did.
    while any(_complement(line, sizes, least, hidden) for line in lines):
        pass
    if _follows(sizes, hidden):
        for cell in crossed:
            hidden.setdefault(cell, COMPLEMENTARY)


def _follows(sizes: Sizes, hidden: dict[Cell, str]) -> bool:
    """Whether a cell hidden for being small can be worked out exactly from all that is shown, over any denominator."""
    groups = [cell for cell in sizes if cell[0] is not None and cell[1] is None]
    categories = [cell for cell in sizes if cell[0] is None and cell[1] is not None]
    sums: list[tuple[Cell, list[Cell]]] = [((None, None), groups), ((None, None), categories)]
    sums += [
        ((name, None), [cell for cell in sizes if cell[0] == name and cell[1] is not None])
        for name, _ in groups
    ]
    sums += [
        ((None, name), [cell for cell in sizes if cell[1] == name and cell[0] is not None])
        for _, name in categories
    ]
    for denominator in sorted({denominator for over in sizes.values() for denominator in over}):
        # What nobody answered is shown as such, so it is no unknown.
        unknown = [cell for cell in hidden if sizes[cell].get(denominator)]
        place = {cell: index for index, cell in enumerate(unknown)}
        equations = []
        for whole, parts in sums:
            row = [0] * len(unknown)
            for cell, sign in [*((part, 1) for part in parts), (whole, -1)]:
                if cell in place:
                    row[place[cell]] = sign
            if any(row) and whole in sizes and parts:
                equations.append(row)
        if any(hidden[unknown[index]] == FEW for index in determined(equations, len(unknown))):
            return True
    return False


def determined(equations: Sequence[Sequence[int]], unknowns: int) -> list[int]:
    """Which unknowns have one value only, whatever the right sides are: by exact elimination."""
    rows: list[list[int | Fraction]] = [list(equation) for equation in equations]
    pivots: list[int] = []
    for column in range(unknowns):
        rank = len(pivots)
        pivot = next((index for index in range(rank, len(rows)) if rows[index][column]), None)
        if pivot is None:
            continue
        rows[rank], rows[pivot] = rows[pivot], rows[rank]
        first = rows[rank][column]
        if first != 1:
            # Sums of cells have pivots of 1 and -1 only, so this stays in whole numbers.
            rows[rank] = [-value if first == -1 else value / Fraction(first) for value in rows[rank]]
        filled = [(index, value) for index, value in enumerate(rows[rank]) if value]
        for index, row in enumerate(rows):
            if index != rank and row[column]:
                times = row[column]
                for at, value in filled:
                    row[at] -= times * value
        pivots.append(column)
    return [
        column for row, column in zip(rows, pivots, strict=False) if sum(1 for value in row if value) == 1
    ]


def _rests(
    figures: Sequence[Figure], hidden: dict[tuple[str, str | None], dict[Cell, str]], scheme: "Scheme"
) -> Iterable[Figure]:
    """What the hidden groups, and the hidden categories, of a published total are together."""
    sums: dict[tuple[str, str, str | None, str], list[Figure]] = {}
    for of in figures:
        cells = hidden[_family(of)]
        if (None, None) in cells or (of.group, of.category) not in cells or not of.n:
            continue
        axis = "group" if of.category is None else "category" if of.group is None else None
        if axis is not None:
            sums.setdefault((of.metric, of.denominator, of.judge, axis), []).append(of)
    for (metric, denominator, judge, axis), parts in sums.items():
        whole = rate(
            sum(part.k for part in parts),
            sum(part.n for part in parts),
            sum(part.unjudged or 0 for part in parts),
        )
        clustered = any(part.clusters is not None for part in parts)
        joint = figure(
            whole,
            metric,
            denominator,
            suppression=scheme.suppression,
            judge=judge,
            **{axis: REST},
            # How the clusters of several cells overlap is not kept: then there is no interval to show.
            counts_only=clustered or metric == "confident_fabrication",
        )
        if joint.band == Band.SUPPRESSED:
            joint = _hidden(joint, FEW)
        yield joint
