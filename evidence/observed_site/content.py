"""The texts of the observed site, read from its content files: one article a file, a header and paragraphs.

A file is `key: value` lines, an empty line, and a body in a small part of Markdown (`markup` says which).
"""

import json
from dataclasses import dataclass
from datetime import date
from functools import cache
from importlib import resources
from importlib.resources.abc import Traversable


@dataclass(frozen=True)
class Article:
    """One text with its date; a concept has its English term, its source and its related concepts too."""

    slug: str
    title: str
    revised: date
    author: str
    body: str
    english: str = ""
    source: str = ""
    address: str = ""  # of the source
    related: tuple[str, ...] = ()

    @property
    def definition(self) -> str:
        """The first paragraph: what may be quoted by itself."""
        return self.body.partition("\n\n")[0]


@dataclass(frozen=True)
class Comment:
    by: str
    on: date
    text: str


@cache
def articles(folder: str) -> dict[str, Article]:
    """The articles of one folder of `content/` by slug, in the order of their titles."""
    inside = _folder().joinpath(*folder.split("/"))
    found = [
        _article(entry.name.removesuffix(".md"), entry.read_text(encoding="utf-8"))
        for entry in inside.iterdir()
        if entry.name.endswith(".md")
    ]
    return {article.slug: article for article in sorted(found, key=lambda one: one.title.casefold())}


@cache
def comments() -> dict[str, tuple[Comment, ...]]:
    """What readers wrote, by the slug of the concept they wrote about."""
    written = json.loads(_folder().joinpath("comments.json").read_bytes())
    return {
        slug: tuple(Comment(one["by"], date.fromisoformat(one["on"]), one["text"]) for one in list_)
        for slug, list_ in written.items()
    }


@cache
def visits() -> dict[str, dict[str, int]]:
    """Visits of each concept in each month, «2026-10» → slug → number."""
    return json.loads(_folder().joinpath("statistics.json").read_bytes())


@cache
def style() -> str:
    return _folder().joinpath("style.css").read_text(encoding="utf-8")


def _folder() -> Traversable:
    return resources.files(__package__).joinpath("content")


def _article(slug: str, text: str) -> Article:
    head, _, body = text.partition("\n\n")
    fields = dict(line.split(": ", 1) for line in head.splitlines())
    related = tuple(filter(None, fields.pop("related", "").split(", ")))
    revised = date.fromisoformat(fields.pop("revised"))
    return Article(slug=slug, revised=revised, body=body.strip(), related=related, **fields)
