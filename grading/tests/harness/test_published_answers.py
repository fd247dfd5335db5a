"""Published answers of two systems to the same questions, in two languages: a difference in one, none in the other."""

import json

import pytest

from grading.harness import measuring
from grading.harness.comparing import compare
from grading.harness.packages import Package
from grading.sentences import of_comparison
from grading.tests.harness.test_review_sheets import SCHEME

LANGUAGES = ("en", "es")


def evaluation(shared, system):
    """NoMIRACL: passages that hold the answer (answering is right), and passages that do not (abstaining is)."""
    items, responses, verdicts = [], [], []
    for subset in ("relevant", "non_relevant"):
        for language in LANGUAGES:
            lines = (shared / "data" / "nomiracl" / subset / f"{language}.jsonl").read_text(encoding="utf-8")
            for line in lines.splitlines():
                row = json.loads(line)
                id_ = f"{subset} {language} {row['query_id']}"
                relevant = subset == "relevant"
                items.append(
                    {
                        "id": id_,
                        "language": language,
                        "category": "factual_direct" if relevant else "out_of_corpus",
                        "question": id_,
                        "in_corpus": relevant,
                        "abstention_correct": not relevant,
                    }
                )
                label = row["derived_label"][system]
                responses.append(
                    {
                        "item": id_,
                        "answer": "",
                        "abstained": label == "abstained",
                        "invalid": label == "invalid",
                    }
                )
                if relevant and label == "answered":
                    verdicts.append({"item": id_, "judge": "authors", "verdict": "exact"})
    descriptor = {
        "system": {"name": system, "version": "2023-12", "holder": "OpenAI", "model_family": "gpt"},
        "measured_at": "2023-12-21T00:00:00Z",
        "judges": [{"id": "authors", "family": "authors", "version": "1", "kind": "human"}],
    }
    return measuring.Evaluation(descriptor, items, responses, verdicts)


@pytest.mark.shared
def test_a_difference_in_one_language_is_none_in_another(shared):
    sides = [evaluation(shared, system) for system in ("gpt-4-azure", "gpt-3.5-turbo-azure")]
    measured = tuple(measuring.measure(side, SCHEME) for side in sides)
    packages = [Package(None, name, side, SCHEME, "", {}, {}) for name, side in zip("ab", sides, strict=True)]
    compared = compare(*packages, measured=measured)
    rows = {
        (outcome["metric"], row["group"]): row
        for outcome in compared["outcomes"]
        for row in outcome["groups"]
    }

    es, en = (rows["necessary_abstention", group] for group in ("es", "en"))
    assert [(row["only_first"], row["only_second"]) for row in (es, en)] == [(64, 8), (45, 39)]
    assert f"{float(es['p']):.1e}" == "5.8e-12"
    assert f"{float(en['p']):.3f}" == "0.586"
    assert (es["better"], en["better"]) == ("first", None)
    assert "La primera medición difiere de la segunda" in of_comparison(es, "es")
    assert "No se detectó diferencia (p = 0,586)" in of_comparison(en, "es")

    es, en = (rows["accuracy", group] for group in ("es", "en"))
    assert [(row["only_first"], row["only_second"]) for row in (es, en)] == [(6, 37), (16, 7)]
    assert f"{float(es['p']):.1e}" == "1.6e-06"
    assert f"{float(en['p']):.3f}" == "0.093"
    assert (es["better"], en["better"]) == ("second", None)
    assert "No se detectó diferencia" in of_comparison(en, "es")
