"""Several runs of a system together: which of them count, what they add up to, and how two systems compare.

Nothing is said of fewer runs than the scheme asks for, everything is indicative, and each run is shown (figures §5).
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from fractions import Fraction
from typing import Any

from evidence.run_records import Mark
from grading import statistics
from grading.figures import Figure, Rate, figure, rate, six_decimals, six_digits
from grading.schemes import OF_RUNS
from grading.statistics import ClusterSums

LEVEL = Fraction(1, 20)


class Reason(StrEnum):
    """Why a run does not count among the independent ones, in the order in which it is asked."""

    TECHNICAL = "technical"
    INVALIDATED = "invalidated"
    ASSISTED = "assisted"
    ABANDONED = "abandoned"
    RECORDED_BY_SUBMITTER = "recorded_by_submitter"
    INTERRUPTED_BY_REGISTRY = "interrupted_by_registry"
    AFTER_REVEAL = "after_reveal"
    SESSION_NOT_CLEAN = "session_not_clean"
    CONTAMINATED = "contaminated"
    SAME_TOKEN = "same_token"  # noqa: S105  (no secret: the name of a reason)
    SAME_EVIDENCE = "same_evidence"
    OVERLAP = "overlap"


class TooFewRuns(ValueError):
    """Too few independent runs to say anything: «`runs` of `minimum`»."""

    def __init__(self, runs: int, minimum: int) -> None:
        super().__init__(f"{runs} of {minimum}")
        self.runs = runs
        self.minimum = minimum


class OtherConditions(ValueError):
    """Two groups of runs that did not do the same; `fields` says in what."""

    def __init__(self, fields: Sequence[str]) -> None:
        super().__init__(", ".join(fields))
        self.fields = tuple(fields)


@dataclass(frozen=True, slots=True)
class Conditions:
    """What runs that are put together have in common.

    `system` names one version; `variant` is the SHA-256 of the assignment, `rubric` that of the rubric.
    """

    system: str
    variant: str
    rubric: str
    tools: tuple[str, ...]
    language: str


@dataclass(frozen=True, slots=True, kw_only=True)
class MarkedRun:
    """One graded run. `began_at` is its first request, `ended_at` its closing; `marks` by the code of the point.

    `evidence` is equal in runs that are byte for byte the same. `contaminated_at`: k, or None.
    """

    number: str
    conditions: Conditions
    token_sha256: str
    evidence: str
    began_at: datetime
    ended_at: datetime
    marks: Mapping[str, Mark]
    outcome: str | None = None
    contaminated_at: int | None = None
    abandoned: bool = False
    clean_session: bool = True
    before_reveal: bool = True
    recorded_by_registry: bool = True
    interrupted_by_registry: bool = False

    def count(self, mark: Mark) -> int:
        return sum(1 for one in self.marks.values() if one == mark)


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A run that does not count, why, and the counted run that it is too near to."""

    run: MarkedRun
    reason: Reason
    near: str | None = None


@dataclass(frozen=True, slots=True)
class Independence:
    """The runs that count, by when they began, and those that do not."""

    counted: tuple[MarkedRun, ...]
    left_out: tuple[LeftOut, ...]


def independence(runs: Iterable[MarkedRun]) -> Independence:
    """Which runs count: autonomous, uncontaminated, and none too near to one that counts already.

    Of two that share a token, their evidence or a moment, the one that began first counts: nobody picks.
    """
    counted: list[MarkedRun] = []
    left_out: list[LeftOut] = []
    for run in sorted(runs, key=lambda run: (run.began_at, run.number)):
        reason, near = _reason(run), None
        if reason is None:
            for other in counted:
                if reason := _nearness(run, other):
                    near = other.number
                    break
        if reason is None:
            counted.append(run)
        else:
            left_out.append(LeftOut(run, reason, near))
    return Independence(tuple(counted), tuple(left_out))


def _reason(run: MarkedRun) -> Reason | None:
    if run.outcome is not None:
        return Reason(run.outcome)
    facts = {
        Reason.ABANDONED: run.abandoned,
        Reason.RECORDED_BY_SUBMITTER: not run.recorded_by_registry,
        Reason.INTERRUPTED_BY_REGISTRY: run.interrupted_by_registry,
        Reason.AFTER_REVEAL: not run.before_reveal,
        Reason.SESSION_NOT_CLEAN: not run.clean_session,
        Reason.CONTAMINATED: run.contaminated_at is not None,
    }
    return next((reason for reason, holds in facts.items() if holds), None)


def _nearness(run: MarkedRun, other: MarkedRun) -> Reason | None:
    if run.token_sha256 == other.token_sha256:
        return Reason.SAME_TOKEN
    if run.evidence == other.evidence:
        return Reason.SAME_EVIDENCE
    if run.began_at <= other.ended_at and other.began_at <= run.ended_at:
        return Reason.OVERLAP
    return None


# -- one system -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class PointAggregate:
    """One point over all counted runs: how many had each mark, with Wilson's interval, and whether it flips.

    `figures`: `met` over `runs` (all of them) and over `observable` (those where it could be seen), `not_met` and
    `not_observable` over `runs`.
    """

    code: str
    met: int
    not_met: int
    not_observable: int
    figures: tuple[Figure, ...]

    @property
    def flips(self) -> bool:
        """Whether its mark was not the same in every run."""
        return sum(1 for count in (self.met, self.not_met, self.not_observable) if count) > 1

    @property
    def observable(self) -> int:
        return self.met + self.not_met


@dataclass(frozen=True, slots=True)
class Aggregate:
    """The runs under one set of conditions. Below `minimum` all that is said is how many there are.

    `pass_all[j − 1]` is how often j runs all meet a point: the mean over points of C(c, j)/C(m, j). `total` is `met`
    over all points of all runs, clustered by run. `range`: the fewest and the most points that a run met.
    """

    conditions: Conditions
    minimum: int
    runs: Independence
    points: tuple[PointAggregate, ...] = ()
    pass_all: tuple[Fraction, ...] = ()
    total: Figure | None = None
    range: tuple[int, int] | None = None

    @property
    def m(self) -> int:
        return len(self.runs.counted)

    @property
    def is_told(self) -> bool:
        return self.m >= self.minimum

    @property
    def flips(self) -> int:
        """How many points flip, of `len(points)`."""
        return sum(point.flips for point in self.points)

    def as_json(self) -> dict[str, Any]:
        """Fractions as strings with six decimals; no figure where there are too few runs."""
        return {
            "runs": self.m,
            "minimum": self.minimum,
            "told": self.is_told,
            "reason": None if self.is_told else "too_few_runs",
            "tools": list(self.conditions.tools),
            "language": self.conditions.language,
            "counted": [_shown(run) for run in self.runs.counted],
            "contaminated": [
                {**_shown(out.run), "request": out.run.contaminated_at}
                for out in self.runs.left_out
                if out.reason == Reason.CONTAMINATED
            ],
            "left_out": [
                {"number": out.run.number, "reason": str(out.reason), "near": out.near}
                for out in self.runs.left_out
                if out.reason != Reason.CONTAMINATED
            ],
            "points": [
                {
                    "code": point.code,
                    "flips": point.flips,
                    "figures": [one.as_json() for one in point.figures],
                }
                for point in self.points
            ],
            "pass_all": [
                {"runs": j, "estimate": six_decimals(share)} for j, share in enumerate(self.pass_all, 1)
            ],
            "total": None if self.total is None else self.total.as_json(),
            "range": None if self.range is None else list(self.range),
            "flips": {"k": self.flips, "n": len(self.points)} if self.points else None,
        }


def grouped(runs: Iterable[MarkedRun]) -> dict[Conditions, list[MarkedRun]]:
    """Runs by what they have in common; only those are ever put together."""
    groups: dict[Conditions, list[MarkedRun]] = {}
    for run in runs:
        groups.setdefault(run.conditions, []).append(run)
    return groups


def aggregate(runs: Sequence[MarkedRun], *, minimum: int) -> Aggregate:
    """What runs under the same conditions add up to. Raises OtherConditions, ValueError without a run."""
    if not runs:
        raise ValueError("no run")
    conditions = runs[0].conditions
    if fields := [field for run in runs for field in _differing(conditions, run.conditions)]:
        raise OtherConditions(sorted(set(fields)))
    among = independence(runs)
    counted = among.counted
    if len(counted) < minimum:
        return Aggregate(conditions, minimum, among)
    codes = list(counted[0].marks)
    if any(set(run.marks) != set(codes) for run in counted):
        # One rubric has one list of points.
        raise OtherConditions(["points"])
    points = tuple(_point(code, [run.marks[code] for run in counted]) for code in codes)
    met = [run.count("met") for run in counted]
    return Aggregate(
        conditions,
        minimum,
        among,
        points=points,
        pass_all=statistics.pass_all([point.met for point in points], len(counted)) or (),
        total=_figure(_clustered(met, len(codes)), "met", "points"),
        range=(min(met), max(met)),
    )


def over_cases(aggregates: Sequence[Aggregate]) -> tuple[Fraction, ...]:
    """Pass-all over the points of several cases, for as many runs as each of them has: the mean over all points.

    Raises TooFewRuns when one of them has too few to be told of.
    """
    for one in aggregates:
        if not one.is_told:
            raise TooFewRuns(one.m, one.minimum)
    points = sum(len(one.points) for one in aggregates)
    return tuple(
        Fraction(sum(one.pass_all[j] * len(one.points) for one in aggregates), points)
        for j in range(min((one.m for one in aggregates), default=0))
    )


def _point(code: str, marks: Sequence[Mark]) -> PointAggregate:
    met, not_met, hidden = (marks.count(mark) for mark in ("met", "not_met", "not_observable"))
    m = len(marks)
    return PointAggregate(
        code,
        met,
        not_met,
        hidden,
        (
            _figure(rate(met, m), "met", "runs", code),
            _figure(rate(met, met + not_met), "met", "observable", code),
            _figure(rate(not_met, m), "not_met", "runs", code),
            _figure(rate(hidden, m), "not_observable", "runs", code),
        ),
    )


def _clustered(met: Sequence[int], points: int) -> Rate:
    """All points of all runs: the points of a run stand together."""
    return Rate(
        ClusterSums(
            k=sum(met),
            n=points * len(met),
            clusters=len(met),
            kk=sum(k * k for k in met),
            kn=sum(k * points for k in met),
            nn=points * points * len(met),
        )
    )


def _figure(of: Rate, metric: str, denominator: str, category: str | None = None) -> Figure:
    return figure(of, metric, denominator, suppression=OF_RUNS, category=category)


def _differing(one: Conditions, other: Conditions) -> list[str]:
    names = ("system", "variant", "rubric", "tools", "language")
    return [name for name in names if getattr(one, name) != getattr(other, name)]


def _shown(run: MarkedRun) -> dict[str, Any]:
    return {
        "number": run.number,
        "met": run.count("met"),
        "not_met": run.count("not_met"),
        "not_observable": run.count("not_observable"),
        "marks": {code: str(mark) for code, mark in run.marks.items()},
    }


# -- two systems ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class PointComparison:
    """One point of two systems: met of observable on each side, the difference with Newcombe's interval, Fisher's p.

    None where a side has no run in which the point could be seen. `p_holm` is adjusted over the points, and decides.
    """

    code: str
    first: tuple[int, int]
    second: tuple[int, int]
    difference: float | None
    low: float | None
    high: float | None
    p: float | None
    p_holm: float | None

    @property
    def is_significant(self) -> bool:
        return self.p_holm is not None and self.p_holm < LEVEL

    def as_json(self) -> dict[str, Any]:
        first, second = ({"k": k, "n": n} for k, n in (self.first, self.second))
        return {
            "code": self.code,
            "first": first,
            "second": second,
            "difference": None if self.difference is None else six_decimals(self.difference),
            "low": None if self.low is None else six_decimals(self.low),
            "high": None if self.high is None else six_decimals(self.high),
            "p": None if self.p is None else six_digits(self.p),
            "p_holm": None if self.p_holm is None else six_digits(self.p_holm),
            "significant": self.is_significant,
        }


@dataclass(frozen=True, slots=True)
class RunComparison:
    """Two systems on the same case variant under the same rubric, point by point.

    `least_p` is the least adjusted p that so many runs can reach on so many points; `needed_a_side` how many runs a
    side could reach p < 0.05 there. `differing` names conditions that are not the same and may explain a difference.
    """

    first: Aggregate
    second: Aggregate
    points: tuple[PointComparison, ...]
    least_p: Fraction
    needed_a_side: int
    differing: tuple[str, ...]

    @property
    def can_reach(self) -> bool:
        return self.least_p < LEVEL

    def as_json(self) -> dict[str, Any]:
        return {
            "runs": {"first": self.first.m, "second": self.second.m},
            "points": [point.as_json() for point in self.points],
            "least_p": six_digits(self.least_p),
            "can_reach": self.can_reach,
            "needed_a_side": self.needed_a_side,
            "differing": list(self.differing),
        }


def compare(first: Aggregate, second: Aggregate) -> RunComparison:
    """Two systems, or two versions of one, point by point: Fisher's exact test, Holm over the points.

    Raises TooFewRuns for the side that has fewer, OtherConditions when case variant or rubric are not the same.
    """
    differing = _differing(first.conditions, second.conditions)
    if fields := [field for field in differing if field in ("variant", "rubric")]:
        raise OtherConditions(fields)
    fewer = min(first, second, key=lambda side: side.m)
    if not (first.is_told and second.is_told):
        raise TooFewRuns(fewer.m, max(first.minimum, second.minimum))
    of_second = {point.code: point for point in second.points}
    if set(of_second) != {point.code for point in first.points}:
        raise OtherConditions(["points"])
    pairs = [(point, of_second[point.code]) for point in first.points]
    ps = [
        statistics.fisher_exact(one.met, one.observable, other.met, other.observable)
        if one.observable and other.observable
        else None
        for one, other in pairs
    ]
    return RunComparison(
        first,
        second,
        points=tuple(
            PointComparison(
                one.code,
                (one.met, one.observable),
                (other.met, other.observable),
                *statistics.newcombe_independent(one.met, one.observable, other.met, other.observable),
                p,
                adjusted,
            )
            for (one, other), p, adjusted in zip(pairs, ps, statistics.holm(ps), strict=True)
        ),
        least_p=min(Fraction(1), statistics.least_fisher_p(first.m, second.m) * len(pairs)),
        needed_a_side=statistics.fewest_a_side(len(pairs)),
        differing=tuple(field for field in differing if field != "system"),
    )
