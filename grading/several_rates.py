"""What is said of the rates of several groups together: their mean, and which of them performs lowest.

Numbers in, numbers or frozen dataclasses out. Undefined is None, in each place of a tuple; impossible counts raise
ValueError.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from grading.multiplicity import simultaneous
from grading.proportions import ClusterSums, normal_quantile, wilson, wilson_at

Count = int | Fraction


def macro_mover(
    ks: Sequence[Count], ns: Sequence[Count], confidence: float = 0.95
) -> tuple[float | None, float | None, float | None]:
    """The mean of the groups' rates, each with the same weight, and its interval.

    MOVER, Zou and Donner (2008), Statistics in Medicine 27, 1693-1702, over Wilson's (l, u) of each group:
    mean ∓ (1/G)·√Σ(p−l)², (1/G)·√Σ(u−p)². (None, None, None) without groups, or when one has no answers: the caller
    says which take part. Lies within [0, 1].
    """
    if len(ks) != len(ns):
        raise ValueError("as many counts of cases as of answers, please")
    z = normal_quantile(confidence)
    bounds = [wilson_at(k, n, z) for k, n in zip(ks, ns, strict=True)]
    groups = len(bounds)
    if not groups or 0 in ns:
        return None, None, None
    rates = [float(k / n) for k, n in zip(ks, ns, strict=True)]
    mean = _mean(ks, ns)
    below = math.sqrt(math.fsum((p - low) ** 2 for p, (low, _) in zip(rates, bounds, strict=True))) / groups
    above = math.sqrt(math.fsum((high - p) ** 2 for p, (_, high) in zip(rates, bounds, strict=True))) / groups
    return mean, max(0.0, mean - below), min(1.0, mean + above)


def _mean(ks: Sequence[Count], ns: Sequence[Count]) -> float:
    """Rounded once: a declared mean that lies between two decimals is compared with it."""
    if all(isinstance(count, int) for count in (*ks, *ns)):
        common = math.lcm(*ns)
        return sum(k * (common // n) for k, n in zip(ks, ns, strict=True)) / (common * len(ns))
    return float(sum(Fraction(k) / n for k, n in zip(ks, ns, strict=True)) / len(ns))


def macro_of_blocks(successes: Sequence[int], groups: int) -> tuple[float | None, float | None, float | None]:
    """The mean of the groups' rates when every group answered every question: the mean over questions, clustered.

    `successes[i]` is in how many of the groups question i succeeded. Wilson on (p·n_eff, n_eff) as of any clustered
    rate, each question a cluster. (None, None, None) without questions.
    """
    if groups < 1 or any(not 0 <= k <= groups for k in successes):
        raise ValueError("of a question no more groups can succeed than there are")
    sums = ClusterSums(
        k=sum(successes),
        n=groups * len(successes),
        clusters=len(successes),
        kk=sum(k * k for k in successes),
        kn=groups * sum(successes),
        nn=groups * groups * len(successes),
    )
    if not successes:
        return None, None, None
    p, n_eff = Fraction(sums.k, sums.n), sums.n_eff
    return float(p), *wilson(p * n_eff, n_eff)


def macro_of_shared(
    blocks: Mapping[tuple[tuple[int, int, int], ...], int], groups: int
) -> tuple[float | None, float | None, float | None]:
    """The same mean where groups share questions, but not every group answered each of them once.

    `blocks`: how often a block has these very (group, cases, answers). With p_g of each group, mean p = (1/G)Σp_g and
    z_c = Σ_g(k_cg − p_g·n_cg)/(G·n_g) of block c, V = Σz² · C/(C−1), never less than independent answers give,
    (1/G²)Σ p_g(1−p_g)/n_g; Wilson on (p·n_eff, n_eff), n_eff = p(1−p)/V; p of 0 or 1: n_eff = C. Complete blocks of
    one answer a group are what `macro_of_blocks` is for. (None, None, None) when a group has no answers.
    """
    ks, ns, clusters = [0] * groups, [0] * groups, 0
    for block, count in blocks.items():
        clusters += count
        for group, k, n in block:
            if not 0 <= k <= n:
                raise ValueError(f"{k} of {n} is not a count")
            ks[group] += count * k
            ns[group] += count * n
    if not groups or 0 in ns:
        return None, None, None
    mean = _mean(ks, ns)
    if sum(ks) in (0, sum(ns)) or clusters < 2:
        return mean, *wilson(mean * clusters, clusters)
    rates = [k / n for k, n in zip(ks, ns, strict=True)]
    squares = math.fsum(
        count * sum((k - rates[group] * n) / ns[group] for group, k, n in block) ** 2
        for block, count in blocks.items()
    )
    independent = math.fsum(p * (1 - p) / n for p, n in zip(rates, ns, strict=True))
    variance = max(squares * clusters / (clusters - 1), independent) / groups**2
    # Every group at 0 or at all of its answers, some of each: no spread is left to be seen within them.
    n_eff = mean * (1 - mean) / variance if variance else float(clusters)
    return mean, *wilson(mean * n_eff, n_eff)


@dataclass(frozen=True, slots=True)
class LowestPerforming:
    """The groups with the worst rate, and all that may be it.

    `worst`: places of the groups with that very rate. `tied`: places of those whose true rate may be the worst, in the
    order given; unless the gate opened, no page says more than their number. `intervals`: Wilson's of each group at
    `confidence`, (None, None) without answers. `observed_range`: largest rate less the least, no more than observed.
    """

    worst: tuple[int, ...]
    tied: tuple[int, ...]
    intervals: tuple[tuple[float | None, float | None], ...]
    confidence: float
    observed_range: Fraction


def lowest_performing(
    ks: Sequence[Count], ns: Sequence[Count], *, more_is_worse: bool = True
) -> LowestPerforming | None:
    """Which group performs lowest, with its tie set, at 1 − 0.05/G for each of the G groups with answers.

    When all G intervals hold, which they do in 95 % of measurements at least (Bonferroni), the true worst rate lies at
    or above every lower bound; so a group can be the worst only if its upper bound reaches the largest lower bound
    (mirrored when more is better). None for fewer than two groups with answers.
    """
    if len(ks) != len(ns):
        raise ValueError("as many counts of cases as of answers, please")
    answered = [index for index, n in enumerate(ns) if n]
    if len(answered) < 2:
        return None
    confidence = simultaneous(len(answered))
    z = normal_quantile(confidence)
    intervals = tuple(wilson_at(k, n, z) for k, n in zip(ks, ns, strict=True))
    most = least = answered[0]
    for index in answered[1:]:
        # Multiplied crosswise: whole numbers compare rates ten times faster than fractions do.
        if ks[index] * ns[most] > ks[most] * ns[index]:
            most = index
        if ks[index] * ns[least] < ks[least] * ns[index]:
            least = index
    worst = most if more_is_worse else least
    if more_is_worse:
        reach = max(intervals[index][0] for index in answered)
        tied = tuple(index for index in answered if intervals[index][1] >= reach)
    else:
        reach = min(intervals[index][1] for index in answered)
        tied = tuple(index for index in answered if intervals[index][0] <= reach)
    return LowestPerforming(
        worst=tuple(index for index in answered if ks[index] * ns[worst] == ks[worst] * ns[index]),
        tied=tied,
        intervals=intervals,
        confidence=confidence,
        observed_range=Fraction(ks[most]) / ns[most] - Fraction(ks[least]) / ns[least],
    )
