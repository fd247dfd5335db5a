"""Numbers, dates and terms as readers of each language write them."""

from datetime import UTC, date, datetime, timedelta
from fractions import Fraction
from zoneinfo import ZoneInfo

import pytest
from django.template import engines
from django.template.library import import_library
from hypothesis import given
from hypothesis import strategies as st

from registry_site import language_names, wording

CHILE = ZoneInfo("America/Santiago")
fractions = st.fractions(min_value=0, max_value=1, max_denominator=10**7)


@pytest.mark.parametrize(
    ("value", "es", "en"),
    [
        ("0.101351", "10,1\u00a0%", "10.1%"),
        ("0", "0,0\u00a0%", "0.0%"),
        ("1", "100,0\u00a0%", "100.0%"),
        ("0.0004", "<0,1\u00a0%", "<0.1%"),
        ("0.99996", ">99,9\u00a0%", ">99.9%"),
        ("0.0005", "<0,1\u00a0%", "<0.1%"),  # half even: 0.05 rounds to 0.0
        (Fraction(1, 3), "33,3\u00a0%", "33.3%"),
    ],
)
def test_percentages(value, es, en):
    assert (wording.percentage(value, "es"), wording.percentage(value, "en")) == (es, en)


@given(fractions)
def test_only_nought_is_written_as_nought_and_only_all_as_all(value):
    told = wording.share(value, "en")

    assert (told == "0.0") == (value == 0)
    assert (told == "100.0") == (value == 1)


@given(fractions)
def test_a_bound_is_never_promised_tighter_than_it_is(value):
    assert Fraction(wording.upper_bound(value, "en")) >= value * 100 - Fraction(1, 10**20)
    assert Fraction(wording.lower_bound(value, "en")) <= value * 100 + Fraction(1, 10**20)


def test_thousands_stand_apart_without_a_point():
    assert wording.whole(1173, "es") == "1\u202f173"
    assert wording.whole(1173, "en") == "1,173"
    assert wording.size(41434112, "es") == "41\u202f434\u202f112\u00a0bytes"
    assert wording.short_size(41_434_112, "es") == "41,4\u00a0MB"
    assert wording.short_size(999_999_999, "en") == "1.0\u00a0GB"


def test_intervals_and_ratios_are_not_parted():
    assert wording.interval("0.0615", "0.16", "es") == "[6,2\u00a0–\u00a016,0]"
    assert wording.ratio(15, 1480, "es") == "15\u00a0de\u00a01\u202f480"
    assert wording.ratio(15, 148, "en") == "15\u00a0of\u00a0148"


def test_a_probability_is_never_nought():
    assert wording.p_value("0.4068", "es") == "0,407"
    assert wording.p_value(3e-9, "es") == "<0,001"


def test_dates_in_words():
    assert wording.day(date(2026, 11, 30), "es") == "30\u00a0de\u00a0noviembre de\u00a02026"
    assert wording.day(date(2026, 11, 30), "en") == "30\u00a0November 2026"
    assert wording.short_day(date(2026, 11, 3), "es") == "3\u00a0nov\u00a02026"


def test_an_instant_tells_its_zone():
    summer = datetime(2026, 11, 30, 14, 5, tzinfo=CHILE)

    assert (
        wording.moment(summer, "es").replace("\u00a0", " ")
        == "30 de noviembre de 2026, 14:05 (hora de Chile, UTC−3)"
    )
    assert (
        wording.moment(summer, "en").replace("\u00a0", " ") == "30 November 2026, 14:05 (Chile time, UTC−3)"
    )
    assert wording.zone(datetime(2026, 7, 1, tzinfo=CHILE), "es") == "hora de Chile, UTC−4"
    assert wording.zone(datetime(2026, 7, 1, tzinfo=UTC), "es") == "UTC"
    assert wording.zone(datetime(2026, 7, 1, tzinfo=ZoneInfo("Asia/Kathmandu")), "en") == "UTC+5:45"
    with pytest.raises(ValueError, match="without a zone"):
        wording.zone(datetime(2026, 7, 1), "es")  # noqa: DTZ001 - the fault is meant


def test_a_term_ends_at_the_end_of_its_last_day():
    end = datetime(2026, 12, 31, tzinfo=CHILE)

    assert wording.last_day(end) == date(2026, 12, 30)
    assert (
        wording.deadline(end, "es").replace("\u00a0", " ")
        == "30 de diciembre de 2026, 24:00 (hora de Chile, UTC−3)"
    )
    assert (
        wording.deadline(end - timedelta(hours=1), "en").replace("\u00a0", " ")
        == "30 December 2026, 23:00 (Chile time, UTC−3)"
    )


def test_machines_read_utc():
    assert wording.machine(datetime(2026, 11, 30, 14, 5, tzinfo=CHILE)) == "2026-11-30T17:05:00Z"
    assert wording.machine(date(2026, 11, 30)) == "2026-11-30"


@given(st.text(alphabet="0123456789abcdef", min_size=64, max_size=64))
def test_a_digest_in_groups_loses_nothing(digest):
    assert "".join(wording.hash_groups(digest)) == digest
    assert len(wording.hash_groups(digest)) == 8


def test_lists_in_words():
    assert wording.listing(["español"], "es") == "español"
    assert wording.listing(["español", "portugués", "inglés"], "es") == "español, portugués e inglés"
    assert wording.listing(["agua", "hielo"], "es") == "agua y hielo"
    assert wording.listing(["Spanish", "Portuguese", "English"], "en") == "Spanish, Portuguese and English"
    assert wording.listing([], "es") == ""


def test_languages_have_names_and_the_unknown_keep_their_key():
    assert [language_names.language_name(key, "es") for key in ("es", "arn", "und", "rest", "zh-Hant", "xyz")] == [
        "español", "mapudungun", "sin idioma declarado", "resto", "chino (tradicional)", "xyz",
    ]  # fmt: skip
    assert language_names.language_name("arn", "en") == "Mapudungun"


def test_no_filter_of_ours_has_a_name_that_a_library_of_django_takes_over():
    """A template that loads i18n would get Django's `language_name`, which knows no «arn» and fails."""
    engine = engines["django"].engine
    (ours,) = (one for one in engine.template_builtins if "percentage" in one.filters)
    for name in ("cache", "humanize", "i18n", "l10n", "static", "tz"):
        theirs = import_library(engine.libraries[name])
        assert not ours.filters.keys() & theirs.filters.keys(), f"rename it: {name} has a filter of that name"
        assert not ours.tags.keys() & theirs.tags.keys(), f"rename it: {name} has a tag of that name"
