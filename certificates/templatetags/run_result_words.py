"""Template tags for the results of runs: counts, contamination, requests, tools, titles of points."""

from datetime import datetime
from typing import Any

from django import template

from certificates import run_sentences, words
from certificates.pages import Text

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
