"""PURE. What a final answer says: the addresses it cites, its dates, and which of its words stand in a response.

Texts are compared by words, lower case, in Unicode NFC: a definition copied out of HTML, JSON or Markdown is the same.
"""

import json
import re
import unicodedata
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date
from functools import cached_property
from html.parser import HTMLParser
from typing import Any

from evidence.plain_json import parse
from evidence.routes import normalise

# Larger responses are no page that an answer quotes, and a small file may unpack to gigabytes.
MOST_BYTES = 4 * 1024**2
# Nobody cites more than this; what is looked up for each must not grow with what a hostile answer repeats.
MOST_ADDRESSES = 100

_WORD = re.compile(r"\w+")
_ADDRESS = re.compile(r"https?://[^\s<>\"'«»“”‘’`|\\^{}]+", re.IGNORECASE)
_HOST = re.compile(r"(?:[^/@?#]*@)?([^/:?#]+)(?::\d*)?(.*)", re.DOTALL)
# What ends a sentence around an address, and what stands around it in Markdown.
_AFTER = ".,;:!?…*_~)]"
_MONTHS = {
    name: number
    for number, names in enumerate(
        (
            "enero january jan ene",
            "febrero february feb",
            "marzo march mar",
            "abril april abr apr",
            "mayo may",
            "junio june jun",
            "julio july jul",
            "agosto august ago aug",
            "septiembre setiembre september sep sept set",
            "octubre october oct",
            "noviembre november nov",
            "diciembre december dic dec",
        ),
        1,
    )
    for name in names.split()
}
_NUMERIC = re.compile(
    r"(?<!\d)(\d{4})-(\d{1,2})-(\d{1,2})(?!\d)|(?<!\d)(\d{1,2})[/.-](\d{1,2})[/.-](\d{4})(?!\d)"
)
_DAY_FIRST = re.compile(
    r"(?<!\d)(\d{1,2})(?:st|nd|rd|th|\.º|º)?\s+(?:de\s+|of\s+)?([^\W\d_]{3,10})\.?,?\s+(?:del?\s+)?(\d{4})(?!\d)"
)
_MONTH_FIRST = re.compile(r"\b([^\W\d_]{3,10})\.?\s+(\d{1,2})(?:st|nd|rd|th)?,?\s+(\d{4})(?!\d)")


@dataclass(frozen=True, slots=True)
class Address:
    """An address of the observed site: its normalised path, and its query as written."""

    path: str
    query: str


@dataclass(frozen=True)
class Text:
    """What a response says: `raw` as it was sent, `plain` without marks of HTML or JSON."""

    raw: str
    plain: str

    @cached_property
    def folded(self) -> str:
        return self.raw.casefold()

    @cached_property
    def words(self) -> list[str]:
        return words(self.plain)


def addresses(answer: str, *, host: str) -> tuple[Address, ...]:
    """The addresses of `host` that the answer gives, whole, in its order, each once; with scheme or without."""
    found = [
        Address(normalise(rest or "/"), rest.partition("#")[0].partition("?")[2])
        for name, rest in _sites(_with_scheme(answer, host))
        if name == host.casefold()
    ]
    return tuple(dict.fromkeys(found))[:MOST_ADDRESSES]


def other_sites(answer: str, *, than: str) -> tuple[str, ...]:
    """The addresses of other sites in the answer, each once, lower case, without scheme and last slash."""
    found = ((name + rest).casefold().rstrip("/") for name, rest in _sites(answer) if name != than.casefold())
    return tuple(dict.fromkeys(found))[:MOST_ADDRESSES]


def _with_scheme(answer: str, host: str) -> str:
    """The answer with a scheme before every bare `host/…`: people write addresses without one."""
    out, start, wanted = [], 0, host.casefold()
    lowered = answer.lower()
    if len(lowered) != len(answer):
        # A letter that changes its length in lower case: the bare addresses of such a text are looked for as written.
        lowered = answer
    while (at := lowered.find(wanted, start)) >= 0:
        end = at + len(wanted)
        before = lowered[at - 1] if at else " "
        is_bare = lowered[end : end + 1] in ("/", ":") and not (before.isalnum() or before in ".-_@/")
        out += [answer[start:at], "http://" if is_bare else "", answer[at:end]]
        start = end
    return "".join([*out, answer[start:]])


def _sites(answer: str) -> Iterator[tuple[str, str]]:
    """(host in lower case, rest from the first slash on) of every address in a text."""
    for found in _ADDRESS.finditer(answer):
        address = found.group().rstrip(_AFTER)
        cut = found.group()[len(address) :]
        if cut.startswith(")") and address.count("(") > address.count(")"):
            # The bracket belongs to it: …/agente_(software).
            address += ")"
        parts = _HOST.fullmatch(address.partition("://")[2])
        if parts is not None:
            yield parts[1].casefold(), parts[2]


def dates(text: str) -> frozenset[date]:
    """The days that a text names, in figures or with a Spanish or English month."""
    text = unicodedata.normalize("NFC", text).lower()
    found: set[tuple[int, int, int]] = set()
    for year, month, day, day_, month_, year_ in _NUMERIC.findall(text):
        found.add((int(year), int(month), int(day)) if year else (int(year_), int(month_), int(day_)))
    for day, name, year in _DAY_FIRST.findall(text):
        if name in _MONTHS:
            found.add((int(year), _MONTHS[name], int(day)))
    for name, day, year in _MONTH_FIRST.findall(text):
        if name in _MONTHS:
            found.add((int(year), _MONTHS[name], int(day)))
    return frozenset(day for day in map(_day, found) if day is not None)


def _day(parts: tuple[int, int, int]) -> date | None:
    try:
        return date(*parts)
    except ValueError:
        return None


def says(answer: str, phrases: Iterable[str]) -> bool:
    """Whether the answer holds one of the phrases, whatever its case and spaces."""
    said = _even(answer)
    return any(_even(phrase) in said for phrase in phrases)


def share_words(answer: str, text: Text, *, count: int) -> bool:
    """Whether `count` consecutive words of the answer stand in the text; those of its addresses do not count."""
    parts = [words(part) for part in _ADDRESS.split(answer)]
    # Hashes alone are kept of a long answer; what has one of them is looked at word by word.
    known = {hash(run) for part in parts for run in _runs(part, count)}
    if not known:
        return False
    said = [f" {' '.join(part)} " for part in parts]
    return any(
        hash(run) in known and any(f" {' '.join(run)} " in part for part in said)
        for run in _runs(text.words, count)
    )


def _runs(said: list[str], count: int) -> Iterator[tuple[str, ...]]:
    return (tuple(said[start : start + count]) for start in range(len(said) - count + 1))


def words(text: str) -> list[str]:
    return _WORD.findall(unicodedata.normalize("NFC", text).casefold())


def _even(text: str) -> str:
    return " ".join(unicodedata.normalize("NFC", text).casefold().split())


# ── the text of a response ───────────────────────────────────────────────────


def text_of(body: bytes, *, media_type: str) -> Text | None:
    """The text of a response's bytes; None when they are too large, or no text in UTF-8 (or Latin 1, when said)."""
    body = _unpacked(body)
    if body is None or len(body) > MOST_BYTES:
        return None
    kind, _semicolon, parameters = media_type.lower().partition(";")
    kind = kind.strip()
    if not (kind.startswith("text/") or kind.endswith(("json", "xml")) or kind == ""):
        return None
    latin = "charset=iso-8859-1" in parameters.replace('"', "") or "charset=windows-1252" in parameters
    try:
        raw = body.decode("latin-1" if latin else "utf-8-sig")
    except UnicodeDecodeError:
        return None
    if kind.endswith("json"):
        return Text(raw, _of_json(body, raw))
    if kind.endswith(("html", "xml")):
        return Text(raw, _of_html(raw))
    return Text(raw, raw)


def _unpacked(body: bytes) -> bytes | None:
    """The bytes themselves, or what gzip made of them: they are stored as they were sent."""
    if body[:2] != b"\x1f\x8b":
        return body
    try:
        found = zlib.decompressobj(wbits=31).decompress(body, MOST_BYTES + 1)
    except zlib.error:
        return None
    return found


def _of_json(body: bytes, raw: str) -> str:
    value, faults = parse(body)
    return raw if faults else "\n".join(_strings(value))


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for inside in value.values():
            yield from _strings(inside)
    elif isinstance(value, list):
        for inside in value:
            yield from _strings(inside)
    elif value is not None:
        yield json.dumps(value)


class _Reader(HTMLParser):
    """Gathers what a reader of a page sees; a tag parts words only where it parts lines."""

    _UNSEEN = frozenset({"script", "style", "template"})
    _INLINE = frozenset(
        [
            "a",
            "abbr",
            "b",
            "bdi",
            "bdo",
            "cite",
            "code",
            "dfn",
            "em",
            "i",
            "kbd",
            "mark",
            "q",
            "s",
            "small",
            "span",
            "strong",
            "sub",
            "sup",
            "u",
            "var",
            "wbr",
        ]
    )

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.parts: list[str] = []
        self._unseen = 0

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self._unseen += tag in self._UNSEEN
        if tag not in self._INLINE:
            self.parts.append("\n")

    def handle_endtag(self, tag: str) -> None:
        if tag in self._UNSEEN and self._unseen:
            self._unseen -= 1
        if tag not in self._INLINE:
            self.parts.append("\n")

    def handle_startendtag(self, tag: str, attrs: Any) -> None:
        if tag not in self._INLINE:
            self.parts.append("\n")

    def handle_data(self, data: str) -> None:
        if not self._unseen:
            self.parts.append(data)


def _of_html(raw: str) -> str:
    reader = _Reader()
    reader.feed(raw)
    reader.close()
    return "".join(reader.parts)
