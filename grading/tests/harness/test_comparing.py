# ruff: noqa: E501  (a sentence stays on one line)
"""Two measurements are compared pair by pair, or refused with every field that keeps them apart."""

import io
import json

import pytest

from grading.harness import commands, comparing, measuring
from grading.harness.comparing import Pairs
from grading.harness.comparison_report import pair_sentence
from grading.tests.harness.servers import item
from grading.tests.harness.test_reports import packed
from grading.tests.harness.test_review_sheets import SCHEME
from grading.tests.harness.test_review_sheets import evaluation as judged


def measurement(verdicts, *, version="1.0", abstains=(), questions=None, **descriptor):
    base = judged(len(verdicts))
    questions = questions or [item(f"q{number:03}") for number in range(len(verdicts))]
    questions = [*questions, *(item(f"h{number}", "out_of_corpus") for number in range(len(abstains)))]
    responses = [{"item": one["id"], "answer": "Treinta días."} for one in questions]
    for response, silent in zip(responses[len(verdicts) :], abstains, strict=True):
        response["abstained"] = silent
    return measuring.Evaluation(
        {
            **base.descriptor,
            "system": {**base.descriptor["system"], "version": version},
            **descriptor,
        },
        questions,
        responses,
        [
            {"item": one["id"], "judge": "j1", "verdict": verdict}
            for one, verdict in zip(questions, verdicts, strict=False)
        ],
    )


def compared(tmp_path, first, second, *arguments):
    out, err = io.StringIO(), io.StringIO()
    paths = [str(packed(tmp_path, side, name)) for side, name in ((first, "a.zip"), (second, "b.zip"))]
    status = commands.main(["compare", *paths, *arguments], out=out, err=err)
    return status, out.getvalue().replace("\u00a0", " "), err.getvalue()


def test_a_change_for_the_worse_ends_with_three(tmp_path):
    first = measurement(["exact"] * 60)
    second = measurement(["exact"] * 45 + ["incorrect"] * 15, version="1.1")
    status, out, _ = compared(tmp_path, first, second, "--fail-if-worse")
    assert status == 3
    assert "total (n = 60): ambas 45, solo la primera 15, solo la segunda 0, ninguna 0." in out
    assert "Más en la primera (p < 0,001): 25,0 [14,0 – 37,2] puntos." in out
    assert "La segunda es significativamente peor en: respuesta exacta y respuesta con alucinación." in out
    status, _, _ = compared(tmp_path, second, first, "--fail-if-worse")
    assert status == 0, "for the better is no reason to fail"
    assert compared(tmp_path, first, second)[0] == 0


def test_a_size_that_can_show_nothing_is_warned_of(tmp_path):
    status, out, err = compared(
        tmp_path,
        measurement(["exact"] * 12),
        measurement(["exact"] * 9 + ["incorrect"] * 3),
        "--fail-if-worse",
    )
    assert status == 0
    assert "harían falta" in out
    assert "con este tamaño no podía alcanzarse p < 0,05" in err


def test_the_same_answers_have_no_discordant_pair(tmp_path):
    one = measurement(["exact"] * 12)
    status, out, _ = compared(tmp_path, one, one, "--json")
    told = json.loads(out)
    assert status == 0
    assert told["same_set"] is True
    assert {(pair["b"], pair["c"], pair["p"]) for pair in told["pairs"]} == {(0, 0, 1.0)}
    assert "no hay pares discordantes" in compared(tmp_path, one, one)[1]


def test_sets_that_differ_are_compared_where_they_meet(tmp_path):
    first = measurement(["exact"] * 30)
    second = measurement(["exact"] * 20)
    _, out, _ = compared(tmp_path, first, second)
    assert "Intersección de 20 preguntas; no es el mismo conjunto." in out


def test_other_judges_cannot_be_compared(tmp_path):
    first = measurement(["exact"] * 12)
    second = measurement(["exact"] * 12, judges=[{"id": "j1", "family": "gemini", "version": "g-1"}])
    status, out, _ = compared(tmp_path, first, second, "--json")
    told = json.loads(out)
    assert status == 1
    assert told["refused"] == "not_comparable"
    assert [(fault["key"], fault["expected"], fault["found"]) for fault in told["faults"]] == [
        ("judges", "claude c-1", "gemini g-1")
    ]


def test_groups_are_adjusted_and_due_abstentions_compared(tmp_path):
    questions = [item(f"q{number:03}", language=("es", "en")[number % 2]) for number in range(40)]
    first = measurement(["exact"] * 40, questions=questions, abstains=[True] * 12)
    second = measurement(
        ["incorrect" if number % 2 and number < 24 else "exact" for number in range(40)],
        questions=questions,
        abstains=[False] * 12,
    )
    _, out, _ = compared(tmp_path, first, second, "--json")
    pairs = {(pair["outcome"], pair["group"]): pair for pair in json.loads(out)["pairs"]}
    assert (pairs["exact", "en"]["b"], pairs["exact", "es"]["b"]) == (12, 0)
    assert pairs["exact", "en"]["p_holm"] == pytest.approx(2 * pairs["exact", "en"]["p"])
    assert (pairs["necessary_abstention", None]["b"], pairs["necessary_abstention", None]["n"]) == (12, 12)


@pytest.mark.parametrize(
    ("pairs", "language", "sentence"),
    [
        (Pairs("exact", None, 5, 0, 0, 5), "es", "Las dos mediciones acertaron y fallaron en las mismas preguntas: no hay pares discordantes."),
        (Pairs("exact", None, 50, 20, 3, 27), "en", "More in the first (p < 0.001): 17.0 [7.9 – 25.6] points."),
        (Pairs("exact", None, 50, 3, 20, 27), "es", "Más en la segunda (p < 0,001): 17,0 [7,9 – 25,6] puntos."),
        (Pairs("exact", None, 50, 12, 10, 28), "es", "No se detectó diferencia (p = 0,832). Con este tamaño solo se habría detectado una de 13,1 puntos o más."),
        (Pairs("exact", None, 50, 4, 1, 45), "es", "No se detectó diferencia (p = 0,375). Con este tamaño solo se habría detectado una de 6,3 puntos o más. Con 5 pares discordantes ninguna diferencia puede alcanzar p < 0,05: harían falta 6."),
    ],
)  # fmt: skip
def test_what_the_pairs_allow_to_say(pairs, language, sentence):
    assert pair_sentence(pairs, language) == sentence


def test_equal_questions_are_paired_in_order_of_id():
    twice = [item("b", question="¿Igual?"), item("a", question="¿Igual?")]
    first = measurement(["exact", "incorrect"], questions=twice)
    keyed = comparing._by_item(measuring.measure(first, SCHEME))
    assert [outcome.verdict for outcome in keyed.values()] == ["incorrect", "exact"]
