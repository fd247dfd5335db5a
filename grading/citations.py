"""When two citations name the same article."""

import json
import unicodedata
from functools import cache

from grading import data

PREFIXES_FILE = "citations/article-prefixes-1.json"
_KEPT = 50_000


def folded(text: str) -> str:
    """NFC, case folded, white space collapsed."""
    if text.isascii():
        return " ".join(text.lower().split())
    return " ".join(unicodedata.normalize("NFC", unicodedata.normalize("NFC", text).casefold()).split())


def article(text: str) -> str:
    """An article without the words in front of its number: «Artículo 12», «art. 12» and «12» are equal."""
    name = folded(text)
    while True:
        for prefix in _prefixes():
            rest = name[len(prefix) :]
            if rest and name.startswith(prefix) and (not prefix[-1].isalpha() or not rest[0].isalpha()):
                shorter = rest.lstrip(" ")
                if shorter:
                    name = shorter
                    break
        else:
            return name


class Keys(dict[tuple[str, str], int]):
    """A number for each citation (source, article), equal for equal citations; keeps those it has seen lately."""

    def __missing__(self, citation: tuple[str, str]) -> int:
        if len(self) >= _KEPT:
            self.clear()
        source, named = citation
        # 64 bits of a hash that is keyed in each process: nobody can prepare two articles that collide.
        key = self[citation] = hash(f"{folded(source)}\0{article(named)}")
        return key


class Numbers(dict[str, tuple[str, str]]):
    """Of each article its number, and what every text with that number holds as it stands: digits do not fold."""

    def __missing__(self, named: str) -> tuple[str, str]:
        if len(self) >= _KEPT:
            self.clear()
        number = article(named)
        known = self[named] = (number, number if number.isdecimal() else "")
        return known


def tells(question: str, number: str) -> bool:
    """Whether a question gives an article away: its number, with a word for «article» in front."""
    text = folded(question)
    start = text.find(number)
    while start >= 0:
        after = text[start + len(number) : start + len(number) + 1]
        before = text[:start].rstrip(" ")
        if not after.isalnum() and any(_ends_with_word(before, prefix) for prefix in _prefixes()):
            return True
        start = text.find(number, start + 1)
    return False


def _ends_with_word(text: str, word: str) -> bool:
    return text.endswith(word) and not (word[0].isalpha() and text[: -len(word)][-1:].isalpha())


@cache
def _prefixes() -> tuple[str, ...]:
    listed = json.loads(data.read(PREFIXES_FILE))["prefixes"]
    return tuple(sorted({folded(prefix) for prefix in listed}, key=lambda prefix: (-len(prefix), prefix)))
