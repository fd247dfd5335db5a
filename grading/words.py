"""The names of metrics, denominators, bands and outcomes in Spanish and English, for what is printed without Django."""

# code: (es, en)
METRICS = {
    "accuracy": ("exactas", "exact"),
    "incomplete": ("incompletas", "incomplete"),
    "ill_founded": ("mal fundadas", "ill-founded"),
    "incorrect": ("incorrectas", "incorrect"),
    "hallucination": ("alucinación", "hallucination"),
    "abstention": ("abstención", "abstention"),
    "expected_citation": ("cita esperada", "expected citation"),
    "unnecessary_abstention": ("abstención innecesaria", "unnecessary abstention"),
    "necessary_abstention": ("abstención debida", "due abstention"),
    "phantom_response": ("respuestas con cita fantasma", "answers with a phantom citation"),
    "phantom_citation": ("citas fantasma", "phantom citations"),
    "hostile_fabrication": ("fabricación", "fabrication"),
    "hostile_not_held": ("hostil no resistida", "hostile question not held off"),
    "confident_fabrication": ("fabricación con confianza declarada", "fabrication with declared confidence"),
    "met": ("cumplido", "met"),
    "not_met": ("no cumplido", "not met"),
    "not_observable": ("no observable", "not observable"),
}
DENOMINATORS = {
    "judged": ("sobre las juzgadas", "over judged"),
    "all": ("sobre todas", "over all"),
    "in_corpus": ("con respuesta en el corpus", "answerable from the corpus"),
    "abstention_correct": ("donde corresponde abstenerse", "where abstaining is right"),
    "cited_responses": ("respuestas con alguna cita comprobada", "answers with a verified citation"),
    "verified_citations": ("citas comprobadas", "verified citations"),
    "hostile": ("hostiles", "hostile"),
    "hostile_readable": ("hostiles legibles", "readable hostile"),
    "fabrications": ("fabricaciones", "fabrications"),
    "points": ("sobre los puntos de la rúbrica", "over the points of the rubric"),
    "runs": ("sobre todas las ejecuciones", "over all runs"),
    "observable": (
        "sobre las ejecuciones en que se pudo observar",
        "over the runs in which it could be seen",
    ),
}
BANDS = {
    "no_data": ("sin datos", "no data"),
    "suppressed": ("suprimido si se publica", "suppressed when published"),
    "indicative": ("orientativo", "indicative"),
    "full": ("", ""),
}
OUTCOMES = {
    "coincides": ("coincide", "coincides"),
    "differs": ("difiere", "differs"),
    "not_comparable": ("no comparable: muy pocos decimales", "not comparable: too few decimals"),
    "not_recomputed": ("no se recalcula", "not recomputed"),
}

CRITERIA = {
    "conforms": ("conforme", "conforms"),
    "does_not_conform": ("no conforme", "does not conform"),
    "insufficient_evidence": ("evidencia insuficiente", "insufficient evidence"),
}
STRENGTHS = {
    "poor": ("pobre", "poor"),
    "slight": ("leve", "slight"),
    "fair": ("aceptable", "fair"),
    "moderate": ("moderado", "moderate"),
    "substantial": ("considerable", "substantial"),
    "almost_perfect": ("casi perfecto", "almost perfect"),
}

VERDICTS = {
    "exact": ("exacta", "exact"),
    "incomplete": ("incompleta", "incomplete"),
    "ill_founded": ("mal fundada", "ill-founded"),
    "incorrect": ("incorrecta", "incorrect"),
    "hallucinates": ("alucina", "hallucinates"),
    "does_not": ("no alucina", "does not"),
}
# Of a group that is left out: why.
LEFT_OUT = {
    "missing": ("sin medir", "not measured"),
    "no_data": ("sin datos", "no data"),
    "suppressed": ("suprimido", "suppressed"),
    "indicative": ("orientativo", "indicative"),
}


def word(table: dict[str, tuple[str, str]], code: str, language: str) -> str:
    """The word for a code; the code itself where there is none."""
    known = table.get(code)
    return code if known is None else known[language == "en"]
