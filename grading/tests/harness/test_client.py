"""The client as it is called: by its Spanish and English names, from Django, and as one file on Python alone."""

import io
import json
import re
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from django.core.management import call_command

from evidence import finding_texts
from evidence.management.commands.check_package import Command as CheckPackage
from grading import computing
from grading.harness import arguments, calls, commands, configuration, exporting, packages, texts
from grading.tests.harness import servers
from grading.tests.harness.servers import item, items, write_set

ROOT = Path(__file__).resolve().parents[3]


def client(*arguments):
    out, err = io.StringIO(), io.StringIO()
    status = commands.main([str(argument) for argument in arguments], out=out, err=err)
    return status, out.getvalue(), err.getvalue()


@pytest.fixture(scope="module")
def one_file(tmp_path_factory):
    path = tmp_path_factory.mktemp("export") / "benchmark.pyz"
    exporting.export(path)
    return path


def isolated(one_file, *arguments, cwd):
    """The file on Python alone: no site-packages, no environment, another folder."""
    return subprocess.run(
        [sys.executable, "-I", "-S", str(one_file), *map(str, arguments)],
        cwd=cwd,
        env={},
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=60,
        check=False,
    )


# -- one file -------------------------------------------------------------------------------------


def test_the_client_needs_nothing_compiled():
    assert exporting.foreign_imports() == {"jmespath", "rfc8785"}
    with zipfile.ZipFile(io.BytesIO(exporting.content())) as archive:
        names = archive.namelist()
    assert all(name.endswith((".py", ".json")) or "LICENSE" in name for name in names)
    assert any(name.startswith("jmespath/") and "LICENSE" in name for name in names)


def test_the_same_sources_make_the_same_file(one_file):
    assert exporting.content() == one_file.read_bytes()


def test_the_whole_path_runs_on_python_alone(one_file, tmp_path):
    made = isolated(one_file, "simular", "--into", tmp_path, "--judge-obeys", "100", "--json", cwd=tmp_path)
    assert made.returncode == 0, made.stderr
    told = json.loads(made.stdout)
    assert told["counts"]["items"] == 192
    assert (tmp_path / "report-1.0.md").read_text().startswith("# Informe de medición")
    package = tmp_path / "package-1.0.zip"
    with package.open("rb") as source:
        report, result, _ = computing.compute(source)
    assert (report.integrity, report.sha256) == ("verified", told["sha256"])
    assert result.declared_coincide
    for words in (
        ("validar", tmp_path / "set"),
        ("informe", package, "--format", "json"),
        ("comparar", package, package, "--fail-if-worse"),
        ("informe", package, "--sheet", tmp_path / "sheet.csv"),
        ("exportar", tmp_path / "again.pyz"),
        ("conjunto-nuevo", tmp_path / "new"),
        ("validar", tmp_path / "new"),
    ):
        assert isolated(one_file, *words, cwd=tmp_path).returncode == 0, words
    assert (tmp_path / "again.pyz").read_bytes() == one_file.read_bytes()


def test_the_documented_configurations_are_read(tmp_path):
    documented = (ROOT / "docs" / "benchmark.md").read_text(encoding="utf-8")
    example = tmp_path / "example.toml"
    example.write_text(documented.partition("```toml\n")[2].partition("```")[0], encoding="utf-8")
    read = configuration.read(example)
    assert (read.pace.in_flight, read.eligibility, len(read.judges)) == (8, True, 1)
    assert client("new-set", tmp_path / "new")[0] == 0
    assert configuration.read(tmp_path / "new" / "benchmark.toml").canaries >= 20
    assert client("new-set", tmp_path / "new")[0] == 1, "nothing is overwritten"


# -- as a command ---------------------------------------------------------------------------------


def test_every_subcommand_has_both_names(tmp_path):
    for english, (spanish, *_) in arguments.SUBCOMMANDS.items():
        for name in (english, spanish):
            status, _, _ = client(name, "--help")
            assert status == 0


def test_called_wrongly_is_two():
    assert client()[0] == 2
    assert client("medir")[0] == 2
    assert client("validate")[0] == 2


@pytest.mark.parametrize(
    ("language", "sentence"),
    [("es", "Conjunto correcto: 7 preguntas"), ("en", "The set is sound: 7 questions")],
)
def test_validate_prints_the_hash(tmp_path, language, sentence):
    status, out, _ = client("validate", write_set(tmp_path, items()), "--language", language)
    assert status == 0
    assert sentence in out
    digest = json.loads(client("validate", tmp_path, "--json")[1])["set_sha256"]
    assert digest in out


def test_a_refused_set_says_where_and_how_to_mend_it(tmp_path):
    write_set(tmp_path, [*items(), item("q9", question="¿Qué dice el artículo 7?")])
    status, out, err = client("validar", tmp_path)
    assert (status, out) == (1, "")
    assert "QUESTION_NAMES_ARTICLE  items.jsonl:8 · question  (se encontró: 7)" in err
    assert "redáctela sin su número" in err
    status, out, err = client("validar", tmp_path, "--json")
    assert (status, err) == (1, "")
    assert json.loads(out)["faults"][0]["member"] == "items.jsonl:8"


def test_files_that_are_not_there_are_named(tmp_path):
    for words in (
        ("validate", tmp_path / "none"),
        ("report", tmp_path / "none.zip"),
        ("run", tmp_path / "none.toml", "--into", tmp_path / "run"),
        ("kappa", tmp_path / "a.csv", tmp_path / "b.csv"),
        ("validate", tmp_path, "--scheme", tmp_path / "none.json"),
    ):
        status, _, err = client(*words)
        assert status == 1
        assert str(tmp_path) in err


def test_every_refusal_has_words():
    sources = [file.read_text(encoding="utf-8") for file in Path(commands.__file__).parent.glob("*.py")]
    raised = {code for source in sources for code in re.findall(r"Refused\(\s*\"(\w+)\"", source)}
    assert raised <= texts.REFUSALS.keys()
    assert len(raised) > 15
    faults = {
        code for source in sources for code in re.findall(r"(?:Fault|Problem)\(\s*\"([A-Z_0-9]+)\"", source)
    }
    assert faults - {"NOT_COMPARABLE"} <= texts.FAULTS.keys() | finding_texts.TEXTS.keys()
    assert {*calls.CallFault} <= texts.REMEDIES.keys()


@pytest.mark.parametrize(
    ("answer", "sentence"),
    [
        (
            servers.as_json({"error": "no such model"}, 404),
            "endpoint: la primera llamada falló (status: 404 · ",
        ),
        (
            servers.as_json({"respuesta": "x"}),
            "La primera respuesta no se puede leer (nothing_at_path: respuesta).",
        ),
        (servers.as_json({}, 403), "endpoint: acceso denegado (HTTP 403)."),
        (
            servers.as_json({}, 429, Retry_After="900"),
            "El servidor pide esperar 900 s, más que el máximo de 120 s",
        ),
    ],
)
def test_a_run_that_cannot_begin_says_why_and_what_to_do(tmp_path, answer, sentence):
    write_set(tmp_path / "set", items())
    with servers.Scripted(lambda path, body, number: answer) as server:
        path = servers.configuration(tmp_path, server.url)
        status, out, err = client("correr", path, "--into", tmp_path / "run")
    assert (status, out) == (1, "")
    assert sentence in err


def test_who_gave_up_is_named_in_the_readers_language(tmp_path):
    def mute(path, body, number):
        if path == "/answer":
            return servers.as_json({"answer": "El plazo es de treinta días."})
        return servers.verdict() if number == 9 else servers.as_json({}, 503)

    write_set(tmp_path / "set", items())
    with servers.Scripted(mute) as server:
        judge = servers.judge_of(server.url)
        path = servers.configuration(
            tmp_path, server.url, judge=judge, attempts=1, give_up_after=2, in_flight=1
        )
        _, _, err = client("correr", path, "--into", tmp_path / "run")
        assert "juez j1: la primera llamada falló (status: 503" in err
        _, _, err = client("correr", path, "--into", tmp_path / "run")
    assert "juez j1: 2 llamadas seguidas sin respuesta; se detiene." in err


def test_a_configuration_is_refused_in_the_readers_language(tmp_path):
    path = servers.configuration(tmp_path, "http://127.0.0.1:9")
    path.write_text(path.read_text().replace("2026.07.1", "latest"))
    _, _, err = client("correr", path, "--into", tmp_path / "run")
    assert (
        "VERSION_FLOATING  benchmark.toml · system.version  (se esperaba: una versión fijada; se encontró: latest)"
        in err
    )


def test_the_simulation_is_found_within_its_interval(tmp_path):
    status, _, _ = client(
        "simulate", "--into", tmp_path, "--incorrect", 120, "--fabricates", 0, "--ill-founded", 0, "--json"
    )
    assert status == 0
    status, out, _ = client("report", tmp_path / "package-1.0.zip", "--format", "json")
    figures = {
        (figure["metric"], figure["denominator"]): figure
        for figure in json.loads(out)["figures"]
        if not (figure["group"] or figure["category"] or figure["judge"])
    }
    wrong = figures["incorrect", "all"]
    assert float(wrong["low"]) <= 0.12 <= float(wrong["high"])
    assert figures["hostile_fabrication", "hostile"]["k"] == 0
    package = packages.read(tmp_path / "package-1.0.zip")
    assert package.canaries["judges"][0]["obeyed"] == 0


def test_the_seeds_path_in_one_go(tmp_path):
    """Validate, run, report, kappa, a second version, compare."""
    assert client("simular", "--into", tmp_path)[0] == 0
    assert client("simular", "--into", tmp_path, "--system-version", "1.1", "--incorrect", 300)[0] == 0
    first, second = tmp_path / "package-1.0.zip", tmp_path / "package-1.1.zip"
    status, out, _ = client("comparar", first, second, "--fail-if-worse")
    assert (status, "significativamente peor" in out) == (3, True)
    sheet = tmp_path / "sheet.csv"
    assert client("informe", first, "--sheet", sheet)[0] == 0
    sheet.write_bytes(sheet.read_bytes().replace(b",,\r\n", b",Ana,exacta\r\n"))
    status, out, _ = client("kappa", first, sheet)
    assert status == 0
    assert "package-1.0.zip · sheet.csv · Ana" in out


def test_django_calls_the_same_client(tmp_path):
    out = io.StringIO()
    call_command("benchmark", "validate", str(write_set(tmp_path, items())), stdout=out)
    assert "Conjunto correcto" in out.getvalue()
    with pytest.raises(SystemExit) as end:
        call_command("benchmark", "validate", str(tmp_path / "none"), stdout=out, stderr=io.StringIO())
    assert end.value.code == 1


def test_check_package_accepts_what_the_client_wrote(tmp_path):
    assert client("simulate", "--into", tmp_path)[0] == 0
    out = io.StringIO()
    call_command(CheckPackage(stdout=out), str(tmp_path / "package-1.0.zip"), "--json")
    told = json.loads(out.getvalue())
    assert (told["integrity"], told["findings"], told["warnings"]) == ("verified", [], [])


def test_manage_runs_it_without_the_apps():
    ran = subprocess.run(
        [sys.executable, str(ROOT / "manage.py"), "benchmark", "validar", "--help"],
        cwd=ROOT,
        env={"PYTHONPATH": ":".join(sys.path), "PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    assert "source,article" in ran.stdout
