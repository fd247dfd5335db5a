"""Takes away attached files that no appeal or complaint names, a day after they were last handed in.

They are what a refused form leaves behind: its files were kept before its rules were asked.
"""

import logging
from datetime import timedelta

from certificates import attached_files, report_rows
from registry_site import clock

log = logging.getLogger(__name__)

AGE = timedelta(hours=24)


def collect() -> int:
    """Remove strays; returns how many.

    No lock is needed: a file that is handed in again counts as written then, and its row follows within
    seconds, far inside the day that it is left alone.
    """
    store = attached_files.storage()
    oldest_kept = (clock.now() - AGE).timestamp()
    removed = 0
    for stray in store.strays():
        if stray.written_at >= oldest_kept:
            continue
        if stray.is_part:
            store.discard(stray.name)
        elif report_rows.is_kept_by_another(stray.name):
            continue
        else:
            store.withhold(stray.name)
        log.info("collected attachment %s", stray.name)
        removed += 1
    return removed
