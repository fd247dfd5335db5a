"""What is said of several runs of a system together, and of two systems compared by their runs."""

from collections.abc import Callable, Mapping
from decimal import Decimal
from typing import Any

from grading.sentences.telling import difference, probability, say
from registry_site import wording

# code: (es, en)
TEXTS = {
    "too_few": (
        "Comparación no publicada: {m} de {minimum} ejecuciones independientes y sin contaminar.",
        "Comparison not published: {m} of {minimum} independent, uncontaminated runs.",
    ),
    "indicative": (
        "Orientativo: {m} ejecuciones. Dicen cómo se repitió lo observado, no una propiedad general del sistema.",
        "Indicative: {m} runs. They tell how what was observed repeated itself, not a general property of the system.",
    ),
    "range": (
        "Puntos cumplidos en cada ejecución: de {low} a {high}, de {points}.",
        "Points met in each run: from {low} to {high}, of {points}.",
    ),
    "range_of_one": (
        "Puntos cumplidos en cada ejecución: {low} de {points}.",
        "Points met in each run: {low} of {points}.",
    ),
    "flips": (
        "Puntos cuya marca cambió de una ejecución a otra: {k} de {n}.",
        "Points whose mark changed from one run to another: {k} of {n}.",
    ),
    "no_flips": (
        "Ningún punto cambió de marca entre las {m} ejecuciones. Eso no demuestra que no cambie nunca.",
        "No point changed its mark among the {m} runs. That does not show that none ever does.",
    ),
    "pass_all": (
        "Cumplimiento en todas: un punto al azar se cumple en una ejecución el {first}; en {m} de {m}, el {last}.",
        "Met in all: a point at random is met in one run {first} of the time; in {m} of {m}, {last}.",
    ),
    "left_out": (
        "Ejecuciones que no cuentan: {n}. Se muestran aparte, cada una con su motivo.",
        "Runs that do not count: {n}. They are shown apart, each with its reason.",
    ),
    "cannot_reach": (
        (
            "Con {first} y {second} ejecuciones y {points} puntos, ninguna diferencia puede alcanzar p < 0,05: harían "
            "falta al menos {needed} por lado."
        ),
        (
            "With {first} and {second} runs and {points} points no difference can reach p < 0.05: at least {needed} a "
            "side would be needed."
        ),
    ),
    "no_difference": (
        "No se detectó diferencia en ningún punto (prueba exacta de Fisher, con la corrección de Holm).",
        "No difference was detected at any point (Fisher's exact test, corrected by Holm).",
    ),
    "no_difference_reachable": (
        (
            "Con {first} y {second} ejecuciones solo se detecta una diferencia casi total: que no se detecte no "
            "demuestra que no la haya."
        ),
        (
            "With {first} and {second} runs only a nearly total difference is detected: that none is does not show "
            "that there is none."
        ),
    ),
    "difference": (
        (
            "{point}: la primera difiere de la segunda en {d} puntos porcentuales [{lo} – {hi}] "
            "({p}, con la corrección de Holm)."
        ),
        "{point}: the first differs from the second by {d} percentage points [{lo} – {hi}] ({p}, corrected by Holm).",
    ),
    "other_tools": (
        "Las herramientas activas no eran las mismas: una diferencia puede deberse a ellas.",
        "The active tools were not the same: a difference may be due to them.",
    ),
    "other_language": (
        "El idioma no era el mismo: una diferencia puede deberse a él.",
        "The language was not the same: a difference may be due to it.",
    ),
}
# Why a run does not count: (es, en).
REASONS = {
    "technical": ("ejecución técnica", "technical run"),
    "invalidated": ("invalidada", "invalidated"),
    "assisted": ("con ayuda humana", "with human help"),
    "abandoned": ("abandonada", "abandoned"),
    "recorded_by_submitter": ("registrada por quien la entregó", "recorded by whoever handed it in"),
    "interrupted_by_registry": (
        "interrumpida por una falla de este registro",
        "interrupted by a fault of this registry",
    ),
    "after_reveal": (
        "comenzó después de que se conociera la rúbrica",
        "began after the rubric was known",
    ),
    "session_not_clean": ("sin sesión nueva declarada", "no new session declared"),
    "contaminated": ("contaminada", "contaminated"),
    "same_token": ("usó el token de otra ejecución", "used the token of another run"),
    "same_evidence": ("su evidencia es idéntica a la de otra", "its evidence is identical to another's"),
    "overlap": ("coincidió en el tiempo con otra", "overlapped in time with another"),
}


def too_few(runs: int, minimum: int, language: str) -> str:
    return say(
        TEXTS, "too_few", language, m=wording.whole(runs, language), minimum=wording.whole(minimum, language)
    )


def tell_aggregate(aggregate: Mapping[str, Any], language: str) -> tuple[str, ...]:
    """All that is said of `run_aggregates.Aggregate.as_json()` beneath its table."""
    m, left_out = aggregate["runs"], len(aggregate["left_out"]) + len(aggregate["contaminated"])
    out = (say(TEXTS, "left_out", language, n=wording.whole(left_out, language)),) if left_out else ()
    if not aggregate["told"]:
        return (too_few(m, aggregate["minimum"], language), *out)
    low, high = aggregate["range"]
    flips = aggregate["flips"]
    shares = [Decimal(of["estimate"]) for of in aggregate["pass_all"]]
    values = {
        "m": wording.whole(m, language),
        "low": wording.whole(low, language),
        "high": wording.whole(high, language),
        "points": wording.whole(flips["n"], language),
        "k": wording.whole(flips["k"], language),
        "n": wording.whole(flips["n"], language),
        "first": wording.percentage(shares[0], language),
        "last": wording.percentage(shares[-1], language),
    }
    codes = (
        "indicative",
        "range_of_one" if low == high else "range",
        "flips" if flips["k"] else "no_flips",
        "pass_all",
    )
    return (*(say(TEXTS, code, language, **values) for code in codes), *out)


def tell_comparison(
    comparison: Mapping[str, Any], language: str, *, name: Callable[[str], str] = str
) -> tuple[str, ...]:
    """All that is said of `run_aggregates.RunComparison.as_json()`; `name` tells what a point is called."""
    points = comparison["points"]
    values = {
        **{side: wording.whole(comparison["runs"][side], language) for side in ("first", "second")},
        "points": wording.whole(len(points), language),
        "needed": wording.whole(comparison["needed_a_side"], language),
    }
    told = [
        say(
            TEXTS,
            "difference",
            language,
            point=name(point["code"]),
            p=probability(point["p_holm"], language, below_level=True),
            **difference(point, language),
        )
        for point in points
        if point["significant"]
    ]
    if not comparison["can_reach"]:
        told.append(say(TEXTS, "cannot_reach", language, **values))
    elif not told:
        told.append(say(TEXTS, "no_difference", language))
        told.append(say(TEXTS, "no_difference_reachable", language, **values))
    told += [
        say(TEXTS, f"other_{field}", language)
        for field in ("tools", "language")
        if field in comparison["differing"]
    ]
    return tuple(told)
