"""PURE. What a measurement's limitations are called in both languages: the sentences under «Limits of the method».

Those that the fixed texts of every page already tell (agreement, catalogue, reviewed abstentions) have none here.
"""

from collections.abc import Iterable, Mapping
from datetime import date
from typing import Any

from certificates.pages import Text
from registry_site import wording

TOLD_BY_THE_PAGE = frozenset({"agreement_not_measured", "no_catalogue", "abstention_reviewed", "runs"})

# code: (es, en), with the data of the limitation in braces.
SENTENCES: Mapping[str, tuple[str, str]] = {
    "other_scheme_declared": (
        "El paquete declaraba otro esquema: {declared}.",
        "The package declared another scheme: {declared}.",
    ),
    "judge_independence_not_checked": (
        (
            "No se comprobó la independencia del juez «{judge}»: su familia de modelos ({family}), o la del sistema, "
            "no figura en la lista del registro."
        ),
        (
            "The independence of judge “{judge}” was not checked: its model family ({family}), or the system's, is "
            "not on the registry's list."
        ),
    ),
    "judge_temperature_not_zero": (
        "El juez «{judge}» trabajó con temperatura {temperature}, no con 0: repetirlo puede dar otros veredictos.",
        "Judge “{judge}” worked at temperature {temperature}, not 0: repeating it may give other verdicts.",
    ),
    "judge_version_floating": (
        "La versión del juez «{judge}» ({version}) no está fijada: más adelante puede designar otro modelo.",
        "The version of judge “{judge}” ({version}) is not pinned: later it may name another model.",
    ),
    "judge_related_to_holder": (
        "Quien evaluó declara que el juez «{judge}» tiene relación con el titular.",
        "The evaluator declares that judge “{judge}” is related to the holder.",
    ),
    "set_used_before": (
        "El conjunto de preguntas ya se había usado antes; veces declaradas: {times}.",
        "The question set had been used before; times declared: {times}.",
    ),
    "set_revealed_before": (
        "El conjunto de preguntas se reveló el {date}, antes de que se entregara esta evidencia.",
        "The question set was revealed on {date}, before this evidence was handed in.",
    ),
    "set_leaked_before": (
        "El conjunto de preguntas se filtró el {date}, antes de que se entregara esta evidencia.",
        "The question set leaked on {date}, before this evidence was handed in.",
    ),
    "fabrication_not_decidable": (
        "Sin catálogo no se pudo decidir si una respuesta hostil inventaba su cita; respuestas afectadas: {responses}.",
        (
            "Without a catalogue it could not be decided whether an answer to a hostile question invented its "
            "citation; answers affected: {responses}."
        ),
    ),
    "expected_citation_missing": (
        "Hay preguntas sin cita esperada, en las que no se pudo buscar; preguntas afectadas: {items}.",
        "Some questions have no expected citation, so it could not be looked for; questions affected: {items}.",
    ),
    "question_names_article": (
        "Hay preguntas que nombran el artículo que las responde; preguntas afectadas: {items}.",
        "Some questions name the article that answers them; questions affected: {items}.",
    ),
    "reference_missing": (
        "Hay preguntas sin respuesta de referencia; preguntas afectadas: {items}.",
        "Some questions have no reference answer; questions affected: {items}.",
    ),
    "trap_article_exists": (
        "Hay preguntas trampa cuyo artículo sí existe en el catálogo; preguntas afectadas: {items}.",
        "Some trap questions name an article that does exist in the catalogue; questions affected: {items}.",
    ),
    "hostile_category_missing": (
        "El conjunto no tiene preguntas hostiles.",
        "The set has no hostile questions.",
    ),
    "equal_items": (
        "Hay preguntas iguales a otra, palabra por palabra; preguntas afectadas: {items}.",
        "Some questions equal another, word by word; questions affected: {items}.",
    ),
    "no_phrase_list": (
        "No hay lista de frases de abstención para estas lenguas: {languages}; respuestas afectadas: {responses}.",
        "There is no list of abstention phrases for these languages: {languages}; answers affected: {responses}.",
    ),
    "verdict_on_abstention_ignored": (
        "No se tomaron en cuenta veredictos dados a abstenciones; respuestas afectadas: {responses}.",
        "Verdicts given to abstentions were not counted; answers affected: {responses}.",
    ),
    "verdict_on_hostile_ignored": (
        "No se tomaron en cuenta veredictos dados a preguntas hostiles; respuestas afectadas: {responses}.",
        "Verdicts given to hostile questions were not counted; answers affected: {responses}.",
    ),
    # Of an agent run.
    "run_not_graded": (
        "La ejecución está registrada, pero todavía no está calificada.",
        "The run is recorded but not graded yet.",
    ),
    "run_points_not_marked": (
        "Hay puntos que el código no decide y que nadie ha marcado; puntos sin marca: {points}.",
        "Some points are not decided by code and nobody has marked them; points without a mark: {points}.",
    ),
    "run_technical": (
        "Ejecución técnica: no se califica, no se certifica ni se compara.",
        "Technical run: it is not graded, certified or compared.",
    ),
    "run_invalidated": (
        "Ejecución invalidada: el agente recibió rutas, criterios o correcciones, o ya conocía el catálogo.",
        "Invalidated run: the agent was given routes, criteria or corrections, or already knew the catalogue.",
    ),
    "run_assisted": (
        "Ejecución con ayuda humana: se publica, pero no se certifica ni se compara.",
        "Run with human help: it is published, but neither certified nor compared.",
    ),
    "run_contaminated": (
        (
            "Ejecución contaminada: el agente encontró el catálogo de pruebas en la petición {request}. Lo posterior "
            "se conserva como observación y no se evalúa."
        ),
        (
            "Contaminated run: the agent found the test catalogue at request {request}. What came later is kept as "
            "an observation and is not graded."
        ),
    ),
    "run_beyond_limit": (
        "Hay peticiones que superan el límite; se conservan y no se evalúan: {requests}.",
        "Some requests are beyond the limit; they are kept and not graded: {requests}.",
    ),
    "run_requests_interrupted": (
        "Hay peticiones interrumpidas, sin respuesta registrada: {requests}.",
        "Some requests were interrupted, with no recorded response: {requests}.",
    ),
    "run_abandoned": (
        "Ejecución abandonada: nadie la cerró ni entregó una respuesta final.",
        "Abandoned run: nobody closed it or delivered a final answer.",
    ),
    "run_session_not_clean": (
        "No se declaró una sesión nueva: el agente podía traer historial o memoria del sitio.",
        "No new session was declared: the agent may have brought history or memory of the site.",
    ),
    "run_recorded_by_submitter": (
        "Las peticiones las registró quien entregó la evidencia, no este registro.",
        "The requests were recorded by whoever handed the evidence in, not by this registry.",
    ),
    "run_interrupted_by_registry": (
        "El registro de peticiones se interrumpió por una falla de este registro.",
        "The recording was interrupted by a fault of this registry.",
    ),
    "run_without_bodies": (
        "El paquete no trae los cuerpos de las respuestas: lo que dependía de ellos no se pudo comprobar.",
        "The package does not hold the bodies of the responses: what depended on them could not be checked.",
    ),
    "run_marks_changed": (
        "Un evaluador cambió, con su motivo, marcas que había decidido el código; puntos cambiados: {points}.",
        "An evaluator changed, with a reason, marks that code had decided; points changed: {points}.",
    ),
}
HOLDER_HAD_ACCESS = {
    "yes": (
        "El titular tuvo acceso al conjunto de preguntas.",
        "The holder had access to the question set.",
    ),
    "unknown": (
        "No se declaró si el titular tuvo acceso al conjunto de preguntas.",
        "Whether the holder had access to the question set was not declared.",
    ),
}


def told(limitations: Iterable[Mapping[str, Any]]) -> tuple[Text, ...]:
    """The sentences of a stored result's limitations, in their order. A code without one is told as it is."""
    sentences = []
    for limitation in limitations:
        code = limitation["code"]
        if code in TOLD_BY_THE_PAGE:
            continue
        if code == "holder_had_access":
            es, en = HOLDER_HAD_ACCESS.get(limitation.get("value", ""), HOLDER_HAD_ACCESS["unknown"])
        else:
            es, en = SENTENCES.get(code, (code, code))
        sentences.append(Text(es=_filled(es, limitation, " y "), en=_filled(en, limitation, " and ")))
    return tuple(sentences)


def _filled(sentence: str, data: Mapping[str, Any], last: str) -> str:
    values = {name: _value(name, value, last) for name, value in data.items() if name != "code"}
    try:
        return sentence.format(**values)
    except (KeyError, IndexError):
        # Data of another version of the method: the sentence is still true without its number.
        return sentence.partition(";")[0].rstrip(".") + "." if ";" in sentence else sentence


def _value(name: str, value: Any, last: str) -> str:
    if isinstance(value, list):
        words = [str(one) for one in value]
        return last.join([", ".join(words[:-1]), words[-1]]) if len(words) > 1 else "".join(words)
    if name == "date":
        return wording.day(date.fromisoformat(value), "es" if last == " y " else "en")
    if name == "temperature" and last == " y ":
        return str(value).replace(".", ",")
    return str(value)
