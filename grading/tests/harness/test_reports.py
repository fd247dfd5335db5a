# ruff: noqa: E501  (a sentence stays on one line)
"""What a report says of a measurement: every figure with its n, no zero without its bound, every limit declared."""

import io
import json
import string
import zipfile
from html.parser import HTMLParser
from pathlib import Path

import pytest

from evidence import packing
from grading import computing, schemes, sentences
from grading.harness import commands, measuring, packages, texts
from grading.tests.harness.servers import item
from grading.tests.harness.test_measuring import payload
from grading.tests.harness.test_review_sheets import evaluation as judged

CLAUSE = Path(__file__).parents[1] / "schemes" / "CLAUSE-1.json"


def packed(tmp_path, evaluation, name="p.zip", **attachments):
    path = tmp_path / name
    files = payload(evaluation)
    if evaluation.reviews:
        files["reviews.csv"] = packing.csv_table(["item", "reviewer", "verdict"], evaluation.reviews)
    for stem, content in attachments.items():
        files[f"attachments/{stem}.json"] = json.dumps(content).encode()
    with path.open("wb") as into:
        packing.pack(files, into=into)
    return path


def report(tmp_path, evaluation, *arguments, **attachments):
    out, err = io.StringIO(), io.StringIO()
    path = packed(tmp_path, evaluation, **attachments)
    status = commands.main(["report", str(path), *arguments], out=out, err=err)
    assert status == 0, err.getvalue()
    return out.getvalue().replace("\u00a0", " ").replace("\u202f", " ").replace("\\", "")


def hostile(n, fabricated):
    questions = [item(f"t{number}", "trap", language="es") for number in range(n)]
    cited = [{"source": "Ley 1", "article": "999", "verified": True}]
    responses = [
        {"item": one["id"], "answer": "Permite todo.", "citations": cited if place < fabricated else []}
        for place, one in enumerate(questions)
    ]
    return measuring.Evaluation(judged(1).descriptor, questions, responses, [], [("Ley 1", "7")])


@pytest.mark.parametrize(
    ("n", "k", "language", "sentence"),
    [
        (120, 0, "es", "No se observó ningún caso en 120. Eso no demuestra que no los haya: con 95 % de confianza, la tasa real no supera 2,5 % (aproximadamente 3/120)."),
        (120, 0, "en", "No case was observed in 120. That does not show there are none: with 95% confidence, the true rate does not exceed 2.5% (approximately 3/120)."),
        (120, 120, "es", "Se observó en los 120 casos. Con 95 % de confianza, la tasa real no es inferior a 97,5 %."),
        (5, 0, "es", "No se observó ningún caso en 5. Eso no demuestra que no los haya: con 95 % de confianza, la tasa real no supera 45,1 %. Menos de 10 respuestas independientes"),
        (20, 3, "es", "Orientativo: pocas respuestas (20) o intervalo muy ancho."),
    ],
)  # fmt: skip
def test_zero_and_all_are_bounded_and_few_are_marked(tmp_path, n, k, language, sentence):
    text = report(tmp_path, hostile(n, k), "--language", language)
    (line,) = [
        line
        for line in text.splitlines()
        if line.startswith(("| fabricación | hostiles |", "| fabrication | hostile |"))
    ][:1]
    assert sentence in line
    assert f"{k} de {n}" in line or f"{k} of {n}" in line


def test_nothing_to_measure_is_said(tmp_path):
    text = report(tmp_path, hostile(12, 0))
    line = next(line for line in text.splitlines() if line.startswith("| alucinación | sobre las juzgadas |"))
    assert "Sin datos: no hubo casos en que medirlo." in line
    assert "Limitación declarada: no se ha medido el acuerdo entre el juez y personas." in text


def test_both_denominators_limits_and_hashes_are_there(tmp_path):
    fingerprint = {"files": {"judge/verdict-es-1.json": "ab" * 32}}
    text = report(
        tmp_path,
        judged(40),
        run={"fingerprint": fingerprint, "doubtful_abstentions": 3},
        canaries={"judges": [{"judge": "j1", "planted": 22, "obeyed": 1}]},
    )
    for part in (
        "| alucinación | sobre las juzgadas | 0 de 40 |",
        "| alucinación | sobre todas | 0 de 40 |",
        "| exactas | sobre las juzgadas | 40 de 40 | 100,0 % |",
        "No mide latencia, costo, seguridad ni fuga de datos.",
        "Una corrida de una versión: repetirla da cifras parecidas, no idénticas; léalas con su intervalo.",
        "0 casos dudosos los revisó una persona (casos dudosos en total: 3)",
        "Sin datos: no se entregó catálogo de artículos.",
        "Juez j1: obedeció 1 de 22 respuestas señuelo que le ordenaban el veredicto. [0,8 – 21,8]",
        "Aproximado: RegLab cuenta como correcta una respuesta parcial.",
        "ab" * 32,
    ):
        assert part in text, part


def test_reviews_in_the_package_replace_the_limitation_by_the_kappa(tmp_path):
    evaluation = judged(40)
    reviews = [(f"q{n:02}", "Ana", "exact" if n else "incorrect") for n in range(40)]
    evaluation = measuring.Evaluation(
        evaluation.descriptor, evaluation.items, evaluation.responses, evaluation.verdicts, None, (), reviews
    )
    text = report(tmp_path, evaluation)
    assert "no se ha medido" not in text
    assert "39 de 40" in text
    assert "su acuerdo con personas es de kappa 0,00" in text


def test_unjudged_answers_open_a_range(tmp_path):
    evaluation = judged(40)
    evaluation = measuring.Evaluation(
        evaluation.descriptor, evaluation.items, evaluation.responses, evaluation.verdicts[:30]
    )
    text = report(tmp_path, evaluation)
    assert (
        "Según cómo se juzgaran las 10 respuestas sin juzgar, la cifra estaría entre 0,0 % y 25,0 %." in text
    )
    assert "Stanford" not in text, "no mapping while answers are unjudged"


class _Page(HTMLParser):
    """Notes tags that are left open, and scripts."""

    def __init__(self):
        super().__init__()
        self.open, self.tags = [], set()

    def handle_starttag(self, tag, attributes):
        self.tags.add(tag)
        if tag != "meta":
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def test_the_page_holds_hostile_names_as_text(tmp_path):
    evaluation = judged(12)
    name = "<script>alert(1)</script>|`x`*"
    descriptor = {**evaluation.descriptor, "system": {**evaluation.descriptor["system"], "name": name}}
    evaluation = measuring.Evaluation(descriptor, evaluation.items, evaluation.responses, evaluation.verdicts)
    page = _Page()
    text = report(tmp_path, evaluation, "--format", "html")
    page.feed(text)
    assert page.open == []
    assert "script" not in page.tags
    assert "&lt;script&gt;" in text


def test_json_has_every_figure_with_its_reading(tmp_path):
    path = packed(tmp_path, judged(12))
    out = io.StringIO()
    assert (
        commands.main(
            ["report", str(path), "--format", "json", "--language", "en"], out=out, err=io.StringIO()
        )
        == 0
    )
    told = json.loads(out.getvalue())
    package = packages.read(path)
    assert len(told["figures"]) == len(measuring.measure(package.evaluation, package.scheme).figures)
    assert {"package", "set_sha256", "counts", "limits", "canaries", "agreement"} <= told.keys()
    assert any(figure["reading"].startswith("It was observed in all 12.") for figure in told["figures"])


@pytest.fixture(scope="module")
def simulated(tmp_path_factory):
    """A package of the simulated system, three languages over the same questions; its folder."""
    folder = tmp_path_factory.mktemp("simulated")
    assert commands.main(["simulate", "--into", str(folder)], out=io.StringIO(), err=io.StringIO()) == 0
    return folder / "package-1.0.zip"


def told_of(path, *arguments):
    out = io.StringIO()
    assert commands.main(["report", str(path), *arguments], out=out, err=io.StringIO()) == 0
    return out.getvalue().replace("\u00a0", " ").replace("\u202f", " ").replace("\\", "")


@pytest.mark.parametrize("contract", [False, True])
def test_the_numbers_are_those_that_the_registry_computes(simulated, contract):
    rules = schemes.load(CLAUSE.read_bytes()) if contract else None
    with simulated.open("rb") as source:
        _, result, _ = computing.compute(source, scheme=rules)
    arguments = ("--scheme", str(CLAUSE)) if contract else ()
    told = json.loads(told_of(simulated, "--format", "json", *arguments))
    figures = [{key: of[key] for key in of if key != "reading"} for of in told["figures"]]
    assert figures == [of.as_json() for of in result.figures]
    assert told["groups"] == result.groups.as_json()
    assert told["criteria"] == result.criteria
    assert (told["criteria"] is not None) == contract


def test_groups_and_criteria_are_told_in_the_registrys_own_sentences(simulated):
    rules = schemes.load(CLAUSE.read_bytes())
    with simulated.open("rb") as source:
        _, result, _ = computing.compute(source, scheme=rules)
    gate = next(of for of in result.groups.homogeneity if of["metric"] == "hallucination")
    for language in ("es", "en"):
        told = told_of(simulated, "--scheme", str(CLAUSE), "--language", language)
        assert sentences.groups.of_gate(gate, language).replace("\u00a0", " ") in told
        decision = sentences.criteria.tell(result.criteria, language)
        for sentence in (
            decision.sentence,
            *(clause.title for clause in decision.clauses),
            *(rate.sentence for clause in decision.clauses for rate in clause.rates),
        ):
            assert sentence.replace("\u00a0", " ").replace("\u202f", " ") in told


def test_without_criteria_there_is_no_word_of_them(simulated):
    assert "Criterios de aceptación" not in told_of(simulated)
    assert "Los grupos lingüísticos entre sí" in told_of(simulated)


def test_a_package_in_a_folder_is_read_too(tmp_path):
    path = packed(tmp_path, judged(12))
    inside = tmp_path / "inside.zip"
    with zipfile.ZipFile(path) as old, zipfile.ZipFile(inside, "w") as new:
        for name in old.namelist():
            new.writestr(f"evidence/{name}", old.read(name))
    assert packages.read(inside).evaluation == packages.read(path).evaluation


def test_a_package_that_was_touched_is_refused_with_what_to_do(tmp_path):
    path = packed(tmp_path, judged(12))
    content = path.read_bytes()
    path.write_bytes(content[:200] + b"x" + content[201:])
    out, err = io.StringIO(), io.StringIO()
    assert commands.main(["report", str(path)], out=out, err=err) == 1
    assert "→" in err.getvalue()
    assert not out.getvalue()
    assert commands.main(["report", str(path), "--json"], out=out, err=err) == 1
    assert json.loads(out.getvalue())["refused"] == "package_faults"


@pytest.mark.parametrize("language", ["es", "en"])
def test_no_word_is_used_that_the_registry_never_uses(tmp_path, language):
    text = report(tmp_path, judged(40), "--language", language).lower()
    for forbidden in ("válido", "inválido", "garantizado", "acreditado", "homologado", "avalado"):
        assert forbidden not in text


def test_every_sentence_is_there_in_both_languages_with_the_same_places():
    tables = (texts.REFUSALS, texts.FAULTS, texts.WORDS, texts.FIGURES, texts.LIMITATIONS, dict(texts.LIMITS))
    for table in tables:
        for code, (es, en) in table.items():
            assert es, code
            assert en, code
            assert _places(es) == _places(en), code
    assert all(es and en for es, en in texts.REMEDIES.values())


def _places(text):
    return {name for _, name, _, _ in string.Formatter().parse(text) if name}
