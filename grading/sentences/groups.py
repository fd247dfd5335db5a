"""What may be said of the language groups among each other."""

from collections.abc import Callable, Mapping
from typing import Any

from grading.sentences.telling import difference, probability, say

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
    told = [
        say(
            TEXTS,
            homogeneity["outcome"],
            language,
            p=probability(homogeneity["p"], language, below_level=homogeneity["differ"]),
        )
    ]
    significant = [gap for gap in (gaps or {}).get("groups", ()) if gap["significant"]]
    if homogeneity["differ"] and significant:
        listed = "; ".join(
            say(TEXTS, "one_gap", language, group=name(gap["group"]), **difference(gap, language))
            for gap in significant
        )
        told.append(say(TEXTS, "gap", language, ref=name(gaps["reference"]), gaps=listed))
    return " ".join(told)
