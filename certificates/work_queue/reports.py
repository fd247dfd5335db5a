"""Open complaints by deadline: to take up, to put to the holder, to wait for, to decide, to look at again."""

from typing import Any

from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from certificates import report_rows, reports, words
from certificates.models import Report
from certificates.report_states import ABOUT_OTHERS, ReportState
from certificates.work_queue.matters import OPEN, SEE, Asked, Kind, Matter
from certificates.work_subjects import Subject
from registry_site.roles import DECIDING_ROLES


def read(asked: Asked) -> list[Matter]:
    """Whether this person took part in what it is about is told on the complaint's own page."""
    rows = asked.among(report_rows.open_ones(), "report", by="number")
    return [_report(row, asked) for row in rows[: asked.limit + 1]]


def _report(row: Report, asked: Asked) -> Matter:
    title, missing = _words_of(row, asked)
    named = row.certificate.names if row.certificate else None
    return Matter(
        kind=Kind.REPORT,
        title=title,
        number=row.number,
        about=f"{named['system']} {named['version']}" if named else words.word("report_kind", row.kind),
        missing=missing,
        address=reverse("staff:report", args=[row.number]),
        action=OPEN if asked.roles & frozenset(DECIDING_ROLES) else SEE,
        due=reports.next_step_due(row, replied=row.replied, at=asked.now),
        subject=Subject("report", row.number),
    )


def _words_of(row: Report, asked: Asked) -> tuple[Any, Any]:
    standing = row.standing
    if standing.state == ReportState.RECEIVED:
        return _("Complaint received"), _("Take it up, or say that it is outside our remit.")
    if row.review_asked:
        return _("Review of a complaint"), _("Decide it anew: someone who did not decide it before.")
    if standing.state == ReportState.IN_REMIT:
        if row.kind in ABOUT_OTHERS:
            return _("Complaint to decide"), _("Decide it: no holder answers for what others do.")
        return _("Complaint under review"), _("Put it to the holder, in the registry's own words.")
    if row.replied:
        return _("Complaint to decide"), _("Decide it: the holder has replied.")
    if standing.deadline_at <= asked.now:
        return _("Complaint to decide"), _("Decide it: the holder's term has ended without a reply.")
    return _("Complaint with the holder"), _("Nothing to do until the holder replies or its term ends.")
