"""What is said of the agreement of a judge with people."""

from collections.abc import Mapping
from typing import Any

from grading.sentences.telling import say, two
from grading.words import STRENGTHS, word
from registry_site import wording

# code: (es, en)
TEXTS = {
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
}


def of_agreement(agreement: Mapping[str, Any], language: str) -> str:
    """The kappa of the verdicts that count (of the first judge, where judges are averaged), or why there is none."""
    if not agreement.get("compared"):
        return say(TEXTS, "no_kappa", language)
    kappa = agreement["judges"][0]["verdicts"]
    counts = {
        "k": wording.whole(kappa["raw_agreement"]["k"], language),
        "n": wording.whole(kappa["n"], language),
    }
    if kappa["kappa"] is None:
        return say(TEXTS, "kappa_undefined", language, **counts)
    told = say(
        TEXTS,
        "kappa",
        language,
        kappa=two(kappa["kappa"], language),
        lo=two(kappa["low"], language),
        hi=two(kappa["high"], language),
        strength=word(STRENGTHS, kappa["strength"], language),
        **counts,
    )
    if kappa["disagreement_bound"] is not None:
        bound = wording.upper_bound(kappa["disagreement_bound"], language)
        told += say(TEXTS, "kappa_all_agree", language, u=bound)
    return told + (say(TEXTS, "kappa_indicative", language, n=counts["n"]) if kappa["indicative"] else "")
