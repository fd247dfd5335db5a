"""What happens in the demonstration: who is there, what was measured, what became of each certificate.

Data alone; `certificates.demo.seeding` makes it happen through the real writers, one step after the other.
"""

from dataclasses import dataclass

from certificates.appeal_states import AppealOutcome
from certificates.demo.engine import System
from certificates.report_states import ReportKind, ReportOutcome
from certificates.states import Step
from registry_site.roles import Role

Texts = dict[str, str]


@dataclass(frozen=True, slots=True)
class Actor:
    """A member of the demonstration's staff; who operates agents holds no role."""

    name: str
    email: str
    role: Role | None


EVALUATOR = Actor("Elena Rivas", "evaluacion@demo.example", Role.EVALUATOR)
SECOND_EVALUATOR = Actor("Luis Tapia", "evaluacion2@demo.example", Role.EVALUATOR)
CERTIFIER = Actor("Mario Ibarra", "certificacion@demo.example", Role.CERTIFIER)
SECOND_CERTIFIER = Actor("Camila Soto", "certificacion2@demo.example", Role.CERTIFIER)
APPEALS = Actor("Ana Quispe", "apelaciones@demo.example", Role.APPEALS_OFFICER)
REGISTRAR = Actor("Rosa Fuentes", "registro@demo.example", Role.REGISTRAR)
OPERATOR = Actor("Óscar Vidal", "operacion@demo.example", None)
OPERATES_FOR = "Laboratorio Quillay"
ACTORS = (EVALUATOR, SECOND_EVALUATOR, CERTIFIER, SECOND_CERTIFIER, APPEALS, REGISTRAR, OPERATOR)


@dataclass(frozen=True, slots=True)
class Taken:
    """One step on a certificate, with what was signed."""

    step: Step
    statement: Texts
    by: Actor = CERTIFIER
    reason: str | None = None
    conditions: tuple[Texts, ...] = ()
    review_in_days: int | None = None
    request: str | None = None


@dataclass(frozen=True, slots=True)
class Complained:
    """A complaint of someone from outside about a certificate, what the holder replied, and how it ended."""

    kind: ReportKind
    text: str
    name: str
    email: str
    summary: Texts
    reply: Texts  # published beside it
    outcome: ReportOutcome
    reasons: Texts
    by: Actor = SECOND_CERTIFIER  # who took no part in the certificate


@dataclass(frozen=True, slots=True)
class Appealed:
    """The holder's appeal against the last decision on its certificate, and how it ended."""

    grounds: str
    name: str
    summary: Texts
    outcome: AppealOutcome
    reasons: Texts
    by: Actor = APPEALS


@dataclass(frozen=True, slots=True)
class Chapter:
    """A system, how it was measured, and what became of its certificate."""

    system: System
    identifier: str
    country: str
    languages: tuple[str, ...] = ("es", "en", "pt")
    declared: tuple[dict, ...] = ()
    sealed: tuple[str, ...] = ()
    applied: str = ""  # the holder's written request for a certificate, stored on its behalf
    issue: Texts | None = None
    refuse: Texts | None = None
    expires_in_seconds: int | None = None
    complained: Complained | None = None
    steps: tuple[Taken, ...] = ()
    appealed: Appealed | None = None
    measured_again: Texts | None = None  # a second measurement of the same version takes its place
    newer: System | None = None  # another version, measured on the same questions and not certified
    reviewers: tuple[str, ...] = ()  # who judge its answers again, blind, after the issue
    spoiled: bool = False  # the package is refused
    scheme: tuple[str, str] = ("HALU", "1")
    judge_family: str = "juez-simulado"  # a contract wants one that the registry knows
    undecided: bool = False  # what the scheme demands is not shown, so it waits for the staff to see why


def _texts(es: str, en: str) -> Texts:
    return {"es": es, "en": en}


_AS_MEASURED = _texts(
    "La evidencia es íntegra y las cifras recalculadas son las que muestra esta página.",
    "The evidence is intact and the recomputed figures are those that this page shows.",
)

CHAPTERS = (
    Chapter(
        System(
            "Peumo Legal SpA",
            "Peumo Consulta",
            "4.2.1",
            "peumo-lm",
            incorrect={"es": 20, "en": 40, "pt": 60},
        ),
        identifier="peumo-legal.example",
        applied="Solicitamos el certificado de Peumo Consulta 4.2.1 sobre esta medición. Peumo Legal SpA.",
        country="CL",
        languages=("es", "en", "pt", "fr", "it"),
        issue=_AS_MEASURED,
        reviewers=("Persona A", "Persona B", "Persona C"),
        steps=(
            Taken(
                Step.SUSPEND,
                _texts(
                    "El sitio del titular respondía con la versión 4.3.0, que no está certificada.",
                    "The holder's site was answering with version 4.3.0, which is not certified.",
                ),
                reason="system_changed",
                conditions=(
                    _texts("Volver a servir la versión 4.2.1.", "Serve version 4.2.1 again."),
                    _texts(
                        "Avisar a los clientes de las fechas en que respondió otra versión.",
                        "Tell customers on which dates another version answered.",
                    ),
                ),
                review_in_days=60,
            ),
            Taken(
                Step.REINSTATE,
                _texts(
                    "Las dos condiciones constan cumplidas.",
                    "Both conditions are on record as met.",
                ),
                by=SECOND_CERTIFIER,
            ),
        ),
        newer=System(
            "Peumo Legal SpA",
            "Peumo Consulta",
            "4.3.0",
            "peumo-lm",
            incorrect={"es": 20, "en": 40, "pt": 450},
        ),
    ),
    Chapter(
        System(
            "Trámite Claro SAS",
            "Ventanilla",
            "3.1.0",
            "ventanilla-base",
            incorrect={"es": 50, "en": 60, "pt": 50},
            incomplete=90,
        ),
        identifier="tramite-claro.example",
        country="CO",
        issue=_AS_MEASURED,
        steps=(
            Taken(
                Step.SUSPEND,
                _texts(
                    "El sistema en servicio responde con la versión 3.2.0.",
                    "The system in service answers with version 3.2.0.",
                ),
                by=SECOND_CERTIFIER,
                reason="system_changed",
                conditions=(
                    _texts("Volver a servir la versión 3.1.0.", "Serve version 3.1.0 again."),
                    _texts(
                        "Hacer una nueva medición con el mismo conjunto de preguntas.",
                        "Measure again with the same question set.",
                    ),
                ),
                review_in_days=60,
            ),
        ),
        appealed=Appealed(
            grounds=(
                "La versión 3.2.0 solo corrige la presentación de las respuestas; el modelo y sus textos son los "
                "mismos. Pedimos que se deje sin efecto la suspensión."
            ),
            name="Tomás Clavijo",
            summary=_texts(
                "El titular sostiene que la versión 3.2.0 solo cambia la presentación de las respuestas.",
                "The holder holds that version 3.2.0 only changes how answers are presented.",
            ),
            outcome=AppealOutcome.DISMISSED,
            reasons=_texts(
                "El certificado se refiere a la versión 3.1.0. Sin una medición de la versión 3.2.0 no consta que "
                "responda igual.",
                "The certificate is about version 3.1.0. Without a measurement of version 3.2.0 it is not on "
                "record that its answers are the same.",
            ),
        ),
    ),
    Chapter(
        System(
            "Ius Datos SL",
            "Doctor Norma",
            "1.9.2",
            "norma-xl",
            incorrect={"es": 90, "en": 110, "pt": 100},
            ill_founded=60,
            fabricates=80,
        ),
        identifier="ius-datos.example",
        country="ES",
        issue=_AS_MEASURED,
        steps=(
            Taken(
                Step.REVOKE,
                _texts(
                    "La versión evaluada no era la que el titular declaró.",
                    "The version evaluated was not the one that the holder declared.",
                ),
                reason="false_declaration",
            ),
        ),
    ),
    Chapter(
        System(
            "Fundación Lectura Abierta",
            "Biblio Asistente",
            "2.4.0",
            "lectora-2",
            incorrect={"es": 30, "en": 30, "pt": 30},
        ),
        identifier="lectura-abierta.example",
        country="EC",
        languages=("es", "en", "pt", "fr", "it"),
        sealed=("data/items.jsonl",),
        issue=_AS_MEASURED,
        steps=(
            Taken(
                Step.TERMINATE,
                _texts("El sistema deja de ofrecerse.", "The system is no longer offered."),
                by=SECOND_CERTIFIER,
                request="Solicitamos finalizar el certificado: dejamos de ofrecer Biblio Asistente.",
            ),
        ),
    ),
    Chapter(
        System(
            "Clínica Norte Digital SA",
            "Guía Paciente",
            "2.6.0",
            "guia-m",
            incorrect={"es": 40, "en": 40, "pt": 40},
        ),
        identifier="clinica-norte.example",
        country="PE",
        issue=_AS_MEASURED,
        expires_in_seconds=2,
    ),
    Chapter(
        System(
            "Cooperativa Quilín",
            "Rastro Normas",
            "1.8.0",
            "rastro-s",
            incorrect={"es": 60, "en": 60, "pt": 60},
        ),
        identifier="quilin.example",
        country="CL",
        issue=_AS_MEASURED,
        measured_again=_texts(
            "Nueva medición de la misma versión; sustituye al certificado anterior.",
            "A new measurement of the same version; it takes the place of the earlier certificate.",
        ),
    ),
    Chapter(
        System(
            "Estudio Faro Ltda.",
            "Faro Trámites",
            "5.0.3",
            "faro-l",
            incorrect={"es": 0, "en": 0, "pt": 0},
            ill_founded=0,
            incomplete=40,
            abstains=80,
        ),
        identifier="estudio-faro.example",
        country="UY",
        issue=_AS_MEASURED,
        complained=Complained(
            kind=ReportKind.MISUSE_BY_HOLDER,
            text=(
                "En la portada de su sitio, Estudio Faro escribe «certificado: no se equivoca nunca». El certificado "
                "no dice eso."
            ),
            name="Julia Ferreira",
            email="julia@correo.example",
            summary=_texts(
                "Se dice que el sitio del titular atribuye al certificado más de lo que afirma.",
                "It is said that the holder's site claims more of the certificate than it states.",
            ),
            reply=_texts(
                "Retiramos la frase el mismo día y en su lugar citamos el certificado con sus cifras.",
                "We removed the sentence the same day and now cite the certificate with its figures.",
            ),
            outcome=ReportOutcome.UPHELD,
            reasons=_texts(
                "La frase estaba en la portada y ningún certificado permite decirlo. El titular la retiró y citó las "
                "cifras, de modo que no procede otra medida.",
                "The sentence was on the front page, and no certificate allows it. The holder removed it and cited "
                "the figures, so no other measure is called for.",
            ),
        ),
    ),
    Chapter(
        System(
            "Oráculo Comunal EIRL",
            "Oráculo",
            "0.9.0",
            "oraculo-mini",
            incorrect={"es": 150, "en": 150, "pt": 150},
            fabricates=120,
        ),
        identifier="oraculo-comunal.example",
        applied="Pedimos que se certifique Oráculo 0.9.0. Oráculo Comunal EIRL.",
        country="CL",
        declared=(
            {
                "metric": "hallucination",
                "denominator": "judged",
                "group": None,
                "category": None,
                "value": "0.0100",
            },
        ),
        refuse=_texts(
            "La tasa de alucinación declarada no es la que resulta de las respuestas entregadas.",
            "The hallucination rate declared is not the one that follows from the answers handed in.",
        ),
    ),
    Chapter(
        System(
            "Notaría Abierta Ltda.",
            "Acta",
            "1.4.0",
            "olmo",
            incorrect={"es": 0, "en": 10, "pt": 250},
            ill_founded=0,
            incomplete=30,
            abstains=40,
        ),
        identifier="notaria-abierta.example",
        country="CL",
        languages=("es", "en", "pt", "fr", "it"),
        scheme=("CLAUSULA", "1"),
        judge_family="granite",
        issue=_AS_MEASURED,
    ),
    Chapter(
        System(
            "Registros del Sur SA",
            "Folio",
            "2.0.1",
            "falcon",
            incorrect={"es": 120, "en": 140, "pt": 250},
            incomplete=40,
        ),
        identifier="registros-sur.example",
        applied="Solicitamos el certificado de Folio 2.0.1 conforme a la cláusula del contrato. Registros del Sur SA.",
        country="AR",
        scheme=("CLAUSULA", "1"),
        judge_family="granite",
        undecided=True,
    ),
    Chapter(
        System("Consulta Veloz SpA", "Veloz", "latest", "veloz-1"),
        identifier="consulta-veloz.example",
        country="CL",
        spoiled=True,
    ),
)
