"""Template filters and tags over `registry_site.wording`, in the language that is active while the page is rendered."""

from __future__ import annotations

from datetime import date, datetime
from functools import lru_cache
from typing import Any

from django import template
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString, mark_safe

from registry_site import language_names, present_language, wording

register = template.Library()


def _when_given(function: Any) -> Any:
    """A filter over None or nothing prints nothing, so that templates need no guard for an absent fact."""

    def filtered(value: Any) -> str:
        return "" if value is None or value == "" else function(value, present_language.code())

    filtered.__doc__ = function.__doc__
    return filtered


for _name, _function in {
    "whole": wording.whole,
    "percentage": wording.percentage,
    "share": wording.share,
    "p_value": wording.p_value,
    "size": wording.size,
    "short_size": wording.short_size,
    "day": wording.day,
    "short_day": wording.short_day,
    "moment": wording.moment,
    "deadline": wording.deadline,
    "country_name": language_names.country_name,
}.items():
    register.filter(_name, _when_given(_function))


@register.filter
def last_day(value: datetime | None) -> str:
    """The last day of a term, in words."""
    return "" if value is None else wording.day(wording.last_day(value), present_language.code())


@register.filter
def decimal(value: Any, places: int | None = None) -> str:
    """A decimal number in the reader's notation."""
    return "" if value in (None, "") else wording.decimal(value, present_language.code(), places)


@register.filter
def machine(value: date | datetime | None) -> str:
    """ISO 8601, for `datetime` attributes."""
    return "" if value is None else wording.machine(value)


@register.filter
def short_hash(value: str | None) -> str:
    """The ends of a digest."""
    return wording.short_hash(value or "")


@register.filter
def hash_groups(value: str | None) -> SafeString:
    """A digest in groups of eight: spans without white space between, so that copying gives the 64 digits alone."""
    return format_html_join("", "<span>{}</span>", ((group,) for group in wording.hash_groups(value or "")))


@register.filter
def unbroken(value: Any) -> SafeString | str:
    """An identifier that is never parted at a line's end."""
    return format_html('<span class="nb">{}</span>', value) if value not in (None, "") else ""


@register.filter
def in_language(value: Any) -> str:
    """The reader's side of a text signed in both languages (`pages.Text`, or a mapping with es and en)."""
    if value is None or value == "":
        return ""
    if isinstance(value, dict):
        return value.get(present_language.code()) or value.get("es", "")
    return value.in_language(present_language.code())


@register.filter
def full_stop(text: str) -> str:
    """The stop after a name that ends a sentence: none where the name («Ltda.») ends in one."""
    return "" if text.endswith(".") else "."


@register.simple_tag
def qr(address: str, title: str) -> SafeString:
    """The QR code of an address as inline SVG: one path, no style attribute, black on white in every theme."""
    width, path = _qr_path(address)
    return format_html(
        '<svg class="qr" role="img" aria-label="{}" viewBox="0 0 {} {}" shape-rendering="crispEdges">'
        '<g id="qr"><path fill="#fff" d="M0 0h{}v{}H0z"/><path fill="#000" d="{}"/></g></svg>',
        title, width, width, width, width, path,
    )  # fmt: skip


@register.simple_tag
def qr_on_paper(address: str) -> SafeString:
    """The same code once more, only on paper: drawn from the one that `qr` put into the page."""
    width, _path = _qr_path(address)
    return format_html(
        '<svg class="qr po" viewBox="0 0 {} {}" aria-hidden="true" shape-rendering="crispEdges">'
        '<use href="#qr"/></svg>',
        width, width,
    )  # fmt: skip


@lru_cache(maxsize=64)
def _qr_path(address: str) -> tuple[int, SafeString]:
    import segno  # slow to import: only pages that draw a code pay for it

    code = segno.make_qr(address, error="m")
    width = code.symbol_size(border=3)[0]
    path: list[str] = []
    for y, row in enumerate(code.matrix_iter(border=3)):
        x = 0
        while x < width:
            start = x
            while x < width and row[x]:
                x += 1
            if x > start:
                path.append(f"M{start} {y}h{x - start}v1h-{x - start}z")
            x += 1
    return width, mark_safe("".join(path))  # noqa: S308 - letters and whole numbers, made above
