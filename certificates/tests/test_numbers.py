"""A number is read however people write it, and a typing error is told apart from an unknown number."""

import contextlib
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from stdnum.iso7064 import mod_97_10

from certificates import numbers

parts = st.tuples(
    st.text("ABCDEFGHIJKLMNOPQRSTUVWXYZ", min_size=2, max_size=8),
    st.integers(2000, 2199),
    st.integers(1, 9_999_999),
)


def read(text: str) -> str:
    return numbers.parse(text)


def test_the_number_of_the_design_has_the_check_digits_of_the_design():
    assert numbers.certificate_number(prefix="FEH", year=2026, serial=42) == "FEH-2026-000042-87"


@given(parts)
def test_check_digits_agree_with_an_implementation_no_one_here_wrote(these):
    prefix, year, serial = these
    number = numbers.certificate_number(prefix=prefix, year=year, serial=serial)
    assert mod_97_10.is_valid(number.replace("-", ""))
    assert re.fullmatch(numbers.CERTIFICATE_PATTERN, number)


@given(parts)
def test_what_is_written_is_read_back(these):
    prefix, year, serial = these
    number = numbers.certificate_number(prefix=prefix, year=year, serial=serial)
    assert numbers.parse(number, prefix="XX") == number
    assert numbers.parse(number.removeprefix(prefix), prefix=prefix) == number


@pytest.mark.parametrize(
    "typed",
    [
        "FEH-2026-000042-87",
        "feh-2026-000042-87",
        "  FEH 2026 000042 87 ",
        "feh202600004287",
        "2026-000042-87",
        "202600004287",
        "FEH–2026–000042–87",  # en dashes, as a word processor makes them
        "FEH‑2026‑000042‑87",  # non-breaking hyphens
        "FEH\u00a02026\u00a0000042\u00a087",
        "FEH-2026-000042-87\u200b\n",
        "N.º\u00a0FEH-2026-000042-87",  # as a sentence of ours has it
        "Nº 2026-000042-87",
        "No. FEH-2026-000042-87",
        "# feh 2026 000042 87",
        "ＦＥＨ-２０２６-０００042-87",  # full-width characters of an input method
    ],
)
def test_case_spaces_and_dashes_do_not_count_and_the_prefix_may_be_left_out(typed):
    assert read(typed) == "FEH-2026-000042-87"


@given(parts, st.data())
def test_one_wrong_digit_is_always_noticed(these, data):
    number = numbers.certificate_number(prefix="FEH", year=these[1], serial=these[2])
    place = data.draw(st.sampled_from([i for i, c in enumerate(number) if c.isdigit() and i > 7]))
    other = data.draw(st.sampled_from([d for d in "0123456789" if d != number[place]]))
    with pytest.raises(numbers.NumberError):
        read(number[:place] + other + number[place + 1 :])


@given(parts, st.data())
def test_two_neighbours_swapped_are_always_noticed(these, data):
    number = numbers.certificate_number(prefix="FEH", year=these[1], serial=these[2]).replace("-", "")
    places = [i for i in range(7, len(number) - 1) if number[i] != number[i + 1]]
    if not places:
        return
    i = data.draw(st.sampled_from(places))
    with pytest.raises(numbers.NumberError):
        read(number[:i] + number[i + 1] + number[i] + number[i + 2 :])


def test_a_typing_error_is_not_an_unknown_number():
    with pytest.raises(numbers.WrongCheckDigit):
        read("FEH-2026-000042-78")
    with pytest.raises(numbers.WrongCheckDigit):
        read("FEH-2026-000043-87")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Norma y Asociados",
        "FEH-2026",
        "FEH-2026-42-87",
        "FEH-2026-0000042-87",  # seven digits are written only from 1,000,000 on
        "e3b0c44298fc1c149afbf4c8996fb924",
        "FEH-2026-000042-87 y algo",
        "FEH-2026-٠٠٠٠42-87",  # Arabic digits: NFKC leaves them, no number is made of them
        "9" * 5000,
        "FEH-2026-000042-87\x00",
    ],
)
def test_other_texts_are_not_numbers(text):
    with pytest.raises(numbers.NotANumber):
        read(text)


@given(st.text(max_size=40))
def test_any_text_is_a_number_or_is_refused_by_name(text):
    with contextlib.suppress(numbers.NumberError):
        assert re.fullmatch(numbers.CERTIFICATE_PATTERN, read(text))


def test_serial_zero_is_no_number_even_with_fitting_digits():
    digits = mod_97_10.calc_check_digits("FEH2026000000")
    with pytest.raises(numbers.NotANumber):
        read(f"FEH-2026-000000-{digits}")


def test_notices_and_applications_have_their_own_series():
    assert numbers.notice_number(year=2026, serial=123) == "AV-2026-000123"
    assert numbers.application_number(year=2026, serial=7) == "SOL-2026-000007"
    assert numbers.parse_notice_number(" av 2026 000123") == "AV-2026-000123"
    assert numbers.parse_application_number("sol-2026-000007") == "SOL-2026-000007"
    assert re.fullmatch(numbers.NOTICE_PATTERN, "AV-2026-000123")
    for text in ("SOL-2026-000007", "AV-2026-7", "AV-2026-000000", "2026-000123"):
        with pytest.raises(numbers.NotANumber):
            numbers.parse_notice_number(text)


@pytest.mark.parametrize("broken", [("F", 2026, 1), ("feh", 2026, 1), ("FEH", 26, 1), ("FEH", 2026, 0)])
def test_a_number_is_never_made_of_parts_out_of_range(broken):
    with pytest.raises(ValueError, match=r"prefix|year|serial"):
        numbers.certificate_number(prefix=broken[0], year=broken[1], serial=broken[2])
