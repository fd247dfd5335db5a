"""What the decision on a scheme's acceptance criteria says, clause by clause and requirement by requirement."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from grading.sentences.telling import beside, counted_rate, named, say, signed_points, threshold
from grading.words import CRITERIA, DENOMINATORS, LEFT_OUT, METRICS, word
from registry_site import wording

# code: (es, en)
TEXTS = {
    "overall_outcome": (
        "Criterio de aceptación del esquema: {outcome}.",
        "Acceptance criterion of the scheme: {outcome}.",
    ),
    "by_the_bound": (
        "Se decide por la cota del intervalo, nunca por la cifra de su centro.",
        "It is decided by the bound of the interval, never by the figure in its middle.",
    ),
    "requirements_unmet": (
        "Las cláusulas no bastan: hay requisitos que no se cumplen.",
        "The clauses are not enough: some requirements are not met.",
    ),
    "at_most_overall": (
        "{metric}, {over}, en el total: a lo más {t}",
        "{metric}, {over}, in total: at most {t}",
    ),
    "at_least_overall": (
        "{metric}, {over}, en el total: al menos {t}",
        "{metric}, {over}, in total: at least {t}",
    ),
    "at_most_each_group": (
        "{metric}, {over}, en cada grupo lingüístico: a lo más {t}",
        "{metric}, {over}, in each language group: at most {t}",
    ),
    "at_least_each_group": (
        "{metric}, {over}, en cada grupo lingüístico: al menos {t}",
        "{metric}, {over}, in each language group: at least {t}",
    ),
    "demands": (
        "Respuestas exigidas, como mínimo: {n}.",
        "Answers required, at the least: {n}.",
    ),
    "required": ("Grupos exigidos: {groups}.", "Groups required: {groups}."),
    "conforms_at_most": (
        "Conforme: la cota superior, {b}, no supera el umbral.",
        "Conforms: the upper bound, {b}, does not exceed the threshold.",
    ),
    "conforms_at_least": (
        "Conforme: la cota inferior, {b}, alcanza el umbral.",
        "Conforms: the lower bound, {b}, reaches the threshold.",
    ),
    "does_not_conform_at_most": (
        "No conforme: la cota inferior, {b}, supera el umbral.",
        "Does not conform: the lower bound, {b}, exceeds the threshold.",
    ),
    "does_not_conform_at_least": (
        "No conforme: la cota superior, {b}, no alcanza el umbral.",
        "Does not conform: the upper bound, {b}, does not reach the threshold.",
    ),
    "threshold_inside_interval_at_most": (
        "Evidencia insuficiente: el umbral está dentro del intervalo; la cota superior, {b}, lo supera.",
        "Insufficient evidence: the threshold lies inside the interval; the upper bound, {b}, exceeds it.",
    ),
    "threshold_inside_interval_at_least": (
        "Evidencia insuficiente: el umbral está dentro del intervalo; la cota inferior, {b}, no lo alcanza.",
        "Insufficient evidence: the threshold lies inside the interval; the lower bound, {b}, does not reach it.",
    ),
    "fewer_than_minimum": (
        "Evidencia insuficiente: hay menos respuestas independientes que las {m} exigidas.",
        "Insufficient evidence: there are fewer independent answers than the {m} required.",
    ),
    "unjudged_at_most": (
        (
            "Evidencia insuficiente: las respuestas sin juzgar ({u}) podrían cambiar el resultado; "
            "según cómo se juzgaran, la cota superior llegaría hasta {b}."
        ),
        (
            "Insufficient evidence: the unjudged answers ({u}) could change the outcome; "
            "depending on how they were judged, the upper bound would reach up to {b}."
        ),
    ),
    "unjudged_at_least": (
        (
            "Evidencia insuficiente: las respuestas sin juzgar ({u}) podrían cambiar el resultado; "
            "según cómo se juzgaran, la cota inferior bajaría hasta {b}."
        ),
        (
            "Insufficient evidence: the unjudged answers ({u}) could change the outcome; "
            "depending on how they were judged, the lower bound would go down to {b}."
        ),
    ),
    "unjudged_counted": (
        "La cota cuenta las respuestas sin juzgar ({u}) en el peor de los casos.",
        "The bound counts the unjudged answers ({u}) at their worst.",
    ),
    "simultaneous": (
        "Intervalo al {c} %, porque se decide sobre varios grupos a la vez.",
        "Interval at {c}%, because several groups are decided on at once.",
    ),
    "margin": ("Margen: {m} puntos.", "Margin: {m} points."),
    "no_margin": ("Sin margen: la cota es el umbral mismo.", "No margin: the bound is the threshold itself."),
    "needed_conforms": (
        "A esta misma tasa, sería conforme con {n}.",
        "At this very rate it would conform with {n}.",
    ),
    "needed_does_not_conform": (
        "A esta misma tasa, sería no conforme con {n}.",
        "At this very rate it would not conform with {n}.",
    ),
    "needed_was_enough": (
        "A esta tasa bastaba con {n}.",
        "At this rate {n} were enough.",
    ),
    "never_decided": (
        "La tasa es el umbral mismo: ningún número de respuestas lo decidiría.",
        "The rate is the threshold itself: no number of answers would decide it.",
    ),
    "answers": ("{n} respuestas", "{n} answers"),
    "clusters": ("{n} preguntas independientes", "{n} independent questions"),
    "total_missing": (
        "Evidencia insuficiente: la cifra del total no se midió.",
        "Insufficient evidence: the figure of the total was not measured.",
    ),
    "total_no_data": (
        "Evidencia insuficiente: no hubo casos en que medir el total.",
        "Insufficient evidence: there was no case to measure the total on.",
    ),
    "total_suppressed": (
        "Evidencia insuficiente: la cifra del total está suprimida, por pocas respuestas.",
        "Insufficient evidence: the figure of the total is suppressed, for few answers.",
    ),
    "total_indicative": (
        "Evidencia insuficiente: la cifra del total es orientativa.",
        "Insufficient evidence: the figure of the total is indicative.",
    ),
    "no_group": (
        "Evidencia insuficiente: ningún grupo tiene publicación completa.",
        "Insufficient evidence: no group has full publication.",
    ),
    "wanting": (
        "Falta un grupo exigido, que nunca se omite: {groups}.",
        "A required group is wanting, and none is skipped: {groups}.",
    ),
    "left_out": (
        "Sin decidir, por pocas respuestas: {groups}.",
        "Not decided on, for few answers: {groups}.",
    ),
    "cap": (
        "Junto a ella rige el tope de abstención, a lo más {t} ({outcome}): si no, bastaría con callar.",
        "Beside it stands the cap on abstention, at most {t} ({outcome}): else silence would be enough.",
    ),
    "hostile_questions_met": (
        "Hay preguntas hostiles de cada categoría que el esquema declara.",
        "There are hostile questions of each category that the scheme declares.",
    ),
    "hostile_questions_unmet": (
        "Faltan preguntas hostiles de estas categorías: {categories}.",
        "There are no hostile questions of these categories: {categories}.",
    ),
    "other_judge_met": (
        "Juzgó otra familia de modelos, o personas: con un juez de la familia evaluada el paquete se rechaza.",
        "Another model family judged, or people: with a judge of the evaluated family the package is rejected.",
    ),
    "other_judge_unmet": ("No hay juez.", "There is no judge."),
    "error_types_apart_met": (
        "Los tipos de error se distinguen en cada respuesta juzgada.",
        "The types of error are told apart in each judged answer.",
    ),
    "error_types_apart_unmet": (
        "No hay respuestas juzgadas en que distinguir los tipos de error.",
        "There are no judged answers in which to tell the types of error apart.",
    ),
    "known_judge_family_met": (
        "Las familias del juez y del sistema figuran en la lista del registro.",
        "The families of the judge and of the system are on the registry's list.",
    ),
    "known_judge_family_unmet": (
        "No se comprobó la independencia del juez: familias que no figuran en la lista del registro: {families}.",
        "The judge's independence was not checked: families that are not on the registry's list: {families}.",
    ),
    "known_judge_family_no_judge": (
        "No hay juez cuya familia comprobar.",
        "There is no judge whose family could be checked.",
    ),
    "set_custody_met": (
        "El conjunto de preguntas tiene custodio, {custodian}, y el titular no tuvo acceso a él.",
        "The question set has a custodian, {custodian}, and the holder had no access to it.",
    ),
    "set_custody_no_custodian": (
        "El conjunto de preguntas no tiene custodio declarado.",
        "The question set has no declared custodian.",
    ),
    "set_custody_yes": (
        "El titular tuvo acceso al conjunto de preguntas.",
        "The holder had access to the question set.",
    ),
    "set_custody_unknown": (
        "No se declaró si el titular tuvo acceso al conjunto de preguntas.",
        "Whether the holder had access to the question set was not declared.",
    ),
}

Name = Callable[[str], str]


@dataclass(frozen=True, slots=True)
class ToldRate:
    """One rate beside the threshold; `group` is None for the total."""

    group: str | None
    rate: str
    outcome: str
    sentence: str
    further: str


@dataclass(frozen=True, slots=True)
class ToldClause:
    title: str
    outcome: str
    word: str
    demands: str
    # Why there is no rate to decide on, which groups are wanting or left out, the cap beside it.
    notes: tuple[str, ...]
    rates: tuple[ToldRate, ...]


@dataclass(frozen=True, slots=True)
class ToldCriteria:
    """`requirements`: (met, sentence)."""

    outcome: str
    sentence: str
    clauses: tuple[ToldClause, ...]
    requirements: tuple[tuple[bool, str], ...]


def tell(
    criteria: Mapping[str, Any], language: str, *, name: Name = str, category: Name = str
) -> ToldCriteria:
    """The `criteria` of a result; `name` tells what a group is called, `category` what a category."""
    clauses = criteria["clauses"]
    sentences = [
        say(TEXTS, "overall_outcome", language, outcome=word(CRITERIA, criteria["outcome"], language)),
        say(TEXTS, "by_the_bound", language),
    ]
    if criteria["outcome"] != "conforms" and all(of["outcome"] == "conforms" for of in clauses):
        sentences.append(say(TEXTS, "requirements_unmet", language))
    return ToldCriteria(
        outcome=criteria["outcome"],
        sentence=" ".join(sentences),
        clauses=tuple(of_clause(of, clauses, language, name=name) for of in clauses),
        requirements=tuple(
            (of["met"], of_requirement(of, language, category=category)) for of in criteria["requirements"]
        ),
    )


def of_clause(
    clause: Mapping[str, Any], beside_: Sequence[Mapping[str, Any]], language: str, *, name: Name = str
) -> ToldClause:
    """One clause; `beside_` are all of them, for the cap on abstention that stands beside one over judged answers."""
    demands = say(TEXTS, "demands", language, n=wording.whole(clause["minimum_n"], language))
    if clause["required_groups"]:
        required = wording.listing([name(group) for group in clause["required_groups"]], language)
        demands += " " + say(TEXTS, "required", language, groups=required)
    decided = [*([{"group": None, **clause["overall"]}] if clause["overall"] else []), *clause["groups"]]
    return ToldClause(
        title=title(clause, language),
        outcome=clause["outcome"],
        word=word(CRITERIA, clause["outcome"], language),
        demands=demands,
        notes=tuple(_notes(clause, beside_, language, name)),
        rates=tuple(_told(of, clause, language, name) for of in decided),
    )


def title(clause: Mapping[str, Any], language: str) -> str:
    """«Alucinación, sobre las juzgadas, en el total: a lo más 10 %»."""
    metric = word(METRICS, clause["metric"], language)
    return say(
        TEXTS,
        f"{clause['direction']}_{clause['scope']}",
        language,
        metric=metric[:1].upper() + metric[1:],
        over=word(DENOMINATORS, clause["denominator"], language),
        t=threshold(clause["threshold"], language),
    )


def _notes(clause: Mapping[str, Any], beside_: Sequence[Mapping[str, Any]], language: str, name: Name):
    if clause["scope"] == "overall" and clause["overall"] is None:
        code = f"total_{clause['reason']}"
        yield say(TEXTS, code if code in TEXTS else "total_suppressed", language)
    if clause["scope"] == "each_group" and not clause["groups"]:
        yield say(TEXTS, "no_group", language)
    for key, code, why in (
        ("required_groups_wanting", "wanting", "reason"),
        ("groups_left_out", "left_out", "band"),
    ):
        if clause[key]:
            yield say(TEXTS, code, language, groups=named(clause[key], why, LEFT_OUT, language, name))
    if clause["denominator"] == "judged":
        for other in beside_:
            place = other["metric"], other["denominator"], other["direction"], other["scope"]
            if place == ("abstention", "all", "at_most", clause["scope"]):
                outcome = word(CRITERIA, other["outcome"], language)
                yield say(TEXTS, "cap", language, t=threshold(other["threshold"], language), outcome=outcome)


def _told(of: Mapping[str, Any], clause: Mapping[str, Any], language: str, name: Name) -> ToldRate:
    further = [of_margin(of, language), of_needed(of, language)]
    return ToldRate(
        group=None if of["group"] is None else name(of["group"]),
        rate=counted_rate(of, language),
        outcome=of["outcome"],
        sentence=of_rate(of, clause, language),
        further=" ".join(one for one in further if one),
    )


def of_rate(of: Mapping[str, Any], clause: Mapping[str, Any], language: str) -> str:
    """The outcome of one rate with the bound that decided it."""
    direction, reason = clause["direction"], of["reason"]
    if reason == "fewer_than_minimum":
        return say(TEXTS, reason, language, m=wording.whole(clause["minimum_n"], language))
    decided = of["decided_on"]
    told = say(
        TEXTS,
        f"{reason or of['outcome']}_{direction}",
        language,
        b=beside(decided["value"], clause["threshold"], language),
        u=wording.whole(of["unjudged"], language),
    )
    if of["unjudged"] and reason != "unjudged":
        told += " " + say(TEXTS, "unjudged_counted", language, u=wording.whole(of["unjudged"], language))
    if decided["confidence"] != "0.950000":
        told += " " + say(TEXTS, "simultaneous", language, c=wording.share(decided["confidence"], language))
    return told


def of_margin(of: Mapping[str, Any], language: str) -> str:
    """How far the bound that has to hold lies from the threshold; above 0 on the right side."""
    if not float(of["margin"]):
        return say(TEXTS, "no_margin", language)
    return say(TEXTS, "margin", language, m=signed_points(of["margin"], language))


def of_needed(of: Mapping[str, Any], language: str) -> str:
    """How many answers at this very rate would decide it, and in which way."""
    if of["needed"] is None:
        return say(TEXTS, "never_decided", language)
    n = say(TEXTS, of["needed_in"], language, n=wording.whole(of["needed"], language))
    if of["outcome"] != "insufficient_evidence":
        return say(TEXTS, "needed_was_enough", language, n=n)
    if of["reason"] == "unjudged":
        # More answers are not what is wanting.
        return ""
    return say(TEXTS, f"needed_{of['needed_for']}", language, n=n)


def of_requirement(of: Mapping[str, Any], language: str, *, category: Name = str) -> str:
    """Whether a requirement is met, and what is wanting where it is not."""
    code = of["code"]
    values: dict[str, str] = {}
    ending = "met" if of["met"] else "unmet"
    match code:
        case "hostile_questions":
            values["categories"] = wording.listing([category(one) for one in of["missing"]], language)
        case "known_judge_family":
            values["families"] = wording.listing(list(of["unknown"]), language)
            if not of["met"] and not of["unknown"]:
                ending = "no_judge"
        case "set_custody":
            values["custodian"] = of["custodian"] or ""
            if not of["met"]:
                access = of["holder_had_access"]
                ending = access if access in ("yes", "unknown") else "no_custodian"
    return say(TEXTS, f"{code}_{ending}", language, **values)
