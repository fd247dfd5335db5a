"""Terms are calendar days in the scheme's zone, from the day after publication, ending at 24:00."""

from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

from hypothesis import given
from hypothesis import strategies as st

from certificates import terms

CHILE = ZoneInfo("America/Santiago")


def test_thirty_days_to_appeal_count_from_the_day_after_publication():
    published = datetime(2026, 11, 30, 14, 5, tzinfo=UTC)
    assert terms.last_day(published, days=30, zone=CHILE) == date(2026, 12, 30)
    assert terms.end_of_term(published, days=30, zone=CHILE) == datetime(2026, 12, 31, 3, 0, tzinfo=UTC)


def test_the_day_is_the_day_of_the_zone_and_not_of_utc():
    late_evening_in_chile = datetime(2026, 12, 1, 2, 30, tzinfo=UTC)
    assert terms.last_day(late_evening_in_chile, days=1, zone=CHILE) == date(2026, 12, 1)


def test_the_offset_is_that_of_the_last_day():
    # Chile leaves summer time in April: the same midnight is 03:00 UTC before and 04:00 UTC after.
    assert terms.end_of_day(date(2027, 3, 20), zone=CHILE).hour == 3
    assert terms.end_of_day(date(2027, 5, 20), zone=CHILE).hour == 4


def test_a_midnight_that_the_clocks_jump_over_is_the_instant_of_the_jump():
    # On Sunday 5 September 2027 clocks go from 24:00 of Saturday straight to 01:00.
    assert terms.end_of_day(date(2027, 9, 4), zone=CHILE) == datetime(2027, 9, 5, 4, 0, tzinfo=UTC)


@given(
    st.integers(0, 17 * 365 * 24 * 60),
    st.integers(1, 1200),
)
def test_a_term_of_n_days_gives_at_least_n_whole_days(minutes, days):
    published = datetime(2020, 1, 1, tzinfo=UTC) + timedelta(minutes=minutes)
    end = terms.end_of_term(published, days=days, zone=CHILE)
    assert days * 24 - 1 <= (end - published).total_seconds() / 3600 <= (days + 1) * 24 + 1
    local = end.astimezone(CHILE)
    assert (local.hour, local.minute) in {(0, 0), (1, 0)}


# ── before the end ───────────────────────────────────────────────────────────

EXPIRES = terms.end_of_day(date(2027, 6, 30), zone=CHILE)
ISSUED = datetime(2026, 7, 1, 15, 0, tzinfo=UTC)


def noon(month: int, day: int, year: int = 2027) -> datetime:
    return datetime(year, month, day, 12, tzinfo=CHILE)


def notice_due(at: datetime, issued_at: datetime = ISSUED) -> int | None:
    return terms.expiry_notice_due(EXPIRES, issued_at=issued_at, at=at, zone=CHILE)


def test_days_are_left_until_the_last_day_that_the_term_includes():
    assert terms.days_left(EXPIRES, at=noon(6, 23), zone=CHILE) == 7
    assert terms.days_left(EXPIRES, at=EXPIRES - timedelta(minutes=1), zone=CHILE) == 0
    assert terms.days_left(EXPIRES, at=EXPIRES, zone=CHILE) == -1


def test_the_day_before_an_end_is_the_day_of_the_zone():
    # 23:30 of 22 June in Chile is the 23rd already in UTC.
    late = datetime(2027, 6, 22, 23, 30, tzinfo=CHILE)
    assert late.astimezone(UTC).day == 23
    assert notice_due(late) == 30
    assert notice_due(late + timedelta(hours=1)) == 7


def test_notices_are_due_sixty_thirty_and_seven_days_before_and_the_nearest_alone():
    assert notice_due(noon(4, 30)) is None
    assert notice_due(noon(5, 1)) == 60
    assert notice_due(noon(5, 30)) == 60
    assert notice_due(noon(5, 31)) == 30
    assert notice_due(noon(6, 23)) == 7
    assert notice_due(EXPIRES - timedelta(seconds=1)) == 7
    assert notice_due(EXPIRES) is None


def test_a_short_term_has_no_notice_from_before_it_began():
    assert notice_due(noon(6, 12), issued_at=noon(6, 10)) is None, "its thirtieth day was over at the issue"
    assert notice_due(noon(6, 23), issued_at=noon(6, 10)) == 7


@given(st.integers(1, 400 * 24), st.integers(0, 400 * 24))
def test_whoever_looks_every_hour_meets_each_term_in_order(term, passed):
    end = ISSUED + timedelta(hours=term)
    due = [
        terms.expiry_notice_due(end, issued_at=ISSUED, at=ISSUED + timedelta(hours=hour), zone=CHILE)
        for hour in (passed, passed + 1)
    ]
    told = [days for days in due if days is not None]
    assert told == sorted(told, reverse=True)
