"""The page of a question set whose seal is registered: everything that may be known of it, and no question."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime
from typing import TYPE_CHECKING, Any

from certificates.pages.frame import Text
from certificates.pages.status import Erratum

if TYPE_CHECKING:
    from certificates.pages.evaluated import Seal
    from certificates.pages.frame import Frame


@dataclass(frozen=True, slots=True, kw_only=True)
class SetField:
    """A key of a question, by the format of the records."""

    name: str
    required: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class SetEvent:
    """What happened to the set, as the public was told."""

    step: str  # seal · reveal · leak
    at: datetime
    hash: str  # SHA-256 of the public event
    statement: Text | None = None
    occurred_on: date | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SetUse:
    """A public measurement on the set. Declared and counted uses may differ: both are told."""

    reference: str  # «M-19»
    measured_at: datetime
    frozen_at: datetime
    system: str
    version: str
    holder: str
    holder_had_access: str = "unknown"
    declared_before: int | None = None
    counted_before: int | None = None
    after_exposure: bool = False
    certificates: tuple[str, ...] = ()
    errata: tuple[Erratum, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class SetPage:
    """`public/question_set.html`."""

    frame: Frame
    name: str
    custodian: str
    set_sha256: str
    commitment: str
    items: int
    by_category: tuple[tuple[str, int], ...]
    by_language: tuple[tuple[str, int], ...]
    scheme: str  # «HALU-1», whose categories are counted
    seal: Seal
    events: tuple[SetEvent, ...] = ()  # oldest first
    fields: tuple[SetField, ...] = ()
    examples: tuple[str, ...] = ()  # synthetic questions, as JSON
    salt: str | None = None  # once revealed
    items_sha256: str | None = None  # of the sealed bytes, once their custodian publishes them
    items_size: int | None = None
    uses: tuple[SetUse, ...] = ()  # newest first
    uses_total: int = 0  # packages measured on it, published or not

    @property
    def unpublished(self) -> int:
        """Uses that no certificate or refusal has made public."""
        return max(self.uses_total - len(self.uses), 0)

    @property
    def facts(self) -> dict[str, Any]:
        """Whether what happened has a name of its own on the page."""
        return {event.step: event for event in self.events}
