"""A real evaluation of many systems: its published cells are found again, and what differs in which language."""

import csv
import functools

import pytest

from grading import figures, schemes, sentences
from grading.comparison import compare
from grading.tests.packages import graded
from tests.external import nomiracl

pytestmark = pytest.mark.shared

SYSTEMS = {
    "GPT-4": "gpt-4-azure",
    "GPT-3.5": "gpt-3.5-turbo-azure",
    "Mixtral-7x8B": "Mixtral-8x7B-Instruct-v0.1",
    "Mistral-7B": "Mistral-7B-Instruct-v0.2",
    "Mistral-7B-v0.2": "Mistral-7B-Instruct-v0.2",
    "LLAMA-2-70B": "llama-2-70b-chat",
    "LLAMA-2-13B": "llama-2-13b-chat",
    "LLAMA-2-7B": "llama-2-7b-chat",
    "Orca-2-13B": "Orca-2-13b",
    "Orca-2-7B": "Orca-2-7b",
    "aya-101": "aya-101",
    "flan-t5-xxl": "flan-t5-xxl",
}


@pytest.fixture(scope="module")
def measured(shared):
    @functools.cache
    def grader(system):
        files = nomiracl.files(shared / "data" / "nomiracl", system)
        found, reader = graded({f"data/{path}": content for path, content in files.items()})
        assert not list(reader.findings)
        return found

    return grader


@pytest.fixture(scope="module")
def published(shared):
    with (shared / "data" / "expected_figures.csv").open(encoding="utf-8") as file:
        return [row for row in csv.DictReader(file) if row["dataset"] == "nomiracl"]


def test_every_published_cell_is_found_again(measured, published):
    asked = 0
    for row in published:
        if not row["figure"].startswith("accuracy") or row["status"] != "match":
            continue
        _, _, subset, system = row["figure"].split(" ", 3)
        place = (
            ("accuracy", "all") if subset == "relevant" else ("necessary_abstention", "abstention_correct")
        )
        of = figures.at(measured(SYSTEMS[system]).result.figures, *place, group=row["group"])
        assert (of.k, of.n) == (int(row["k_or_b"]), int(row["n_or_c"])), row["figure"] + " " + row["group"]
        assert float(of.low) == pytest.approx(float(row["wilson_lo"]), abs=1e-6)
        assert float(of.high) == pytest.approx(float(row["wilson_hi"]), abs=1e-6)
        asked += 1
    assert asked > 200


@pytest.fixture(scope="module")
def versions(measured):
    """GPT-4 beside GPT-3.5, by outcome and language."""
    first, second = (measured(SYSTEMS[name]).answers() for name in ("GPT-4", "GPT-3.5"))
    compared = compare(first, second, scheme=schemes.shipped()["HALU", "1"])
    return {
        (outcome["metric"], row["group"]): row
        for outcome in compared["outcomes"]
        for row in outcome["groups"]
    }


def test_a_difference_that_holds_in_one_language_and_not_in_another(versions, published):
    for row in published:
        if row["figure"].startswith("McNemar"):
            of = versions["necessary_abstention", row["group"]]
            assert (of["only_first"], of["only_second"]) == (int(row["k_or_b"]), int(row["n_or_c"]))
            assert float(of["p"]) == pytest.approx(float(row["recomputed"]), rel=1e-5)
    spanish, english = (versions["necessary_abstention", language] for language in ("es", "en"))
    assert (spanish["significant"], spanish["better"]) == (True, "first")
    assert (english["significant"], english["better"]) == (False, None)
    assert sentences.of_comparison(english, "es").startswith("No se detectó diferencia (p = 1,000).")


def test_exact_answers_go_the_other_way(versions):
    found = {}
    for language in ("es", "en"):
        row = versions["accuracy", language]
        found[language] = row["only_first"], row["only_second"], f"{float(row['p']):.2g}", row["better"]
    assert found == {"es": (6, 37, "1.6e-06", "second"), "en": (16, 7, "0.093", None)}


def test_the_languages_of_a_system_differ(measured):
    groups = measured(SYSTEMS["GPT-4"]).result.groups
    (gate,) = [one for one in groups.homogeneity if one["metric"] == "necessary_abstention"]
    assert (gate["differ"], gate["method"], len(gate["groups"])) == (True, "chi_square", 17)
