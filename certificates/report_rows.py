"""Rows of complaints with what they name, and the steps of one turned into where it stands. Reads only."""

from collections.abc import Sequence
from datetime import datetime
from zoneinfo import ZoneInfo

from django.conf import settings

from certificates import numbers, report_states
from certificates.models import AppealAttachment, Report, ReportAttachment, ReportDraft, ReportEvent
from certificates.report_states import ABOUT_OTHERS, ReportLife, ReportOutcome, ReportStep, Taken


def taken_of(events: Sequence[ReportEvent]) -> list[Taken]:
    """The rows of a complaint's steps as the table knows them."""
    return [
        Taken(
            step=ReportStep(row.step),
            at=row.at,
            until=row.until,
            outcome=ReportOutcome(row.outcome) if row.outcome else None,
        )
        for row in events
    ]


def life_of(report: Report, *, until: datetime | None = None) -> ReportLife | None:
    return report_states.life_of(
        taken_of(list(report.events.all())), until=until, about_others=report.kind in ABOUT_OTHERS
    )


def zone_of(report: Report) -> ZoneInfo:
    """The calendar in which its terms are counted and its dates are told."""
    return ZoneInfo(report.certificate.zone if report.certificate else settings.REGISTRY_TIME_ZONE)


def find(number: str) -> Report | None:
    """By its number, however it was typed."""
    try:
        canonical = numbers.parse_report_number(number)
    except numbers.NumberError:
        return None
    return with_parents().filter(number=canonical).first()


def with_parents():
    return Report.objects.select_related(
        "standing",
        "contents",
        "certificate__measurement__scheme",
        "certificate__measurement__package",
        "certificate__system_version__system__holder",
    ).prefetch_related("events__notice", "events__by")


def is_kept_by_another(sha256: str, *, than: Report | None = None) -> bool:
    """Whether another appeal or complaint still needs these bytes."""
    held = ReportAttachment.objects.filter(sha256=sha256, report__contents__erased_at=None)
    if than is not None:
        held = held.exclude(report=than)
    return (
        held.exists()
        or AppealAttachment.objects.filter(sha256=sha256).exists()
        or ReportDraft.objects.filter(attachments__contains=[{"sha256": sha256}]).exists()
    )
