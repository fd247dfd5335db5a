"""What a JSON text must look like to be read as a record: strict decoding, and every fault of a value by its key.

Records are decoded by msgspec, which stops at the first fault. This module is what runs afterwards, on the texts that
failed only: it names all their faults, with the codes of package format 1.
"""

import math
import re
from collections.abc import Iterator
from datetime import datetime
from functools import cache
from itertools import islice
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

import msgspec

from evidence.plain_json import MAX_DEPTH, MOST_FAULTS, Fault, is_unsafe_name, parse, shown

__all__ = [
    "MAX_DEPTH",
    "MOST_FAULTS",
    "Fault",
    "faults_of",
    "is_unsafe_name",
    "parse",
    "shown",
    "without_nulls",
]


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


def without_nulls(value: Any) -> Any:
    """A decoded value without the keys that are null: they count as absent."""
    if isinstance(value, dict):
        return {key: without_nulls(entry) for key, entry in value.items() if entry is not None}
    if isinstance(value, list):
        return [without_nulls(entry) for entry in value]
    return value


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
        types = get_args(type_)
        if origin is tuple and types[-1] is not Ellipsis:
            # So many entries, each of its own type.
            if len(value) != len(types):
                expected, found = f"{len(types)} entries", f"{len(value)} entries"
                yield Fault("WRONG_TYPE", key=at, expected=expected, found=found)
                return
        else:
            types = (types[0],) * len(value)
        for index, (entry, of_entry) in enumerate(zip(value, types, strict=True)):
            yield from _faults_of_type(entry, of_entry, f"{at}[{index}]")
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


def _wanted(type_: type) -> str:
    return {str: "string", bool: "true or false", int: "integer"}.get(type_, type_.__name__)


def _type_name(value: Any) -> str:
    if value is None:
        return "null"
    names = {bool: "boolean", int: "integer", float: "number", str: "string", list: "array", dict: "object"}
    return names[type(value)]
