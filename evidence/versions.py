"""Which version labels name one system for ever, and which move on by themselves."""

import re

# Names that move on to another system by themselves: alone, or as the tag of a name («model:latest», «model-latest»).
_FLOATING = re.compile(
    r"(?:^|[:@/])(?:latest|stable|main|master|head|trunk|current|newest|default|nightly|edge|live|prod|production"
    r"|última|ultima|último|ultimo|actual|vigente|estable|producción|produccion)$|[-_. ]latest$"
)


def is_floating(version: str) -> bool:
    """Whether a version is empty or an alias that may mean another system tomorrow."""
    name = version.strip().casefold()
    return not name or _FLOATING.search(name) is not None
