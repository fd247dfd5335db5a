"""Two measurements beside each other: what they are, why they cannot be compared, or what differs between them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

from certificates.pages.frame import Text
from certificates.pages.status import Erratum

if TYPE_CHECKING:
    from certificates.pages.frame import Frame


@dataclass(frozen=True, slots=True, kw_only=True)
class Compared:
    """One of the two measurements, or one that may be chosen."""

    reference: str  # «M-19»
    system: str
    version: str
    holder: str
    scheme: str  # «HALU-1»
    measured_at: datetime
    frozen_at: datetime
    set_name: str
    set_sha256: str
    evidence_sha256: str
    items: int | None = None
    certificates: tuple[str, ...] = ()  # numbers of those that rest on it
    errata: tuple[Erratum, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """A field that has to be the same and is not, with both values and what to do."""

    field: str
    name: Text
    first: Text
    second: Text
    mend: Text


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparisonPage:
    """`public/compare.html`, and for the staff `staff/compare.html`.

    `state`: choose · unknown · same · not_comparable · not_asked · waiting · failed · withheld · done. `result` is what
    `grading.comparison.compare` froze, suppressed as published; its sentences are those of `grading.sentences`.
    """

    frame: Frame
    state: str
    action: str  # address of the form, and of asking
    typed: tuple[str, str] = ("", "")
    unknown: tuple[str, ...] = ()  # what was typed and is no measurement that this reader may see
    first: Compared | None = None
    second: Compared | None = None
    offered: tuple[Compared, ...] = ()  # what the first one may be compared with
    differences: tuple[Difference, ...] = ()
    done: int = 0
    total: int = 0
    result: Mapping[str, Any] | None = None
    grouping: str = ""
    at: datetime | None = None
    verifier: str = ""
    sha256: str = ""

    @property
    def query(self) -> str:
        """The query string that names both, in the order in which the pair stands."""
        if self.first is None or self.second is None:
            return ""
        return f"first={self.first.reference}&second={self.second.reference}"


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparisonLink:
    """A comparison in one line, for the pages of systems: address below the language, and what it says in short."""

    first: str  # reference of the measurement that was frozen earlier
    second: str
    first_version: str
    second_version: str
    path: str  # «compare/?first=M-3&second=M-9»
    at: datetime
    told: Text
