"""The one shape of a figure, the bands it is published in, and the result of measuring a package."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from fractions import Fraction
from typing import Any

from grading import statistics
from grading.statistics import ClusterSums

# z² as the exact decimal that figures.md prints: bands are decided in Fractions, never on a float.
Z2 = Fraction(str(statistics.Z95)) ** 2
# 4z² and z⁴ times the square of z²'s denominator.
_CROSS, _SQUARE = 4 * Z2.numerator * Z2.denominator, Z2.numerator**2


class Band(StrEnum):
    NO_DATA = "no_data"
    SUPPRESSED = "suppressed"
    INDICATIVE = "indicative"
    FULL = "full"


class Interval(StrEnum):
    WILSON = "wilson"
    WILSON_CLUSTERED = "wilson_clustered"
    MOVER = "mover"
    NONE = "none"


class FigureImpossible(ValueError):
    """Figures contradict each other: the program or its data are wrong, and nothing of it may be published."""

    def __init__(self, faults: list[str]) -> None:
        super().__init__("; ".join(faults))
        self.faults = faults


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """One figure: k of n, its estimate and 95 % interval as strings with six decimals, None where there is none.

    `unjudged` is how many more answers would have counted had a judge decided on them. `reason` says why there is no
    figure, or (after suppression) why it is not shown. k and n are None only in a suppressed figure.
    """

    metric: str
    denominator: str
    group: str | None = None
    category: str | None = None
    judge: str | None = None
    k: int | None
    n: int | None
    unjudged: int | None = 0
    estimate: str | None = None
    low: str | None = None
    high: str | None = None
    interval: str = Interval.NONE
    n_eff: str | None = None
    clusters: int | None = None
    band: str = Band.NO_DATA
    reason: str | None = None

    def as_json(self) -> dict[str, Any]:
        return {
            "metric": self.metric,
            "denominator": self.denominator,
            "group": self.group,
            "category": self.category,
            "judge": self.judge,
            "k": self.k,
            "n": self.n,
            "unjudged": self.unjudged,
            "estimate": self.estimate,
            "low": self.low,
            "high": self.high,
            "interval": str(self.interval),
            "n_eff": self.n_eff,
            "clusters": self.clusters,
            "band": str(self.band),
            "reason": self.reason,
        }

    @property
    def independent(self) -> int:
        """How many independent answers it rests on: the clusters, else n. Bands and the zero rule ask this."""
        return self.clusters if self.clusters is not None else self.n or 0

    @property
    def unjudged_range(self) -> tuple[Fraction, Fraction] | None:
        """Where the figure would lie had the unjudged been judged: from none to all of them counting.

        Over judged answers [k/(n+u), (k+u)/(n+u)], over all [k/n, (k+u)/n]; None when there are none.
        """
        if not self.unjudged or self.k is None or self.n is None:
            return None
        whole = self.n + self.unjudged if self.denominator == "judged" else self.n
        return Fraction(self.k, whole), Fraction(self.k + self.unjudged, whole)


def figure_from_json(value: dict[str, Any]) -> Figure:
    """A figure from its own JSON."""
    return Figure(**value)


@dataclass(frozen=True, slots=True)
class Rate:
    """What a figure is made from: whole numbers, in the clusters they came in."""

    sums: ClusterSums
    unjudged: int = 0

    @property
    def k(self) -> int:
        return self.sums.k

    @property
    def n(self) -> int:
        return self.sums.n

    @property
    def is_clustered(self) -> bool:
        """Whether answers stand together. One answer a cluster is no cluster."""
        return self.sums.clusters < self.sums.n

    @property
    def effective(self) -> tuple[int | Fraction, int | Fraction]:
        """k and n that the interval is computed on."""
        if not self.is_clustered:
            return self.k, self.n
        n_eff = self.sums.n_eff
        return Fraction(self.k, self.n) * n_eff, n_eff

    def bounds(self, z: float = statistics.Z95) -> tuple[float | None, float | None]:
        return statistics.wilson_at(*self.effective, z)


def rate(k: int, n: int, unjudged: int = 0) -> Rate:
    """A rate of independent answers."""
    return Rate(ClusterSums(k=k, n=n, clusters=n, kk=k, kn=k, nn=n), unjudged)


def six_decimals(value: Fraction | float | int) -> str:
    """A fraction of 1 with six decimals, rounded half to even on its exact value; differences may be below 0."""
    if isinstance(value, float):
        # Correctly rounded, half to even, and ten times as fast.
        printed = f"{value:.6f}"
        return "0.000000" if printed == "-0.000000" else printed
    # Whole numbers throughout: the same as to round the fraction, in a quarter of the time.
    millionths, left = divmod(abs(value.numerator) * 1_000_000, value.denominator)
    if 2 * left > value.denominator or (2 * left == value.denominator and millionths % 2):
        millionths += 1
    whole, rest = divmod(millionths, 1_000_000)
    return f"{'-' if value < 0 and millionths else ''}{whole}.{rest:06d}"


def six_digits(p: Fraction | float) -> str:
    """A p-value with six significant digits («0.0421875», «5.8e-12»): however small, it is never 0."""
    return f"{float(p):.6g}"


def is_wider(k: int | Fraction, n: int | Fraction, width: Fraction) -> bool:
    """Whether Wilson's interval for k of n is wider: 4z²(k(n−k)/n + z²/4) > width²·(n + z²)², exactly."""
    # Both sides times n and the denominators of z⁴ and width²: with whole k and n nothing is a fraction.
    inside = _CROSS * (k * (n - k)) + _SQUARE * n
    return width.denominator**2 * inside > width.numerator**2 * n * (n * Z2.denominator + Z2.numerator) ** 2


def band_of(of: Rate, *, suppressed_below: int, indicative_below: int, widest_full: Fraction) -> Band:
    """The band of a rate by its own n, or by its clusters where answers stand together."""
    if of.n == 0:
        return Band.NO_DATA
    independent = of.sums.clusters if of.is_clustered else of.n
    if independent < suppressed_below:
        return Band.SUPPRESSED
    if independent < indicative_below:
        return Band.INDICATIVE
    k: int | Fraction = of.k
    size: int | Fraction = of.n
    if of.is_clustered:
        # The clusters decide, and so does the interval that is shown, should it be wider still.
        size = min(Fraction(independent), of.sums.n_eff)
        k = Fraction(of.k, of.n) * size
    if is_wider(k, size, widest_full):
        return Band.INDICATIVE
    return Band.FULL


def figure(
    of: Rate,
    metric: str,
    denominator: str,
    *,
    suppression: Any,
    group: str | None = None,
    category: str | None = None,
    judge: str | None = None,
    reason: str | None = None,
    counts_only: bool = False,
) -> Figure:
    """The figure of a rate. `suppression` has the scheme's thresholds; `counts_only`: no estimate, no interval."""
    band = band_of(
        of,
        suppressed_below=suppression.suppressed_below,
        indicative_below=suppression.indicative_below,
        widest_full=suppression.widest_full,
    )
    place = {
        "metric": metric,
        "denominator": denominator,
        "group": group,
        "category": category,
        "judge": judge,
        "k": of.k,
        "n": of.n,
        "unjudged": of.unjudged,
        "band": band,
        "reason": reason,
    }
    if of.n == 0 or counts_only:
        return Figure(**place)
    low, high = of.bounds()
    clustered = of.is_clustered
    return Figure(
        **place,
        estimate=six_decimals(Fraction(of.k, of.n)),
        low=six_decimals(low),
        high=six_decimals(high),
        interval=Interval.WILSON_CLUSTERED if clustered else Interval.WILSON,
        n_eff=six_decimals(of.sums.n_eff) if clustered else None,
        clusters=of.sums.clusters if clustered else None,
    )


# What a judge decides; what an unjudged answer leaves open.
VERDICT_METRICS = ("accuracy", "incomplete", "ill_founded", "incorrect", "hallucination")


def contradictions(figures: Iterable[Figure]) -> list[str]:
    """Every invariant that figures break: k within n, verdicts adding up to the judged, parts adding up to totals."""
    faults: list[str] = []
    at: dict[tuple[str, str, str | None, str | None, str | None], Figure] = {}
    by_group: dict[tuple[str, str, str | None, str | None], list[int]] = {}
    by_category: dict[tuple[str, str, str | None, str | None], list[int]] = {}
    for of in figures:
        name = f"{of.metric}/{of.denominator} group={of.group} category={of.category} judge={of.judge}"
        if of.k < 0 or of.n < 0 or of.unjudged < 0 or of.k > of.n:
            faults.append(f"{name}: {of.k} of {of.n}")
        place = (of.metric, of.denominator, of.group, of.category, of.judge)
        if place in at:
            faults.append(f"{name}: twice")
        at[place] = of
        counts = (of.k, of.n, of.unjudged)
        if of.group is not None:
            total = by_group.setdefault((of.metric, of.denominator, of.category, of.judge), [0, 0, 0])
            total[:] = [a + b for a, b in zip(total, counts, strict=True)]
        if of.category is not None:
            total = by_category.setdefault((of.metric, of.denominator, of.group, of.judge), [0, 0, 0])
            total[:] = [a + b for a, b in zip(total, counts, strict=True)]
    for (metric, denominator, category, judge), summed in by_group.items():
        whole = at.get((metric, denominator, None, category, judge))
        if whole is not None and [whole.k, whole.n, whole.unjudged] != summed:
            faults.append(f"{metric}/{denominator}: groups add up to {summed}")
    for (metric, denominator, group, judge), summed in by_category.items():
        whole = at.get((metric, denominator, group, None, judge))
        if whole is not None and [whole.k, whole.n, whole.unjudged] != summed:
            faults.append(f"{metric}/{denominator}: categories add up to {summed}")
    for (metric, denominator, group, category, judge), of in at.items():
        if metric != "accuracy":
            continue
        parts = [
            at.get((part, denominator, group, category, judge))
            for part in VERDICT_METRICS
            if part != "hallucination"
        ]
        if None in parts:
            continue
        verdicts = sum(part.k for part in parts)
        if denominator == "judged" and verdicts != of.n:
            faults.append(f"group={group}: verdicts add up to {verdicts} of {of.n} judged")
        abstained = at.get(("abstention", "all", group, category, None))
        if denominator == "all" and judge is None and abstained is not None:
            # When several judges are averaged, abstentions are counted once and verdicts once a judge.
            judged = at.get(("accuracy", "judged", group, category, None))
            if abstained.n == of.n and judged and verdicts + abstained.k + of.unjudged != of.n:
                faults.append(f"group={group}: judged, abstained and unjudged do not add up to {of.n}")
        hallucinated = at.get(("hallucination", denominator, group, category, judge))
        if hallucinated is not None:
            parts_ = {part.metric: part.k for part in parts}
            if hallucinated.k != parts_["ill_founded"] + parts_["incorrect"]:
                faults.append(f"group={group}: hallucinations do not add up")
    return faults


@dataclass(frozen=True, slots=True, kw_only=True)
class Limitation:
    """Something the page must say of this measurement: a code and its data, no sentence."""

    code: str
    data: dict[str, Any] = field(default_factory=dict)

    def as_json(self) -> dict[str, Any]:
        return {"code": self.code, **self.data}


@dataclass(frozen=True, slots=True, kw_only=True)
class Declared:
    """A figure that the package declared, beside ours. Values are decimal strings, ours with six decimals."""

    metric: str
    denominator: str
    group: str | None
    category: str | None
    declared: str
    computed: str | None
    outcome: str
    declared_interval: tuple[str | None, str | None] = (None, None)
    computed_interval: tuple[str | None, str | None] = (None, None)
    # «1.96» when the declared interval coincides only with that rounded z.
    z: str | None = None

    @property
    def coincides(self) -> bool:
        return self.outcome == "coincides"

    def as_json(self) -> dict[str, Any]:
        return {
            "metric": self.metric,
            "denominator": self.denominator,
            "group": self.group,
            "category": self.category,
            "declared": self.declared,
            "computed": self.computed,
            "coincides": self.coincides,
            "outcome": str(self.outcome),
            "declared_interval": list(self.declared_interval),
            "computed_interval": list(self.computed_interval),
            "z": self.z,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Groups:
    """What is said about the groups among each other (`grading.between_groups`); None where there are no groups.

    Each is a list with an entry for every metric over every denominator; `gaps` is None without a reference group.
    """

    homogeneity: Any = None
    worst: Any = None
    gaps: Any = None
    macro: Any = None

    def as_json(self) -> dict[str, Any]:
        return {"homogeneity": self.homogeneity, "worst": self.worst, "gaps": self.gaps, "macro": self.macro}


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """Everything that was measured in one package under one scheme: a pure function of the two and of `files`.

    `files` names the versioned data files it depends on, with their hashes; `grouping_sha256` is one of them.
    """

    set_sha256: str
    method: str
    scheme: dict[str, str]
    figures: tuple[Figure, ...]
    groups: Groups = field(default_factory=Groups)
    agreement: dict[str, Any] = field(default_factory=dict)
    declared: tuple[Declared, ...] = ()
    criteria: Any = None
    limitations: tuple[Limitation, ...] = ()
    counts: dict[str, Any] = field(default_factory=dict)
    reglab: dict[str, Any] | None = None
    files: dict[str, str] = field(default_factory=dict)
    grouping_sha256: str = ""
    # Of an agent run: its facts and its points as they were marked.
    run: dict[str, Any] | None = None

    @property
    def declared_coincide(self) -> bool:
        """Whether every declared figure coincides with ours; anything else blocks issue."""
        return all(declared.coincides for declared in self.declared)

    @property
    def unjudged_ranges(self) -> list[dict[str, Any]]:
        """The range of every figure that has unjudged answers."""
        return [
            {
                "metric": of.metric,
                "denominator": of.denominator,
                "group": of.group,
                "category": of.category,
                "judge": of.judge,
                "low": six_decimals(span[0]),
                "high": six_decimals(span[1]),
            }
            for of in self.figures
            if (span := of.unjudged_range) is not None
        ]

    def as_json(self) -> dict[str, Any]:
        return {
            "set_sha256": self.set_sha256,
            "method": self.method,
            "scheme": self.scheme,
            "figures": [of.as_json() for of in self.figures],
            "groups": self.groups.as_json(),
            "agreement": self.agreement,
            "declared": [declared.as_json() for declared in self.declared],
            "criteria": self.criteria,
            "limitations": [limitation.as_json() for limitation in self.limitations],
            "counts": self.counts,
            "unjudged_ranges": self.unjudged_ranges,
            "reglab": self.reglab,
            "files": self.files,
            **({} if self.run is None else {"run": self.run}),
        }


def at(
    figures: Sequence[Figure],
    metric: str,
    denominator: str,
    *,
    group: str | None = None,
    category: str | None = None,
    judge: str | None = None,
) -> Figure | None:
    """The figure of one place, or None."""
    place = (metric, denominator, group, category, judge)
    for of in figures:
        if (of.metric, of.denominator, of.group, of.category, of.judge) == place:
            return of
    return None
