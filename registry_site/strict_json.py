"""PURE. JSON as the registry takes it: one meaning or none.

Refused is what two readers would read differently, or what a database cannot keep: a key given twice, NaN
and Infinity, U+0000, unpaired surrogates, bytes that are not UTF-8, nesting beyond `DEPTH`, and text after
the value.
"""

import json
from typing import Any

DEPTH = 32


class Malformed(ValueError):
    """Not JSON that is taken here. `code` is stable; `line` and `column` count from 1, or are None."""

    def __init__(
        self, code: str, *, line: int | None = None, column: int | None = None, found: str | None = None
    ):
        super().__init__(code)
        self.code = code
        self.line = line
        self.column = column
        self.found = found


def loads(data: bytes, *, depth: int = DEPTH) -> Any:
    """The value that `data` stands for. Raises `Malformed`."""
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        line, column = _place(data[: error.start].decode("utf-8"), None)
        raise Malformed("not_utf8", line=line, column=column, found=f"0x{data[error.start]:02x}") from None
    _require_depth(text, depth)
    try:
        value = json.loads(text, object_pairs_hook=_object, parse_constant=_no_constant)
    except json.JSONDecodeError as error:
        found = text[error.pos : error.pos + 20] or None
        raise Malformed("not_json", line=error.lineno, column=error.colno, found=found) from None
    except Malformed:
        raise
    except ValueError:  # an integer of more digits than Python converts
        raise Malformed("number_too_long") from None
    _require_storable(value)
    return value


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) != len(pairs):
        seen: set[str] = set()
        twice = next(key for key, _ in pairs if key in seen or seen.add(key))
        raise Malformed("duplicate_key", found=twice)
    return value


def _no_constant(name: str) -> None:
    raise Malformed("not_a_number", found=name)


def _require_depth(text: str, limit: int) -> None:
    # Before the parser sees it: its own recursion is what deep nesting attacks.
    depth = 0
    inside_string = escaped = False
    for position, character in enumerate(text):
        if inside_string:
            if escaped:
                escaped = False
            elif character == "\\":
                escaped = True
            elif character == '"':
                inside_string = False
        elif character == '"':
            inside_string = True
        elif character in "[{":
            depth += 1
            if depth > limit:
                line, column = _place(text, position)
                raise Malformed("too_deep", line=line, column=column, found=str(depth))
        elif character in "]}":
            depth -= 1


def _require_storable(value: Any) -> None:
    if isinstance(value, str):
        if "\0" in value:
            raise Malformed("null_character")
        # JSON's \ud800 makes half a character, which neither UTF-8 nor PostgreSQL can hold.
        if any("\ud800" <= character <= "\udfff" for character in value):
            raise Malformed("unpaired_surrogate")
    elif isinstance(value, dict):
        for key, inner in value.items():
            _require_storable(key)
            _require_storable(inner)
    elif isinstance(value, list):
        for inner in value:
            _require_storable(inner)
    elif isinstance(value, float) and value in (float("inf"), float("-inf")):
        raise Malformed("not_a_number", found="1e999")  # a number beyond a double, not one that is left out


def _place(text: str, position: int | None) -> tuple[int, int]:
    before = text if position is None else text[:position]
    return before.count("\n") + 1, len(before) - (before.rfind("\n") + 1) + 1
