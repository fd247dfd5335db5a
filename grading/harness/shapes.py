"""What the lines of each record file hold, for the standard library: keys, types, vocabularies, bounds.

The registry reads the same records with compiled decoders (`evidence.hallucination_records`); a test holds both equal.
"""

import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from evidence.plain_json import Fault, is_unsafe_name, parse, shown

VERDICTS = ("exact", "incomplete", "ill_founded", "incorrect")
UNJUDGED = "unjudged"

_INSTANT = re.compile(
    r"\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])[Tt ]([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d+)?"
    r"([Zz]|[+-]([01]\d|2[0-3]):?[0-5]\d)"
)


@dataclass(frozen=True, slots=True)
class Text:
    least: int = 0
    most: int | None = None
    choices: tuple[str, ...] = ()

    def faults(self, value: Any, at: str) -> Iterator[Fault]:
        if not isinstance(value, str):
            yield Fault("WRONG_TYPE", at, "string", _type_name(value))
        elif self.choices and value not in self.choices:
            yield Fault("VALUE_NOT_ALLOWED", at, " · ".join(self.choices), shown(value))
        elif len(value) < self.least:
            yield Fault("VALUE_NOT_ALLOWED", at, "not empty", shown(value))
        elif self.most is not None and len(value) > self.most:
            yield Fault("VALUE_NOT_ALLOWED", at, f"<= {self.most}", str(len(value)))


@dataclass(frozen=True, slots=True)
class Flag:
    def faults(self, value: Any, at: str) -> Iterator[Fault]:
        if not isinstance(value, bool):
            yield Fault("WRONG_TYPE", at, "true or false", _type_name(value))


@dataclass(frozen=True, slots=True)
class Number:
    least: float = -math.inf
    most: float = math.inf
    whole: bool = False

    def faults(self, value: Any, at: str) -> Iterator[Fault]:
        if isinstance(value, bool) or not isinstance(value, int if self.whole else int | float):
            yield Fault("WRONG_TYPE", at, "integer" if self.whole else "number", _type_name(value))
        elif isinstance(value, float) and not math.isfinite(value):
            yield Fault("VALUE_NOT_ALLOWED", at, "a finite number", shown(value))
        elif not self.least <= value <= self.most:
            yield Fault("VALUE_NOT_ALLOWED", at, f"{self.least:g} … {self.most:g}", shown(value))


@dataclass(frozen=True, slots=True)
class Instant:
    def faults(self, value: Any, at: str) -> Iterator[Fault]:
        if not isinstance(value, str):
            yield Fault("WRONG_TYPE", at, "string", _type_name(value))
        elif not _INSTANT.fullmatch(value):
            yield Fault("VALUE_NOT_ALLOWED", at, "RFC 3339, with offset", shown(value))


@dataclass(frozen=True, slots=True)
class Confidence:
    """A number from 0 to 1, or a label."""

    def faults(self, value: Any, at: str) -> Iterator[Fault]:
        if isinstance(value, str):
            yield from Text(1, 100).faults(value, at)
        else:
            yield from Number(0, 1).faults(value, at)


@dataclass(frozen=True, slots=True)
class Many:
    of: "Object"

    def faults(self, value: Any, at: str) -> Iterator[Fault]:
        if not isinstance(value, list):
            yield Fault("WRONG_TYPE", at, "array", _type_name(value))
            return
        for index, entry in enumerate(value):
            yield from self.of.faults(entry, f"{at}[{index}]")


@dataclass(frozen=True, slots=True)
class Object:
    """`fields` by key; those in `required` must be there. null equals absent; an unknown key is a fault."""

    fields: Mapping[str, Any]
    required: tuple[str, ...]

    def faults(self, value: Any, at: str = "") -> Iterator[Fault]:
        if not isinstance(value, dict):
            yield Fault("WRONG_TYPE", at or None, "object", _type_name(value))
            return
        inside = f"{at}." if at else ""
        for key in value:
            if key not in self.fields:
                yield Fault("UNKNOWN_KEY", shown(inside + key), ", ".join(self.fields))
        for key, kind in self.fields.items():
            if value.get(key) is not None:
                yield from kind.faults(value[key], inside + key)
            elif key in self.required:
                yield Fault("MISSING_KEY", inside + key, key)


_TEXT, _ID, _LABEL = Text(1), Text(1, 500), Text(1, 100)
_RUN = Number(1, 2**31 - 1, whole=True)
_EXPECTED = Object({"source": _TEXT, "article": _TEXT}, ("source", "article"))
_CITED = Object({"source": Text(), "article": Text(), "verified": Flag()}, ("source", "article", "verified"))
_WRITER = Object({"kind": Text(choices=("human", "model")), "family": _LABEL}, ("kind",))

ITEM = Object(
    {
        "id": _ID,
        "item_base": _ID,
        "language": Text(0, 100),
        "category": Text(1, 60),
        "question": _TEXT,
        "expected_citation": _EXPECTED,
        "reference_text": Text(),
        "reference_source": Text(),
        "consulted_on": Text(),
        "in_corpus": Flag(),
        "abstention_correct": Flag(),
        "cluster": _ID,
        "written_by": _WRITER,
    },
    ("id", "category", "question", "in_corpus", "abstention_correct"),
)
RESPONSE = Object(
    {
        "item": _ID,
        "run": _RUN,
        "answer": Text(),
        "abstained": Flag(),
        "invalid": Flag(),
        "citations": Many(_CITED),
        "confidence": Confidence(),
        "requested_at": Instant(),
        "latency_ms": Number(0),
    },
    ("item", "answer"),
)
VERDICT = Object(
    {
        "item": _ID,
        "run": _RUN,
        "judge": _LABEL,
        "verdict": Text(choices=(*VERDICTS, UNJUDGED)),
        "eligible": Flag(),
        "reason": Text(),
    },
    ("item", "judge", "verdict"),
)

# Keys that are printed as names: no control characters in them.
_NAMES = ("id", "item_base", "category", "language", "cluster", "confidence")


def without_nulls(value: Any) -> Any:
    """The value with every key left out that is null: the form that is hashed."""
    if isinstance(value, dict):
        return {key: without_nulls(entry) for key, entry in value.items() if entry is not None}
    if isinstance(value, list):
        return [without_nulls(entry) for entry in value]
    return value


def read_lines(
    text: bytes, shape: Object
) -> tuple[list[tuple[int, dict[str, Any]]], list[tuple[int, Fault]]]:
    """The records of a JSON Lines text with their line numbers, and every fault with its line."""
    records: list[tuple[int, dict[str, Any]]] = []
    faults: list[tuple[int, Fault]] = []
    lines = text.split(b"\n")
    if lines and not lines[-1]:
        lines.pop()
    for number, line in enumerate(lines, 1):
        value, wrong = parse(line)
        if not (value is None and wrong):
            wrong = [*wrong, *shape.faults(value)]
        if not wrong:
            wrong = [
                Fault("UNSAFE_TEXT", key, found=shown(name))
                for key in _NAMES
                if isinstance(name := value.get(key), str) and is_unsafe_name(name)
            ]
        if wrong:
            faults += [(number, fault) for fault in wrong]
        else:
            records.append((number, without_nulls(value)))
    return records, faults


def _type_name(value: Any) -> str:
    if value is None:
        return "null"
    names = {bool: "boolean", int: "integer", float: "number", str: "string", list: "array", dict: "object"}
    return names.get(type(value), type(value).__name__)
