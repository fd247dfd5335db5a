"""Which runs the registry failed while it could not say so: kept in files until the database takes it.

And those that it failed by dying: a request that was never answered, found at the next start.
"""

import asyncio
import logging
import os
import re
import time
from pathlib import Path

from evidence.recorder.rows import NotStored, Rows

log = logging.getLogger(__name__)

# Whoever invents host names while the database is down must not fill the disk with them.
MOST = 1000
PAUSE = 0.5
_DIGEST = re.compile(r"[0-9a-f]{64}")


class Faults:
    """One empty file a run, named by the digest of the secret that was presented: nothing else is known of it."""

    def __init__(self, folder: Path, rows: Rows) -> None:
        self._folder = folder
        self._rows = rows
        self._noted = asyncio.Event()
        self._begun = time.monotonic()
        self._has_looked_back = False

    def note(self, digests: tuple[str, ...]) -> None:
        """Remember, over a restart too, that a request of this run was refused by our fault."""
        try:
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            for digest in digests[:1]:
                if not (self._folder / digest).exists() and len(os.listdir(self._folder)) < MOST:
                    (self._folder / digest).touch()
        except OSError as error:
            log.error("a fault of ours could not be noted: %s", error.strerror)
        self._noted.set()

    async def settle_forever(self) -> None:
        """Mark the runs as soon as the database takes it. Ends when it is cancelled."""
        while True:
            if await self._settle():
                self._noted.clear()
                await self._noted.wait()
            await asyncio.sleep(PAUSE)

    async def _settle(self) -> bool:
        """Whether nothing is left to be marked."""
        try:
            if not self._has_looked_back:
                await self._rows.mark_interrupted(older_than=time.monotonic() - self._begun)
                self._has_looked_back = True
            for digest in filter(_DIGEST.fullmatch, os.listdir(self._folder)):
                ago = max(0.0, time.time() - (self._folder / digest).stat().st_mtime)
                await self._rows.mark_fault(digest, ago=ago)
                (self._folder / digest).unlink(missing_ok=True)
        except FileNotFoundError:
            return True
        except (NotStored, OSError):
            return False
        return True
