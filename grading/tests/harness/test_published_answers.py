"""Published answers of two systems to the same questions, in two languages: a difference in one, none in the other."""

import json

import pytest

from grading.harness import measuring
from grading.harness.comparing import compare
from grading.harness.comparison_report import pair_sentence
from grading.harness.packages import Package
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
    comparison = compare(*packages, measured=measured)
    pairs = {(pair.outcome, pair.group): pair for pair in comparison.pairs}

    es, en = (pairs["necessary_abstention", group] for group in ("es", "en"))
    assert (es.b, es.c, en.b, en.c) == (64, 8, 45, 39)
    assert f"{es.p:.1e}" == "5.8e-12"
    assert f"{en.p:.3f}" == "0.586"
    assert "Más en la primera (p < 0,001)" in pair_sentence(es, "es")
    assert "No se detectó diferencia (p = 0,586)" in pair_sentence(en, "es")

    es, en = (pairs["exact", group] for group in ("es", "en"))
    assert (es.b, es.c, en.b, en.c) == (6, 37, 16, 7)
    assert f"{es.p:.1e}" == "1.6e-06"
    assert f"{en.p:.3f}" == "0.093"
    assert "Más en la segunda (p < 0,001)" in pair_sentence(es, "es")
    assert "No se detectó diferencia" in pair_sentence(en, "es")
