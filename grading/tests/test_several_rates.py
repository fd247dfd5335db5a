"""The mean of groups with equal weights, and the lowest-performing group with all that may be it."""

import random
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from grading.statistics import (
    clustered,
    lowest_performing,
    macro_mover,
    macro_of_blocks,
    macro_of_shared,
    wilson,
)
from grading.tests import r_vectors

groups = st.lists(
    st.integers(1, 400).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))), min_size=2, max_size=20
)


class TestMacro:
    @pytest.mark.parametrize(("given_", "expected"), r_vectors.of("macro_mover"))
    def test_agrees_with_r(self, given_, expected):
        found = macro_mover(given_["k"], given_["n"], given_["conf"])
        assert found == r_vectors.near((expected["macro"], expected["lo"], expected["hi"]))

    def test_the_mean_is_rounded_once(self):
        # (0.1 + 0.2)/2 in floats is 0.15000000000000002.
        assert macro_mover([15, 10], [150, 50])[0] == 0.15
        assert macro_mover([Fraction(15), Fraction(5, 2)], [150, Fraction(25, 2)])[0] == 0.15

    def test_one_group_is_its_own_mean(self):
        assert macro_mover([15], [148]) == pytest.approx((15 / 148, *wilson(15, 148)), abs=1e-15)

    @pytest.mark.parametrize(("ks", "ns"), [([], []), ([3, 0], [7, 0])])
    def test_without_groups_or_answers_there_is_none(self, ks, ns):
        assert macro_mover(ks, ns) == (None, None, None)

    @pytest.mark.parametrize(("ks", "ns"), [([8], [7]), ([-1], [7]), ([1, 2], [7])])
    def test_impossible_counts_are_refused(self, ks, ns):
        with pytest.raises(ValueError, match="count"):
            macro_mover(ks, ns)

    @given(groups)
    @settings(max_examples=60)
    def test_lies_around_the_mean_and_mirrors(self, of):
        ks, ns = zip(*of, strict=True)
        mean, low, high = macro_mover(ks, ns)
        assert 0 <= low <= mean <= high <= 1
        assert macro_mover([n - k for k, n in of], ns) == pytest.approx(
            (1 - mean, 1 - high, 1 - low), abs=1e-12
        )

    @given(groups, st.integers(0, 19))
    @settings(max_examples=60)
    def test_more_cases_never_lower_a_bound(self, of, index):
        ks, ns = map(list, zip(*of, strict=True))
        index %= len(ks)
        if ks[index] < ns[index]:
            before = macro_mover(ks, ns)
            ks[index] += 1
            for after, was in zip(macro_mover(ks, ns), before, strict=True):
                assert after >= was - 1e-15


class TestMacroOfBlocks:
    def test_by_hand(self):
        # Two questions in two languages: right in both, right in none. As the clusters of docs/figures.md: n_eff = 1.
        assert macro_of_blocks([2, 0], 2) == (0.5, *wilson(Fraction(1, 2), 1))

    def test_is_the_clustered_rate_of_all_answers(self):
        of = [3, 1, 0, 3, 2, 2, 3]
        values = [int(place < k) for k in of for place in range(3)]
        same = clustered(values, [question for question in range(len(of)) for _ in range(3)])
        assert macro_of_blocks(of, 3) == pytest.approx((same.mean, same.low, same.high), abs=1e-15)

    def test_without_questions_there_is_none(self):
        assert macro_of_blocks([], 3) == (None, None, None)

    @pytest.mark.parametrize(("of", "size"), [([4], 3), ([-1], 3), ([], 0)])
    def test_impossible_counts_are_refused(self, of, size):
        with pytest.raises(ValueError, match="groups"):
            macro_of_blocks(of, size)


class TestLowestPerforming:
    def test_a_group_far_off_stands_alone(self):
        found = lowest_performing([60, 5, 7], [100, 100, 100])
        assert (found.worst, found.tied) == ((0,), (0,))
        assert found.observed_range == Fraction(55, 100)
        assert found.confidence == pytest.approx(1 - 0.05 / 3)

    def test_neighbours_are_tied_with_it(self):
        found = lowest_performing([20, 18, 2], [100, 100, 100])
        assert (found.worst, found.tied) == ((0,), (0, 1))

    def test_where_more_is_better_the_least_is_the_worst(self):
        found = lowest_performing([60, 5, 7], [100, 100, 100], more_is_worse=False)
        assert (found.worst, found.tied) == ((1,), (1, 2))

    def test_equal_rates_are_the_worst_together(self):
        found = lowest_performing([10, 20, 3], [50, 100, 100])
        assert found.worst == (0, 1)

    def test_groups_without_answers_take_no_part(self):
        found = lowest_performing([10, 0, 3], [50, 0, 100])
        assert found.intervals[1] == (None, None)
        assert found.confidence == 0.975
        assert 1 not in found.tied

    @pytest.mark.parametrize(("ks", "ns"), [([], []), ([3], [7]), ([3, 0], [7, 0])])
    def test_one_group_is_not_the_lowest_of_any(self, ks, ns):
        assert lowest_performing(ks, ns) is None

    @pytest.mark.parametrize(("ks", "ns"), [([8, 1], [7, 7]), ([1], [7, 7])])
    def test_impossible_counts_are_refused(self, ks, ns):
        with pytest.raises(ValueError, match="count"):
            lowest_performing(ks, ns)

    @given(groups)
    @settings(max_examples=60)
    def test_the_worst_are_tied_and_the_other_side_mirrors(self, of):
        ks, ns = zip(*of, strict=True)
        found = lowest_performing(ks, ns)
        mirrored = lowest_performing([n - k for k, n in of], ns, more_is_worse=False)
        assert set(found.worst) <= set(found.tied)
        assert 0 <= found.observed_range <= 1
        assert mirrored.worst == found.worst

    def test_the_group_that_truly_is_the_worst_is_nearly_always_among_the_tied(self):
        draw = random.Random(5)
        rates = [0.10, 0.12, 0.12, 0.14, 0.15]
        missed = 0
        for _ in range(300):
            ks = [sum(draw.random() < rate for _ in range(80)) for rate in rates]
            missed += 4 not in lowest_performing(ks, [80] * 5).tied
        assert missed <= 15


class TestSharedQuestions:
    def test_complete_blocks_have_the_mean_of_blocks(self):
        # All groups alike in each question: the questions are the only source of chance.
        blocks = {((0, 1, 1), (1, 1, 1)): 15, ((0, 0, 1), (1, 0, 1)): 25}
        assert macro_of_shared(blocks, 2) == pytest.approx(macro_of_blocks([2] * 15 + [0] * 25, 2))

    def test_each_group_has_the_same_weight(self):
        blocks = {((0, 1, 1), (1, 0, 1)): 10, ((0, 1, 1),): 20, ((1, 1, 1),): 10}
        mean, low, high = macro_of_shared(blocks, 2)
        assert mean == 0.75
        assert low < mean < high

    @pytest.mark.parametrize("k", [0, 1])
    def test_without_variation_each_question_counts_once(self, k):
        mean, low, high = macro_of_shared({((0, k, 1), (1, k, 1)): 40}, 2)
        assert (mean, low, high) == (k, *wilson(40 * k, 40))

    def test_a_group_without_answers_has_no_mean(self):
        assert macro_of_shared({((0, 1, 1),): 3}, 2) == (None, None, None)

    def test_an_impossible_count(self):
        with pytest.raises(ValueError, match="not a count"):
            macro_of_shared({((0, 2, 1),): 3}, 1)
