"""Template tags for the registry's own words: codes, status sentences, figures and the addresses of public pages."""

from __future__ import annotations

from typing import Any

from django import template
from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import get_language

from certificates import addresses, sentences, words
from registry_site import wording

register = template.Library()


def _language() -> str:
    return wording.language_of(get_language() or "es")


@register.filter
def word(code: Any, table: str) -> str:
    """The word of a code: `{{ verdict.status|word:"status" }}`."""
    return "" if code is None and table != "in_force" else words.word(table, code)


@register.filter
def capital(text: Any) -> str:
    """A word at the beginning of a line: only its first letter changes."""
    told = str(text)
    return told[:1].upper() + told[1:]


@register.filter
def status_sentence(verdict: Any) -> SafeString:
    """The first line of a certificate, with what carries the weight in `<b>`."""
    return sentences.status_sentence(verdict).__html__()


@register.filter
def status_text(verdict: Any) -> str:
    """The same sentence as plain text, for titles and descriptions."""
    return sentences.status_sentence(verdict).text()


@register.filter
def further_sentences(verdict: Any) -> list[SafeString]:
    """What else is true of the status now."""
    return [sentence.__html__() for sentence in sentences.further_sentences(verdict)]


@register.filter
def step_title(entry: Any) -> SafeString:
    """What happened, as the timeline heads it."""
    return sentences.step_title(entry).__html__()


@register.filter
def step_text(entry: Any) -> str:
    """The same, as plain text."""
    return sentences.step_title(entry).text()


@register.filter
def entry_reason(entry: Any) -> str:
    """The reason of an entry as a sentence of its own."""
    return sentences.entry_reason(entry)


@register.filter
def group_word(key: str | None) -> str:
    """A language group by its key; None is the total."""
    return sentences.group_word(key)


@register.filter
def rate(figure: Any) -> str:
    """«15 de 148 · 10,1 % [6,2 – 16,0]»."""
    return "" if figure is None else sentences.rate(figure)


@register.filter
def estimate(figure: Any) -> str:
    """«10,1 % [6,2 – 16,0]»."""
    return "" if figure is None else sentences.estimate(figure)


@register.filter
def certificate_address(number: str) -> str:
    return addresses.certificate(number, _language())


@register.filter
def notice_address(number: str) -> str:
    return addresses.notice(number, _language())


@register.filter
def short_address(number: str) -> str:
    """The language-neutral address of a certificate, as printed."""
    return addresses.short(number)


@register.simple_tag
def address(name: str, *arguments: str) -> str:
    """Any other address of the registry: `{% address "home" %}`, `{% address "evidence_archive" number %}`."""
    if name in ("home", "certificates", "statuses"):
        return getattr(addresses, name)(_language())
    return getattr(addresses, name)(*arguments)


@register.simple_tag
def certificate_link(number: str) -> SafeString:
    """A certificate's number as a link to its page."""
    return format_html('<a href="{}"><span class="nb">{}</span></a>', certificate_address(number), number)


@register.simple_tag
def notice_link(number: str) -> SafeString:
    """A notice's number as a link to its page."""
    return format_html('<a href="{}"><span class="nb">{}</span></a>', notice_address(number), number)


# One drawing per status, on a square of 16: the shapes stand for statuses only, never for anything else.
SHAPES = {
    "active": '<circle cx="8" cy="8" r="7"/>',
    "suspended": '<circle class="o" cx="8" cy="8" r="6.1"/><path d="M8 1.9a6.1 6.1 0 0 0 0 12.2z"/>',
    "revoked": '<path class="x" d="M2.6 2.6 13.4 13.4M13.4 2.6 2.6 13.4"/>',
    "expired": '<circle class="o" cx="8" cy="8" r="6.1"/>',
    "superseded": '<path class="l" d="M1 8h12M8.3 2.8 13.5 8l-5.2 5.2"/>',
    "terminated": '<path d="M2 2h12v12H2z"/>',
    "unknown": '<text x="8" y="13.5">?</text>',
}


@register.simple_tag
def shape(status: str) -> SafeString:
    """The shape of a status, for the eye only: the word always stands beside it."""
    drawing = SHAPES.get(status, SHAPES["unknown"])
    return mark_safe(f'<svg class="sh" viewBox="0 0 16 16" aria-hidden="true">{drawing}</svg>')
