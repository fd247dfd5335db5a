"""One rate: intervals agree with R to 1e-9, with scipy and statsmodels, and keep the laws of a rate."""

import json
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grading import statistics
from grading.statistics import (
    ClusterSums,
    answers_needed,
    clustered,
    is_above,
    is_at_least,
    is_at_most,
    is_below,
    pass_all,
    wilson,
    zero_bound,
)

VECTORS = json.loads((Path(__file__).parent / "vectors/statistics.json").read_text())["vectors"]


def vectors(name):
    return [pytest.param(vector, id=vector["id"]) for vector in VECTORS if vector["fn"] == name]


@st.composite
def counts(draw, most=10**7):
    n = draw(st.integers(1, most))
    return draw(st.integers(0, n)), n


class TestWilson:
    @pytest.mark.parametrize("vector", vectors("wilson"))
    def test_agrees_with_r(self, vector):
        low, high = wilson(vector["input"]["k"], vector["input"]["n"], vector["input"]["conf"])
        assert abs(low - vector["expect"]["lo"]) <= 1e-9
        assert abs(high - vector["expect"]["hi"]) <= 1e-9

    def test_the_example_of_the_vocabulary(self):
        low, high = wilson(15, 148)
        assert (round(low, 3), round(high, 3)) == (0.062, 0.160)

    def test_ends_are_exact(self):
        assert wilson(0, 7)[0] == 0.0
        assert wilson(7, 7)[1] == 1.0
        assert wilson(0, 0) == (None, None)

    @pytest.mark.parametrize(("k", "n"), [(0, 35), (0, 73), (0, 189), (0, 381)])
    def test_how_many_without_a_case_it_takes(self, k, n):
        most = {35: 0.10, 73: 0.05, 189: 0.02, 381: 0.01}[n]
        assert wilson(k, n)[1] <= most < wilson(k, n - 1)[1]

    @pytest.mark.parametrize(("k", "n"), [(-1, 5), (6, 5), (0, -1), (1, 0)])
    def test_impossible_counts_are_refused(self, k, n):
        with pytest.raises(ValueError, match="not a count"):
            wilson(k, n)

    @given(counts())
    def test_stays_within_0_and_1_and_around_the_rate(self, count):
        k, n = count
        low, high = wilson(k, n)
        assert 0 <= low <= k / n <= high <= 1

    @given(counts())
    def test_is_symmetric(self, count):
        k, n = count
        low, high = wilson(k, n)
        mirrored_low, mirrored_high = wilson(n - k, n)
        assert low == pytest.approx(1 - mirrored_high, abs=1e-15)
        assert high == pytest.approx(1 - mirrored_low, abs=1e-15)

    @given(counts(most=5000))
    def test_more_cases_never_lower_a_bound(self, count):
        k, n = count
        if k < n:
            assert wilson(k, n)[0] <= wilson(k + 1, n)[0]
            assert wilson(k, n)[1] <= wilson(k + 1, n)[1]

    @given(counts(most=10**6))
    def test_agrees_with_exact_arithmetic(self, count):
        k, n = count
        z2 = Fraction(statistics.Z95) ** 2
        for bound in wilson(k, n):
            # (p − b)² = z²·b(1−b)/n at both bounds.
            b = Fraction(bound)
            gap = (Fraction(k, n) - b) ** 2 - z2 * b * (1 - b) / n
            assert abs(float(gap)) < 1e-15

    def test_agrees_with_statsmodels_and_scipy(self):
        proportion = pytest.importorskip("statsmodels.stats.proportion")
        scipy_stats = pytest.importorskip("scipy.stats")
        for k, n in [(1, 3), (0, 12), (12, 12), (148, 1173), (3, 10**6)]:
            ours = wilson(k, n)
            assert ours == pytest.approx(proportion.proportion_confint(k, n, method="wilson"), abs=1e-12)
            theirs = scipy_stats.binomtest(k, n).proportion_ci(method="wilson")
            assert ours == pytest.approx((theirs.low, theirs.high), abs=1e-12)

    def test_without_answers_libraries_fail_and_we_say_nothing(self):
        scipy_stats = pytest.importorskip("scipy.stats")
        with pytest.raises(ValueError):
            scipy_stats.binomtest(0, 0)
        assert wilson(0, 0) == (None, None)


class TestZeroBound:
    @pytest.mark.parametrize("vector", vectors("zero_bound"))
    def test_agrees_with_r(self, vector):
        n = vector["input"]["n"]
        assert abs(zero_bound(n, vector["input"]["conf"]) - vector["expect"]["exact_one_sided"]) <= 1e-9
        assert abs(wilson(0, n)[1] - vector["expect"]["wilson_upper"]) <= 1e-9

    def test_nothing_measured_bounds_nothing(self):
        assert zero_bound(0) is None

    def test_impossible_counts_are_refused(self):
        with pytest.raises(ValueError):
            zero_bound(-1)

    @given(st.integers(30, 10**9))
    def test_is_about_three_in_n(self, n):
        assert zero_bound(n) <= 3 / n
        assert zero_bound(n) == pytest.approx(3 / n, rel=0.06)


thresholds = st.fractions(0, 1, max_denominator=1000)


class TestThresholds:
    """A threshold is held against the bounds without drawing a root."""

    @given(counts(most=2000), thresholds)
    def test_say_what_the_interval_says(self, count, threshold):
        low, high = wilson(*count)
        if abs(high - threshold) > 1e-12:
            assert is_at_most(*count, threshold) == (high <= threshold)
            assert is_below(*count, threshold) == (high < threshold)
        if abs(low - threshold) > 1e-12:
            assert is_at_least(*count, threshold) == (low >= threshold)
            assert is_above(*count, threshold) == (low > threshold)

    @given(counts(most=500), thresholds)
    def test_mirror_each_other_and_exclude_each_other(self, count, threshold):
        k, n = count
        assert is_at_least(k, n, threshold) == is_at_most(n - k, n, 1 - threshold)
        assert is_below(k, n, threshold) == is_above(n - k, n, 1 - threshold)
        assert not (is_at_most(k, n, threshold) and is_above(k, n, threshold))

    @pytest.mark.parametrize(("percent", "n"), [(10, 35), (5, 73), (2, 189), (1, 381)])
    def test_how_many_without_a_case_it_takes(self, percent, n):
        threshold = Fraction(percent, 100)
        assert is_at_most(0, n, threshold)
        assert not is_at_most(0, n - 1, threshold)
        assert answers_needed(0, 5, threshold) == n

    def test_no_number_of_answers_shows_that_there_is_none(self):
        assert not is_at_most(0, 10**9, Fraction(0))
        assert not is_at_least(10**9, 10**9, Fraction(1))
        assert answers_needed(0, 10**9, Fraction(0)) is None

    def test_a_rate_cannot_leave_its_range(self):
        assert is_at_most(7, 7, Fraction(1))
        assert is_at_least(0, 7, Fraction(0))
        assert not is_below(7, 7, Fraction(1))
        assert not is_above(0, 7, Fraction(0))

    def test_nothing_measured_decides_nothing(self):
        for decide in (is_at_most, is_at_least, is_above, is_below):
            assert not decide(0, 0, Fraction(1, 2))
        assert answers_needed(0, 0, Fraction(1, 2)) is None

    def test_how_many_answers_at_this_rate_would_do(self):
        # 4 of 50 against 10 %: z²·0.1·0.9/0.02² = 864.3.
        assert answers_needed(4, 50, Fraction(1, 10)) == 865
        assert is_at_most(Fraction(8, 100) * 865, 865, Fraction(1, 10))
        assert not is_at_most(Fraction(8, 100) * 864, 864, Fraction(1, 10))
        assert answers_needed(5, 50, Fraction(1, 10)) is None

    @pytest.mark.parametrize("decide", [is_at_most, is_at_least, is_above, is_below, answers_needed])
    def test_impossible_counts_are_refused(self, decide):
        with pytest.raises(ValueError, match="not a count"):
            decide(6, 5, Fraction(1, 2))


class TestPassAll:
    def test_by_hand(self):
        # Of four runs one point is met by all, one by two, one by none: (4 + 2 + 0)/(3·4), (6 + 1)/(3·6), 4/(3·4), 1/3.
        assert pass_all([4, 2, 0], 4) == (Fraction(1, 2), Fraction(7, 18), Fraction(1, 3), Fraction(1, 3))

    @pytest.mark.parametrize(("met", "runs"), [([], 3), ([0], 0)])
    def test_without_points_or_runs_there_is_none(self, met, runs):
        assert pass_all(met, runs) is None

    @pytest.mark.parametrize("met", [[-1], [4]])
    def test_impossible_counts_are_refused(self, met):
        with pytest.raises(ValueError, match="not a count"):
            pass_all(met, 3)

    @given(
        st.integers(1, 8).flatmap(lambda m: st.tuples(st.lists(st.integers(0, m), min_size=1), st.just(m)))
    )
    def test_more_runs_never_all_meet_it_more_often(self, of):
        met, runs = of
        shares = pass_all(met, runs)
        assert shares[0] == Fraction(sum(met), len(met) * runs)
        assert list(shares) == sorted(shares, reverse=True)
        assert all(0 <= share <= 1 for share in shares)


class TestClustered:
    @pytest.mark.parametrize("vector", vectors("clustered_se"))
    def test_agrees_with_r(self, vector):
        found = clustered(vector["input"]["y"], vector["input"]["cluster"])
        assert abs(found.mean - vector["expect"]["mean"]) <= 1e-9
        assert abs(found.standard_error - vector["expect"]["se_clustered_g"]) <= 1e-9
        assert found.clusters == vector["expect"]["clusters"]

    def test_by_hand(self):
        # Two clusters of two: (1, 1) and (0, 0). p = 1/2, V_cluster = (1² + 1²)/4² · 2/1 = 1/4, V_iid = 1/16.
        found = clustered([1, 1, 0, 0], ["a", "a", "b", "b"])
        assert (found.mean, found.standard_error, found.design_effect, found.n_eff) == (0.5, 0.5, 4.0, 1.0)

    def test_answers_that_all_agree_count_once_a_cluster(self):
        assert clustered([0] * 6, [1, 1, 2, 2, 3, 3]).n_eff == 3

    def test_one_cluster_is_one_answer(self):
        assert clustered([1, 0, 1], ["a", "a", "a"]).n_eff == 1

    def test_nothing_has_no_mean(self):
        assert clustered([], []).mean is None

    def test_one_answer_a_cluster_is_wilson_but_for_the_small_sample_factor(self):
        found = clustered([1, 0, 0, 1, 0], range(5))
        assert found.design_effect == pytest.approx(5 / 4)

    def test_other_values_than_0_and_1(self):
        found = clustered([0.5, 0.25, 1.0, 0.0], ["a", "a", "b", "c"])
        assert found.mean == 0.4375
        assert found.low is None

    @given(st.lists(st.tuples(st.integers(0, 1), st.integers(0, 5)), min_size=1, max_size=40))
    def test_is_never_more_certain_than_independent_answers(self, answers):
        values, clusters = zip(*answers, strict=True)
        found = clustered(values, clusters)
        assert 0 < found.n_eff <= len(values)
        assert 0 <= found.low <= found.mean <= found.high <= 1

    @given(st.lists(st.tuples(st.integers(0, 1), st.integers(0, 5)), min_size=2, max_size=30), st.randoms())
    def test_order_does_not_matter(self, answers, random):
        mixed = list(answers)
        random.shuffle(mixed)
        one, other = (clustered(*zip(*some, strict=True)) for some in (answers, mixed))
        assert one == other

    def test_the_sums_say_the_same_as_the_values(self):
        sums = ClusterSums(k=2, n=4, clusters=2, kk=4, kn=4, nn=8)
        assert sums.n_eff == 1
        assert sums.variance == Fraction(1, 4)
