"""Ids find their places, in any order, and those that stand twice are named."""

from hypothesis import given
from hypothesis import strategies as st

from evidence.index import Index

keys = st.integers(-(2**63), 2**63 - 1).filter(bool)


@given(st.lists(keys, unique=True, max_size=60), keys)
def test_finds_what_is_there_and_nothing_else(known, other):
    index = Index()
    index.extend(known)
    assert [index.find(key) for key in known] == list(range(len(known)))
    assert index.find(other) == (known.index(other) if other in known else -1)
    assert index.repeated() == []


@given(st.lists(st.integers(1, 9), max_size=40))
def test_names_every_place_that_repeats_an_earlier_one(known):
    index = Index()
    index.extend(known)
    assert index.repeated() == [place for place, key in enumerate(known) if key in known[:place]]
    assert all(index.find(key) == known.index(key) for key in known)


def test_grows_while_it_is_asked():
    index = Index()
    for key in range(1, 5000):
        # Low bits that are all the same, as an unlucky table would see them.
        assert index.add(key << 20) == key - 1
    assert index.add(7 << 20) == -1 - 6


def test_a_lost_place_leads_nowhere():
    index = Index()
    index.extend([5, 0, 0, 7])
    assert index.repeated() == []
    assert (index.find(7), index.find(0)) == (3, -1)
