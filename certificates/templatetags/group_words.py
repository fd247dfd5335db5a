"""Template tags for what figures show beyond themselves: `grading.sentences` in the language that is active."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from django import template
from django.utils.html import format_html
from django.utils.safestring import SafeString

from certificates import words
from grading import group_names
from grading.sentences import agreement, criteria, groups, telling
from registry_site import present_language

register = template.Library()


@register.simple_tag
def groups_told(between: Any, grouping: str = "") -> groups.Told:
    """The groups among each other in one `pages.BetweenGroups`."""
    return groups.tell(
        present_language.code(),
        homogeneity=between.homogeneity,
        gaps=between.gaps,
        worst=between.worst,
        macro=between.macro,
        name=_names(grouping),
    )


@register.simple_tag
def criteria_told(decision: Mapping[str, Any], grouping: str = "") -> criteria.ToldCriteria:
    """The decision on acceptance criteria (`grading.publishable.criteria`), clause by clause."""
    return criteria.tell(
        decision,
        present_language.code(),
        name=_names(grouping),
        category=lambda code: words.word("category", code),
    )


@register.simple_tag
def agreement_told(measured: Mapping[str, Any], suppressed_below: int = 10) -> agreement.ToldAgreement:
    """The agreement of judges with people (`grading.publishable.agreement`), of a package or a later calibration."""
    return agreement.tell(measured, present_language.code(), suppressed_below=suppressed_below)


@register.filter
def threshold(value: str) -> str:
    """A threshold as the scheme sets it: «10 %», «2,5 %»."""
    return telling.threshold(value, present_language.code())


@register.filter
def whole_interval(told: str) -> SafeString | str:
    """«15 de 148 · 10,1 % [6,2 – 16,0]» with its interval in one piece: a line may else end after the dash."""
    before, bracket, rest = told.partition("[")
    return format_html('{}<span class="nb">[{}</span>', before, rest) if bracket else told


@register.filter
def of_metric(between: Any, metric: str) -> list[Any]:
    """Those of one metric: `{{ page.between|of_metric:page.headline.0 }}`."""
    return [one for one in between if one.metric == metric]


@register.filter
def but_metric(between: Any, metric: str) -> list[Any]:
    """Those of the other metrics."""
    return [one for one in between if one.metric != metric]


def _names(grouping: str) -> Callable[[str], str]:
    language = present_language.code()
    return lambda key: group_names.name(key, language, grouping=grouping)
