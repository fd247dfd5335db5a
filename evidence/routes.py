"""Which address of a site a request meant, however it was spelled, and which patterns name that address.

`normalise` gives one spelling to all that a server might take for the same path, so that no encoding of an
excluded route escapes its pattern. It decodes until nothing is left to decode: a target that decodes once more
than we do would otherwise be reached by a path that no pattern knows. The price is known and paid: `%252F` counts
as a slash even where a server would have looked for a file with a percent sign in its name.

Patterns are segment globs, literal otherwise, and never regular expressions: `*` is exactly one segment, `**` at
the end is any rest, none included. `/conceptos/*` names `/conceptos/agente`, not `/conceptos`; `/pruebas/**` names
both `/pruebas` and all below it. Upper and lower case differ, as RFC 3986 has it.
"""

import re
from collections.abc import Iterable
from functools import lru_cache
from urllib.parse import quote_from_bytes

ONE = "*"
REST = "**"

# What nearly every path looks like: nothing encoded, no parameters, no empty, dotted or dangling segment.
_PLAIN = re.compile(r"(?:/(?:[A-Za-z0-9._~!$&'()*+,=:@-]*[A-Za-z0-9_~!$&'()*+,=:@-]))+|/", re.ASCII)
_ABSOLUTE = re.compile(rb"[A-Za-z][A-Za-z0-9+.-]*://[^/?#\\]*")
_LITERAL = "!$&'()*+,=:@"  # beside letters, digits and _.-~, which are never encoded
_HEX = {ord(digit): int(digit, 16) for digit in "0123456789abcdefABCDEF"}


class UnusablePattern(ValueError):
    """Not a pattern: it does not begin with «/», or its stars are not whole segments, or «**» is not the last."""


def normalise(target: bytes | str) -> str:
    """The path that a request's target means, in one spelling; query and fragment are left out.

    Takes a target in origin form (`/a%2Fb?q`) or absolute form (`http://host/a`). The answer begins with «/»,
    ends with none unless it is «/» alone, has upper-case triplets and only where a character needs one, and
    normalises to itself.

    >>> normalise("/conceptos/./%61gente/?pagina=2")
    '/conceptos/agente'
    >>> normalise("/x/%252e%252E/borradores;v=1//plan.")
    '/borradores/plan'
    """
    if isinstance(target, str):
        path = target.partition("?")[0]
        if _PLAIN.fullmatch(path):
            return path
        target = target.encode("utf-8", "surrogateescape")
    raw = target.partition(b"#")[0].partition(b"?")[0]
    if raw[:1] != b"/" and (scheme := _ABSOLUTE.match(raw)):
        raw = raw[scheme.end() :]
    segments: list[bytes] = []
    for spelled in _decoded(raw).replace(b"\\", b"/").split(b"/"):
        segment = spelled.partition(b";")[0].strip(b" ")
        if segment == b"..":
            del segments[-1:]
        elif segment := segment.rstrip(b". "):
            segments.append(segment)
    return "/" + "/".join(quote_from_bytes(segment, safe=_LITERAL) for segment in segments)


def _decoded(raw: bytes) -> bytes:
    """Every triplet decoded, those that decoding makes too, and two-byte spellings of ASCII (`C0 AF`, a slash).

    From right to left, so that each byte is looked at once however often it was encoded: neither rule overlaps
    with itself or with the other, so the order does not matter to what comes out.
    """
    if b"%" not in raw and b"\xc0" not in raw and b"\xc1" not in raw:
        return raw
    out = bytearray()  # reversed
    for byte in reversed(raw):
        while True:
            if byte == 0x25 and len(out) > 1 and out[-1] in _HEX and out[-2] in _HEX:
                byte = _HEX[out.pop()] << 4 | _HEX[out.pop()]
            elif byte in (0xC0, 0xC1) and out and 0x80 <= out[-1] <= 0xBF:
                byte = (byte & 1) << 6 | out.pop() & 0x3F
            else:
                break
        out.append(byte)
    out.reverse()
    return bytes(out)


class Patterns:
    """Some patterns, ready to be asked about a million normalised paths."""

    def __init__(self, patterns: Iterable[str]) -> None:
        self.patterns = tuple(patterns)
        exact: set[str] = set()
        below: list[str] = []
        parents: set[str] = set()
        starred: list[tuple[tuple[str, ...], bool]] = []
        for pattern in self.patterns:
            steps, is_open = _steps(pattern)
            if steps[-1:] == (ONE,) and ONE not in steps[:-1] and not is_open:
                parents.add("/".join(("", *steps[:-1])))
                continue
            if ONE in steps:
                starred.append((steps, is_open))
                continue
            path = "/" + "/".join(steps)
            exact.add(path)
            if is_open:
                below.append(path if path == "/" else path + "/")
        self._exact = frozenset(exact)
        self._below = tuple(below)
        self._parents = frozenset(parents)
        self._starred = tuple(starred)

    def matches(self, path: str) -> bool:
        """Whether any of the patterns names this normalised path."""
        if path in self._exact or path.startswith(self._below):
            return True
        if self._parents and path.rpartition("/")[0] in self._parents and path != "/":
            return True
        if not self._starred:
            return False
        found = tuple(path[1:].split("/")) if path != "/" else ()
        return any(_fits(steps, found, is_open=is_open) for steps, is_open in self._starred)


def matches(pattern: str, path: str) -> bool:
    """Whether the pattern names this normalised path. Raises UnusablePattern."""
    return _compiled(pattern).matches(path)


@lru_cache(maxsize=1024)
def _compiled(pattern: str) -> Patterns:
    return Patterns((pattern,))


def _steps(pattern: str) -> tuple[tuple[str, ...], bool]:
    """The segments of a pattern, spelled as a normalised path is, and whether any rest may follow."""
    if not pattern.startswith("/"):
        raise UnusablePattern(f"a pattern begins with «/»: {pattern!r}")
    steps = pattern[1:].split("/")
    is_open = steps[-1] == REST
    if is_open:
        steps.pop()
    for step in steps:
        if ONE in step and step != ONE:
            raise UnusablePattern(f"«*» is a whole segment and «**» the last one: {pattern!r}")
    path = normalise("/" + "/".join(steps))
    return (tuple(path[1:].split("/")) if path != "/" else ()), is_open


def _fits(steps: tuple[str, ...], found: tuple[str, ...], *, is_open: bool) -> bool:
    if len(found) < len(steps) or (len(found) > len(steps) and not is_open):
        return False
    return all(step in (ONE, name) for step, name in zip(steps, found, strict=False))
