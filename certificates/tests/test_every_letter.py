"""Every kind of e-mail, in both languages: what all of them keep to, and that docs/e-mails.md tells of each.

A kind that was added fails here until `sample_letters` makes one and the page has its row.
"""

import re
from collections import defaultdict
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from django.conf import settings

from certificates import letters, rehearsal
from certificates.tests import sample_letters
from registry_site import outbox

PAGE = Path(settings.BASE_DIR) / "docs" / "e-mails.md"
# What stands for what in the subjects of the page.
PLACEHOLDERS = {
    "n": r"[A-Z]{2,3}-[0-9]{4}-[0-9]{6,}",
    "c": r"[A-Z]{2,8}-[0-9]{4}-[0-9]{6,}-[0-9]{2}",
    "d": r"[0-9]+",
    "k": r"[0-9]+",
    "date": r"[0-9]{1,2} (de )?[a-zA-Z]+ (de )?[0-9]{4}",
}


def documented() -> dict[str, list[tuple[str, str]]]:
    """Kind → pairs of subjects, Spanish and English, as the table of the page has them."""
    found = defaultdict(list)
    for line in PAGE.read_text(encoding="utf-8").splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if line.startswith("| `") and len(cells) == 5:
            kind, _when, _to, spanish, english = cells
            found[kind.strip("`")] += zip(spanish.split(" · "), english.split(" · "), strict=True)
    return dict(found)


def pattern(subject: str) -> str:
    parts = re.split(r"\{(\w+)\}", subject)
    return "".join(PLACEHOLDERS[part] if odd % 2 else re.escape(part) for odd, part in enumerate(parts))


class Page(HTMLParser):
    """What an HTML part loads, links to and says."""

    def __init__(self, html: str):
        super().__init__()
        self.tags: set[str] = set()
        self.links: list[str] = []
        self.attributes: set[str] = set()
        self.said = ""
        self.feed(html)

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attrs}
        self.links += [value for name, value in attrs if name == "href"]

    def handle_data(self, data):
        self.said += data


ALLOWED = {"html", "body", "p", "strong", "a", "br", "ul", "li", "code"}


def check(message, language: str) -> None:
    text, html = message.body, Page(message.alternatives[0].content)
    links = re.findall(r"https?://[^\s<>\"]+", text)
    assert 1 <= len(links) <= 2, "its page, and in the holder's letter the way to appeal"
    for link in links:
        parts = urlsplit(link)
        assert f"{parts.scheme}://{parts.netloc}" == settings.PUBLIC_URL
    assert sorted(set(html.links)) == sorted(set(links)), "both parts lead to the same place"
    assert html.tags <= ALLOWED, "no pictures, no styles, no scripts; the text of others is escaped"
    assert html.attributes <= {"lang", "href"}
    assert f'<html lang="{language}">' in message.alternatives[0].content
    assert "{" not in text + html.said, "nothing is left to be filled in"
    assert "&lt;" not in text
    assert "&amp;" not in text
    words = set(re.findall(r"\w{4,}", text)) - set(re.findall(r"\w{4,}", " ".join(links)))
    assert words <= set(re.findall(r"\w{4,}", html.said)) | set(re.findall(r"\w+", message.subject))
    assert settings.REGISTRY_NAME in text
    assert "\n" not in message.subject


@pytest.mark.django_db
def test_every_kind_keeps_the_rules_in_both_languages_and_is_told_on_its_page(who):
    rows = sample_letters.rows(who)
    assert {row.kind for row in rows} >= set(letters.KINDS), "let sample_letters make one of it"
    known = documented()
    assert set(known) == set(letters.KINDS), "docs/e-mails.md has a row for every kind, and for no other"
    seen, untold, escaped = set(), set(), 0
    for row in rows:
        for place, language in enumerate(("es", "en")):
            row.language = language
            message = rehearsal.undone(lambda row=row: outbox.message(row, letters.compose))
            check(message, language)
            escaped += "&lt;script&gt;" in message.alternatives[0].content
            fits = [pair for pair in known[row.kind] if re.fullmatch(pattern(pair[place]), message.subject)]
            seen |= {(row.kind, language, pair[place]) for pair in fits}
            if not fits:
                untold.add(f"{row.kind} ({language}): {message.subject}")
    assert not untold, f"docs/e-mails.md lacks these subjects: {sorted(untold)}"
    assert escaped > 10
    told = {
        (kind, language, pair[place])
        for kind, pairs in known.items()
        for pair in pairs
        for place, language in enumerate(("es", "en"))
    }
    assert told == seen, f"the page tells of subjects that no e-mail has: {sorted(told - seen)}"
