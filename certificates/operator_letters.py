"""What the e-mails to operators of agent runs say: read from their rows when they are written."""

from datetime import datetime
from zoneinfo import ZoneInfo

from django.conf import settings

from evidence import operators, runs
from evidence.models import Operator, Run
from registry_site import outbox, wording
from registry_site.models import Outbox

# Subjects hold numbers and fixed words only, because others than the reader see them. {n} run.
_SUBJECTS = {
    operators.ADMITTED: ("Ya puede registrar ejecuciones", "You may now register runs"),
    operators.ENDED: ("Ya no puede registrar ejecuciones", "You may no longer register runs"),
    runs.REGISTERED: ("Ejecución {n} registrada", "Run {n} registered"),
    runs.ABANDONED: ("Ejecución {n} abandonada", "Run {n} abandoned"),
}
_TEXTS = {
    operators.ADMITTED: (
        (
            "El registro le admitió para operar agentes por {organisation}. En la página siguiente puede registrar "
            "una ejecución, copiar el encargo y seguir las peticiones que llegan."
        ),
        (
            "The registry has admitted you to operate agents for {organisation}. On the following page you can "
            "register a run, copy the assignment and watch the requests arrive."
        ),
    ),
    operators.ENDED: (
        (
            "Desde ahora no puede registrar ejecuciones por {organisation}. Las que están en curso se pueden cerrar, y "
            "todas siguen en la lista."
        ),
        (
            "From now on you cannot register runs for {organisation}. Those under way can still be closed, and all of "
            "them stay listed."
        ),
    ),
    runs.REGISTERED: (
        (
            "La ejecución {n} quedó registrada. Su token y su dirección se mostraron una sola vez y no están en este "
            "correo. Ciérrela a más tardar el {until}: después queda como abandonada."
        ),
        (
            "Run {n} is registered. Its token and its address were shown once and are not in this e-mail. Close it by "
            "{until}: afterwards it is abandoned."
        ),
    ),
    runs.ABANDONED: (
        (
            "La ejecución {n} no se cerró dentro de las 24 horas de su token y quedó como abandonada. Sigue en la "
            "lista y se cuenta; no se evalúa."
        ),
        (
            "Run {n} was not closed within the 24 hours of its token, and is abandoned. It stays listed and counted; "
            "it is not graded."
        ),
    ),
}
KINDS = frozenset(_SUBJECTS)


def compose(row: Outbox) -> outbox.Letter:
    facts = _of_run(row) if "run" in row.data else _of_operator(row)
    return outbox.Letter(
        "run",
        {
            "subject": _in(row, _SUBJECTS[row.kind]).format(**facts),
            "text": _in(row, _TEXTS[row.kind]).format(**facts),
        },
        row.data["path"],
    )


def _of_operator(row: Outbox) -> dict[str, str]:
    return {"organisation": Operator.objects.get(pk=row.data["operator"]).organisation}


def _of_run(row: Outbox) -> dict[str, str]:
    run = Run.objects.select_related("token").get(number=row.data["run"])
    return {"n": run.number, "until": _moment(run.token.expires_at, row.language)}


def _moment(at: datetime, language: str) -> str:
    return wording.moment(at.astimezone(ZoneInfo(settings.REGISTRY_TIME_ZONE)), language)


def _in(row: Outbox, pair: tuple[str, str]) -> str:
    return pair[0] if row.language == "es" else pair[1]
