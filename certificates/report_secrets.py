"""PURE. Whether a text that stays repeats who complained, or in which words: what is erased must stand nowhere else."""

import re
import unicodedata
from collections.abc import Iterable
from enum import StrEnum

# So many characters in a row are no coincidence any more.
REPEATED = 30
# What is left out of the comparison on both sides: a character that no folded text holds.
_GAP = "\n"


class Secret(StrEnum):
    NAME = "names_the_reporter"
    EMAIL = "tells_the_address"
    WORDS = "repeats_the_words"


def found_in(
    written: str, *, name: str, email: str, texts: Iterable[str], public: Iterable[str] = ()
) -> Secret | None:
    """What of a complaint `written` repeats, or None.

    `texts` were written in confidence. `public` are words that anybody may say, such as the names of a certificate:
    they count for nothing. Case, accents, punctuation and line breaks make no difference.
    """
    if email and email.casefold() in written.casefold():
        return Secret.EMAIL
    told = _folded(written)
    if _names(told, name):
        return Secret.NAME
    allowed = sorted(filter(None, map(_folded, public)), key=len, reverse=True)
    told = _without(told, allowed)
    said = {told[at : at + REPEATED] for at in range(len(told) - REPEATED + 1)}
    if not said:
        return None
    for text in texts:
        kept = _without(_folded(text), allowed)
        for at in range(len(kept) - REPEATED + 1):
            window = kept[at : at + REPEATED]
            if _GAP not in window and window in said:
                return Secret.WORDS
    return None


def _names(told: str, name: str) -> bool:
    """The whole name, or two words of it that follow each other: a single one may be an ordinary word."""
    words = _folded(name).split()
    if len(words) == 1:
        pairs = [words[0]] if len(words[0]) > 2 else []
    else:
        pairs = [" ".join(words[at : at + 2]) for at in range(len(words) - 1)]
    return any(f" {pair} " in f" {told} " for pair in pairs)


def _without(folded: str, allowed: Iterable[str]) -> str:
    for one in allowed:
        folded = re.sub(rf"\b{re.escape(one)}\b", _GAP, folded)
    return folded


def _folded(text: str) -> str:
    plain = unicodedata.normalize("NFKD", text.casefold())
    plain = "".join(one for one in plain if not unicodedata.combining(one))
    return " ".join(re.sub(r"[^\w]+|_", " ", plain).split())
