"""PURE. What a mark of a run may rest on, how marks are counted, and how they stand in `data/marks.jsonl`.

A request supports a mark when it came before the cut. The request that found the catalogue may besides show that a
negative control is not met. Without support nothing is met.
"""

import json
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

MET, NOT_MET, NOT_OBSERVABLE = MARKS = ("met", "not_met", "not_observable")


class Fault(StrEnum):
    """Why a mark cannot stand."""

    NO_SUPPORT = "no_support"
    NO_SUCH_REQUEST = "no_such_request"
    AFTER_THE_CUT = "after_the_cut"


@dataclass(frozen=True, slots=True)
class Given:
    """A mark as it stands: by whom is «code» or «evaluator», never a name."""

    point: str
    mark: str
    requests: tuple[int, ...]
    by: str
    note: str = ""


@dataclass(frozen=True, slots=True)
class Support:
    """Which requests of a run may support a mark. `known` are all its sequence numbers.

    `catalogue_at` is k when it is graded at all (it is not when it came beyond the limit).
    """

    known: Collection[int]
    cut: int
    catalogue_at: int | None = None


@dataclass(frozen=True, slots=True)
class Counts:
    """How many points have each mark; what is not marked yet is in none."""

    met: int
    not_met: int
    not_observable: int


def fault_of(
    mark: str, requests: Sequence[int], *, support: Support, negative: bool
) -> tuple[Fault, int] | None:
    """What is wrong with these requests as the support of a mark, and with which of them (0: with none); or None.

    `negative`: the point has a negative control.
    """
    for request in requests:
        if request not in support.known:
            return Fault.NO_SUCH_REQUEST, request
        is_last = mark == NOT_MET and negative and request == support.catalogue_at
        if request >= support.cut and not is_last:
            return Fault.AFTER_THE_CUT, request
    return (Fault.NO_SUPPORT, 0) if mark == MET and not requests else None


def counted(marks: Iterable[Given]) -> Counts:
    found = [given.mark for given in marks]
    return Counts(found.count(MET), found.count(NOT_MET), found.count(NOT_OBSERVABLE))


def lines(marks: Iterable[Given]) -> bytes:
    """The bytes of `data/marks.jsonl`: one mark a line, in the order of the points."""
    return b"".join(_line(given) for given in marks)


def _line(given: Given) -> bytes:
    record: dict[str, Any] = {
        "point": given.point,
        "mark": given.mark,
        "requests": list(given.requests),
        "by": given.by,
    }
    if given.note:
        record["note"] = given.note
    return json.dumps(record, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"
