"""Template tags of test cases, series and rubrics."""

from django import template
from django.utils.html import format_html
from django.utils.safestring import SafeString

from certificates import addresses, rubric_words
from evidence.models.run import RunOutcome, RunState
from registry_site import present_language

register = template.Library()

_RUN = dict(RunState.choices) | dict(RunOutcome.choices)


@register.simple_tag
def case_address(code: str) -> str:
    """The page of a case, in the present language."""
    return addresses.case(code, present_language.code())


@register.simple_tag
def case_version_address(code: str, version: int) -> str:
    return addresses.case_version(code, version, present_language.code())


@register.simple_tag
def series_address(code: str) -> str:
    """The page of a series, in the present language."""
    return addresses.series(code, present_language.code())


@register.simple_tag
def run_address(number: str) -> str:
    """The public page of a run, in the present language."""
    return addresses.run(number, present_language.code())


@register.filter
def run_word(code: str) -> str:
    """The word of a state or outcome of a run."""
    return str(_RUN.get(code, code))


@register.filter
def series_word(code: str) -> str:
    """The word of a state or step of a series."""
    return rubric_words.word("series", code)


@register.filter
def rule_value(value: str) -> SafeString:
    """What a term of a rule says: in words where it has some, else letter by letter."""
    said = rubric_words.word("value", value)
    return format_html("{}" if said != value else "<code>{}</code>", said)


@register.filter
def rule_word(code: str, table: str) -> str:
    """The word of what a rubric says: `{{ control.rule|rule_word:"rule" }}` (kind, rule, term)."""
    return rubric_words.word(table, code)
