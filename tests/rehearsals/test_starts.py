"""Rehearsal «starts»: a first start that is killed at any moment leaves nothing and is simply started again.

Killed at twelve moments, up to ready. The small version is in registry_site/tests/test_embedded.py.
"""

import os
import signal
import time
from pathlib import Path

import pytest

from registry_site.tests.own_registry import Registry, family, gone

pytestmark = pytest.mark.skipif(
    os.environ.get("REHEARSAL") != "full", reason="minutes long: script/rehearse starts"
)


@pytest.mark.parametrize("seconds", [0.2, 0.5, 0.8, 1.1, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.5, 8.0])
def test_a_start_that_is_killed_is_simply_started_again(seconds):
    registry = Registry.in_a_new_folder()
    try:
        registry.launch()
        time.sleep(seconds)
        started = family(registry.process.pid)
        registry.end()
        assert gone(started, within=6)

        registry.start()
        started = family(registry.process.pid)
        assert registry.status() < 500
        stopping = time.monotonic()
        os.kill(registry.process.pid, signal.SIGTERM)
        assert registry.process.wait() == 0
        assert time.monotonic() - stopping < 5
        assert gone(started, within=0.1)
        assert not list(Path(registry.data).glob("**/postgresql.unfinished"))
    finally:
        registry.remove()
