"""The shape of a figure, its rounding, its bands, its contradictions; and declared figures beside ours."""

import dataclasses
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evidence.descriptor import DeclaredFigure
from grading import declared, figures, schemes, statistics
from grading.figures import Rate, band_of, contradictions, figure, is_wider, rate, six_decimals
from grading.statistics import ClusterSums

HALU = schemes.shipped()["HALU", "1"]
THRESHOLDS = {"suppressed_below": 10, "indicative_below": 30, "widest_full": Fraction(3, 10)}


def of(k, n, metric="accuracy", denominator="judged", unjudged=0, **place):
    return figure(rate(k, n, unjudged), metric, denominator, suppression=HALU.suppression, **place)


def test_the_shape_is_the_one_of_the_page():
    assert of(15, 148, group="es").as_json() == {
        "metric": "accuracy",
        "denominator": "judged",
        "group": "es",
        "category": None,
        "judge": None,
        "k": 15,
        "n": 148,
        "unjudged": 0,
        "estimate": "0.101351",
        "low": "0.062386",
        "high": "0.160487",
        "interval": "wilson",
        "n_eff": None,
        "clusters": None,
        "band": "full",
        "reason": None,
    }
    assert figures.figure_from_json(of(15, 148).as_json()) == of(15, 148)


def test_no_answers_no_numbers():
    empty = of(0, 0)
    assert (empty.estimate, empty.low, empty.high, empty.interval, empty.band) == (
        None,
        None,
        None,
        "none",
        "no_data",
    )


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (Fraction(1, 3), "0.333333"),
        (Fraction(1, 2_000_000), "0.000000"),
        (Fraction(3, 2_000_000), "0.000002"),
        (1, "1.000000"),
        (0.1, "0.100000"),
    ],
)
def test_six_decimals_half_to_even(value, text):
    assert six_decimals(value) == text


@pytest.mark.parametrize(
    ("k", "n", "band"),
    [(0, 0, "no_data"), (1, 1, "suppressed"), (9, 9, "suppressed"), (0, 10, "indicative"), (29, 29, "indicative"),
     (0, 30, "full"), (15, 30, "indicative"), (19, 38, "indicative"), (20, 40, "full")],
)  # fmt: skip
def test_bands(k, n, band):
    assert band_of(rate(k, n), **THRESHOLDS) == band


@given(st.integers(1, 400).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_the_width_is_that_of_the_interval(count):
    k, n = count
    low, high = statistics.wilson(k, n)
    if abs(high - low - 0.30) > 1e-12:
        assert is_wider(k, n, Fraction(3, 10)) == (high - low > 0.30)


def test_clusters_decide_the_band():
    # 60 answers of 20 items, three runs each that always agree.
    sums = ClusterSums(k=3, n=60, clusters=20, kk=9, kn=9, nn=180)
    assert band_of(Rate(sums), **THRESHOLDS) == "indicative"
    assert figure(Rate(sums), "accuracy", "judged", suppression=HALU.suppression).independent == 20


class TestContradictions:
    def whole(self):
        verdicts = {"accuracy": 3, "incomplete": 1, "ill_founded": 0, "incorrect": 2, "hallucination": 2}
        return [
            of(k, n, metric, denominator, 1, **place)
            for place in ({}, {"group": "es"}, {"category": "factual_direct"})
            for metric, k in verdicts.items()
            for denominator, n in (("judged", 6), ("all", 9))
        ] + [
            of(2, 9, "abstention", "all", **place)
            for place in ({}, {"group": "es"}, {"category": "factual_direct"})
        ]

    def test_there_are_none_in_what_adds_up(self):
        assert contradictions(self.whole()) == []

    @pytest.mark.parametrize(
        ("metric", "k"), [("accuracy", 4), ("incorrect", 1), ("hallucination", 3), ("abstention", 3)]
    )
    def test_one_count_changed_anywhere_is_found(self, metric, k):
        whole = self.whole()
        places = [index for index, one in enumerate(whole) if one.metric == metric]
        for index in places:
            broken = list(whole)
            broken[index] = dataclasses.replace(broken[index], k=k)
            assert contradictions(broken)

    def test_more_than_all(self):
        assert contradictions([dataclasses.replace(of(1, 2, "x", "y"), k=3)])
        assert contradictions([dataclasses.replace(of(1, 2, "x", "y"), k=-1)])
        assert contradictions([of(1, 2, "x", "y")] * 2)


class TestDeclared:
    def outcome(self, k, n, value, low=None, high=None, sums=None):
        rates = {("accuracy", "judged", None, None): sums or rate(k, n)}
        one = DeclaredFigure(metric="accuracy", denominator="judged", value=value, low=low, high=high)
        return declared.compare([one], rates)[0]

    @pytest.mark.parametrize(
        ("k", "n", "value", "outcome"),
        [
            (117, 450, "0.2733", "differs"),
            (117, 450, "0.2600", "coincides"),
            (117, 450, "0.260", "coincides"),
            (117, 450, "0.26", "not_comparable"),
            (1, 16, "0.062", "coincides"),  # 0.0625: half to even
            (1, 16, "0.063", "coincides"),  # and half up
            (1, 16, "0.0625", "coincides"),
            (1, 16, "0.061", "differs"),
            (1, 3, "0.333", "coincides"),
            (1, 3, "0.334", "differs"),
            (2, 3, "0.666", "differs"),
            (0, 0, "0.000", "differs"),
        ],
    )
    def test_rounds_to_what_was_printed(self, k, n, value, outcome):
        assert self.outcome(k, n, value).outcome == outcome

    def test_the_interval_must_coincide_too(self):
        assert self.outcome(9, 200, "0.0450", "0.0239", "0.0833").outcome == "coincides"
        assert self.outcome(9, 200, "0.0450", "0.0230", "0.0833").outcome == "differs"

    def test_an_interval_with_a_rounded_z_coincides_and_is_said(self):
        k, n = 300, 1000
        low, high = (f"{bound:.6f}" for bound in statistics.wilson_at(k, n, 1.96))
        exact = [f"{bound:.6f}" for bound in statistics.wilson(k, n)]
        assert [low, high] != exact
        found = self.outcome(k, n, "0.300", low, high)
        assert (found.outcome, found.z) == ("coincides", "1.96")
        assert self.outcome(k, n, "0.300", *exact).z is None

    def test_what_we_do_not_compute_is_not_recomputed(self):
        other = DeclaredFigure(metric="kappa", denominator="judged", value="0.71")
        assert declared.compare([other], {})[0].outcome == "not_recomputed"


@given(st.floats(-1, 1))
def test_a_float_is_rounded_on_its_exact_value(value):
    assert six_decimals(value) == six_decimals(Fraction(value))


def test_what_rounds_to_nothing_has_no_sign():
    assert six_decimals(-1e-9) == six_decimals(Fraction(-1, 10**9)) == "0.000000"
    assert six_decimals(Fraction(-1, 20)) == "-0.050000"
