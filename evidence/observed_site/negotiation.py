"""What HTTP lets a client ask for (RFC 9110): a representation, only what has changed, a part of it."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from email.utils import format_datetime, parsedate_to_datetime

UNSATISFIABLE = range(0)


def best(accept: str | None, offered: Sequence[str]) -> str | None:
    """The offered media type that `Accept` likes best, the first of equals; None where it takes none of them."""
    if not accept or not accept.strip():
        return offered[0]
    wanted = [_wanted(part) for part in accept.split(",") if part.strip()]
    weights = [_weight(kind, wanted) for kind in offered]
    highest = max(weights)
    return offered[weights.index(highest)] if highest > 0 else None


def not_modified(headers: Mapping[str, str], *, etag: str, modified: datetime) -> bool:
    """Whether the client has it already. `If-Modified-Since` counts only without `If-None-Match`."""
    held = headers.get("if-none-match")
    if held is not None:
        return held.strip() == "*" or etag in {tag.strip().removeprefix("W/") for tag in held.split(",")}
    since = _http_date(headers.get("if-modified-since"))
    return since is not None and modified <= since


def part(headers: Mapping[str, str], *, etag: str, modified: datetime, size: int) -> range | None:
    """The bytes asked for: None is all of them, UNSATISFIABLE none that there are.

    More than one range is answered with the whole, as RFC 9110 §14.2 permits.
    """
    unit, _, asked = headers.get("range", "").partition("=")
    if unit.strip().lower() != "bytes" or "," in asked or not _still(headers.get("if-range"), etag, modified):
        return None
    first, dash, last = (one.strip() for one in asked.partition("-"))
    digits = first + last
    if not dash or not digits.isascii() or not digits.isdecimal() or len(digits) > 40:
        return None
    if not first:
        return range(max(size - int(last), 0), size) if int(last) and size else UNSATISFIABLE
    if last and int(last) < int(first):
        return None
    start, stop = int(first), min(int(last) + 1, size) if last else size
    return range(start, stop) if start < size else UNSATISFIABLE


def http_date(moment: datetime) -> str:
    return format_datetime(moment, usegmt=True)


def _wanted(part: str) -> tuple[str, float]:
    kind, *parameters = (piece.strip().lower() for piece in part.split(";"))
    for parameter in parameters:
        name, _, value = parameter.partition("=")
        if name.strip() == "q":
            try:
                weight = float(value)
            except ValueError:
                return kind, 0.0
            return kind, weight if 0 <= weight <= 1 else 0.0
    return kind, 1.0


def _weight(kind: str, wanted: Sequence[tuple[str, float]]) -> float:
    """The weight of the most specific range that takes `kind`."""
    for taking in (kind, f"{kind.partition('/')[0]}/*", "*/*"):
        weights = [weight for name, weight in wanted if name == taking]
        if weights:
            return max(weights)
    return 0.0


def _still(condition: str | None, etag: str, modified: datetime) -> bool:
    """`If-Range`: whether the client's part is of this very representation."""
    if condition is None or condition.strip() == etag:
        return True
    return _http_date(condition) == modified


def _http_date(value: str | None) -> datetime | None:
    try:
        moment = parsedate_to_datetime(value) if value else None
    except ValueError:
        return None
    return None if moment is None else moment.replace(tzinfo=moment.tzinfo or UTC)
