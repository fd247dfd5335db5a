"""Which language group a declared BCP 47 tag belongs to; nothing is ever detected from a text."""

import json
import re
from dataclasses import dataclass, field
from functools import cache

from grading import data

UNDECLARED = "und"

_WELL_FORMED = re.compile(
    r"(?:[a-z]{2,3}(?:-[a-z]{3}){0,3}|[a-z]{4,8})"  # primary subtag, extended language subtags
    r"(?:-[a-z]{4})?(?:-(?:[a-z]{2}|[0-9]{3}))?"  # script, region
    r"(?:-(?:[a-z0-9]{5,8}|[0-9][a-z0-9]{3}))*"  # variants
    r"(?:-[0-9a-wy-z](?:-[a-z0-9]{2,8})+)*"  # extensions
    r"(?:-x(?:-[a-z0-9]{1,8})+)?"  # private use
    r"|x(?:-[a-z0-9]{1,8})+"
)
_EXTENDED = re.compile(r"[a-z]{2,3}-([a-z]{3})(?:-|$)")


@dataclass(frozen=True, slots=True)
class Grouping:
    """A versioned grouping file. `group(tag)` is the key of the group; `und` for no declared language."""

    name: str
    version: str
    sha256: str
    preferred: dict[str, str] = field(repr=False)
    grandfathered: dict[str, str] = field(repr=False)

    def is_well_formed(self, tag: str | None) -> bool:
        """Whether a tag could be BCP 47; none and the empty one are (no declared language)."""
        low = (tag or "").strip().lower()
        return not low or low in self.grandfathered or _WELL_FORMED.fullmatch(low) is not None

    def primary(self, tag: str | None) -> str:
        """The canonical primary language subtag: old codes replaced, the shortest code, `und` for none.

        An extended language subtag stands for itself (RFC 5646 §4.5: «zh-yue» is «yue»).
        """
        low = (tag or "").strip().lower()
        if not low or not self.is_well_formed(tag):
            return UNDECLARED
        if low in self.grandfathered:
            return self.grandfathered[low]
        extended = _EXTENDED.match(low)
        primary = extended[1] if extended else low.partition("-")[0]
        if primary in ("x", "mis", "zxx"):
            return UNDECLARED
        return self.preferred.get(primary, primary)

    def group(self, tag: str | None) -> str:
        return self.primary(tag)

    def has(self, key: str) -> bool:
        """Whether a key is that of a group some tag belongs to."""
        return key == UNDECLARED or (self.is_well_formed(key) and self.group(key) == key)


def load(file: bytes, sha256: str) -> Grouping:
    content = json.loads(file)
    return Grouping(
        name=content["name"],
        version=content["version"],
        sha256=sha256,
        preferred={**content["two_letters"], **content["preferred"]},
        grandfathered=content["grandfathered"],
    )


@cache
def shipped() -> dict[str, Grouping]:
    """The groupings that come with the software, by «name-version»."""
    files = data.names("groupings")
    loaded = [load(data.read(path), data.sha256(path)) for path in files]
    return {f"{grouping.name}-{grouping.version}": grouping for grouping in loaded}
