"""Phrase lists per language: what is said when someone abstains, or rejects the premise of a question."""

import json
import unicodedata
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache

from grading import data
from grading.language_groups import UNDECLARED

# Long enough to be missing from most texts, short enough to be shared.
_STEM = 6


@dataclass(frozen=True, slots=True)
class PhraseList:
    """Literal phrases by language, compared after NFKC and case folding; never patterns."""

    name: str
    version: str
    sha256: str
    languages: dict[str, tuple[str, ...]]

    def of(self, language: str) -> tuple[str, ...]:
        """The phrases of a language; of an undeclared one all there are; none where there is no list."""
        if language == UNDECLARED:
            return tuple(sorted({phrase for phrases in self.languages.values() for phrase in phrases}))
        return self.languages.get(language, ())

    def searcher(self, language: str) -> "Searcher":
        return Searcher(self.of(language))


class Searcher:
    """Finds out whether a folded text holds one of some phrases.

    Phrases share stems («no », say): a text without a stem holds none of its phrases, and most texts hold few stems.
    """

    def __init__(self, phrases: Iterable[str]) -> None:
        rest = set(phrases)
        stems: list[tuple[str, tuple[str, ...]]] = []
        while rest:
            shared = Counter(
                stem
                for phrase in rest
                for stem in {phrase[i : i + _STEM] for i in range(max(1, len(phrase) - _STEM + 1))}
            )
            stem = max(shared, key=lambda stem: (shared[stem], len(stem), stem))
            held = tuple(sorted(phrase for phrase in rest if stem in phrase))
            stems.append((stem, held))
            rest.difference_update(held)
        self._stems = tuple(stems)

    def __bool__(self) -> bool:
        return bool(self._stems)

    def finds(self, text: str) -> bool:
        for stem, phrases in self._stems:
            if stem in text:
                for phrase in phrases:
                    if phrase in text:
                        return True
        return False


def folded(text: str) -> str:
    """The form in which texts and phrases are compared."""
    if text.isascii():
        return text.lower()
    return unicodedata.normalize("NFKC", text).casefold()


def load(file: bytes, sha256: str) -> PhraseList:
    content = json.loads(file)
    return PhraseList(
        name=content["name"],
        version=content["version"],
        sha256=sha256,
        languages={
            language: tuple(dict.fromkeys(variant for phrase in phrases for variant in _variants(phrase)))
            for language, phrases in content["languages"].items()
        },
    )


def _variants(phrase: str) -> list[str]:
    """A phrase as it is, and with the typographic apostrophe, which NFKC does not unite with the other."""
    phrase = folded(phrase)
    return [phrase, phrase.replace("'", "\u2019")] if "'" in phrase else [phrase]


@cache
def abstention() -> PhraseList:
    return _shipped("abstention/phrases-1.json")


@cache
def premise() -> PhraseList:
    return _shipped("premise/phrases-1.json")


def _shipped(path: str) -> PhraseList:
    return load(data.read(path), data.sha256(path))
