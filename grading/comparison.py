"""Compares two measurements on the same questions: whether they may be compared, and what differs, pair by pair.

Nothing compiled is needed here, so that any program can take it along.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from fractions import Fraction
from typing import Any, Protocol

from grading import statistics, suppression
from grading.figures import Band, Figure, figure, rate, six_decimals, six_digits
from grading.language_groups import UNDECLARED

LEVEL = Fraction(1, 20)

# What is known of an item and of its answer, as bits.
ORDINARY, EXACT, HALLUCINATES, ABSTAINED, SHOULD_ABSTAIN, NEED_NOT_ABSTAIN = (1 << bit for bit in range(6))


@dataclass(frozen=True, slots=True)
class Compared:
    """One outcome that is compared: which items it is over, which answers are cases, and whether more is better."""

    metric: str
    denominator: str
    over: int
    case: int
    more_is_better: bool


OUTCOMES = (
    Compared("accuracy", "all", ORDINARY, EXACT, True),
    Compared("hallucination", "all", ORDINARY, HALLUCINATES, False),
    Compared("unnecessary_abstention", "in_corpus", NEED_NOT_ABSTAIN, ABSTAINED, False),
    Compared("necessary_abstention", "abstention_correct", SHOULD_ABSTAIN, ABSTAINED, True),
)
# The second is worse when it is significantly worse in one of these.
DECISIVE = ("accuracy", "hallucination")


class Better(StrEnum):
    FIRST = "first"
    SECOND = "second"


class Comparable(Protocol):
    """All that has to be the same in two measurements, known without reading their answers.

    `judges`: (family, version, kind) of each. `files`: the versioned files that figures depend on, by name.
    """

    method: str
    scheme: str
    scheme_sha256: str
    judges: tuple[tuple[str, str, str], ...]
    files: Mapping[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Terms:
    """A measurement's side of `differences`, where its answers are not at hand."""

    method: str
    scheme: str
    scheme_sha256: str
    judges: tuple[tuple[str, str, str], ...]
    files: Mapping[str, str]


@dataclass(frozen=True, kw_only=True)
class Answers:
    """The answers of one measurement, one an item (of its first run), and all that has to be the same to compare them.

    Of each item its hash, the place of its group in `groups`, its bits, and, where some stand together, its cluster.
    `ids` put equal items in order; without them their places do. `hidden`: (metric, group) of what its own page hides.
    """

    system: str
    method: str
    scheme: str
    scheme_sha256: str
    set_sha256: str
    judges: tuple[tuple[str, str, str], ...]
    digests: Sequence[bytes]
    groups: tuple[str, ...]
    group_of: Sequence[int]
    bits: Sequence[int]
    clusters: Sequence[int] | None = None
    ids: Sequence[str] | None = None
    files: Mapping[str, str] = field(default_factory=dict)
    runs: int = 1
    evidence_is_public: bool = True
    hidden: frozenset[tuple[str, str | None]] = frozenset()

    @property
    def in_order(self) -> list[int]:
        """The places of the items by hash, equal ones by id."""
        places = (
            sorted(range(len(self.digests)), key=self.ids.__getitem__)
            if self.ids
            else range(len(self.digests))
        )
        return sorted(places, key=self.digests.__getitem__)


class NotComparable(ValueError):
    """Two measurements that may not be compared; `differences` names each field with both values."""

    def __init__(self, differences: list[dict[str, Any]]) -> None:
        super().__init__(", ".join(difference["field"] for difference in differences))
        self.differences = differences


def differences(first: Comparable, second: Comparable) -> list[dict[str, Any]]:
    """Every field that has to be the same and is not. Sets may differ, as long as they share an item."""
    if first.method == second.method == "agent_run":
        return [{"field": "single_runs", "first": first.method, "second": second.method}]
    pairs: list[tuple[str, Any, Any]] = [
        ("method", first.method, second.method),
        ("scheme", first.scheme, second.scheme),
        ("scheme_sha256", first.scheme_sha256, second.scheme_sha256),
        ("judges", _told(first.judges), _told(second.judges)),
    ]
    pairs += [
        (f"files.{name}", first.files.get(name), second.files.get(name))
        for name in sorted({*first.files, *second.files} - {"scheme"})
    ]
    return [{"field": name, "first": one, "second": other} for name, one, other in pairs if one != other]


def hidden(
    figures: Iterable[Figure], scheme: Any, *, evidence_is_public: bool
) -> frozenset[tuple[str, str | None]]:
    """(metric, group) of the outcomes that the page of a measurement with these figures hides."""
    compared = {(of.metric, of.denominator) for of in OUTCOMES}
    return frozenset(
        (one.metric, one.group)
        for one in suppression.published(figures, scheme, evidence_is_public=evidence_is_public)
        if (one.metric, one.denominator) in compared
        and one.band == Band.SUPPRESSED
        and one.category is None
        and one.judge is None
        and one.group != suppression.REST
    )


def _told(judges: tuple[tuple[str, str, str], ...]) -> list[str]:
    """Judges by family, version and kind; what a package calls them does not matter."""
    return sorted(" · ".join(judge) for judge in judges)


@dataclass(slots=True)
class _Cells:
    """Pairs of one outcome in one row: both, only the first, only the second, neither; and what clusters add up to."""

    cells: list[int] = field(default_factory=lambda: [0, 0, 0, 0])
    # Of each cluster its pairs and (only first − only second).
    clusters: dict[int, list[int]] = field(default_factory=dict)

    def add(self, first: bool, second: bool, cluster: int | None) -> None:
        self.cells[(not first) * 2 + (not second)] += 1
        if cluster is not None:
            sums = self.clusters.setdefault(cluster, [0, 0])
            sums[0] += 1
            sums[1] += first - second

    @property
    def n(self) -> int:
        return sum(self.cells)

    @property
    def is_clustered(self) -> bool:
        return 0 < len(self.clusters) < self.n

    @property
    def independent(self) -> int:
        return len(self.clusters) if self.is_clustered else self.n

    @property
    def design_effect(self) -> Fraction:
        """How many times the variance of the difference that independent pairs would give; 1 at least."""
        if not self.is_clustered:
            return Fraction(1)
        n, count = self.n, len(self.clusters)
        _, b, c, _ = self.cells
        mean = Fraction(b - c, n)
        independent = b + c - n * mean**2
        if count < 2 or not independent:
            return Fraction(n, count)
        squares = sum((difference - mean * size) ** 2 for size, difference in self.clusters.values())
        return max(Fraction(1), squares * Fraction(count, count - 1) / independent)

    @property
    def discordant(self) -> tuple[int, int]:
        """Only the first, only the second; pairs that stand together count as many as they are worth."""
        effect = self.design_effect
        return round(self.cells[1] / effect), round(self.cells[2] / effect)


def compare(first: Answers, second: Answers, *, scheme: Any) -> dict[str, Any]:
    """The paired comparison as JSON, of the items that both answered. Raises NotComparable.

    `scheme` has the thresholds of publication (`suppression`). Differences are the first less the second. Of sets that
    are not the same the intersection is compared, and `same_set` is false.
    """
    found = differences(first, second)
    if found:
        raise NotComparable(found)
    rows: dict[tuple[str, str | None], _Cells] = {}
    compared = 0
    for place, other in _pairs(first, second):
        compared += 1
        group = first.groups[first.group_of[place]]
        bits, other_bits = first.bits[place], second.bits[other]
        cluster = None if first.clusters is None else first.clusters[place]
        for of in OUTCOMES:
            if bits & of.over:
                case, other_case = bool(bits & of.case), bool(other_bits & of.case)
                for row in (None, group):
                    rows.setdefault((of.metric, row), _Cells()).add(case, other_case, cluster)
    if not compared:
        raise NotComparable([{"field": "set_sha256", "first": first.set_sha256, "second": second.set_sha256}])
    public = first.evidence_is_public and second.evidence_is_public
    sizes = [] if public else [_sizes(first), _sizes(second)]
    hides = first.hidden | second.hidden
    outcomes = [_outcome(of, rows, sizes, hides, scheme, public) for of in OUTCOMES]
    return {
        "first": first.system,
        "second": second.system,
        "same_set": first.set_sha256 == second.set_sha256,
        "items": {"first": len(first.digests), "second": len(second.digests), "compared": compared},
        "set_sha256": {"first": first.set_sha256, "second": second.set_sha256},
        "runs": {"first": first.runs, "second": second.runs, "compared": 1},
        "outcomes": outcomes,
        **_decision(outcomes, rows),
    }


def _pairs(first: Answers, second: Answers) -> Iterator[tuple[int, int]]:
    """The places of the items that both have, equal ones one to one."""
    one, other = first.in_order, second.in_order
    at = 0
    for place in one:
        digest = first.digests[place]
        while at < len(other) and second.digests[other[at]] < digest:
            at += 1
        if at < len(other) and second.digests[other[at]] == digest:
            yield place, other[at]
            at += 1


def _sizes(of: Answers) -> dict[tuple[str, str | None], int]:
    """How many items of a measurement each outcome is over, in all and in each group."""
    sizes: dict[tuple[str, str | None], int] = {}
    for group, bits in zip(of.group_of, of.bits, strict=True):
        for outcome in OUTCOMES:
            if bits & outcome.over:
                for row in (None, of.groups[group]):
                    sizes[outcome.metric, row] = sizes.get((outcome.metric, row), 0) + 1
    return sizes


def _outcome(
    of: Compared,
    rows: Mapping[tuple[str, str | None], _Cells],
    sizes: Sequence[Mapping[tuple[str, str | None], int]],
    hides: frozenset[tuple[str, str | None]],
    scheme: Any,
    public: bool,
) -> dict[str, Any]:
    """One outcome, in all and in each group, with Holm over the groups that are shown."""
    cells = {group: cells for (metric, group), cells in rows.items() if metric == of.metric}
    groups = sorted(
        (group for group in cells if group is not None), key=lambda group: (group == UNDECLARED, group)
    )
    bands = _bands(of, cells, sizes, hides, scheme, public)
    shown = [group for group in groups if bands[group] not in (Band.SUPPRESSED, Band.NO_DATA)]
    told = {group: _row(cells[group], group, bands[group], tests=len(shown)) for group in shown}
    for row, adjusted in zip(
        told.values(), statistics.holm([row["p"] for row in told.values()]), strict=True
    ):
        _judge(row, adjusted, of, holm=True)
    total = None
    if None in cells and bands[None] not in (Band.SUPPRESSED, Band.NO_DATA):
        total = _row(cells[None], None, bands[None], tests=1)
        _judge(total, total["p"], of, holm=False)
    return {
        "metric": of.metric,
        "denominator": of.denominator,
        "more_is_better": of.more_is_better,
        "overall": total,
        "groups": [told[group] for group in shown],
        "groups_left_out": [
            {"group": group, "band": str(bands[group])} for group in groups if group not in told
        ],
    }


def _bands(
    of: Compared,
    cells: Mapping[str | None, _Cells],
    sizes: Sequence[Mapping[tuple[str, str | None], int]],
    hides: frozenset[tuple[str, str | None]],
    scheme: Any,
    public: bool,
) -> dict[str | None, Band]:
    """The band of each row by its pairs (or clusters); hidden as in any table, and where few items are left out.

    Beside the whole figure of a measurement, one of nearly all its items would tell what the few others answered.
    What either measurement hides on its own page (for few of a group's answers were judged, say) is hidden here too.
    """
    figures = []
    for group, pairs in cells.items():
        a, b, c, _ = pairs.cells
        # The wider interval of the two decides.
        cases = min(a + b, a + c, key=lambda k, n=pairs.n: abs(2 * k - n))
        k = round(Fraction(cases, pairs.n) * pairs.independent)
        figures.append(
            figure(
                rate(k, pairs.independent),
                of.metric,
                of.denominator,
                suppression=scheme.suppression,
                group=group,
            )
        )
    published = suppression.published(figures, scheme, evidence_is_public=public)
    bands = {one.group: Band(one.band) for one in published if one.group != suppression.REST}
    least = scheme.suppression.suppressed_below
    left_out = [
        {group: size.get((of.metric, group), 0) - pairs.n for group, pairs in cells.items()} for size in sizes
    ]
    for group in cells:
        if (of.metric, group) in hides or any(0 < few[group] < least for few in left_out):
            bands[group] = Band.SUPPRESSED
    if not public:
        _complement(bands, cells, left_out, least)
    return bands


def _complement(
    bands: dict[str | None, Band],
    cells: Mapping[str | None, _Cells],
    left_out: Sequence[Mapping[str | None, int]],
    least: int,
) -> None:
    """Hide further groups until what is hidden cannot be worked out from the total and the groups that are shown.

    The total less the shown groups is the hidden ones together: these must be at least two with `least` pairs, and the
    items that they leave out of a measurement none, or at least `least`. The smallest group joins them.
    """
    groups = [group for group in cells if group is not None]
    while bands.get(None) not in (Band.SUPPRESSED, Band.NO_DATA):
        inside = [group for group in groups if bands[group] == Band.SUPPRESSED]
        few_are_told = any(0 < sum(few[group] for group in inside) < least for few in left_out)
        together = sum(cells[group].independent for group in inside)
        if not inside or (len(inside) > 1 and together >= least and not few_are_told):
            return
        free = [group for group in groups if group not in inside]
        if not free:
            # The total alone is left, and is the hidden ones together.
            if few_are_told:
                bands[None] = Band.SUPPRESSED
            return
        bands[min(free, key=lambda group: (cells[group].independent, group))] = Band.SUPPRESSED


def _row(pairs: _Cells, group: str | None, band: Band, *, tests: int) -> dict[str, Any]:
    a, b, c, d = pairs.cells
    n, effect = pairs.n, pairs.design_effect
    worthy = pairs.cells if effect == 1 else [count / effect for count in pairs.cells]
    _, low, high = statistics.newcombe_paired(*worthy)
    only_first, only_second = pairs.discordant
    worth = max(round(n / effect), only_first + only_second)
    return {
        "group": group,
        "band": str(band),
        "n": n,
        "both": a,
        "only_first": b,
        "only_second": c,
        "neither": d,
        "first": six_decimals(Fraction(a + b, n)),
        "second": six_decimals(Fraction(a + c, n)),
        "difference": six_decimals(Fraction(b - c, n)),
        "low": six_decimals(float(low)),
        "high": six_decimals(float(high)),
        "clusters": len(pairs.clusters) if pairs.is_clustered else None,
        "design_effect": six_decimals(effect) if pairs.is_clustered else None,
        "p": statistics.mcnemar_exact(only_first, only_second),
        "mid_p": six_digits(statistics.mcnemar_mid_p(only_first, only_second)),
        "no_discordant_pairs": b + c == 0,
        "detectable": six_decimals(statistics.detectable_paired(only_first, only_second, worth)),
        "cannot_be_significant": only_first + only_second < statistics.fewest_discordant(max(1, tests)),
    }


def _judge(row: dict[str, Any], adjusted: float, of: Compared, *, holm: bool) -> None:
    """Whether a row may say that one is better: never without significance."""
    significant = adjusted < LEVEL
    first_is_better = (row["only_first"] > row["only_second"]) == of.more_is_better
    row["p"] = six_digits(row["p"])
    row["p_holm"] = six_digits(adjusted) if holm else None
    row["significant"] = significant
    row["better"] = str(Better.FIRST if first_is_better else Better.SECOND) if significant else None


def _decision(
    outcomes: Sequence[dict[str, Any]], rows: Mapping[tuple[str, str | None], _Cells]
) -> dict[str, Any]:
    """Whether the second is worse: significantly fewer exact or more hallucinated answers, Holm over the two."""
    shown = {of["metric"] for of in outcomes if of["overall"] is not None}
    decisive = [of for of in OUTCOMES if of.metric in DECISIVE and of.metric in shown]
    splits = [rows[of.metric, None].discordant for of in decisive]
    adjusted = statistics.holm([statistics.mcnemar_exact(b, c) for b, c in splits])
    worse = [
        of.metric
        for of, (b, c), p in zip(decisive, splits, adjusted, strict=True)
        if p < LEVEL and (b > c) == of.more_is_better
    ]
    fewest = statistics.fewest_discordant(max(1, len(decisive)))
    return {
        "second_is_worse": bool(worse),
        "worse_in": worse,
        "could_have_been_told": any(b + c >= fewest for b, c in splits),
    }
