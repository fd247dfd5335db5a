"""What the e-mails about applications say: read from the application when the e-mail is written, never stored."""

from typing import Any

from certificates import addresses, application_links, application_rows, names, policies, words
from certificates.application_states import EVENT_TYPES, ApplicationStep
from certificates.applications import INVITED, TOLD
from certificates.models import Application
from certificates.ways import Way
from registry_site import clock, outbox, wording
from registry_site.models import Outbox

_STEPS = {EVENT_TYPES[step]: step for step in TOLD}
KINDS = (INVITED, *sorted(_STEPS))

# Subjects hold numbers and fixed words only, because others than the reader see them.
_INVITATION = ("Ya puede solicitar el certificado", "You may now apply for a certificate")
_SUBJECTS = {
    ApplicationStep.FILE: ("Recibimos su solicitud N.º {n}", "We have received your application No. {n}"),
    ApplicationStep.DECLARE_INADMISSIBLE: (
        "Solicitud N.º {n} inadmisible",
        "Your application No. {n}: inadmissible",
    ),
    ApplicationStep.WITHDRAW: ("Solicitud N.º {n} desistida", "Your application No. {n}: withdrawn"),
    ApplicationStep.REOPEN: ("Solicitud N.º {n} abierta de nuevo", "Your application No. {n}: open again"),
}
_SUBJECTS_OF_STAFF = {
    ApplicationStep.FILE: ("Solicitud N.º {n} presentada", "Application No. {n}: filed"),
    ApplicationStep.DECLARE_INADMISSIBLE: (
        "Solicitud N.º {n} inadmisible",
        "Application No. {n}: inadmissible",
    ),
    ApplicationStep.WITHDRAW: ("Solicitud N.º {n} desistida", "Application No. {n}: withdrawn"),
    ApplicationStep.REOPEN: ("Solicitud N.º {n} abierta de nuevo", "Application No. {n}: open again"),
}
_TEXT_OF_INVITATION = (
    (
        "El registro comprobó la evidencia sobre {system} y recalculó sus cifras (medición {m}). Si quiere un "
        "certificado sobre esta medición, solicítelo con este enlace: muestra qué se midió y qué diría el "
        "certificado. Sirve una vez, hasta el {until}. Decide una persona que no intervino en la evaluación."
    ),
    (
        "The registry has checked the evidence about {system} and recomputed its figures (measurement {m}). If you "
        "want a certificate on this measurement, apply with this link: it shows what was measured and what the "
        "certificate would say. It serves once, until {until}. Someone who took no part in the evaluation decides."
    ),
)
_TEXTS = {
    ApplicationStep.FILE: (
        (
            "La solicitud de un certificado sobre {system} (medición {m}) quedó registrada el {date}. Una persona que "
            "no intervino en la evaluación decide a más tardar el {due}. Mientras tanto se puede desistir."
        ),
        (
            "The application for a certificate about {system} (measurement {m}) was recorded on {date}. Someone who "
            "took no part in the evaluation decides by {due}. Until then it can be withdrawn."
        ),
    ),
    ApplicationStep.DECLARE_INADMISSIBLE: (
        (
            "La solicitud de un certificado sobre {system} (medición {m}) es inadmisible porque {reason}. No es una "
            "decisión sobre la medición y no se publica: puede presentar otra."
        ),
        (
            "The application for a certificate about {system} (measurement {m}) is inadmissible because {reason}. It "
            "is no decision on the measurement and is not published: another one may be filed."
        ),
    ),
    ApplicationStep.WITHDRAW: (
        "Quedó registrado que se desistió de la solicitud sobre {system} (medición {m}). Puede presentar otra.",
        "It was recorded that the application about {system} (measurement {m}) was withdrawn. Another may be filed.",
    ),
    ApplicationStep.REOPEN: (
        (
            "La apelación dejó sin efecto la denegación, así que la solicitud sobre {system} (medición {m}) queda "
            "abierta de nuevo. Decide otra persona a más tardar el {due}."
        ),
        (
            "The appeal left the refusal without effect, so the application about {system} (measurement {m}) is open "
            "again. Someone else decides by {due}."
        ),
    ),
}
_STORED = (
    "La registró el personal, a partir de la petición escrita del titular; decide una segunda persona.",
    "The staff stored it, from the holder's written request; a second person decides.",
)


def compose(row: Outbox) -> outbox.Letter:
    """The letter about one step, or the one that invites to apply; the holder's carries its link."""
    if row.kind == INVITED:
        return _invitation(row)
    application = application_rows.with_parents().get(number=row.data["application"])
    step = _STEPS[row.kind]
    event = [one for one in application.events.all() if one.step == step][-1]
    subjects = _SUBJECTS if row.data["holder"] else _SUBJECTS_OF_STAFF
    text = _in(row, _TEXTS[step]).format(**_words(application, event.reason, row))
    if step is ApplicationStep.FILE and application.way == Way.ON_BEHALF:
        text = f"{text} {_in(row, _STORED)}"
    facts = {
        "subject": _in(row, subjects[step]).format(n=application.number),
        "text": text,
        "reasons": event.reasons_es if row.language == "es" else event.reasons_en,
    }
    return outbox.Letter("application", facts, _path(application, step, row))


def _invitation(row: Outbox) -> outbox.Letter:
    measurement = names.with_parents().get(pk=row.data["measurement"])
    until = policies.certifiable_until(measurement).astimezone(measurement.scheme.rules.zone)
    facts = {
        "subject": _in(row, _INVITATION),
        "text": _in(row, _TEXT_OF_INVITATION).format(
            system=measurement.system_version,
            m=names.reference(measurement),
            until=wording.moment(until, row.language),
        ),
    }
    secret = application_links.to_apply(measurement, at=clock.now(), letter=row)
    # Between queueing and sending it may have been decided: then there is nothing to apply for.
    path = addresses.application_link(secret, row.language) if secret else addresses.home(row.language)
    return outbox.Letter("application", facts, path)


def _path(application: Application, step: ApplicationStep, row: Outbox) -> str:
    if not row.data["holder"]:
        return row.data["path"]
    now = clock.now()
    if step in (ApplicationStep.FILE, ApplicationStep.REOPEN):
        return addresses.application_follow_link(
            application_links.to_follow(application, at=now, letter=row), row.language
        )
    secret = application_links.to_apply(application.measurement, at=now, letter=row)
    return addresses.application_link(secret, row.language) if secret else addresses.home(row.language)


def _in(row: Outbox, pair: tuple[str, str]) -> str:
    return pair[0] if row.language == "es" else pair[1]


def _words(application: Application, reason: str | None, row: Outbox) -> dict[str, Any]:
    zone = application.measurement.scheme.rules.zone
    due = application.standing.deadline_at
    return {
        "system": application.measurement.system_version,
        "m": names.reference(application.measurement),
        "date": wording.moment(application.filed_at.astimezone(zone), row.language),
        "due": wording.deadline(due.astimezone(zone), row.language) if due else "",
        "reason": words.word("application_inadmissibility", reason) if reason else "",
    }
