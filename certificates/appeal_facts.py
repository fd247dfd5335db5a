"""What the public is told of appeals: dates, the registry's summary of the grounds, outcome and reasons. Reads only.

Never the grounds as they were written, the attachments, or who filed it.
"""

from collections.abc import Sequence
from datetime import datetime
from zoneinfo import ZoneInfo

from certificates import appeal_rows, pages
from certificates.appeal_states import OPEN, AppealState, AppealStep
from certificates.models import Appeal, AppealEvent, Certificate, Notice
from certificates.ways import Way


def of_certificate(certificate: Certificate, *, at: datetime) -> tuple[pages.Appeal, ...]:
    """The appeals against decisions on a certificate as they stood at `at`, newest first. Two queries."""
    zone = ZoneInfo(certificate.zone)
    rows = _with_events().filter(certificate=certificate).order_by("-pk")
    return tuple(told for row in rows if (told := _told(row, at=at, zone=zone)) is not None)


def of_notice(notice: Notice, *, at: datetime, zone: ZoneInfo) -> pages.Appeal | None:
    """The appeal against a decision, or the one whose outcome this notice is."""
    row = _with_events().filter(notice=notice).first() or _with_events().filter(events__notice=notice).first()
    return _told(row, at=at, zone=zone) if row else None


def of_appeal(appeal: Appeal, *, at: datetime, zone: ZoneInfo) -> pages.Appeal | None:
    return _told(_with_events().get(pk=appeal.pk), at=at, zone=zone)


def open_one(told: Sequence[pages.Appeal], *, against: str | None) -> str | None:
    """The number of the appeal under way: the one against the decision in force, else the latest."""
    under_way = [one for one in told if one.state in OPEN]
    first = next((one for one in under_way if one.against == against), None)
    chosen = first or (under_way[0] if under_way else None)
    return chosen.number if chosen else None


def amended(told: Sequence[pages.Appeal], *, decision: str | None) -> pages.Text | None:
    """How the statement of a decision reads since an appeal against it was upheld in part."""
    return next((one.amended for one in told if one.amended and one.against == decision), None)


def last_change(told: Sequence[pages.Appeal]) -> list[datetime]:
    moments = [(one.filed_at, one.admitted_at, one.decided_at, one.withdrawn_at) for one in told]
    return [moment for steps in moments for moment in steps if moment is not None]


def _with_events():
    return Appeal.objects.select_related("notice").prefetch_related("events__notice")


def _told(row: Appeal, *, at: datetime, zone: ZoneInfo) -> pages.Appeal | None:
    life = appeal_rows.life_of(row, until=at)
    if life is None:
        return None
    events = {event.step: event for event in row.events.all() if event.at <= at}
    admitted = events.get(AppealStep.ADMIT)
    ending = events.get(AppealStep.DECIDE) or events.get(AppealStep.DECLARE_INADMISSIBLE)
    withdrawn = life.state is AppealState.WITHDRAWN
    desisted = events.get(AppealStep.WITHDRAW)
    return pages.Appeal(
        number=row.number,
        against=row.notice.number,
        state=life.state.value,
        outcome=life.outcome.value if life.outcome else None,
        effect=life.effect.value if life.effect else None,
        inadmissible=ending.reason if ending else None,
        way=_way(events[AppealStep.FILE]),
        withdrawn_way=_way(desisted) if desisted else None,
        filed_at=life.filed_at.astimezone(zone),
        admitted_at=life.admitted_at.astimezone(zone) if life.admitted_at else None,
        decided_at=life.ended_at.astimezone(zone) if life.ended_at and not withdrawn else None,
        withdrawn_at=life.ended_at.astimezone(zone) if life.ended_at and withdrawn else None,
        grounds=pages.Text(es=admitted.summary_es, en=admitted.summary_en) if admitted else None,
        reasons=pages.Text(es=ending.reasons_es, en=ending.reasons_en) if ending else None,
        amended=pages.Text(es=ending.amended_es, en=ending.amended_en)
        if ending and ending.amended_es
        else None,
        notice=ending.notice.number if ending and ending.notice else None,
    )


def _way(event: AppealEvent) -> str:
    # What was filed before ways were written down came by the link: there was no other.
    return event.way or Way.LINK.value
