"""The logarithm of one binomial probability, to the last digits whatever the counts.

Loader (2000), «Fast and accurate computation of binomial probabilities»: three log-gammas of a million answers would
cancel to seven digits; the remainders of Stirling's formula and the deviances do not.
"""

import math


def log_probability(k: int, n: int, numerator: int, denominator: int) -> float:
    """log of C(n, k)·p^k·(1−p)^(n−k) with p = numerator/denominator strictly between 0 and 1."""
    if k == 0:
        return n * math.log1p(-numerator / denominator)
    if k == n:
        return n * math.log(numerator / denominator)
    # k less its mean, a fraction of whole numbers: exact until it is rounded once.
    above = (k * denominator - n * numerator) / denominator
    deviances = _deviance(k, n * numerator / denominator, above) + _deviance(
        n - k, n * (denominator - numerator) / denominator, -above
    )
    remainders = _remainder(n) - _remainder(k) - _remainder(n - k)
    return remainders - deviances + 0.5 * math.log(n / (2 * math.pi * k * (n - k)))


def _deviance(x: int, mean: float, above: float) -> float:
    """x·log(x/mean) + mean − x, where above = x − mean."""
    if abs(above) >= 0.1 * (x + mean):
        return x * math.log(x / mean) - above
    v = above / (x + mean)
    total = above * v
    power = 2 * x * v
    for j in range(1, 1000):
        power *= v * v
        more = total + power / (2 * j + 1)
        if more == total:
            break
        total = more
    return total


def _remainder(n: int) -> float:
    """log n! less Stirling's formula."""
    if n < 16:
        return math.lgamma(n + 1) - ((n + 0.5) * math.log(n) - n + 0.5 * math.log(2 * math.pi))
    square = n * n
    return (1 / 12 - (1 / 360 - (1 / 1260 - 1 / 1680 / square) / square) / square) / n
