"""How far judges and people agree: Cohen's kappa of two, Fleiss' of more, with everything that belongs beside them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from grading import statistics
from grading.figures import six_decimals
from grading.harness.measuring import Evaluation, Measured
from grading.harness.shapes import VERDICTS
from grading.statistics import CohenKappa

_HALLUCINATES = (VERDICTS.index("ill_founded"), VERDICTS.index("incorrect"))


@dataclass(frozen=True, slots=True)
class Agreement:
    """Two raters over the answers that both gave one of the four verdicts."""

    first: str
    second: str
    cohen: CohenKappa
    hallucinates: CohenKappa
    only_first: int
    only_second: int

    def as_json(self) -> dict[str, Any]:
        return {
            "first": self.first,
            "second": self.second,
            **kappa_json(self.cohen),
            "verdicts": list(VERDICTS),
            "per_verdict": {
                verdict: None if share is None else six_decimals(share)
                for verdict, share in zip(VERDICTS, self.cohen.per_category, strict=True)
            },
            "hallucinates": kappa_json(self.hallucinates),
            "only_first": self.only_first,
            "only_second": self.only_second,
        }


def kappa_json(of: CohenKappa) -> dict[str, Any]:
    """A kappa as decimal strings; None where it is not defined."""
    agreed = sum(of.matrix[place][place] for place in range(len(of.matrix)))
    return {
        "n": of.n,
        "agreed": agreed,
        "kappa": _signed(of.kappa),
        "low": _signed(of.low),
        "high": _signed(of.high),
        "strength": of.strength and str(of.strength),
        "strength_of_bounds": [bound and str(bound) for bound in of.strength_of_bounds],
        "raw_agreement": None if of.raw_agreement is None else six_decimals(of.raw_agreement),
        "raw_low": None if of.raw_low is None else six_decimals(of.raw_low),
        "raw_high": None if of.raw_high is None else six_decimals(of.raw_high),
        "disagreement_bound": None if of.disagreement_bound is None else six_decimals(of.disagreement_bound),
        "matrix": [list(row) for row in of.matrix],
        "rows": list(of.rows),
        "columns": list(of.columns),
        "indicative": of.is_indicative,
    }


def compare(
    first: Mapping[str, str], second: Mapping[str, str], *, names: tuple[str, str] = ("1", "2")
) -> Agreement:
    """Agreement of two raters, each a verdict by item. What either left unjudged is no disagreement."""
    one, two = _judged(first), _judged(second)
    matrix = [[0] * len(VERDICTS) for _ in VERDICTS]
    for item in one.keys() & two.keys():
        matrix[VERDICTS.index(one[item])][VERDICTS.index(two[item])] += 1
    return Agreement(
        first=names[0],
        second=names[1],
        cohen=statistics.cohen_kappa(matrix),
        hallucinates=statistics.cohen_kappa(statistics.two_categories(matrix, _HALLUCINATES)),
        only_first=len(one.keys() - two.keys()),
        only_second=len(two.keys() - one.keys()),
    )


def several(raters: Sequence[Mapping[str, str]]) -> dict[str, Any]:
    """Fleiss' kappa of more than two raters over every answer that any of them judged."""
    judged = [_judged(rater) for rater in raters]
    table = []
    for item in sorted(set().union(*judged)):
        given = [rater[item] for rater in judged if item in rater]
        table.append([given.count(verdict) for verdict in VERDICTS])
    fleiss = statistics.fleiss_kappa(table)
    return {
        "n": fleiss.n,
        "raters": fleiss.raters,
        "kappa": _signed(fleiss.kappa),
        "raw_agreement": None if fleiss.raw_agreement is None else six_decimals(fleiss.raw_agreement),
        "reason": fleiss.reason and str(fleiss.reason),
    }


def of_package(evaluation: Evaluation, measured: Measured) -> list[Agreement]:
    """The judges together against each person whose blind reviews are in the package."""
    judges = verdicts_of(measured)
    people: dict[str, dict[str, str]] = {}
    for item, reviewer, verdict in evaluation.reviews:
        people.setdefault(reviewer, {})[item] = verdict
    return [compare(judges, said, names=("judge", reviewer)) for reviewer, said in sorted(people.items())]


def verdicts_of(measured: Measured) -> dict[str, str]:
    """The verdict of all judges together on each item, of its first judged run."""
    found: dict[str, tuple[int, str]] = {}
    for outcome in measured.outcomes:
        if outcome.is_judged:
            run = outcome.response.get("run", 1)
            known = found.get(outcome.item["id"])
            if known is None or run < known[0]:
                found[outcome.item["id"]] = run, outcome.verdict
    return {item: verdict for item, (_, verdict) in found.items()}


def _judged(rater: Mapping[str, str]) -> dict[str, str]:
    return {item: verdict for item, verdict in rater.items() if verdict in VERDICTS}


def _signed(value: Fraction | float | None) -> str | None:
    if value is None:
        return None
    return f"-{six_decimals(-value)}" if value < 0 else six_decimals(value)
