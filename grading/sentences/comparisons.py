"""What is said of two systems compared on the same questions."""

from collections.abc import Mapping
from typing import Any

from grading.sentences.telling import difference, points, probability, say
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
