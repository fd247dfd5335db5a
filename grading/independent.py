"""What is known of two rates of different answers: their difference, a test of it, and what would have been missed.

Numbers in, numbers out. Undefined is None, in each place of a tuple; impossible counts raise ValueError.
"""

import math
from fractions import Fraction
from statistics import NormalDist

from grading.proportions import Z95, normal_quantile, wilson_at, zero_bound

# A true difference of so many standard errors is found significant at 5 % in 80 % of measurements.
DETECTABLE = Z95 + NormalDist().inv_cdf(0.8)

# Where few answers make p a plain fraction, 1/20 must not become less. Ten times the time of floats at this size.
ROUNDED_ONCE_UP_TO = 100
# Up to so many answers whole numbers decide which of two tables is as probable.
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

    Fisher (1935): of all tables with the same margins, the share that is as probable as this one or less; a quotient of
    whole numbers, rounded once, up to 100 answers. Beyond, tables whose probabilities differ in the ninth digit or
    later are compared in whole numbers up to 20,000 answers, and count as equal from there on (R allows 1e-7). A single
    possible table (no variation, or no answers on a side) gives 1. Never 0: at least the least positive float.
    """
    for k, n in ((k1, n1), (k2, n2)):
        if k < 0 or n < 0 or k > n:
            raise ValueError(f"{k} of {n} is not a count")
    k = k1 + k2
    mode = (k + 1) * (n1 + 1) // (n1 + n2 + 2)
    if k1 > mode:
        # Mirrored, this table is at the left of the most probable one.
        k1, n1, k2, n2 = k2, n2, k1, n1
        mode = (k + 1) * (n1 + 1) // (n1 + n2 + 2)
    first, last, spare = max(0, k - n2), min(k, n1), n2 - k
    mode = min(max(mode, first), last)
    if k1 == mode or first == last:
        return 1.0
    if n1 + n2 <= ROUNDED_ONCE_UP_TO:
        weights = [math.comb(n1, i) * math.comb(n2, k - i) for i in range(first, last + 1)]
        observed = weights[k1 - first]
        return sum(weight for weight in weights if weight <= observed) / math.comb(n1 + n2, k)

    # Probabilities in units of the most probable table's, by the ratios of neighbours, until they no longer count.
    weight = total = 1.0
    for i in range(mode, k1, -1):
        weight *= i * (spare + i) / ((n1 - i + 1) * (k - i + 1))
        total += weight
    observed = tail = weight
    if observed == 0:
        return math.ulp(0.0)
    least = observed * 1e-17
    for i in range(k1, first, -1):
        weight *= i * (spare + i) / ((n1 - i + 1) * (k - i + 1))
        tail += weight
        total += weight
        if weight < least:
            break

    def is_as_probable(weight: float, i: int) -> bool:
        if abs(weight - observed) > 1e-9 * observed:
            return weight < observed
        if n1 + n2 > EXACT_UP_TO:
            return True
        return math.comb(n1, i) * math.comb(n2, k - i) <= math.comb(n1, k1) * math.comb(n2, k2)

    weight, at = 1.0, mode
    clearly_more = observed * (1 + 1e-9)
    while at < last and (weight > clearly_more or not is_as_probable(weight, at)):
        weight *= (n1 - at) * (k - at) / ((at + 1) * (spare + at + 1))
        at += 1
        total += weight
    if is_as_probable(weight, at):
        if at == mode:
            return 1.0
        tail += weight
        for i in range(at, last):
            weight *= (n1 - i) * (k - i) / ((i + 1) * (spare + i + 1))
            tail += weight
            total += weight
            if weight < least:
                break
    return min(1.0, tail / total)


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
