"""Phrase lists per language: what is said when someone abstains, or rejects the premise of a question."""

import json
import unicodedata
from dataclasses import dataclass
from functools import cache

from grading import data
from grading.language_groups import UNDECLARED


@dataclass(frozen=True, slots=True)
class PhraseList:
    """Literal phrases by language, compared after NFKC and case folding; never patterns."""

    name: str
    version: str
    sha256: str
    languages: dict[str, tuple[str, ...]]

    def of(self, language: str) -> tuple[str, ...] | None:
        """The phrases of a language; of an undeclared one all there are; None where there is no list."""
        if language == UNDECLARED:
            return tuple(sorted({phrase for phrases in self.languages.values() for phrase in phrases}))
        return self.languages.get(language)


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
