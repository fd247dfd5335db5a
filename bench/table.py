"""One row: what a piece of work costs here, what it costs elsewhere, and how much more it may be."""

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True)
class Row:
    """`ours` and `theirs` in `unit`; the ratio of both is to be `at_most` (None: shown, not judged)."""

    work: str
    measure: str
    ours: float
    beside: str
    theirs: float
    unit: str = "s"
    at_most: float | None = None

    @property
    def ratio(self) -> float:
        return self.ours / self.theirs if self.theirs else float("inf")

    @property
    def is_met(self) -> bool:
        return self.at_most is None or self.ratio <= self.at_most


HEADS = ("work", "measure", "here", "beside", "there", "ratio", "at most", "")


def text(rows: Iterable[Row]) -> str:
    """The table with aligned columns; a ratio that is not met is marked."""
    lines = [HEADS, *(_cells(row) for row in rows)]
    widths = [max(len(line[column]) for line in lines) for column in range(len(HEADS))]
    right = {2, 4, 5, 6}
    return "\n".join(
        "  ".join(
            cell.rjust(width) if column in right else cell.ljust(width)
            for column, (cell, width) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        for line in lines
    )


def _cells(row: Row) -> tuple[str, ...]:
    limit = "" if row.at_most is None else f"{row.at_most:g}"
    verdict = "" if row.at_most is None else ("met" if row.is_met else "NOT MET")
    return (
        row.work,
        row.measure,
        f"{row.ours:.4g} {row.unit}",
        row.beside,
        f"{row.theirs:.4g} {row.unit}",
        f"{row.ratio:.3f}",
        limit,
        verdict,
    )
