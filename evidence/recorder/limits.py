"""How much of a run is graded: so many requests, all counted, and so many seconds from the first of them.

The recorder decides it in the statement that takes the sequence number, by the database's clock; this is the rule that
the statement follows (a test compares them), and what the live view counts down by.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta

from evidence.run_records import Limits


def is_beyond(limits: Limits, *, sequence: int, at: datetime, first_at: datetime) -> bool:
    """Whether this request is answered and stored, but not graded.

    The last second counts: a request exactly `seconds` after the first is within.
    """
    return sequence > limits.requests or at > first_at + timedelta(seconds=limits.seconds)


def most_recorded(limits: Limits) -> int:
    """How many requests of a run are recorded at all, and answered: nobody fills the registry by asking on and on.

    Far beyond what is graded, so that what an agent did after its limits can be seen.
    """
    return max(2000, 50 * limits.requests)


@dataclass(frozen=True, slots=True)
class Left:
    """What remains of a run's limits; `seconds` is the whole of them before the first request."""

    requests: int
    seconds: int

    @property
    def is_spent(self) -> bool:
        return self.requests == 0 or self.seconds == 0


def left(limits: Limits, *, counted: int, first_at: datetime | None, at: datetime) -> Left:
    """What remains at `at`, after `counted` requests; whole seconds, rounded up, never negative."""
    seconds = float(limits.seconds)
    if first_at is not None:
        seconds -= (at - first_at).total_seconds()
    return Left(
        requests=max(0, limits.requests - counted), seconds=max(0, min(limits.seconds, -int(-seconds // 1)))
    )
