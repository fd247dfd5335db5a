"""How sentences of a result are filled in: numbers, differences, probabilities as readers of a language write them."""

from collections.abc import Iterable, Mapping
from decimal import Decimal
from typing import Any

from grading.words import word
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


def rate(of: Mapping[str, Any], language: str) -> str:
    """«10,1 % [6,2 – 16,0]» of `estimate`, `low` and `high`; of none and of all the interval alone, never «0 %»."""
    ends = wording.interval(of["low"], of["high"], language)
    if Decimal(of["estimate"]) in (0, 1):
        return wording.percent(ends, language)
    return f"{wording.percentage(of['estimate'], language)} {ends}"


def counted_rate(of: Mapping[str, Any], language: str) -> str:
    """«15 de 148 · 10,1 % [6,2 – 16,0]» of a rate with `k` and `n` too."""
    return f"{wording.ratio(of['k'], of['n'], language)} · {rate(of, language)}"


def threshold(value: str, language: str) -> str:
    """A threshold as it was set: «10 %», «2,5 %»."""
    hundredths = (Decimal(value) * 100).normalize()
    return wording.percent(
        wording.decimal(hundredths, language, max(0, -hundredths.as_tuple().exponent)), language
    )


def beside(value: str, limit: str, language: str) -> str:
    """A bound beside its threshold: one decimal, or as many as it takes for the two not to look the same."""
    of, mark = Decimal(value), Decimal(limit)
    places = 1
    while of != mark and places < 4 and round(of * 100, places) == round(mark * 100, places):
        places += 1
    return wording.percentage(of, language, places)


def signed_points(value: str, language: str) -> str:
    """A margin in percentage points with its sign; what is not 0 is never printed as 0: «+<0,1»."""
    of = Decimal(value) * 100
    sign = "+" if of > 0 else wording.MINUS
    size = abs(of).quantize(Decimal("0.1"))
    return sign + (wording.decimal(size, language) if size else "<" + wording.decimal("0.1", language))


def named(groups: Iterable[Mapping[str, str]], key: str, words: Any, language: str, name: Any) -> str:
    """«francés (orientativo) e italiano (suprimido)»: groups with the word for why they are named."""
    told = [f"{name(of['group'])} ({word(words, of[key], language)})" for of in groups]
    return wording.listing(told, language)
