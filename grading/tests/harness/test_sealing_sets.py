"""Sealing a set on the custodian's machine: what is written for whom, and what never leaves it."""

import hashlib
import json
import stat
import subprocess
import sys

import pytest

from evidence import packing
from grading import sealing, set_commitments
from grading.harness import exporting
from grading.tests.harness.servers import item, items, write_set
from grading.tests.harness.test_client import client, isolated

NAMED = ("--name", "normativa-cl", "--custodian", "Auditora Ejemplo")


@pytest.fixture
def folder(tmp_path):
    return write_set(tmp_path / "set", items())


@pytest.fixture(scope="module")
def one_file(tmp_path_factory):
    path = tmp_path_factory.mktemp("export") / "benchmark.pyz"
    exporting.export(path)
    return path


def seal(folder, tmp_path, *more):
    return client(
        "sellar",
        folder,
        "--salt",
        tmp_path / "set.salt",
        "--output",
        tmp_path / "set-commitment.json",
        *more,
    )


def test_a_set_is_sealed_and_the_seal_is_checked(folder, tmp_path):
    status, out, err = seal(folder, tmp_path, *NAMED, "--canonical", tmp_path / "set.jsonl")
    assert status == 0, err
    made, faults = set_commitments.read((tmp_path / "set-commitment.json").read_bytes())
    assert not faults
    assert made.set_sha256 == packing.set_sha256(items())
    assert (
        made.items == sum(made.by_category.values()) == sum(made.by_language.values()) == len(list(items()))
    )
    assert made.commitment in out
    salt, content = ((tmp_path / name).read_bytes() for name in ("set.salt", "set.jsonl"))
    assert made.commitment == sealing.commitment(content, salt=salt)
    for secret in ("set.salt", "set.jsonl"):
        assert stat.S_IMODE((tmp_path / secret).stat().st_mode) == 0o600
    check = ("--salt", tmp_path / "set.salt", "--commitment")
    for sealed in (folder, folder / "items.jsonl", tmp_path / "set.jsonl"):
        assert client("check-seal", sealed, *check, made.commitment)[:2] == (
            0,
            f"El sello coincide.\nCompromiso: {made.commitment}\nHash del conjunto: {made.set_sha256}\n",
        )
    status, out, _ = client("comprobar-sello", folder, *check, "0" * 64, "--json")
    assert (status, json.loads(out)["matches"]) == (1, False)


def test_what_is_registered_holds_no_question_no_item_hash_and_no_salt(folder, tmp_path):
    assert seal(folder, tmp_path, *NAMED, "--json")[0] == 0
    told = (tmp_path / "set-commitment.json").read_text()
    for one in items():
        assert one["question"] not in told
        assert packing.set_sha256([one]) not in told
        assert hashlib.sha256(sealing.item_form(one)).hexdigest() not in told
    salt = (tmp_path / "set.salt").read_bytes()
    assert salt.hex() not in told


def test_a_salt_is_never_written_over(folder, tmp_path):
    assert seal(folder, tmp_path, *NAMED)[0] == 0
    before = (tmp_path / "set.salt").read_bytes()
    assert seal(folder, tmp_path, *NAMED)[0] == 1
    (tmp_path / "set-commitment.json").unlink()
    status, _, err = seal(folder, tmp_path, *NAMED, "--language", "en")
    assert (status, "exists already" in err) == (1, True)
    assert (tmp_path / "set.salt").read_bytes() == before


def test_name_and_custodian_come_from_the_configuration_or_are_asked_for(folder, tmp_path):
    status, _, err = seal(folder, tmp_path)
    assert (status, "--custodian" in err) == (1, True)
    assert not (tmp_path / "set.salt").exists(), "nothing is written before all is known"
    (folder / "benchmark.toml").write_text('[set]\nname = "propio"\ncustodian = "Quien custodia"\n')
    assert seal(folder, tmp_path)[0] == 0
    assert json.loads((tmp_path / "set-commitment.json").read_text())["custodian"] == "Quien custodia"


def test_an_example_that_is_a_question_of_the_set_is_refused(folder, tmp_path):
    own = next(iter(items()))
    examples = tmp_path / "examples.jsonl"
    examples.write_bytes(packing.json_lines([{**own, "question": f"  {own['question'].upper()} "}]))
    status, _, err = seal(folder, tmp_path, *NAMED, "--examples", examples)
    assert (status, "EXAMPLE_OF_THE_SET" in err) == (1, True)
    assert not (tmp_path / "set.salt").exists()
    examples.write_bytes(packing.json_lines([item("e1", question="¿Una pregunta inventada?")]))
    assert seal(folder, tmp_path, *NAMED, "--examples", examples)[0] == 0
    assert len(json.loads((tmp_path / "set-commitment.json").read_text())["examples"]) == 1


def test_a_set_with_faults_is_not_sealed(tmp_path):
    folder = write_set(tmp_path / "set", [item("a")])
    status, _, err = seal(folder, tmp_path, *NAMED)
    assert (status, "HOSTILE_CATEGORY_MISSING" in err) == (1, True)


def test_what_is_no_salt_is_named(folder, tmp_path):
    (tmp_path / "set.salt").write_bytes(b"short")
    status, _, err = client(
        "check-seal", folder, "--salt", tmp_path / "set.salt", "--commitment", "0" * 64, "--language", "en"
    )
    assert (status, "this is no salt" in err) == (1, True)
    assert client("check-seal", folder, "--salt", tmp_path / "none", "--commitment", "0" * 64)[0] == 1


def test_a_set_is_sealed_on_python_alone(one_file, folder, tmp_path):
    sealed = isolated(one_file, "sellar", folder, *NAMED, "--json", cwd=tmp_path)
    assert sealed.returncode == 0, sealed.stderr
    commitment = json.loads(sealed.stdout)["commitment"]
    check = ("--salt", "set.salt", "--commitment", commitment)
    checked = isolated(one_file, "comprobar-sello", folder, *check, cwd=tmp_path)
    assert checked.returncode == 0, checked.stderr
    assert subprocess.run([sys.executable, str(one_file), "seal", "--help"], capture_output=True, check=True)
