"""What the e-mails about appeals say: read from the appeal when the e-mail is written, never stored."""

from typing import Any

from certificates import addresses, appeal_links, appeal_rows, words
from certificates.appeal_states import EVENT_TYPES, OPEN, AppealStep
from certificates.models import Appeal, AppealEvent
from registry_site import clock, outbox, wording
from registry_site.models import Outbox

KINDS = {type_: step for step, type_ in EVENT_TYPES.items()}

# Subjects hold numbers and fixed words only, because others than the reader see them.
_SUBJECTS = {
    AppealStep.FILE: ("Recibimos su apelación N.º {n}", "Your appeal No. {n}: received"),
    AppealStep.ADMIT: ("Apelación N.º {n} admitida", "Your appeal No. {n}: admitted"),
    AppealStep.DECLARE_INADMISSIBLE: ("Apelación N.º {n} inadmisible", "Your appeal No. {n}: inadmissible"),
    AppealStep.DECIDE: ("Resultado de la apelación N.º {n}", "Your appeal No. {n}: outcome"),
    AppealStep.WITHDRAW: ("Apelación N.º {n} desistida", "Your appeal No. {n}: withdrawn"),
}
_SUBJECTS_OF_STAFF = {
    step: (spanish.replace("Recibimos su apelación N.º {n}", "Apelación N.º {n} presentada"), english)
    for step, (spanish, english) in (
        (step, (pair[0], pair[1].replace("Your appeal", "Appeal"))) for step, pair in _SUBJECTS.items()
    )
}
_TEXTS = {
    AppealStep.FILE: (
        (
            "La apelación contra la decisión N.º {d} quedó registrada el {date}. Una persona que no intervino dirá "
            "si se admite a trámite. Apelar no restablece el certificado mientras se decide."
        ),
        (
            "The appeal against decision No. {d} was recorded on {date}. Someone who was not involved will say whether "
            "it is admitted. Appealing does not reinstate the certificate while it is being decided."
        ),
    ),
    AppealStep.ADMIT: (
        "La apelación contra la decisión N.º {d} fue admitida a trámite. La decide una persona que no intervino.",
        "The appeal against decision No. {d} was admitted. Someone who was not involved decides.",
    ),
    AppealStep.DECLARE_INADMISSIBLE: (
        "La apelación contra la decisión N.º {d} es inadmisible porque {reason}. La decisión se mantiene.",
        "The appeal against decision No. {d} is inadmissible because {reason}. The decision stands.",
    ),
    AppealStep.DECIDE: (
        "La apelación contra la decisión N.º {d} fue {outcome}.",
        "The appeal against decision No. {d} was {outcome}.",
    ),
    AppealStep.WITHDRAW: (
        (
            "Quedó registrado que se desistió de la apelación contra la decisión N.º {d}. La decisión se mantiene y no "
            "se puede apelar de nuevo."
        ),
        (
            "It was recorded that the appeal against decision No. {d} was withdrawn. The decision stands, and "
            "cannot be appealed again."
        ),
    ),
}


def compose(row: Outbox) -> outbox.Letter:
    """The letter about one step; the one of whoever filed it carries the link to its private page."""
    appeal = Appeal.objects.select_related("notice", "standing").get(number=row.data["appeal"])
    step = KINDS[row.kind]
    event = appeal.events.filter(step=step).select_related("notice").get()
    subjects = _SUBJECTS if row.data["holder"] else _SUBJECTS_OF_STAFF
    facts = {
        "subject": _in(row, subjects[step]).format(n=appeal.number),
        "text": _in(row, _TEXTS[step]).format(d=appeal.notice.number, **_words(appeal, event, row)),
        **_texts(event, row.language),
    }
    return outbox.Letter("appeal", facts, _path(appeal, row))


def _path(appeal: Appeal, row: Outbox) -> str:
    if not row.data["holder"]:
        return row.data["path"]
    if appeal.standing.state in OPEN:
        return addresses.appeal_follow_link(
            appeal_links.to_follow(appeal, at=clock.now(), letter=row), row.language
        )
    return addresses.notice(appeal.notice.number, row.language)


def _in(row: Outbox, pair: tuple[str, str]) -> str:
    return pair[0] if row.language == "es" else pair[1]


def _words(appeal: Appeal, event: AppealEvent, row: Outbox) -> dict[str, str]:
    return {
        "date": wording.moment(appeal.filed_at.astimezone(appeal_rows.zone_of(appeal)), row.language),
        "outcome": words.word("outcome", event.outcome) if event.outcome else "",
        "reason": words.word("inadmissibility", event.reason) if event.reason else "",
    }


def _texts(event: AppealEvent, language: str) -> dict[str, Any]:
    return {
        "reasons": event.reasons_es if language == "es" else event.reasons_en,
        "summary": event.summary_es if language == "es" else event.summary_en,
        "notice": event.notice.number if event.notice else "",
    }
