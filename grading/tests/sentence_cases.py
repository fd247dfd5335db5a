"""Groups, clauses and reviews at the edges, from counts by the registry's own rules: what sentences are made of."""

import dataclasses
from fractions import Fraction

from grading import between_groups, publishable, reviews, schemes
from grading import criteria as deciding
from grading.clauses import Clause, Criteria, Direction, Requirement, Scope
from grading.figures import Figure, Rate, figure, rate
from grading.reviews import Reviewed
from grading.tests.test_criteria import EXAMPLE

HALU = schemes.shipped()["HALU", "1"]
SET = "ab" * 32
NAMES = {"es": "español", "en": "inglés", "pt": "portugués", "fr": "francés", "it": "italiano"}


def name(key: str) -> str:
    return NAMES.get(key, key)


def groups(counts, *, reference="es", metric="hallucination", denominator="judged"):
    """(figures, published entries) of groups that answered different questions; `counts` are (k, n) by group."""
    scheme = dataclasses.replace(HALU, reference_group=reference)
    rates = {(metric, denominator, group, None): rate(*of) for group, of in counts.items()}
    k, n = (sum(column) for column in zip(*counts.values(), strict=True))
    rates[metric, denominator, None, None] = rate(k, n)
    figures = [
        figure(of, metric, denominator, suppression=scheme.suppression, group=place[2])
        for place, of in rates.items()
    ]
    told = between_groups.among(figures, rates, scheme=scheme, set_sha256=SET, evidence_is_public=True)
    return figures, told.as_json()


def entries(counts, **options):
    """The one entry of each kind, as published; what `sentences.groups.tell` takes."""
    figures, told = groups(counts, **options)
    shown = publishable.groups(told, figures)
    return {key: None if shown[key] is None else next(iter(shown[key]), None) for key in shown}


def clause(threshold="0.10", **changes) -> Clause:
    whole = {
        "metric": "hallucination",
        "denominator": "judged",
        "scope": Scope.OVERALL,
        "direction": Direction.AT_MOST,
        "threshold": Fraction(threshold),
        "minimum_n": 30,
        **changes,
    }
    return Clause(**whole)


def criteria(counts, *clauses, circumstances=None):
    """The decision on clauses, as published; `counts` are (k, n) or a Rate by group, or by (metric, over, group)."""
    scheme = dataclasses.replace(EXAMPLE, criteria=Criteria(requires=tuple(Requirement), clauses=clauses))
    rates: dict[tuple, Rate] = {}
    for place, of in counts.items():
        whole = place if isinstance(place, tuple) else ("hallucination", "judged", place)
        rates[*whole, None] = of if isinstance(of, Rate) else rate(*of)
    figures = [
        figure(of, *place[:2], suppression=scheme.suppression, group=place[2]) for place, of in rates.items()
    ]
    of = {"judges": 1, "judged": 100, "custodian": "Auditora", "holder_had_access": "no"}
    decided = deciding.decide(
        scheme,
        figures,
        rates,
        circumstances=deciding.Circumstances(**{**of, **(circumstances or {})}),
        evidence_is_public=True,
    )
    return publishable.criteria(decided, figures)


def agreement(pairs, *, judges=("j1",), people=("ana",), differently=0, figures=(), **options):
    """Blind reviews, as published: (judge, person) → how many answers, every person saying the same.

    `differently`: of so many answers the last person says «incorrect», whatever the others say.
    """
    rows = []
    counted: dict[tuple[int, ...], int] = {}
    for (judge, person), count in pairs.items():
        said = reviews.VERDICTS.index(judge) + 1
        counted[(said,) * len(judges)] = counted.get((said,) * len(judges), 0) + count
        for _ in range(count):
            item = len(rows) // len(people)
            for one in people:
                apart = one == people[-1] and item < differently
                verdict = 4 if apart else reviews.VERDICTS.index(person) + 1
                rows.append(Reviewed(item, one, verdict, said, (said,) * len(judges)))
    stored = reviews.agreement(rows, judges=judges, between_judges=counted)
    return publishable.agreement(stored, list(figures), **options)


def total(k: int, n: int, group: str | None = None) -> Figure:
    return figure(rate(k, n), "hallucination", "judged", suppression=HALU.suppression, group=group)
