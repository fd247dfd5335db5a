"""What of a stored result's groups, criteria and agreement may be published: never more than its published figures.

Takes the JSON of `grading.figures.Result` beside what `suppression.published` returned, and gives the same JSON with
whatever is not to be told left out (None, or no entry).
"""

from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any

from grading.figures import Band, Figure, at

# Why numbers of an agreement are left out.
FEW = "few"
COMPLEMENTARY = "complementary"

_TABLE = ("matrix", "rows", "columns", "per_category", "standard_error")
_ROUNDED = ("kappa", "low", "high")
_KEPT = ("categories", "indicative", "reason")


def groups(stored: Mapping[str, Any], figures: Sequence[Figure]) -> dict[str, Any]:
    """`groups` of a result. An entry stays only if each group it rests on has a published figure in band full.

    Unless the gate opened there is no gap, no lowest group and no tie set, only how many are tied; a gap that Holm does
    not let stand has no difference.
    """
    full = {
        (of.metric, of.denominator, of.group)
        for of in figures
        if of.band == Band.FULL and of.category is None and of.judge is None
    }

    def entries(key: str, take: Any) -> list[dict[str, Any]] | None:
        if stored.get(key) is None:
            return None
        return [
            take(entry)
            for entry in stored[key]
            if all((entry["metric"], entry["denominator"], group) in full for group in _rests_on(entry))
        ]

    return {
        "homogeneity": entries("homogeneity", dict),
        "worst": entries("worst", _worst),
        "gaps": entries("gaps", _gaps),
        "macro": entries("macro", dict),
    }


def _rests_on(entry: Mapping[str, Any]) -> list[str]:
    named = [group if isinstance(group, str) else group["group"] for group in entry["groups"]]
    if named and "reference" in entry:
        named.append(entry["reference"])
    return named


def _worst(entry: Mapping[str, Any]) -> dict[str, Any]:
    tied = entry["tied"]
    told = {**entry, "tied_groups": None if tied is None else len(tied)}
    if entry["differ"]:
        return told
    return {**told, "worst": None, "tied": None, "intervals": None}


def _gaps(entry: Mapping[str, Any]) -> dict[str, Any]:
    if not entry["differ"]:
        return {**entry, "groups": []}
    return {
        **entry,
        "groups": [
            gap
            if gap["significant"]
            else {**gap, "difference": None, "low": None, "high": None, "pairs": None}
            for gap in entry["groups"]
        ],
    }


def criteria(stored: Mapping[str, Any] | None, figures: Sequence[Figure]) -> dict[str, Any] | None:
    """`criteria` of a result: rates beside a threshold are those of published figures in band full.

    How many answers were judged is left to the figures.
    """
    if stored is None:
        return None
    return {
        **stored,
        "requirements": [
            {key: value for key, value in of.items() if key != "judged"} for of in stored["requirements"]
        ],
        "clauses": [_clause(of, figures) for of in stored["clauses"]],
    }


def _clause(clause: Mapping[str, Any], figures: Sequence[Figure]) -> dict[str, Any]:
    def shown(group: str | None) -> bool:
        of = at(figures, clause["metric"], clause["denominator"], group=group)
        return of is not None and of.band == Band.FULL

    return {
        **clause,
        "overall": clause["overall"] if shown(None) else None,
        "groups": [of for of in clause["groups"] if shown(of["group"])],
    }


def agreement(
    stored: Mapping[str, Any],
    figures: Sequence[Figure],
    *,
    suppressed_below: int = 10,
    evidence_is_public: bool = False,
) -> dict[str, Any]:
    """`agreement` of a result, or of a later calibration of the same answers, with `withheld` beside each table.

    `few`: fewer answers compared than the scheme publishes figures of. `complementary`: the answers that were compared
    and those that were not divide a published total; where the second are few, the margins of the matrix would tell
    their verdicts, and they may be those of a group whose figure is hidden. Then kappa and raw agreement stay, with two
    decimals. Where the evidence is public everybody can count it.
    """
    if not stored:
        return {}
    hides = not evidence_is_public and any(of.band == Band.SUPPRESSED for of in figures)

    def judged(judge: str | None) -> int | None:
        of = at(figures, "hallucination", "judged", judge=judge)
        return of.n if of is not None else None

    def tables(of: Mapping[str, Any], judges: Sequence[str | None]) -> dict[str, Any]:
        n = of["verdicts"]["n"]
        withheld = None
        if 0 < n < suppressed_below:
            withheld = FEW
        elif hides and any(_is_few(judged(judge), n, suppressed_below) for judge in judges):
            withheld = COMPLEMENTARY
        return {
            **of,
            "verdicts": _table(of["verdicts"], withheld),
            "hallucinates": _table(of["hallucinates"], withheld),
        }

    told = dict(stored)
    if "judges" in stored:
        told["judges"] = [tables(of, [of["judge"]]) for of in stored["judges"]]
        if stored["between_reviewers"] is not None:
            told["between_reviewers"] = tables(stored["between_reviewers"], [None])
        if 0 < stored["compared"] < suppressed_below:
            told |= dict.fromkeys(("reviews", "answers", "compared", "left_out"))
    if stored.get("between_judges") is not None:
        names = [of.judge for of in figures if of.judge is not None]
        told["between_judges"] = tables(stored["between_judges"], list(dict.fromkeys(names)))
    return told


def _is_few(total: int | None, n: int, suppressed_below: int) -> bool:
    """Whether a published total less what was compared leaves so few answers that they would be hidden as a group."""
    return total is None or 0 < total - n < suppressed_below


def _table(kappa: Mapping[str, Any], withheld: str | None) -> dict[str, Any]:
    if withheld is None:
        return {**kappa, "withheld": None}
    if withheld == FEW:
        return {**{key: value if key in _KEPT else None for key, value in kappa.items()}, "withheld": FEW}
    told = {**kappa, "withheld": withheld}
    told |= {key: None for key in _TABLE if key in kappa}
    told |= {key: f"{Decimal(kappa[key]):.2f}" for key in _ROUNDED if key in kappa and kappa[key] is not None}
    return told
