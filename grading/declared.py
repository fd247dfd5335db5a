"""Whether a figure that someone declared is the one we compute, as its printed decimals allow."""

from collections.abc import Iterable, Mapping
from decimal import ROUND_HALF_EVEN, ROUND_HALF_UP, Decimal, localcontext
from enum import StrEnum
from fractions import Fraction

from evidence.descriptor import DeclaredFigure
from grading.figures import Declared, Rate, six_decimals

# Fewer decimals than these fit too many figures to confirm one.
FEWEST_DECIMALS = 3
Z_ROUNDED = 1.96


class Outcome(StrEnum):
    COINCIDES = "coincides"
    DIFFERS = "differs"
    NOT_COMPARABLE = "not_comparable"
    NOT_RECOMPUTED = "not_recomputed"


Place = tuple[str, str, str | None, str | None]


def compare(declared: Iterable[DeclaredFigure], rates: Mapping[Place, Rate]) -> tuple[Declared, ...]:
    """Each declared figure beside ours, in their order; `rates` by (metric, denominator, group, category)."""
    return tuple(_compared(figure, rates) for figure in declared)


def rounds_to(value: Fraction | float, printed: str) -> bool:
    """Whether a value, rounded half to even or half up at the decimals of a printed number, is that number."""
    exact = Fraction(value)
    places = Decimal(1).scaleb(-decimals(printed))
    with localcontext() as context:
        context.prec = 80
        quotient = Decimal(exact.numerator) / Decimal(exact.denominator)
        wanted = Decimal(printed)
        return any(
            quotient.quantize(places, rounding) == wanted for rounding in (ROUND_HALF_EVEN, ROUND_HALF_UP)
        )


def decimals(printed: str) -> int:
    """How many decimals a printed number has."""
    return len(printed.partition(".")[2])


def _compared(figure: DeclaredFigure, rates: Mapping[Place, Rate]) -> Declared:
    place = (figure.metric, figure.denominator, figure.group, figure.category)
    rate = rates.get(place)
    interval = (figure.low, figure.high)
    common = {
        "metric": figure.metric,
        "denominator": figure.denominator,
        "group": figure.group,
        "category": figure.category,
        "declared": figure.value,
        "declared_interval": interval,
    }
    if rate is None:
        return Declared(**common, computed=None, outcome=Outcome.NOT_RECOMPUTED)
    if rate.n == 0:
        return Declared(**common, computed=None, outcome=Outcome.DIFFERS)
    estimate = Fraction(rate.k, rate.n)
    low, high = rate.bounds()
    ours = {
        "computed": six_decimals(estimate),
        "computed_interval": (
            (six_decimals(low), six_decimals(high)) if figure.low or figure.high else (None, None)
        ),
    }
    printed = [number for number in (figure.value, *interval) if number is not None]
    coincides, z = rounds_to(estimate, figure.value), None
    if coincides and (figure.low or figure.high) and not _interval_coincides(interval, (low, high)):
        coincides = _interval_coincides(interval, rate.bounds(Z_ROUNDED))
        z = "1.96" if coincides else None
    if any(decimals(number) < FEWEST_DECIMALS for number in printed):
        return Declared(**common, **ours, outcome=Outcome.NOT_COMPARABLE)
    return Declared(**common, **ours, outcome=Outcome.COINCIDES if coincides else Outcome.DIFFERS, z=z)


def _interval_coincides(
    printed: tuple[str | None, str | None], bounds: tuple[float | None, float | None]
) -> bool:
    return all(
        number is None or rounds_to(bound, number) for number, bound in zip(printed, bounds, strict=True)
    )
