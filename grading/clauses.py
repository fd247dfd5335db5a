"""What a scheme's acceptance criteria demand: clauses on figures, and what the evidence must be before they count."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from typing import Any


class Scope(StrEnum):
    OVERALL = "overall"
    EACH_GROUP = "each_group"


class Direction(StrEnum):
    AT_MOST = "at_most"
    AT_LEAST = "at_least"


class Requirement(StrEnum):
    """What a measurement under criteria has to be; a scheme names all of them, so that its reader sees them."""

    # The three rules without which no benchmark deserves to be read as a measurement.
    HOSTILE_QUESTIONS = "hostile_questions"
    OTHER_JUDGE = "other_judge"
    ERROR_TYPES_APART = "error_types_apart"
    # And who the judge is, and who kept the questions.
    KNOWN_JUDGE_FAMILY = "known_judge_family"
    SET_CUSTODY = "set_custody"


# Every rate that a clause may be about: all figures but those that are counts only.
RATES = frozenset(
    {
        *(
            (metric, denominator)
            for metric in ("accuracy", "incomplete", "ill_founded", "incorrect", "hallucination")
            for denominator in ("judged", "all")
        ),
        ("abstention", "all"),
        ("expected_citation", "all"),
        ("unnecessary_abstention", "in_corpus"),
        ("necessary_abstention", "abstention_correct"),
        ("phantom_response", "cited_responses"),
        ("phantom_citation", "verified_citations"),
        ("hostile_fabrication", "hostile"),
        ("hostile_not_held", "hostile"),
        ("hostile_not_held", "hostile_readable"),
    }
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Clause:
    """One demand: a rate, over all or in each group, lies with its whole interval on the right side of a threshold."""

    metric: str
    denominator: str
    scope: Scope
    direction: Direction
    threshold: Fraction
    minimum_n: int
    required_groups: tuple[str, ...] = ()

    @property
    def is_cap_on_abstention(self) -> bool:
        return (self.metric, self.denominator, self.direction) == ("abstention", "all", Direction.AT_MOST)


@dataclass(frozen=True, slots=True, kw_only=True)
class Criteria:
    requires: tuple[Requirement, ...]
    clauses: tuple[Clause, ...]


def read(content: Mapping[str, Any] | None) -> Criteria | None:
    """The criteria as a scheme's file writes them, already sound; None for a descriptive scheme."""
    if content is None:
        return None
    return Criteria(
        requires=tuple(map(Requirement, content["requires"])),
        clauses=tuple(
            Clause(
                metric=clause["metric"],
                denominator=clause["denominator"],
                scope=Scope(clause["scope"]),
                direction=Direction(clause["direction"]),
                threshold=Fraction(clause["threshold"]),
                minimum_n=clause["minimum_n"],
                required_groups=tuple(clause.get("required_groups") or ()),
            )
            for clause in content["clauses"]
        ),
    )


def faults(criteria: Criteria) -> Iterator[tuple[str, str]]:
    """What makes criteria unusable: (where, what is expected there)."""
    missing = [of for of in Requirement if of not in criteria.requires]
    if missing or len(set(criteria.requires)) < len(criteria.requires):
        yield "criteria.requires", " · ".join(Requirement)
    seen: set[tuple[str, str, Scope, Direction]] = set()
    for index, clause in enumerate(criteria.clauses):
        at = f"criteria.clauses[{index}]"
        if (clause.metric, clause.denominator) not in RATES:
            yield f"{at}.metric", " · ".join(f"{metric}/{over}" for metric, over in sorted(RATES))
        if not 0 < clause.threshold < 1:
            # No number of answers shows that there is no case, or that there are no others.
            yield f"{at}.threshold", "between 0 and 1"
        if len(set(clause.required_groups)) < len(clause.required_groups):
            yield f"{at}.required_groups", "each group once"
        place = (clause.metric, clause.denominator, clause.scope, clause.direction)
        if place in seen:
            yield at, "one clause for a rate, a scope and a direction"
        seen.add(place)
        if clause.denominator == "judged" and not _is_capped(clause, criteria.clauses):
            yield at, "a clause beside it with abstention/all at_most, of the same scope and required groups"


def _is_capped(clause: Clause, clauses: Sequence[Clause]) -> bool:
    """Whether silence is bounded where a clause looks at judged answers alone: else who says nothing conforms."""
    return any(
        other.is_cap_on_abstention
        and other.scope == clause.scope
        and set(clause.required_groups) <= set(other.required_groups)
        for other in clauses
    )
