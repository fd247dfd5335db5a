"""What is told of applications: the public of a decided one, whoever filed it of every step. Reads only."""

from zoneinfo import ZoneInfo

from certificates import pages
from certificates.application_states import ApplicationStep
from certificates.models import Application, ApplicationEvent, Notice

# Public is what was decided; an overturned refusal is told by the notices that name each other.
DECIDED = (ApplicationStep.ISSUE, ApplicationStep.REFUSE)


def answered_by(notice: Notice, *, zone: ZoneInfo) -> pages.Application | None:
    """The application that this decision answers."""
    event = getattr(notice, "application_event", None)
    if event is None or event.step not in DECIDED:
        return None
    row = event.application
    return pages.Application(number=row.number, filed_at=row.filed_at.astimezone(zone), way=row.way)


def steps_of(application: Application, *, zone: ZoneInfo) -> tuple[pages.ApplicationStep, ...]:
    """For the private page and the staff, never for the public. `application` with its events and their notices."""
    return tuple(_step(event, zone) for event in application.events.all())


def _step(event: ApplicationEvent, zone: ZoneInfo) -> pages.ApplicationStep:
    notice = event.notice
    return pages.ApplicationStep(
        step=event.step,
        at=event.at.astimezone(zone),
        notice=notice.number if notice else None,
        certificate=notice.certificate.number if notice and notice.certificate else None,
        reason=event.reason,
        reasons=pages.Text(es=event.reasons_es, en=event.reasons_en) if event.reasons_es else None,
    )
