"""What is told of applications: the public of a decided one, whoever filed it of every step. Reads only."""

from datetime import datetime, tzinfo
from typing import Any

from certificates import group_facts, measured, names, pages, policies, tables
from certificates.application_states import ApplicationStep
from certificates.models import Application, ApplicationEvent, Notice
from grading.models import Measurement

# Public is what was decided; an overturned refusal is told by the notices that name each other.
DECIDED = (ApplicationStep.ISSUE, ApplicationStep.REFUSE)


def answered_by(notice: Notice, *, zone: tzinfo) -> pages.Application | None:
    """The application that this decision answers."""
    event = getattr(notice, "application_event", None)
    if event is None or event.step not in DECIDED:
        return None
    row = event.application
    return pages.Application(number=row.number, filed_at=row.filed_at.astimezone(zone), way=row.way)


def steps_of(application: Application, *, zone: tzinfo) -> tuple[pages.ApplicationStep, ...]:
    """For the private page and the staff, never for the public. `application` with its events and their notices."""
    return tuple(_step(event, zone) for event in application.events.all())


def about(measurement: Measurement, *, at: datetime) -> dict[str, Any]:
    """What was measured and what a certificate would say of it: for whoever applies, and for who decides."""
    rules = measurement.scheme.rules
    figures = measured.published_figures(measurement)
    shown = group_facts.of_measurement(measurement, figures)
    return {
        "measurement": measurement,
        "reference": names.reference(measurement),
        "holder": measurement.system_version.system.holder,
        "version": measurement.system_version,
        "measured_at": measurement.measured_at.astimezone(rules.zone),
        "headline": tables.find(figures, *measured.HEADLINE),
        "criteria": shown.criteria,
        "grouping": rules.grouping,
        "would_end": policies.longest_term(measurement, at=at).astimezone(rules.zone),
        "would_be_refused": policies.refusal_of_measurement(measurement, at=at),
    }


def _step(event: ApplicationEvent, zone: tzinfo) -> pages.ApplicationStep:
    notice = event.notice
    return pages.ApplicationStep(
        step=event.step,
        at=event.at.astimezone(zone),
        notice=notice.number if notice else None,
        certificate=notice.certificate.number if notice and notice.certificate else None,
        reason=event.reason,
        reasons=pages.Text(es=event.reasons_es, en=event.reasons_en) if event.reasons_es else None,
    )
