"""Open appeals by deadline."""

from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from certificates import appeal_states
from certificates.models import AppealStanding
from certificates.work_queue.matters import OPEN, SEE, Asked, Kind, Matter
from certificates.work_subjects import Subject
from registry_site.roles import Role


def read(asked: Asked) -> list[Matter]:
    """Open appeals by deadline. Whether this person took part is told on the appeal's own page."""
    open_ones = AppealStanding.objects.filter(state__in=appeal_states.OPEN).select_related(
        "appeal__certificate", "appeal__notice__measurement__system_version__system__holder"
    )
    rows = asked.among(open_ones, "appeal", by="appeal__number").order_by("deadline_at")[: asked.limit + 1]
    return [_appeal(row, Role.APPEALS_OFFICER in asked.roles) for row in rows]


def _appeal(row: AppealStanding, decides: bool) -> Matter:
    certificate = row.appeal.certificate
    named = certificate.names if certificate else None
    version = row.appeal.notice.measurement.system_version if certificate is None else None
    if row.state == appeal_states.AppealState.ADMITTED:
        title, missing = _("Appeal to decide"), _("Decide it: someone who was not involved.")
    elif row.appeal.late:
        title, missing = _("Appeal filed late"), _("Declare it inadmissible, with its reasons.")
    else:
        title, missing = _("Appeal filed"), _("Say whether it is admitted: someone who was not involved.")
    return Matter(
        kind=Kind.APPEAL,
        title=title,
        number=row.appeal.number,
        about=f"{named['system']} {named['version']}" if named else str(version),
        missing=missing,
        address=reverse("staff:appeal", args=[row.appeal.number]),
        action=OPEN if decides else SEE,
        due=row.deadline_at,
        subject=Subject("appeal", row.appeal.number),
    )
