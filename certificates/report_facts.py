"""What the public is told of complaints: dates, kind, outcome with its reasons, and the reply the holder published.

Only after triage and after the holder was told, and never the words of the complaint or who made it. Reads only.
"""

from collections.abc import Sequence
from datetime import datetime, tzinfo
from zoneinfo import ZoneInfo

from certificates import pages, report_rows
from certificates.models import Certificate, Notice, Report
from certificates.report_states import ABOUT_OTHERS, OPEN, ReportStep


def of_certificate(
    certificate: Certificate, *, at: datetime, appeals: Sequence[pages.Appeal] = ()
) -> tuple[pages.Report, ...]:
    """The complaints about a certificate as they stood at `at`, newest first. Two queries."""
    zone = ZoneInfo(certificate.zone)
    rows = _with_events().filter(certificate=certificate).exclude(kind__in=ABOUT_OTHERS).order_by("-pk")
    against = {one.against: one for one in appeals}
    told = (_told(row, at=at, zone=zone, against=against) for row in rows)
    return tuple(one for one in told if one is not None)


def of_notice(notice: Notice, *, zone: tzinfo) -> pages.Report | None:
    """The complaint whose outcome a notice is, also where it is about no certificate."""
    row = _with_events().filter(events__notice=notice).first()
    return _told(row, at=notice.at, zone=zone, against={}) if row else None


def of_report(report: Report, *, at: datetime) -> pages.Report | None:
    """One complaint as it stands; None where nothing of it is public."""
    return _told(report, at=at, zone=report_rows.zone_of(report), against={})


def steps_of(report: Report, *, zone: tzinfo) -> tuple[pages.ReportStep, ...]:
    """Each step of a complaint, for whoever made it."""
    return tuple(
        pages.ReportStep(
            step=event.step,
            at=event.at.astimezone(zone),
            outcome=event.outcome,
            reason=event.reason,
            reasons=pages.Text(es=event.reasons_es, en=event.reasons_en) if event.reasons_es else None,
            notice=event.notice.number if event.notice else None,
        )
        for event in report.events.all()
    )


def reply_of(report: Report) -> pages.Text | None:
    """What the holder replied and chose to publish; where one language is missing, the other stands in for it."""
    reply = getattr(report, "reply", None)
    if reply is None:
        return None
    return pages.Text(es=reply.text_es or reply.text_en, en=reply.text_en or reply.text_es)


def open_one(told: Sequence[pages.Report]) -> str | None:
    """The number of the complaint under review: the latest."""
    return next((one.number for one in told if one.state in OPEN), None)


def open_when(told: Sequence[pages.Report], *, at: datetime | None) -> str | None:
    """The number of the latest complaint that was under review at `at`."""
    return next((one.number for one in told if at is not None and _was_open(one, at)), None)


def _was_open(one: pages.Report, at: datetime) -> bool:
    begun = one.with_holder_at is not None and one.with_holder_at <= at
    anew = one.review_asked_at is not None and one.review_asked_at <= at
    first = one.first_decided_at or one.decided_at
    if anew:
        return one.decided_at is None or one.decided_at > at
    return begun and (first is None or first > at)


def last_change(told: Sequence[pages.Report]) -> list[datetime]:
    moments = (
        (
            one.with_holder_at,
            one.replied_at if one.reply else None,
            one.decided_at,
            one.review_asked_at,
            one.closed_at,
        )
        for one in told
    )
    return [moment for steps in moments for moment in steps if moment is not None]


def _with_events():
    return Report.objects.select_related("reply").prefetch_related("events__notice")


def _told(
    row: Report, *, at: datetime, zone: tzinfo, against: dict[str, pages.Appeal]
) -> pages.Report | None:
    life = report_rows.life_of(row, until=at)
    if life is None or not (life.is_public or (row.kind in ABOUT_OTHERS and life.decided_at)):
        return None

    def local(moment: datetime | None) -> datetime | None:
        return moment.astimezone(zone) if moment else None

    decisions = [event for event in row.events.all() if event.step == ReportStep.DECIDE and event.at <= at]
    decided = decisions[-1] if decisions and life.outcome else None
    reply = reply_of(row) if life.replied_at else None
    notice = decided.notice.number if decided else None
    return pages.Report(
        number=row.number,
        kind=row.kind,
        state=life.state.value,
        outcome=life.outcome.value if life.outcome else None,
        received_at=local(life.received_at),
        with_holder_at=local(life.asked_holder_at),
        reply_until=local(life.reply_until),
        replied_at=local(life.replied_at) if reply else None,
        first_decided_at=local(decisions[0].at) if decisions else None,
        decided_at=local(life.decided_at),
        review_asked_at=local(life.review_asked_at),
        closed_at=local(life.closed_at),
        reply=reply,
        reasons=pages.Text(es=decided.reasons_es, en=decided.reasons_en) if decided else None,
        notice=notice,
        earlier_notices=tuple(one.notice.number for one in decisions if one is not decided),
        appeal=against.get(notice) if notice else None,
    )
