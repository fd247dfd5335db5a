"""The embedded Valkey: the broker's messages in an append-only file, on a socket only."""

import fcntl
import os
import socket
import time
from pathlib import Path

from .errors import CannotStart
from .places import Binaries, Places
from .processes import Child, Processes, last_lines, roll_over

LOCK_PATIENCE = 15.0
START_PATIENCE = 60.0


def url(sockets: Path) -> str:
    """The broker's address; settings derive the cache's from it (database 1)."""
    return f"redis+socket://{sockets / 'valkey.sock'}?virtual_host=0"


def start(places: Places, binaries: Binaries, sockets: Path, *, processes: Processes, durable: bool) -> Child:
    """Start the server and wait until it answers."""
    if not places.valkey.exists():
        places.valkey.mkdir(mode=0o700)
        places.hand_over(places.valkey)
    log = roll_over(places.logs / "valkey.log")
    child = launch(places, binaries, sockets, processes=processes, durable=durable)
    started = time.monotonic()
    while child.is_running():
        if _answers(sockets / "valkey.sock"):
            return child
        if time.monotonic() - started > START_PATIENCE:
            raise CannotStart(
                f"Valkey has not answered after {START_PATIENCE:.0f} s; {log} says:\n{last_lines(log)}"
            )
        processes.pause(0.03)
    processes.forget(child)
    raise CannotStart(f"Valkey did not start ({child.how_it_ended()}); {log} says:\n{last_lines(log)}")


def launch(
    places: Places, binaries: Binaries, sockets: Path, *, processes: Processes, durable: bool
) -> Child:
    """Start the server without waiting for an answer.

    Valkey does not guard its own folder: an open lock file that it inherits keeps a second one out.
    """
    guard = os.open(places.home / "valkey.lock", os.O_RDWR | os.O_CREAT, 0o600)
    try:
        until = time.monotonic() + LOCK_PATIENCE
        while True:
            try:
                fcntl.flock(guard, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                if time.monotonic() > until:
                    raise CannotStart(f"Another Valkey still uses {places.valkey}.") from None
                processes.pause(0.1)
        settings = {
            "port": "0",
            "unixsocket": str(sockets / "valkey.sock"),
            "unixsocketperm": "700",
            "dir": str(places.valkey),
            "appendonly": "yes" if durable else "no",
            "appendfsync": "everysec",
            "save": "",
            "maxmemory-policy": "noeviction",
            "daemonize": "no",
            "databases": "2",
            "aof-load-truncated": "yes",
        }
        command: list[object] = [binaries.valkey_server]
        for name, value in settings.items():
            command += [f"--{name}", value]
        return processes.start(
            "Valkey",
            command,
            environment={"PATH": "/usr/bin:/bin", "LC_ALL": "C", "TZ": "UTC"},
            log=places.logs / "valkey.log",
            pass_fds=(guard,),
            **places.as_servant(),
        )
    finally:
        os.close(guard)


def _answers(path: Path) -> bool:
    try:
        with socket.socket(socket.AF_UNIX) as connection:
            connection.settimeout(1)
            connection.connect(str(path))
            connection.sendall(b"PING\r\n")
            return connection.recv(16).startswith(b"+PONG")
    except OSError:
        return False
