"""People judge blind, and what their spreadsheets make of the sheet is read or refused by line."""

import json

import pytest

from grading import calibration, reviews
from grading.harness import commands, measuring, review_sheets, scheme_files
from grading.harness.refusals import Refused
from grading.tests.harness.servers import item

SCHEME = scheme_files.shipped()["HALU", "1"]


def evaluation(factual=40, *, verdict="exact"):
    questions = [item(f"q{number:02}", language=("es", "en")[number % 2]) for number in range(factual)]
    questions.append(item("t1", "trap"))
    descriptor = {
        "format": "evaluation-package/1",
        "method": "hallucination",
        "scheme": {"code": "HALU", "version": "1"},
        "system": {"name": "Asistente", "version": "1.0", "holder": "Innova", "model_family": "gpt"},
        "measured_at": "2026-07-10T15:00:00Z",
        "judges": [{"id": "j1", "family": "claude", "version": "c-1"}],
    }
    responses = [{"item": one["id"], "answer": "=Treinta días.\nCon detalle."} for one in questions]
    verdicts = [{"item": one["id"], "judge": "j1", "verdict": verdict} for one in questions[:-1]]
    return measuring.Evaluation(descriptor, questions, responses, verdicts)


def sampled(measured, verdicts="cd"):
    return review_sheets.sample(measured, verdicts_sha256=verdicts * 32)


def people(path):
    return review_sheets.by_reviewer(review_sheets.read(path))


def test_the_sample_is_the_one_the_registry_draws():
    measured = measuring.measure(evaluation(80), SCHEME)
    chosen = [outcome.item["id"] for outcome in sampled(measured)]
    judged = [calibration.Judged(f"q{n:02}", "factual_direct", ("es", "en")[n % 2]) for n in range(80)]
    seed = calibration.seed_of(measured.set_sha256, "cd" * 32)
    assert chosen == calibration.sample(judged, seed=seed)
    assert len(chosen) == 60, "30 of each language"
    assert chosen != [outcome.item["id"] for outcome in sampled(measured, "ce")]


def test_the_sheet_is_blind_and_no_formula_and_the_registry_reads_it(tmp_path):
    measured = measuring.measure(evaluation(4), SCHEME)
    content = review_sheets.sheet(sampled(measured))
    text = content.decode("utf-8-sig")
    assert text.splitlines()[0] == ",".join(calibration.COLUMNS)
    for hidden in ("exact", "j1", "claude", "Asistente", "gpt"):
        assert hidden not in text
    assert "\"'=Treinta días." in text
    filled = text.replace(",,\r\n", ",Ana,exacta\r\n").encode()
    said = calibration.read(filled)
    assert not said.faults
    path = tmp_path / "sheet.csv"
    path.write_bytes(filled)
    assert people(path) == {"Ana": {review.item: "exact" for review in said.reviews}}


@pytest.mark.parametrize(
    "content",
    [
        b"item,verdict\nq1,exact\nq2,incorrect\n",
        "\ufeffítem;Veredicto\r\nq1;EXACTA\r\nq2;Incorrecta\r\n".encode(),
        'id\tveredicto humano\tnotas\nq1\tExacta\t"dos\nlíneas; y más"\nq2\terrónea\t\n'.encode(),
        b'item,answer,verdict,reviewer\nq1,"con ""comillas"", y\nsalto",exact,\nq2,x,wrong,\n\n',
        "item;verdict\r\nq1;exact\r\nq2;incorrect\r\n;;\r\n".replace(";;", ";").encode("utf-16"),
    ],
    ids=["plain", "bom and semicolons", "tabs, renamed, extra", "quoted newlines", "utf-16"],
)
def test_what_spreadsheets_do_is_understood(tmp_path, content):
    path = tmp_path / "sheet.csv"
    path.write_bytes(content)
    assert people(path) == {"": {"q1": "exact", "q2": "incorrect"}}


def test_what_was_changed_or_left_out_is_told(tmp_path):
    path = tmp_path / "sheet.csv"
    path.write_text("Ítem;veredicto;revisora;comentario\nq1;Mal fundada;Ana;x\nq2;;Ana;\nq3;incorrect;Ana;\n")
    assert people(path) == {"Ana": {"q1": "ill_founded", "q3": "incorrect"}}
    assert review_sheets.left_out(review_sheets.read(path)) == {
        "empty": 1,
        "normalised": {"Mal fundada → ill_founded": 1},
        "extra_columns": ["comentario"],
    }


@pytest.mark.parametrize(
    ("text", "fault", "line"),
    [
        ("item,verdict\nq1,exact\nq2,más o menos\n", "VERDICT_UNKNOWN", 3),
        ('item,verdict,x\nq1,exact,"a\nb"\nq2,exact\n', "ROW_LENGTH", 4),
        ("item,verdict\nq1,exact\nq1,incorrect\n", "REVIEWED_TWICE", 3),
        ("item,verdict\n,exact\n", "ITEM_MISSING", 2),
    ],
)
def test_what_cannot_be_understood_is_told_with_its_line(tmp_path, text, fault, line):
    path = tmp_path / "sheet.csv"
    path.write_text(text)
    with pytest.raises(Refused) as refused:
        review_sheets.read(path)
    assert [(one["code"], one["member"]) for one in refused.value.faults] == [(fault, f"sheet.csv:{line}")]


@pytest.mark.parametrize("head", ["item,answer", "pregunta,verdict", ""])
def test_a_missing_column_is_named(tmp_path, head):
    path = tmp_path / "sheet.csv"
    path.write_text(f"{head}\nq1,exact\n" if head else "")
    with pytest.raises(Refused, match="table_faults") as refused:
        review_sheets.read(path)
    code = "COLUMN_MISSING" if head else "EMPTY"
    assert {fault["code"] for fault in refused.value.faults} == {code}


def test_agreement_has_its_n_its_matrix_and_its_binary_kappa():
    judge = {f"q{n}": "exact" if n < 25 else "incorrect" for n in range(50)}
    human = {
        f"q{n}": "exact" if n < 20 or n >= 45 else "ill_founded" if n < 25 else "incorrect" for n in range(52)
    }
    told = reviews.between(judge, human)
    verdicts = told["verdicts"]
    assert (verdicts["n"], told["only_first"], told["only_second"]) == (50, 0, 2)
    assert verdicts["matrix"] == [[20, 0, 5, 0], [0, 0, 0, 0], [0, 0, 0, 0], [5, 0, 0, 20]]
    assert told["hallucinates"]["matrix"] == [[20, 5], [5, 20]]
    assert (told["hallucinates"]["kappa"], told["hallucinates"]["strength"]) == ("0.600000", "moderate")
    assert verdicts["per_category"]["ill_founded"] == "0.000000"
    assert verdicts["per_category"]["incomplete"] is None


def test_unjudged_answers_are_no_disagreement():
    told = reviews.between({"a": "exact", "b": "unjudged"}, {"a": "exact", "b": "exact"})
    assert (told["verdicts"]["n"], told["only_second"]) == (1, 1)


def kappa(*arguments):
    import io

    out, err = io.StringIO(), io.StringIO()
    status = commands.main(["kappa", *map(str, arguments)], out=out, err=err)
    return status, out.getvalue(), err.getvalue()


def test_the_command_compares_two_sheets_and_says_all_it_must(tmp_path):
    one, two = tmp_path / "juez.csv", tmp_path / "ana.csv"
    one.write_text(
        "item,verdict\n" + "".join(f"q{n},{'exact' if n < 30 else 'incorrect'}\n" for n in range(40))
    )
    two.write_text(
        "item;veredicto\n" + "".join(f"q{n};{'Exacta' if n < 28 else 'Incorrecta'}\n" for n in range(40))
    )
    status, out, _ = kappa(one, two, "--write", tmp_path / "reviews.csv", "--reviewer", "Ana")
    assert status == 0
    assert "n: 40 respuestas comparadas" in out
    assert "0,88 [0,71 – 1,00] · casi perfecto (considerable – casi perfecto) · n = 40" in out.replace(
        "\u00a0", " "
    )
    assert "38 de 40" in out.replace("\u00a0", " ")
    assert "etiquetas normalizadas: Exacta → exact ×28, Incorrecta → incorrect ×12" in out
    assert (tmp_path / "reviews.csv").read_text().splitlines()[1] == "q0,Ana,exact"


def test_one_category_and_full_agreement_read_right(tmp_path):
    one, two = tmp_path / "a.csv", tmp_path / "b.csv"
    one.write_text("item,verdict\n" + "".join(f"q{n},exact\n" for n in range(35)))
    two.write_bytes(one.read_bytes())
    _, out, _ = kappa(one, two)
    assert (
        "Kappa no definido: todas las respuestas están en una sola categoría. Acuerdo simple: 35 de 35."
        in out
    )
    text = "item,verdict\n" + "".join(f"q{n},{('exact', 'incorrect')[n % 2]}\n" for n in range(20))
    one.write_text(text)
    two.write_text(text)
    _, out, _ = kappa(one, two, "--language", "en")
    assert "Agreement in all 20. With 95% confidence, the true disagreement does not exceed 14.0%" in out
    assert "Indicative: fewer than 30 answers." in out


def test_three_people_have_a_fleiss_kappa_beside_the_pairs(tmp_path):
    paths = []
    for person in range(3):
        path = tmp_path / f"{person}.csv"
        path.write_text(
            "item,verdict\n"
            + "".join(f"q{n},{('exact', 'incorrect')[(n + (n == person)) % 2]}\n" for n in range(12))
        )
        paths.append(path)
    status, out, _ = kappa(*paths, "--json")
    told = json.loads(out)
    assert (status, len(told["agreement"]), told["fleiss"]["verdicts"]["raters"]) == (0, 3, 3)
    paths[2].write_text("item,verdict\nq0,exact\n")
    _, out, _ = kappa(*paths)
    assert (
        "Kappa de Fleiss: no se calcula; no todas las respuestas tienen el mismo número de veredictos" in out
    )


def test_nothing_in_common_is_no_agreement(tmp_path):
    for name, item_ in (("a", "q1"), ("b", "q2")):
        (tmp_path / f"{name}.csv").write_text(f"item,verdict\n{item_},exact\n")
    status, _, err = kappa(tmp_path / "a.csv", tmp_path / "b.csv")
    assert status == 1
    assert "ninguna respuesta en común" in err
