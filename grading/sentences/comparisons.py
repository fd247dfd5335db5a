"""What is said of two systems compared on the same questions."""

from collections.abc import Callable, Mapping
from decimal import Decimal
from typing import Any

from grading.comparison import DECISIVE
from grading.sentences.telling import difference, points, probability, say
from grading.words import METRICS, word
from registry_site import wording

# code: (es, en)
TEXTS = {
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
    "detectable": (
        "Con este tamaño solo se habría detectado una diferencia de {mde} puntos o más.",
        "At this size only a difference of {mde} points or more would have been detected.",
    ),
    "cannot_reach": (
        "Con tan pocos pares discordantes ninguna diferencia puede alcanzar p < 0,05.",
        "With so few discordant pairs no difference can reach p < 0.05.",
    ),
    "stand_together": (
        "Hay preguntas que van juntas, como traducciones: valen por {clusters}.",
        "Some questions stand together, such as translations: they are worth {clusters}.",
    ),
    "indicative": (
        "Orientativo: pocos pares ({n}) o intervalo muy ancho.",
        "Indicative: few pairs ({n}) or a very wide interval.",
    ),
    "suppressed": (
        (
            "{groups}: no se comparan por separado, por tener muy pocas preguntas o porque permitirían deducir otro "
            "grupo. Sus respuestas sí cuentan en el total."
        ),
        (
            "{groups}: not compared separately, for there are too few questions or another group could be deduced. "
            "Their answers do count in the total."
        ),
    ),
    "total_suppressed": (
        "El total no se publica: permitiría deducir respuestas que no se publican por separado.",
        "The total is not published: answers that are not published separately could be deduced.",
    ),
    "nothing_to_compare": (
        "Sin datos: ninguna de las preguntas comunes sirve para medirlo.",
        "No data: none of the common questions measures it.",
    ),
    "same_set": (
        "El mismo conjunto: {n} preguntas.",
        "The same set: {n} questions.",
    ),
    "first_run_only": (
        "Hay preguntas con varias ejecuciones: se compara la primera de cada una.",
        "Some questions were run several times: the first of each is compared.",
    ),
    "interval_without_zero": (
        "El intervalo de la diferencia no incluye el cero, pero decide la prueba exacta.",
        "The interval of the difference leaves zero out, but the exact test decides.",
    ),
    "interval_without_zero_holm": (
        "El intervalo de la diferencia no incluye el cero, pero decide la prueba exacta con la corrección de Holm.",
        "The interval of the difference leaves zero out, but the exact test corrected by Holm decides.",
    ),
    "holm_over": (
        "Entre los grupos, p ajustado por Holm sobre {n} comparaciones: es el que decide.",
        "Among the groups, p adjusted by Holm over {n} comparisons: that is the one which decides.",
    ),
    "intersection": (
        "Intersección de {n} ítems, no el mismo conjunto.",
        "Intersection of {n} items, not the same set.",
    ),
}


def of_comparison(row: Mapping[str, Any], language: str) -> str:
    """What one row of a comparison says: never that one is better without significance."""
    if row["no_discordant_pairs"]:
        return say(TEXTS, "no_discordant_pairs", language)
    value = row["p"] if row["p_holm"] is None else row["p_holm"]
    p = probability(value, language, below_level=row["significant"])
    if row["significant"]:
        return say(TEXTS, "difference", language, p=p, **difference(row, language))
    return say(TEXTS, "no_difference", language, p=p, mde=points(row["detectable"], language))


def of_intersection(comparison: Mapping[str, Any], language: str) -> str:
    """What has to be said beside a comparison of sets that are not the same; empty for one set."""
    if comparison["same_set"]:
        return ""
    return say(TEXTS, "intersection", language, n=wording.whole(comparison["items"]["compared"], language))


def of_row(row: Mapping[str, Any], language: str) -> tuple[str, ...]:
    """All that one row says: whether there is a difference, what would have been found, and what limits it."""
    told = [of_comparison(row, language)]
    if row["no_discordant_pairs"]:
        told.append(say(TEXTS, "detectable", language, mde=points(row["detectable"], language)))
    if not row["significant"] and Decimal(row["low"]) * Decimal(row["high"]) > 0:
        code = "interval_without_zero" if row["p_holm"] is None else "interval_without_zero_holm"
        told.append(say(TEXTS, code, language))
    if row["cannot_be_significant"]:
        told.append(say(TEXTS, "cannot_reach", language))
    if row["clusters"] is not None:
        told.append(say(TEXTS, "stand_together", language, clusters=wording.whole(row["clusters"], language)))
    if row["band"] == "indicative":
        told.append(say(TEXTS, "indicative", language, n=wording.whole(row["n"], language)))
    return tuple(told)


def of_outcome(
    outcome: Mapping[str, Any], language: str, *, name: Callable[[str], str] = str
) -> tuple[str, ...]:
    """What is said beneath the table of one outcome; `name` tells what a group is called."""
    told = []
    rows = [outcome["overall"], *outcome["groups"]]
    left_out = outcome["groups_left_out"]
    if not any(rows) and not left_out:
        return (say(TEXTS, "nothing_to_compare", language),)
    if len(outcome["groups"]) > 1:
        count = wording.whole(len(outcome["groups"]), language)
        told.append(say(TEXTS, "holm_over", language, n=count))
    if left_out:
        groups = wording.listing([name(of["group"]) for of in left_out], language)
        told.append(say(TEXTS, "suppressed", language, groups=groups[:1].upper() + groups[1:]))
    if outcome["overall"] is None:
        told.append(say(TEXTS, "total_suppressed", language))
    return tuple(told)


def of_what(comparison: Mapping[str, Any], language: str) -> tuple[str, ...]:
    """Of which questions a comparison is: the same set or an intersection, and of which runs."""
    told = [
        of_intersection(comparison, language)
        or say(TEXTS, "same_set", language, n=wording.whole(comparison["items"]["compared"], language))
    ]
    if max(comparison["runs"]["first"], comparison["runs"]["second"]) > 1:
        told.append(say(TEXTS, "first_run_only", language))
    return tuple(told)


def in_short(comparison: Mapping[str, Any], language: str) -> str:
    """A comparison where there is room for one sentence an outcome: exact answers and hallucination, of the total."""
    told = []
    for outcome in comparison.get("outcomes", ()):
        if outcome["metric"] in DECISIVE and outcome["overall"] is not None:
            metric = word(METRICS, outcome["metric"], language)
            sentence = of_comparison(outcome["overall"], language)
            told.append(f"{metric[:1].upper()}{metric[1:]}: {sentence}")
    return " ".join(told)
