"""What has been recorded of a run so far, and what is left of its limits: for the live view and for programs."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from evidence.models import RequestArrived, Run
from evidence.models.run import RECORDING_STATES
from evidence.recorder import limits
from evidence.recorder.limits import Left
from evidence.run_records import Limits


@dataclass(frozen=True, slots=True)
class Seen:
    """One recorded request with its answer; `ending` is «open» while it is being answered."""

    sequence: int
    at: datetime
    method: str
    target: str
    url: str
    path: str
    beyond_limit: bool
    status: int | None
    type: str
    size: int | None
    sha256: str | None
    ending: str


@dataclass(frozen=True, slots=True)
class Live:
    """The state of a run at an instant. `left` counts down from the first request."""

    run: Run
    is_recording: bool
    requests: int
    first_request_at: datetime | None
    limits: Limits
    left: Left
    answered: int


def of(run: Run, *, at: datetime) -> Live:
    case = run.variant.case
    most = Limits(requests=case.max_requests, seconds=case.max_seconds)
    return Live(
        run=run,
        is_recording=run.state in RECORDING_STATES,
        requests=run.counter.last_sequence,
        first_request_at=run.counter.first_request_at,
        limits=most,
        left=limits.left(
            most, counted=run.counter.last_sequence, first_at=run.counter.first_request_at, at=at
        ),
        answered=run.arrivals.filter(response__isnull=False).count(),
    )


def seen(run: Run, *, newest: int | None = None) -> list[Seen]:
    """What was recorded, in order; of many only the `newest`."""
    rows = run.arrivals.select_related("response").order_by("-sequence")
    return [_seen(row, run) for row in reversed(_cut(rows, newest))]


def _cut(rows: Any, newest: int | None) -> Iterable[RequestArrived]:
    return list(rows if newest is None else rows[:newest])


def _seen(row: RequestArrived, run: Run) -> Seen:
    response = getattr(row, "response", None)
    # What has no answer once nothing is recorded any more was interrupted.
    without = "open" if run.state in RECORDING_STATES else "interrupted"
    return Seen(
        sequence=row.sequence,
        at=row.at,
        method=row.method,
        target=row.target,
        url=row.url,
        path=row.path,
        beyond_limit=row.beyond_limit,
        status=response.status if response else None,
        type=response.content_type if response else "",
        size=response.size if response else None,
        sha256=response.sha256 if response else None,
        ending=response.ending if response else without,
    )
