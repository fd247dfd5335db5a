"""Outlives the supervisor by a moment: ends the process groups it left and removes its temporary folders.

Run by path with `python -I -S`; reads lines from standard input until the supervisor is gone:
`watch PID SIGNAL OWN_GROUP`, `forget PID`, `folder PATH`.
"""

import os
import shutil
import signal
import sys
import time

PATIENCE = 3.0


def main() -> None:
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    watched: dict[int, tuple[int, bool]] = {}
    folders: list[str] = []
    for line in sys.stdin:
        word, rest = line.rstrip("\n").split(" ", 1)
        if word == "watch":
            pid, number, own_group = rest.split()
            watched[int(pid)] = (int(number), own_group == "1")
        elif word == "forget":
            watched.pop(int(rest), None)
        elif word == "folder":
            folders.append(rest)
    end(watched)
    for folder in folders:
        shutil.rmtree(folder, ignore_errors=True)


def end(watched: dict[int, tuple[int, bool]]) -> None:
    for pid, (number, _own_group) in watched.items():
        send(pid, number, group=False)
    until = time.monotonic() + PATIENCE
    while time.monotonic() < until and any(
        send(pid, 0, group=own) for pid, (_number, own) in watched.items()
    ):
        time.sleep(0.05)
    for pid, (_number, own_group) in watched.items():
        send(pid, signal.SIGKILL, group=own_group)


def send(pid: int, number: int, *, group: bool) -> bool:
    try:
        if group:
            os.killpg(pid, number)
        else:
            os.kill(pid, number)
    except OSError:
        return False
    return True


if __name__ == "__main__":
    main()
