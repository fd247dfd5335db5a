"""How child processes start, are watched and end, so that nothing is left behind.

The stop signals and SIGCHLD stay blocked and are fetched with sigtimedwait: nothing happens between lines.
Each child asks the kernel for a signal when this process dies, and a sentinel ends what is left of its group.
"""

import ctypes
import os
import signal
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path

from .errors import Stopped

STOP_SIGNALS = {signal.SIGINT, signal.SIGTERM, signal.SIGHUP}
_PR_SET_PDEATHSIG = 1
_prctl = ctypes.CDLL(None, use_errno=True).prctl

LOG_LIMIT = 10 * 1024 * 1024


@dataclass(eq=False)
class Child:
    """One running program: `gentle` ends it in order, `impatient` when that takes too long, then SIGKILL."""

    name: str
    popen: subprocess.Popen
    gentle: signal.Signals
    impatient: signal.Signals
    own_group: bool
    started: float = field(default_factory=time.monotonic)

    @property
    def pid(self) -> int:
        return self.popen.pid

    def is_running(self) -> bool:
        return self.popen.poll() is None

    def send(self, number: signal.Signals, *, group: bool = False) -> None:
        try:
            if group and self.own_group:
                os.killpg(self.pid, number)
            elif self.is_running():
                self.popen.send_signal(number)
        except ProcessLookupError:
            return

    def was_killed(self) -> bool:
        return (self.popen.returncode or 0) < 0

    def how_it_ended(self) -> str:
        code = self.popen.returncode
        if code is not None and code < 0:
            return f"killed by {signal.Signals(-code).name}"
        return f"status {code}"


class Processes:
    """The children of this process. Make one per program, first of all, and `close` it last."""

    def __init__(self) -> None:
        # nohup ignores SIGHUP on purpose, and then it stays so. A job that a shell put into the background
        # has SIGINT ignored, and is to stop on it all the same.
        hangs_up = signal.getsignal(signal.SIGHUP) != signal.SIG_IGN
        self._heard = {signal.SIGCHLD} | (STOP_SIGNALS if hangs_up else STOP_SIGNALS - {signal.SIGHUP})
        self._handlers_before = {
            number: signal.signal(number, _unreached) for number in self._heard - {signal.SIGCHLD}
        }
        self._mask_before = signal.pthread_sigmask(signal.SIG_BLOCK, self._heard)
        self._sentinel = subprocess.Popen(
            [sys.executable, "-I", "-S", str(Path(__file__).with_name("sentinel.py"))],
            stdin=subprocess.PIPE,
            start_new_session=True,
            cwd="/",
        )
        self.children: list[Child] = []

    def start(
        self,
        name: str,
        command: list[object],
        *,
        environment: dict[str, str],
        cwd: Path | str = "/",
        log: Path | None = None,
        gentle: signal.Signals = signal.SIGTERM,
        impatient: signal.Signals = signal.SIGKILL,
        foreground: bool = False,
        pass_fds: tuple[int, ...] = (),
        stdout=None,
        **account,
    ) -> Child:
        """Start a program. `foreground` leaves it on the terminal, in this process' group."""
        parent = os.getpid()

        def in_child() -> None:
            _prctl(_PR_SET_PDEATHSIG, int(gentle), 0, 0, 0)
            if os.getppid() != parent:
                os._exit(1)
            signal.pthread_sigmask(signal.SIG_UNBLOCK, self._heard)

        out = open(log, "ab") if log else stdout  # noqa: SIM115  (closed below)
        try:
            popen = subprocess.Popen(
                [str(part) for part in command],
                env=environment,
                cwd=cwd,
                stdin=None if foreground else subprocess.DEVNULL,
                stdout=out,
                stderr=subprocess.STDOUT if log else None,
                start_new_session=not foreground,
                preexec_fn=in_child,
                pass_fds=pass_fds,
                **account,
            )
        finally:
            if log:
                out.close()
        child = Child(name=name, popen=popen, gentle=gentle, impatient=impatient, own_group=not foreground)
        self.children.append(child)
        self._tell_sentinel(f"watch {child.pid} {int(gentle)} {int(not foreground)}")
        return child

    def forget(self, child: Child) -> None:
        """After a child has ended: what is left of its group goes too."""
        if child.own_group:
            child.send(signal.SIGKILL, group=True)
        self._tell_sentinel(f"forget {child.pid}")
        self.children.remove(child)

    def remove_at_the_end(self, folder: Path) -> None:
        """The sentinel removes this folder when this process is gone, however it went."""
        self._tell_sentinel(f"folder {folder}")

    def listen(self, seconds: float) -> int | None:
        """Wait for a signal; None when nothing came. SIGCHLD says only that some child has ended."""
        heard = signal.sigtimedwait(self._heard, max(seconds, 0))
        return heard.si_signo if heard else None

    def pause(self, seconds: float) -> None:
        """Sleep; a stop signal raises Stopped."""
        until = time.monotonic() + seconds
        while (left := until - time.monotonic()) > 0:
            number = self.listen(left)
            if number in STOP_SIGNALS:
                raise Stopped(number)
            if number == signal.SIGCHLD:
                return

    def wait_for(self, child: Child) -> int:
        """Until the child has ended; a stop signal raises Stopped."""
        while child.is_running():
            self.pause(1)
        self.forget(child)
        return child.popen.returncode

    def end(self, children: list[Child], *, patience: float, hurried: bool = False) -> bool:
        """End these, gently, then impatiently, then for good; True when told to hurry meanwhile."""
        for child in children:
            child.send(signal.SIGKILL if hurried and child.impatient == signal.SIGKILL else child.gentle)
        steps = [(patience, "impatient"), (patience + 0.8, "kill")]
        started = time.monotonic()
        while any(child.is_running() for child in children):
            elapsed = time.monotonic() - started
            if steps and (elapsed >= steps[0][0] or hurried):
                step = steps.pop(0)[1]
                for child in children:
                    if child.is_running():
                        child.send(
                            child.impatient if step == "impatient" else signal.SIGKILL, group=step == "kill"
                        )
                if hurried and steps:
                    # Told twice: the last step still waits a little for the impatient one to work.
                    steps = [(elapsed + 0.5, "kill")]
                    hurried = False
            if self.listen(0.05) in STOP_SIGNALS:
                hurried = True
        for child in children:
            self.forget(child)
        return hurried

    def close(self) -> None:
        """Everything has ended; the sentinel goes, and signals behave as before."""
        if self._sentinel.stdin:
            try:
                self._sentinel.stdin.close()
            except BrokenPipeError:
                self._sentinel.stdin = None
        self._sentinel.wait()
        while self.listen(0) is not None:
            # What came too late to matter must not strike when the mask is lifted.
            continue
        for number, handler in self._handlers_before.items():
            signal.signal(number, handler)
        signal.pthread_sigmask(signal.SIG_SETMASK, self._mask_before)

    def _tell_sentinel(self, line: str) -> None:
        try:
            self._sentinel.stdin.write(f"{line}\n".encode())
            self._sentinel.stdin.flush()
        except (BrokenPipeError, ValueError):
            # Without the sentinel the kernel's parent-death signal still ends each child.
            return


def _unreached(number: int, _frame: object) -> None:
    """Any handler: the signal is blocked and fetched, but one that is ignored would never be queued."""


def roll_over(log: Path) -> Path:
    """Keep a log and the one before; called when a program starts, so no log grows over many starts."""
    if log.exists() and log.stat().st_size > LOG_LIMIT:
        log.replace(log.with_name(log.name + ".1"))
    return log


def last_lines(log: Path, count: int = 12) -> str:
    if not log.exists():
        return ""
    with open(log, "rb") as text:
        text.seek(0, os.SEEK_END)
        text.seek(max(text.tell() - 8192, 0))
        return "\n".join(text.read().decode(errors="replace").splitlines()[-count:])
