"""JSON as the registry takes it: one meaning or none."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from registry_site import strict_json


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (b'{"reason": "other", "reason": "figure_error"}', "duplicate_key"),
        (b'{"a": {"b": 1, "b": 2}}', "duplicate_key"),
        (b'{"if_sequence": NaN}', "not_a_number"),
        (b'{"if_sequence": -Infinity}', "not_a_number"),
        (b'{"if_sequence": 1e999}', "not_a_number"),
        (b'{"statement": "a\\u0000b"}', "null_character"),
        (b'{"a\\u0000": 1}', "null_character"),
        (b'["\\ud800"]', "unpaired_surrogate"),
        (b'{"a": "\xff"}', "not_utf8"),
        (b'{"a": 1} {"a": 2}', "not_json"),
        (b'{"a": 1,}', "not_json"),
        (b'{"a": "x\x00y"}', "not_json"),
        (b"", "not_json"),
        (b"\xef\xbb\xbf{}", "not_json"),
        (b"[" * 33 + b"]" * 33, "too_deep"),
        (b"[" * 1_000_000, "too_deep"),
        (b"9" * 5000, "number_too_long"),
    ],
)
def test_what_two_readers_would_read_differently_is_refused(data, code):
    with pytest.raises(strict_json.Malformed) as refusal:
        strict_json.loads(data)
    assert refusal.value.code == code


def test_the_place_of_a_fault_is_told():
    with pytest.raises(strict_json.Malformed) as refusal:
        strict_json.loads(b'{\n  "reason": other\n}')
    assert (refusal.value.line, refusal.value.column) == (2, 13)


def test_brackets_inside_strings_are_no_nesting():
    text = '["' + "[" * 100 + '\\"{"]'
    assert strict_json.loads(text.encode()) == [("[" * 100) + '"{']


def test_thirty_two_levels_are_taken():
    assert strict_json.loads(b"[" * 32 + b"]" * 32)


@given(
    st.recursive(
        st.none()
        | st.booleans()
        | st.integers(-(2**53), 2**53)
        | st.floats(allow_nan=False, allow_infinity=False)
        | st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"])),
        lambda inner: (
            st.lists(inner, max_size=4) | st.dictionaries(st.text('ab\\"[{é', max_size=4), inner, max_size=4)
        ),
        max_leaves=12,
    )
)
def test_every_plain_value_is_read_as_any_reader_would(value):
    assert strict_json.loads(json.dumps(value).encode()) == value


@given(st.binary(max_size=60))
def test_whatever_comes_is_read_as_any_reader_would_or_refused(data):
    try:
        value = strict_json.loads(data)
    except strict_json.Malformed:
        return
    assert value == json.loads(data)
