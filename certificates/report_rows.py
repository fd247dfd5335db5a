"""Rows of complaints with what they name, and the steps of one turned into where it stands. Reads only."""

from collections.abc import Sequence
from datetime import datetime
from zoneinfo import ZoneInfo

from django.conf import settings
from django.db.models import Exists, OuterRef

from certificates import numbers, report_states
from certificates.appeal_states import AppealOutcome
from certificates.models import (
    AppealAttachment,
    AppealEvent,
    Certificate,
    Report,
    ReportAttachment,
    ReportDraft,
    ReportEvent,
)
from certificates.report_states import ABOUT_OTHERS, ReportLife, ReportOutcome, ReportStep, Taken

# What a sanction may rest on.
UPHELD = (ReportOutcome.UPHELD, ReportOutcome.PARTLY_UPHELD)


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


def document_of(
    *, kind: str, certificate: Certificate | None, place: str, text: str, digests: Sequence[str]
) -> dict[str, object]:
    """What the digest of a complaint is of: its words and its files, without who sent them."""
    return {
        "v": 1,
        "kind": kind,
        "certificate": certificate.number if certificate else None,
        "place": place,
        "text": text,
        "attachments": list(digests),
    }


def zone_of(report: Report) -> ZoneInfo:
    """The calendar in which its terms are counted and its dates are told."""
    return calendar_of(report.certificate)


def calendar_of(certificate: Certificate | None) -> ZoneInfo:
    return ZoneInfo(certificate.zone if certificate else settings.REGISTRY_TIME_ZONE)


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


def open_ones():
    """Those that wait for somebody, with what they wait for: `replied`, `review_asked`. One query."""
    steps = ReportEvent.objects.filter(report=OuterRef("pk"))
    return (
        Report.objects.filter(standing__state__in=report_states.OPEN)
        .select_related("standing", "certificate")
        .annotate(
            replied=Exists(steps.filter(step=ReportStep.REPLY)),
            review_asked=Exists(steps.filter(step=ReportStep.ASK_REVIEW)),
        )
        .order_by("standing__deadline_at")
    )


def with_names():
    """For lists: what each is about, and where it stands. Nothing of its contents."""
    return Report.objects.select_related("standing", "certificate").only(
        "number", "kind", "received_at", "crowded", "standing", "certificate__number", "certificate__names"
    )


def upheld_about(certificate: Certificate) -> list[Report]:
    """The complaints that a sanction on a certificate may rest on, newest first."""
    upheld = ReportEvent.objects.filter(report=OuterRef("pk"), outcome__in=UPHELD)
    overturned = AppealEvent.objects.filter(
        appeal__notice__report_event__report=OuterRef("pk"), outcome=AppealOutcome.UPHELD
    )
    return list(
        with_parents()
        .filter(Exists(upheld), ~Exists(overturned), certificate=certificate)
        .exclude(kind__in=ABOUT_OTHERS)
        .order_by("-pk")
    )


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
