"""The pages of a test case and of a series of runs: what is asked, what is sealed, and a revealed rubric."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from certificates.pages.frame import Frame, Text


@dataclass(frozen=True, slots=True, kw_only=True)
class CasePoint:
    """A point that is marked: its title is public, its controls are the rubric's."""

    code: str
    title: Text


@dataclass(frozen=True, slots=True, kw_only=True)
class Variant:
    """The literal text with a start domain filled in."""

    start_domain: str
    assignment: str
    sha256: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SeriesRow:
    """A series, as it is listed with its case."""

    code: str
    state: str  # sealed · open · closed · revealed · leaked
    sealed_at: datetime
    last_day: date
    planned_runs: int
    runs: int
    start_domain: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseRow:
    """A case, as it is listed."""

    code: str
    version: int
    title: Text
    points: int
    series: tuple[SeriesRow, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class CasesPage:
    """`public/cases.html`."""

    frame: Frame
    cases: tuple[CaseRow, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class CasePage:
    """`public/case.html`: one version of a case."""

    frame: Frame
    code: str
    version: int
    title: Text
    language: str
    max_requests: int
    max_seconds: int
    terms_path: str
    sha256: str  # of the RFC 8785 form of all that is public of it
    published_at: datetime
    points: tuple[CasePoint, ...]
    variants: tuple[Variant, ...] = ()
    series: tuple[SeriesRow, ...] = ()
    versions: tuple[int, ...] = ()  # others, newest first

    @property
    def max_minutes(self) -> int | None:
        """The limit in minutes, where it is whole ones."""
        minutes, rest = divmod(self.max_seconds, 60)
        return None if rest else minutes


@dataclass(frozen=True, slots=True, kw_only=True)
class SeriesEvent:
    """What happened to the series, as the public was told."""

    step: str  # seal · use · close · reveal · leak
    at: datetime
    hash: str | None  # SHA-256 of the public event
    statement: Text | None = None
    occurred_on: date | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SeriesRun:
    """A run of the series: that it is there and how far it came, never what it did."""

    number: str
    state: str
    outcome: str  # empty where nothing was declared or found
    registered_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Control:
    """A control of a revealed rubric. `terms` are (key, values) of its rule."""

    id: str
    kind: str
    text: Text
    rule: str
    terms: tuple[tuple[str, tuple[str, ...]], ...]
    asks_evaluator: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class RubricPoint:
    code: str
    title: Text
    controls: tuple[Control, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class RevealedRubric:
    """The rubric of a series, once everybody may read it."""

    salt: str
    size: int
    catalogue: tuple[str, ...]
    content: tuple[str, ...]
    points: tuple[RubricPoint, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class SeriesPage:
    """`public/series.html`."""

    frame: Frame
    code: str
    case: str
    case_version: int
    title: Text
    variant: Variant
    rubric_version: int
    commitment: str
    state: str
    planned_runs: int
    last_day: date
    closes_at: datetime
    publication_delay: int
    review_days: int
    points: tuple[CasePoint, ...]
    events: tuple[SeriesEvent, ...] = ()  # oldest first
    runs: tuple[SeriesRun, ...] = ()  # newest first
    runs_total: int = 0
    rubric: RevealedRubric | None = None

    @property
    def facts(self) -> dict[str, Any]:
        """Whether what happened has a name of its own on the page."""
        return {event.step: event for event in self.events}
