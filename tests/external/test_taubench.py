"""Published pass^k of tau-bench are found again from its two hundred runs."""

import csv

import pytest

from grading import run_aggregates
from grading.figures import six_decimals
from tests.external import taubench

pytestmark = pytest.mark.shared

PUBLISHED = ("0.420", "0.273", "0.220", "0.200")


@pytest.fixture(scope="module")
def aggregates(shared):
    groups = run_aggregates.grouped(taubench.runs(shared / "data" / "tau_bench_airline"))
    return [run_aggregates.aggregate(runs, minimum=3) for runs in groups.values()]


def test_every_trial_counts(aggregates):
    assert [of.m for of in aggregates] == [4] * 50
    assert not any(of.runs.left_out for of in aggregates)


def test_pass_all_is_what_was_published(aggregates, shared):
    shares = run_aggregates.over_cases(aggregates)
    assert tuple(f"{float(share):.3f}" for share in shares) == PUBLISHED
    with (shared / "data" / "expected_figures.csv").open(encoding="utf-8", newline="") as file:
        expected = {
            row["figure"].split()[0]: row["recomputed"]
            for row in csv.DictReader(file)
            if row["dataset"] == "tau_bench_airline" and row["figure"].startswith("pass^")
        }
    assert expected
    for name, recomputed in expected.items():
        assert six_decimals(shares[int(name.removeprefix("pass^")) - 1]) == recomputed


def test_most_tasks_that_are_ever_met_are_not_met_always(aggregates):
    flipping = sum(of.flips for of in aggregates)
    always = sum(of.points[0].met == 4 for of in aggregates)
    never = sum(of.points[0].met == 0 for of in aggregates)
    assert flipping + always + never == 50
    assert always == 10
