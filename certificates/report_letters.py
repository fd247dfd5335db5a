"""What the e-mails about complaints say: read from the complaint when the e-mail is written, never stored."""

from datetime import datetime
from typing import Any

from certificates import addresses, report_links, report_rows, words
from certificates.models import Report, ReportDraft, ReportEvent
from certificates.report_posts import CONFIRM, HOLDER, REPORTER, STAFF
from certificates.report_states import EVENT_TYPES, ReportOutcome, ReportStep
from registry_site import clock, outbox, wording
from registry_site.models import Outbox

_STEPS = {type_: step for step, type_ in EVENT_TYPES.items()}
# That a complaint was closed is told to nobody.
KINDS = frozenset({CONFIRM, *_STEPS} - {EVENT_TYPES[ReportStep.CLOSE]})

# Subjects hold numbers and fixed words only, because others than the reader see them. {n} complaint, {c} certificate,
# {date} last day to reply.
_SUBJECTS = {
    (CONFIRM, REPORTER): ("Confirme su queja", "Confirm your complaint"),
    (ReportStep.CONFIRM, REPORTER): (
        "Recibimos su queja N.º {n}",
        "We have received your complaint No. {n}",
    ),
    (ReportStep.CONFIRM, STAFF): ("Queja N.º {n} recibida", "Complaint No. {n} received"),
    (ReportStep.TAKE_UP, REPORTER): (
        "Su queja N.º {n} está en trámite",
        "Your complaint No. {n} is under review",
    ),
    (ReportStep.DECLINE, REPORTER): (
        "Su queja N.º {n} está fuera de nuestra competencia",
        "Your complaint No. {n} is outside our remit",
    ),
    (ReportStep.ASK_HOLDER, HOLDER): (
        "Queja N.º {n} sobre su certificado {c}: puede responder hasta el {date}",
        "Complaint No. {n} about your certificate {c}: you may reply until {date}",
    ),
    (ReportStep.REPLY, STAFF): (
        "El titular respondió a la queja N.º {n}",
        "The holder has replied to complaint No. {n}",
    ),
    (ReportStep.DECIDE, REPORTER): ("Resultado de la queja N.º {n}", "Outcome of complaint No. {n}"),
    (ReportStep.DECIDE, HOLDER): ("Resultado de la queja N.º {n}", "Outcome of complaint No. {n}"),
    (ReportStep.DECIDE, STAFF): ("Resultado de la queja N.º {n}", "Outcome of complaint No. {n}"),
    (ReportStep.ASK_REVIEW, REPORTER): (
        "Pidió revisar la queja N.º {n}",
        "You asked for a review of complaint No. {n}",
    ),
    (ReportStep.ASK_REVIEW, HOLDER): ("Se revisa la queja N.º {n}", "Complaint No. {n} is being reviewed"),
    (ReportStep.ASK_REVIEW, STAFF): (
        "Se pidió revisar la queja N.º {n}",
        "A review of complaint No. {n} was asked for",
    ),
}
_TEXTS = {
    (CONFIRM, REPORTER): (
        (
            "Alguien, con esta dirección de correo, envió una queja al registro. Si fue usted, abra el enlace y "
            "confírmela antes del {date}: solo entonces se registra y recibe un número. Si no fue usted, no haga "
            "nada: lo enviado se borra en esa fecha."
        ),
        (
            "Someone sent the registry a complaint with this e-mail address. If it was you, open the link and confirm "
            "it before {date}: only then is it recorded and given a number. If it was not you, do nothing: what was "
            "sent is erased on that date."
        ),
    ),
    (ReportStep.CONFIRM, REPORTER): (
        (
            "Su queja quedó registrada el {date}. Una persona que no intervino en la evaluación ni en las decisiones "
            "dirá si es de nuestra competencia. El enlace lleva a su página privada: ahí se ve en qué está."
        ),
        (
            "Your complaint was recorded on {date}. Someone who took no part in the evaluation or the decisions will "
            "say whether it is within our remit. The link leads to your private page, which shows where it stands."
        ),
    ),
    (ReportStep.CONFIRM, STAFF): (
        "Hay una queja nueva por revisar. Véala antes del {due}.",
        "There is a new complaint to look into. See to it before {due}.",
    ),
    (ReportStep.TAKE_UP, REPORTER): (
        (
            "Su queja es de nuestra competencia y está en trámite. Antes de decidir se oye al titular, que no recibe "
            "su nombre, su correo ni su texto."
        ),
        (
            "Your complaint is within our remit and under review. Before it is decided the holder is heard, who is "
            "given neither your name, your e-mail nor your text."
        ),
    ),
    (ReportStep.DECLINE, REPORTER): (
        "No podemos tramitar su queja, porque {reason}.",
        "We cannot take up your complaint, because {reason}.",
    ),
    (ReportStep.ASK_HOLDER, HOLDER): (
        (
            "Se presentó una queja sobre el certificado {c}. Que exista no significa que sea fundada. Puede responder "
            "hasta el {until} con este enlace, y elegir si la respuesta se publica. Si no responde, se decide con lo "
            "que haya."
        ),
        (
            "A complaint was made about certificate {c}. Its existence does not mean it is justified. You may reply "
            "until {until} by this link, and choose whether the reply is published. Without a reply it is decided on "
            "what there is."
        ),
    ),
    (ReportStep.REPLY, STAFF): (
        "El titular respondió. La queja puede decidirse; el plazo termina el {due}.",
        "The holder has replied. The complaint can be decided; the term ends on {due}.",
    ),
    (ReportStep.DECIDE, REPORTER): (
        "Su queja fue {outcome}.{review}",
        "Your complaint was {outcome}.{review}",
    ),
    (ReportStep.DECIDE, HOLDER): (
        "La queja sobre el certificado {c} fue {outcome}.",
        "The complaint about certificate {c} was {outcome}.",
    ),
    (ReportStep.DECIDE, STAFF): ("La queja fue {outcome}.", "The complaint was {outcome}."),
    (ReportStep.ASK_REVIEW, REPORTER): (
        "Otra persona revisará lo que se decidió. Tiene hasta el {due}.",
        "Someone else will review what was decided, by {due}.",
    ),
    (ReportStep.ASK_REVIEW, HOLDER): (
        (
            "Quien presentó la queja sobre el certificado {c} pidió que otra persona la revise. No hace falta que "
            "haga nada."
        ),
        (
            "Whoever complained about certificate {c} asked for a review by someone else. There is nothing that you "
            "need to do."
        ),
    ),
    (ReportStep.ASK_REVIEW, STAFF): (
        "La revisa alguien distinto de quien decidió, antes del {due}.",
        "Someone other than who decided reviews it, before {due}.",
    ),
}
_REVIEW = (
    " Puede pedir hasta el {until}, una sola vez, que otra persona la revise: desde su página privada.",
    " You may ask until {until}, once, that someone else reviews it: from your private page.",
)


def compose(row: Outbox) -> outbox.Letter:
    """The letter about one step, for whoever complained, for the holder or for the staff."""
    if row.kind == CONFIRM:
        return _to_confirm(row)
    report = report_rows.with_parents().get(number=row.data["report"])
    event = next(one for one in report.events.all() if one.sequence == row.data["sequence"])
    key = (_STEPS[row.kind], row.data["who"])
    values = _values(report, event, row.language)
    if (
        key == (ReportStep.DECIDE, REPORTER)
        and event.outcome == ReportOutcome.DISMISSED
        and not _reviewed(report)
    ):
        values["review"] = _in(row, _REVIEW).format(**values)
    facts = {
        "subject": _in(row, _SUBJECTS[key]).format(**values),
        "text": _in(row, _TEXTS[key]).format(**values),
        **_texts(event, row),
    }
    return outbox.Letter("report", facts, _path(report, event, row))


def _to_confirm(row: Outbox) -> outbox.Letter:
    draft = ReportDraft.objects.get(pk=row.data["draft"])
    key = (CONFIRM, REPORTER)
    date = wording.day(draft.expires_at.date(), row.language)
    facts = {"subject": _in(row, _SUBJECTS[key]), "text": _in(row, _TEXTS[key]).format(date=date)}
    secret = report_links.to_confirm(draft, at=clock.now(), letter=row)
    return outbox.Letter("report", facts, addresses.report_confirm_link(secret, row.language))


def _path(report: Report, event: ReportEvent, row: Outbox) -> str:
    """Where its one link leads: the private page, the reply, the public notice, or the staff's page."""
    who = row.data["who"]
    if who == STAFF:
        return row.data["path"]
    if who == REPORTER:
        return addresses.report_follow_link(
            report_links.to_follow(report, at=clock.now(), letter=row), row.language
        )
    if event.step == ReportStep.ASK_HOLDER:
        secret = report_links.to_reply(report, until=event.until, at=clock.now(), letter=row)
        return addresses.report_reply_link(secret, row.language)
    if event.notice is not None:
        return addresses.notice(event.notice.number, row.language)
    return addresses.certificate(report.certificate.number, row.language)


def _values(report: Report, event: ReportEvent, language: str) -> dict[str, str]:
    zone = report_rows.zone_of(report)

    def day(moment: datetime | None) -> str:
        return wording.day(wording.last_day(moment.astimezone(zone)), language) if moment else ""

    return {
        "n": report.number,
        "c": report.certificate.number if report.certificate else "",
        "date": day(event.until)
        if event.step == ReportStep.ASK_HOLDER
        else wording.moment(report.received_at.astimezone(zone), language),
        "until": wording.deadline(event.until.astimezone(zone), language) if event.until else "",
        "due": day(report.standing.deadline_at),
        "outcome": words.word("outcome", event.outcome) if event.outcome else "",
        "reason": words.word("out_of_remit", event.reason) if event.reason else "",
        "review": "",
    }


def _texts(event: ReportEvent, row: Outbox) -> dict[str, Any]:
    spanish = row.language == "es"
    return {
        "summary": (event.summary_es if spanish else event.summary_en) if row.data["who"] == HOLDER else "",
        "reasons": event.reasons_es if spanish else event.reasons_en,
        "notice": event.notice.number if event.notice else "",
    }


def _reviewed(report: Report) -> bool:
    return any(one.step == ReportStep.ASK_REVIEW for one in report.events.all())


def _in(row: Outbox, pair: tuple[str, str]) -> str:
    return pair[0] if row.language == "es" else pair[1]
