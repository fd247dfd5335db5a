"""Template tags for the results of runs: counts, contamination, requests, tools, titles of points."""

from collections.abc import Mapping
from datetime import datetime
from decimal import Decimal
from typing import Any
from urllib.parse import urlencode

from django import template
from django.utils.translation import gettext

from certificates import addresses, run_sentences, words
from certificates.pages import MarkCounts, Text
from grading import run_marks
from grading.sentences import runs
from registry_site import present_language, wording

register = template.Library()


@register.filter
def contamination(k: int) -> str:
    return run_sentences.contamination(k)


@register.filter
def marks_counted(counts: Any) -> str:
    return run_sentences.counts(counts)


@register.filter
def requests_named(numbers: list[int]) -> str:
    return run_sentences.requests_named(numbers)


@register.filter
def tools(codes: list[str]) -> str:
    return run_sentences.tools(codes)


@register.filter
def minutes(seconds: int) -> int:
    """Whole minutes of a limit."""
    return seconds // 60


@register.filter
def clock_time(at: datetime) -> str:
    """«14:05:09»: a moment of a trace whose day is known."""
    return at.strftime("%H:%M:%S")


@register.filter
def clock_left(seconds: int) -> str:
    """«19:40»: minutes and seconds that are left of a limit."""
    return f"{seconds // 60}:{seconds % 60:02d}"


@register.filter
def point_title(code: str, case: Any) -> Text:
    """The public title of a point of a case, in both languages."""
    return Text(**run_sentences.title_of(code, case.points))


@register.filter
def run_button(step: str) -> str:
    """What a person presses to end a run otherwise."""
    return words.word("button", f"run_{step}")


@register.filter
def lasted(seconds: float) -> str:
    """«en 4 minutos y 12 segundos»."""
    return run_sentences.lasted(seconds)


@register.filter
def intervention(kind: str) -> str:
    """What somebody handed to the agent, as its operator declared it."""
    return run_sentences.intervention(kind)


@register.filter
def run_citation(page: Any) -> str:
    """What may be said of a published run, word for word."""
    return run_sentences.citation(page)


@register.simple_tag
def run_compare_address(one: str = "", other: str = "") -> str:
    """The page of two systems by their runs; with numbers, of the groups that these are in."""
    query = urlencode({name: of for name, of in (("one", one), ("other", other)) if of})
    address = addresses.run_compare(present_language.code())
    return f"{address}?{query}" if query else address


@register.filter
def run_comparison_json(page: Any) -> str:
    """Where programs read the same."""
    return addresses.run_comparison_json(page.first.run, page.second.run)


@register.filter
def aggregate_told(group: Any) -> tuple[str, ...]:
    """All that is said of several runs together; of too few that they are."""
    return runs.tell_aggregate(group.aggregate, present_language.code())


@register.filter
def comparison_told(page: Any) -> tuple[str, ...]:
    """All that is said beneath the table of two systems."""
    language = present_language.code()
    return runs.tell_comparison(page.result, language, name=lambda code: _title(page, code, language))


@register.filter
def too_few_told(page: Any) -> str:
    """«Comparación no publicada: 2 de 3 …»."""
    return runs.too_few(page.runs, page.minimum, present_language.code())


@register.filter
def left_out_told(reason: str) -> str:
    """Why a run does not count."""
    return run_sentences.left_out(reason)


@register.filter
def met_of(group: Any, code: str) -> str:
    """«2 de 3 · 66,7 % [20,8 – 93,9]»: how often a point was met, of the runs in which it could be seen."""
    return run_sentences.met_of(group.figures[code])


@register.filter
def compared_point_title(page: Any, code: str) -> str:
    return _title(page, code, present_language.code())


def _title(page: Any, code: str, language: str) -> str:
    return page.titles[code].in_language(language) if code in page.titles else code


@register.filter
def marks_counted_of(shown: Mapping[str, Any]) -> str:
    """«3 cumplidos, 1 no cumplido» of a run that stands among several."""
    return run_sentences.counts(MarkCounts(**{mark: shown[mark] for mark in run_marks.MARKS}))


@register.filter
def share_met(estimate: str) -> str:
    """«40,0 %»; of none the word."""
    if Decimal(estimate) == 0:
        return gettext("no point")
    return wording.percentage(Decimal(estimate), present_language.code())
