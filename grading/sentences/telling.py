"""How sentences of a result are filled in: numbers, differences, probabilities as readers of a language write them."""

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from registry_site import wording

Texts = Mapping[str, tuple[str, str]]

LEVEL = Decimal("0.05")


def say(texts: Texts, code: str, language: str, **values: Any) -> str:
    """The sentence of a code, (es, en), with its values."""
    return texts[code][language == "en"].format(**values)


def probability(value: str | None, language: str, *, below_level: bool | None = None) -> str:
    """«p = 0,153», «p < 0,001»; empty for None.

    `below_level`: whether the test found p below 0.05, decided before anything was rounded. Where three decimals would
    say otherwise («0,050» of 0.04999), it is «p < 0,05».
    """
    if value is None:
        return ""
    rounded = Decimal(value).quantize(Decimal("0.001"))
    if below_level and rounded >= LEVEL:
        return f"p < {wording.decimal(LEVEL, language)}"
    told = wording.p_value(value, language)
    return f"p < {told[1:]}" if told.startswith("<") else f"p = {told}"


def difference(of: Mapping[str, Any], language: str) -> dict[str, str]:
    """`d`, `lo` and `hi` of a difference with its interval, in percentage points."""
    return {
        "d": points(of["difference"], language),
        "lo": points(of["low"], language),
        "hi": points(of["high"], language),
    }


def points(value: str | Decimal, language: str) -> str:
    """A difference of fractions of 1 in percentage points, one decimal, with its sign when below 0."""
    return wording.decimal(Decimal(value) * 100, language, 1)


def two(value: str, language: str) -> str:
    """A number with two decimals, as a kappa is written."""
    return wording.decimal(Decimal(value), language, 2)
