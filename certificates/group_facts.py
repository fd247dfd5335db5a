"""What a measurement's figures show beyond themselves, as pages and API tell it: groups, criteria, agreement."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from certificates import measured, pages, tables
from grading import group_names, publishable
from grading.figures import Figure
from grading.models import Measurement

# The bound of a figure over judged answers stands for a measurement; the same over all stands beside it.
DENOMINATORS = ("judged", "all")


@dataclass(frozen=True, slots=True)
class Shown:
    """Of one measurement what may be published: the JSON of `grading.publishable`, and names of its groups."""

    groups: Mapping[str, Any]
    criteria: Mapping[str, Any] | None
    agreement: Mapping[str, Any]
    group_names: Mapping[str, Mapping[str, str]]
    between: tuple[pages.BetweenGroups, ...]

    @property
    def threshold(self) -> str | None:
        """Of the criterion on the headline, where there is one: that over all groups rather than in each."""
        return threshold_on(self.criteria, *measured.HEADLINE)


def of_measurement(measurement: Measurement, figures: Sequence[Figure]) -> Shown:
    """`figures` are the published ones: nothing is told that they hide."""
    stored = measurement.result
    rules = measurement.scheme.rules
    groups = publishable.groups(stored.get("groups") or {}, figures)
    return Shown(
        groups=groups,
        criteria=publishable.criteria(stored.get("criteria"), figures),
        agreement=publishable.agreement(
            stored.get("agreement") or {},
            figures,
            suppressed_below=rules.suppression.suppressed_below,
            evidence_is_public=measured.evidence_is_public(measurement),
        ),
        group_names=names_of(figures, rules.grouping),
        between=_between(groups, figures),
    )


def names_of(figures: Sequence[Figure], grouping: str) -> dict[str, dict[str, str]]:
    """Key → name in both languages, of every group that a published figure names."""
    return group_names.names(sorted({of.group for of in figures if of.group is not None}), grouping=grouping)


def threshold_on(criteria: Mapping[str, Any] | None, metric: str, denominator: str) -> str | None:
    clauses = [
        of
        for of in (criteria or {}).get("clauses", ())
        if (of["metric"], of["denominator"]) == (metric, denominator)
    ]
    overall = [of for of in clauses if of["scope"] == "overall"]
    return next((of["threshold"] for of in (*overall, *clauses)), None)


def _between(groups: Mapping[str, Any], figures: Sequence[Figure]) -> tuple[pages.BetweenGroups, ...]:
    """The headline's metric first, over judged and over all, then the others in the order of the page's tables."""
    entries = {
        key: {(of["metric"], of["denominator"]): of for of in groups[key] or ()}
        for key in ("homogeneity", "gaps", "worst", "macro")
    }
    order = [measured.HEADLINE[0], *tables.FURTHER]

    def place(at: tuple[str, str]) -> tuple[int, bool]:
        return order.index(at[0]) if at[0] in order else len(order), at[1] != "judged"

    return tuple(
        pages.BetweenGroups(
            metric=at[0],
            denominator=at[1],
            homogeneity=entries["homogeneity"][at],
            gaps=entries["gaps"].get(at),
            worst=entries["worst"].get(at),
            macro=entries["macro"].get(at),
            pooled=tables.find(figures, *at),
        )
        for at in sorted(entries["homogeneity"], key=place)
    )
