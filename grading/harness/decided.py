"""What people decided about a run, in tables that they put into its folder; faults are refused with their line."""

from collections.abc import Collection, Iterable, Mapping
from pathlib import Path

from evidence.plain_json import shown
from grading.harness import question_sets
from grading.harness.question_sets import Problem
from grading.harness.refusals import Refused
from grading.harness.shapes import UNJUDGED, VERDICTS

ABSTENTIONS = "abstention-review.csv"
REVIEWS = "reviews.csv"


def abstentions(folder: Path, items: Collection[str]) -> list[tuple[str, bool, str]]:
    """(item, abstained, reviewer): overrides what code decided. Raises Refused."""
    rows = _table(
        folder / ABSTENTIONS, ("item", "abstained", "reviewer"), items, {"abstained": ("true", "false")}
    )
    return [(row["item"], row["abstained"] == "true", row["reviewer"]) for row in rows]


def reviews(folder: Path, items: Collection[str]) -> list[tuple[str, str, str]]:
    """(item, reviewer, verdict) of blind review, as `kappa --write` wrote it. Raises Refused."""
    rows = _table(
        folder / REVIEWS, ("item", "reviewer", "verdict"), items, {"verdict": (*VERDICTS, UNJUDGED)}
    )
    return [(row["item"], row["reviewer"], row["verdict"]) for row in rows]


def majority(said: Iterable[tuple[str, bool, str]]) -> Mapping[str, bool]:
    """What most people said of each item; items at a tie are left out, and code decides."""
    votes: dict[str, int] = {}
    for item, abstained, _ in said:
        votes[item] = votes.get(item, 0) + (1 if abstained else -1)
    return {item: balance > 0 for item, balance in votes.items() if balance}


def _table(
    path: Path, columns: tuple[str, ...], items: Collection[str], allowed: Mapping[str, tuple[str, ...]]
) -> list[dict[str, str]]:
    if not path.exists():
        return []
    rows, problems = question_sets.read_table(path.read_bytes(), columns, path.name)
    for line, row in rows:
        if row["item"] not in items:
            problems.append(Problem("UNKNOWN_REFERENCE", path.name, line, "item", None, shown(row["item"])))
        for key, values in allowed.items():
            if row[key] not in values:
                expected = " · ".join(values)
                problems.append(Problem("VALUE_NOT_ALLOWED", path.name, line, key, expected, shown(row[key])))
    if problems:
        raise Refused("table_faults", path=str(path), faults=[problem.as_json() for problem in problems])
    return [row for _, row in rows]
