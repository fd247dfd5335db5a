"""Decides a scheme's acceptance criteria on a measurement: conforms, does_not_conform or insufficient_evidence.

Always by the bound of the interval, in Fractions; the figure in its middle decides nothing. Only published figures in
band `full` are decided on, so nothing said here gives a hidden cell away.
"""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from grading import statistics, suppression
from grading.clauses import Clause, Direction, Requirement, Scope
from grading.figures import Band, Figure, Rate, six_decimals
from grading.statistics import Z95

if TYPE_CHECKING:
    from grading.schemes import Scheme


class Outcome(StrEnum):
    CONFORMS = "conforms"
    DOES_NOT_CONFORM = "does_not_conform"
    INSUFFICIENT_EVIDENCE = "insufficient_evidence"


class Reason(StrEnum):
    """Why the evidence is insufficient."""

    MISSING = "missing"
    NO_DATA = "no_data"
    SUPPRESSED = "suppressed"
    INDICATIVE = "indicative"
    FEWER_THAN_MINIMUM = "fewer_than_minimum"
    UNJUDGED = "unjudged"
    THRESHOLD_INSIDE_INTERVAL = "threshold_inside_interval"
    NO_GROUP = "no_group"


@dataclass(frozen=True, slots=True, kw_only=True)
class Circumstances:
    """What of the evidence the requirements ask about. `hostile_missing`: hostile categories without a question."""

    hostile_missing: tuple[str, ...] = ()
    judges: int
    unknown_families: tuple[str, ...] = ()
    judged: int
    custodian: str | None
    holder_had_access: str


Rates = Mapping[tuple[str, str, str | None, str | None], Rate]


def decide(
    scheme: "Scheme",
    figures: Iterable[Figure],
    rates: Rates,
    *,
    circumstances: Circumstances,
    evidence_is_public: bool = False,
) -> dict[str, Any] | None:
    """The decision on each clause and on all, as JSON; None for a descriptive scheme.

    `rates` by (metric, denominator, group, category). `evidence_is_public`: as for `suppression.published`. Any clause
    that does not conform decides; else all must conform and every requirement be met, or the evidence is insufficient.
    """
    if scheme.criteria is None:
        return None
    joint = (of for of in figures if of.judge is None)
    bands = {
        (of.metric, of.denominator, of.group): Band(of.band)
        for of in suppression.published(joint, scheme, evidence_is_public=evidence_is_public)
        if of.category is None and of.group != suppression.REST
    }
    clauses = [_decided(clause, bands, rates) for clause in scheme.criteria.clauses]
    requirements = [_requirement(of, circumstances) for of in scheme.criteria.requires]
    outcomes = {clause["outcome"] for clause in clauses}
    outcome = Outcome.INSUFFICIENT_EVIDENCE
    if Outcome.DOES_NOT_CONFORM in outcomes:
        outcome = Outcome.DOES_NOT_CONFORM
    elif outcomes == {Outcome.CONFORMS} and all(of["met"] for of in requirements):
        outcome = Outcome.CONFORMS
    return {"outcome": str(outcome), "requirements": requirements, "clauses": clauses}


def of_rate(rate: Rate, clause: Clause, *, groups: int = 1) -> tuple[Outcome, Reason | None]:
    """The outcome of one rate; among several groups it fails only at 1 − 0.05/groups.

    Answers that nobody judged leave the rate open from none to all of them counting: the outcome must be the same at
    both ends, or who leaves the bad answers unjudged would conform.
    """
    if independent_answers(rate) < clause.minimum_n:
        return Outcome.INSUFFICIENT_EVIDENCE, Reason.FEWER_THAN_MINIMUM
    z = _z(groups)
    outcomes = {_by_bound(k, n, clause, z) for k, n in _ends(rate, clause)}
    if len(outcomes) > 1:
        own = _by_bound(*rate.effective, clause, z)
        inside = own == Outcome.INSUFFICIENT_EVIDENCE
        return Outcome.INSUFFICIENT_EVIDENCE, Reason.THRESHOLD_INSIDE_INTERVAL if inside else Reason.UNJUDGED
    (outcome,) = outcomes
    if outcome == Outcome.INSUFFICIENT_EVIDENCE:
        return outcome, Reason.THRESHOLD_INSIDE_INTERVAL
    return outcome, None


def independent_answers(rate: Rate) -> int:
    """How many independent answers a rate rests on: its clusters, where answers stand together."""
    return rate.sums.clusters if rate.is_clustered else rate.n


def _by_bound(k: int | Fraction, n: int | Fraction, clause: Clause, z: float) -> Outcome:
    if clause.direction == Direction.AT_MOST:
        conforms = statistics.is_at_most(k, n, clause.threshold)
        fails = statistics.is_above(k, n, clause.threshold, z=z)
    else:
        conforms = statistics.is_at_least(k, n, clause.threshold)
        fails = statistics.is_below(k, n, clause.threshold, z=z)
    if conforms:
        return Outcome.CONFORMS
    return Outcome.DOES_NOT_CONFORM if fails else Outcome.INSUFFICIENT_EVIDENCE


def _ends(rate: Rate, clause: Clause) -> list[tuple[int | Fraction, int | Fraction]]:
    """The effective counts as they are, and with none and with all of the unjudged counting."""
    k, n = rate.effective
    if not rate.unjudged:
        return [(k, n)]
    effect = Fraction(n) / rate.n
    whole = rate.n + rate.unjudged if clause.denominator == "judged" else rate.n
    most = min(rate.k + rate.unjudged, whole)
    return [(k, n), (rate.k * effect, whole * effect), (most * effect, whole * effect)]


def _decided(
    clause: Clause, bands: Mapping[tuple[str, str, str | None], Band], rates: Rates
) -> dict[str, Any]:
    place = (clause.metric, clause.denominator)
    groups = [group for (*of, group) in bands if tuple(of) == place and group is not None]
    wanting = [
        {"group": group, "reason": str(_why_not(bands.get((*place, group))))}
        for group in clause.required_groups
        if bands.get((*place, group)) != Band.FULL
    ]
    overall = None
    assessed: list[dict[str, Any]] = []
    reason: Reason | None = None
    if clause.scope == Scope.OVERALL:
        if bands.get((*place, None)) == Band.FULL:
            overall = _shown(rates[*place, None, None], clause)
            outcome = Outcome(overall["outcome"])
            reason = overall["reason"]
        else:
            outcome, reason = Outcome.INSUFFICIENT_EVIDENCE, _why_not(bands.get((*place, None)))
    else:
        full = [group for group in groups if bands[*place, group] == Band.FULL]
        assessed = [
            {"group": group, **_shown(rates[*place, group, None], clause, groups=len(full))} for group in full
        ]
        outcome = _of_groups(assessed)
        if not assessed:
            reason = Reason.NO_GROUP
        elif outcome == Outcome.INSUFFICIENT_EVIDENCE:
            reason = next(of["reason"] for of in assessed if of["reason"] is not None)
    if wanting and outcome == Outcome.CONFORMS:
        outcome, reason = Outcome.INSUFFICIENT_EVIDENCE, Reason(wanting[0]["reason"])
    return {
        "metric": clause.metric,
        "denominator": clause.denominator,
        "scope": str(clause.scope),
        "direction": str(clause.direction),
        "threshold": six_decimals(clause.threshold),
        "minimum_n": clause.minimum_n,
        "required_groups": list(clause.required_groups),
        "outcome": str(outcome),
        "reason": None if reason is None else str(reason),
        "overall": overall,
        "groups": assessed,
        "required_groups_wanting": wanting,
        "groups_left_out": [
            {"group": group, "band": str(bands[*place, group])}
            for group in groups
            if clause.scope == Scope.EACH_GROUP and bands[*place, group] != Band.FULL
        ],
    }


def _of_groups(assessed: list[dict[str, Any]]) -> Outcome:
    outcomes = {of["outcome"] for of in assessed}
    if Outcome.DOES_NOT_CONFORM in outcomes:
        return Outcome.DOES_NOT_CONFORM
    return Outcome.CONFORMS if outcomes == {Outcome.CONFORMS} else Outcome.INSUFFICIENT_EVIDENCE


def _why_not(band: Band | None) -> Reason:
    return Reason.MISSING if band is None else Reason(str(band))


def _shown(rate: Rate, clause: Clause, *, groups: int = 1) -> dict[str, Any]:
    """One rate beside the threshold: its margin, and how many answers it would take at this very rate."""
    outcome, reason = of_rate(rate, clause, groups=groups)
    low, high = rate.bounds()
    at_most = clause.direction == Direction.AT_MOST
    threshold = float(clause.threshold)
    bound = _bound(rate, clause, upper=at_most)
    needed, for_ = _needed(rate, clause, groups)
    return {
        "outcome": str(outcome),
        "reason": None if reason is None else str(reason),
        "k": rate.k,
        "n": rate.n,
        "unjudged": rate.unjudged,
        "estimate": six_decimals(Fraction(rate.k, rate.n)),
        "low": six_decimals(low),
        "high": six_decimals(high),
        "decided_on": _decided_on(rate, clause, outcome, groups),
        # Above 0 the bound is on the right side.
        "margin": six_decimals(threshold - bound if at_most else bound - threshold),
        "needed": needed,
        "needed_for": None if for_ is None else str(for_),
        "needed_in": "clusters" if rate.is_clustered else "answers",
    }


def _decided_on(rate: Rate, clause: Clause, outcome: Outcome, groups: int) -> dict[str, str]:
    """The bound that decided: the far one, which has to hold, unless the near one is already beyond the threshold."""
    far = clause.direction == Direction.AT_MOST
    fails = outcome == Outcome.DOES_NOT_CONFORM
    upper = far != fails
    confidence = statistics.simultaneous(groups if fails else 1)
    return {
        "bound": "upper" if upper else "lower",
        "value": six_decimals(_bound(rate, clause, upper=upper, z=_z(groups) if fails else Z95)),
        "confidence": six_decimals(confidence),
    }


def _bound(rate: Rate, clause: Clause, *, upper: bool, z: float = Z95) -> float:
    """A bound with whatever the unjudged answers could make of it: the furthest one on its side decides."""
    ends = [statistics.wilson_at(k, n, z) for k, n in _ends(rate, clause)]
    return max(high for _, high in ends) if upper else min(low for low, _ in ends)


def _z(groups: int) -> float:
    return Z95 if groups == 1 else statistics.normal_quantile(statistics.simultaneous(groups))


def _needed(rate: Rate, clause: Clause, groups: int) -> tuple[int | None, Outcome | None]:
    """How many answers (or clusters) at this very rate would decide it, and in which way; never below the minimum."""
    below = Fraction(rate.k, rate.n) < clause.threshold
    good = below == (clause.direction == Direction.AT_MOST)
    z = Z95 if good else _z(groups)
    needed = statistics.answers_needed(rate.k, rate.n, clause.threshold, z=z)
    if needed is None:
        return None, None
    if rate.is_clustered:
        needed = math.ceil(needed * rate.sums.clusters / rate.sums.n_eff)
    return max(needed, clause.minimum_n), Outcome.CONFORMS if good else Outcome.DOES_NOT_CONFORM


def _requirement(of: Requirement, circumstances: Circumstances) -> dict[str, Any]:
    """Whether a requirement is met, with what it was decided on."""
    match of:
        case Requirement.HOSTILE_QUESTIONS:
            missing = list(circumstances.hostile_missing)
            return {"code": str(of), "met": not missing, "missing": missing}
        case Requirement.OTHER_JUDGE:
            # One of the evaluated family is refused with its package.
            return {"code": str(of), "met": circumstances.judges > 0, "judges": circumstances.judges}
        case Requirement.ERROR_TYPES_APART:
            return {"code": str(of), "met": circumstances.judged > 0, "judged": circumstances.judged}
        case Requirement.KNOWN_JUDGE_FAMILY:
            unknown = list(circumstances.unknown_families)
            return {"code": str(of), "met": circumstances.judges > 0 and not unknown, "unknown": unknown}
        case Requirement.SET_CUSTODY:
            access = circumstances.holder_had_access
            met = access == "no" and circumstances.custodian is not None
            return {
                "code": str(of),
                "met": met,
                "custodian": circumstances.custodian,
                "holder_had_access": access,
            }
