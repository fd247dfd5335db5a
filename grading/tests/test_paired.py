"""Two systems on the same questions: the exact test, its mid-p, the interval, and what would have been missed."""

import math
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from grading import paired
from grading.statistics import (
    detectable_paired,
    fewest_discordant,
    mcnemar_exact,
    mcnemar_mid_p,
    newcombe_independent,
    newcombe_paired,
)
from grading.tests import r_vectors

few = st.integers(0, 400)
pairs = st.tuples(*[st.integers(0, 300)] * 4).filter(any)


def exactly(b, c):
    """The p-value by its definition, in Fractions."""
    n = b + c
    return min(Fraction(1), Fraction(2 * sum(math.comb(n, i) for i in range(min(b, c) + 1)), 2**n))


class TestMcNemar:
    @pytest.mark.parametrize(("given_", "expected"), r_vectors.of("mcnemar"))
    def test_agrees_with_r(self, given_, expected):
        assert mcnemar_exact(given_["b"], given_["c"]) == r_vectors.near(expected["p_exact"])
        assert mcnemar_mid_p(given_["b"], given_["c"]) == r_vectors.near(expected["p_mid"])

    def test_by_hand(self):
        # 1 of 8: 2·(1 + 8)/2^8 = 18/256; the mid-p leaves half of the 8 out on each side: 10/256.
        assert mcnemar_exact(1, 7) == 18 / 256
        assert mcnemar_mid_p(1, 7) == 10 / 256

    @pytest.mark.parametrize(
        ("b", "c", "shown"),
        [(64, 8, "5.8e-12"), (45, 39, "0.59"), (393, 353, "0.15"), (6, 37, "1.6e-06"), (16, 7, "0.093")],
    )
    def test_published_comparisons(self, b, c, shown):
        assert f"{mcnemar_exact(b, c):.2g}" == shown

    def test_two_identical_runs_show_nothing(self):
        assert mcnemar_exact(0, 0) == mcnemar_mid_p(0, 0) == 1.0

    @given(few, few)
    def test_is_the_definition_rounded_once(self, b, c):
        assert mcnemar_exact(b, c) == float(exactly(b, c))

    @pytest.mark.parametrize(("b", "c"), [(10_000, 9_999), (9_700, 10_300), (9_800, 10_200), (5_001, 5_003)])
    def test_is_exact_up_to_twenty_thousand_pairs(self, b, c):
        tail = term = 1
        for i in range(min(b, c)):
            term = term * (b + c - i) // (i + 1)
            tail += term
        assert mcnemar_exact(b, c) == min(1.0, 2 * tail / 2 ** (b + c))

    @pytest.mark.parametrize("apart", [0, 1, 2, 100, 300, 700, 2000])
    def test_beyond_it_goes_on_without_a_step(self, apart, monkeypatch):
        # The same counts on both ways, either side of the limit.
        for n in (19_998 + apart % 2, 20_000 - apart % 2):
            b, c = (n - apart) // 2, (n + apart) // 2
            exact, mid = mcnemar_exact(b, c), mcnemar_mid_p(b, c)
            with monkeypatch.context() as patched:
                patched.setattr(paired, "EXACT_UP_TO", 0)
                assert mcnemar_exact(b, c) == pytest.approx(exact, rel=1e-11)
                assert mcnemar_mid_p(b, c) == pytest.approx(mid, rel=1e-11)

    @pytest.mark.parametrize(("b", "c"), [(0, 20_000), (0, 10**6), (3, 5 * 10**6), (1, 3000)])
    def test_is_never_nothing(self, b, c):
        assert 0 < mcnemar_mid_p(b, c) <= mcnemar_exact(b, c) < 1e-300

    @given(st.integers(0, 10**5), st.integers(0, 10**5))
    @settings(max_examples=60)
    def test_is_a_probability_whichever_comes_first(self, b, c):
        p, mid = mcnemar_exact(b, c), mcnemar_mid_p(b, c)
        assert 0 < mid <= p <= 1
        assert (p, mid) == (mcnemar_exact(c, b), mcnemar_mid_p(c, b))

    @given(st.integers(1, 500), st.integers(0, 499))
    @settings(max_examples=60)
    def test_the_more_one_sided_the_smaller(self, n, b):
        b %= n
        if 2 * (b + 1) <= n:
            assert mcnemar_exact(b, n - b) <= mcnemar_exact(b + 1, n - b - 1)

    @pytest.mark.parametrize("test", [mcnemar_exact, mcnemar_mid_p])
    @pytest.mark.parametrize(("b", "c"), [(-1, 3), (3, -1)])
    def test_impossible_counts_are_refused(self, test, b, c):
        with pytest.raises(ValueError, match="not counts"):
            test(b, c)

    def test_agrees_with_scipy_and_statsmodels(self):
        scipy_stats = pytest.importorskip("scipy.stats")
        contingency = pytest.importorskip("statsmodels.stats.contingency_tables")
        for b, c in [(1, 7), (12, 30), (700, 900), (50_000, 50_500), (400_000, 401_500)]:
            assert mcnemar_exact(b, c) == pytest.approx(scipy_stats.binomtest(b, b + c).pvalue, rel=1e-9)
            if b + c < 10_000:
                theirs = contingency.mcnemar([[5, b], [c, 5]], exact=True).pvalue
                assert mcnemar_exact(b, c) == pytest.approx(theirs, rel=1e-9)

    def test_without_discordant_pairs_a_library_finds_infinite_significance(self):
        contingency = pytest.importorskip("statsmodels.stats.contingency_tables")
        with pytest.warns(RuntimeWarning):
            theirs = contingency.mcnemar([[5, 0], [0, 5]], exact=False, correction=True).pvalue
        assert theirs == 0.0
        assert mcnemar_exact(0, 0) == 1.0

    def test_with_as_many_on_both_sides_a_library_finds_something(self):
        contingency = pytest.importorskip("statsmodels.stats.contingency_tables")
        assert contingency.mcnemar([[5, 1], [1, 5]], exact=False, correction=True).statistic == 0.5
        assert mcnemar_exact(1, 1) == mcnemar_mid_p(1, 1) == 1.0


class TestFewestDiscordant:
    @pytest.mark.parametrize(("tests", "pairs"), [(1, 6), (2, 7), (5, 8), (20, 10)])
    def test_how_many_pairs_it_takes(self, tests, pairs):
        assert fewest_discordant(tests) == pairs
        assert mcnemar_exact(0, pairs) * tests < 0.05 <= mcnemar_exact(0, pairs - 1) * tests

    def test_no_test_is_no_family(self):
        with pytest.raises(ValueError, match="number of tests"):
            fewest_discordant(0)


class TestNewcombe:
    @pytest.mark.parametrize(("given_", "expected"), r_vectors.of("newcombe_paired"))
    def test_agrees_with_r(self, given_, expected):
        found = newcombe_paired(*(given_[cell] for cell in "abcd"), given_["conf"])
        assert found == r_vectors.near((expected["diff"], expected["lo"], expected["hi"]))

    def test_published_rows(self):
        assert [round(of, 4) for of in newcombe_paired(36, 12, 2, 0)] == [0.2, 0.0569, 0.3404]
        assert [round(of, 4) for of in newcombe_paired(54, 0, 0, 0)] == [0, -0.0664, 0.0664]

    def test_correlation_between_nothing_and_half_the_pairs_counts_as_none(self):
        # ad − bc = 4·4 − 3·4 = 4, below n/2 = 7.5: the interval of two rates that know nothing of each other.
        assert newcombe_paired(4, 3, 4, 4) == pytest.approx(newcombe_independent(7, 15, 8, 15), abs=1e-12)

    def test_without_pairs_there_is_no_difference(self):
        assert newcombe_paired(0, 0, 0, 0) == (None, None, None)

    def test_impossible_counts_are_refused(self):
        with pytest.raises(ValueError, match="not counts"):
            newcombe_paired(1, -1, 2, 3)

    @given(pairs)
    def test_lies_around_the_difference_and_within_its_limits(self, cells):
        difference, low, high = newcombe_paired(*cells)
        assert -1 <= low <= difference <= high <= 1

    @given(pairs)
    def test_the_other_way_round_it_is_mirrored(self, cells):
        a, b, c, d = cells
        difference, low, high = newcombe_paired(a, b, c, d)
        assert newcombe_paired(a, c, b, d) == pytest.approx((-difference, -high, -low), abs=1e-12)

    @given(pairs)
    def test_failures_instead_of_successes_mirror_it_too(self, cells):
        a, b, c, d = cells
        difference, low, high = newcombe_paired(a, b, c, d)
        assert newcombe_paired(d, b, c, a) == pytest.approx((difference, low, high), abs=1e-12)
        assert newcombe_paired(d, c, b, a) == pytest.approx((-difference, -high, -low), abs=1e-12)


class TestDetectable:
    def test_by_hand(self):
        # ψ = 20/500: 2.801585·√(0.04/500).
        assert detectable_paired(12, 8, 500) == pytest.approx(2.801585 * math.sqrt(0.04 / 500), rel=1e-6)

    def test_no_discordant_pair_does_not_mean_that_nothing_can_be_missed(self):
        # ψ is not 0 but up to 2.47 %, the zero rule of 120 pairs.
        assert detectable_paired(0, 0, 120) == pytest.approx(2.801585 * math.sqrt(0.0246563 / 120), rel=1e-4)

    def test_without_pairs_nothing_is_said(self):
        assert detectable_paired(0, 0, 0) is None

    def test_impossible_counts_are_refused(self):
        with pytest.raises(ValueError, match="not counts"):
            detectable_paired(3, 3, 5)

    @given(st.integers(0, 50), st.integers(0, 50), st.integers(0, 1000))
    @settings(max_examples=50)
    def test_is_a_difference_of_rates(self, b, c, concordant):
        n = b + c + concordant
        if n:
            assert 0 < detectable_paired(b, c, n) <= 1
