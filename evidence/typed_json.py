"""What a JSON text must look like to be read as a record: strict decoding, and every fault of a value by its key.

Records are decoded by msgspec, which stops at the first fault. This module is what runs afterwards, on the texts that
failed only: it names all their faults, with the codes of package format 1.
"""

import json
import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from itertools import islice
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

import msgspec

MAX_DEPTH = 32
# A value of 16 MiB may have ten million faults: nobody mends more than this before looking again, and whoever waits
# for the reader to say how far it is would take it for dead.
MOST_FAULTS = 250_000

# Explicit bidirectional controls; U+200C and U+200D are left alone, scripts need them.
_BIDI = "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"
# What nobody sees makes two names of one: soft hyphen, zero-width space, joiners, invisible operators, tags.
_INVISIBLE = "\u00ad\u180e\u200b\u2060-\u2065\u206a-\u206f\ufeff\ufff9-\ufffb\U000e0000-\U000e007f"
_UNSAFE = re.compile(f"[\x00-\x1f\x7f-\x9f\u2028\u2029{_INVISIBLE}{_BIDI}]")
_NUL_OR_SURROGATE = re.compile("[\x00\ud800-\udfff]")
_SHOWN = 80


@dataclass(frozen=True, slots=True)
class Fault:
    """One fault of a value: a code of package format 1, the key it is at, what was expected and what was found."""

    code: str
    key: str | None = None
    expected: str | None = None
    found: str | None = None


def is_unsafe_name(text: str) -> bool:
    """Whether a name holds a control, bidirectional control or other invisible character."""
    # isprintable is one fast pass; only what it rejects needs the exact rule (it also rejects odd spaces, say).
    return not text.isprintable() and _UNSAFE.search(text) is not None


def shown(value: Any) -> str:
    """A value as a finding may quote it: one line, short, only characters that are safe to print."""
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
    text = "".join(c if c.isprintable() else f"\\u{ord(c):04x}" for c in text[: _SHOWN + 1])
    return text if len(text) <= _SHOWN else text[:_SHOWN] + "…"


def parse(text: bytes, *, unique_keys: bool = False) -> tuple[Any, list[Fault]]:
    """Decode strictly one JSON value; (value, []) or (None, faults).

    A value whose strings break RECORD_TEXT is returned together with these faults, so that its other faults can be
    named too. `unique_keys` refuses an object that holds a key twice.
    """
    try:
        decoded = text.decode("utf-8")
    except UnicodeDecodeError as error:
        return None, [Fault("INVALID_UTF8", expected="UTF-8", found=f"byte {error.start + 1}")]
    if _depth(text) > MAX_DEPTH:
        return None, [Fault("RECORD_DEPTH", expected=f"<= {MAX_DEPTH}", found=f"> {MAX_DEPTH}")]
    twice: list[str] = []

    def pairs(items: list[tuple[str, Any]]) -> dict[str, Any]:
        value = dict(items)
        if len(value) != len(items):
            seen: set[str] = set()
            for key, _ in items:
                if key in seen:
                    twice.append(key)
                seen.add(key)
        return value

    def refuse(constant: str) -> None:
        raise ValueError(constant)

    try:
        value = json.loads(decoded, object_pairs_hook=pairs, parse_constant=refuse)
    except ValueError as error:
        column = getattr(error, "colno", None)
        found = f"character {column}" if column else "a number that JSON does not have"
        return None, [Fault("INVALID_JSON", expected="JSON", found=found)]
    faults = [Fault("DUPLICATE_KEY", key=shown(key)) for key in twice] if unique_keys else []
    broken = (key for key, text_ in _strings(value, "") if _NUL_OR_SURROGATE.search(text_))
    faults += [
        Fault("RECORD_TEXT", key=shown(key) or None, found="U+0000 or an unpaired surrogate")
        for key in islice(broken, MOST_FAULTS)
    ]
    return value, faults


def faults_of(value: Any, struct: type[msgspec.Struct], at: str = "") -> Iterator[Fault]:
    """Every fault of a decoded value against a Struct: unknown and missing keys, types, vocabularies, bounds."""
    if not isinstance(value, dict):
        yield Fault("WRONG_TYPE", key=at or None, expected="object", found=_type_name(value))
        return
    fields = _fields(struct)
    for key in value:
        if key not in fields:
            yield Fault("UNKNOWN_KEY", key=shown(at + key), expected=", ".join(fields))
    for name, (type_, required) in fields.items():
        # null equals absent
        if value.get(name) is None:
            if required:
                yield Fault("MISSING_KEY", key=at + name, expected=name)
            continue
        yield from _faults_of_type(value[name], type_, at + name)


def _faults_of_type(value: Any, type_: Any, at: str) -> Iterator[Fault]:
    origin = get_origin(type_)
    if origin is Annotated:
        inner, *metas = get_args(type_)
        wrong = list(_faults_of_type(value, inner, at))
        yield from wrong
        if not wrong:
            for meta in metas:
                yield from _faults_of_bounds(value, meta, at)
    elif origin in (Union, UnionType):
        options = [option for option in get_args(type_) if option is not NoneType]
        if not options:
            return
        results = [list(islice(_faults_of_type(value, option, at), MOST_FAULTS)) for option in options]
        if all(results):
            # The nearest option: one that only finds the value out of bounds knows its type.
            nearest = [faults for faults in results if all(fault.code != "WRONG_TYPE" for fault in faults)]
            yield from (nearest or results)[0]
    elif origin is Literal:
        allowed = get_args(type_)
        if not isinstance(value, type(allowed[0])):
            yield Fault("WRONG_TYPE", key=at, expected=_wanted(type(allowed[0])), found=_type_name(value))
        elif value not in allowed:
            yield Fault(
                "VALUE_NOT_ALLOWED", key=at, expected=" · ".join(map(str, allowed)), found=shown(value)
            )
    elif origin in (list, tuple):
        if not isinstance(value, list):
            yield Fault("WRONG_TYPE", key=at, expected="array", found=_type_name(value))
            return
        for index, entry in enumerate(value):
            yield from _faults_of_type(entry, get_args(type_)[0], f"{at}[{index}]")
    elif isinstance(type_, type) and issubclass(type_, msgspec.Struct):
        yield from (
            faults_of(value, type_, at + ".") if isinstance(value, dict) else faults_of(value, type_, at)
        )
    elif type_ is datetime:
        if not isinstance(value, str):
            yield Fault("WRONG_TYPE", key=at, expected="string", found=_type_name(value))
        else:
            try:
                msgspec.convert(value, Annotated[datetime, msgspec.Meta(tz=True)])
            except msgspec.ValidationError:
                yield Fault("VALUE_NOT_ALLOWED", key=at, expected="RFC 3339, with offset", found=shown(value))
    elif type_ is float:
        if isinstance(value, bool) or not isinstance(value, int | float):
            yield Fault("WRONG_TYPE", key=at, expected="number", found=_type_name(value))
        elif isinstance(value, float) and not math.isfinite(value):
            yield Fault("VALUE_NOT_ALLOWED", key=at, expected="a finite number", found=shown(value))
    elif isinstance(type_, type) and (type(value) is not type_):
        yield Fault("WRONG_TYPE", key=at, expected=_wanted(type_), found=_type_name(value))


def _faults_of_bounds(value: Any, meta: msgspec.Meta, at: str) -> Iterator[Fault]:
    if (meta.ge is not None and value < meta.ge) or (meta.le is not None and value > meta.le):
        bounds = [f">= {meta.ge}"] if meta.ge is not None else []
        bounds += [f"<= {meta.le}"] if meta.le is not None else []
        yield Fault("VALUE_NOT_ALLOWED", key=at, expected=", ".join(bounds), found=shown(value))
    elif meta.min_length is not None and len(value) < meta.min_length:
        yield Fault("VALUE_NOT_ALLOWED", key=at, expected="not empty", found=shown(value))
    elif meta.max_length is not None and len(value) > meta.max_length:
        expected = f"<= {meta.max_length}"
        yield Fault("VALUE_NOT_ALLOWED", key=at, expected=expected, found=str(len(value)))
    elif meta.pattern is not None and not re.search(meta.pattern, value):
        expected = meta.description or meta.pattern
        yield Fault("VALUE_NOT_ALLOWED", key=at, expected=expected, found=shown(value))


@cache
def _fields(struct: type[msgspec.Struct]) -> dict[str, tuple[Any, bool]]:
    hints = get_type_hints(struct, include_extras=True)
    required = getattr(struct, "REQUIRED", ())
    return {
        field.encode_name: (hints[field.name], field.required or field.encode_name in required)
        for field in msgspec.structs.fields(struct)
    }


def _depth(text: bytes) -> int:
    """How deep arrays and objects nest, without recursion: the text may be hostile."""
    depth = deepest = 0
    # Possessive: what a string took is never given back, so nothing of it has to be remembered.
    for token in re.finditer(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"?|[\[\]{}]', text, re.DOTALL):
        first = text[token.start()]
        if first in b"[{":
            depth += 1
            deepest = max(deepest, depth)
            if deepest > MAX_DEPTH:
                break
        elif first in b"]}":
            depth -= 1
    return deepest


def _strings(value: Any, at: str) -> Iterator[tuple[str, str]]:
    if isinstance(value, str):
        yield at, value
    elif isinstance(value, dict):
        for key, entry in value.items():
            path = f"{at}.{key}" if at else key
            yield path, key
            yield from _strings(entry, path)
    elif isinstance(value, list):
        for index, entry in enumerate(value):
            yield from _strings(entry, f"{at}[{index}]")


def _wanted(type_: type) -> str:
    return {str: "string", bool: "true or false", int: "integer"}.get(type_, type_.__name__)


def _type_name(value: Any) -> str:
    if value is None:
        return "null"
    names = {bool: "boolean", int: "integer", float: "number", str: "string", list: "array", dict: "object"}
    return names[type(value)]
