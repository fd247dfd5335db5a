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


def years_before(moment: datetime, years: int) -> datetime:
    """The same day and time `years` years earlier; the last day of February stands in for its 29th."""
    try:
        return moment.replace(year=moment.year - years)
    except ValueError:
        return moment.replace(year=moment.year - years, day=28)
