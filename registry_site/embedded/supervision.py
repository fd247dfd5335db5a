"""Watches the programs of a registry: what ends is said plainly and started again, with growing pauses."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from .errors import CannotStart
from .processes import STOP_SIGNALS, Child, Processes, last_lines

FIRST_PAUSE = 1.0
LONGEST_PAUSE = 30.0
# A program that has run this long has recovered: its next end starts again with the shortest pause.
STEADY_AFTER = 60.0


@dataclass(eq=False)
class Program:
    """One watched program; it is started again `tries` times within STEADY_AFTER, None: for ever."""

    name: str
    launch: Callable[[], Child]
    child: Child
    log: Path
    tries: int | None = None
    failures: int = 0
    due: float | None = None

    def has_died(self) -> bool:
        return self.due is None and not self.child.is_running()


def watch(programs: list[Program], *, processes: Processes, say: Callable[[str], None]) -> int:
    """Until a stop signal comes (returns its number); CannotStart when a program is given up."""
    while True:
        now = time.monotonic()
        for program in programs:
            if program.has_died():
                _plan_restart(program, now, processes=processes, say=say)
            elif program.due is not None and now >= program.due:
                program.child = program.launch()
                program.due = None
                say(f"{program.name} was started again (process {program.child.pid}).")
        waiting = [program.due - now for program in programs if program.due is not None]
        number = processes.listen(min([5.0, *waiting]))
        if number in STOP_SIGNALS:
            return number


def _plan_restart(program: Program, now: float, *, processes: Processes, say: Callable[[str], None]) -> None:
    if now - program.child.started > STEADY_AFTER:
        program.failures = 0
    program.failures += 1
    ending = f"{program.name} has ended ({program.child.how_it_ended()})"
    processes.forget(program.child)
    if program.tries is not None and program.failures > program.tries:
        raise CannotStart(
            f"{ending}, {program.failures} times in short order: the registry stops. {program.log} says:\n"
            f"{last_lines(program.log)}"
        )
    pause = min(FIRST_PAUSE * 2 ** (program.failures - 1), LONGEST_PAUSE)
    program.due = now + pause
    # Who was killed had no time to say why.
    words = "" if program.child.was_killed() else f" Its last words: {last_word(program.log)}"
    say(f"{ending}; it starts again in {pause:.0f} s.{words}")


def last_word(log: Path) -> str:
    """The last line of a log that says something; where to look when there is none."""
    lines = [line.strip() for line in last_lines(log).splitlines() if line.strip()]
    return lines[-1] if lines else f"none ({log})"
