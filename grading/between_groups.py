"""What may be said of the language groups among each other: whether they differ, their mean, the lowest, the gaps.

Only groups whose published figure is in band `full` take part, so nothing said here gives a hidden cell away. Groups
that answer the same questions (items with one `item_base`) are compared on them.
"""

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any

from grading import statistics, suppression
from grading.figures import Band, Figure, Groups, Rate, six_decimals, six_digits
from grading.statistics import Gate

if TYPE_CHECKING:
    from grading.schemes import Scheme

LEVEL = Fraction(1, 20)

# Metrics of which more is better. Of abstention in general neither is: it has no lowest group.
MORE_IS_BETTER = frozenset({"accuracy", "expected_citation", "necessary_abstention"})
NEITHER_IS_BETTER = frozenset({"abstention"})
# Counts without a rate.
NO_RATE = frozenset({"confident_fabrication"})

# A block: what answers stand together in, as (place of the group, cases, answers) of each group that has some.
Block = tuple[tuple[int, int, int], ...]
# How often each block occurs, of one metric over one denominator in groups given in order; empty where no question
# is shared by two of them.
Blocks = Mapping[Block, int]


class Outcome(StrEnum):
    DIFFER = "differ"
    NO_DIFFERENCE_SHOWN = "no_difference_shown"
    NO_VARIATION = "no_variation"
    # There are cases, but each shared question had the same outcome in every group that answered it.
    NO_VARIATION_WITHIN_QUESTIONS = "no_variation_within_questions"
    NOT_ASSESSED = "not_assessed"


class Design(StrEnum):
    INDEPENDENT = "independent"
    PAIRED = "paired"


def seed_of(set_sha256: str) -> int:
    """The seed of whatever is drawn: the first six bytes of SHA-256 of «homogeneity» and the set hash.

    Nobody chooses it, and 48 bits are a whole number in every reader of JSON.
    """
    return int.from_bytes(hashlib.sha256(f"homogeneity{set_sha256}".encode()).digest()[:6], "big")


def among(
    figures: Iterable[Figure],
    rates: Mapping[tuple[str, str, str | None, str | None], Rate],
    *,
    scheme: "Scheme",
    set_sha256: str,
    blocks: Callable[[str, str, Sequence[str]], Blocks] = lambda metric, denominator, groups: {},
    evidence_is_public: bool = False,
) -> Groups:
    """Everything on the groups of one measurement, metric by metric.

    `rates` by (metric, denominator, group, category). `blocks(metric, denominator, groups)` tells which answers stand
    together. `evidence_is_public`: as for `suppression.published`.
    """
    total = [of for of in figures if of.judge is None and of.metric not in NO_RATE]
    shown: dict[tuple[str, str], dict[str, str]] = {}
    for of in suppression.published(total, scheme, evidence_is_public=evidence_is_public):
        if of.group not in (None, suppression.REST) and of.category is None:
            shown.setdefault((of.metric, of.denominator), {})[of.group] = of.band
    if not shown:
        return Groups()
    seed = seed_of(set_sha256)
    homogeneity, worst, gaps, macro = [], [], [], []
    for (metric, denominator), bands in shown.items():
        groups = [group for group, band in bands.items() if band == Band.FULL]
        # One at a time: its blocks are gone before those of the next are made.
        of = _Compared(
            metric=metric,
            denominator=denominator,
            groups=groups,
            left_out=[
                {"group": group, "band": str(band)} for group, band in bands.items() if band != Band.FULL
            ],
            rates=[rates[metric, denominator, group, None] for group in groups],
            blocks=blocks(metric, denominator, groups) if len(groups) > 1 else {},
            seed=seed,
        )
        homogeneity.append(of.homogeneity())
        macro.append(of.macro())
        if metric not in NEITHER_IS_BETTER:
            worst.append(of.worst())
        if scheme.reference_group is not None:
            gaps.append(of.gaps(scheme.reference_group))
        del of
    return Groups(
        homogeneity=homogeneity,
        worst=worst,
        gaps=None if scheme.reference_group is None else gaps,
        macro=macro,
    )


@dataclass(frozen=True, slots=True)
class Together:
    """Which answers stand together: the kinds of answer of each cluster, and what a kind adds to each metric.

    `signatures`: how many clusters have these very kinds. `cells`: by (metric, denominator), of each kind that counts
    there its group, cases and answers.
    """

    signatures: Mapping[tuple[int, ...], int]
    cells: Mapping[tuple[str, str], Mapping[int, tuple[str, int, int]]]

    def blocks(self, metric: str, denominator: str, groups: Sequence[str]) -> Blocks:
        """The blocks of one metric in these groups; made anew each time, for those of all metrics fill the memory.

        Most blocks hold one answer of each group: their parts are the same few objects, however many blocks there are.
        """
        place = {group: index for index, group in enumerate(groups)}
        counted = {
            kind: (place[group], k, n)
            for kind, (group, k, n) in self.cells.get((metric, denominator), {}).items()
            if group in place
        }
        found: dict[Block, int] = {}
        shared = False
        parts: dict[tuple[int, int, int], tuple[int, int, int]] = {}
        for signature, count in self.signatures.items():
            inside = [counted[kind] for kind in signature if kind in counted]
            if len(inside) > 1:
                groups_inside = {group for group, _, _ in inside}
                shared = shared or len(groups_inside) > 1
                if len(groups_inside) < len(inside):
                    inside = _summed(inside)
                inside = [parts.setdefault(part, part) for part in sorted(inside)]
            if inside:
                block = tuple(inside)
                found[block] = found.get(block, 0) + count
        return found if shared else {}


def _summed(parts: Iterable[tuple[int, int, int]]) -> list[tuple[int, int, int]]:
    sums: dict[int, tuple[int, int]] = {}
    for group, k, n in parts:
        k_before, n_before = sums.get(group, (0, 0))
        sums[group] = k_before + k, n_before + n
    return [(group, k, n) for group, (k, n) in sums.items()]


@dataclass(frozen=True, kw_only=True)
class _Compared:
    """One metric over one denominator in the groups that may be compared."""

    metric: str
    denominator: str
    groups: list[str]
    left_out: list[dict[str, str]]
    rates: list[Rate]
    blocks: Blocks
    seed: int

    @property
    def _place(self) -> dict[str, Any]:
        return {"metric": self.metric, "denominator": self.denominator}

    @cached_property
    def _effective(self) -> tuple[list[int | Fraction], list[int | Fraction]]:
        """Cases and answers of each group, divided by its design effect (Rao and Scott 1992, Biometrics 48, 577)."""
        pairs = [rate.effective for rate in self.rates]
        return [k for k, _ in pairs], [n for _, n in pairs]

    @cached_property
    def _whole(self) -> tuple[list[int], list[int]]:
        """The same in whole numbers, for tests that count tables."""
        ks, ns = self._effective
        return [round(k) for k in ks], [max(1, round(n)) for n in ns]

    @cached_property
    def _shared(self) -> dict[Block, int]:
        return {block: count for block, count in self.blocks.items() if len(block) > 1}

    @cached_property
    def _is_parallel(self) -> bool:
        """Whether half of the answers of every group, or more, share their question with another group."""
        shared = [0] * len(self.groups)
        for block, count in self._shared.items():
            for group, _, n in block:
                shared[group] += count * n
        return all(2 * part >= rate.n for part, rate in zip(shared, self.rates, strict=True))

    @cached_property
    def _is_single(self) -> bool:
        """Whether each group answered each shared question once."""
        return all(n == 1 for block in self._shared for _, _, n in block)

    @property
    def _never_varies(self) -> bool:
        k, n = sum(rate.k for rate in self.rates), sum(rate.n for rate in self.rates)
        return k in (0, n)

    @cached_property
    def _gate(self) -> Gate | None:
        """Whether the groups differ; None without variation or with fewer than two groups."""
        if len(self.groups) < 2 or self._never_varies:
            return None
        if self._is_parallel:
            return self._gate_of_blocks()
        ks, ns = self._effective
        of = statistics.homogeneity(ks, ns)
        if of.is_trusted:
            return Gate(statistics.Method.CHI_SQUARE, of.p_chi2, of.chi2, of.df)
        whole = statistics.monte_carlo(*self._whole, seed=self.seed)
        if whole is None:
            # Less than one whole case is left of those that stand together.
            return Gate(statistics.Method.MONTE_CARLO, 1.0, 0.0, of.df, self.seed, 0)
        return whole

    def _gate_of_blocks(self) -> Gate | None:
        """By the questions that groups share; None when no question tells them apart."""
        rows: list[list[Any]] = []
        # One object a rate, however often it occurs: there may be millions.
        rates: dict[tuple[int, int], int | Fraction] = {}
        for block, count in sorted(self._shared.items()):
            row: list[Any] = [None] * len(self.groups)
            for group, k, n in block:
                if (k, n) not in rates:
                    rates[k, n] = k if n == 1 else Fraction(k, n)
                row[group] = rates[k, n]
            rows += [row] * count
        if self._is_single:
            return statistics.paired_gate(rows, seed=self.seed)
        return statistics.permutation_of_scores(
            rows, seed=self.seed, draws=statistics.draws_of(len(rows) * len(self.groups))
        )

    @property
    def _outcome(self) -> Outcome:
        if len(self.groups) < 2:
            return Outcome.NOT_ASSESSED
        if self._gate is None:
            return Outcome.NO_VARIATION if self._never_varies else Outcome.NO_VARIATION_WITHIN_QUESTIONS
        return Outcome.DIFFER if self._gate.differ else Outcome.NO_DIFFERENCE_SHOWN

    @property
    def _differ(self) -> bool | None:
        """What a page may say: True, False (not shown), None (nothing to say)."""
        return None if self._gate is None else self._gate.differ

    def homogeneity(self) -> dict[str, Any]:
        """The gate. `differ` is True only if the groups may be said to differ."""
        gate = self._gate
        assessed = len(self.groups) > 1
        return {
            **self._place,
            "outcome": str(self._outcome),
            "differ": self._differ,
            "groups": self.groups,
            "left_out": self.left_out,
            "design": str(Design.PAIRED if self._is_parallel else Design.INDEPENDENT) if assessed else None,
            "blocks": sum(self._shared.values()) if assessed and self._is_parallel else None,
            "method": None if gate is None else str(gate.method),
            "statistic": None if gate is None else six_decimals(gate.statistic),
            "df": None if gate is None else gate.df,
            "p": None if gate is None else six_digits(gate.p),
            "seed": None if gate is None else gate.seed,
            "draws": None if gate is None else gate.draws,
        }

    def worst(self) -> dict[str, Any]:
        """The lowest-performing groups with all that may be it; `differ` says whether a page may name them."""
        more_is_worse = self.metric not in MORE_IS_BETTER
        of = statistics.lowest_performing(*self._effective, more_is_worse=more_is_worse)
        named = None if of is None else [self.groups[place] for place in of.worst]
        return {
            **self._place,
            "more_is_worse": more_is_worse,
            "differ": self._differ,
            "groups": self.groups,
            "left_out": self.left_out,
            "worst": named,
            "tied": None if of is None else [self.groups[place] for place in of.tied],
            "confidence": None if of is None else six_decimals(of.confidence),
            "intervals": (
                None
                if of is None
                else [
                    {"group": group, "low": six_decimals(low), "high": six_decimals(high)}
                    for group, (low, high) in zip(self.groups, of.intervals, strict=True)
                ]
            ),
            "observed_range": None if of is None else six_decimals(of.observed_range),
        }

    def macro(self) -> dict[str, Any]:
        """The mean of the groups' rates, equal weights; of two groups at least."""
        assessed = len(self.groups) > 1
        mean = low = high = None
        if assessed and self._shared:
            mean, low, high = self._clustered_mean()
        elif assessed:
            mean, low, high = statistics.macro_mover(*self._effective)
        return {
            **self._place,
            "outcome": "assessed" if assessed else str(Outcome.NOT_ASSESSED),
            "groups": self.groups,
            "left_out": self.left_out,
            "estimate": None if mean is None else six_decimals(mean),
            "low": None if low is None else six_decimals(low),
            "high": None if high is None else six_decimals(high),
            "interval": "none" if mean is None else "wilson_clustered" if self._shared else "mover",
            "clusters": sum(self.blocks.values()) if assessed and self._shared else None,
        }

    def _clustered_mean(self) -> tuple[float | None, float | None, float | None]:
        groups = len(self.groups)
        if self._is_single and all(len(block) == groups for block in self.blocks):
            successes: list[int] = []
            for block, count in self.blocks.items():
                successes += [sum(k for _, k, _ in block)] * count
            return statistics.macro_of_blocks(successes, groups)
        return statistics.macro_of_shared(self.blocks, groups)

    def gaps(self, reference: str) -> dict[str, Any]:
        """Each group's rate less that of the reference group, with Holm over the groups.

        A difference stands only if `significant`, and a page tells it only if the gate opened (`differ`).
        """
        if reference not in self.groups or len(self.groups) < 2:
            return {
                **self._place,
                "outcome": str(Outcome.NOT_ASSESSED),
                "reference": reference,
                "reference_band": self._band_of(reference),
                "differ": self._differ,
                "left_out": self.left_out,
                "groups": [],
            }
        at = self.groups.index(reference)
        others = [place for place in range(len(self.groups)) if place != at]
        gaps = [self._gap(place, at, tests=len(others)) for place in others]
        for gap, adjusted in zip(gaps, statistics.holm([gap["p"] for gap in gaps]), strict=True):
            gap["p"] = six_digits(gap["p"])
            gap["p_holm"] = six_digits(adjusted)
            gap["significant"] = adjusted < LEVEL
        return {
            **self._place,
            "outcome": str(self._outcome),
            "reference": reference,
            "reference_band": str(Band.FULL),
            "differ": self._differ,
            "left_out": self.left_out,
            "groups": gaps,
        }

    def _band_of(self, group: str) -> str | None:
        if group in self.groups:
            return str(Band.FULL)
        return next((out["band"] for out in self.left_out if out["group"] == group), None)

    def _gap(self, place: int, reference: int, *, tests: int) -> dict[str, Any]:
        pairs = self._pairs(place, reference)
        if pairs is not None:
            a, b, c, d = pairs
            difference, low, high = statistics.newcombe_paired(a, b, c, d)
            p = statistics.mcnemar_exact(b, c)
            detectable = statistics.detectable_paired(b, c, a + b + c + d)
            cannot = b + c < statistics.fewest_discordant(tests)
        else:
            ks, ns = self._effective
            difference, low, high = statistics.newcombe_independent(
                ks[place], ns[place], ks[reference], ns[reference]
            )
            ks_, ns_ = self._whole
            table = ks_[place], ns_[place], ks_[reference], ns_[reference]
            p = statistics.fisher_exact(*table)
            detectable = statistics.detectable_independent(*table)
            cannot = _cannot_reach(ns_[place], ns_[reference], tests)
        return {
            "group": self.groups[place],
            "design": str(Design.INDEPENDENT if pairs is None else Design.PAIRED),
            "difference": six_decimals(difference),
            "low": six_decimals(low),
            "high": six_decimals(high),
            "test": "fisher" if pairs is None else "mcnemar",
            "p": p,
            "pairs": (
                None
                if pairs is None
                else dict(zip(("both", "only_group", "only_reference", "neither"), pairs, strict=True))
            ),
            "detectable": six_decimals(detectable),
            "cannot_be_significant": cannot,
        }

    def _pairs(self, place: int, reference: int) -> tuple[int, int, int, int] | None:
        """Questions in which both, only the group, only the reference, neither had a case.

        None unless both answered the same questions once each, and those are half of the answers of either at least.
        """
        cells = [0, 0, 0, 0]
        for block, count in self._shared.items():
            own = {group: (k, n) for group, k, n in block if group in (place, reference)}
            if len(own) < 2:
                continue
            (k, n), (k_reference, n_reference) = own[place], own[reference]
            if n != 1 or n_reference != 1:
                return None
            cells[2 * (1 - k) + 1 - k_reference] += count
        most = max(self.rates[place].n, self.rates[reference].n)
        return tuple(cells) if 2 * sum(cells) >= most else None


# With so many answers on both sides some table is significant whatever the number of groups: 1/C(60, 30) < 1e-17.
_ENOUGH_ANSWERS = 30


def _cannot_reach(n1: int, n2: int, tests: int) -> bool:
    """Whether no table of so many answers could be significant, as the first of `tests` under Holm."""
    return min(n1, n2) < _ENOUGH_ANSWERS and statistics.least_fisher_p(n1, n2) * tests >= LEVEL
