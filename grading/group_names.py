"""What a language group is called: a language, a script, or the name that a scheme's own grouping gives it."""

import re
from collections.abc import Iterable

from grading import language_groups
from grading.language_groups import By
from registry_site.language_names import OWN, language_name, script_name
from registry_site.wording import language_of

_SCRIPT = re.compile(r"[A-Z][a-z]{3}")


def name(key: str, language: str, *, grouping: str = "") -> str:
    """The name of the group `key` in a grouping («language-1»).

    Without the grouping, or with one that this software does not know, by what the key looks like: a script is written
    «Latn», and a key that is of one of the own groupings alone has the name it has there.
    """
    if key in OWN:
        return language_name(key, language)
    of = language_groups.shipped().get(grouping)
    if of is not None and of.by == By.OWN:
        return _own(key, language, of.names) or key
    if _SCRIPT.fullmatch(key):
        return script_name(key, language)
    told = language_name(key, language)
    if told == key and of is None:
        owns = (_own(key, language, other.names) for other in language_groups.shipped().values())
        told = next((found for found in owns if found), key)
    return told


def names(keys: Iterable[str | None], *, grouping: str = "") -> dict[str, dict[str, str]]:
    """Key → its name in both languages, in the order of the keys."""
    return {
        key: {language: name(key, language, grouping=grouping) for language in ("es", "en")}
        for key in dict.fromkeys(keys)
        if key is not None
    }


def _own(key: str, language: str, of: dict[str, dict[str, str]]) -> str | None:
    return of[key][language_of(language)] if key in of else None
