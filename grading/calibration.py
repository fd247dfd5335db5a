"""The blind review of judged answers: who is sampled, the sheet to fill in, and the reading of what comes back.

The standard library alone, so that any program can take it along.
"""

import csv
import hashlib
import io
import json
import random
import unicodedata
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cache
from typing import Any

from grading import data

# Answers of each category in each language: these, or all there are.
PER_STRATUM = 30
# A cell of a spreadsheet holds fewer characters than an answer may have.
LONGEST_CELL = 32_000
CUT = " […]"

COLUMNS = ("item", "question", "answer", "reference_text", "reviewer", "verdict")
REVIEWS_HEADER = ("item", "reviewer", "verdict")

_SPACES = str.maketrans("_-/", "   ")

# A program of sheets would compute a cell that begins so; the answers of a system may be made to.
_COMPUTED = ("=", "+", "-", "@", "\t", "\r")

# What people write for a verdict, and call its column.
LABELS = "labels/verdicts-2.json"
_COLUMNS_READ = ("item", "reviewer", "verdict")


@dataclass(frozen=True, slots=True)
class Judged:
    """An answer with a verdict, as far as sampling asks: the id of its item, its category, its language group."""

    item: str
    category: str
    language: str


@dataclass(frozen=True, slots=True)
class Row:
    """What a reviewer sees, which is what the judge saw: nothing of verdict, judge or system."""

    item: str
    question: str
    answer: str
    reference_text: str = ""


@dataclass(frozen=True, slots=True)
class Review:
    """What one person said of one answer; `line` is where it stands in the sheet, from 1."""

    item: str
    reviewer: str
    verdict: str
    line: int = field(default=0, compare=False)


class Fault(StrEnum):
    NOT_UTF8 = "not_utf8"
    BROKEN_QUOTES = "broken_quotes"
    EMPTY = "empty"
    COLUMN_MISSING = "column_missing"
    COLUMN_TWICE = "column_twice"
    COLUMN_IGNORED = "column_ignored"
    ROW_LENGTH = "row_length"
    ITEM_MISSING = "item_missing"
    ITEM_UNKNOWN = "item_unknown"
    REVIEWER_MISSING = "reviewer_missing"
    VERDICT_UNKNOWN = "verdict_unknown"
    REVIEWED_TWICE = "reviewed_twice"
    NOT_REVIEWED = "not_reviewed"


# What does not stop a sheet from being taken.
WARNINGS = frozenset({Fault.COLUMN_IGNORED, Fault.NOT_REVIEWED})

# code: what is wrong and how to mend it, es and en.
REMEDIES = {
    Fault.NOT_UTF8: (
        "El archivo no está en UTF-8 ni en UTF-16. Guárdelo como «CSV UTF-8».",
        "The file is neither UTF-8 nor UTF-16. Save it as “CSV UTF-8”.",
    ),
    Fault.BROKEN_QUOTES: (
        "Las comillas de esta fila no cierran. Vuelva a exportar la planilla como CSV.",
        "The quotes of this row do not close. Export the sheet as CSV again.",
    ),
    Fault.EMPTY: (
        "La planilla no tiene filas. Entregue la planilla completa.",
        "The sheet has no rows. Hand in the whole sheet.",
    ),
    Fault.COLUMN_MISSING: (
        "Falta la columna «{expected}». Devuélvale su nombre en la primera fila.",
        "The column “{expected}” is missing. Give it back its name in the first row.",
    ),
    Fault.COLUMN_TWICE: (
        "La columna «{expected}» está dos veces. Deje una.",
        "The column “{expected}” is there twice. Leave one.",
    ),
    Fault.COLUMN_IGNORED: (
        "La columna «{found}» no se lee.",
        "The column “{found}” is not read.",
    ),
    Fault.ROW_LENGTH: (
        "La fila tiene {found} celdas y la primera {expected}. Ponga entre comillas las celdas con separadores.",
        "The row has {found} cells and the first one {expected}. Quote the cells that contain separators.",
    ),
    Fault.ITEM_MISSING: (
        "La fila no dice de qué ítem es. Recupere su identificador de la planilla original.",
        "The row does not say which item it is about. Take its id from the original sheet.",
    ),
    Fault.ITEM_UNKNOWN: (
        "El ítem «{found}» no está en la muestra. Recupere su identificador de la planilla original.",
        "The item “{found}” is not in the sample. Take its id from the original sheet.",
    ),
    Fault.REVIEWER_MISSING: (
        "La fila no dice quién la revisó. Escriba un nombre o un código en «reviewer».",
        "The row does not say who reviewed it. Write a name or a code into “reviewer”.",
    ),
    Fault.VERDICT_UNKNOWN: (
        "«{found}» no es un veredicto. Use: {expected}.",
        "“{found}” is no verdict. Use: {expected}.",
    ),
    Fault.REVIEWED_TWICE: (
        "La misma persona revisó dos veces el ítem «{found}». Deje una fila.",
        "The same person reviewed the item “{found}” twice. Leave one row.",
    ),
    Fault.NOT_REVIEWED: (
        "La fila no tiene veredicto y no cuenta.",
        "The row has no verdict and does not count.",
    ),
}


@dataclass(frozen=True, slots=True)
class SheetFault:
    """What is wrong with a sheet that came back, at which line (of the file, from 1), and how to mend it."""

    code: Fault
    line: int
    expected: str = ""
    found: str = ""

    @property
    def is_warning(self) -> bool:
        return self.code in WARNINGS

    def as_json(self) -> dict[str, Any]:
        return {
            "code": self.code.value,
            "line": self.line,
            "expected": self.expected or None,
            "found": self.found or None,
        }

    def remedy(self, language: str = "es") -> str:
        return REMEDIES[self.code][language == "en"].format(expected=self.expected, found=self.found)


@dataclass(frozen=True, slots=True)
class Sheet:
    """What a sheet says. Its reviews are whole only where every fault is a warning.

    `normalised`: labels that were taken for a verdict («Mal fundada → ill_founded») and how often each stood there.
    """

    reviews: tuple[Review, ...] = ()
    faults: tuple[SheetFault, ...] = ()
    normalised: Mapping[str, int] = field(default_factory=dict)

    @property
    def errors(self) -> tuple[SheetFault, ...]:
        return tuple(fault for fault in self.faults if not fault.is_warning)

    def found(self, code: Fault) -> list[str]:
        """What was found where this is wrong."""
        return [fault.found for fault in self.faults if fault.code is code]


# -- who is sampled ------------------------------------------------------------------------------


def seed_of(set_sha256: str, verdicts_sha256: str) -> int:
    """The seed that nobody chooses: the first 8 bytes of SHA-256 of the set hash followed by the one of verdicts.jsonl.

    Both as 64 lower-case hexadecimal digits: `printf %s%s SET VERDICTS | sha256sum | cut -c-16`.
    """
    for digest in (set_sha256, verdicts_sha256):
        if len(digest) != 64 or digest.strip("0123456789abcdef"):
            raise ValueError(f"{digest} is no SHA-256 in lower-case hexadecimal digits")
    return int.from_bytes(hashlib.sha256((set_sha256 + verdicts_sha256).encode()).digest()[:8], "big")


def sample(judged: Iterable[Judged], *, seed: int, per_stratum: int = PER_STRATUM) -> list[str]:
    """The items to review, shuffled: of each category in each language so many, or all.

    It depends on the answers and the seed alone, not on their order. Draws are those of `random.Random(seed).random()`,
    which no version of Python may change.
    """
    if per_stratum < 1:
        raise ValueError(f"{per_stratum} is not a number of answers")
    strata: dict[tuple[str, str], set[str]] = {}
    for answer in judged:
        strata.setdefault((answer.category, answer.language), set()).add(answer.item)
    uniform = random.Random(seed).random  # noqa: S311  (a published seed is meant to be drawn again)
    chosen: list[str] = []
    for stratum in sorted(strata):
        items = sorted(strata[stratum])
        _shuffle(items, uniform, min(per_stratum, len(items)))
        chosen += items[:per_stratum]
    # The order of the strata would tell a reviewer the category.
    _shuffle(chosen, uniform, len(chosen))
    return chosen


def _shuffle(items: list[str], uniform: Callable[[], float], first: int) -> None:
    """Put a random choice in random order into the first places."""
    for at in range(first):
        other = at + int(uniform() * (len(items) - at))
        items[at], items[other] = items[other], items[at]


# -- the sheet -----------------------------------------------------------------------------------


def sheet(rows: Iterable[Row]) -> bytes:
    """The sheet to fill in: CSV in UTF-8 with a byte order mark, which programs of sheets want; no verdict in it.

    Cells that such a program would compute begin with an apostrophe; those longer than it can hold are cut, visibly.
    """
    out = io.StringIO(newline="")
    writer = csv.writer(out, lineterminator="\r\n")
    writer.writerow(COLUMNS)
    for row in rows:
        writer.writerow(
            [_cell(text) for text in (row.item, row.question, row.answer, row.reference_text)] + ["", ""]
        )
    return b"\xef\xbb\xbf" + out.getvalue().encode()


def shown_answer(answer: str, citations: Iterable[tuple[str, str]] = ()) -> str:
    """An answer with the (source, article) of its citations below it, as the judge saw it."""
    return answer + "".join(f"\n- {source}, {article}" for source, article in citations)


def _cell(text: str) -> str:
    text = text.replace("\0", "")
    if len(text) > LONGEST_CELL:
        text = text[: LONGEST_CELL - len(CUT)] + CUT
    return f"'{text}" if _would_be_computed(text) else text


def _uncell(text: str) -> str:
    """A cell without the apostrophe that `_cell` gave it."""
    return text[1:] if text.startswith("'") and _would_be_computed(text) else text


def _would_be_computed(text: str) -> bool:
    # Behind apostrophes too: so each text has a cell of its own.
    return text.lstrip("'").startswith(_COMPUTED)


# -- what comes back -----------------------------------------------------------------------------


def read(file: bytes, *, items: Collection[str] | None = None, reviewer: str | None = None) -> Sheet:
    """The reviews in a sheet that a spreadsheet may have edited, and what is wrong with it, line by line.

    Comma, semicolon or tab; UTF-8 or UTF-16, with or without byte order mark; columns in any order, under their English
    or Spanish names; further ones are ignored. `items`: the ids there are, if they are to be checked. `reviewer`: who
    filled in rows that do not say it; None: every row must.
    """
    try:
        text = file.decode("utf-16" if file[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig")
    except UnicodeDecodeError as error:
        return Sheet(faults=(SheetFault(Fault.NOT_UTF8, file.count(b"\n", 0, error.start) + 1),))
    return _Reading(items, reviewer).of(text)


class _Reading:
    """The reading of one sheet: its header, its rows, and who said what so far."""

    def __init__(self, items: Collection[str] | None, reviewer: str | None) -> None:
        self.items = items
        self.reviewer = reviewer
        self.columns: dict[str, int] = {}
        self.width = 0
        self.reviews: list[Review] = []
        self.faults: list[SheetFault] = []
        self.normalised: Counter[str] = Counter()
        self._names: dict[str, str] = {}
        self._seen: set[tuple[str, str]] = set()

    def of(self, text: str) -> Sheet:
        text, line = _without_separator_line(text)
        reader = csv.reader(io.StringIO(text, newline=""), delimiter=_delimiter(text), strict=True)
        skipped = line - 1
        try:
            for cells in reader:
                if any(cell.strip() for cell in cells):
                    if not self.width:
                        self._header(cells, line)
                        if any(not fault.is_warning for fault in self.faults):
                            break
                    else:
                        self._row(cells, line)
                line = reader.line_num + 1 + skipped
        except csv.Error:
            self._wrong(Fault.BROKEN_QUOTES, line)
        if not self.width and not self.faults:
            self._wrong(Fault.EMPTY, 1)
        return Sheet(tuple(self.reviews), tuple(self.faults), dict(sorted(self.normalised.items())))

    def _wrong(self, code: Fault, line: int, *, expected: str = "", found: str = "") -> None:
        self.faults.append(SheetFault(code, line, expected, found))

    def _header(self, cells: Sequence[str], line: int) -> None:
        self.width = len(cells)
        for place, cell in enumerate(cells):
            name = _column_named(cell)
            if name is None:
                if cell.strip() and _plain(cell).replace(" ", "_") not in COLUMNS:
                    self._wrong(Fault.COLUMN_IGNORED, line, found=_shown(cell))
            elif name in self.columns:
                self._wrong(Fault.COLUMN_TWICE, line, expected=name)
            else:
                self.columns[name] = place
        for name in _COLUMNS_READ:
            if name not in self.columns and (name != "reviewer" or self.reviewer is None):
                self._wrong(Fault.COLUMN_MISSING, line, expected=name)

    def _row(self, cells: Sequence[str], line: int) -> None:
        if len(cells) != self.width:
            self._wrong(Fault.ROW_LENGTH, line, expected=str(self.width), found=str(len(cells)))
            return
        item = _uncell(cells[self.columns["item"]])
        said = _uncell(cells[self.columns["verdict"]]).strip()
        if not said:
            self._wrong(Fault.NOT_REVIEWED, line)
            return
        if self.items is None or item not in self.items:
            # Some programs take spaces away, or add them.
            item = item.strip()
        if not item:
            self._wrong(Fault.ITEM_MISSING, line)
            return
        if self.items is not None and item not in self.items:
            self._wrong(Fault.ITEM_UNKNOWN, line, found=_shown(item))
            return
        verdict = label(said)
        if verdict is None:
            known = " · ".join(f"{name} ({words[0]})" for name, words in _table()["labels"].items())
            self._wrong(Fault.VERDICT_UNKNOWN, line, expected=known, found=_shown(said))
            return
        who = self._who(cells)
        if who is None:
            self._wrong(Fault.REVIEWER_MISSING, line)
            return
        if (item, who) in self._seen:
            self._wrong(Fault.REVIEWED_TWICE, line, found=_shown(item))
            return
        self._seen.add((item, who))
        if verdict != said:
            self.normalised[f"{_shown(said)} → {verdict}"] += 1
        self.reviews.append(Review(item, who, verdict, line))

    def _who(self, cells: Sequence[str]) -> str | None:
        """Who reviewed: «Ana» and «ana » are one person, called as at first."""
        place = self.columns.get("reviewer")
        name = "" if place is None else " ".join(_uncell(cells[place]).split())
        if not name:
            return self.reviewer
        return self._names.setdefault(_plain(name), name)


def twice(sheets: Sequence[Sheet]) -> list[tuple[int, SheetFault]]:
    """What one person reviewed in more than one sheet: the place of the later sheet, and the fault in it."""
    seen: dict[tuple[str, str], int] = {}
    faults = []
    for place, sheet_ in enumerate(sheets):
        for review in sheet_.reviews:
            if seen.setdefault((review.item, _plain(review.reviewer)), place) != place:
                faults.append(
                    (place, SheetFault(Fault.REVIEWED_TWICE, review.line, found=_shown(review.item)))
                )
    return faults


def same_person(first: str, second: str) -> bool:
    """Whether two names are one as people write them: without case, accents and spaces too many."""
    return _plain(first) == _plain(second)


def label(written: str) -> str | None:
    """The verdict that a label names in the versioned table, or None."""
    return _names_of("labels").get(_plain(written))


def _column_named(written: str) -> str | None:
    return _names_of("columns").get(_plain(_uncell(written)))


@cache
def _table() -> Mapping[str, Mapping[str, Sequence[str]]]:
    return json.loads(data.read(LABELS))


@cache
def _names_of(part: str) -> Mapping[str, str]:
    return {_plain(alias): name for name, aliases in _table()[part].items() for alias in (name, *aliases)}


def _without_separator_line(text: str) -> tuple[str, int]:
    """The text and the line it begins at: some programs write «sep=;» first, for themselves."""
    first, _, rest = text.partition("\n")
    if first.strip().lower() in ("sep=,", "sep=;", "sep=\t", "sep="):
        return rest, 2
    return text, 1


def _delimiter(text: str) -> str:
    """What the first line is divided by: spreadsheets of half the world write semicolons."""
    first = text.lstrip("\r\n").partition("\n")[0]
    return max(",;\t", key=first.count)


def _plain(text: str) -> str:
    """Without case, accents, «_», «-», «/» and more than one space: «Mal_Fundada » is «mal fundada»."""
    bare = unicodedata.normalize("NFKD", unicodedata.normalize("NFKC", text).casefold())
    bare = "".join(character for character in bare if not unicodedata.combining(character))
    return " ".join(bare.translate(_SPACES).split())


def _shown(text: str) -> str:
    """As a fault may quote it: one line, short, printable."""
    text = "".join(character if character.isprintable() else " " for character in text.strip())
    return text if len(text) <= 60 else text[:60] + "…"


def reviews_csv(reviews: Iterable[Review]) -> bytes:
    """`data/reviews.csv` of an evidence package."""
    out = io.StringIO(newline="")
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(REVIEWS_HEADER)
    writer.writerows((review.item, review.reviewer, review.verdict) for review in reviews)
    return out.getvalue().encode()
