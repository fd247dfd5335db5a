"""`compute_figures`, as a buyer's script calls it: a package in, figures or findings out, no database."""

import io
import json
import subprocess
import sys
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from evidence import packing
from grading import computing, data
from grading.tests.packages import descriptor, item, package, response, verdict

ROOT = Path(__file__).resolve().parents[2]
DECLARED = [
    {"metric": "hallucination", "denominator": "judged", "value": "0.500"},
    {"metric": "accuracy", "denominator": "judged", "value": "0.900"},
]


def zipped(path, files):
    with path.open("wb") as into:
        packing.pack({name.removeprefix("data/"): content for name, content in files.items()}, into=into)
    return path


@pytest.fixture
def sound(tmp_path):
    files = package(
        [item("a"), item("b", language="pt")],
        [response("a"), response("b")],
        [verdict("a"), verdict("b", "incorrect")],
        of=descriptor(declared_figures=DECLARED),
    )
    return zipped(tmp_path / "package.zip", files)


@pytest.fixture
def refused(tmp_path):
    return zipped(tmp_path / "refused.zip", package([item("a", pregunta="x")], [response("a")], []))


def run(*arguments):
    out = io.StringIO()
    try:
        call_command("compute_figures", *arguments, stdout=out)
        status = 0
    except SystemExit as stop:
        status = stop.code
    return status, out.getvalue()


def test_json_is_the_shape_that_others_rely_on(sound):
    status, out = run(str(sound), "--json")
    answer = json.loads(out)
    assert status == 0
    assert {"set_sha256", "method", "figures", "groups", "agreement", "declared", "criteria"} <= answer.keys()
    assert answer["criteria"] is None
    assert answer["groups"].keys() == {"homogeneity", "worst", "gaps", "macro"}
    assert answer["groups"]["gaps"] is None
    found = {
        (one["metric"], one["denominator"], one["group"]): one
        for one in answer["figures"]
        if one["category"] is None
    }
    figure = found["hallucination", "judged", None]
    assert (figure["k"], figure["n"], figure["estimate"]) == (1, 2, "0.500000")
    assert found["accuracy", "judged", "pt"]["k"] == 0
    assert [one["outcome"] for one in answer["declared"]] == ["coincides", "differs"]


def test_a_declared_figure_that_differs_is_told_and_no_failure(sound):
    status, out = run(str(sound))
    assert status == 0
    assert "difiere" in out
    assert "1\u00a0de\u00a02" in out
    assert "differs" in run(str(sound), "--language", "en")[1]


def test_a_refused_package_gets_the_answer_of_check_package(refused):
    status, out = run(str(refused), "--json")
    answer = json.loads(out)
    assert status == 1
    assert answer["integrity"] == "failed"
    assert [(one["code"], one["member"], one["key"]) for one in answer["findings"]] == [
        ("UNKNOWN_KEY", "data/items.jsonl:1", "pregunta")
    ]
    assert run(str(refused))[0] == 1


def test_another_scheme_file(sound, tmp_path):
    rules = {**json.loads(data.read("schemes/HALU-1.json")), "code": "TQA", "max_evidence_age": 3650}
    scheme = tmp_path / "TQA-1.json"
    scheme.write_text(json.dumps(rules))
    answer = json.loads(run(str(sound), "--scheme", str(scheme), "--json")[1])
    assert answer["scheme"]["code"] == "TQA"
    assert {"code": "other_scheme_declared", "declared": "HALU 1"} in answer["limitations"]


@pytest.mark.parametrize("content", [None, "{}", "nonsense"])
def test_a_file_that_is_no_scheme_is_wrong_usage(sound, tmp_path, content):
    scheme = tmp_path / "scheme.json"
    if content is not None:
        scheme.write_text(content)
    with pytest.raises(CommandError) as refusal:
        run(str(sound), "--scheme", str(scheme))
    assert refusal.value.returncode == 2


def test_a_file_that_is_not_there_is_wrong_usage(tmp_path):
    with pytest.raises(CommandError) as refusal:
        run(str(tmp_path / "none.zip"))
    assert refusal.value.returncode == 2


def test_what_is_no_zip_is_refused(tmp_path):
    file = tmp_path / "letter.txt"
    file.write_text("Estimados señores")
    status, out = run(str(file), "--json")
    assert status == 1
    assert json.loads(out)["findings"][0]["code"] == "NOT_A_ZIP"


def test_of_sealed_items_no_question_is_printed(tmp_path):
    secret = "canario-7413"
    files = package(
        [item("a", question=secret)],
        [response("a", answer=secret)],
        [],
        of=descriptor(sealed=["data/items.jsonl"]),
    )
    path = zipped(tmp_path / "sealed.zip", files)
    for options in ([], ["--json"], ["--language", "en"]):
        status, out = run(str(path), *options)
        assert status == 0
        assert secret not in out


def test_figures_need_neither_django_nor_settings(sound):
    code = (
        "import sys; from grading import computing; "
        "report, result, descriptor = computing.compute(open(sys.argv[1], 'rb')); "
        "assert not [name for name in sys.modules if name.split('.')[0] in ('django', 'numpy', 'scipy')]; "
        "print(report.integrity, len(result.figures), descriptor.system.holder)"
    )
    run_ = subprocess.run([sys.executable, "-c", code, str(sound)], cwd=ROOT, capture_output=True, text=True)
    assert run_.returncode == 0, run_.stderr
    assert run_.stdout.startswith("verified ")


def test_the_scheme_of_a_descriptor_must_be_known(tmp_path):
    files = package([item("a")], [response("a")], [], of=descriptor(scheme={"code": "X", "version": "1"}))
    with zipped(tmp_path / "x.zip", files).open("rb") as source:
        report, result, _ = computing.compute(source)
    assert result is None
    assert [one.code for one in report.findings] == ["SCHEME_UNKNOWN"]
    with zipped(tmp_path / "x.zip", files).open("rb") as source, pytest.raises(computing.SchemeMissing):
        computing.compute(source, known_schemes={("X", "1")})


def test_an_offline_check_knows_the_categories_of_the_scheme_too(tmp_path, sound):
    """What the registry would refuse after the upload is refused before it."""
    foreign = package([item("a", category="mystery")], [response("a")], [verdict("a")])
    told = io.StringIO()
    with pytest.raises(SystemExit) as stop:
        call_command("check_package", str(zipped(tmp_path / "foreign.zip", foreign)), "--json", stdout=told)
    assert stop.value.code == 1
    (finding,) = json.loads(told.getvalue())["findings"]
    assert (finding["code"], finding["key"], finding["found"]) == ("VALUE_NOT_ALLOWED", "category", "mystery")
    call_command("check_package", str(sound), stdout=io.StringIO())


def test_groups_criteria_and_agreement_in_words(tmp_path):
    items = [item(f"{language}{n}", language=language) for language in ("es", "pt") for n in range(60)]
    verdicts = [
        verdict(one["id"], "incorrect" if one["id"].startswith("pt") and n % 3 else "exact")
        for n, one in enumerate(items)
    ]
    reviews = "item,reviewer,verdict\n" + "".join(f"{one['item']},ana,{one['verdict']}\n" for one in verdicts)
    files = package(items, [response(one["id"]) for one in items], verdicts, reviews=reviews)
    path = zipped(tmp_path / "package.zip", files)
    scheme = ROOT / "grading" / "tests" / "schemes" / "CLAUSE-1.json"
    status, out = run(str(path), "--scheme", str(scheme))
    assert status == 0
    assert "Respecto de es: pt" in out
    assert "Criterio de aceptación: no conforme" in out
    assert "set_custody: no se cumple" in out
    assert "Acuerdo entre el juez y personas: kappa de Cohen 1,00" in out
    assert "does not conform" in run(str(path), "--scheme", str(scheme), "--language", "en")[1]
    assert (
        json.loads(run(str(path), "--scheme", str(scheme), "--json")[1])["criteria"]["outcome"]
        == "does_not_conform"
    )
