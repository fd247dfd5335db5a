"""Strict decoding of one JSON text, and what is safe to print of a hostile one. Standard library alone."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any

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
