"""Two systems on different questions: Fisher's test, the difference, and what would have been missed."""

import math
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from grading.statistics import (
    detectable_independent,
    fewest_a_side,
    fisher_exact,
    least_fisher_p,
    newcombe_independent,
)
from grading.tests import r_vectors


@st.composite
def two_counts(draw, most=300):
    n1, n2 = draw(st.integers(1, most)), draw(st.integers(1, most))
    return draw(st.integers(0, n1)), n1, draw(st.integers(0, n2)), n2


def by_definition(k1, n1, k2, n2):
    weights = {
        i: math.comb(n1, i) * math.comb(n2, k1 + k2 - i)
        for i in range(max(0, k1 + k2 - n2), min(n1, k1 + k2) + 1)
    }
    return Fraction(sum(w for w in weights.values() if w <= weights[k1]), sum(weights.values()))


class TestFisher:
    @pytest.mark.parametrize(("given_", "expected"), r_vectors.of("homogeneity"))
    def test_agrees_with_r_where_there_are_two_groups(self, given_, expected):
        if len(given_["k"]) == 2:
            (k1, k2), (n1, n2) = given_["k"], given_["n"]
            assert fisher_exact(k1, n1, k2, n2) == r_vectors.near(expected["p_fisher"])

    def test_by_hand(self):
        # 3 of 3 against 0 of 3: 2 of the C(6, 3) = 20 tables are as extreme.
        assert fisher_exact(3, 3, 0, 3) == 0.1
        # The lady tasting tea: 3 of 4 right, (16 + 1 + 16 + 1)/70.
        assert fisher_exact(3, 4, 1, 4) == 34 / 70

    def test_one_in_twenty_is_not_below_one_in_twenty(self):
        assert fisher_exact(1, 1, 0, 19) == 0.05
        assert not fisher_exact(1, 1, 0, 19) < 0.05

    @given(two_counts(most=50))
    def test_few_answers_are_rounded_once(self, counts):
        assert fisher_exact(*counts) == float(by_definition(*counts))

    def test_without_variation_or_answers_there_is_one_table(self):
        assert fisher_exact(0, 5, 0, 250) == fisher_exact(12, 12, 80, 80) == fisher_exact(0, 0, 3, 7) == 1.0

    @given(two_counts(most=150))
    def test_is_the_definition(self, counts):
        assert fisher_exact(*counts) == pytest.approx(float(by_definition(*counts)), rel=1e-13)

    def test_tables_that_are_exactly_as_probable_count(self):
        # 7 of 20 against 13 of 20: each table has its mirror image, whatever rounding says.
        assert fisher_exact(7, 20, 13, 20) == pytest.approx(float(by_definition(7, 20, 13, 20)), rel=1e-13)

    def test_tables_that_are_nearly_as_probable_do_not(self):
        # Every table of some margins, most of them without a twin.
        for n1, n2, k in [(23, 31, 13), (40, 41, 40), (17, 18, 17)]:
            for k1 in range(max(0, k - n2), min(k, n1) + 1):
                counts = (k1, n1, k - k1, n2)
                assert fisher_exact(*counts) == pytest.approx(float(by_definition(*counts)), rel=1e-13)

    @given(two_counts())
    @settings(max_examples=60)
    def test_does_not_depend_on_which_comes_first_or_what_counts(self, counts):
        k1, n1, k2, n2 = counts
        p = fisher_exact(k1, n1, k2, n2)
        assert 0 < p <= 1
        assert fisher_exact(k2, n2, k1, n1) == pytest.approx(p, rel=1e-12)
        assert fisher_exact(n1 - k1, n1, n2 - k2, n2) == pytest.approx(p, rel=1e-12)

    @pytest.mark.parametrize(
        "counts",
        [
            (200, 30_000, 300, 25_000),
            (50_000, 10**6, 50_900, 10**6),
            (1, 10**6, 9, 10**6),
            (15_000, 30_000, 15_001, 30_002),
        ],
    )
    def test_agrees_with_scipy_in_large_tables(self, counts):
        scipy_stats = pytest.importorskip("scipy.stats")
        k1, n1, k2, n2 = counts
        theirs = scipy_stats.fisher_exact([[k1, n1 - k1], [k2, n2 - k2]]).pvalue
        assert fisher_exact(*counts) == pytest.approx(theirs, rel=1e-9)

    def test_is_never_nothing(self):
        assert fisher_exact(5000, 5000, 0, 5000) == fisher_exact(10**5, 10**5, 0, 10**5) == math.ulp(0.0)

    @pytest.mark.parametrize("counts", [(-1, 5, 1, 5), (6, 5, 1, 5), (1, 5, 6, 5), (0, -1, 0, 5)])
    def test_impossible_counts_are_refused(self, counts):
        with pytest.raises(ValueError, match="not a count"):
            fisher_exact(*counts)

    def test_three_runs_a_side_can_show_nothing(self):
        assert fewest_a_side() == 4
        assert fewest_a_side(5) == 5
        assert least_fisher_p(3, 3) == Fraction(1, 10)

    @given(st.integers(1, 12), st.integers(1, 12))
    @settings(max_examples=40)
    def test_no_table_is_below_the_least_p(self, n1, n2):
        least = min(by_definition(k1, n1, k2, n2) for k1 in range(n1 + 1) for k2 in range(n2 + 1))
        assert least_fisher_p(n1, n2) == least

    def test_no_test_is_no_family(self):
        with pytest.raises(ValueError, match="number of tests"):
            fewest_a_side(0)


class TestNewcombe:
    @pytest.mark.parametrize(("given_", "expected"), r_vectors.of("newcombe_indep"))
    def test_agrees_with_r(self, given_, expected):
        found = newcombe_independent(*(given_[of] for of in ("x1", "n1", "x2", "n2")), given_["conf"])
        assert found == r_vectors.near((expected["diff"], expected["lo"], expected["hi"]))

    def test_published_table(self):
        assert [round(of, 4) for of in newcombe_independent(56, 70, 48, 80)] == [0.2, 0.0524, 0.3339]

    def test_without_answers_a_library_fails_and_we_say_nothing(self):
        proportion = pytest.importorskip("statsmodels.stats.proportion")
        with pytest.raises(ZeroDivisionError):
            proportion.confint_proportions_2indep(0, 0, 3, 7, method="newcomb")
        assert newcombe_independent(0, 0, 3, 7) == newcombe_independent(3, 7, 0, 0) == (None, None, None)

    def test_agrees_with_statsmodels(self):
        proportion = pytest.importorskip("statsmodels.stats.proportion")
        for counts in [(56, 70, 48, 80), (1, 9, 30, 31), (148, 1173, 90, 1002)]:
            theirs = proportion.confint_proportions_2indep(*counts, method="newcomb")
            assert newcombe_independent(*counts)[1:] == pytest.approx(theirs, abs=1e-9)

    @given(two_counts())
    def test_lies_around_the_difference_and_within_its_limits(self, counts):
        difference, low, high = newcombe_independent(*counts)
        assert -1 <= low <= difference <= high <= 1

    @given(two_counts())
    def test_the_other_way_round_it_is_mirrored(self, counts):
        k1, n1, k2, n2 = counts
        difference, low, high = newcombe_independent(k1, n1, k2, n2)
        mirrored = pytest.approx((-difference, -high, -low), abs=1e-12)
        assert newcombe_independent(k2, n2, k1, n1) == mirrored
        assert newcombe_independent(n1 - k1, n1, n2 - k2, n2) == mirrored

    @given(two_counts())
    @settings(max_examples=60)
    def test_one_more_case_never_lowers_a_bound(self, counts):
        k1, n1, k2, n2 = counts
        if k1 < n1:
            before = newcombe_independent(k1, n1, k2, n2)
            for after, was in zip(newcombe_independent(k1 + 1, n1, k2, n2), before, strict=True):
                assert after >= was - 1e-15

    @pytest.mark.parametrize("counts", [(-1, 5, 1, 5), (1, 5, 6, 5)])
    def test_impossible_counts_are_refused(self, counts):
        with pytest.raises(ValueError, match="not a count"):
            newcombe_independent(*counts)


class TestDetectable:
    def test_by_hand(self):
        # p = 50/500: 2.801585·√(2·0.1·0.9/250).
        assert detectable_independent(20, 250, 30, 250) == pytest.approx(
            2.801585 * math.sqrt(0.18 / 250), rel=1e-6
        )

    def test_no_case_does_not_mean_that_nothing_can_be_missed(self):
        assert detectable_independent(0, 120, 0, 120) == detectable_independent(120, 120, 120, 120) > 0.01

    def test_without_answers_nothing_is_said(self):
        assert detectable_independent(0, 0, 3, 5) is None

    def test_impossible_counts_are_refused(self):
        with pytest.raises(ValueError, match="not a count"):
            detectable_independent(3, 2, 1, 5)

    @given(two_counts())
    @settings(max_examples=50)
    def test_is_a_difference_of_rates(self, counts):
        assert 0 < detectable_independent(*counts) <= 1
