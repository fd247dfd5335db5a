"""What of a measurement may be shown: small cells are joined in «rest», so that none can be worked out.

A figure of fewer than ten answers is noise that looks like a measurement. Hiding it alone is not enough
where a total is published: with one cell hidden, total minus the others gives it back. So in each partition
(the groups of a total, the categories of a total, and both at once where they cross) the hidden cells are
none, or at least two with ten answers between them; else the next smallest joins.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace

from grading import figures
from grading.figures import Band, Figure
from grading.schemes import Scheme

REST = "rest"
FEW = "few"
COMPLEMENTARY = "complementary"

# Figures whose counts are tied: the same answers under two denominators, or parts of one whole. What is hidden of one
# is hidden of all, or the one that is shown would tell the others.
_FAMILIES = {
    **dict.fromkeys((*figures.VERDICT_METRICS, "abstention", "expected_citation"), "verdicts"),
    **dict.fromkeys(figures.HOSTILE_METRICS, "hostile"),
    **dict.fromkeys(("phantom_response", "phantom_citation"), "citations"),
    "unnecessary_abstention": "unnecessary_abstention",
    "necessary_abstention": "necessary_abstention",
}

Cell = tuple[str | None, str | None]  # group, category; None is the total of that side


def family(metric: str) -> str:
    """The figures that are shown or hidden together; a metric of a later version stands alone."""
    return _FAMILIES.get(metric, metric)


def published(
    every: Sequence[Figure], scheme: Scheme, *, evidence_is_public: bool = False
) -> tuple[Figure, ...]:
    """The figures as they may be shown, in their order, each partition's «rest» behind its cells.

    A hidden figure keeps its place and loses its numbers (band `suppressed`, reason `few` or `complementary`).
    Where the evidence itself is public anyone can count: figures keep their numbers and only carry their band.
    """
    if evidence_is_public:
        return tuple(every)
    least = scheme.suppression.suppressed_below
    hidden: dict[str, dict[Cell, str]] = {}
    for name, members in _by_family(every).items():
        hidden[name] = hidden_cells(_sizes(members), least=least)
    shown: list[Figure] = []
    for of in every:
        reason = hidden[family(of.metric)].get((of.group, of.category))
        shown.append(_without_numbers(of, reason) if reason and of.n else of)
    return (*shown, *_rests(every, hidden, scheme))


def hidden_cells(sizes: dict[Cell, tuple[int, ...]], *, least: int) -> dict[Cell, str]:
    """Cell → why it is hidden, for one family.

    `sizes` has each cell's answers under every denominator of the family; a cell is as small as the smallest
    of them that is not 0. Rows and columns in turn until neither asks for more.
    """
    size = {cell: min((n for n in counts if n > 0), default=0) for cell, counts in sizes.items()}
    hidden = {cell: FEW for cell, n in size.items() if 0 < n < least}
    lines = _lines(size)
    changed = True
    while changed:
        changed = False
        for total, cells in lines:
            if total in hidden or size.get(total, 0) == 0:
                continue  # no total is published that one could subtract from
            inside = [cell for cell in cells if cell in hidden]
            while inside and (len(inside) < 2 or sum(size[cell] for cell in inside) < least):
                others = [cell for cell in cells if cell not in hidden and size[cell] > 0]
                if not others:
                    # Nothing is left to hide it behind: the total goes too.
                    hidden[total] = COMPLEMENTARY
                    changed = True
                    break
                joining = min(others, key=lambda cell: (size[cell], cell[0] or "", cell[1] or ""))
                hidden[joining] = COMPLEMENTARY
                inside.append(joining)
                changed = True
    return hidden


def _lines(size: Iterable[Cell]) -> list[tuple[Cell, list[Cell]]]:
    """(total, its parts) of every partition: groups of each category, then categories of each group."""
    columns: dict[Cell, list[Cell]] = defaultdict(list)
    rows: dict[Cell, list[Cell]] = defaultdict(list)
    for group, category in size:
        if group is not None:
            columns[None, category].append((group, category))
        if category is not None:
            rows[group, None].append((group, category))
    return [*rows.items(), *columns.items()]


def _by_family(every: Iterable[Figure]) -> dict[str, list[Figure]]:
    families: dict[str, list[Figure]] = defaultdict(list)
    for of in every:
        families[family(of.metric)].append(of)
    return families


def _sizes(members: Iterable[Figure]) -> dict[Cell, tuple[int, ...]]:
    """How many answers each cell has, once per figure of the family: independent ones where they stand together."""
    sizes: dict[Cell, list[int]] = defaultdict(list)
    for of in members:
        sizes[of.group, of.category].append(of.independent)
    return {cell: tuple(counts) for cell, counts in sizes.items()}


def _without_numbers(of: Figure, reason: str) -> Figure:
    return replace(
        of,
        k=None,
        n=None,
        unjudged=None,
        estimate=None,
        low=None,
        high=None,
        interval=figures.Interval.NONE,
        n_eff=None,
        clusters=None,
        band=Band.SUPPRESSED,
        reason=reason,
    )


def _rests(every: Iterable[Figure], hidden: dict[str, dict[Cell, str]], scheme: Scheme) -> list[Figure]:
    """The joined cells of each partition over groups: total minus what is shown, which anyone may work out anyway."""
    joined: dict[tuple[str, str, str | None, str | None], list[Figure]] = defaultdict(list)
    for of in every:
        cells = hidden[family(of.metric)]
        if (
            of.group is not None
            and of.n
            and (of.group, of.category) in cells
            and (None, of.category) not in cells
        ):
            joined[of.metric, of.denominator, of.category, of.judge].append(of)
    rests = []
    for (metric, denominator, category, judge), parts in joined.items():
        k, n = sum(of.k for of in parts), sum(of.n for of in parts)
        together = any(of.clusters is not None for of in parts)
        plain = figures.figure(
            figures.rate(k, n, sum(of.unjudged for of in parts)),
            metric,
            denominator,
            suppression=scheme.suppression,
            group=REST,
            category=category,
            judge=judge,
            # Answers that stand together in a group may do so across groups: no interval is better than a narrow one.
            counts_only=together or parts[0].estimate is None,
        )
        rests.append(plain)
    return rests
