"""Checks a package, reading each member once: the archive, then the bag, then the records."""

import hashlib
import os
import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, BinaryIO, NamedTuple, Protocol

from evidence import bag
from evidence.archive import Archive, Entry, Limits, open_archive
from evidence.byte_source import ByteSource
from evidence.findings import Code, Finding, Findings, Layer
from evidence.unpacking import Unpacker

# Larger members are read by other threads: hashing, CRC and inflating let go of the interpreter's lock.
_LARGE = 1 << 20
_MOST_WORKERS = 4
_HASH_STEP = 4 << 20
_SECONDS_BETWEEN_PROGRESS = 1.0


class Consumer(Protocol):
    """Takes in the bytes of one member while it is checked; `finish` only if nothing was wrong with it."""

    def feed(self, chunk: bytes) -> None: ...

    def finish(self) -> None: ...


class Reader(Protocol):
    """Reads what the members say: called in the thread that called `check`, one member at a time."""

    def order(self, paths: Iterable[str]) -> list[str]: ...

    def consumer(self, path: str) -> Consumer | None: ...

    def finish(self) -> tuple[Iterable[Finding], Iterable[Finding]]: ...


@dataclass(frozen=True, slots=True)
class Progress:
    """Bytes of members checked so far, of how many, and a member that is being read."""

    done: int
    total: int
    member: str


class MemberReport(NamedTuple):
    """One file of the package: its path inside the bag, its size in bytes, its SHA-256 in hexadecimal."""

    path: str
    size: int
    sha256: str


@dataclass(frozen=True, slots=True)
class Report:
    """What checking a package gave.

    `integrity` is «verified» when there is no finding, else «failed»: unchanged and consistent, never «true».
    `complete`: every file that should be there is, and no other; `verified_digests`: every digest that was
    given agrees. On the archive layer both say that every member could be read. `members` are those that
    could be read, `bytes` what they hold unpacked. `findings_omitted` counts, by code, what was not kept.
    """

    layer: Layer
    complete: bool
    verified_digests: bool
    sha256: str
    members: tuple[MemberReport, ...]
    bytes: int
    findings: tuple[Finding, ...]
    findings_omitted: dict[str, int]
    warnings: tuple[Finding, ...]

    @property
    def integrity(self) -> str:
        # All three, so that a digest that was never compared can pass for verified in no way.
        intact = not self.findings and self.complete and self.verified_digests
        return "verified" if intact else "failed"

    def as_json(self, language: str = "en", *, package: str = "package.zip") -> dict[str, Any]:
        """The answer of `check_package --json`; `package` is the file that commands in it name."""
        return {
            "layer": str(self.layer),
            "integrity": self.integrity,
            "complete": self.complete,
            "verified_digests": self.verified_digests,
            "sha256": self.sha256,
            "members": len(self.members),
            "bytes": self.bytes,
            "findings": [finding.as_json(language, package=package) for finding in self.findings],
            "findings_omitted": sum(self.findings_omitted.values()),
            "warnings": [warning.as_json(language, package=package) for warning in self.warnings],
        }


def check(
    source: BinaryIO,
    *,
    layer: str = Layer.PACKAGE,
    declared_sha256: str | None = None,
    limits: Limits = Limits(),  # noqa: B008  (frozen)
    reader: Reader | None = None,
    progress: Callable[[Progress], None] | None = None,
) -> Report:
    """Check a package held in a seekable binary file, down to `layer`; nothing of it is written anywhere.

    `reader` reads descriptor and records and is needed for the package layer. `progress` is called at most
    once a second, in the calling thread; what it raises ends the check and comes out of it.
    """
    layer = Layer(layer)
    if (reader is None) is (layer == Layer.PACKAGE):
        raise ValueError("the package layer, and only that layer, needs a reader")
    file = ByteSource(source)
    findings, warnings = Findings(), Findings()
    with _running(file, progress) as run:
        archive = open_archive(file, findings, limits)
        complete = verified = archive is not None and not findings
        root = ""
        if archive is not None and complete:
            root = bag.root_of(entry.name for entry in archive.entries) if layer != Layer.ARCHIVE else ""
            contents = _Contents(archive, root, layer, run, reader)
            contents.read(findings)
            complete = verified = not findings
            if layer != Layer.ARCHIVE:
                outcome = bag.check_bag(contents.members, contents.texts, findings, warnings)
                complete, verified = outcome.complete, outcome.verified
            if reader is not None and not contents.faults:
                more_findings, more_warnings = reader.finish()
                findings.extend(more_findings)
                warnings.extend(more_warnings)
        sha256 = run.sha256()
    if declared_sha256 is not None and declared_sha256.strip().lower() != sha256:
        findings.note(Code.DIGEST_DECLARED_MISMATCH, expected=declared_sha256.strip().lower(), found=sha256)
    members = archive.members if archive is not None else []
    return Report(
        layer=layer,
        complete=complete,
        verified_digests=verified,
        sha256=sha256,
        members=tuple(
            [
                MemberReport(entry.name[len(root) :], entry.size, entry.sha256.hex())
                for entry in members
                if entry.sha256 is not None
            ]
        ),
        bytes=sum([entry.size for entry in members if entry.sha256 is not None]),
        findings=findings.kept,
        findings_omitted=findings.omitted,
        warnings=warnings.kept,
    )


class _Contents:
    """One pass over the members of an archive."""

    def __init__(self, archive: Archive, root: str, layer: Layer, run: "_Run", reader: Reader | None) -> None:
        self.members: dict[str, Entry] = {entry.name[len(root) :]: entry for entry in archive.members}
        self.texts: dict[str, bytearray] = {}
        self.faults: dict[str, Finding] = {}
        self._archive = archive
        self._root = root
        self._run = run
        self._reader = reader
        self._texts_read = bag.TEXT_LIMITS if layer != Layer.ARCHIVE else {}
        self._unpacker = Unpacker(archive, after_step=run.step)

    def read(self, findings: Findings) -> None:
        """Read every entry once; their faults go to `findings` in the order of the archive."""
        self._run.total = sum(entry.size for entry in self._archive.entries)
        with ThreadPoolExecutor(max_workers=_workers(), thread_name_prefix="unpacking") as pool:
            try:
                apart = self._hand_out(pool)
                for future in self._run.as_they_end(apart):
                    self._keep(apart[future], future.result())
            except BaseException:
                self._run.stop()  # first, because leaving the pool waits for its members
                raise
        if self.faults:
            for entry in self._archive.entries:
                if entry.name in self.faults:
                    findings.add(self.faults[entry.name])

    def _hand_out(self, pool: ThreadPoolExecutor) -> dict[Future[Finding | None], Entry]:
        """Read here what is small or has a consumer, and let the pool read the rest."""
        apart: dict[Future[Finding | None], Entry] = {}
        if self._reader is None:
            entries = self._archive.entries
            # The largest first, so that none of them is begun when the others are done.
            for entry in sorted((entry for entry in entries if entry.size > _LARGE), key=_largest_first):
                apart[pool.submit(self._read_apart, entry)] = entry
            read, texts = self._unpacker.read, {self._root + path for path in self._texts_read}
            for entry in entries:
                if entry.size <= _LARGE:
                    self._run.member = name = entry.name
                    if fault := read(entry, self._text_of(entry) if name in texts else None):
                        self._keep(entry, fault)
            return apart
        for entry in self._ordered(self._reader):
            consumer = self._consumer(entry, self._reader)
            if consumer is None and entry.size > _LARGE:
                apart[pool.submit(self._read_apart, entry)] = entry
            else:
                self._read_here(entry, consumer)
        return apart

    def _ordered(self, reader: Reader) -> Iterator[Entry]:
        """Every entry once: the members as the reader asks for them, then what it did not name."""
        left = {entry.name: entry for entry in self._archive.entries}
        for path in reader.order(list(self.members)):
            if entry := left.pop(self._root + path, None):
                yield entry
        yield from left.values()

    def _consumer(self, entry: Entry, reader: Reader) -> Consumer | None:
        # Once a member is known to be damaged, what the others say is no longer judged.
        if entry.is_folder or self.faults:
            return None
        return reader.consumer(entry.name[len(self._root) :])

    def _read_here(self, entry: Entry, consumer: Consumer | None) -> None:
        self._run.member = entry.name
        # The bag layer reads its tag files whether or not someone else does.
        fault = self._unpacker.read(entry, _both(self._text_of(entry), consumer))
        if fault is not None:
            self._keep(entry, fault)
        elif consumer is not None:
            consumer.finish()

    def _read_apart(self, entry: Entry) -> Finding | None:
        self._run.member = entry.name
        return Unpacker(self._archive, after_step=self._run.step_apart).read(entry, self._text_of(entry))

    def _text_of(self, entry: Entry) -> Callable[[bytes], None] | None:
        """Where the bytes of a tag file that the bag layer reads go."""
        path = entry.name[len(self._root) :]
        if path not in self._texts_read or entry.size > self._texts_read[path]:
            return None
        text = self.texts[path] = bytearray()
        return text.extend

    def _keep(self, entry: Entry, fault: Finding | None) -> None:
        if fault is not None:
            self.faults[entry.name] = fault


def _both(text: Callable[[bytes], None] | None, consumer: Consumer | None) -> Callable[[bytes], None] | None:
    """Where the bytes of one member go: to the bag layer, to whoever reads it, to both, or nowhere."""
    if consumer is None:
        return text
    if text is None:
        return consumer.feed

    def feed(chunk: bytes) -> None:
        text(chunk)
        consumer.feed(chunk)

    return feed


class _Run:
    """What goes on beside the reading: the SHA-256 of the whole file, and telling how far it is."""

    def __init__(self, file: ByteSource, progress: Callable[[Progress], None] | None) -> None:
        self.member = ""
        self.total = 0
        self._file = file
        self._progress = progress
        self._done = 0
        self._done_apart = 0
        self._lock = threading.Lock()
        self._stopped = threading.Event()
        self._due = threading.Event()
        self._digest = hashlib.sha256()
        self._hashing = threading.Thread(target=self._hash, name="whole file")
        # A thread that waits: this module reads no clock.
        self._ticking = threading.Thread(target=self._tick, name="progress")
        self._failure: OSError | None = None

    def start(self) -> None:
        self._hashing.start()
        if self._progress is not None:
            self._ticking.start()

    def stop(self) -> None:
        """Let every thread end at its next step."""
        self._stopped.set()

    def close(self) -> None:
        self.stop()
        self._hashing.join()
        if self._progress is not None:
            self._ticking.join()

    def step(self, size: int) -> None:
        """So many bytes more, in the calling thread."""
        self._done += size
        if self._due.is_set():
            self._tell()

    def step_apart(self, size: int) -> None:
        """So many bytes more, in a thread of the pool."""
        with self._lock:
            self._done_apart += size
        if self._stopped.is_set():
            raise Interrupted

    def as_they_end(self, apart: Iterable[Future[Any]]) -> Iterator[Future[Any]]:
        """The futures as they are done, telling meanwhile how far it is."""
        left = set(apart)
        while left:
            done, left = wait(left, timeout=_SECONDS_BETWEEN_PROGRESS, return_when=FIRST_COMPLETED)
            yield from done
            if self._due.is_set():
                self._tell()

    def sha256(self) -> str:
        """The digest of the whole file, when it is there."""
        while self._hashing.is_alive():
            self._hashing.join(_SECONDS_BETWEEN_PROGRESS)
            if self._due.is_set():
                self._tell()
        if self._failure is not None:
            raise self._failure
        return self._digest.hexdigest()

    def _hash(self) -> None:
        offset = 0
        try:
            while offset < self._file.size and not self._stopped.is_set():
                chunk = self._file.read_at(offset, _HASH_STEP)
                self._digest.update(chunk)
                offset += len(chunk)
        except OSError as failure:
            self._failure = failure

    def _tick(self) -> None:
        while not self._stopped.wait(_SECONDS_BETWEEN_PROGRESS):
            self._due.set()

    def _tell(self) -> None:
        self._due.clear()
        if self._progress is not None:
            self._progress(Progress(self._done + self._done_apart, self.total, self.member))


class Interrupted(Exception):
    """Ends the reading of a member in a thread whose caller has given up."""


@contextmanager
def _running(file: ByteSource, progress: Callable[[Progress], None] | None) -> Iterator[_Run]:
    run = _Run(file, progress)
    run.start()
    try:
        yield run
    finally:
        run.close()


def _largest_first(entry: Entry) -> int:
    return -entry.size


def _workers() -> int:
    return min(_MOST_WORKERS, len(os.sched_getaffinity(0)))
