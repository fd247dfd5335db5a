"""Rows of applications with what they name, and the steps of one turned into where it stands. Reads only."""

from datetime import datetime

from django.db.models import Prefetch, QuerySet

from certificates import application_states, numbers
from certificates.application_states import ApplicationLife, ApplicationStep, Taken
from certificates.models import Application, ApplicationEvent
from grading.models import Measurement


def life_of(application: Application, *, until: datetime | None = None) -> ApplicationLife | None:
    taken = [Taken(step=ApplicationStep(row.step), at=row.at) for row in application.events.all()]
    return application_states.life_of(taken, until=until)


def find(number: str) -> Application | None:
    """By its number, however it was typed."""
    try:
        canonical = numbers.parse_application_number(number)
    except numbers.NumberError:
        return None
    return with_parents().filter(number=canonical).first()


def open_of(measurement: Measurement) -> Application | None:
    """The application on a measurement that waits for an answer."""
    return Application.objects.filter(
        measurement=measurement, standing__state__in=application_states.OPEN
    ).first()


def with_parents() -> QuerySet[Application]:
    return Application.objects.select_related(
        "standing",
        "holder",
        "entered_by",
        "measurement__scheme",
        "measurement__package",
        "measurement__verification",
        "measurement__system_version__system__holder",
    ).prefetch_related(
        Prefetch("events", queryset=ApplicationEvent.objects.select_related("notice__certificate"))
    )
