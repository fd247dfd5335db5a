"""What follows the end of a run: its package is written, handed in, and sent on its journey.

    closed | abandoned → closing package → certificates.pipeline

`wake(run)` sends for a worker; `sweep()` does again what lost its message or its worker, and ends what is overdue.
"""

import logging

from celery import current_app
from django.db import transaction

from certificates import pipeline
from evidence import run_package, runs
from evidence.models import Run
from registry_site import clock, sweeping

log = logging.getLogger(__name__)

HAND_IN = "certificates.tasks.hand_in_run"
# Packages are written one after the other: a sweep that takes longer than its turn is skipped, not doubled.
AT_ONCE = 20


def hand_in(run_id: int) -> bool:
    """Write the package of a run that has ended and send it on; False where none is due."""
    package = run_package.write(run_id)
    if package is None:
        return False
    pipeline.wake(package)
    return True


def wake(run: Run) -> None:
    """After commit, send for a worker. Never raises: with the broker down the sweep does it."""
    transaction.on_commit(lambda: _send(run.pk))


def _send(run_id: int) -> None:
    try:
        current_app.send_task(HAND_IN, [run_id])
    except Exception as error:
        # kombu and redis raise many kinds; none of them may undo or refuse a closing that has been stored.
        log.warning("run %s: the broker is not to be had (%s)", run_id, type(error).__name__)


def sweep() -> dict[str, int]:
    """Abandon what was not closed in time, and write the packages that are missing. Safe to run at any time."""
    abandoned = runs.abandon_due(at=clock.now())
    return {
        "abandoned": abandoned,
        "packages": sweeping.each(run_package.waiting()[:AT_ONCE], lambda run: hand_in(run.pk)),
    }
