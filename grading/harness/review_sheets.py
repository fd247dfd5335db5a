"""Sheets that people fill in blind, and what comes back from their spreadsheets."""

import csv
import io
import json
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from evidence.plain_json import shown
from grading import calibration, data
from grading.harness import question_sets
from grading.harness.measuring import Outcome
from grading.harness.question_sets import Problem
from grading.harness.refusals import Refused
from grading.harness.shapes import UNJUDGED, VERDICTS

LABELS = "labels/verdicts-1.json"


@dataclass(frozen=True, slots=True)
class Verdicts:
    """What one source says: verdict by item and reviewer. The rest says what was left out or changed on the way."""

    name: str
    by_reviewer: Mapping[str, Mapping[str, str]]
    empty: int = 0
    normalised: Mapping[str, int] = field(default_factory=dict)
    extra_columns: tuple[str, ...] = ()


def sample(outcomes: Iterable[Outcome], *, set_sha256: str, verdicts_sha256: str) -> list[Outcome]:
    """The judged answers that people judge again, in the order of the sheet: those the registry would draw.

    Of an item with several runs the first judged one, so that a row of the sheet is one item.
    """
    first: dict[str, Outcome] = {}
    for outcome in outcomes:
        if outcome.is_judged:
            known = first.get(outcome.item["id"])
            if known is None or outcome.response.get("run", 1) < known.response.get("run", 1):
                first[outcome.item["id"]] = outcome
    judged = [calibration.Judged(id_, outcome.category.code, outcome.group) for id_, outcome in first.items()]
    seed = calibration.seed_of(set_sha256, verdicts_sha256)
    return [first[item] for item in calibration.sample(judged, seed=seed)]


def sheet(outcomes: Sequence[Outcome]) -> bytes:
    """The sheet: what the judge saw, with no verdict, judge or system in it."""
    return calibration.sheet(
        calibration.Row(
            outcome.item["id"],
            outcome.item["question"],
            outcome.response["answer"] + _cited(outcome),
            outcome.item.get("reference_text", ""),
        )
        for outcome in outcomes
    )


def read(path: Path) -> Verdicts:
    """What a sheet says, however a spreadsheet saved it: BOM, semicolons or tabs, renamed and extra columns.

    Raises Refused with every fault and its line, or OSError.
    """
    content = path.read_bytes()
    try:
        text = content.decode("utf-16" if content[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig")
    except UnicodeDecodeError as error:
        line = content[: error.start].count(b"\n") + 1
        fault = Problem("INVALID_UTF8", path.name, line).as_json()
        raise Refused("table_faults", path=str(path), faults=[fault]) from error
    rows = list(_rows(text))
    if not rows:
        raise Refused("columns_missing", path=str(path), column="item", found="-")
    header = [question_sets.unguarded(cell).strip() for cell in rows[0][1]]
    places = {name: _column(header, name) for name in ("item", "verdict", "reviewer")}
    for name in ("item", "verdict"):
        if places[name] is None:
            raise Refused("columns_missing", path=str(path), column=name, found=shown(", ".join(header)))
    by_reviewer: dict[str, dict[str, str]] = {}
    problems: list[Problem] = []
    normalised: Counter[str] = Counter()
    empty = 0
    for line, cells in rows[1:]:
        if not any(cell.strip() for cell in cells):
            continue
        if len(cells) != len(header):
            expected, found = str(len(header)), str(len(cells))
            problems.append(Problem("CELLS", path.name, line, None, expected, found))
            continue
        item = question_sets.unguarded(cells[places["item"]]).strip()
        written = question_sets.unguarded(cells[places["verdict"]]).strip()
        reviewer = (
            "" if places["reviewer"] is None else question_sets.unguarded(cells[places["reviewer"]]).strip()
        )
        if not item:
            problems.append(Problem("MISSING_KEY", path.name, line, header[places["item"]]))
            continue
        if not written:
            empty += 1
            continue
        verdict = label(written)
        if verdict is None:
            problems.append(
                Problem("LABEL_UNKNOWN", path.name, line, header[places["verdict"]], None, shown(written))
            )
            continue
        if verdict != written:
            normalised[f"{shown(written)} → {verdict}"] += 1
        said = by_reviewer.setdefault(reviewer, {})
        if said.setdefault(item, verdict) != verdict:
            problems.append(Problem("SAID_TWICE", path.name, line, header[places["item"]], None, shown(item)))
    if problems:
        raise Refused("table_faults", path=str(path), faults=[problem.as_json() for problem in problems])
    used = {place for place in places.values() if place is not None}
    # The sheet's own further columns are no surprise.
    extra = tuple(
        name
        for place, name in enumerate(header)
        if place not in used and name not in calibration.COLUMNS and name
    )
    return Verdicts(path.name, by_reviewer, empty, dict(sorted(normalised.items())), extra)


def label(written: str) -> str | None:
    """The verdict that a label names in the versioned table, or None."""
    return _labels().get(_folded(written))


def _rows(text: str) -> Iterable[tuple[int, list[str]]]:
    first = text.partition("\n")[0]
    delimiter = max((",", ";", "\t"), key=first.count)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
    line = 1
    for cells in reader:
        yield line, cells
        line = reader.line_num + 1


def _column(header: Sequence[str], name: str) -> int | None:
    names = {_folded(alias) for alias in _table()["columns"][name]} | {name}
    return next((place for place, cell in enumerate(header) if _folded(cell) in names), None)


def _cited(outcome: Outcome) -> str:
    cited = outcome.response.get("citations", ())
    return "".join(f"\n- {citation['source']}, {citation['article']}" for citation in cited)


def _folded(text: str) -> str:
    text = unicodedata.normalize("NFKC", text).casefold()
    return " ".join(text.replace("_", " ").replace("-", " ").split())


@cache
def _table() -> Mapping[str, Any]:
    return json.loads(data.read(LABELS))


@cache
def _labels() -> Mapping[str, str]:
    known = {_folded(alias): verdict for verdict, aliases in _table()["labels"].items() for alias in aliases}
    return known | {_folded(verdict): verdict for verdict in (*VERDICTS, UNJUDGED)}
