"""The offline command, as people and scripts call it: its answers, its exit statuses, and what it leaves alone."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
ARCHIVES = Path(__file__).resolve().parent / "archives"


def run(*arguments: object, folder: Path) -> subprocess.CompletedProcess[str]:
    """manage.py check_package in a process of its own, with no service anywhere."""
    environment = {"PATH": "/usr/bin:/bin", "DATA_DIR": str(folder / "data"), "PYTHONUTF8": "1"}
    return subprocess.run(
        [sys.executable, ROOT / "manage.py", "check_package", *map(str, arguments)],
        capture_output=True,
        text=True,
        env=environment,
        cwd=folder,
    )


def test_an_intact_bag_exits_with_0_and_touches_nothing(tmp_path):
    done = run(ARCHIVES / "producers/topdir.zip", "--layer", "bag", "--json", folder=tmp_path)
    assert done.returncode == 0
    assert done.stderr == ""
    answer = json.loads(done.stdout)
    assert answer["integrity"] == "verified"
    assert answer["complete"] is True
    assert answer["members"] == 8
    assert [warning["code"] for warning in answer["warnings"]] == ["BAG_VERSION_OLD"]
    assert list(tmp_path.iterdir()) == []


def test_a_refused_package_exits_with_1_and_its_json_stands_alone(tmp_path):
    done = run(ARCHIVES / "crafted/junk_dsstore.zip", "--json", "--language", "en", folder=tmp_path)
    assert done.returncode == 1
    (finding,) = json.loads(done.stdout)["findings"]
    assert set(finding) >= {"code", "member", "key", "expected", "found", "mend"}
    assert finding["mend"].startswith("zip -d junk_dsstore.zip ")


def test_people_are_told_in_spanish_what_is_wrong_and_how_to_mend_it(tmp_path):
    done = run(ARCHIVES / "reject/oxum.zip", "--layer", "bag", folder=tmp_path)
    assert done.returncode == 1
    assert "Payload-Oxum: 6.1" in done.stdout
    assert done.stdout.rstrip().endswith("→ no íntegro")


def test_the_default_layer_reads_descriptor_and_records(tmp_path):
    done = run(ARCHIVES / "accept/one_top_folder.zip", "--json", folder=tmp_path)
    assert done.returncode == 1
    assert {finding["code"] for finding in json.loads(done.stdout)["findings"]} == {"DESCRIPTOR_MISSING"}


def test_a_reader_that_leaves_early_sees_no_traceback(tmp_path):
    command = f"'{sys.executable}' '{ROOT}/manage.py' check_package '{ARCHIVES}/reject/oxum.zip' | true"
    done = subprocess.run(["/bin/sh", "-c", command], capture_output=True, text=True, cwd=tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@pytest.mark.parametrize(
    "arguments",
    [["nowhere.zip"], [ARCHIVES], ["x.zip", "--layer", "deep"], []],
    ids=["absent", "folder", "layer", "none"],
)
def test_wrong_usage_exits_with_2(arguments, tmp_path):
    done = run(*arguments, folder=tmp_path)
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr
    assert "Traceback" not in done.stderr
