"""What may be said of the language groups among each other."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from grading.sentences.telling import difference, named, points, probability, rate, say
from grading.words import LEFT_OUT, word
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
    "no_variation_within_questions": (
        "No hubo variación: cada pregunta que los grupos comparten tuvo el mismo resultado en todos.",
        "No variation: each question that the groups share had the same outcome in all of them.",
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
    "gap_of_one": (
        "Difiere de {ref} en {d} puntos porcentuales [{lo} – {hi}] ({p}, con la corrección de Holm).",
        "Differs from {ref} by {d} percentage points [{lo} – {hi}] ({p}, corrected by Holm).",
    ),
    "no_gap_of_one": (
        (
            "No se puede afirmar que difiera de {ref} ({p}, con la corrección de Holm). "
            "Con este tamaño solo se habría detectado una diferencia de {mde} puntos o más."
        ),
        (
            "Not shown to differ from {ref} ({p}, corrected by Holm). "
            "At this size only a difference of {mde} points or more would have been detected."
        ),
    ),
    "gap_out_of_reach_fisher": (
        "Con tan pocas respuestas ninguna diferencia con {ref} podría alcanzar p < 0,05.",
        "With so few answers no difference from {ref} could reach p < 0.05.",
    ),
    "gap_out_of_reach_mcnemar": (
        "El resultado difiere del de {ref} en tan pocas preguntas que ninguna brecha podría alcanzar p < 0,05.",
        "The outcome differs from that in {ref} on so few questions that no gap could reach p < 0.05.",
    ),
    "no_reference": (
        "El esquema no declara un grupo de referencia: no se comparan los grupos uno a uno.",
        "The scheme declares no reference group: groups are not compared one by one.",
    ),
    "reference_not_full": (
        "No se comparó con el grupo de referencia, {ref}: su cifra no tiene publicación completa ({band}).",
        "Nothing was compared with the reference group, {ref}: its figure has not full publication ({band}).",
    ),
    "nothing_beside_reference": (
        "No se comparó con el grupo de referencia, {ref}: ningún otro grupo tiene publicación completa.",
        "Nothing was compared with the reference group, {ref}: no other group has full publication.",
    ),
    "macro": (
        "Promedio entre grupos: {rate}, con el mismo peso para cada uno: {groups}.",
        "Average across groups: {rate}, each with the same weight: {groups}.",
    ),
    "macro_not_assessed": (
        "Sin promedio entre grupos: hay menos de dos con publicación completa.",
        "No average across groups: fewer than two have full publication.",
    ),
    "left_out": ("No entran: {groups}.", "Left out: {groups}."),
    "lowest": (
        "Grupo con peor resultado ({side}): {groups}.",
        "Lowest-performing group ({side}): {groups}.",
    ),
    "lowest_tied": (
        "Grupos no distinguibles de él por sus intervalos al {confidence} %: {groups}.",
        "Groups that cannot be told apart from it by their intervals at {confidence}%: {groups}.",
    ),
    "highest_rate": ("la tasa más alta", "the highest rate"),
    "lowest_rate": ("la tasa más baja", "the lowest rate"),
    "range": (
        "Rango observado: {d} puntos porcentuales entre la tasa más alta y la más baja; lo observado, no una brecha.",
        "Observed range: {d} percentage points between the highest and the lowest rate. It was observed, it is no gap.",
    ),
    "chi_square": (
        "Prueba: χ² de homogeneidad, {df} gl, estadístico {x}.",
        "Test: χ² of homogeneity, {df} df, statistic {x}.",
    ),
    "monte_carlo": (
        "Prueba: homogeneidad por Monte Carlo, {draws} sorteos con la semilla {seed}.",
        "Test: homogeneity by Monte Carlo, {draws} draws with seed {seed}.",
    ),
    "cochran_q": (
        "Prueba: Q de Cochran sobre {blocks} preguntas que los grupos comparten, {df} gl, estadístico {x}.",
        "Test: Cochran's Q on {blocks} questions that the groups share, {df} df, statistic {x}.",
    ),
    "permutation": (
        "Prueba: permutación dentro de {blocks} preguntas que los grupos comparten, {draws} sorteos, semilla {seed}.",
        "Test: permutation within {blocks} questions that the groups share, {draws} draws with seed {seed}.",
    ),
    "permutation_counted": (
        "Prueba: permutación dentro de {blocks} preguntas que los grupos comparten, todas contadas.",
        "Test: permutation within {blocks} questions that the groups share, all of them counted.",
    ),
    "one_gap": (
        "{group} {d} puntos porcentuales [{lo} – {hi}]",
        "{group} {d} percentage points [{lo} – {hi}]",
    ),
}


Name = Callable[[str], str]


@dataclass(frozen=True, slots=True)
class ToldGap:
    """A group beside the reference group, where the gate opened."""

    group: str
    significant: bool
    sentence: str


@dataclass(frozen=True, slots=True)
class Told:
    """All that may be said of the groups in one metric over one denominator; empty where nothing is to be said."""

    gate: str
    test: str
    gap_note: str
    gaps: tuple[ToldGap, ...]
    macro: str
    left_out: str
    lowest: str
    observed_range: str


def tell(
    language: str,
    *,
    homogeneity: Mapping[str, Any],
    gaps: Mapping[str, Any] | None,
    worst: Mapping[str, Any] | None,
    macro: Mapping[str, Any] | None,
    name: Name = str,
) -> Told:
    """The entries of one metric over one denominator of a result's `groups`, as `publishable.groups` leaves them."""
    left_out = homogeneity["left_out"]
    return Told(
        gate=of_gate(homogeneity, language),
        test=of_test(homogeneity, language),
        gap_note=of_reference(gaps, language, name=name),
        gaps=_gaps(homogeneity, gaps, language, name),
        macro="" if macro is None else of_macro(macro, language, name=name),
        left_out=(
            say(TEXTS, "left_out", language, groups=named(left_out, "band", LEFT_OUT, language, name))
            if left_out
            else ""
        ),
        lowest=of_lowest(homogeneity, worst, language, name=name),
        observed_range=of_range(worst, language),
    )


def of_gate(homogeneity: Mapping[str, Any], language: str) -> str:
    """Whether the groups may be said to differ; by what the test found, never by p as it is printed."""
    p = probability(homogeneity["p"], language, below_level=homogeneity["differ"])
    return say(TEXTS, homogeneity["outcome"], language, p=p)


def of_test(homogeneity: Mapping[str, Any], language: str) -> str:
    """By which test, with the seed where something was drawn; empty where nothing was tested."""
    method = homogeneity["method"]
    if method is None:
        return ""
    if method == "permutation" and homogeneity["seed"] is None:
        method = "permutation_counted"
    whole = {
        key: "" if homogeneity[key] is None else wording.whole(homogeneity[key], language)
        for key in ("df", "draws", "blocks")
    }
    statistic = homogeneity["statistic"]
    return say(
        TEXTS,
        method,
        language,
        x="" if statistic is None else wording.decimal(statistic, language, 2),
        seed=homogeneity["seed"],
        **whole,
    )


def of_reference(gaps: Mapping[str, Any] | None, language: str, *, name: Name = str) -> str:
    """Why groups are not compared with a reference group; empty where they are."""
    if gaps is None:
        return say(TEXTS, "no_reference", language)
    if gaps["outcome"] != "not_assessed":
        return ""
    ref, band = name(gaps["reference"]), gaps["reference_band"]
    if band == "full":
        return say(TEXTS, "nothing_beside_reference", language, ref=ref)
    why = word(LEFT_OUT, band or "missing", language)
    return say(TEXTS, "reference_not_full", language, ref=ref, band=why)


def _gaps(
    homogeneity: Mapping[str, Any], gaps: Mapping[str, Any] | None, language: str, name: Name
) -> tuple[ToldGap, ...]:
    if gaps is None or not homogeneity["differ"]:
        return ()
    return tuple(
        ToldGap(name(gap["group"]), gap["significant"], of_gap(gap, name(gaps["reference"]), language))
        for gap in gaps["groups"]
    )


def of_gap(gap: Mapping[str, Any], reference: str, language: str) -> str:
    """One group beside the reference group. A difference is told only where Holm lets it stand."""
    p = probability(gap["p_holm"], language, below_level=gap["significant"])
    if gap["significant"]:
        return say(TEXTS, "gap_of_one", language, ref=reference, p=p, **difference(gap, language))
    if gap["cannot_be_significant"]:
        code = "gap_out_of_reach_mcnemar" if gap["test"] == "mcnemar" else "gap_out_of_reach_fisher"
        return say(TEXTS, code, language, ref=reference)
    mde = points(gap["detectable"], language)
    return say(TEXTS, "no_gap_of_one", language, ref=reference, p=p, mde=mde)


def of_macro(macro: Mapping[str, Any], language: str, *, name: Name = str) -> str:
    """The mean of the groups' rates with the groups it was made of."""
    if macro["estimate"] is None:
        return say(TEXTS, "macro_not_assessed", language)
    groups = wording.listing([name(group) for group in macro["groups"]], language)
    return say(TEXTS, "macro", language, rate=rate(macro, language), groups=groups)


def of_lowest(
    homogeneity: Mapping[str, Any], worst: Mapping[str, Any] | None, language: str, *, name: Name = str
) -> str:
    """The lowest-performing group with its tie set: only where the groups differ."""
    if worst is None or not homogeneity["differ"] or not worst["worst"]:
        return ""
    side = say(TEXTS, "highest_rate" if worst["more_is_worse"] else "lowest_rate", language)
    named_ = wording.listing([name(group) for group in worst["worst"]], language)
    told = say(TEXTS, "lowest", language, side=side, groups=named_)
    tied = [name(group) for group in worst["tied"] if group not in worst["worst"]]
    if tied:
        told += " " + say(
            TEXTS,
            "lowest_tied",
            language,
            confidence=wording.share(worst["confidence"], language),
            groups=wording.listing(tied, language),
        )
    return told


def of_range(worst: Mapping[str, Any] | None, language: str) -> str:
    """How far the observed rates lie apart, named as no more than that; empty where they are one."""
    if worst is None or worst["observed_range"] is None or not Decimal(worst["observed_range"]):
        return ""
    return say(TEXTS, "range", language, d=points(worst["observed_range"], language))


def of_groups(
    homogeneity: Mapping[str, Any], gaps: Mapping[str, Any] | None, language: str, *, name: Name = str
) -> str:
    """Whether groups differ in one metric; the gaps follow only where they do, and only significant ones.

    `homogeneity` and `gaps` are entries of a result's `groups`; `name` tells what a group is called.
    """
    told = [of_gate(homogeneity, language)]
    significant = [gap for gap in (gaps or {}).get("groups", ()) if gap["significant"]]
    if homogeneity["differ"] and significant:
        listed = "; ".join(
            say(TEXTS, "one_gap", language, group=name(gap["group"]), **difference(gap, language))
            for gap in significant
        )
        told.append(say(TEXTS, "gap", language, ref=name(gaps["reference"]), gaps=listed))
    return " ".join(told)
