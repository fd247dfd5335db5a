"""What people who judged answers blind say of the judges, and how far judges, and reviewers, agree among themselves."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from grading import statistics
from grading.figures import six_decimals
from grading.statistics import CohenKappa, FleissKappa

# In the order of their codes, from 1; 0 is none. The last two are hallucinations.
VERDICTS = ("exact", "incomplete", "ill_founded", "incorrect")
HALLUCINATES = frozenset({2, 3})

Codes = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Reviewed:
    """One blind review beside the verdicts of the judges on the same answer: codes of VERDICTS, 0 for none.

    `joint` is the verdict that counts, 0 for an answer that is not judged (an abstention, say); `judges` those of each.
    """

    item: int
    reviewer: str
    verdict: int
    joint: int
    judges: Codes


@dataclass(frozen=True, slots=True)
class JudgedAnswer:
    """An answer that people may judge again: the places of its item and of the answer, and what the judges said of it.

    Codes as in `Reviewed`. `joint` is 0 where judges are averaged and do not agree.
    """

    item: int
    response: int
    category: str
    group: str
    joint: int
    judges: Codes


def agreement(
    reviewed: Iterable[Reviewed],
    *,
    judges: Sequence[str],
    between_judges: Mapping[Codes, int] | None,
    judges_are_averaged: bool = False,
) -> dict[str, Any]:
    """The agreement of judges with people, as JSON; {} without reviews and with fewer than two judges.

    `between_judges`: how many answers have these very verdicts, one a judge, 0 for none; None: it is told elsewhere.
    Several reviewers of an answer count by their majority. Where judges are averaged there is no joint verdict to
    compare, only each judge's own.
    """
    whole: dict[str, Any] = {}
    reviews = list(reviewed)
    if reviews:
        whole |= _with_people(reviews, judges, judges_are_averaged)
    if len(judges) > 1 and between_judges is not None:
        complete = {verdicts: count for verdicts, count in between_judges.items() if all(verdicts)}
        whole["between_judges"] = _among(complete, len(judges))
    return whole


def between(first: Mapping[str, str], second: Mapping[str, str]) -> dict[str, Any]:
    """The agreement of two raters, each a verdict by item, on what both decided; what only one did is counted."""
    one, two = _decided(first), _decided(second)
    pairs = Counter((one[item], two[item]) for item in one.keys() & two.keys())
    return {
        **_kappas(_matrix(pairs)),
        "only_first": len(one.keys() - two.keys()),
        "only_second": len(two.keys() - one.keys()),
    }


def among(raters: Sequence[Mapping[str, str]]) -> dict[str, Any]:
    """The agreement of two raters or more, each a verdict by item, over every answer that any of them decided."""
    decided = [_decided(rater) for rater in raters]
    rows = Counter(
        tuple(rater.get(item, 0) for rater in decided) for item in set().union(*(of.keys() for of in decided))
    )
    return _among(rows, len(raters))


def code(verdict: str | None) -> int:
    """The number of a verdict, 0 for none and for what is left unjudged."""
    return VERDICTS.index(verdict) + 1 if verdict in VERDICTS else 0


def _decided(rater: Mapping[str, str]) -> dict[str, int]:
    return {item: code(verdict) for item, verdict in rater.items() if code(verdict)}


def is_measured(agreement: Mapping[str, Any]) -> bool:
    """Whether agreement of a judge with people was measured at all; else that is a declared limitation."""
    return bool(agreement.get("compared"))


def _with_people(reviews: list[Reviewed], judges: Sequence[str], averaged: bool) -> dict[str, Any]:
    of_item: dict[int, list[Reviewed]] = {}
    for review in reviews:
        of_item.setdefault(review.item, []).append(review)
    left_out = {"not_judged": 0, "reviewer_undecided": 0, "reviewers_tied": 0}
    tables: dict[str | None, Counter[tuple[int, int]]] = {}
    compared = 0
    for of in of_item.values():
        person, why = _majority(of)
        if not of[0].joint and not (averaged and any(of[0].judges)):
            why = "not_judged"
        if why is not None:
            left_out[why] += 1
            continue
        compared += 1
        verdicts: dict[str | None, int] = dict(zip(judges, of[0].judges, strict=True))
        if not averaged:
            verdicts = {None: of[0].joint, **(verdicts if len(judges) > 1 else {})}
        for judge, verdict in verdicts.items():
            if verdict:
                tables.setdefault(judge, Counter())[verdict, person] += 1
    reviewers = list(dict.fromkeys(review.reviewer for review in reviews))
    return {
        "reviews": len(reviews),
        "reviewers": len(reviewers),
        "answers": len(of_item),
        "compared": compared,
        "left_out": left_out,
        "judges": [
            {"judge": judge, **_kappas(_matrix(tables.get(judge, {})))}
            for judge in ([] if averaged else [None]) + (list(judges) if averaged or len(judges) > 1 else [])
        ],
        "between_reviewers": _between_reviewers(of_item, reviewers) if len(reviewers) > 1 else None,
    }


def _majority(of: Sequence[Reviewed]) -> tuple[int, str | None]:
    """What most reviewers of an answer said, and why there is nothing to compare."""
    votes = Counter(review.verdict for review in of if review.verdict).most_common(2)
    if not votes:
        return 0, "reviewer_undecided"
    if len(votes) > 1 and votes[0][1] == votes[1][1]:
        return 0, "reviewers_tied"
    return votes[0][0], None


def _between_reviewers(of_item: Mapping[int, Sequence[Reviewed]], reviewers: Sequence[str]) -> dict[str, Any]:
    rows: Counter[Codes] = Counter()
    for of in of_item.values():
        said = {review.reviewer: review.verdict for review in of if review.verdict}
        rows[tuple(said.get(reviewer, 0) for reviewer in reviewers)] += 1
    return _among(rows, len(reviewers))


def _among(rows: Mapping[Codes, int], raters: int) -> dict[str, Any]:
    """The agreement of raters with each other: Cohen's of two, on what both decided; Fleiss's of more."""
    if raters == 2:
        pairs = {(first, second): count for (first, second), count in rows.items() if first and second}
        return {"kind": "cohen", **_kappas(_matrix(pairs))}
    answered = {verdicts: count for verdicts, count in rows.items() if any(verdicts)}
    table = [[verdicts.count(code + 1) for code in range(len(VERDICTS))] for verdicts in answered]
    binary = [
        [sum(row[code] for code in HALLUCINATES), sum(row) - sum(row[code] for code in HALLUCINATES)]
        for row in table
    ]
    times = list(answered.values())
    return {
        "kind": "fleiss",
        "verdicts": _of_fleiss(statistics.fleiss_kappa(table, times)),
        "hallucinates": _of_fleiss(statistics.fleiss_kappa(binary, times)),
    }


def _matrix(pairs: Mapping[tuple[int, int], int]) -> list[list[int]]:
    """Rows: the first rater, or the judge; columns: the second, or people."""
    size = range(1, len(VERDICTS) + 1)
    return [[pairs.get((row, column), 0) for column in size] for row in size]


def _kappas(matrix: list[list[int]]) -> dict[str, Any]:
    binary = statistics.two_categories(matrix, HALLUCINATES)
    return {
        "verdicts": _of_cohen(statistics.cohen_kappa(matrix), VERDICTS),
        "hallucinates": _of_cohen(statistics.cohen_kappa(binary), ("hallucinates", "does_not")),
    }


def _of_cohen(kappa: CohenKappa, categories: Sequence[str]) -> dict[str, Any]:
    low, high = kappa.strength_of_bounds
    agreed = sum(kappa.matrix[place][place] for place in range(len(kappa.matrix)))
    return {
        "categories": list(categories),
        "matrix": [list(row) for row in kappa.matrix],
        "rows": list(kappa.rows),
        "columns": list(kappa.columns),
        "n": kappa.n,
        "kappa": _six(kappa.kappa),
        "standard_error": _six(kappa.standard_error),
        "low": _six(kappa.low),
        "high": _six(kappa.high),
        "strength": _word(kappa.strength),
        "strength_low": _word(low),
        "strength_high": _word(high),
        "raw_agreement": {
            "k": agreed,
            "n": kappa.n,
            "estimate": _six(kappa.raw_agreement),
            "low": _six(kappa.raw_low),
            "high": _six(kappa.raw_high),
        },
        "per_category": dict(zip(categories, map(_six, kappa.per_category), strict=True)),
        "disagreement_bound": _six(kappa.disagreement_bound),
        "indicative": kappa.is_indicative,
    }


def _of_fleiss(kappa: FleissKappa) -> dict[str, Any]:
    return {
        "n": kappa.n,
        "raters": kappa.raters,
        "kappa": _six(kappa.kappa),
        "standard_error": _six(kappa.standard_error),
        "strength": _word(statistics.landis_koch(kappa.kappa)),
        "raw_agreement": _six(kappa.raw_agreement),
        "by_chance": _six(kappa.by_chance),
        "reason": _word(kappa.reason),
        "indicative": kappa.n < statistics.INDICATIVE_BELOW,
    }


def _six(value: Fraction | float | None) -> str | None:
    return None if value is None else six_decimals(value)


def _word(value: str | None) -> str | None:
    return None if value is None else str(value)
