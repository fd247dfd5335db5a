"""Why two measurements cannot be compared, in Spanish and English: what differs, and what to do about it."""

from collections.abc import Iterable, Mapping
from typing import Any

# field: (es, en); `files.…` by its end, or the general words below.
FIELDS = {
    "method": ("método", "method"),
    "single_runs": ("ejecuciones sueltas", "single runs"),
    "scheme": ("esquema y versión", "scheme and version"),
    "scheme_sha256": ("archivo del esquema (SHA-256)", "file of the scheme (SHA-256)"),
    "judges": (
        "jueces (familia, versión y si es modelo o persona)",
        "judges (family, version, and whether model or human)",
    ),
    "set_sha256": ("conjunto de preguntas (SHA-256)", "question set (SHA-256)"),
    "files.grouping": ("agrupación de idiomas (SHA-256)", "language grouping (SHA-256)"),
    "files.abstention_phrases": ("frases de abstención (SHA-256)", "abstention phrases (SHA-256)"),
    "files.premise_phrases": (
        "frases que rechazan la premisa (SHA-256)",
        "phrases that reject the premise (SHA-256)",
    ),
    "files.article_prefixes": ("prefijos de artículos (SHA-256)", "article prefixes (SHA-256)"),
    "files.label_table": ("tabla de etiquetas (SHA-256)", "label table (SHA-256)"),
}
_FILE = ("archivo versionado «{name}» (SHA-256)", "versioned file “{name}” (SHA-256)")
MENDS = {
    "method": (
        "Dos métodos no miden lo mismo: no hay comparación posible.",
        "Two methods do not measure the same: no comparison is possible.",
    ),
    "single_runs": (
        "Una ejecución no se compara con otra: se comparan sistemas, con al menos tres independientes cada uno.",
        "One run is not compared with another: systems are, with at least three independent runs each.",
    ),
    "scheme": (
        "Mida de nuevo uno de los dos sistemas bajo el esquema y la versión del otro.",
        "Measure one of the two again under the scheme and version of the other.",
    ),
    "scheme_sha256": (
        "Mida de nuevo uno de los dos sistemas bajo el mismo archivo del esquema.",
        "Measure one of the two again under the same file of the scheme.",
    ),
    "judges": (
        "Haga juzgar las respuestas de un sistema por los mismos jueces que las del otro, en la misma versión.",
        "Have the answers of one judged by the same judges as those of the other, in the same version.",
    ),
    "set_sha256": (
        "No comparten ninguna pregunta. Haga a uno de los dos sistemas las preguntas del otro.",
        "They share no question. Put the questions of the other to one of them.",
    ),
}
_MEND_FILE = (
    "El registro usó otra versión de ese archivo. Entregue de nuevo la evidencia más antigua: se medirá con la actual.",
    "The registry used another version of that file. Hand the older evidence in again: the present one is used.",
)
_ABSENT = ("ninguno", "none")


def told(differences: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Differences as programs read them: field and both values, with words and remedy in both languages."""
    return [
        {
            **of,
            "name": {language: name(of["field"], language) for language in ("es", "en")},
            "mend": {language: mend(of["field"], language) for language in ("es", "en")},
        }
        for of in differences
    ]


def name(field: str, language: str) -> str:
    """What a field is called: «conjunto de preguntas (SHA-256)»."""
    english = language == "en"
    if field not in FIELDS and field.startswith("files."):
        return _FILE[english].format(name=field.removeprefix("files."))
    return FIELDS[field][english] if field in FIELDS else field


def mend(field: str, language: str) -> str:
    """What to do so that the two can be compared."""
    return MENDS.get(field, _MEND_FILE)[language == "en"]


def value(of: Any, language: str) -> str:
    """A differing value as it is printed; a list line by line is joined."""
    if of is None or of == []:
        return _ABSENT[language == "en"]
    return "; ".join(of) if isinstance(of, list) else str(of)
