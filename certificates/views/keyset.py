"""Lists by keyset, newest first: a page holds what stands before a key, so nothing is left out or shown twice."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from django.db.models import QuerySet
from django.http import HttpRequest

# A longer number may be none that the database can compare a key with.
LONGEST_KEY = 17


@dataclass(frozen=True)
class Page:
    """The rows of one page, and the query that leads to the next one: "" on the last."""

    rows: list[Any]
    following: str


def newest_first(
    request: HttpRequest, rows: QuerySet, *, size: int, kept: Mapping[str, str] | None = None
) -> Page:
    """The page of `rows` before the key that the address asks for; `kept` is what the next address says as well."""
    key = key_in(request.GET.get("before", ""))
    if key is not None:
        rows = rows.filter(pk__lt=key)
    return page_of(list(rows.order_by("-pk")[: size + 1]), size=size, kept=kept)


def page_of(found: list[Any], *, size: int, kept: Mapping[str, str] | None = None) -> Page:
    """The page of rows that were found already, one more than it holds when there is another."""
    if len(found) <= size:
        return Page(found, "")
    return Page(found[:size], urlencode({**(kept or {}), "before": found[size - 1].pk}))


def key_in(text: str) -> int | None:
    """The key that somebody wrote into an address or a form, or None."""
    return int(text) if text.isascii() and text.isdigit() and len(text) <= LONGEST_KEY else None
