"""`check_rubric`: anybody checks a revealed rubric against its commitment, with two files and no database."""

import json
import subprocess

import pytest
from django.core.management import CommandError, call_command

from grading import data, rubric_language, sealing

SALT = bytes(range(32))


@pytest.fixture
def revealed(tmp_path):
    """(rubric, salt, commitment) as they are downloaded."""
    document = rubric_language.sealed_form(json.loads(data.read("rubrics/PI-000.json")))
    rubric, salt = tmp_path / "rubric.json", tmp_path / "rubric.salt"
    rubric.write_bytes(document)
    salt.write_bytes(SALT)
    return rubric, salt, sealing.commitment(document, salt=SALT)


def check(rubric, salt, commitment, capsys, **options):
    code = 0
    try:
        call_command("check_rubric", str(rubric), salt=salt, commitment=commitment, **options)
    except SystemExit as ended:
        code = ended.code
    return code, capsys.readouterr().out


def test_a_rubric_that_was_committed_to(revealed, capsys):
    rubric, salt, commitment = revealed
    code, said = check(rubric, salt, commitment.upper(), capsys)
    assert (code, "es la que se comprometió" in said, "PI-000" in said) == (0, True, True)
    code, said = check(rubric, salt, commitment, capsys, json=True)
    assert json.loads(said) == {
        "matches": True,
        "commitment": commitment,
        "found": commitment,
        "case": "PI-000",
        "version": 1,
        "points": 4,
        "controls": 5,
    }


def test_the_same_with_sha256sum(revealed):
    rubric, salt, commitment = revealed
    said = subprocess.run(
        ["/bin/sh", "-c", 'cat "$0" "$1" | sha256sum', salt, rubric],
        capture_output=True,
        text=True,
        check=True,
    )
    assert said.stdout.split()[0] == commitment


def test_another_rubric_salt_or_commitment(revealed, capsys):
    rubric, salt, commitment = revealed
    assert check(rubric, salt, "0" * 64, capsys)[0] == 1
    salt.write_bytes(bytes(32))
    assert check(rubric, salt, commitment, capsys)[0] == 1
    salt.write_bytes(b"short")
    code, said = check(rubric, salt, commitment, capsys, language="en")
    assert (code, "is no salt" in said) == (1, True)


def test_what_was_committed_to_may_be_no_rubric(revealed, capsys):
    rubric, salt, _commitment = revealed
    rubric.write_bytes(b'{"format": "rubric/1"}')
    commitment = sealing.commitment(rubric.read_bytes(), salt=SALT)
    code, said = check(rubric, salt, commitment, capsys)
    assert (code, "MISSING_KEY" in said) == (1, True)


def test_wrong_usage(revealed, tmp_path):
    rubric, salt, commitment = revealed
    with pytest.raises(CommandError) as refused:
        call_command("check_rubric", str(rubric), salt=salt, commitment="abc")
    assert refused.value.returncode == 2
    with pytest.raises(CommandError) as refused:
        call_command("check_rubric", str(tmp_path / "no.json"), salt=salt, commitment=commitment)
    assert refused.value.returncode == 2
