"""What sample pages show beyond their figures, computed by the registry's own rules from hand-made counts."""

import dataclasses
import json
from collections.abc import Sequence
from typing import Any

from certificates import pages, tables
from grading import between_groups, criteria, publishable, reviews, schemes
from grading.figures import Figure, Rate, rate
from grading.reviews import Reviewed
from grading.schemes import Scheme

HALU = schemes.shipped()["HALU", "1"]
SET = "ab" * 32


def rates(figures: Sequence[Figure]) -> dict[tuple[str, str, str | None, str | None], Rate]:
    return {
        (of.metric, of.denominator, of.group, of.category): rate(of.k, of.n, of.unjudged or 0)
        for of in figures
        if of.k is not None and of.judge is None
    }


def between(figures: Sequence[Figure], *, reference: str | None = None) -> tuple[pages.BetweenGroups, ...]:
    """The groups among each other, in the order in which pages tell them."""
    scheme = dataclasses.replace(HALU, reference_group=reference)
    shown = [of for of in figures if of.category is None and of.n]
    groups = between_groups.among(shown, rates(shown), scheme=scheme, set_sha256=SET, evidence_is_public=True)
    told = publishable.groups(groups.as_json(), figures)
    entries = {
        key: {(of["metric"], of["denominator"]): of for of in told[key] or ()}
        for key in ("homogeneity", "gaps", "worst", "macro")
    }
    return tuple(
        pages.BetweenGroups(
            metric=at[0],
            denominator=at[1],
            homogeneity=gate,
            gaps=entries["gaps"].get(at),
            worst=entries["worst"].get(at),
            macro=entries["macro"].get(at),
            pooled=tables.find(figures, *at),
        )
        for at, gate in entries["homogeneity"].items()
        if len(gate["groups"]) > 1
    )


def contract(*clauses: dict[str, Any], **changes: Any) -> Scheme:
    """A scheme with these clauses, and all requirements."""
    file = json.loads(schemes.data.read("schemes/HALU-1.json"))
    demands = {"requires": [str(of) for of in criteria.Requirement], "clauses": list(clauses)}
    return schemes.load(json.dumps({**file, "code": "CLAUSE", "criteria": demands, **changes}).encode())


def clause(metric: str, denominator: str, threshold: str, **changes: Any) -> dict[str, Any]:
    return {
        "metric": metric,
        "denominator": denominator,
        "scope": "overall",
        "direction": "at_most",
        "threshold": threshold,
        "minimum_n": 30,
        **changes,
    }


def decided(figures: Sequence[Figure], scheme: Scheme, **circumstances: Any) -> dict[str, Any]:
    """The decision on a scheme's criteria, as published."""
    of = criteria.Circumstances(
        **{"judges": 1, "judged": 852, "custodian": "Fehaciente", "holder_had_access": "no", **circumstances}
    )
    decision = criteria.decide(
        scheme, [one for one in figures if one.n], rates(figures), circumstances=of, evidence_is_public=True
    )
    return publishable.criteria(decision, figures)


def reviewed(
    pairs: dict[tuple[str, str], int], *, judges: Sequence[str] = ("j1",), reviewers: Sequence[str] = ("ana",)
) -> dict[str, Any]:
    """Blind reviews: (judge, person) → how many answers. Every judge says the same, and so does every person."""
    rows = []
    for (judge, person), count in pairs.items():
        for _ in range(count):
            item = len(rows) // len(reviewers)
            said = reviews.VERDICTS.index(judge) + 1
            rows += [
                Reviewed(item, reviewer, reviews.VERDICTS.index(person) + 1, said, (said,) * len(judges))
                for reviewer in reviewers
            ]
    counted: dict[tuple[int, ...], int] = {}
    for (judge, _), count in pairs.items():
        codes = (reviews.VERDICTS.index(judge) + 1,) * len(judges)
        counted[codes] = counted.get(codes, 0) + count
    return reviews.agreement(rows, judges=judges, between_judges=counted)
