"""Reads one package from its first byte to its last, in its own process: the pass that all else stands on.

Started by `evidence.isolation` (`python -m …` of a module that calls `main`), it answers with progress at
most once a second and then once with everything that verification and recomputation need.
"""

import hashlib
import io
import os
import sys
import time
from collections.abc import Callable, Iterable
from typing import Any, BinaryIO

from evidence import checking, isolation
from evidence import descriptor as descriptors
from evidence.records import Reader

# They quote the digests of sealed members, so with one of these sealed they are sealed too.
_QUOTING = ("manifest-", "tagmanifest-", "ro-crate-metadata.json")


def main(arguments: list[str], observe: Callable[[dict[str, Any]], Any]) -> None:
    """The life of the process. `observe(job)` makes what sees each record (with `outcome()`), or None."""
    try:
        job = isolation.enter(arguments)
        observer = observe(job)
        outcome = read(
            sys.stdin.buffer.raw,
            job=job,
            observer=observer,
            tell=lambda progress: isolation.answer({"progress": progress}),
        )
        isolation.answer({"outcome": outcome, "memory": isolation.most_memory()})
    except BaseException as error:
        isolation.answer({"fault": isolation.fault_of(error)})
        raise SystemExit(1) from None


def read(
    source: BinaryIO,
    *,
    job: dict[str, Any],
    observer: Any = None,
    tell: Callable[[dict[str, Any]], None] | None = None,
) -> dict[str, Any]:
    """Check `source` and return the outcome as JSON values; `tell` hears of progress.

    `job`: `schemes` (list of [code, version, …]), `declared_sha256`, `bytes_per_second` (0: no limit).
    """
    reader = Reader(schemes={(code, version) for code, version, *_ in job["schemes"]}, observer=observer)
    seals = _Seals(reader)
    source = paced(source, job)

    def progress(now: checking.Progress) -> None:
        tell({"done": now.done, "total": now.total, "members": seals.finished, "member": now.member})

    report = checking.check(
        source,
        declared_sha256=job["declared_sha256"] or None,
        reader=seals,
        progress=progress if tell is not None else None,
    )
    intact = report.integrity == "verified"
    return {
        "integrity": report.integrity,
        "complete": report.complete,
        "sha256": report.sha256,
        "members": [
            [member.path, member.size, member.sha256, *seals.of(member.path)] for member in report.members
        ],
        "bytes": report.bytes,
        "findings": [finding.as_stored() for finding in report.findings],
        "findings_omitted": report.findings_omitted,
        "warnings": [warning.as_stored() for warning in report.warnings],
        "descriptor": reader.descriptor.as_json() if reader.descriptor else None,
        "figures": observer.outcome() if intact and observer is not None else None,
    }


def paced(source: BinaryIO, job: dict[str, Any]) -> BinaryIO:
    """`source`, or where the job sets a speed, `source` at that speed."""
    return _Slow(source, bytes_per_second=job["bytes_per_second"]) if job["bytes_per_second"] else source


class _Seals:
    """A reader that also computes the salted commitment of each sealed member, in the same pass.

    Which they are is known when the descriptor has been read, and the records' reader asks for it first.
    """

    def __init__(self, reader: Reader):
        self.finished = 0
        self._reader = reader
        self._made: dict[str, _Commitment] = {}

    def order(self, paths: Iterable[str]) -> list[str]:
        return self._reader.order(paths)

    def consumer(self, path: str) -> Any | None:
        # Asked for each member just before its bytes come: what was asked for before is read, or being read.
        self.finished += 1
        consumer = self._reader.consumer(path)
        if not self._is_sealed(path):
            return consumer
        self._made[path] = commitment = _Commitment(consumer)
        return commitment

    def finish(self) -> Any:
        return self._reader.finish()

    def _is_sealed(self, path: str) -> bool:
        if self._reader.descriptor is None:
            return False
        sealed = descriptors.sealed_members(self._reader.descriptor)
        return bool(sealed) and (path in sealed or path.startswith(_QUOTING))

    def of(self, path: str) -> tuple[str, str] | tuple[()]:
        """(salt, commitment) in hex when the member is sealed."""
        if path not in self._made:
            return ()
        return self._made[path].salt.hex(), self._made[path].digest.hexdigest()


class _Commitment:
    """SHA-256(32 random bytes ‖ bytes), on the way to whoever reads the bytes."""

    def __init__(self, consumer: Any | None):
        self._consumer = consumer
        self.salt = os.urandom(32)
        self.digest = hashlib.sha256(self.salt)

    def feed(self, chunk: bytes) -> None:
        self.digest.update(chunk)
        if self._consumer is not None:
            self._consumer.feed(chunk)

    def finish(self) -> None:
        if self._consumer is not None:
            self._consumer.finish()


class _Slow(io.RawIOBase):
    """A file that gives its bytes out at a limited speed, to share a disk (and to be watched in a test)."""

    def __init__(self, file: BinaryIO, *, bytes_per_second: int):
        self._file = file
        self._speed = bytes_per_second

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        return self._file.seek(offset, whence)

    def tell(self) -> int:
        return self._file.tell()

    def readinto(self, buffer: Any) -> int:
        size = self._file.readinto(buffer)
        time.sleep((size or 0) / self._speed)
        return size
