"""Marks of tests that need a program of the machine, and the rule that .ci/run may not skip them."""

import os
import shutil
from pathlib import Path

import hypothesis
import pytest

pytest_plugins = ["registry_site.tests.fixtures"]

# How long one example takes says more about what else the machine does than about the law it tries.
hypothesis.settings.register_profile(
    "suite", deadline=None, suppress_health_check=[hypothesis.HealthCheck.too_slow]
)
hypothesis.settings.load_profile("suite")

# Mark → (programs, packages): a test that carries the mark is skipped with the line that enables it.
PROGRAMS = {
    "chromium": (("chromium",), "chromium fonts-dejavu-core"),
    "node": (("node",), "nodejs"),
    "curl": (("curl",), "curl"),
    "sevenzip": (("7z",), "p7zip-full"),
    "infozip": (("zip", "unzip"), "zip unzip"),
}
SHARED = Path(__file__).resolve().parent.parent / "shared"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        for mark, (programs, packages) in PROGRAMS.items():
            if item.get_closest_marker(mark) and not all(shutil.which(program) for program in programs):
                reason = (
                    f"needs {' and '.join(programs)}: apt-get install -y --no-install-recommends {packages}"
                )
                item.add_marker(pytest.mark.skip(reason=reason))
        if item.get_closest_marker("shared") and not SHARED.is_dir():
            item.add_marker(
                pytest.mark.skip(reason=f"needs the data and vectors in {SHARED.name}/ beside the checkout")
            )


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item):
    """Where the programs were installed on purpose, a test that needs one and is skipped has failed."""
    report = yield
    if report.skipped and not hasattr(report, "wasxfail") and os.environ.get("MARKED_SKIPS_FAIL") == "1":
        marks = [mark for mark in PROGRAMS if item.get_closest_marker(mark)]
        if marks:
            report.outcome = "failed"
            report.longrepr = f"skipped, but {' and '.join(marks)} must be here: {report.longrepr}"
    return report


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of data and vectors beside the checkout; for tests marked `shared`."""
    return SHARED
