"""What running a program costs: wall time, processor time and peak memory, best of several runs."""

import os
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import IO


@dataclass(frozen=True)
class Cost:
    """Seconds of wall and processor time (children included), and peak resident memory in bytes."""

    wall: float
    cpu: float
    peak: int

    def __add__(self, other: "Cost") -> "Cost":
        """One after the other."""
        return Cost(self.wall + other.wall, self.cpu + other.cpu, max(self.peak, other.peak))


def of_command(
    command: Sequence[str],
    *,
    environment: Mapping[str, str] | None = None,
    cwd: str | None = None,
    output: IO[bytes] | None = None,
) -> Cost:
    """Run it once, its output added to a file or thrown away; RuntimeError when it fails."""
    started = time.perf_counter()
    process = subprocess.Popen(
        command, stdout=output or subprocess.DEVNULL, stderr=subprocess.PIPE, env=environment, cwd=cwd
    )
    said = process.stderr.read()
    _pid, status, used = os.wait4(process.pid, 0)
    wall = time.perf_counter() - started
    process.stderr.close()
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        raise RuntimeError(
            f"{' '.join(command)} ended with {process.returncode}: {said.decode(errors='replace')[-500:]}"
        )
    # Linux counts ru_maxrss in KiB.
    return Cost(wall, used.ru_utime + used.ru_stime, used.ru_maxrss * 1024)


def of_call(call: Callable[[], object]) -> Cost:
    """Call it once in this process; the peak is not known."""
    wall, cpu = time.perf_counter(), time.process_time()
    call()
    return Cost(time.perf_counter() - wall, time.process_time() - cpu, 0)


def best(measure: Callable[[], Cost], *, of: int = 3) -> Cost:
    """The least of each over several runs: what else the machine did only ever adds."""
    costs = [measure() for _run in range(of)]
    return Cost(min(c.wall for c in costs), min(c.cpu for c in costs), min(c.peak for c in costs))
