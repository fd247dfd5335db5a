"""What a run has done so far, one line an event, on disk before it counts: a killed run goes on where it was."""

import json
import os
import threading
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from grading.harness.refusals import Refused

try:
    import fcntl
except ImportError:  # not a Unix: two runs at once in one folder are not noticed
    fcntl = None

NAME = "journal.jsonl"


class Journal:
    """The journal of one folder. A second run in the same folder is refused while one is open."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.path = folder / NAME
        self._file = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        self._write = threading.Lock()
        self._sync = threading.Lock()
        self._written = self._synced = 0
        if fcntl is not None:
            try:
                fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError as error:
                os.close(self._file)
                raise Refused("already_running", path=str(folder)) from error
        self._cut_torn_line()

    def __iter__(self) -> Iterator[dict[str, Any]]:
        """Every event, in order."""
        with self.path.open("rb") as file:
            for number, line in enumerate(file, 1):
                try:
                    yield json.loads(line)
                except ValueError as error:
                    raise Refused("journal_damaged", path=str(self.path), line=number) from error

    def append(self, event: Mapping[str, Any]) -> None:
        """Write one event; on disk when this returns. Threads that write at once share one fsync."""
        line = json.dumps(event, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace") + b"\n"
        try:
            with self._write:
                self._add(line)
                self._written += 1
                mine = self._written
            with self._sync:
                if self._synced < mine:
                    reached = self._written
                    os.fsync(self._file)
                    self._synced = reached
        except OSError as error:
            raise Refused("cannot_write", path=str(self.path), error=error.strerror or str(error)) from error

    def close(self) -> None:
        os.close(self._file)

    def _add(self, line: bytes) -> None:
        """Write a line whole or not at all: the next one may not begin in the middle of it."""
        end = os.lseek(self._file, 0, os.SEEK_END)
        view = memoryview(line)
        try:
            while view:
                view = view[os.write(self._file, view) :]
        except OSError:
            os.ftruncate(self._file, end)
            raise

    def _cut_torn_line(self) -> None:
        """A line that was being written when the machine stopped is no event."""
        end = os.lseek(self._file, 0, os.SEEK_END)
        position = end
        while position > 0:
            start = max(0, position - 65536)
            found = os.pread(self._file, position - start, start).rfind(b"\n")
            if found >= 0:
                position = start + found + 1
                break
            position = start
        if position != end:
            os.ftruncate(self._file, position)
        os.lseek(self._file, position, os.SEEK_SET)
