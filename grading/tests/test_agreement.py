"""Raters beyond chance: kappas are exact, their words decided on fractions, and one category has none."""

import math
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from grading.statistics import NoFleiss, cohen_kappa, fleiss_kappa, landis_koch, two_categories, zero_bound
from grading.tests import r_vectors

tables = st.integers(1, 5).flatmap(
    lambda size: st.lists(
        st.lists(st.integers(0, 40), min_size=size, max_size=size), min_size=size, max_size=size
    )
)
ratings = st.tuples(st.integers(2, 6), st.integers(1, 5), st.integers(1, 12), st.randoms()).map(
    lambda of: [_row(of[3], raters=of[0], categories=of[1]) for _ in range(of[2])]
)


def _row(random, *, raters, categories):
    chosen = [random.randrange(categories) for _ in range(raters)]
    return [chosen.count(category) for category in range(categories)]


def unweighted():
    return [param for param in r_vectors.of("kappa") if param.values[0]["weights"] == "unweighted"]


class TestCohen:
    @pytest.mark.parametrize(("given_", "expected"), unweighted())
    def test_agrees_with_r(self, given_, expected):
        found = cohen_kappa(given_["matrix"])
        assert found.n == expected["n"]
        assert float(found.raw_agreement) == r_vectors.near(expected["po"])
        if expected["kappa"] is None:
            assert (found.kappa, found.standard_error, found.low, found.high) == (None,) * 4
            return
        assert float(found.kappa) == r_vectors.near(expected["kappa"])
        assert found.standard_error == r_vectors.near(expected["se"])
        assert found.low == r_vectors.near(max(-1, expected["lo"]))
        assert found.high == r_vectors.near(min(1, expected["hi"]))
        word = expected["landis_koch"].partition("(")[2].rstrip(")").replace(" ", "_")
        assert found.strength == word

    def test_by_hand(self):
        # Raw 35/50, by chance (25·30 + 25·20)/50² = 1/2: κ = (0.7 − 0.5)/0.5, exactly two fifths.
        found = cohen_kappa([[20, 5], [10, 15]])
        assert found.kappa == Fraction(2, 5)
        assert found.strength == "fair"
        assert found.raw_agreement == Fraction(7, 10)
        assert (found.rows, found.columns) == ((25, 25), (30, 20))
        # Per category 2·20/(25 + 30) and 2·15/(25 + 20).
        assert found.per_category == (Fraction(8, 11), Fraction(2, 3))
        assert found.strength_of_bounds == ("slight", "substantial")

    def test_one_category_has_no_kappa_but_an_agreement(self):
        found = cohen_kappa([[20, 0], [0, 0]])
        assert (found.kappa, found.strength, found.strength_of_bounds) == (None, None, (None, None))
        assert found.raw_agreement == 1
        assert found.per_category == (1, None)
        assert found.disagreement_bound == zero_bound(20)

    def test_perfect_agreement_bounds_the_disagreement(self):
        found = cohen_kappa([[30, 0], [0, 30]])
        assert (found.kappa, found.standard_error, found.low, found.high) == (1, 0, 1, 1)
        assert found.disagreement_bound == pytest.approx(0.0487, abs=1e-4)
        assert found.raw_low == pytest.approx(0.9398, abs=1e-4)
        assert cohen_kappa([[29, 1], [0, 30]]).disagreement_bound is None

    def test_few_answers_are_indicative(self):
        assert cohen_kappa([[14, 1], [0, 14]]).is_indicative
        assert not cohen_kappa([[14, 1], [0, 15]]).is_indicative

    @pytest.mark.parametrize("table", [[], [[0]], [[0, 0], [0, 0]]])
    def test_without_answers_nothing_is_said(self, table):
        found = cohen_kappa(table)
        assert (found.n, found.kappa, found.raw_agreement, found.raw_low) == (0, None, None, None)
        assert found.disagreement_bound is None

    @pytest.mark.parametrize("table", [[[1, 2]], [[1, -2], [3, 4]], [[1, 2.5], [3, 4]], [[1, 2], [3]]])
    def test_what_is_no_square_of_counts_is_refused(self, table):
        with pytest.raises(ValueError, match=r"count|columns"):
            cohen_kappa(table)

    @given(tables)
    @settings(max_examples=60)
    def test_keeps_the_laws(self, table):
        found = cohen_kappa(table)
        if found.kappa is None:
            return
        assert -1 <= found.kappa <= found.raw_agreement <= 1
        assert -1 <= found.low <= float(found.kappa) <= found.high <= 1
        assert all(share is None or 0 <= share <= 1 for share in found.per_category)
        assert (found.kappa == 1) == (found.raw_agreement == 1)

    @given(tables, st.randoms())
    @settings(max_examples=60)
    def test_neither_the_raters_nor_the_order_of_categories_matter(self, table, random):
        found = cohen_kappa(table)
        order = list(range(len(table)))
        random.shuffle(order)
        for other in (
            [list(column) for column in zip(*table, strict=True)],
            [[table[i][j] for j in order] for i in order],
        ):
            same = cohen_kappa(other)
            assert (same.kappa, same.standard_error) == (found.kappa, found.standard_error)

    def test_agrees_with_statsmodels(self):
        inter_rater = pytest.importorskip("statsmodels.stats.inter_rater")
        for table in ([[20, 5], [10, 15]], [[88, 14, 18], [10, 40, 6], [2, 4, 12]], [[0, 3], [4, 0]]):
            theirs = inter_rater.cohens_kappa(table)
            assert float(cohen_kappa(table).kappa) == pytest.approx(theirs.kappa, abs=1e-12)
            assert cohen_kappa(table).standard_error == pytest.approx(theirs.std_kappa, abs=1e-12)

    def test_of_one_category_a_library_says_nan(self):
        inter_rater = pytest.importorskip("statsmodels.stats.inter_rater")
        with pytest.warns(RuntimeWarning):
            theirs = inter_rater.cohens_kappa([[20, 0], [0, 0]]).kappa
        assert math.isnan(theirs)
        assert cohen_kappa([[20, 0], [0, 0]]).kappa is None

    def test_verdicts_become_hallucinates_or_not(self):
        # exact, incomplete, ill-founded, incorrect; the last two hallucinate.
        table = [[40, 3, 0, 1], [2, 10, 1, 0], [0, 1, 5, 2], [1, 0, 3, 6]]
        assert two_categories(table, {2, 3}) == [[16, 2], [2, 55]]
        assert cohen_kappa(two_categories(table, {2, 3})).n == cohen_kappa(table).n


class TestLandisKoch:
    @pytest.mark.parametrize(
        ("kappa", "word"),
        [
            (Fraction(-1, 10**9), "poor"),
            (0, "slight"),
            (Fraction(1, 5), "slight"),
            (Fraction(2, 5), "fair"),
            (Fraction(2, 5) + Fraction(1, 10**12), "moderate"),
            (Fraction(3, 5), "moderate"),
            (Fraction(4, 5), "substantial"),
            (Fraction(800001, 1000000), "almost_perfect"),
            (1, "almost_perfect"),
            (-1.0, "poor"),
            (0.2, "slight"),
            (0.4, "fair"),
            (0.6, "moderate"),
            (0.8, "substantial"),
            (None, None),
        ],
    )
    def test_says_the_word_at_each_limit(self, kappa, word):
        assert landis_koch(kappa) == word

    def test_in_floats_two_fifths_would_be_something_else(self):
        by_float = (0.7 - 0.5) / (1 - 0.5)
        assert by_float != 0.4
        assert landis_koch(cohen_kappa([[20, 5], [10, 15]]).kappa) == "fair"

    @pytest.mark.parametrize("kappa", [1.01, -1.01, float("nan")])
    def test_what_is_no_kappa_is_refused(self, kappa):
        with pytest.raises(ValueError, match="no kappa"):
            landis_koch(kappa)


class TestFleiss:
    @pytest.mark.parametrize(("given_", "expected"), r_vectors.of("fleiss_kappa"))
    def test_agrees_with_r(self, given_, expected):
        found = fleiss_kappa(given_["counts"])
        assert float(found.kappa) == r_vectors.near(expected["kappa"])
        assert float(found.raw_agreement) == r_vectors.near(expected["po"])
        assert float(found.by_chance) == r_vectors.near(expected["pe"])
        assert found.standard_error == r_vectors.near(expected["se0"])

    def test_by_hand(self):
        # Two answers of three raters: 3:0 and 1:2. Raw (1 + 1/3)/2 = 2/3, by chance (4² + 2²)/6² = 5/9: κ = 1/4.
        found = fleiss_kappa([[3, 0], [1, 2]])
        assert (found.raw_agreement, found.by_chance, found.kappa) == (
            Fraction(2, 3),
            Fraction(5, 9),
            Fraction(1, 4),
        )

    @pytest.mark.parametrize(
        ("table", "reason"),
        [
            ([], NoFleiss.NO_ANSWERS),
            ([[2, 1], [2, 0]], NoFleiss.DIFFERENT_NUMBERS_OF_RATERS),
            ([[1, 0], [0, 1]], NoFleiss.FEWER_THAN_TWO_RATERS),
            ([[3, 0], [3, 0]], NoFleiss.ONE_CATEGORY),
        ],
    )
    def test_where_there_is_none_it_says_why(self, table, reason):
        found = fleiss_kappa(table)
        assert (found.kappa, found.standard_error, found.reason) == (None, None, reason)

    def test_of_one_category_a_library_says_nan(self):
        inter_rater = pytest.importorskip("statsmodels.stats.inter_rater")
        with pytest.warns(RuntimeWarning):
            theirs = inter_rater.fleiss_kappa([[3, 0], [3, 0]])
        assert math.isnan(theirs)

    @pytest.mark.parametrize("table", [[[1, 2], [3]], [[1, -2]], [[1, 1.5]]])
    def test_what_are_no_counts_is_refused(self, table):
        with pytest.raises(ValueError, match=r"count|categories"):
            fleiss_kappa(table)

    @given(ratings)
    @settings(max_examples=50)
    def test_keeps_the_laws(self, table):
        found = fleiss_kappa(table)
        if found.kappa is None:
            assert found.reason == NoFleiss.ONE_CATEGORY
            return
        assert -1 <= found.kappa <= found.raw_agreement <= 1
        assert found.standard_error > 0
        assert (
            fleiss_kappa(table[::-1]).kappa == fleiss_kappa([row[::-1] for row in table]).kappa == found.kappa
        )

    def test_agrees_with_statsmodels(self):
        inter_rater = pytest.importorskip("statsmodels.stats.inter_rater")
        table = [[0, 2, 4], [5, 0, 1], [2, 2, 2], [6, 0, 0]]
        assert float(fleiss_kappa(table).kappa) == pytest.approx(inter_rater.fleiss_kappa(table), abs=1e-12)
