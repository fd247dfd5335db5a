"""PURE. How long things last: calendar days in a scheme's zone, from the day after publication to 24:00."""

from datetime import UTC, date, datetime, time, timedelta, tzinfo


def last_day(published: datetime, *, days: int, zone: tzinfo) -> date:
    """The last calendar day of a term of `days` days: the day of publication itself does not count."""
    return published.astimezone(zone).date() + timedelta(days=days)


def end_of_day(day: date, *, zone: tzinfo) -> datetime:
    """24:00 of `day` in `zone`, in UTC: the first instant that no longer belongs to it.

    Where clocks jump over midnight (America/Santiago, in September) that is the instant of the jump.
    """
    return datetime.combine(day + timedelta(days=1), time(0), tzinfo=zone).astimezone(UTC)


def end_of_term(published: datetime, *, days: int, zone: tzinfo) -> datetime:
    return end_of_day(last_day(published, days=days, zone=zone), zone=zone)


# ── before the end ───────────────────────────────────────────────────────────

# So many days before a certificate expires its holder is told.
EXPIRY_TOLD_BEFORE = (60, 30, 7)


def days_left(until: datetime, *, at: datetime, zone: tzinfo) -> int:
    """Calendar days from today to the last day of a term: 0 on that day itself, negative after it."""
    return (_last_day_of(until, zone) - at.astimezone(zone).date()).days


def expiry_notice_due(
    valid_until: datetime, *, issued_at: datetime, at: datetime, zone: tzinfo
) -> int | None:
    """Which notice of the coming end is due now: 60, 30, 7 or None.

    The nearest alone, so that whoever was not told in time is told once and not three times; never one whose
    day was over when the certificate was issued.
    """
    last, today = _last_day_of(valid_until, zone), at.astimezone(zone).date()
    issued = issued_at.astimezone(zone).date()
    due = [days for days in EXPIRY_TOLD_BEFORE if issued < last - timedelta(days=days) <= today]
    return min(due) if due and at < valid_until else None


def _last_day_of(until: datetime, zone: tzinfo) -> date:
    # An instant at 24:00 is the first that no longer belongs to the term.
    return (until - timedelta(microseconds=1)).astimezone(zone).date()
