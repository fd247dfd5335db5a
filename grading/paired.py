"""What is known of two rates of the same questions: the discordant pairs, a test of them, and their difference.

Of each pair both systems succeed (a), only the first (b), only the second (c), or neither (d). Numbers in, numbers out.
Undefined is None, in each place of a tuple; impossible counts raise ValueError.
"""

import math
from fractions import Fraction

from grading.binomial import log_probability
from grading.independent import DETECTABLE
from grading.proportions import normal_quantile, wilson_at, zero_bound

# Up to so many discordant pairs the p-value is a quotient of whole numbers, rounded once.
EXACT_UP_TO = 20_000


def mcnemar_exact(b: int, c: int) -> float:
    """Two-sided exact p that b and c discordant pairs are as likely: min(1, 2·Σ_{i≤min(b,c)} C(b+c, i)/2^(b+c)).

    McNemar (1947), Psychometrika 12, 153-157, with the binomial of its footnote. Correctly rounded up to 20,000
    discordant pairs; beyond, summed from the logarithm of the largest term. Without discordant pairs 1. Never 0: at
    least the least positive float.
    """
    least, n = _discordant(b, c)
    if n == 0 or b == c:
        return 1.0
    if n > EXACT_UP_TO or log_probability(least, n, 1, 2) < -800:
        return _summed(least, n, half_of_first=False)
    return min(1.0, max(_doubled_tail(least, n) / 2**n, math.ulp(0.0)))


def mcnemar_mid_p(b: int, c: int) -> float:
    """The mid-p of the same test: half of the probability of the very split seen is left out.

    Fagerland, Lydersen and Laake (2013), BMC Medical Research Methodology 13:91. Its level is not guaranteed, so it
    stands beside the exact p and never instead of it.
    """
    least, n = _discordant(b, c)
    if n == 0 or b == c:
        return 1.0
    if n > EXACT_UP_TO or log_probability(least, n, 1, 2) < -800:
        return _summed(least, n, half_of_first=True)
    return min(1.0, max((_doubled_tail(least, n) - math.comb(n, least)) / 2**n, math.ulp(0.0)))


def _discordant(b: int, c: int) -> tuple[int, int]:
    if b < 0 or c < 0:
        raise ValueError(f"{b} and {c} are not counts")
    return min(b, c), b + c


def _doubled_tail(least: int, n: int) -> int:
    """2·Σ_{i≤least} C(n, i), least < n/2: from below, or as 2^n less what is between the tails if that is shorter."""
    if least < n - 2 * least:
        term = total = 1
        for i in range(least):
            term = term * (n - i) // (i + 1)
            total += term
        return 2 * total
    first, last = least + 1, n // 2
    term = math.comb(n, first)
    middle = 0
    for i in range(first, last):
        middle += term
        term = term * (n - i) // (i + 1)
    if first > last:
        return 2**n
    # Below the middle each term has its mirror image; the middle one of an even n stands alone.
    return 2**n - 2 * middle - (term if n % 2 == 0 else 2 * term)


def _summed(least: int, n: int, *, half_of_first: bool) -> float:
    """The doubled tail from its largest term downwards; the rest is left out once it no longer counts."""
    ratio, total = 1.0, 0.5 if half_of_first else 1.0
    for i in range(least, 0, -1):
        ratio *= i / (n - i + 1)
        total += ratio
        if ratio < total * 1e-18:
            break
    return min(1.0, max(2 * math.exp(log_probability(least, n, 1, 2)) * total, math.ulp(0.0)))


def fewest_discordant(tests: int = 1, level: Fraction = Fraction(1, 20)) -> int:
    """With how many discordant pairs the exact test can reach p < level, as the first of `tests` under Holm.

    The least p of m pairs is 2/2^m. Alone 6, over 5 groups 8, over 20 groups 10.
    """
    if tests < 1:
        raise ValueError(f"{tests} is not a number of tests")
    m = 1
    while Fraction(2 * tests, 2**m) >= level:
        m += 1
    return m


def newcombe_paired(
    a: int, b: int, c: int, d: int, confidence: float = 0.95
) -> tuple[float | None, float | None, float | None]:
    """(b − c)/n, the first rate less the second, with its interval; (None, None, None) without pairs.

    Newcombe (1998), Statistics in Medicine 17, 2635-2650, method 10: Wilson's (l, u) of p1 = (a+b)/n and of
    p2 = (a+c)/n, low = δ − √((p1−l1)² − 2φ(p1−l1)(u2−p2) + (u2−p2)²), and high with the other sides. φ has the
    numerator ad − bc, less n/2 when above n/2, 0 when between 0 and n/2, over the root of the four margins; 0 when one
    of them is empty. Lies within [−1, 1].
    """
    if min(a, b, c, d) < 0:
        raise ValueError(f"{a}, {b}, {c} and {d} are not counts")
    n = a + b + c + d
    if n == 0:
        return None, None, None
    z = normal_quantile(confidence)
    low1, high1 = wilson_at(a + b, n, z)
    low2, high2 = wilson_at(a + c, n, z)
    p1, p2 = (a + b) / n, (a + c) / n
    difference = (b - c) / n
    phi = _phi(a, b, c, d, n)
    low = difference - _correlated(p1 - low1, high2 - p2, phi)
    high = difference + _correlated(high1 - p1, p2 - low2, phi)
    return difference, max(-1.0, low), min(1.0, high)


def _phi(a: int, b: int, c: int, d: int, n: int) -> float:
    margins = (a + b) * (c + d) * (a + c) * (b + d)
    if margins == 0:
        return 0.0
    numerator = a * d - b * c
    if 2 * numerator > n:
        return (numerator - n / 2) / math.sqrt(margins)
    return min(numerator, 0) / math.sqrt(margins)


def _correlated(one: float, other: float, phi: float) -> float:
    """√(x² − 2φxy + y²), which is never imaginary, but may round to it."""
    return math.sqrt(max(0.0, one * one - 2 * phi * one * other + other * other))


def detectable_paired(b: int, c: int, n: int) -> float | None:
    """The true difference that n such pairs would find (p < 0.05) in 80 % of cases; None without pairs.

    (z₀.₉₇₅ + z₀.₈₀)·√(ψ/n) = 2.801585·√(ψ/n), ψ = (b+c)/n the share of discordant pairs. Where none was seen ψ is
    bounded by the zero rule instead of taken as 0, which would claim that no difference can be missed. At most 1.
    """
    if b < 0 or c < 0 or b + c > n:
        raise ValueError(f"{b} and {c} discordant of {n} are not counts")
    if n == 0:
        return None
    discordant = (b + c) / n if b + c else zero_bound(n)
    return min(1.0, DETECTABLE * math.sqrt(discordant / n))
