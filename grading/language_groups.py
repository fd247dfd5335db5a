"""Which language group a declared BCP 47 tag belongs to; nothing is ever detected from a text."""

import json
import re
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cache
from typing import Any

from grading import data

UNDECLARED = "und"
# ISO 15924: a script that is not known.
UNKNOWN_SCRIPT = "Zzzz"
# What other rows of figures are called.
RESERVED = frozenset({UNDECLARED, "rest"})


class By(StrEnum):
    LANGUAGE = "language"
    SCRIPT = "script"
    OWN = "own"


class UnusableGrouping(ValueError):
    """The file groups languages in no usable way; it says how."""


_WELL_FORMED = re.compile(
    # Primary subtag and extended language subtags. Four letters are reserved (RFC 5646 §2.2.1), and «rest» is ours.
    r"(?:[a-z]{2,3}(?:-[a-z]{3}){0,3}|[a-z]{5,8})"
    r"(?:-[a-z]{4})?(?:-(?:[a-z]{2}|[0-9]{3}))?"  # script, region
    r"(?:-(?:[a-z0-9]{5,8}|[0-9][a-z0-9]{3}))*"  # variants
    r"(?:-[0-9a-wy-z](?:-[a-z0-9]{2,8})+)*"  # extensions
    r"(?:-x(?:-[a-z0-9]{1,8})+)?"  # private use
    r"|x(?:-[a-z0-9]{1,8})+"
)
_KEY = re.compile(r"[a-z][a-z0-9_]{0,39}")
_SCRIPT_AND_REGION = re.compile(
    r"[a-z]{2,8}(?:-[a-z]{3}){0,3}(?:-(?P<script>[a-z]{4}))?(?:-(?P<region>[a-z]{2}|[0-9]{3}))?(?:-|$)"
)
_EXTENDED = re.compile(r"[a-z]{2,3}-([a-z]{3})(?:-|$)")


@dataclass(frozen=True, slots=True)
class Grouping:
    """A versioned grouping file. `group(tag)` is the key of the group; `und` for no declared language.

    `names`: what a scheme's own groups are called, by key; languages and scripts have names of their own.
    """

    name: str
    version: str
    sha256: str
    by: By
    preferred: dict[str, str] = field(repr=False)
    grandfathered: dict[str, str] = field(repr=False)
    # By script: of a language its usual script, and of a language in a region.
    scripts: dict[str, str] = field(default_factory=dict, repr=False)
    # A scheme's own: of a language its group, and the group of all the others.
    members: dict[str, str] = field(default_factory=dict, repr=False)
    others: str = UNDECLARED
    names: dict[str, dict[str, str]] = field(default_factory=dict, repr=False)

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
        primary = self.primary(tag)
        if self.by == By.SCRIPT:
            return self._script(tag, primary)
        if self.by == By.OWN and primary != UNDECLARED:
            return self.members.get(primary, self.others)
        return primary

    def _script(self, tag: str | None, primary: str) -> str:
        """The script a tag names, else the usual one of the language, in that region where it has one of its own."""
        low = (tag or "").strip().lower()
        if self.is_well_formed(tag) and low not in self.grandfathered:
            named = _SCRIPT_AND_REGION.match(low)
            if named and named["script"]:
                return named["script"].title()
            if named and named["region"] and (usual := self.scripts.get(f"{primary}-{named['region']}")):
                return usual
        return primary if primary == UNDECLARED else self.scripts.get(primary, UNKNOWN_SCRIPT)

    def has(self, key: str) -> bool:
        """Whether a key is that of a group some tag belongs to."""
        if self.by == By.SCRIPT:
            return key in {UNDECLARED, UNKNOWN_SCRIPT, *self.scripts.values()}
        if self.by == By.OWN:
            return key == UNDECLARED or key in self.names
        return key == UNDECLARED or (self.is_well_formed(key) and self.group(key) == key)


def load(file: bytes, sha256: str) -> Grouping:
    """The grouping in a file, with the language codes of the file that it names. Raises UnusableGrouping."""
    content = json.loads(file)
    by = By(content["by"])
    if by == By.LANGUAGE:
        codes = content
    else:
        path = f"groupings/{content['languages']}.json"
        if data.sha256(path) != content["languages_sha256"]:
            raise UnusableGrouping(f"{path} has not the SHA-256 that the grouping names")
        codes = json.loads(data.read(path))
    grouping = Grouping(
        name=content["name"],
        version=content["version"],
        sha256=sha256,
        by=by,
        preferred={**codes["two_letters"], **codes["preferred"]},
        grandfathered=codes["grandfathered"],
        scripts=_scripts(content) if by == By.SCRIPT else {},
        members={of: group["key"] for group in content.get("groups", ()) for of in group["members"]},
        others=content["others"]["key"] if by == By.OWN else UNDECLARED,
        names=(
            {group["key"]: group["names"] for group in (*content["groups"], content["others"])}
            if by == By.OWN
            else {}
        ),
    )
    if by == By.OWN:
        _refuse_unusable(content, grouping)
    return grouping


def _scripts(content: dict[str, Any]) -> dict[str, str]:
    usual = {of: script for script, languages in content["usual"].items() for of in languages.split()}
    return {**usual, **content["by_region"]}


def _refuse_unusable(content: dict[str, Any], grouping: Grouping) -> None:
    """Every language is in one group, under the code that tags are brought to; every group has its names."""
    listed = [of for group in content["groups"] for of in group["members"]]
    keys = [group["key"] for group in (*content["groups"], content["others"])]
    faults = [f"{of}: twice" for of in sorted({of for of in listed if listed.count(of) > 1})]
    faults += [f"{of}: not a canonical code" for of in listed if grouping.primary(of) != of]
    faults += [f"{key}: twice" for key in sorted({key for key in keys if keys.count(key) > 1})]
    faults += [f"{key}: not a key" for key in keys if not _KEY.fullmatch(key) or key in RESERVED]
    faults += [
        f"{key}: a name in es and en" for key, of in grouping.names.items() if of.keys() != {"es", "en"}
    ]
    if faults:
        raise UnusableGrouping("; ".join(faults))


@cache
def shipped() -> dict[str, Grouping]:
    """The groupings that come with the software, by «name-version»."""
    files = data.names("groupings")
    loaded = [load(data.read(path), data.sha256(path)) for path in files]
    return {f"{grouping.name}-{grouping.version}": grouping for grouping in loaded}
