"""The published kappas of a real blind review are found again: two people, fifty answers in each of five languages."""

import csv
import io
import json
from fractions import Fraction

import pytest

from grading import calibration, reviews, statistics
from grading.harness import commands
from tests.external import truthfulqa

pytestmark = pytest.mark.shared

# Which column of both files, by position: a header has a reviewer's name in it, another a column too many.
COLUMNS = {"truth": 5, "info": 6}


def said(path, column: int) -> dict[str, str]:
    with path.open(encoding="utf-8-sig", newline="") as file:
        return {row[0]: row[column].strip() for row in list(csv.reader(file))[1:]}


@pytest.fixture(scope="module")
def pairs(shared):
    """(language, what) → of each answer that both people judged, what the first and the second said."""
    folder = shared / "data" / "truthfulqa_multi" / "manual_review"
    found = {}
    for language in truthfulqa.LANGUAGES:
        for what, column in COLUMNS.items():
            first = said(folder / "evaluated" / f"{language}.csv", column)
            second = said(folder / "iaa" / f"{language}.csv", column)
            found[language, what] = [(id_, first[id_], second[id_]) for id_ in second]
    return found


@pytest.fixture(scope="module")
def published(shared):
    with (shared / "data" / "expected_figures.csv").open(encoding="utf-8") as file:
        rows = [row for row in csv.DictReader(file) if row["figure"].startswith("Cohen kappa ")]
    return {(row["group"], row["figure"].removeprefix("Cohen kappa ")): row for row in rows}


def matrix(judged) -> list[list[int]]:
    words = ("yes", "no")
    return [[sum((a, b) == (one, two) for _, a, b in judged) for two in words] for one in words]


def test_every_kappa_agrees_to_the_printed_digits(pairs, published):
    assert {("es", "truth"), ("gl", "info"), ("eu", "truth")} <= set(published)
    for place, row in sorted(published.items()):
        kappa = statistics.cohen_kappa(matrix(pairs[place]))
        told = f"{float(kappa.kappa)!r} = {kappa.kappa}"
        print(f"{' '.join(place)}: {told}, published {row['published']}, n = {kappa.n}")
        assert kappa.n == int(row["n_or_c"])
        # Theirs is a float computed in another order: the last of its digits may differ, the fraction is exact.
        assert abs(kappa.kappa - Fraction(row["published"])) < Fraction(1, 10**15), place


def test_the_client_says_the_same_of_two_sheets(pairs, published, tmp_path):
    """As sheets of two people, truth «no» being incorrect: read, compared and printed by `benchmark kappa`."""
    place = ("es", "truth")
    paths = []
    for person, at in (("Ana", 1), ("Luz", 2)):
        rows = [
            calibration.Review(row[0], person, "exact" if row[at] == "yes" else "incorrect")
            for row in pairs[place]
        ]
        paths.append(tmp_path / f"{person}.csv")
        paths[-1].write_bytes(calibration.reviews_csv(rows))
    out = io.StringIO()
    assert commands.main(["kappa", *map(str, paths), "--json"], out=out, err=io.StringIO()) == 0
    (pair,) = json.loads(out.getvalue())["agreement"]
    assert pair["verdicts"]["kappa"] == f"{float(published[place]['published']):.6f}" == "0.745331"
    assert pair["hallucinates"]["kappa"] == "0.745331"
    sheets = [calibration.read(path.read_bytes()) for path in paths]
    first, second = ({review.item: review.verdict for review in sheet.reviews} for sheet in sheets)
    assert reviews.between(first, second)["verdicts"]["n"] == 50
