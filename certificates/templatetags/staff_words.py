"""How the staff pages write a deadline: the day and how far away it is."""

import re
from datetime import datetime

from django import template
from django.utils.translation import gettext, ngettext

from registry_site import present_language, wording

register = template.Library()


@register.filter
def due_day(due: datetime, now: datetime) -> str:
    """«27 nov, hace 3 días», «30 nov, a las 18:00», «2 dic, en 2 días»; the year only when it is another one.

    An instant at midnight is the end of the day before.
    """
    language = present_language.code()
    last = wording.last_day(due)
    told = wording.short_day(last, language)
    if last.year == now.year:
        told = told.rsplit(wording.NO_BREAK, 1)[0]
    days = (last - now.date()).days
    if days == 0:
        hour = "24:00" if (due.hour, due.minute, due.second) == (0, 0, 0) else f"{due:%H:%M}"
        return gettext("{day}, at {hour}").format(day=told, hour=hour)
    if days < 0:
        return ngettext("{day}, {n} day ago", "{day}, {n} days ago", -days).format(day=told, n=-days)
    return ngettext("{day}, in {n} day", "{day}, in {n} days", days).format(day=told, n=days)


@register.filter
def fault_name(error: str) -> str:
    """The first word of a stored fault: «ConnectionRefusedError»; the rest may hold an address."""
    return re.split(r"[^A-Za-z0-9_]", error, maxsplit=1)[0] if "(" in error else ""
