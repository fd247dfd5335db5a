"""Template tags for the registry's own words: codes, status sentences, figures and the addresses of public pages."""

from __future__ import annotations

from typing import Any

from django import template
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext

from certificates import addresses, sentences, words
from registry_site import present_language, wording

register = template.Library()


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
def group_word(key: str | None, grouping: str = "") -> str:
    """A language group by its key, in the scheme's grouping: `{{ key|group_word:grouping }}`; None is the total."""
    return sentences.group_word(key, grouping)


@register.filter
def rate(figure: Any) -> str:
    """«15 de 148 · 10,1 % [6,2 – 16,0]»."""
    return "" if figure is None else _interval_unbroken(sentences.rate(figure))


@register.filter
def estimate(figure: Any) -> str:
    """«10,1 % [6,2 – 16,0]»."""
    return "" if figure is None else _interval_unbroken(sentences.estimate(figure))


def _interval_unbroken(told: str) -> SafeString | str:
    # Unbroken spaces are not enough: a line may still end after an en dash.
    before, bracket, rest = told.partition("[")
    return format_html('{}<span class="nb">[{}</span>', before, rest) if bracket else told


@register.filter
def counts(figure: Any) -> str:
    """«15 de 148»."""
    if figure is None or figure.k is None or figure.n is None:
        return ""
    return wording.ratio(figure.k, figure.n, present_language.code())


@register.filter
def kappa_value(kappa: Any) -> str:
    """«0,81 [0,73 – 0,89] (casi perfecto)»."""
    language = present_language.code()
    told = wording.decimal(kappa.kappa, language, 2)
    if kappa.low is not None and kappa.high is not None:
        ends = wording.decimal(kappa.low, language, 2), wording.decimal(kappa.high, language, 2)
        told += f" [{ends[0]}{wording.NO_BREAK}{wording.EN_DASH}{wording.NO_BREAK}{ends[1]}]"
    return f"{told} ({words.word('kappa_band', kappa.band)})" if kappa.band else told


@register.filter
def interval(figure: Any) -> str:
    """«[6,2 – 16,0]»."""
    if figure is None or figure.low is None or figure.high is None:
        return ""
    return wording.interval(figure.low, figure.high, present_language.code())


@register.filter
def corpus_words(corpus: Any) -> str:
    """How large a corpus is, in words."""
    return sentences.corpus(corpus)


@register.filter
def headline_title(headline: tuple[str, str]) -> str:
    """The title of the forest plot."""
    return sentences.headline_title(*headline)


@register.simple_tag
def census(figures: Any) -> list[dict[str, str]]:
    """Today's census as pieces of one sentence."""
    return sentences.census(figures)


@register.simple_tag
def language_groups(groups: Any, figures: Any = (), grouping: str = "") -> str:
    """The language groups in words, the suppressed ones named as such."""
    return sentences.language_groups(groups, figures, grouping)


@register.simple_tag
def status_meanings(appeal_days: int) -> list[dict[str, Any]]:
    """What each status means."""
    return sentences.status_meanings(appeal_days)


@register.simple_tag
def figure_notes(page: Any) -> list[tuple[str, str]]:
    """What must be said about single groups beneath the plot: bounds of none and all, suppression, few answers."""
    plot = page.plot
    if plot is None:
        return []
    rows = [*plot.rows, *([plot.total] if plot.total else [])]
    return sentences.gathered_notes(
        (
            sentences.group_word(row.figure.group, page.scheme.grouping),
            sentences.figure_note(row.figure, page.scheme.suppressed_below),
        )
        for row in rows
    )


@register.simple_tag
def further_notes(page: Any) -> list[tuple[str, str]]:
    """What must be said about the further figures of the total: bounds of none and of all."""
    return sentences.gathered_notes(
        (sentences.figure_name(figure), sentences.figure_note(figure))
        for figure in page.totals
        if figure.band not in ("no_data", "suppressed") and figure.k in (0, figure.n)
    )


@register.simple_tag
def filter_choices(chosen: Any) -> list[dict[str, Any]]:
    """The choices of one filter of the list, each with its word."""
    told = []
    for value in chosen.choices:
        if value in chosen.labels:
            label = chosen.labels[value]
        elif chosen.name == "group":
            label = sentences.group_word(value)
        elif chosen.name in ("status", "method"):
            label = words.word(chosen.name, value)
        elif chosen.name == "became":
            label = words.word("run", value)
        else:
            label = value
        told.append({"value": value, "label": label, "chosen": value == chosen.value})
    return told


@register.filter
def sections(page: Any) -> list[tuple[str, Any]]:
    """The sections of a certificate's page, in their order, those that this one has."""
    present = [
        ("evaluated", gettext("What was evaluated")),
        ("figures", gettext("Points of the run") if page.run else gettext("Figures by language group")),
        ("measurements", gettext("Runs of this version") if page.run else gettext("Measurements")),
        ("history", gettext("History")),
        ("complaints", gettext("Complaints and appeals")),
        ("evidence", gettext("Evidence")),
        ("verify", gettext("How to verify")),
        ("limits", gettext("Limits of the method")),
        ("claims", gettext("What may be claimed")),
        ("cite", gettext("How to cite")),
        ("is-not", gettext("What it is and is not")),
    ]
    without = set() if page.evidence else {"evidence", "verify"}
    return [(anchor, title) for anchor, title in present if anchor not in without]


@register.simple_tag
def system_address(key: int) -> str:
    """The page of a system, in the language that is active."""
    return addresses.system(key, present_language.code())


@register.filter
def certificate_address(number: str) -> str:
    return addresses.certificate(number, present_language.code())


@register.filter
def notice_address(number: str) -> str:
    return addresses.notice(number, present_language.code())


@register.filter
def short_address(number: str) -> str:
    """The language-neutral address of a certificate, as printed."""
    return addresses.short(number)


@register.simple_tag
def address(name: str, *arguments: str) -> str:
    """Any other address of the registry: `{% address "home" %}`, `{% address "evidence_archive" number %}`."""
    if name in ("home", "certificates", "statuses", "compare", "report", "cases", "runs", "run_compare"):
        return getattr(addresses, name)(present_language.code(), *arguments)
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
    "active": SafeString('<circle cx="8" cy="8" r="7"/>'),
    "suspended": SafeString(
        '<circle class="o" cx="8" cy="8" r="6.1"/><path d="M8 1.9a6.1 6.1 0 0 0 0 12.2z"/>'
    ),
    "revoked": SafeString('<path class="x" d="M2.6 2.6 13.4 13.4M13.4 2.6 2.6 13.4"/>'),
    "expired": SafeString('<circle class="o" cx="8" cy="8" r="6.1"/>'),
    "superseded": SafeString('<path class="l" d="M1 8h12M8.3 2.8 13.5 8l-5.2 5.2"/>'),
    "terminated": SafeString('<path d="M2 2h12v12H2z"/>'),
    "unknown": SafeString('<text x="8" y="13.5">?</text>'),
}


@register.simple_tag
def shape(status: str) -> SafeString:
    """The shape of a status, for the eye only: the word always stands beside it."""
    drawing = SHAPES.get(status, SHAPES["unknown"])
    return format_html('<svg class="sh" viewBox="0 0 16 16" aria-hidden="true">{}</svg>', drawing)
