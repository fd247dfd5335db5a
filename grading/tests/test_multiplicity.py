"""Several tests at once: Holm's adjustment agrees with R and statsmodels."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from grading.statistics import holm, simultaneous
from grading.tests import r_vectors

ps = st.lists(st.floats(0, 1), max_size=25)


@pytest.mark.parametrize(("given_", "expected"), r_vectors.of("p_adjust"))
def test_agrees_with_r(given_, expected):
    assert holm(given_["p"]) == r_vectors.near(expected["holm"])


def test_agrees_with_statsmodels():
    multitest = pytest.importorskip("statsmodels.stats.multitest")
    of = [0.01, 0.04, 0.03, 0.005, 0.5, 0.04]
    assert holm(of) == pytest.approx(multitest.multipletests(of, method="holm")[1], abs=1e-15)


def test_by_hand():
    # Least first: 4·0.01, 3·0.015, 2·0.02 (not below the one before), 1·0.3.
    assert holm([0.02, 0.01, 0.3, 0.015]) == pytest.approx([0.045, 0.04, 0.3, 0.045])


def test_what_was_not_tested_costs_nothing():
    assert holm([0.02, None, 0.01, None]) == [0.02, None, 0.02, None]
    assert holm([]) == []


@pytest.mark.parametrize("p", [-0.1, 1.1, float("nan")])
def test_what_is_no_p_value_is_refused(p):
    with pytest.raises(ValueError, match="no p-value"):
        holm([0.1, p])


@given(ps)
@settings(max_examples=60)
def test_never_makes_a_p_value_smaller_nor_changes_their_order(of):
    adjusted = holm(of)
    assert all(p <= a <= 1 for p, a in zip(of, adjusted, strict=True))
    by_p = [a for _, a in sorted(zip(of, adjusted, strict=True))]
    assert by_p == sorted(by_p)


@given(ps, st.randoms())
@settings(max_examples=60)
def test_the_order_given_does_not_matter(of, random):
    mixed = list(range(len(of)))
    random.shuffle(mixed)
    assert holm([of[index] for index in mixed]) == [holm(of)[index] for index in mixed]


def test_twenty_intervals_at_once_need_a_quarter_of_a_percent():
    assert simultaneous(20) == 0.9975
    assert simultaneous(1) == 0.95
    with pytest.raises(ValueError, match="number of groups"):
        simultaneous(0)
