"""Template tags over comparisons: sentences, cases and addresses, in the language that is active."""

from typing import Any

from django import template
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import pgettext_lazy

from certificates import addresses
from certificates.sentences import group_word
from grading.sentences import comparisons, telling
from registry_site import present_language, wording

register = template.Library()

# Of each outcome: what is a case, and what is none.
CASES = {
    "accuracy": (pgettext_lazy("compared answer", "exact"), pgettext_lazy("compared answer", "not exact")),
    "hallucination": (
        pgettext_lazy("compared answer", "hallucinated"),
        pgettext_lazy("compared answer", "did not hallucinate"),
    ),
    "unnecessary_abstention": (
        pgettext_lazy("compared answer", "abstained"),
        pgettext_lazy("compared answer", "did not abstain"),
    ),
    "necessary_abstention": (
        pgettext_lazy("compared answer", "abstained"),
        pgettext_lazy("compared answer", "did not abstain"),
    ),
}


@register.filter
def case(metric: str) -> str:
    """«exact»: what a case of the outcome is."""
    return str(CASES[metric][0])


@register.filter
def no_case(metric: str) -> str:
    """«not exact»."""
    return str(CASES[metric][1])


@register.filter
def row_sentences(row: Any) -> tuple[str, ...]:
    """What one row says: whether there is a difference, what would have been found, what limits it."""
    return comparisons.of_row(row, present_language.code())


@register.simple_tag
def outcome_sentences(outcome: Any, grouping: str) -> tuple[str, ...]:
    """What is said beneath the table of an outcome."""
    return comparisons.of_outcome(
        outcome, present_language.code(), name=lambda key: group_word(key, grouping)
    )


@register.filter
def of_what(result: Any) -> tuple[str, ...]:
    """Of which questions the comparison is."""
    return comparisons.of_what(result, present_language.code())


@register.filter
def difference_points(row: Any) -> SafeString:
    """«−12,0 [−18,3 – −5,6]» percentage points."""
    language = present_language.code()
    points = [telling.points(row[key], language) for key in ("difference", "low", "high")]
    return format_html('{} <span class="nb">[{}]</span>', points[0], _interval(points[1], points[2]))


def _interval(low: str, high: str) -> str:
    return f"{low}{wording.NO_BREAK}{wording.EN_DASH}{wording.NO_BREAK}{high}"


@register.filter
def points(value: Any) -> str:
    """«12,0» percentage points."""
    return telling.points(value, present_language.code())


@register.filter
def lines(text: str) -> SafeString:
    """A list of values as lines of their own."""
    return format_html_join(
        SafeString("<br>"), '<span class="break">{}</span>', ((one,) for one in text.split("; "))
    )


@register.simple_tag
def compare_address(first: str = "", second: str = "") -> str:
    """The public page that compares; with references, of these."""
    query = "&".join(f"{name}={of}" for name, of in (("first", first), ("second", second)) if of)
    address = addresses.compare(present_language.code())
    return f"{address}?{query}" if query else address


@register.filter
def comparison_json(page: Any) -> str:
    """Where programs read the same."""
    first, second = (of.reference.removeprefix("M-") for of in (page.first, page.second))
    return addresses.comparison_json(int(first), int(second))
