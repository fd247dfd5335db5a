"""What the client needs of a scheme, read from its file with the standard library alone."""

import hashlib
import json
from dataclasses import dataclass
from fractions import Fraction
from functools import cache

from grading import clauses, data, language_groups
from grading.clauses import Criteria
from grading.language_groups import Grouping


@dataclass(frozen=True, slots=True)
class Category:
    code: str
    hostile: bool
    names: dict[str, str]
    expects_nothing_there: bool


@dataclass(frozen=True, slots=True)
class Scheme:
    """One version of a scheme: categories, how judges are joined and languages grouped, bands, criteria."""

    code: str
    version: str
    sha256: str
    title: dict[str, str]
    categories: tuple[Category, ...]
    averaged: bool
    grouping: Grouping
    suppressed_below: int
    indicative_below: int
    widest_full: Fraction
    reference_group: str | None = None
    criteria: Criteria | None = None

    def category(self, code: str) -> Category | None:
        return next((category for category in self.categories if category.code == code), None)

    @property
    def suppression(self) -> "Scheme":
        """What has the thresholds of publication, as `grading.schemes` names it: this scheme itself."""
        return self

    @property
    def hostile(self) -> tuple[str, ...]:
        return tuple(category.code for category in self.categories if category.hostile)


def load(file: bytes) -> Scheme:
    """The scheme in a file that `grading.schemes` accepts; ValueError when a key is missing."""
    try:
        content = json.loads(file)
        return Scheme(
            code=content["code"],
            version=content["version"],
            sha256=hashlib.sha256(file).hexdigest(),
            title=content["title"],
            categories=tuple(
                Category(
                    code=category["code"],
                    hostile=category["hostile"],
                    names=category["names"],
                    expects_nothing_there=category.get("expected_citation") == "does_not_exist",
                )
                for category in content["categories"]
            ),
            averaged=content["several_judges"] == "mean",
            grouping=language_groups.shipped()[content["grouping"]],
            suppressed_below=content["suppression"]["suppressed_below"],
            indicative_below=content["suppression"]["indicative_below"],
            widest_full=Fraction(content["suppression"]["widest_full"]),
            reference_group=content.get("reference_group"),
            criteria=clauses.read(content.get("criteria")),
        )
    except (KeyError, TypeError) as error:
        raise ValueError(f"not a scheme: {error}") from error


@cache
def shipped() -> dict[tuple[str, str], Scheme]:
    """The schemes of this method that come with the software, by code and version."""
    files = [data.read(path) for path in data.names("schemes")]
    loaded = [load(file) for file in files if json.loads(file).get("method") == "hallucination"]
    return {(scheme.code, scheme.version): scheme for scheme in loaded}
