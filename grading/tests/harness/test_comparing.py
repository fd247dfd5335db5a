"""Two measurements are compared pair by pair, or refused with every field that keeps them apart."""

import io
import json

import pytest

from grading import comparison, computing, schemes
from grading.harness import commands, measuring
from grading.tests.harness.servers import item
from grading.tests.harness.test_reports import packed
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
    assert (
        "La primera medición difiere de la segunda en 25,0 puntos porcentuales [14,0 – 37,2] (p < 0,001)."
        in out
    )
    assert "La segunda es significativamente peor en: exactas y alucinación." in out
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
    assert "Con tan pocos pares discordantes ninguna diferencia puede alcanzar p < 0,05." in out
    assert "con este tamaño no podía alcanzarse p < 0,05" in err


def test_the_same_answers_have_no_discordant_pair(tmp_path):
    one = measurement(["exact"] * 12)
    status, out, _ = compared(tmp_path, one, one, "--json")
    told = json.loads(out)
    assert status == 0
    assert told["same_set"] is True
    assert all(of["overall"] is None or of["overall"]["no_discordant_pairs"] for of in told["outcomes"])
    assert "no hay pares discordantes" in compared(tmp_path, one, one)[1]
    assert "Same set: 12 questions." in compared(tmp_path, one, one, "--language", "en")[1]


def test_sets_that_differ_are_compared_where_they_meet(tmp_path):
    _, out, _ = compared(tmp_path, measurement(["exact"] * 30), measurement(["exact"] * 20))
    assert "Intersección de 20 ítems, no el mismo conjunto." in out


def test_other_judges_cannot_be_compared(tmp_path):
    first = measurement(["exact"] * 12)
    second = measurement(["exact"] * 12, judges=[{"id": "j1", "family": "gemini", "version": "g-1"}])
    status, out, _ = compared(tmp_path, first, second, "--json")
    told = json.loads(out)
    assert status == 1
    assert told["refused"] == "not_comparable"
    assert [(fault["key"], fault["expected"], fault["found"]) for fault in told["faults"]] == [
        ("judges", "claude · c-1 · model", "gemini · g-1 · model")
    ]


@pytest.mark.parametrize("change", ["prompt", "eligibility"])
def test_other_prompts_cannot_be_compared(tmp_path, change):
    one = measurement(["exact"] * 12)
    runs = [{"files": {"judge/verdict-es-1.json": "aa"}, "judging": {"eligibility": False}} for _ in range(2)]
    if change == "prompt":
        runs[1]["files"]["judge/verdict-es-1.json"] = "bb"
    else:
        runs[1]["judging"]["eligibility"] = True
    paths = [
        packed(tmp_path, one, f"{place}.zip", run={"fingerprint": made}) for place, made in enumerate(runs)
    ]
    out = io.StringIO()
    assert commands.main(["compare", *map(str, paths), "--json"], out=out, err=io.StringIO()) == 1
    (fault,) = json.loads(out.getvalue())["faults"]
    assert fault["key"] in ("files.judge/verdict-es-1.json", "files.judging.eligibility")


def test_the_registry_compares_two_packages_to_the_same_numbers(tmp_path):
    sides = []
    for version, wrong in (("1.0", 50), ("1.1", 250)):
        arguments = [
            "simulate",
            "--into",
            str(tmp_path),
            "--system-version",
            version,
            "--incorrect",
            str(wrong),
        ]
        assert commands.main(arguments, out=io.StringIO(), err=io.StringIO()) == 0
        with (tmp_path / f"package-{version}.zip").open("rb") as source:
            sides.append(computing.answers(source)[1])
    theirs = comparison.compare(*sides, scheme=schemes.shipped()["HALU", "1"])
    out = io.StringIO()
    paths = [str(tmp_path / f"package-{version}.zip") for version in ("1.0", "1.1")]
    assert commands.main(["compare", *paths, "--json"], out=out, err=io.StringIO()) == 0
    ours = json.loads(out.getvalue())
    for told in (ours, theirs):
        # Of evidence that is not public the registry leaves small groups out; the client compares what it has.
        for outcome in told["outcomes"]:
            outcome["groups"] = [row for row in outcome["groups"] if row["band"] == "full"]
            del outcome["groups_left_out"]
    assert ours == theirs
