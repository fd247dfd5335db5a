"""A question set: its items, its catalogue, its hash, and the rules it must keep before anyone is asked."""

import csv
import hashlib
import io
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from evidence import families
from evidence.lines import Rows
from evidence.plain_json import Fault, shown
from grading import citations, sealing
from grading.harness import shapes
from grading.harness.scheme_files import Scheme

ITEMS, CATALOGUE = "items.jsonl", "catalogue.csv"


@dataclass(frozen=True, slots=True)
class Problem:
    """One fault of a set: its code, file and line, key, what was expected and found."""

    code: str
    file: str
    line: int | None = None
    key: str | None = None
    expected: str | None = None
    found: str | None = None

    def as_json(self) -> dict[str, Any]:
        place = self.file if self.line is None else f"{self.file}:{self.line}"
        return {
            "code": self.code,
            "member": place,
            "key": self.key,
            "expected": self.expected,
            "found": self.found,
        }


@dataclass(frozen=True, slots=True)
class QuestionSet:
    """Items as plain records without nulls, in their order; `catalogue` is None when there is none."""

    items: tuple[dict[str, Any], ...]
    catalogue: tuple[tuple[str, str], ...] | None
    sha256: str
    by_category: Mapping[str, int] = field(default_factory=dict)
    by_group: Mapping[str, int] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.items)


def item_sha256(item: Mapping[str, Any]) -> str:
    """SHA-256 of the RFC 8785 form of an item without its id and without nulls."""
    return hashlib.sha256(sealing.item_form(shapes.without_nulls(item))).hexdigest()


def set_sha256(items: Iterable[Mapping[str, Any]]) -> str:
    """SHA-256 of the sorted item hashes, each followed by a line feed."""
    return sealing.set_sha256(sealing.item_form(shapes.without_nulls(item)) for item in items)


def load(
    path: Path, *, scheme: Scheme, catalogue: Path | None = None, evaluated_family: str | None = None
) -> tuple[QuestionSet | None, list[Problem]]:
    """The set in a folder (or in a file of items) and everything that is wrong with it; None when there is any fault.

    `evaluated_family`: the family of the system that will be asked, which may not have written the questions. Raises
    OSError when a file cannot be read.
    """
    folder, items_file = (path, path / ITEMS) if path.is_dir() else (path.parent, path)
    if catalogue is None and (folder / CATALOGUE).exists():
        catalogue = folder / CATALOGUE
    known, problems = (None, []) if catalogue is None else read_catalogue(catalogue)
    read, wrong = shapes.read_lines(items_file.read_bytes(), shapes.ITEM)
    problems += [
        Problem(fault.code, items_file.name, line, fault.key, fault.expected, fault.found)
        for line, fault in wrong
    ]
    if not read and not wrong:
        problems.append(Problem("RECORDS_MISSING", items_file.name, expected=">= 1"))
    problems += _rules(read, items_file.name, scheme=scheme, catalogue=known, family=evaluated_family)
    if problems:
        return None, problems
    items = tuple(item for _, item in read)
    by_category = Counter(item["category"] for item in items)
    by_group = Counter(scheme.grouping.group(item.get("language")) for item in items)
    return QuestionSet(
        items=items,
        catalogue=None if known is None else tuple(known),
        sha256=set_sha256(items),
        by_category={category.code: by_category[category.code] for category in scheme.categories},
        by_group=dict(sorted(by_group.items())),
    ), []


def read_catalogue(path: Path) -> tuple[list[tuple[str, str]], list[Problem]]:
    """The articles that exist: (source, article) of each row."""
    rows, problems = read_table(path.read_bytes(), ("source", "article"), path.name)
    return [(row["source"], row["article"]) for _, row in rows], problems


def read_table(
    content: bytes, columns: tuple[str, ...], name: str
) -> tuple[list[tuple[int, dict[str, str]]], list[Problem]]:
    """The rows of a CSV with exactly these columns, in any order, with their line numbers; and its faults."""
    rows: list[tuple[int, dict[str, str]]] = []
    problems: list[Problem] = []
    header: list[str] = []

    def row(cells: list[str], line: int) -> None:
        if not header:
            header.extend(cells)
            if sorted(cells) != sorted(columns):
                expected, found = ",".join(columns), shown(",".join(cells))
                problems.append(Problem("UNKNOWN_KEY", name, line, expected=expected, found=found))
        elif cells and not problems:
            if len(cells) != len(header):
                found = f"{len(cells)} cells"
                problems.append(Problem("WRONG_TYPE", name, line, None, f"{len(header)} cells", found))
            elif not all(cells):
                problems.append(Problem("MISSING_KEY", name, line, header[cells.index("")]))
            else:
                rows.append((line, dict(zip(header, cells, strict=True))))

    def fault(code: str, line: int, expected: str) -> None:
        problems.append(Problem(code, name, line, expected=expected))

    reader = Rows(row, fault)
    reader.feed(content)
    reader.finish()
    if not header and not problems:
        problems.append(Problem("MISSING_KEY", name, 1, expected=",".join(columns)))
    return rows, problems


def table(header: list[str], rows: Iterable[Iterable[Any]]) -> bytes:
    """A CSV for spreadsheets; a cell that one would run as a formula gets an apostrophe in front."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\r\n")
    writer.writerow(header)
    for row in rows:
        writer.writerow([guarded(cell) for cell in row])
    return b"\xef\xbb\xbf" + text.getvalue().encode()


def guarded(cell: Any) -> str:
    text = "" if cell is None else str(cell)
    return f"'{text}" if text[:1] in ("=", "+", "-", "@", "\t", "\r") else text


def unguarded(cell: str) -> str:
    return cell[1:] if cell[:1] == "'" and cell[1:2] in ("=", "+", "-", "@", "\t", "\r") else cell


def _rules(
    read: list[tuple[int, dict[str, Any]]],
    name: str,
    *,
    scheme: Scheme,
    catalogue: list[tuple[str, str]] | None,
    family: str | None,
) -> Iterable[Problem]:
    keys = citations.Keys()
    existing = {keys[source, article] for source, article in catalogue or ()}
    ids: dict[str, int] = {}
    hashes: dict[str, int] = {}
    traps = False
    for line, item in read:
        if item["id"] in ids:
            yield Problem("DUPLICATE_ID", name, line, "id", None, shown(item["id"]))
        ids.setdefault(item["id"], line)
        first = hashes.setdefault(item_sha256(item), line)
        if first != line:
            yield Problem("EQUAL_ITEMS", name, line, None, None, f"{name}:{first}")
        for fault in _faults_of_item(item, scheme, family):
            yield Problem(fault.code, name, line, fault.key, fault.expected, fault.found)
        category = scheme.category(item["category"])
        if category is not None and category.expects_nothing_there:
            traps = True
            expected = item.get("expected_citation")
            if expected and keys[expected["source"], expected["article"]] in existing:
                found = shown(f"{expected['source']} · {expected['article']}")
                yield Problem("TRAP_ARTICLE_EXISTS", name, line, "expected_citation", None, found)
    if traps and catalogue is None:
        yield Problem("CATALOGUE_MISSING", CATALOGUE)
    if read:
        there = {item["category"] for _, item in read}
        for code in scheme.hostile:
            if code not in there:
                yield Problem("HOSTILE_CATEGORY_MISSING", name, None, "category", code)


def _faults_of_item(item: dict[str, Any], scheme: Scheme, family: str | None) -> Iterable[Fault]:
    category = scheme.category(item["category"])
    if category is None:
        known = " · ".join(category.code for category in scheme.categories)
        yield Fault("VALUE_NOT_ALLOWED", "category", known, shown(item["category"]))
        return
    if not scheme.grouping.is_well_formed(item.get("language")):
        yield Fault("VALUE_NOT_ALLOWED", "language", "BCP 47", shown(item["language"]))
    expected = item.get("expected_citation")
    if category.hostile:
        if category.expects_nothing_there and expected is None:
            yield Fault("MISSING_KEY", "expected_citation", "expected_citation")
    else:
        for key in ("reference_text", "reference_source"):
            if not (item.get(key) or "").strip():
                yield Fault("REFERENCE_MISSING", key)
        if expected and citations.tells(item["question"], citations.article(expected["article"])):
            yield Fault("QUESTION_NAMES_ARTICLE", "question", None, shown(expected["article"]))
    writer = item.get("written_by")
    author = writer.get("family") if writer and writer["kind"] == "model" else None
    if family and author and families.same(author, family):
        yield Fault("JUDGE_SAME_FAMILY", "written_by.family", "another family", shown(author))
