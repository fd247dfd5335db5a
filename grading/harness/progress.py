"""How far a run is: one line on standard error."""

import time
from typing import TextIO

from grading.harness.texts import phase_name, word


class Progress:
    """One line on standard error: written over at a terminal, else every ten seconds."""

    def __init__(self, stream: TextIO, language: str) -> None:
        self._stream = stream
        self._language = language
        self._terminal = stream.isatty()
        self._next = 0.0
        self._open = False
        self._last: tuple[str, int] | None = None

    def __call__(self, phase: str, done: int, of: int, faults: int) -> None:
        now = time.monotonic()
        if now < self._next and done < of:
            return
        if (phase, done) == self._last:
            return
        self._last = phase, done
        self._next = now + (0.5 if self._terminal else 10.0)
        share = done / of if of else 1.0
        bar = "█" * round(share * 24) + "░" * (24 - round(share * 24))
        line = f"{bar} {done}/{of} {phase_name(phase, self._language)}"
        if faults:
            line += f" · {faults} {word('without_answer', self._language)}"
        self._stream.write(f"\r\x1b[K{line}" if self._terminal else f"{line}\n")
        self._stream.flush()
        self._open = self._terminal

    def end(self) -> None:
        if self._open:
            self._stream.write("\n")
            self._open = False
