"""Where the bytes of evidence are: part files while they arrive, then files addressed by their SHA-256.

One small interface, so that another kind of store can take its place: `begin`, `write`, `keep`, `discard`,
`renew`, `open`, `exists`, `withhold`, `room`, `strays`. Local files now::

    DATA_DIR/evidence/parts/<32 hex>          still arriving
    DATA_DIR/evidence/ab/abcd…                 complete, 64 hex

A file is complete before it has its address: written beside its place, fsync, rename, fsync of the folder,
and only then the row that names it.
"""

import errno
import fcntl
import os
import re
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from django.conf import settings
from django.db import connection
from django.utils.translation import gettext_lazy as _

from registry_site.problems import Refusal

_FULL = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}
_ADDRESS = re.compile(r"[0-9a-f]{64}\Z")
_PART = re.compile(r"[0-9a-f]{32}\Z")
# First half of every advisory lock of this module; «EVID» in ASCII.
_LOCK_CLASS = 0x45564944
_COLLECTING = 0
# For who has a connection of another kind than Django's.
LOCK_AGAINST_COLLECTING = f"SELECT pg_advisory_xact_lock_shared({_LOCK_CLASS}, {_COLLECTING})"


class StorageFull(Refusal):
    """There is no room for these bytes; nothing of them was kept. Decisions still work."""

    code = "storage_full"
    status = 507
    title = _("The registry has no room for this file at the moment. Nothing was kept; try again later.")


class NoSuchFile(LookupError):
    """No bytes stand under this SHA-256: never received, or withheld."""


@dataclass(frozen=True)
class Room:
    """Bytes free and in all, where the evidence is stored."""

    free: int
    total: int

    @property
    def reserve(self) -> int:
        """What stays free whatever is handed in: max(5 %, 2 GiB) by default."""
        return max(int(self.total * settings.EVIDENCE_FREE_SHARE), settings.EVIDENCE_FREE_BYTES)

    def has(self, size: int) -> bool:
        return self.free - size >= self.reserve


@dataclass(frozen=True)
class Stray:
    """A file that may have no row, and when it was last written (seconds of the epoch)."""

    name: str
    is_part: bool
    written_at: float


@contextmanager
def refusing_when_full() -> Iterator[None]:
    """Turns «no space left», at whatever call it shows, into the refusal that the submitter reads."""
    try:
        yield
    except OSError as error:
        if error.errno in _FULL:
            raise StorageFull from error
        raise


class LocalStorage:
    """Evidence as local files below one folder."""

    def __init__(self, root: Path):
        self.root = root
        self.parts = root / "parts"

    # ── arriving ─────────────────────────────────────────────────────────────
    def begin(self) -> str:
        """Make an empty part file and return its name."""
        name = uuid.uuid4().hex
        with refusing_when_full():
            self.parts.mkdir(parents=True, exist_ok=True)
            os.close(os.open(self._part(name), os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
        return name

    def write(self, part: str, *, offset: int) -> BinaryIO:
        """A part file to be written from `offset` on, unbuffered; what stood behind the offset is cut off.

        Raises BlockingIOError while another writer has it.
        """
        descriptor = os.open(self._part(part), os.O_WRONLY)
        try:
            # One writer a part: a client that gave up and came back must not interleave with itself.
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            os.ftruncate(descriptor, offset)
            os.lseek(descriptor, offset, os.SEEK_SET)
            return os.fdopen(descriptor, "wb", buffering=0)
        except BaseException:
            os.close(descriptor)
            raise

    def open_part(self, part: str) -> BinaryIO:
        return open(self._part(part), "rb")

    def part_size(self, part: str) -> int:
        return self._part(part).stat().st_size

    def keep(self, part: str, *, sha256: str) -> None:
        """Give a written and fsynced part its address. Bytes that already stand there stay."""
        place = self._place(sha256)
        with refusing_when_full():
            if not place.parent.is_dir():
                place.parent.mkdir(parents=True, exist_ok=True)
                _sync_folder(self.root)
            if place.is_file():
                # Handed in again is written now: whoever collects by age leaves it alone for another day.
                os.utime(place)
                self._part(part).unlink()
            else:
                os.rename(self._part(part), place)
            _sync_folder(place.parent)

    def renew(self, sha256: str) -> bool:
        """Whether bytes stand under this address already; then they count as written now."""
        place = self._place(sha256)
        try:
            os.utime(place)
        except FileNotFoundError:
            return False
        # Whoever gave them their address may not have synced the folder yet.
        _sync_folder(place.parent)
        return True

    def written_at(self, stray: Stray) -> float:
        """When it was last written, asked again; now, when it is gone."""
        try:
            return (self._part if stray.is_part else self._place)(stray.name).stat().st_mtime
        except FileNotFoundError:
            return time.time()

    def discard(self, part: str) -> None:
        """Take a part away; one that is gone already is fine."""
        self._part(part).unlink(missing_ok=True)

    # ── standing ─────────────────────────────────────────────────────────────
    def exists(self, sha256: str) -> bool:
        return self._place(sha256).is_file()

    def open(self, sha256: str) -> BinaryIO:
        """The bytes under this address, seekable. Raises NoSuchFile."""
        try:
            return open(self._place(sha256), "rb")
        except FileNotFoundError as error:
            raise NoSuchFile(sha256) from error

    def withhold(self, sha256: str) -> None:
        """Take the bytes away for good (law, personal data); the caller records why. Gone already is fine."""
        place = self._place(sha256)
        place.unlink(missing_ok=True)
        if place.parent.is_dir():
            _sync_folder(place.parent)

    def room(self) -> Room:
        self.root.mkdir(parents=True, exist_ok=True)
        state = os.statvfs(self.root)
        return Room(free=state.f_bavail * state.f_frsize, total=state.f_blocks * state.f_frsize)

    def strays(self) -> Iterator[Stray]:
        """Every file here, for the collector to compare with the rows. Foreign names are left alone."""
        for folder in sorted(self.root.iterdir()) if self.root.is_dir() else ():
            if not folder.is_dir():
                continue
            for path in sorted(folder.iterdir()):
                is_part = folder == self.parts
                if (_PART if is_part else _ADDRESS).match(path.name):
                    try:
                        yield Stray(path.name, is_part, path.stat().st_mtime)
                    except FileNotFoundError:  # kept or discarded meanwhile
                        continue

    def _part(self, name: str) -> Path:
        if not _PART.match(name):
            raise ValueError(f"not the name of a part file: {name!r}")
        return self.parts / name

    def _place(self, sha256: str) -> Path:
        if not _ADDRESS.match(sha256):
            raise ValueError(f"not a SHA-256 in lower-case hex: {sha256!r}")
        return self.root / sha256[:2] / sha256


def _sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def current() -> LocalStorage:
    """The store of this registry."""
    return LocalStorage(Path(settings.EVIDENCE_DIR))


# ── locks between those who keep and the one who collects ────────────────────
def lock_against_collecting() -> None:
    """Until the end of the transaction nothing is collected; any number may hold it at once."""
    with connection.cursor() as cursor:
        cursor.execute(LOCK_AGAINST_COLLECTING)


def lock_address(sha256: str) -> None:
    """Until the end of the transaction no one else keeps bytes under this address."""
    # 31 bits of the address, never 0: a collision makes two strangers wait for each other, nothing worse.
    key = int(sha256[:8], 16) & 0x7FFFFFFF or 1
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(%s, %s)", [_LOCK_CLASS, key])


def try_to_lock_for_collecting() -> bool:
    """Whether the collector has the store for itself until the end of the transaction; it never waits."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_try_advisory_xact_lock(%s, %s)", [_LOCK_CLASS, _COLLECTING])
        return cursor.fetchone()[0]
