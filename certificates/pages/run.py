"""The pages of agent runs: the list, one run, and what a published one says."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from certificates.pages.frame import Frame, Text
    from certificates.pages.lists import Filter
    from certificates.pages.test_case import Variant


@dataclass(frozen=True, slots=True, kw_only=True)
class RunSystem:
    """Which version ran. Public once the run has ended, whatever became of it."""

    id: int
    system: str
    version: str
    holder: str


@dataclass(frozen=True, slots=True, kw_only=True)
class MarkCounts:
    """How many points have each mark. There is no rate of a single run."""

    met: int
    not_met: int
    not_observable: int


@dataclass(frozen=True, slots=True, kw_only=True)
class RunRow:
    """A run, as it is listed. `counts` stand only with what is published."""

    number: str
    case: str
    series: str  # empty of a technical run
    state: str
    outcome: str  # empty where nothing was declared or found
    registered_at: datetime
    since: datetime  # of its latest step
    system: RunSystem | None = None
    counts: MarkCounts | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RunsPage:
    """`public/runs.html`."""

    frame: Frame
    filters: tuple[Filter, ...] = ()
    rows: tuple[RunRow, ...] = ()
    following: str = ""  # query string of the next page, without «?»
    exists: bool = True  # False: no run was ever registered

    @property
    def narrowed(self) -> bool:
        return any(one.value for one in self.filters)


@dataclass(frozen=True, slots=True, kw_only=True)
class RunStep:
    """A dated fact of a run's life, with its reason where a person gave one."""

    step: str
    at: datetime
    reason: Text | None = None
    hash: str | None = None  # SHA-256 of the public event


@dataclass(frozen=True, slots=True, kw_only=True)
class RunPoint:
    """A point as it was marked, and the requests that support it. `by` is «code» or «evaluator», never a name."""

    code: str
    title: Text
    mark: str
    requests: tuple[int, ...]
    by: str
    note: str = ""
    changed_at: datetime | None = None  # of a mark that took the place of another


@dataclass(frozen=True, slots=True, kw_only=True)
class RunRequest:
    """One recorded request. `observed`: it came after the cut, and supports no mark."""

    number: int
    at: datetime
    method: str
    path: str
    status: int | None  # None: interrupted
    type: str = ""
    size: int | None = None
    beyond_limit: bool = False
    observed: bool = False
    is_catalogue: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class RunFacts:
    """What was counted from the trace. `catalogue_at` is k: from there on it is an observation."""

    counted: int
    beyond_limit: int
    interrupted: int
    duration_seconds: float | None
    catalogue_at: int | None
    cut: int


@dataclass(frozen=True, slots=True, kw_only=True)
class RunComment:
    """What the operator said of the marks, word for word."""

    text: str
    at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class RunResult:
    """All that is said of a published run."""

    system: RunSystem
    variant: Variant
    language: str
    tools: tuple[str, ...]
    clean_session: bool
    interventions: tuple[str, ...]  # kinds, as declared
    counts: MarkCounts
    points: tuple[RunPoint, ...]
    facts: RunFacts
    requests: tuple[RunRequest, ...]
    answer: str
    answer_is_cut: bool
    comments: tuple[RunComment, ...]
    rubric_version: int
    commitment: str
    evidence_sha256: str
    certificates: tuple[str, ...] = ()

    @property
    def requests_total(self) -> int:
        return self.facts.counted + self.facts.beyond_limit

    @property
    def last_shown(self) -> int:
        """The number of the last request that the page shows."""
        return self.requests[-1].number if self.requests else 0


@dataclass(frozen=True, slots=True, kw_only=True)
class RunPage:
    """`public/run.html`. `result` is None of whatever is not published."""

    frame: Frame
    row: RunRow
    title: Text  # of the case
    case_version: int
    max_requests: int
    max_seconds: int
    our_fault: bool
    published_at: datetime | None = None
    steps: tuple[RunStep, ...] = ()  # oldest first
    result: RunResult | None = None

    @property
    def reasons(self) -> tuple[RunStep, ...]:
        """The steps that a person gave a reason for."""
        return tuple(step for step in self.steps if step.reason is not None)

    @property
    def max_minutes(self) -> int | None:
        """The limit in minutes, where it is whole ones."""
        minutes, rest = divmod(self.max_seconds, 60)
        return None if rest else minutes


@dataclass(frozen=True, slots=True, kw_only=True)
class CertifiedRun:
    """The run that a certificate rests on, and every registered run of the same version with its outcome."""

    number: str
    case: str
    case_version: int
    title: Text
    series: str
    outcome: str
    max_requests: int
    max_seconds: int
    closed_at: datetime
    published_at: datetime
    changed_at: datetime  # the last change of any of these runs
    result: RunResult
    runs: tuple[RunRow, ...] = ()  # oldest first
