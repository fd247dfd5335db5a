"""Applications that wait for an answer, by deadline: what the measurement still lacks is told with them."""

from django.db.models import OuterRef
from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from certificates import application_states, policies
from certificates.models import ApplicationStanding
from certificates.ways import Way
from certificates.work_queue import measurements
from certificates.work_queue.matters import SEE, Asked, Kind, Matter
from certificates.work_subjects import Subject


def read(asked: Asked) -> list[Matter]:
    sha256 = OuterRef("measurement__package__sha256")
    waiting = ApplicationStanding.objects.filter(state__in=application_states.OPEN)
    rows = (
        asked.among(waiting, "measurement", by="measurement")
        .select_related(
            "application",
            "measurement__scheme",
            "measurement__package",
            "measurement__verification",
            "measurement__system_version__system__holder",
        )
        .annotate(took_part=policies.took_part_in(asked.person, sha256=sha256))
        .order_by("deadline_at")[: asked.limit + 1]
    )
    return [_application(row, asked) for row in rows]


def _application(row: ApplicationStanding, asked: Asked) -> Matter:
    application, measurement = row.application, row.measurement
    missing, action = measurements.what_is_missing(measurement, asked, took_part=row.took_part)
    stored = application.way == Way.ON_BEHALF and application.entered_by_id == asked.person.pk
    if action is not None and stored:
        missing, action = _("A second person answers it: you stored it (rule 6)."), SEE
    return Matter(
        kind=Kind.APPLICATION,
        title=_("Application to answer")
        if row.sequence == 1
        else _("Application open again after an appeal"),
        number=application.number,
        about=str(measurement.system_version),
        missing=missing,
        address=reverse("staff:application", args=[application.number]),
        action=action,
        # Past its age the evidence carries no certificate, however long there is left to answer.
        # Whoever has the measurement in hand answers the application on it.
        subject=Subject("measurement", str(measurement.pk)),
        due=min(row.deadline_at, policies.certifiable_until(measurement)),
    )
