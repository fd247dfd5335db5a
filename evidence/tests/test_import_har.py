"""A run recorded elsewhere becomes a package that says who recorded it, or is refused with every wrong place named."""

import json
import zipfile
from pathlib import Path

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from evidence import har, submitted_run
from evidence.management.commands import import_har
from evidence.run_records import read_run

# Chromium on the glossary, with a cookie and an Authorization header, written by Playwright.
RECORDED = Path(__file__).parent / "har" / "chromium.har"
SECRETS = (b"galleta-secreta-9f8e7d", b"un-secreto-de-la-sesion-42", b"127.0.0.1")
ANSWER = "MCP es un protocolo abierto. http://observatoriodeagentes.com/conceptos/mcp"


def description(**changes):
    return {
        "format": "submitted-run/1",
        "system": {
            "name": "Asistente Ejemplo",
            "version": "2026.11.1",
            "holder": "Ejemplo SpA",
            "model_family": "x",
        },
        "run": "laboratorio, tercera",
        "test_case": "PI-001",
        "case_version": 1,
        "start_domain": "observatoriodeagentes.com",
        "hosts": ["127.0.0.1:3000"],
        "assignment": "Necesito una definición citable.",
        "tools": ["browser"],
        "language": "es",
        "clean_session": True,
        "closed_at": "2026-11-30T12:40:00Z",
        "limits": {"requests": 3, "seconds": 1200},
        "interventions": [],
        "knew_catalogue": False,
    } | changes


@pytest.fixture
def files(tmp_path):
    """The three files, and the package that is to be."""
    (tmp_path / "run.json").write_text(json.dumps(description()))
    (tmp_path / "answer.txt").write_text(f"{ANSWER} galleta-secreta-9f8e7d")
    (tmp_path / "trace.har").write_bytes(RECORDED.read_bytes())
    return tmp_path


def run(files, *more):
    arguments = [str(files / "trace.har"), "--run", str(files / "run.json")]
    arguments += ["--answer", str(files / "answer.txt"), "--into", str(files / "package.zip")]
    call_command(import_har.Command(), *arguments, *more)


def refused(files, capsys):
    with pytest.raises(SystemExit) as ended:
        run(files, "--json")
    assert ended.value.code == 1
    assert not (files / "package.zip").exists()
    return [
        (one["code"], one["member"], one["key"]) for one in json.loads(capsys.readouterr().out)["findings"]
    ]


def test_what_a_browser_recorded_becomes_an_intact_package(files, capsys):
    run(files, "--json")
    answer = json.loads(capsys.readouterr().out)
    assert answer["findings"] == []
    assert answer["recorded_by"] == "submitter"
    assert (answer["requests"], answer["elsewhere"], answer["without_body"]) == (4, 0, 0)
    package = zipfile.ZipFile(files / "package.zip")
    exchanges = [json.loads(line) for line in package.read("data/trace.jsonl").splitlines()]
    assert [one["url"].partition(".com")[2] for one in exchanges] == [
        "/",
        "/condiciones",
        "/conceptos/",
        "/conceptos/mcp",
    ]
    assert [one["beyond_limit"] for one in exchanges] == [False, False, False, True]
    for one in exchanges:
        assert len(package.read(f"data/bodies/{one['response']['sha256']}")) == one["response"]["size"]


def test_no_secret_of_the_trace_is_in_the_package(files, capsys):
    run(files)
    package = zipfile.ZipFile(files / "package.zip")
    for name in package.namelist():
        for secret in SECRETS:
            assert secret not in package.read(name), name
    assert package.read("data/final-answer.txt").decode() == f"{ANSWER} [removed]"
    told = capsys.readouterr().out
    assert "Consta como registrada por quien la entregó" in told
    assert "galleta" not in told


def test_the_run_says_who_recorded_it_and_has_neither_token_nor_number_of_ours(files, capsys):
    run(files)
    written, faults = read_run(zipfile.ZipFile(files / "package.zip").read("data/run.json"))
    assert faults == []
    assert written.recorded_by == "submitter"
    assert (written.token_sha256, written.token_issued_at) == (None, None)
    assert written.run == "laboratorio, tercera"
    assert written.started_at.isoformat() == "2026-11-30T12:30:58.913000+00:00"


@pytest.mark.parametrize(
    ("interventions", "knew", "outcome"),
    [
        ([], False, None),
        ([{"kind": "other_help"}], False, "assisted"),
        ([{"kind": "routes", "note": "le dimos la dirección"}], False, "invalidated"),
        ([], True, "invalidated"),
    ],
)
def test_what_was_declared_decides_the_outcome(interventions, knew, outcome):
    told, faults = submitted_run.read(
        json.dumps(description(interventions=interventions, knew_catalogue=knew)).encode()
    )
    assert faults == []
    imported = har.read(
        RECORDED.read_bytes(), start_domain=told.start_domain, limits=told.limits, hosts=frozenset(told.hosts)
    )
    written, faults = read_run(submitted_run.members(told, imported, ANSWER)["run.json"])
    assert faults == []
    assert written.outcome == outcome


def test_the_same_files_give_the_same_package(files, capsys):
    run(files)
    first = (files / "package.zip").read_bytes()
    run(files)
    assert (files / "package.zip").read_bytes() == first


def test_a_run_that_calls_itself_one_of_ours_is_refused(files, capsys):
    (files / "run.json").write_text(json.dumps(description(run="EJ-2026-000012")))
    assert refused(files, capsys) == [("VALUE_NOT_ALLOWED", "data/run.json", "run")]


def test_every_fault_of_the_description_is_named(files, capsys):
    wrong = description(language=None, tools="browser", recorded_by="registry")
    wrong["system"]["version"] = "latest"
    (files / "run.json").write_text(json.dumps(wrong))
    (files / "answer.txt").write_bytes(b"\xff")
    assert set(refused(files, capsys)) == {
        ("UNKNOWN_KEY", "run.json", "recorded_by"),
        ("WRONG_TYPE", "run.json", "tools"),
        ("MISSING_KEY", "run.json", "language"),
        ("INVALID_UTF8", "answer.txt", None),
    }
    (files / "run.json").write_text(json.dumps(description(system=wrong["system"], format="x")))
    assert set(refused(files, capsys)) == {
        ("FORMAT_UNSUPPORTED", "run.json", "format"),
        ("VERSION_FLOATING", "run.json", "system.version"),
        ("INVALID_UTF8", "answer.txt", None),
    }


def test_a_faulty_har_is_named_with_its_places(files, capsys):
    recorded = json.loads(RECORDED.read_text())
    recorded["log"]["entries"][2]["startedDateTime"] = "ayer"
    (files / "trace.har").write_text(json.dumps(recorded))
    assert refused(files, capsys) == [("VALUE_NOT_ALLOWED", "trace.har", "log.entries[2].startedDateTime")]


def test_a_file_that_is_not_there_is_wrong_usage(files):
    (files / "answer.txt").unlink()
    with pytest.raises(CommandError) as error:
        run(files)
    assert error.value.returncode == 2
