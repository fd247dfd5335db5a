"""What the e-mails say: every kind with whoever writes it out; the ones about decisions are written here.

They are read from the notice when the e-mail is written, never stored.
"""

from datetime import datetime
from typing import Any

from django.conf import settings

from certificates import (
    addresses,
    appeal_letters,
    appeal_links,
    application_letters,
    digest_letters,
    expiry_letters,
    holder_letters,
    operator_letters,
    report_letters,
    run_letters,
    words,
)
from certificates.models import ApplicationEvent, Notice
from certificates.states import EVENT_TYPES, Reason, Step
from registry_site import clock, outbox, people_letters, wording
from registry_site.models import Outbox

REFUSED = "decision.refused"
STEPS = {type_: step for step, type_ in EVENT_TYPES.items()}

# Subjects hold numbers and fixed words only, because others than the reader see them. {c} certificate, {n} notice,
# {a} application, {date} last day to appeal.
_SUBJECTS = {
    REFUSED: ("Decisión N.º {n} sobre la evidencia presentada", "Decision No. {n} on the evidence submitted"),
    Step.ISSUE: ("Certificado {c} emitido", "Certificate {c} issued"),
    Step.SUSPEND: (
        "Certificado {c} suspendido: condiciones y plazo",
        "Certificate {c} suspended: conditions and deadline",
    ),
    Step.PROLONG: ("Prórroga de la suspensión de {c}", "Suspension of {c} extended"),
    Step.REINSTATE: ("Certificado {c} restablecido", "Certificate {c} reinstated"),
    Step.REVOKE: (
        "Certificado {c} revocado: puede apelar hasta el {date}",
        "Certificate {c} revoked: you may appeal until {date}",
    ),
    Step.FINALISE: ("Revocación firme de {c}", "Revocation of {c} is final"),
    Step.TERMINATE: (
        "Certificado {c} finalizado a petición del titular",
        "Certificate {c} ended at the holder's request",
    ),
    Step.SUPERSEDE: ("Certificado {c} sustituido", "Certificate {c} superseded"),
    Step.EXPIRE: ("Certificado {c} vencido", "Certificate {c} expired"),
    Step.VARY: ("Decisión N.º {n} sobre el certificado {c}", "Decision No. {n} on certificate {c}"),
    Step.OVERTURN: (
        "Decisión N.º {n} sobre el certificado {c}",
        "Decision No. {n} on certificate {c}",
    ),
    Step.ERRATUM: ("Fe de erratas N.º {n} sobre el certificado {c}", "Erratum No. {n} on certificate {c}"),
}
_ON_APPLICATION = ("Decisión sobre su solicitud {a}", "Decision on your application {a}")
_ON_APPLICATION_OF_STAFF = ("Decisión sobre la solicitud {a}", "Decision on application {a}")


def compose(row: Outbox) -> outbox.Letter:
    """The letter of a row, by its kind."""
    return KINDS[row.kind](row)


def _decision(row: Outbox) -> outbox.Letter:
    language, number = row.language, row.data.get("certificate")
    notice = Notice.objects.filter(number=row.data.get("notice")).first()
    application = _application(notice)
    if number:
        path = addresses.certificate(number, language)
    else:
        path = addresses.notice(row.data["notice"], language)
    return outbox.Letter(
        "decision",
        {"subject": _subject(row, notice, application), **_text(notice, language), **_appeal(row, notice)}
        | {"application": application},
        path,
    )


def _appeal(row: Outbox, notice: Notice | None) -> dict[str, str]:
    """The holder's own way to appeal; in the letters of everybody else there is none."""
    if notice is None or notice.appeal_until is None or not row.data.get("to_holder"):
        return {}
    secret = appeal_links.to_file(notice, at=clock.now(), letter=row)
    return (
        {"appeal_link": settings.PUBLIC_URL + addresses.appeal_link(secret, row.language)} if secret else {}
    )


def _application(notice: Notice | None) -> str:
    """The number of the application that the decision answers."""
    if notice is None:
        return ""
    answered = ApplicationEvent.objects.filter(notice=notice).select_related("application").first()
    return answered.application.number if answered else ""


def _subject(row: Outbox, notice: Notice | None, application: str) -> str:
    spanish, english = _SUBJECTS[REFUSED if row.kind == REFUSED else STEPS[row.kind]]
    if row.kind == REFUSED and application:
        spanish, english = _ON_APPLICATION if row.data.get("to_holder") else _ON_APPLICATION_OF_STAFF
    until = _appeal_until(notice)
    return (spanish if row.language == "es" else english).format(
        c=row.data.get("certificate"),
        n=row.data.get("notice"),
        a=application,
        date=wording.day(wording.last_day(until), row.language) if until else "",
    )


def _text(notice: Notice | None, language: str) -> dict[str, Any]:
    """The public text in the reader's language; of a fact of the clock there is none."""
    if notice is None:
        return {"notice": None}
    until = _appeal_until(notice)
    return {
        "notice": notice.number,
        "statement": notice.statement_es if language == "es" else notice.statement_en,
        "reason": _reason(notice),
        "conditions": [condition[language] for condition in notice.conditions],
        "review_on": wording.day(notice.review_on, language) if notice.review_on else "",
        "appeal_until": wording.deadline(until, language) if until else "",
    }


def _reason(notice: Notice) -> str:
    """The clause of the reason; with «other» the statement says it."""
    if notice.reason in {None, Reason.OTHER}:
        return ""
    return words.word("reason", notice.reason).format(n=notice.reason_number)


def _appeal_until(notice: Notice | None) -> datetime | None:
    """The end of the appeal period as a wall in the scheme's zone shows it: terms are calendar days there."""
    if notice is None or notice.appeal_until is None:
        return None
    measurement = notice.measurement or notice.certificate.measurement
    return notice.appeal_until.astimezone(measurement.scheme.rules.zone)


# Every kind of e-mail, and who writes it out. Each has its row in docs/e-mails.md; a test holds it.
KINDS: dict[str, outbox.Compose] = {
    **dict.fromkeys((REFUSED, *STEPS), _decision),
    **dict.fromkeys(appeal_letters.KINDS, appeal_letters.compose),
    **dict.fromkeys(application_letters.KINDS, application_letters.compose),
    **dict.fromkeys(report_letters.KINDS, report_letters.compose),
    **dict.fromkeys(people_letters.KINDS, people_letters.compose),
    **dict.fromkeys(holder_letters.KINDS, holder_letters.compose),
    **dict.fromkeys(operator_letters.KINDS, operator_letters.compose),
    run_letters.KIND: run_letters.compose,
    expiry_letters.KIND: expiry_letters.compose,
    digest_letters.KIND: digest_letters.compose,
    "package_outcome": outbox.plain,
}
