"""Nothing says that groups differ unless the gate opens: chi-square, Cochran's Q, and what is drawn when they fail."""

import itertools
import math
import random
from bisect import bisect_right
from collections import Counter
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from grading import statistics
from grading.homogeneity import _by_ratio, _chooser
from grading.statistics import (
    chi_square_tail,
    cochran_q,
    gate,
    homogeneity,
    monte_carlo,
    paired_gate,
    permutation_within_blocks,
)
from grading.tests import r_vectors

groups = st.lists(
    st.integers(1, 400).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))), min_size=2, max_size=20
)
blocks = st.integers(2, 5).flatmap(
    lambda size: st.lists(st.lists(st.integers(0, 1), min_size=size, max_size=size), min_size=1, max_size=30)
)


class TestChiSquareTail:
    @pytest.mark.parametrize("df", [1, 2, 3, 4, 5, 19, 20, 60, 199, 200])
    def test_agrees_with_scipy(self, df):
        scipy_stats = pytest.importorskip("scipy.stats")
        for x in (1e-12, 0.01, 0.5, 1, df / 2, df, 2 * df, 10 * df, 600, 1300):
            assert chi_square_tail(x, df) == pytest.approx(scipy_stats.chi2.sf(x, df), rel=1e-11)

    def test_by_hand(self):
        assert chi_square_tail(3.841458820694124, 1) == pytest.approx(0.05, abs=1e-15)
        assert chi_square_tail(2 * math.log(20), 2) == pytest.approx(0.05, abs=1e-15)
        assert chi_square_tail(0, 7) == chi_square_tail(math.ulp(0.0), 7) == 1.0

    @pytest.mark.parametrize("x", [5000.0, math.inf])
    def test_is_never_nothing(self, x):
        assert chi_square_tail(x, 3) == math.ulp(0.0)

    @pytest.mark.parametrize(("x", "df"), [(-1, 2), (1, 0), (math.nan, 2)])
    def test_what_has_no_distribution_is_refused(self, x, df):
        with pytest.raises(ValueError, match="no chi-square"):
            chi_square_tail(x, df)

    @given(st.floats(0, 1000), st.floats(0, 1000), st.integers(1, 50))
    @settings(max_examples=50)
    def test_falls_with_the_value_and_rises_with_the_freedom(self, one, other, df):
        low, high = sorted((one, other))
        assert chi_square_tail(high, df) <= chi_square_tail(low, df) * (1 + 1e-12)
        assert chi_square_tail(high, df) <= chi_square_tail(high, df + 1) * (1 + 1e-12)


class TestHomogeneity:
    @pytest.mark.parametrize(("given_", "expected"), r_vectors.of("homogeneity"))
    def test_agrees_with_r(self, given_, expected):
        found = homogeneity(given_["k"], given_["n"])
        if expected["chi2"] is None:
            assert found is None
            return
        assert found.df == expected["df"]
        assert found.chi2 == pytest.approx(expected["chi2"], rel=1e-12, abs=1e-9)
        assert found.p_chi2 == r_vectors.near(expected["p_chi2"])
        assert float(found.min_expected) == r_vectors.near(expected["min_expected"])

    def test_by_hand(self):
        # 4 and 8 of 12 each, P = 1/2: four times (2²/6) = 8/3; 6 expected in each cell.
        found = homogeneity([4, 8], [12, 12])
        assert found.chi2 == pytest.approx(8 / 3)
        assert (found.df, found.min_expected, found.is_trusted) == (1, 6, True)

    def test_the_limit_of_five_is_decided_exactly(self):
        assert homogeneity([5, 10], [30, 60]).min_expected == 5
        assert homogeneity([5, 10], [30, 60]).is_trusted
        assert not homogeneity([5, 10], [30, 61]).is_trusted

    @pytest.mark.parametrize(
        ("ks", "ns"), [([0, 0], [9, 7]), ([9, 7], [9, 7]), ([3], [7]), ([], []), ([0, 3], [0, 7])]
    )
    def test_without_variation_there_is_nothing_to_test(self, ks, ns):
        assert homogeneity(ks, ns) is None
        assert monte_carlo(ks, ns, seed=1) is None
        assert gate(ks, ns, seed=1) is None

    def test_without_a_case_anywhere_a_library_fails(self):
        scipy_stats = pytest.importorskip("scipy.stats")
        with pytest.raises(ValueError):
            scipy_stats.chi2_contingency([[0, 0], [9, 7]], correction=False)
        assert homogeneity([0, 0], [9, 7]) is None

    def test_groups_without_answers_take_no_part(self):
        assert homogeneity([4, 0, 8], [12, 0, 12]) == homogeneity([4, 8], [12, 12])

    @pytest.mark.parametrize(
        ("ks", "ns"), [([-1, 2], [5, 5]), ([6, 2], [5, 5]), ([1], [5, 5]), ([0, 1], [-1, 2])]
    )
    def test_impossible_counts_are_refused(self, ks, ns):
        with pytest.raises(ValueError, match="count"):
            homogeneity(ks, ns)

    @given(groups)
    @settings(max_examples=60)
    def test_is_the_definition_in_fractions(self, of):
        ks, ns = zip(*of, strict=True)
        found = homogeneity(ks, ns)
        if found is None:
            assert sum(ks) in (0, sum(ns))
            return
        p = Fraction(sum(ks), sum(ns))
        exact = sum((k - n * p) ** 2 / (n * p * (1 - p)) for k, n in of)
        assert found.chi2 == pytest.approx(float(exact), rel=1e-14)
        assert 0 < found.p_chi2 <= 1
        assert found.min_expected == min(min(n * p, n * (1 - p)) for n in ns)

    @given(groups, st.randoms())
    @settings(max_examples=40)
    def test_neither_the_order_nor_what_counts_as_a_case_matters(self, of, random):
        ks, ns = zip(*of, strict=True)
        mixed = list(of)
        random.shuffle(mixed)
        found = homogeneity(ks, ns)
        assert homogeneity(*zip(*mixed, strict=True)) == found
        assert homogeneity([n - k for k, n in of], ns) == found


def drawn_by_definition(ks, ns):
    """The exact p: of all tables with the same margins, weighted, those with Σk²/n as large."""
    cases, seen = sum(ks), sum(Fraction(k * k, n) for k, n in zip(ks, ns, strict=True))
    extreme = whole = 0
    for table in itertools.product(*(range(min(n, cases) + 1) for n in ns)):
        if sum(table) == cases:
            weight = math.prod(math.comb(n, k) for k, n in zip(table, ns, strict=True))
            whole += weight
            if sum(Fraction(k * k, n) for k, n in zip(table, ns, strict=True)) >= seen:
                extreme += weight
    return extreme / whole


class TestMonteCarlo:
    @pytest.mark.parametrize(
        ("ks", "ns"),
        [
            ([1, 2, 3, 0], [30, 40, 50, 60]),
            ([0, 4], [31, 35]),
            ([3, 0, 0], [30, 30, 45]),
            ([28, 30, 33], [30, 30, 40]),
        ],
    )
    def test_comes_near_the_exact_share(self, ks, ns):
        if sum(ks) > sum(ns) / 2:
            exact = drawn_by_definition([n - k for k, n in zip(ks, ns, strict=True)], ns)
        else:
            exact = drawn_by_definition(ks, ns)
        found = monte_carlo(ks, ns, seed=20261129, draws=4000, enough=4000)
        assert float(found.p) == pytest.approx(
            exact, abs=4 * math.sqrt(exact * (1 - exact) / 4000) + 1 / 4000
        )

    def test_the_published_seed_gives_the_same_draws(self):
        one = monte_carlo([1, 2, 5, 0], [30, 40, 50, 60], seed=7)
        assert one == monte_carlo([1, 2, 5, 0], [30, 40, 50, 60], seed=7)
        assert one == monte_carlo([0, 5, 1, 2], [60, 50, 30, 40], seed=7)
        assert one.p != monte_carlo([1, 2, 5, 0], [30, 40, 50, 60], seed=8).p
        assert (one.seed, one.method) == (7, "monte_carlo")

    def test_the_draws_of_one_seed_never_change(self):
        # Held for whoever draws again with the seed of an old certificate.
        found = monte_carlo([2, 0, 1, 4], [40, 55, 31, 38], seed=1, draws=999, enough=999)
        assert found.p == Fraction(49, 500)

    def test_stops_once_enough_are_as_extreme(self):
        found = monte_carlo([1, 1, 2], [30, 31, 60], seed=3, enough=100)
        assert found.draws < 9999
        assert found.p == Fraction(100, found.draws)

    def test_never_says_nothing(self):
        found = monte_carlo([30, 0], [30, 40], seed=5, draws=99)
        assert found.p == Fraction(1, 100)

    def test_a_rare_group_beside_a_million_answers(self):
        found = monte_carlo([100_000, 5_000, 12], [1_000_000, 50_000, 40], seed=5, draws=500, enough=500)
        assert found.p < Fraction(1, 50)
        assert found.draws == 500

    @pytest.mark.parametrize(
        ("size", "others", "cases"),
        [(40_000, 900_000, 100_000), (900_000, 40_000, 800_000), (500, 700, 600), (3000, 2000, 4500)],
    )
    def test_wide_distributions_are_drawn_as_they_are(self, size, others, cases):
        scipy_stats = pytest.importorskip("scipy.stats")
        uniform = random.Random(1).random
        drawn = sorted(_by_ratio(size, others, cases, uniform) for _ in range(4000))
        of = scipy_stats.hypergeom(size + others, cases, size)
        ends = [int(of.ppf(tenth / 10)) for tenth in range(1, 10)]
        below = [0, *(bisect_right(drawn, end) for end in ends), len(drawn)]
        shares = [0, *of.cdf(ends), 1]
        counted = [high - low for low, high in itertools.pairwise(below)]
        expected = [len(drawn) * (high - low) for low, high in itertools.pairwise(shares)]
        assert scipy_stats.chisquare(counted, expected).pvalue > 0.001

    def test_tables_and_rejection_say_the_same(self, monkeypatch):
        ks, ns = [30, 60, 55, 4], [400, 500, 600, 31]
        by_table = monte_carlo(ks, ns, seed=1, draws=2000, enough=2000).p
        monkeypatch.setattr("grading.homogeneity.WIDE", 5)
        by_rejection = monte_carlo(ks, ns, seed=1, draws=2000, enough=2000).p
        assert by_table != by_rejection
        assert float(by_table) == pytest.approx(float(by_rejection), abs=0.05)

    @given(groups, st.integers(0, 2**64 - 1))
    @settings(max_examples=25)
    def test_is_a_share(self, of, seed):
        found = monte_carlo(*zip(*of, strict=True), seed=seed, draws=20)
        assert found is None or 0 < found.p <= 1


class TestGate:
    def test_small_expected_counts_are_drawn(self):
        assert gate([6, 12], [60, 60], seed=1).method == "chi_square"
        assert gate([1, 2], [60, 60], seed=1).method == "monte_carlo"

    def test_opens_below_one_in_twenty(self):
        assert gate([5, 25], [60, 60], seed=1).differ
        assert not gate([10, 12], [60, 60], seed=1).differ

    def test_without_a_difference_it_seldom_opens(self):
        # Groups of one rate, drawn 200 times with fixed seeds: about 10 gates of 200 open.
        draw = random.Random(11)
        opened = 0
        for _ in range(200):
            ks = [sum(draw.random() < 0.06 for _ in range(40)) for _ in range(4)]
            of = gate(ks, [40] * 4, seed=1) if sum(ks) > 6 else None
            opened += of is not None and of.differ
        assert opened <= 20


class TestCochranQ:
    def test_by_hand(self):
        # Columns 3, 2, 1 of three mixed blocks (1,1,0) (1,1,0) (1,0,1): T = 6, ΣR² = 12,
        # Q = 2·(3·(9 + 4 + 1) − 36)/(3·6 − 12) = 2.
        found = cochran_q([[1, 1, 0], [1, 1, 0], [1, 0, 1], [1, 1, 1], [0, 0, 0]])
        assert (found.statistic, found.df) == (2.0, 2)
        assert found.p == pytest.approx(math.exp(-1))

    def test_agrees_with_statsmodels(self):
        contingency = pytest.importorskip("statsmodels.stats.contingency_tables")
        table = [[1, 1, 0, 1]] * 9 + [[0, 1, 0, 0]] * 7 + [[1, 0, 0, 1]] * 5 + [[1, 1, 1, 1]] * 20
        theirs = contingency.cochrans_q(table)
        found = cochran_q(table)
        assert found.statistic == pytest.approx(theirs.statistic, rel=1e-12)
        assert found.p == pytest.approx(theirs.pvalue, rel=1e-10)

    @pytest.mark.parametrize("of", [[], [[1, 1], [0, 0]], [[1, None]], [[1], [0]]])
    def test_without_variation_in_a_block_there_is_nothing_to_test(self, of):
        assert cochran_q(of) is None
        assert paired_gate(of, seed=1) is None

    def test_of_two_groups_it_is_mcnemars_chi_square(self):
        # (b − c)²/(b + c) = (9 − 3)²/12.
        assert cochran_q([[1, 0]] * 9 + [[0, 1]] * 3 + [[1, 1]] * 30).statistic == pytest.approx(3)

    @pytest.mark.parametrize("of", [[[1, 2]], [[1, 0], [1]], [[-1, 0]]])
    def test_what_is_no_block_is_refused(self, of):
        for test in (cochran_q, lambda of: permutation_within_blocks(of, seed=1)):
            with pytest.raises(ValueError, match=r"neither|same groups"):
                test(of)

    @given(blocks)
    @settings(max_examples=50)
    def test_failures_instead_of_successes_say_the_same(self, of):
        found = cochran_q(of)
        mirrored = cochran_q([[1 - value for value in block] for block in of])
        if found is None:
            assert mirrored is None
        else:
            assert mirrored.statistic == pytest.approx(found.statistic, abs=1e-9)
            assert 0 < found.p <= 1


def permuted_by_definition(of):
    """The exact p for complete or incomplete blocks: all ways to permute, with Σ(k − e)²/n."""
    size = len(of[0])
    present = [[g for g in range(size) if block[g] is not None] for block in of]
    ways = [
        list(itertools.combinations(places, sum(block[g] for g in places)))
        for block, places in zip(of, present, strict=True)
    ]
    ns = Counter(g for places in present for g in places)
    expected = Counter()
    for block, places in zip(of, present, strict=True):
        for g in places:
            expected[g] += Fraction(sum(block[g] for g in places), len(places))

    def statistic(chosen):
        ks = Counter(g for places in chosen for g in places)
        return sum((ks[g] - expected[g]) ** 2 / ns[g] for g in ns)

    seen = statistic([[g for g in places if block[g]] for block, places in zip(of, present, strict=True)])
    shares = [statistic(chosen) >= seen for chosen in itertools.product(*ways)]
    return sum(shares) / len(shares)


class TestPermutationWithinBlocks:
    @pytest.mark.parametrize(
        "of",
        [
            [[1, 0, 0], [1, 0, 0], [1, 1, 0], [1, 0, 1], [1, 0, 0], [1, 0, 1]],
            [[1, 0, None], [1, 0, 0], [1, None, 0], [1, 0, 1], [None, 0, 1], [1, 0, 1]],
            [[1, 0], [0, 1], [1, 0], [1, 0], [1, 0], [1, 0], [1, 0]],
        ],
    )
    def test_comes_near_the_exact_share(self, of):
        exact = permuted_by_definition(of)
        found = permutation_within_blocks(of, seed=20261129, draws=4000, enough=4000)
        assert float(found.p) == pytest.approx(
            exact, abs=4 * math.sqrt(exact * (1 - exact) / 4000) + 1 / 4000
        )

    @pytest.mark.parametrize("half", [10, 16])
    def test_long_blocks_need_no_list_of_all_choices(self, half):
        # C(20, 10) and C(32, 16) choices are too many to list.
        one, other = [1] * half + [0] * half, [0] * half + [1] * half
        assert permutation_within_blocks([one, other] * 4, seed=2, draws=300, enough=300).p > Fraction(9, 10)
        all_one_way = permutation_within_blocks([one] * 8, seed=2, draws=300, enough=300)
        assert all_one_way.p == Fraction(1, 301)

    @pytest.mark.parametrize(("size", "successes"), [(6, 2), (16, 7), (15, 8), (33, 3)])
    def test_every_choice_is_as_likely(self, size, successes):
        choose = _chooser([1 << 20 * place for place in range(size)], successes, random.Random(4).random)
        drawn = [choose() for _ in range(4000)]
        # How often each place is chosen, and how often two neighbours are together.
        alone = [sum(of >> 20 * place & 1 for of in drawn) for place in range(size)]
        together = [
            sum(of >> 20 * place & of >> 20 * (place + 1) & 1 for of in drawn) for place in range(size - 1)
        ]
        assert sum(alone) == 4000 * successes
        share = successes / size
        assert max(abs(count - 4000 * share) for count in alone) < 4 * math.sqrt(4000 * share * (1 - share))
        pair = share * (successes - 1) / (size - 1)
        assert max(abs(count - 4000 * pair) for count in together) < 4 * math.sqrt(4000 * pair * (1 - pair))

    def test_a_group_that_only_answered_the_hard_questions_is_no_worse_for_it(self):
        # Both groups answer easy questions alike, only the first was asked the hard ones.
        of = [[1, 1]] * 30 + [[0, None]] * 30 + [[1, 0], [0, 1]] * 3
        assert not paired_gate(of, seed=1).differ
        assert homogeneity([33, 33], [66, 36]).p_chi2 < 0.001

    def test_few_or_incomplete_blocks_are_permuted(self):
        complete = [[1, 0, 0], [0, 1, 0], [1, 1, 0]] * 4
        assert paired_gate(complete, seed=1).method == "cochran_q"
        assert paired_gate(complete[:3], seed=1).method == "permutation"
        assert paired_gate([*complete, [1, None, 0]], seed=1).method == "permutation"

    def test_the_draws_of_one_seed_never_change(self):
        of = [[1, 0, None], [1, 0, 0], [1, None, 0], [1, 0, 1], [None, 0, 1], [1, 0, 1]]
        assert permutation_within_blocks(of, seed=1, draws=999, enough=999).p == Fraction(1, 40)


class TestScores:
    blocks = ((1, 1, 0), (1, 0, 0), (1, None, 0), (0, 1, 1), (1, 0, 1), (1, 1, 0), (None, 1, 0)) * 4

    def test_outcomes_are_scores_of_one_answer(self):
        scores = [[None if value is None else Fraction(value) for value in block] for block in self.blocks]
        of = statistics.permutation_of_scores(scores, seed=7)
        by_outcome = statistics.permutation_within_blocks(self.blocks, seed=8)
        assert (of.statistic, of.df, of.method) == (by_outcome.statistic, by_outcome.df, "permutation")
        assert float(of.p) == pytest.approx(float(by_outcome.p), abs=0.02)

    def test_the_same_seed_draws_the_same(self):
        scores = [[Fraction(1, 3), Fraction(2, 3)], [Fraction(0), Fraction(1, 2)]] * 9
        assert statistics.permutation_of_scores(scores, seed=1) == statistics.permutation_of_scores(
            scores, seed=1
        )

    def test_without_variation_there_is_nothing_to_test(self):
        assert (
            statistics.permutation_of_scores([[Fraction(1, 2), Fraction(1, 2)], [None, Fraction(1)]], seed=1)
            is None
        )

    def test_impossible_rates(self):
        with pytest.raises(ValueError, match="between 0 and 1"):
            statistics.permutation_of_scores([[Fraction(3, 2), Fraction(0)]], seed=1)
        with pytest.raises(ValueError, match="same groups"):
            statistics.permutation_of_scores([[Fraction(0)], [Fraction(0), Fraction(1)]], seed=1)


def test_many_blocks_are_drawn_fewer_times():
    assert [statistics.draws_of(blocks) for blocks in (1, 500, 5_000, 10**6)] == [9_999, 9_999, 999, 199]


def test_of_many_blocks_the_complete_ones_are_enough():
    blocks = [(1, 0, 1), (0, 1, 1), (1, 1, 0), (1, None, 0)] * 200
    assert statistics.paired_gate(blocks, seed=1) == statistics.cochran_q(blocks)
