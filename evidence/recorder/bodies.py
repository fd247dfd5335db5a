"""The body of one response on its way into storage: small ones by memory, large ones by a part file."""

import asyncio
import hashlib
import os
import time

from evidence.recorder.rows import Rows
from evidence.storage import LocalStorage, StorageFull

# What is held in memory before it goes to a file, and how much is written at once from then on.
IN_MEMORY = 256 * 1024
AT_ONCE = 1024 * 1024
# For so long bytes that were found or put in storage are not looked for again: the collector's day is far.
FRESH_SECONDS = 60.0
_REMEMBERED = 50_000


class Shelf:
    """The storage, and which of its bytes have just been seen to stand there."""

    def __init__(self, store: LocalStorage, rows: Rows) -> None:
        self.store = store
        self._rows = rows
        self._fresh: dict[str, float] = {}

    def begin(self) -> "Body":
        return Body(self)

    async def stands(self, sha256: str) -> bool:
        """Whether these bytes are in storage; if so, they are not collected before a row can name them."""
        if time.monotonic() < self._fresh.get(sha256, 0.0):
            return True
        if not self.store.exists(sha256):
            return False
        async with self._rows.against_collecting():
            stands = await asyncio.to_thread(self.store.renew, sha256)
        if stands:
            self.remember(sha256)
        return stands

    def remember(self, sha256: str) -> None:
        if len(self._fresh) >= _REMEMBERED:
            self._fresh.clear()
        self._fresh[sha256] = time.monotonic() + FRESH_SECONDS


class Body:
    """Bytes that arrive piece by piece. Either `keep` or `discard` ends it.

    Raises StorageFull or OSError where the storage does, and StorageFull before it takes what is to be kept free.
    """

    def __init__(self, shelf: Shelf) -> None:
        self._shelf = shelf
        self._hash = hashlib.sha256()
        self._pieces: list[bytes] = []
        self._waiting = 0
        self._part: str | None = None
        self._file = None
        self.size = 0

    async def write(self, piece: bytes) -> None:
        self._pieces.append(piece)
        self._waiting += len(piece)
        self.size += len(piece)
        if self._waiting > (AT_ONCE if self._part else IN_MEMORY):
            await asyncio.to_thread(self._flush)

    async def keep(self) -> str:
        """Put the bytes in storage, durably; their SHA-256."""
        if self._part is None:
            return await self._keep_small()
        sha256 = await asyncio.to_thread(self._finish)
        self._shelf.remember(sha256)
        return sha256

    async def discard(self) -> None:
        self._pieces.clear()
        if self._part is not None:
            await asyncio.to_thread(self._throw_away)

    async def _keep_small(self) -> str:
        content = b"".join(self._pieces)
        sha256 = hashlib.sha256(content).hexdigest()
        # Most answers have been given before: the same page to another agent.
        if not await self._shelf.stands(sha256):
            await asyncio.to_thread(self._finish)
            self._shelf.remember(sha256)
        return sha256

    def _flush(self) -> None:
        if self._part is None:
            if not self._shelf.store.room().has(self._waiting):
                raise StorageFull
            self._part = self._shelf.store.begin()
            self._file = self._shelf.store.write(self._part, offset=0)
        pieces, self._pieces, self._waiting = self._pieces, [], 0
        content = b"".join(pieces)
        self._hash.update(content)
        view = memoryview(content)
        while view:  # an unbuffered file takes what it can
            view = view[self._file.write(view) :]

    def _finish(self) -> str:
        self._flush()
        os.fsync(self._file.fileno())
        self._file.close()
        sha256 = self._hash.hexdigest()
        self._shelf.store.keep(self._part, sha256=sha256)
        return sha256

    def _throw_away(self) -> None:
        self._file.close()
        self._shelf.store.discard(self._part)
