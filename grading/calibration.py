"""The blind review of judged answers: who is sampled, the sheet to fill in, and the reading of what comes back.

The standard library alone, so that any program can take it along.
"""

import csv
import hashlib
import io
import random
import unicodedata
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum

# Answers of each category in each language: these, or all there are.
PER_STRATUM = 30
# A cell of a spreadsheet holds fewer characters than an answer may have.
LONGEST_CELL = 32_000
CUT = " […]"

COLUMNS = ("item", "question", "answer", "reference_text", "reviewer", "verdict")
REVIEWS_HEADER = ("item", "reviewer", "verdict")

# A program of sheets would compute a cell that begins so; the answers of a system may be made to.
_COMPUTED = ("=", "+", "-", "@", "\t", "\r")

# What people write into the sheet, and call its columns; compared without case, accents, «_» and spaces at the ends.
_HEADERS = {
    "item": ("item", "id", "item id", "pregunta id"),
    "reviewer": ("reviewer", "revisor", "revisora", "revisor a", "persona"),
    "verdict": ("verdict", "veredicto"),
}
_VERDICTS = {
    "exact": ("exact", "exacta", "exacto"),
    "incomplete": ("incomplete", "incompleta", "incompleto"),
    "ill_founded": ("ill founded", "ill-founded", "mal fundada", "mal fundado"),
    "incorrect": ("incorrect", "incorrecta", "incorrecto"),
    "unjudged": ("unjudged", "sin juzgar", "no se puede juzgar", "cannot judge"),
}


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
    item: str
    reviewer: str
    verdict: str


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
        "El archivo no está en UTF-8. Guárdelo como «CSV UTF-8».",
        "The file is not UTF-8. Save it as “CSV UTF-8”.",
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
        "El ítem «{found}» no está en el conjunto. Recupere su identificador de la planilla original.",
        "The item “{found}” is not in the set. Take its id from the original sheet.",
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

    def remedy(self, language: str = "es") -> str:
        return REMEDIES[self.code][language == "en"].format(expected=self.expected, found=self.found)


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


def read(
    file: bytes, *, items: Collection[str] | None = None, reviewer: str = ""
) -> tuple[list[Review], list[SheetFault]]:
    """The reviews in a sheet that a spreadsheet may have edited, and what is wrong with it, line by line.

    Comma, semicolon or tab; with or without byte order mark; columns in any order, under their English or Spanish
    names; further ones are ignored. `items`: the ids there are, if they are to be checked. `reviewer`: who filled in
    rows that do not say it. Reviews are whole only if every fault is a warning.
    """
    try:
        text = file.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        return [], [SheetFault(Fault.NOT_UTF8, file.count(b"\n", 0, error.start) + 1)]
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=_delimiter(text), strict=True)
    faults: list[SheetFault] = []
    reviews: list[Review] = []
    columns: dict[str, int] | None = None
    width = 0
    seen: set[tuple[str, str]] = set()
    line = 1
    try:
        for cells in reader:
            if any(cell.strip() for cell in cells):
                if columns is None:
                    width = len(cells)
                    columns, of_header = _header(cells, line, needs_reviewer=not reviewer)
                    faults += of_header
                    if any(not fault.is_warning for fault in of_header):
                        return [], faults
                elif len(cells) != width:
                    faults.append(SheetFault(Fault.ROW_LENGTH, line, str(width), str(len(cells))))
                else:
                    read_ = _review(cells, columns, line, reviewer, items, seen)
                    if isinstance(read_, Review):
                        reviews.append(read_)
                    else:
                        faults.append(read_)
            line = reader.line_num + 1
    except csv.Error:
        faults.append(SheetFault(Fault.BROKEN_QUOTES, line))
    if columns is None and not faults:
        faults.append(SheetFault(Fault.EMPTY, 1))
    return reviews, faults


def _delimiter(text: str) -> str:
    """What the first line is divided by: spreadsheets of half the world write semicolons."""
    first = text.lstrip("\r\n").partition("\n")[0]
    return max(",;\t", key=first.count)


def _header(
    cells: Sequence[str], line: int, *, needs_reviewer: bool
) -> tuple[dict[str, int], list[SheetFault]]:
    columns: dict[str, int] = {}
    faults: list[SheetFault] = []
    for place, cell in enumerate(cells):
        name = next((name for name, known in _HEADERS.items() if _plain(cell) in known), None)
        if name is None:
            if cell.strip() and _plain(cell).replace(" ", "_") not in COLUMNS:
                faults.append(SheetFault(Fault.COLUMN_IGNORED, line, found=_shown(cell)))
        elif name in columns:
            faults.append(SheetFault(Fault.COLUMN_TWICE, line, expected=name))
        else:
            columns[name] = place
    for name in _HEADERS:
        if name not in columns and (name != "reviewer" or needs_reviewer):
            faults.append(SheetFault(Fault.COLUMN_MISSING, line, expected=name))
    return columns, faults


def _review(
    cells: Sequence[str],
    columns: dict[str, int],
    line: int,
    reviewer: str,
    items: Collection[str] | None,
    seen: set[tuple[str, str]],
) -> Review | SheetFault:
    item = _uncell(cells[columns["item"]])
    said = cells[columns["verdict"]].strip()
    if not said:
        return SheetFault(Fault.NOT_REVIEWED, line)
    if not item.strip():
        return SheetFault(Fault.ITEM_MISSING, line)
    if items is not None and item not in items:
        # Some programs take spaces away, or add them.
        item = item.strip()
        if item not in items:
            return SheetFault(Fault.ITEM_UNKNOWN, line, found=_shown(item))
    verdict = next((code for code, words in _VERDICTS.items() if _plain(said) in words), None)
    if verdict is None:
        expected = " · ".join(_VERDICTS)
        return SheetFault(Fault.VERDICT_UNKNOWN, line, expected, _shown(said))
    who = (_uncell(cells[columns["reviewer"]]).strip() if "reviewer" in columns else "") or reviewer
    if not who:
        return SheetFault(Fault.REVIEWER_MISSING, line)
    if (item, who) in seen:
        return SheetFault(Fault.REVIEWED_TWICE, line, found=_shown(item))
    seen.add((item, who))
    return Review(item, who, verdict)


def _plain(text: str) -> str:
    """Without case, accents, «_», and more than one space: «Mal_Fundada » is «mal fundada»."""
    bare = unicodedata.normalize("NFD", text.casefold())
    bare = "".join(character for character in bare if not unicodedata.combining(character))
    return " ".join(bare.replace("_", " ").replace("/", " ").split())


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
