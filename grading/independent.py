"""What is known of two rates of different answers: their difference, a test of it, and what would have been missed.

Numbers in, numbers out. Undefined is None, in each place of a tuple; impossible counts raise ValueError.
"""

import math
from fractions import Fraction
from statistics import NormalDist

from grading.binomial import log_probability
from grading.proportions import Z95, normal_quantile, wilson_at, zero_bound

# A true difference of so many standard errors is found significant at 5 % in 80 % of measurements.
DETECTABLE = Z95 + NormalDist().inv_cdf(0.8)

# Up to so many answers Fisher's test is a quotient of whole numbers; beyond, of logarithms.
EXACT_UP_TO = 20_000


def newcombe_independent(
    k1: int | Fraction, n1: int | Fraction, k2: int | Fraction, n2: int | Fraction, confidence: float = 0.95
) -> tuple[float | None, float | None, float | None]:
    """k1/n1 − k2/n2 with its interval; (None, None, None) when either has no answers.

    Newcombe (1998), Statistics in Medicine 17, 873-890, method 10: with Wilson's (l, u) of each rate,
    low = d − √((p1−l1)² + (u2−p2)²) and high = d + √((u1−p1)² + (p2−l2)²). Lies within [−1, 1].
    """
    z = normal_quantile(confidence)
    low1, high1 = wilson_at(k1, n1, z)
    low2, high2 = wilson_at(k2, n2, z)
    if low1 is None or low2 is None:
        return None, None, None
    p1, p2 = float(k1 / n1), float(k2 / n2)
    difference = float((k1 * n2 - k2 * n1) / (n1 * n2))
    low = difference - math.hypot(p1 - low1, high2 - p2)
    high = difference + math.hypot(high1 - p1, p2 - low2)
    return difference, max(-1.0, low), min(1.0, high)


def fisher_exact(k1: int, n1: int, k2: int, n2: int) -> float:
    """Two-sided p of Fisher's exact test that k1 of n1 and k2 of n2 have one rate.

    Fisher (1935): of all tables with the same margins, the share that is as probable as this one or less. Whole
    numbers decide what is «as probable» up to 20,000 answers; beyond, ratios within 1e-7 count as equal, as in R.
    A single possible table (no variation, or no answers on a side) gives 1. Never 0: at least the least positive float.
    """
    for k, n in ((k1, n1), (k2, n2)):
        if k < 0 or n < 0 or k > n:
            raise ValueError(f"{k} of {n} is not a count")
    n, k = n1 + n2, k1 + k2
    first, last = max(0, k - n2), min(k, n1)
    if first == last:
        return 1.0
    # Where the most probable table is; this one is put at its left.
    mode = (k + 1) * (n1 + 1) // (n + 2)
    if k1 > mode:
        k1, n1, n2 = k2, n2, n1
        first, last = max(0, k - n2), min(k, n1)
    tails = _exact_tails if n <= EXACT_UP_TO else _logarithmic_tails
    return min(1.0, max(tails(k1, n1, n2, k, first, last), math.ulp(0.0)))


def _exact_tails(x: int, n1: int, n2: int, k: int, first: int, last: int) -> float:
    observed = math.comb(n1, x) * math.comb(n2, k - x)
    total = weight = observed
    for i in range(x, first, -1):
        weight = weight * i * (n2 - k + i) // ((n1 - i + 1) * (k - i + 1))
        total += weight
    weight = math.comb(n1, last) * math.comb(n2, k - last)
    i = last
    # The weights rise towards the mode; this table itself ends the way at the latest.
    while i > x and weight <= observed:
        total += weight
        weight = weight * i * (n2 - k + i) // ((n1 - i + 1) * (k - i + 1))
        i -= 1
    return total / math.comb(n1 + n2, k)


def _logarithmic_tails(x: int, n1: int, n2: int, k: int, first: int, last: int) -> float:
    n = n1 + n2
    whole = log_probability(k, n, k, n)

    def log_weight(i: int) -> float:
        """The hypergeometric probability as three binomial ones with the common rate."""
        return log_probability(i, n1, k, n) + log_probability(k - i, n2, k, n) - whole

    def tail(i: int, end: int, step: int) -> float:
        """Σ of the weights from i to the end, in units of that at i; the rest is left out once it no longer counts."""
        weight = total = 1.0
        while i != end and weight > total * 1e-18:
            lower = i if step < 0 else i + 1
            ratio = (lower * (n2 - k + lower)) / ((n1 - lower + 1) * (k - lower + 1))
            weight = weight * ratio if step < 0 else weight / ratio
            total += weight
            i += step
        return total

    observed = log_weight(x)
    p = math.exp(observed) * tail(x, first, -1)
    as_probable = observed + 1e-7
    if log_weight(last) > as_probable:
        return p
    more_probable, at = (k + 1) * (n1 + 1) // (n + 2), last
    if log_weight(more_probable) <= as_probable:
        return 1.0
    # The other tail starts at the first table beyond the mode that is as probable as this one, or less.
    while at - more_probable > 1:
        middle = (at + more_probable) // 2
        if log_weight(middle) <= as_probable:
            at = middle
        else:
            more_probable = middle
    return p + math.exp(log_weight(at)) * tail(at, last, +1)


def least_fisher_p(n1: int, n2: int) -> Fraction:
    """The least p that Fisher's test can reach with n1 and n2 answers: everything on one side, nothing on the other.

    1/C(n1+n2, n1), twice that when both are as many (the mirrored table is as probable).
    """
    if n1 < 0 or n2 < 0:
        raise ValueError(f"{n1} and {n2} are not counts")
    return min(Fraction(1), Fraction(2 if n1 == n2 else 1, math.comb(n1 + n2, n1)))


def fewest_a_side(tests: int = 1, level: Fraction = Fraction(1, 20)) -> int:
    """With how many answers a side Fisher's test can reach p < level, as the first of `tests` under Holm."""
    if tests < 1:
        raise ValueError(f"{tests} is not a number of tests")
    m = 1
    while least_fisher_p(m, m) * tests >= level:
        m += 1
    return m


def detectable_independent(k1: int, n1: int, k2: int, n2: int) -> float | None:
    """The true difference that two such measurements would find (p < 0.05) in 80 % of cases; None without answers.

    (z₀.₉₇₅ + z₀.₈₀)·√(p(1−p)(1/n1 + 1/n2)), p = (k1+k2)/(n1+n2): 2.801585·√(2p(1−p)/n) when both have n. Where no case
    (or nothing else) was seen, p is bounded by the zero rule instead of taken as 0. At most 1.
    """
    for k, n in ((k1, n1), (k2, n2)):
        if k < 0 or n < 0 or k > n:
            raise ValueError(f"{k} of {n} is not a count")
    if n1 == 0 or n2 == 0:
        return None
    k, n = k1 + k2, n1 + n2
    if k in (0, n):
        p = min(zero_bound(n), 0.5)
        spread = p * (1 - p)
    else:
        spread = k * (n - k) / n**2
    return min(1.0, DETECTABLE * math.sqrt(spread * (n / (n1 * n2))))
