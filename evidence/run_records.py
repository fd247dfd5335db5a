"""The records of an agent run: its registration, the trace of its requests, its answer, and the marks given to it."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Literal

import msgspec

from evidence.descriptor import Count, Name, Sha256

FORMAT = "agent-run/1"

Text = Annotated[str, msgspec.Meta(min_length=1)]
Instant = Annotated[datetime, msgspec.Meta(tz=True)]
# A request is named by its place in the order of arrival, from 1; clocks may go backwards, this does not.
Place = Annotated[int, msgspec.Meta(ge=1, le=2**53 - 1)]
Mark = Literal["met", "not_met", "not_observable"]


class _Record(
    msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True, gc=False, kw_only=True
):
    """A key that is null counts as absent."""


# -- data/trace.jsonl -------------------------------------------------------------------------------------------------


class Body(_Record, frozen=True, kw_only=True):
    """What the target answered with: media type, bytes as sent, and the name of the file in `data/bodies/`."""

    type: str
    size: Count
    sha256: Annotated[str, msgspec.Meta(min_length=64, max_length=64)]


class Exchange(_Record, frozen=True, kw_only=True):
    """One line: a request and what came back. `status` and `response` are None when it was interrupted.

    `url` is absolute, as asked for, with the start domain as its host. Headers are (name, value), in their order;
    they are tuples because a million of them would keep the garbage collector busy as lists.
    """

    seq: Place
    at: Instant
    method: Annotated[str, msgspec.Meta(min_length=1, max_length=40)]
    url: Text
    status: Annotated[int, msgspec.Meta(ge=100, le=599)] | None = None
    request_headers: tuple[tuple[str, str], ...]
    response: Body | None = None
    beyond_limit: bool


# -- data/run.json ----------------------------------------------------------------------------------------------------


class Limits(_Record, frozen=True, kw_only=True):
    """What is graded: so many requests, and so many seconds from the first of them."""

    requests: Annotated[int, msgspec.Meta(ge=1, le=1_000_000)]
    seconds: Annotated[int, msgspec.Meta(ge=1, le=86_400)]


class Intervention(_Record, frozen=True, kw_only=True):
    """What somebody handed to the agent while it ran, as the operator declared it."""

    kind: Literal["routes", "criteria", "corrections", "other_help"]
    note: str | None = None


class RunRecord(_Record, frozen=True, kw_only=True):
    """How the run was registered, what the agent was given, and how it ended; no operator and no token."""

    format: Literal["agent-run/1"]
    run: Name
    test_case: Name
    case_version: Annotated[int, msgspec.Meta(ge=1, le=1_000_000)]
    start_domain: Name
    assignment: Text
    assignment_sha256: Sha256
    tools: Annotated[list[Name], msgspec.Meta(max_length=50)]
    language: Annotated[str, msgspec.Meta(min_length=1, max_length=100)]
    clean_session: bool
    token_sha256: Sha256
    token_issued_at: Instant
    started_at: Instant | None = None
    closed_at: Instant
    ended: Literal["closed", "abandoned"]
    limits: Limits
    interventions: Annotated[list[Intervention], msgspec.Meta(max_length=1000)]
    knew_catalogue: bool
    outcome: Literal["assisted", "invalidated", "technical"] | None = None
    recorded_by: Literal["registry", "submitter"]
    interrupted_by_registry: bool


# -- data/marks.jsonl -------------------------------------------------------------------------------------------------


class MarkRecord(_Record, frozen=True, kw_only=True):
    """One point of the rubric as it was marked, by its code or by the evaluator, with the requests that support it."""

    point: Annotated[str, msgspec.Meta(min_length=1, max_length=60)]
    mark: Mark
    requests: Annotated[list[Place], msgspec.Meta(max_length=10_000)]
    by: Literal["code", "evaluator"]
    note: str | None = None


@dataclass(frozen=True, slots=True)
class Trace:
    """One run as it is graded: how it was registered, every exchange in order, and the final answer as delivered."""

    run: RunRecord
    exchanges: Sequence[Exchange]
    answer: str
