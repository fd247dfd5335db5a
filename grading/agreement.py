"""How far raters agree beyond chance: kappa of two or of several, exactly, and the words for it.

Counts in, frozen dataclasses out; kappas are Fractions. Undefined is None; impossible counts raise ValueError.
"""

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from numbers import Integral, Rational

from grading.proportions import Z95, wilson, zero_bound

# Fewer answers than this and a kappa is indicative only.
INDICATIVE_BELOW = 30


class Strength(StrEnum):
    """The words of Landis and Koch (1977), Biometrics 33, 159-174."""

    POOR = "poor"
    SLIGHT = "slight"
    FAIR = "fair"
    MODERATE = "moderate"
    SUBSTANTIAL = "substantial"
    ALMOST_PERFECT = "almost_perfect"


_UP_TO = (
    (Fraction(1, 5), Strength.SLIGHT),
    (Fraction(2, 5), Strength.FAIR),
    (Fraction(3, 5), Strength.MODERATE),
    (Fraction(4, 5), Strength.SUBSTANTIAL),
    (Fraction(1), Strength.ALMOST_PERFECT),
)


def landis_koch(kappa: Fraction | float | None) -> Strength | None:
    """The word for a kappa: poor below 0, slight up to 1/5, fair 2/5, moderate 3/5, substantial 4/5, almost perfect.

    Decided on Fractions. A float is taken as the decimal it prints as, so that 0.4 is 2/5. None for None.
    """
    if kappa is None:
        return None
    if not -1 <= kappa <= 1:
        raise ValueError(f"{kappa} is no kappa")
    exact = Fraction(kappa) if isinstance(kappa, Rational) else Fraction(str(float(kappa)))
    if exact < 0:
        return Strength.POOR
    return next(word for most, word in _UP_TO if exact <= most)


# -- two raters ----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class CohenKappa:
    """Agreement of two raters. None where it is undefined: all without answers, kappa also with one category only.

    `matrix[i][j]`: answers that the first rater put in category i and the second in j; `rows` and `columns` are its
    margins. `per_category`: 2·m_jj/(r_j + c_j), None for a category nobody used. `disagreement_bound`: where all agree,
    the rate of disagreement is not 0 but does not exceed this.
    """

    matrix: tuple[tuple[int, ...], ...]
    rows: tuple[int, ...]
    columns: tuple[int, ...]
    n: int
    kappa: Fraction | None
    standard_error: float | None
    low: float | None
    high: float | None
    raw_agreement: Fraction | None
    raw_low: float | None
    raw_high: float | None
    per_category: tuple[Fraction | None, ...]
    disagreement_bound: float | None

    @property
    def strength(self) -> Strength | None:
        return landis_koch(self.kappa)

    @property
    def strength_of_bounds(self) -> tuple[Strength | None, Strength | None]:
        """The words for both ends of the interval: «fair to substantial»."""
        return landis_koch(self.low), landis_koch(self.high)

    @property
    def is_indicative(self) -> bool:
        return self.n < INDICATIVE_BELOW


def cohen_kappa(matrix: Sequence[Sequence[int]]) -> CohenKappa:
    """Cohen's unweighted kappa of a square table of counts, with its 95 % interval clipped to [−1, 1].

    Cohen (1960), Educational and Psychological Measurement 20, 37-46: κ = (n·Σd − Σr·c)/(n² − Σr·c), a Fraction.
    Standard error: Fleiss, Cohen and Everitt (1969), Psychological Bulletin 72, 323-327, formula 13, computed in whole
    numbers up to the root. One category only: κ is 0/0, None.
    """
    table = _counts(matrix)
    size = len(table)
    if any(len(row) != size for row in table):
        raise ValueError("the table must have as many columns as rows")
    rows = tuple(sum(row) for row in table)
    columns = tuple(sum(column) for column in zip(*table, strict=True))
    n = sum(rows)
    agreed = sum(table[j][j] for j in range(size))
    raw_low, raw_high = wilson(agreed, n)
    per_category = tuple(
        Fraction(2 * table[j][j], rows[j] + columns[j]) if rows[j] + columns[j] else None for j in range(size)
    )
    by_chance = sum(r * c for r, c in zip(rows, columns, strict=True))
    room = n * n - by_chance
    kappa = error = low = high = None
    if room:
        kappa = Fraction(n * agreed - by_chance, room)
        error = _standard_error(table, rows, columns, n, agreed, by_chance)
        low = max(-1.0, float(kappa) - Z95 * error)
        high = min(1.0, float(kappa) + Z95 * error)
    return CohenKappa(
        matrix=table,
        rows=rows,
        columns=columns,
        n=n,
        kappa=kappa,
        standard_error=error,
        low=low,
        high=high,
        raw_agreement=Fraction(agreed, n) if n else None,
        raw_low=raw_low,
        raw_high=raw_high,
        per_category=per_category,
        disagreement_bound=zero_bound(n) if agreed == n else None,
    )


def _standard_error(
    table: Sequence[Sequence[int]],
    rows: Sequence[int],
    columns: Sequence[int],
    n: int,
    agreed: int,
    by_chance: int,
) -> float:
    """√((A + B − C)/(n(1−pe)⁴)), every share multiplied by n so that whole numbers are left."""
    room = n * n - by_chance
    disagreed = n - agreed
    spread = 0
    for i, row in enumerate(table):
        for j, count in enumerate(row):
            if not count:
                continue
            if i == j:
                spread += count * (room - (rows[i] + columns[i]) * disagreed) ** 2
            else:
                spread += count * (disagreed * (columns[i] + rows[j])) ** 2
    centre = agreed * by_chance - 2 * n * by_chance + n * n * agreed
    return math.sqrt(n * (n * spread - centre * centre) / room**4)


def two_categories(matrix: Sequence[Sequence[int]], positive: Collection[int]) -> list[list[int]]:
    """The table of «is one of these categories, or is not»: [[both, first only], [second only, neither]].

    Its kappa is that of «hallucinates» when `positive` has the places of the hallucinating verdicts.
    """
    cells = [[0, 0], [0, 0]]
    for i, row in enumerate(matrix):
        for j, count in enumerate(row):
            cells[i not in positive][j not in positive] += count
    return cells


# -- several raters ------------------------------------------------------------------------------


class NoFleiss(StrEnum):
    """Why there is no Fleiss kappa."""

    NO_ANSWERS = "no_answers"
    DIFFERENT_NUMBERS_OF_RATERS = "different_numbers_of_raters"
    FEWER_THAN_TWO_RATERS = "fewer_than_two_raters"
    ONE_CATEGORY = "one_category"


@dataclass(frozen=True, slots=True)
class FleissKappa:
    """Agreement of several raters; `reason` says why kappa is None. `standard_error` holds if there is no agreement."""

    n: int
    raters: int | None
    kappa: Fraction | None
    raw_agreement: Fraction | None
    by_chance: Fraction | None
    standard_error: float | None
    reason: NoFleiss | None = None


def fleiss_kappa(table: Sequence[Sequence[int]], times: Sequence[int] | None = None) -> FleissKappa:
    """Fleiss's kappa: one row for each answer, with the number of raters that chose each category.

    Fleiss (1971), Psychological Bulletin 76, 378-382; standard error under no agreement: Fleiss, Nee and Landis (1979),
    Psychological Bulletin 86, 974-977. Every answer must have the same number of raters, two at least; else None.
    `times`: how many answers have each row, where many are alike.
    """
    rows = _counts(table)
    (often,) = _counts([[1] * len(rows) if times is None else times])
    if len(often) != len(rows):
        raise ValueError("as many times as rows, please")
    rows, often = (
        tuple(row for row, count in zip(rows, often, strict=True) if count),
        tuple(count for count in often if count),
    )
    if len({len(row) for row in rows}) > 1:
        raise ValueError("every row must have the same categories")
    n = sum(often)
    numbers = {sum(row) for row in rows}
    reason = None
    if n == 0:
        reason = NoFleiss.NO_ANSWERS
    elif len(numbers) > 1:
        reason = NoFleiss.DIFFERENT_NUMBERS_OF_RATERS
    elif min(numbers) < 2:
        reason = NoFleiss.FEWER_THAN_TWO_RATERS
    if reason:
        return FleissKappa(
            n, next(iter(numbers)) if len(numbers) == 1 else None, None, None, None, None, reason
        )
    (m,) = numbers
    pairs = n * m * (m - 1)
    raw = Fraction(
        sum(
            alike * sum(count * (count - 1) for count in row) for row, alike in zip(rows, often, strict=True)
        ),
        pairs,
    )
    totals = [
        sum(alike * count for count, alike in zip(column, often, strict=True))
        for column in zip(*rows, strict=True)
    ]
    whole = n * m
    chance = Fraction(sum(total * total for total in totals), whole * whole)
    if chance == 1:
        return FleissKappa(n, m, None, raw, chance, None, NoFleiss.ONE_CATEGORY)
    spread = 1 - chance
    skew = Fraction(sum(total * (whole - total) * (whole - 2 * total) for total in totals), whole**3)
    error = math.sqrt(2 * (spread * spread - skew) / (spread * spread * pairs))
    return FleissKappa(n, m, (raw - chance) / spread, raw, chance, error)


def _counts(table: Sequence[Sequence[int]]) -> tuple[tuple[int, ...], ...]:
    """The table in whole numbers of our own (those of array libraries overflow)."""
    for row in table:
        for count in row:
            if not isinstance(count, Integral) or count < 0:
                raise ValueError(f"{count} is not a count")
    return tuple(tuple(int(count) for count in row) for row in table)
