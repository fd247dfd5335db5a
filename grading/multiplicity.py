"""What several tests at once cost: Holm's adjustment, and the confidence of each of several intervals."""

from collections.abc import Sequence
from fractions import Fraction


def holm(ps: Sequence[float | None]) -> list[float | None]:
    """p-values adjusted for each other, in the order given; what has no p stays None and is no test.

    Holm (1979), Scandinavian Journal of Statistics 6, 65-70: the i-th least of m is multiplied by m − i + 1, never
    below the ones before it, at most 1.
    """
    tests = [index for index, p in enumerate(ps) if p is not None]
    for index in tests:
        if not 0 <= ps[index] <= 1:
            raise ValueError(f"{ps[index]} is no p-value")
    adjusted: list[float | None] = [None] * len(ps)
    floor = 0.0
    for place, index in enumerate(sorted(tests, key=lambda index: ps[index])):
        floor = min(1.0, max(floor, (len(tests) - place) * ps[index]))
        adjusted[index] = floor
    return adjusted


def simultaneous(groups: int, level: Fraction = Fraction(1, 20)) -> float:
    """The confidence each of several intervals needs so that all hold together at 1 − level: 1 − level/groups."""
    if groups < 1:
        raise ValueError(f"{groups} is not a number of groups")
    return float(1 - level / groups)
