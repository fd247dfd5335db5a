"""The records of an agent run: its registration, the trace of its requests, its answer, and the marks given to it."""

import hashlib
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import islice
from typing import Annotated, Literal

import msgspec

from evidence.descriptor import Count, Name, Sha256
from evidence.typed_json import MOST_FAULTS, Fault, faults_of, is_unsafe_name, parse, shown, without_nulls

FORMAT = "agent-run/1"
# How the numbers of this registry's runs begin.
NUMBER_PREFIX = "EJ-"

# Handed over while it ran, these make a run no autonomous one.
_GIVES_AWAY = frozenset({"routes", "criteria", "corrections"})
_GRAVITY = {None: 0, "assisted": 1, "invalidated": 2, "technical": 3}

# What gives a session, a secret or somebody's address away.
_FORBIDDEN_HEADERS = frozenset(
    {
        *("authorization", "proxy-authorization", "cookie", "cookie2", "x-run-token"),
        *("forwarded", "x-real-ip", "x-client-ip", "client-ip", "true-client-ip"),
        *("cf-connecting-ip", "x-cluster-client-ip", "fastly-client-ip"),
    }
)
_FORBIDDEN_BEGINNING = "x-forwarded"

Text = Annotated[str, msgspec.Meta(min_length=1)]
Instant = Annotated[datetime, msgspec.Meta(tz=True)]
# A request is named by its place in the order of arrival, from 1; clocks may go backwards, this does not.
Place = Annotated[int, msgspec.Meta(ge=1, le=2**53 - 1)]
Headers = tuple[tuple[str, str], ...]
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
    request_headers: Headers
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
    # Of a run that this registry recorded; one that the submitter recorded had no token of ours.
    token_sha256: Sha256 | None = None
    token_issued_at: Instant | None = None
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


def outcome_of(
    interventions: Collection[Intervention], *, knew_catalogue: bool, technical: bool = False
) -> str | None:
    """What declared interventions make of a run: «invalidated», «assisted», «technical», or None."""
    if technical:
        return "technical"
    kinds = {intervention.kind for intervention in interventions}
    if knew_catalogue or kinds & _GIVES_AWAY:
        return "invalidated"
    return "assisted" if kinds else None


def is_too_mild(run: RunRecord) -> bool:
    """Whether the outcome that a run declares is milder than what its own interventions make of it."""
    due = outcome_of(run.interventions, knew_catalogue=run.knew_catalogue)
    return _GRAVITY[run.outcome] < _GRAVITY[due]


def is_forbidden_header(name: str) -> bool:
    """Whether a request header may be in no package: cookies, credentials, tokens and addresses of clients."""
    name = name.strip().lower()
    return name in _FORBIDDEN_HEADERS or name.startswith(_FORBIDDEN_BEGINNING)


def read_run(text: bytes) -> tuple[RunRecord | None, list[Fault]]:
    """The run that `data/run.json` says, or None, and every fault of it."""
    value, faults = parse(text, unique_keys=True)
    if value is None and faults:
        return None, faults
    if isinstance(value, dict) and isinstance(value.get("format"), str) and value["format"] != FORMAT:
        # Of another format nothing else can be judged.
        return None, [*faults, Fault("FORMAT_UNSUPPORTED", "format", FORMAT, shown(value["format"]))]
    value = without_nulls(value)
    faults += islice(faults_of(value, RunRecord), MOST_FAULTS)
    if faults:
        return None, faults
    run = msgspec.convert(value, RunRecord)
    return run, list(_rules(run))


def _rules(run: RunRecord) -> Iterator[Fault]:
    for key in ("run", "test_case", "start_domain", "language"):
        if is_unsafe_name(getattr(run, key)):
            yield Fault("UNSAFE_TEXT", key, found=shown(getattr(run, key)))
    for place, tool in enumerate(run.tools):
        if is_unsafe_name(tool):
            yield Fault("UNSAFE_TEXT", f"tools[{place}]", found=shown(tool))
    computed = hashlib.sha256(run.assignment.encode()).hexdigest()
    if computed != run.assignment_sha256:
        yield Fault("ASSIGNMENT_DIFFERS", "assignment_sha256", run.assignment_sha256, computed)
    yield from _rules_of_the_recorder(run)
    if is_too_mild(run):
        due = outcome_of(run.interventions, knew_catalogue=run.knew_catalogue)
        yield Fault("VALUE_NOT_ALLOWED", "outcome", due, shown(run.outcome))


def _rules_of_the_recorder(run: RunRecord) -> Iterator[Fault]:
    """What a run has of this registry: a token and a number, if it was recorded here, and else neither."""
    recorded_here = run.recorded_by == "registry"
    for key in ("token_sha256", "token_issued_at"):
        if recorded_here and getattr(run, key) is None:
            yield Fault("MISSING_KEY", key, key)
        elif not recorded_here and getattr(run, key) is not None:
            yield Fault("VALUE_NOT_ALLOWED", key, "absent where the submitter recorded")
    if not recorded_here and run.run.upper().startswith(NUMBER_PREFIX):
        yield Fault("VALUE_NOT_ALLOWED", "run", "a name of the submitter's own", shown(run.run))
