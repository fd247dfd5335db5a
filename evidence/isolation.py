"""Runs a reader of hostile bytes in a process of its own: no keys, no database, no network, hard limits.

What that process has: the package as its standard input, its job as a file descriptor, a pipe to answer on,
an environment of a few fixed variables. What it has not: SECRET_KEY, database and broker addresses, Django,
the evidence folder. Limits: address space, processor time, no file may be written, few open files, no core
dump; it dies with its parent. It has no network where the kernel lets a process leave it. What this is not:
another user, a container or a system call filter: whoever takes that process over can still read what this
user may read (docs/decisions/0005).
"""

import ctypes
import json
import os
import resource
import select
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

ROOT = Path(__file__).resolve().parent.parent
# Of <sched.h> and <sys/prctl.h>.
_NEW_USER, _NEW_NETWORK = 0x10000000, 0x40000000
_SET_PARENT_DEATH_SIGNAL = 1


@dataclass(frozen=True)
class Limits:
    """Bytes of address space and seconds of processor time of one reading."""

    memory: int
    seconds: int

    @classmethod
    def for_size(cls, size: int, *, memory: int) -> "Limits":
        """Ten minutes, and a minute more for each 64 MiB of archive: some forty times what it needs."""
        return cls(memory=memory, seconds=600 + 60 * (size // (64 * 1024**2)))


class ReadingFailed(Exception):
    """The reading ended without an answer; `reason` is a code and a place, never content."""

    def __init__(self, reason: str):
        super().__init__(reason)
        self.reason = reason


def run(
    module: str,
    *,
    job: dict[str, Any],
    source: BinaryIO,
    limits: Limits,
    silence: float,
    beside: Sequence[BinaryIO] = (),
) -> Iterator[dict[str, Any]]:
    """Run `python -m module` on `source` and yield its answers (JSON objects) one by one as they come.

    `beside`: further files to read, whose descriptors the job names under the same word. Closing the iterator
    kills the process. Raises ReadingFailed when it does not end with status 0, or says nothing for `silence`
    seconds.
    """
    # Not source.seek(): that moves the position in a buffer, and the process gets the descriptor.
    for file in (source, *beside):
        os.lseek(file.fileno(), 0, os.SEEK_SET)
    others = [file.fileno() for file in beside]
    if others:
        job = {**job, "beside": others}
    task = os.memfd_create("job")
    try:
        with open(os.dup(task), "wb") as file:
            file.write(json.dumps(job).encode())
        os.lseek(task, 0, os.SEEK_SET)
        process = subprocess.Popen(
            [
                sys.executable,
                "-P",
                "-m",
                module,
                *map(str, (task, limits.memory, limits.seconds, os.getpid())),
            ],
            stdin=source,
            stdout=subprocess.PIPE,
            # A traceback could quote a sealed record: the reader answers with code and place itself.
            stderr=subprocess.DEVNULL,
            pass_fds=[task, *others],
            cwd="/",
            env={
                "PYTHONPATH": str(ROOT),
                "PATH": "/usr/bin:/bin",
                "LANG": "C.UTF-8",
                # Each arena reserves 64 MiB of address space for a thread, used or not.
                "MALLOC_ARENA_MAX": "2",
                "PYTHONDONTWRITEBYTECODE": "1",
            },
        )
    finally:
        os.close(task)
    try:
        for line in _lines(process.stdout, silence=silence):
            answer = json.loads(line)
            if "fault" in answer:
                raise ReadingFailed(answer["fault"])
            yield answer
        if status := process.wait():
            raise ReadingFailed(f"status {status}" if status > 0 else signal.Signals(-status).name)
    finally:
        if process.poll() is None:
            process.kill()
            process.wait()
        process.stdout.close()


def _lines(pipe: BinaryIO, *, silence: float) -> Iterator[bytes]:
    """The lines of a pipe; the last answer of a large package has millions of bytes."""
    pending: list[bytes] = []
    while True:
        if not select.select([pipe], [], [], silence)[0]:
            raise ReadingFailed("silent")
        data = os.read(pipe.fileno(), 1024**2)
        if not data:
            return
        *ended, rest = data.split(b"\n")
        for line in ended:
            yield b"".join([*pending, line])
            pending = []
        pending.append(rest)


# ── inside that process ──────────────────────────────────────────────────────
def enter(arguments: list[str]) -> dict[str, Any]:
    """Take on the limits and return the job. The first thing such a process does."""
    task, memory, seconds, parent = (int(argument) for argument in arguments)
    _leave_the_network()
    # After it: a change of credentials would take the wish to die with the parent back.
    _die_with(parent)
    with open(task, "rb") as file:
        job = json.load(file)
    resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 5))
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    return job


def answer(message: dict[str, Any]) -> None:
    """Say one thing to the parent."""
    sys.stdout.buffer.write(json.dumps(message, ensure_ascii=True, separators=(",", ":")).encode() + b"\n")
    sys.stdout.buffer.flush()


def most_memory() -> int:
    """The most memory that this process ever had resident, in bytes."""
    with open("/proc/self/status", encoding="ascii", errors="replace") as status:
        peaks = [line.split()[1] for line in status if line.startswith("VmHWM:")]
    return int(peaks[0]) * 1024 if peaks else 0


def fault_of(error: BaseException) -> str:
    """The kind of an error and where it arose, without its message, which may quote what was read."""
    trace, place = error.__traceback__, "?"
    while trace is not None:
        place = f"{Path(trace.tb_frame.f_code.co_filename).name}:{trace.tb_lineno}"
        trace = trace.tb_next
    return f"{type(error).__name__} at {place}"


def _leave_the_network() -> None:
    """Into a network of its own that leads nowhere. Refused in many containers; then the rest must do."""
    # Of root only the network: in a user namespace of its own it could not read what others own.
    ctypes.CDLL(None).unshare(_NEW_NETWORK if os.geteuid() == 0 else _NEW_NETWORK | _NEW_USER)


def _die_with(parent: int) -> None:
    """A worker that is killed takes its reader with it."""
    ctypes.CDLL(None).prctl(_SET_PARENT_DEATH_SIGNAL, signal.SIGKILL)
    if os.getppid() != parent:  # it died before the line above
        os._exit(1)
