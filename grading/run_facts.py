"""What the trace of an agent run says by itself: how much was asked, how long it took, and up to where it is graded."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from evidence.routes import Patterns, normalise
from evidence.run_records import Exchange, Trace

# Bodies that a rubric may read: of the responses before the cut, in their order, each up to so many bytes and all of
# them up to so many. What is larger is not read, by whoever grades: the same trace gives the same marks everywhere.
MOST_OF_A_BODY = 4 * 1024**2
MOST_OF_ALL_BODIES = 64 * 1024**2


@dataclass(frozen=True, slots=True)
class Facts:
    """Counts of requests, times in seconds, and two places in the order of requests.

    `counted` were within the limits, `beyond_limit` not; `interrupted` have no response. `duration_seconds` lies
    between the earliest and the latest counted request, whatever their order (clocks may go backwards);
    `token_age_seconds` is how old the token was at the first request. Both are None without a request,
    the latter also where the submitter recorded the run.

    `catalogue_at` is k, the first request for the catalogue, or None; `cut` is the first request that is not graded:
    k or the first one beyond the limits, whichever came first, else the one that would have come next.
    """

    counted: int
    beyond_limit: int
    interrupted: int
    duration_seconds: float | None
    token_age_seconds: float | None
    catalogue_at: int | None
    first_beyond_limit: int | None
    cut: int

    @property
    def is_contaminated(self) -> bool:
        return self.catalogue_at is not None

    def as_json(self) -> dict[str, Any]:
        """The facts; seconds as strings with six decimals."""
        return {
            "counted": self.counted,
            "beyond_limit": self.beyond_limit,
            "interrupted": self.interrupted,
            "duration_seconds": _six_decimals(self.duration_seconds),
            "token_age_seconds": _six_decimals(self.token_age_seconds),
            "catalogue_at": self.catalogue_at,
            "first_beyond_limit": self.first_beyond_limit,
            "cut": self.cut,
        }


def facts(trace: Trace, *, catalogue: Sequence[str] = ()) -> Facts:
    """The facts of a trace. `catalogue`: the patterns of the test catalogue (`evidence.routes`)."""
    exchanges, issued = trace.exchanges, trace.run.token_issued_at
    beyond = [exchange.seq for exchange in exchanges if exchange.beyond_limit]
    k = _first_of(exchanges, catalogue)
    first_beyond = beyond[0] if beyond else None
    ends = [place for place in (k, first_beyond) if place is not None]
    times = [exchange.at for exchange in exchanges if not exchange.beyond_limit]
    return Facts(
        counted=len(exchanges) - len(beyond),
        beyond_limit=len(beyond),
        interrupted=[exchange.status for exchange in exchanges].count(None),
        duration_seconds=(max(times) - min(times)).total_seconds() if times else None,
        token_age_seconds=(exchanges[0].at - issued).total_seconds() if exchanges and issued else None,
        catalogue_at=k,
        first_beyond_limit=first_beyond,
        cut=min(ends) if ends else (exchanges[-1].seq + 1 if exchanges else 1),
    )


def _first_of(exchanges: Sequence[Exchange], catalogue: Sequence[str]) -> int | None:
    """The first request whose path is in the catalogue, however it was spelled."""
    if not catalogue:
        return None
    matches = Patterns(catalogue).matches
    # A million requests rarely have as many addresses: each is looked at once.
    found = {url for url in {exchange.url for exchange in exchanges} if matches(normalise(url))}
    if not found:
        return None
    return next(exchange.seq for exchange in exchanges if exchange.url in found)


def readable_bodies(exchanges: Sequence[Exchange], *, cut: int) -> list[str]:
    """SHA-256 of the bodies that may be read for the marks, in the order of the first response that has each."""
    left = MOST_OF_ALL_BODIES
    taken: dict[str, None] = {}
    for exchange in exchanges:
        if exchange.seq >= cut:
            break
        body = exchange.response
        if body is None or not 0 < body.size <= MOST_OF_A_BODY or body.size > left or body.sha256 in taken:
            continue
        taken[body.sha256] = None
        left -= body.size
    return list(taken)


def _six_decimals(seconds: float | None) -> str | None:
    return None if seconds is None else f"{seconds:.6f}"
