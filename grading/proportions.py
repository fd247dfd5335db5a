"""What is known of one rate: its interval, its bound when nothing was seen, and what clusters cost.

Numbers in, numbers or frozen dataclasses out. Undefined is None, in each place of a tuple; impossible counts raise
ValueError.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from statistics import NormalDist

# The 97.5 % point of the normal distribution; every band and every criterion is decided with this very number.
Z95 = 1.959963984540054


def normal_quantile(confidence: float) -> float:
    """z with `confidence` of the normal distribution between -z and z."""
    if not 0 < confidence < 1:
        raise ValueError(f"confidence must be between 0 and 1, not {confidence}")
    return Z95 if confidence == 0.95 else NormalDist().inv_cdf(0.5 + confidence / 2)


# -- one rate ------------------------------------------------------------------------------------


def wilson(
    k: int | float | Fraction, n: int | float | Fraction, confidence: float = 0.95
) -> tuple[float | None, float | None]:
    """Wilson's score interval for k of n; (None, None) for n = 0.

    Wilson (1927), JASA 22, 209-212. With h = z·√(k(n−k)/n + z²/4) the bounds are (k + z²/2 ∓ h)/(n + z²). The
    lower one is a difference of close numbers near 0; its conjugate (k²/n)/(k + z²/2 + h) keeps all digits, and so
    does its mirror image for the upper one near 1. k = 0 gives exactly 0 below, k = n exactly 1 above. k and n need
    not be whole: clustered counts are p·n_eff of n_eff.
    """
    return wilson_at(k, n, normal_quantile(confidence))


def wilson_at(
    k: int | float | Fraction, n: int | float | Fraction, z: float
) -> tuple[float | None, float | None]:
    """Wilson's interval for a given z (1.96 is what many published tables used)."""
    if not 0 <= k <= n < math.inf:
        raise ValueError(f"{k} of {n} is not a count")
    if n == 0:
        return None, None
    z2 = z * z
    # n - k before any rounding: for whole numbers and fractions it is exact.
    count, rest, size = float(k), float(n - k), float(n)
    middle = count + z2 / 2
    h = z * math.sqrt(count * (rest / size) + z2 / 4)
    low = count * (count / size) / (middle + h)
    if count <= rest:
        high = (middle + h) / (size + z2)
    else:
        high = 1.0 - rest * (rest / size) / (rest + z2 / 2 + h)
    # A bound may leave the range by its last digit only.
    return low, high if high < 1.0 else 1.0


def zero_bound(n: int, confidence: float = 0.95) -> float | None:
    """Upper bound of a rate of which no case was seen in n: 1 − (1 − confidence)^(1/n); None for n = 0.

    Exact one-sided binomial bound (Clopper and Pearson 1934 at k = 0). About 3/n for n ≥ 30: the rule of three
    (Hanley and Lippman-Hand 1983, JAMA 249, 1743-1745).
    """
    if n < 0:
        raise ValueError(f"{n} is not a count")
    if not 0 < confidence < 1:
        raise ValueError(f"confidence must be between 0 and 1, not {confidence}")
    if n == 0:
        return None
    return -math.expm1(math.log1p(-confidence) / n)


def is_at_most(k: int | Fraction, n: int | Fraction, threshold: Fraction, *, z: float = Z95) -> bool:
    """Whether the whole Wilson interval of k of n lies at or below a threshold, decided exactly.

    high ≤ T ⇔ T ≥ k/n and n(T − k/n)² ≥ z²·T(1−T): the bounds are the roots of the score equation, so no root need be
    drawn. z is taken as the decimal it prints as. At T = 0 the equation has its lower root, and no number of answers
    without a case shows that there is none: False. Nothing measured (n = 0) is within no threshold: False.
    """
    _refuse_impossible(k, n)
    if n == 0 or threshold <= 0:
        return False
    distance = threshold - Fraction(k) / n
    return distance >= 0 and n * distance**2 >= _square(z) * threshold * (1 - threshold)


def is_at_least(k: int | Fraction, n: int | Fraction, threshold: Fraction, *, z: float = Z95) -> bool:
    """Whether the whole Wilson interval of k of n lies at or above a threshold; the mirror of `is_at_most`."""
    return is_at_most(n - k, n, 1 - threshold, z=z)


def is_above(k: int | Fraction, n: int | Fraction, threshold: Fraction, *, z: float = Z95) -> bool:
    """Whether the whole Wilson interval of k of n lies above a threshold: low > T, decided exactly."""
    _refuse_impossible(k, n)
    if n == 0:
        return False
    distance = Fraction(k) / n - threshold
    return distance > 0 and n * distance**2 > _square(z) * threshold * (1 - threshold)


def is_below(k: int | Fraction, n: int | Fraction, threshold: Fraction, *, z: float = Z95) -> bool:
    """Whether the whole Wilson interval of k of n lies below a threshold; the mirror of `is_above`."""
    return is_above(n - k, n, 1 - threshold, z=z)


def answers_needed(k: int, n: int, threshold: Fraction, *, z: float = Z95) -> int | None:
    """How many answers at this very rate would put the whole interval on the rate's side of the threshold.

    n ≥ z²·T(1−T)/(T − k/n)², from the score equation. None for n = 0, for a rate that is the threshold itself, and
    for a threshold that is not strictly between 0 and 1: no number of answers would do.
    """
    _refuse_impossible(k, n)
    if n == 0 or not 0 < threshold < 1 or Fraction(k, n) == threshold:
        return None
    return max(1, math.ceil(_square(z) * threshold * (1 - threshold) / (threshold - Fraction(k, n)) ** 2))


def _refuse_impossible(k: int | float | Fraction, n: int | float | Fraction) -> None:
    if not 0 <= k <= n < math.inf:
        raise ValueError(f"{k} of {n} is not a count")


@cache
def _square(z: float) -> Fraction:
    return Fraction(str(z)) ** 2


# -- one rate of runs ----------------------------------------------------------------------------


def pass_all(met: Sequence[int], runs: int) -> tuple[Fraction, ...] | None:
    """How often j runs all meet a point, for j = 1 … runs: the mean over points of C(c, j)/C(runs, j).

    `met` has for each point (or case) the number of runs that met it, c. Unbiased for p^j: the share of the subsets of
    j runs that meet it throughout (the «pass^k» of Yao et al. 2024, arXiv 2406.12045). None without points or runs.
    """
    for count in met:
        _refuse_impossible(count, runs)
    if not met or runs == 0:
        return None
    return tuple(
        Fraction(sum(math.comb(count, j) for count in met), len(met) * math.comb(runs, j))
        for j in range(1, runs + 1)
    )


# -- one rate whose answers are not independent --------------------------------------------------


@dataclass(frozen=True, slots=True)
class ClusterSums:
    """What the clusters of one rate add up to; whole numbers, so that they can be summed in any order.

    With k_c cases of n_c answers in cluster c: `kk` = Σk_c², `kn` = Σk_c·n_c, `nn` = Σn_c².
    """

    k: int
    n: int
    clusters: int
    kk: int
    kn: int
    nn: int

    @property
    def variance(self) -> Fraction | None:
        """V_cluster = Σ_c(Σ_i(y − p))²/n² · C/(C−1), exactly; None when C < 2."""
        if self.clusters < 2:
            return None
        p = Fraction(self.k, self.n)
        squares = self.kk - 2 * p * self.kn + p * p * self.nn
        return squares / self.n**2 * Fraction(self.clusters, self.clusters - 1)

    @property
    def design_effect(self) -> Fraction | None:
        """max(1, V_cluster / V_iid), V_iid = p(1−p)/n; None when p is 0 or 1, or C < 2."""
        if self.clusters < 2 or self.k in (0, self.n):
            return None
        p = Fraction(self.k, self.n)
        return max(Fraction(1), self.variance / (p * (1 - p) / self.n))

    @property
    def n_eff(self) -> Fraction | None:
        """How many independent answers these are worth; None for n = 0."""
        if self.n == 0:
            return None
        effect = self.design_effect
        return Fraction(self.clusters) if effect is None else self.n / effect


@dataclass(frozen=True, slots=True)
class Clustered:
    """A mean with the standard error that its clusters allow; None where it is not defined."""

    mean: float | None
    standard_error: float | None
    clusters: int
    design_effect: float | None
    n_eff: float | None
    low: float | None = None
    high: float | None = None


def clustered(values: Sequence[float], clusters: Sequence[object]) -> Clustered:
    """Mean and cluster-robust standard error of values, each in the cluster named at the same place.

    Miller (2024), «Adding error bars to evals», arXiv 2411.00640, with the small-sample factor C/(C−1). Of 0 and 1
    values, the interval is Wilson's on (p·n_eff, n_eff); of others there is none. The design effect is at least 1.
    """
    if len(values) != len(clusters):
        raise ValueError("as many clusters as values, please")
    n = len(values)
    if n == 0:
        return Clustered(None, None, 0, None, None)
    mean = math.fsum(values) / n
    members: dict[object, list[float]] = {}
    for value, cluster in zip(values, clusters, strict=True):
        members.setdefault(cluster, []).append(value)
    count = len(members)
    if all(value in (0, 1) for value in values):
        sums = [(int(sum(of)), len(of)) for of in members.values()]
        exact = ClusterSums(
            k=sum(k for k, _ in sums),
            n=n,
            clusters=count,
            kk=sum(k * k for k, _ in sums),
            kn=sum(k * size for k, size in sums),
            nn=sum(size * size for _, size in sums),
        )
        effect, n_eff, variance = exact.design_effect, exact.n_eff, exact.variance
        low, high = wilson(Fraction(exact.k, n) * n_eff, n_eff)
        return Clustered(
            mean=mean,
            standard_error=None if variance is None else math.sqrt(variance),
            clusters=count,
            design_effect=None if effect is None else float(effect),
            n_eff=float(n_eff),
            low=low,
            high=high,
        )
    if count < 2:
        return Clustered(mean, None, count, None, float(count))
    squares = math.fsum(math.fsum(value - mean for value in of) ** 2 for of in members.values())
    variance_ = squares / n**2 * count / (count - 1)
    iid = math.fsum((value - mean) ** 2 for value in values) / n**2
    effect_ = max(1.0, variance_ / iid) if iid > 0 else None
    return Clustered(
        mean, math.sqrt(variance_), count, effect_, float(count) if effect_ is None else n / effect_
    )
