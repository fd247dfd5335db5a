"""What a result says in sentences, Spanish and English: of groups, kappa, a comparison. No template decides on one."""

from collections.abc import Callable, Mapping
from decimal import Decimal
from typing import Any

from grading.words import STRENGTHS, word
from registry_site import wording

# code: (es, en)
TEXTS = {
    "not_assessed": (
        "No se evaluó si los grupos difieren: hay menos de dos grupos con publicación completa.",
        "Whether groups differ was not assessed: fewer than two groups have full publication.",
    ),
    "no_variation": (
        "No hubo variación: ningún grupo registró casos (o todos los registraron en cada respuesta).",
        "No variation: no group had a case (or every answer was one).",
    ),
    "no_difference_shown": (
        (
            "Con estos datos no se puede afirmar que los grupos lingüísticos difieran ({p}). "
            "Tampoco se puede afirmar que sean iguales."
        ),
        "These data do not show that the language groups differ ({p}). Nor do they show that they are equal.",
    ),
    "differ": (
        "Los grupos lingüísticos difieren ({p}).",
        "The language groups differ ({p}).",
    ),
    "gap": (
        "Respecto de {ref}: {gaps}.",
        "Against {ref}: {gaps}.",
    ),
    "one_gap": (
        "{group} {d} puntos porcentuales [{lo} – {hi}]",
        "{group} {d} percentage points [{lo} – {hi}]",
    ),
    "no_kappa": (
        "Limitación declarada: no se ha medido el acuerdo entre el juez y personas.",
        "Declared limitation: agreement between the judge and humans has not been measured.",
    ),
    "kappa_undefined": (
        "Kappa no definido: todas las respuestas están en una sola categoría. Acuerdo simple: {k} de {n}.",
        "Kappa not defined: a single category. Raw agreement: {k} of {n}.",
    ),
    "kappa": (
        "Acuerdo entre el juez y personas: kappa de Cohen {kappa} [{lo} – {hi}], {strength}; {k} de {n}.",
        "Agreement between the judge and humans: Cohen's kappa {kappa} [{lo} – {hi}], {strength}; {k} of {n}.",
    ),
    "kappa_all_agree": (
        " Eso no demuestra que coincidan siempre: con 95 % de confianza, el desacuerdo real no supera {u} %.",
        " That does not show that they always agree: with 95% confidence, the true disagreement does not exceed {u}%.",
    ),
    "kappa_indicative": (" Orientativo: pocas respuestas ({n}).", " Indicative: few answers ({n})."),
    "no_discordant_pairs": (
        "Las dos mediciones acertaron y fallaron en las mismas preguntas: no hay pares discordantes.",
        "Both measurements got the same questions right and wrong: there are no discordant pairs.",
    ),
    "no_difference": (
        "No se detectó diferencia ({p}). Con este tamaño solo se habría detectado una de {mde} puntos o más.",
        "No difference was detected ({p}). At this size only one of {mde} points or more would have been.",
    ),
    "difference": (
        "La primera medición difiere de la segunda en {d} puntos porcentuales [{lo} – {hi}] ({p}).",
        "The first measurement differs from the second by {d} percentage points [{lo} – {hi}] ({p}).",
    ),
    "intersection": (
        "Intersección de {n} ítems, no el mismo conjunto.",
        "Intersection of {n} items, not the same set.",
    ),
}


def of_groups(
    homogeneity: Mapping[str, Any],
    gaps: Mapping[str, Any] | None,
    language: str,
    *,
    name: Callable[[str], str] = str,
) -> str:
    """Whether groups differ in one metric; the gaps follow only where they do, and only significant ones.

    `homogeneity` and `gaps` are entries of a result's `groups`; `name` tells what a group is called.
    """
    told = [_say(homogeneity["outcome"], language, p=_p(homogeneity["p"], language))]
    significant = [gap for gap in (gaps or {}).get("groups", ()) if gap["significant"]]
    if homogeneity["differ"] and significant:
        listed = "; ".join(
            _say("one_gap", language, group=name(gap["group"]), **_difference(gap, language))
            for gap in significant
        )
        told.append(_say("gap", language, ref=name(gaps["reference"]), gaps=listed))
    return " ".join(told)


def of_agreement(agreement: Mapping[str, Any], language: str) -> str:
    """The kappa of the verdicts that count (of the first judge, where judges are averaged), or why there is none."""
    if not agreement.get("compared"):
        return _say("no_kappa", language)
    kappa = agreement["judges"][0]["verdicts"]
    counts = {
        "k": wording.whole(kappa["raw_agreement"]["k"], language),
        "n": wording.whole(kappa["n"], language),
    }
    if kappa["kappa"] is None:
        return _say("kappa_undefined", language, **counts)
    told = _say(
        "kappa",
        language,
        kappa=_two(kappa["kappa"], language),
        lo=_two(kappa["low"], language),
        hi=_two(kappa["high"], language),
        strength=word(STRENGTHS, kappa["strength"], language),
        **counts,
    )
    if kappa["disagreement_bound"] is not None:
        bound = wording.upper_bound(kappa["disagreement_bound"], language)
        told += _say("kappa_all_agree", language, u=bound)
    return told + (_say("kappa_indicative", language, n=counts["n"]) if kappa["indicative"] else "")


def of_comparison(row: Mapping[str, Any], language: str) -> str:
    """What one row of a comparison says: never that one is better without significance."""
    if row["no_discordant_pairs"]:
        return _say("no_discordant_pairs", language)
    p = _p(row["p"] if row["p_holm"] is None else row["p_holm"], language)
    if row["significant"]:
        return _say("difference", language, p=p, **_difference(row, language))
    return _say("no_difference", language, p=p, mde=_points(row["detectable"], language))


def of_intersection(comparison: Mapping[str, Any], language: str) -> str:
    """What has to be said beside a comparison of sets that are not the same; empty for one set."""
    if comparison["same_set"]:
        return ""
    return _say("intersection", language, n=wording.whole(comparison["items"]["compared"], language))


def _say(code: str, language: str, **values: Any) -> str:
    return TEXTS[code][language == "en"].format(**values)


def _p(value: str | None, language: str) -> str:
    """«p = 0,153», «p < 0,001»."""
    if value is None:
        return ""
    told = wording.p_value(value, language)
    return f"p < {told[1:]}" if told.startswith("<") else f"p = {told}"


def _difference(of: Mapping[str, Any], language: str) -> dict[str, str]:
    return {
        "d": _points(of["difference"], language),
        "lo": _points(of["low"], language),
        "hi": _points(of["high"], language),
    }


def _points(value: str, language: str) -> str:
    """A difference of fractions of 1 in percentage points, one decimal, with its sign when below 0."""
    return wording.decimal(Decimal(value) * 100, language, 1)


def _two(value: str, language: str) -> str:
    return wording.decimal(Decimal(value), language, 2)
