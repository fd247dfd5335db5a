"""Many tasks at once, until they are done, one fails for good, or too many in a row get no answer."""

import threading
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from grading.harness.calls import Caller, Interrupted
from grading.harness.refusals import Refused

# Of a task and whether it is the first: whether it got an answer.
Work = Callable[[Any, bool], bool]
Progress = Callable[[str, int, int, int], None]  # phase, done, of, without answer
_LOOK_EVERY = 0.2
_LAST_ANSWERS = 2.0


def each(
    tasks: Sequence[Any],
    work: Work,
    *,
    phase: str,
    total: int,
    caller: Caller,
    stop: threading.Event,
    progress: Progress,
    probe: bool,
) -> None:
    """Do every task, as many at once as the caller's pace allows; with `probe` the first alone, before the others.

    Raises what a task raised, and Refused when too many in a row got no answer; `stop` is set then, and nothing that
    shares it goes on.
    """
    if not tasks:
        return
    done = _Count(total - len(tasks), caller.pace.give_up_after)
    progress(phase, done.done, total, done.faults)
    waiting = iter(tasks)
    if probe:
        try:
            done.take(work(next(waiting), True))
        finally:
            caller.close()
    crew = _Crew(waiting, work, done, caller, stop)
    threads = [
        threading.Thread(target=crew.work_off, daemon=True, name=f"{phase}-{number}")
        for number in range(min(caller.pace.in_flight, len(tasks)))
    ]
    for thread in threads:
        thread.start()
    try:
        for thread in threads:
            while thread.is_alive():
                thread.join(_LOOK_EVERY)
                progress(phase, done.done, total, done.faults)
    except KeyboardInterrupt:
        # Answers already under way are still kept, for a moment.
        stop.set()
        for thread in threads:
            thread.join(_LAST_ANSWERS)
        raise
    progress(phase, done.done, total, done.faults)
    if crew.failures:
        raise crew.failures[0]
    if done.gave_up:
        raise Refused("gave_up", phase=phase, times=caller.pace.give_up_after)


class _Crew:
    """Threads that take the next task until there is none or they are stopped."""

    def __init__(
        self, waiting: Iterator[Any], work: Work, done: "_Count", caller: Caller, stop: threading.Event
    ) -> None:
        self.failures: list[BaseException] = []
        self._waiting = waiting
        self._work = work
        self._done = done
        self._caller = caller
        self._stop = stop
        self._turn = threading.Lock()

    def work_off(self) -> None:
        try:
            while not self._stop.is_set():
                with self._turn:
                    task = next(self._waiting, None)
                if task is None:
                    return
                if self._done.take(self._work(task, False)):
                    self._stop.set()
        except Interrupted:
            pass
        except BaseException as error:
            # Raised again in the thread that waits.
            self.failures.append(error)
            self._stop.set()
        finally:
            self._caller.close()


class _Count:
    """How many tasks are done, and how many in a row got nothing."""

    def __init__(self, done: int, give_up_after: int) -> None:
        self.done = done
        self.faults = 0
        self.gave_up = False
        self._in_a_row = 0
        self._give_up_after = give_up_after
        self._lock = threading.Lock()

    def take(self, answered: bool) -> bool:
        """Count one; whether it was one too many without an answer."""
        with self._lock:
            if answered:
                self.done += 1
                self._in_a_row = 0
            else:
                self.faults += 1
                self._in_a_row += 1
                self.gave_up |= self._in_a_row >= self._give_up_after
            return self.gave_up
