"""Which version labels name one system for ever, and which move on by themselves."""

import re
import unicodedata

# Names that move on to another system by themselves: alone, or as the tag of a name («model:latest», «model-latest»);
# and numbers with a place left open («2.x»).
_FLOATING = re.compile(
    r"(?:^|[:@/])(?:latest|stable|main|master|head|trunk|current|newest|default|nightly|edge|live|prod|production"
    r"|última|ultima|último|ultimo|actual|vigente|estable|producción|produccion)$|[-_. ]latest$"
    r"|(?:^|[^0-9a-z])v?[0-9]+(?:\.[0-9]+)*\.[x*](?:\.[x*])*$"
)


def is_floating(version: str) -> bool:
    """Whether a version is empty or an alias that may mean another system tomorrow."""
    # As it is read, not as it is spelled: full-width letters and what nobody sees change no meaning.
    letters = unicodedata.normalize("NFKC", version)
    name = "".join(c for c in letters if unicodedata.category(c) != "Cf").strip().casefold()
    return not name or _FLOATING.search(name) is not None
