"""The rule of .ci/run: where the programs were installed on purpose, a marked test that is skipped has failed."""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

MARKED = """
import pytest

@pytest.mark.chromium
def test_page():
    raise AssertionError("must not run without Chromium")

def test_other():
    pytest.skip("for a reason of its own")
"""


def run(folder: Path, **variables: str) -> str:
    # The fixtures that the real one names are imported from the checkout.
    (folder / "conftest.py").write_text((ROOT / "conftest.py").read_text())
    (folder / "pytest.ini").write_text("[pytest]\nmarkers = chromium\n")
    (folder / "test_marked.py").write_text(MARKED)
    told = {k: v for k, v in os.environ.items() if not k.startswith(("PYTEST_", "DJANGO_", "MARKED_"))}
    # No program is found on this PATH.
    told |= {"PATH": str(folder), "PYTHONPATH": str(ROOT), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"} | variables
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-ra", "."]
    return subprocess.run(command, cwd=folder, env=told, capture_output=True, text=True).stdout


def test_a_marked_test_is_skipped_with_the_line_that_enables_it(tmp_path):
    said = run(tmp_path)
    assert "2 skipped" in said
    assert "apt-get install -y --no-install-recommends chromium fonts-dejavu-core" in said


def test_where_nothing_may_be_missing_only_the_marked_skip_fails(tmp_path):
    said = run(tmp_path, MARKED_SKIPS_FAIL="1")
    assert "1 skipped, 1 error" in said
    assert "chromium must be here" in said
