"""Lists by keyset: where a page ends, what its next address says, and which keys are taken from an address."""

import pytest

from certificates.views import keyset


class Row:
    def __init__(self, pk: int):
        self.pk = pk


def test_a_page_that_is_not_full_is_the_last():
    page = keyset.page_of([Row(2), Row(1)], size=2)
    assert ([row.pk for row in page.rows], page.following) == ([2, 1], "")


def test_the_next_page_begins_before_the_last_key_and_keeps_what_was_asked():
    page = keyset.page_of([Row(9), Row(8), Row(7)], size=2, kept={"state": "a&b"})
    assert ([row.pk for row in page.rows], page.following) == ([9, 8], "state=a%26b&before=8")


@pytest.mark.parametrize("text", ["", "-1", "1.5", "٣", "²", "9" * 18, "before"])
def test_what_is_no_key_is_left_aside(text):
    assert keyset.key_in(text) is None


def test_a_key_is_a_number():
    assert keyset.key_in("42") == 42
