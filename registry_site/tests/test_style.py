"""The house's form: ruff finds nothing, and formats nothing anew."""

import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
pytestmark = pytest.mark.skipif(
    importlib.util.find_spec("ruff") is None, reason="needs ruff, which requirements-dev.txt brings"
)


@pytest.mark.parametrize("command", [("check",), ("format", "--check")], ids=["lint", "form"])
def test_ruff_has_nothing_to_say(command):
    said = subprocess.run(
        [sys.executable, "-m", "ruff", *command, "--output-format=concise", "."],
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    assert said.returncode == 0, f"{said.stdout}{said.stderr}\nscript/format mends most of it"
