"""A script/server of a test's own, and what the kernel knows about its processes."""

import contextlib
import ctypes
import http.client
import os
import re
import signal
import socket
import subprocess
import tempfile
import time
from pathlib import Path

from registry_site.embedded import places, services
from registry_site.embedded.places import ROOT

# The suite itself runs on thrown-away services: what is started here must not be told of them.
OF_THE_SUITE = (
    "DATABASE_",
    "REDIS_URL",
    "TESTING",
    "CLOCK_MAY_MOVE",
    "PUBLIC_URL",
    "RUNS_",
    "REHEARSAL",
    "PYTEST_",
)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def parents() -> dict[int, int]:
    """Each living process and its parent; zombies do not live."""
    found = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            with contextlib.suppress(OSError):
                state, parent = (entry / "stat").read_text().rpartition(")")[2].split()[:2]
                if state != "Z":
                    found[int(entry.name)] = int(parent)
    return found


def family(pid: int) -> set[int]:
    """A process and everything below it."""
    members = {pid}
    known = parents()
    while more := {child for child, parent in known.items() if parent in members} - members:
        members |= more
    return members


def gone(pids: set[int], *, within: float) -> bool:
    until = time.monotonic() + within
    while pids & parents().keys():
        if time.monotonic() > until:
            return False
        time.sleep(0.05)
    return True


def end_with_parent() -> None:
    """In a child: be told to stop when the tests are gone, however they went."""
    ctypes.CDLL(None).prctl(1, int(signal.SIGTERM), 0, 0, 0)  # PR_SET_PDEATHSIG


class Registry:
    """A script/server with a data folder and a port of its own."""

    def __init__(self, data: Path, **variables: str) -> None:
        self.data = data
        self.port = free_port()
        self.runs_port = free_port()
        kept = {k: v for k, v in os.environ.items() if not k.startswith(OF_THE_SUITE)}
        self.environment = kept | {
            "DATA_DIR": str(data),
            "PORT": str(self.port),
            "RUNS_PORT": str(self.runs_port),
            "DEMO": "0",
            **variables,
        }
        self.process: subprocess.Popen | None = None
        self.said = ""

    @classmethod
    def in_a_new_folder(cls, **variables: str) -> "Registry":
        # Inside the suite's own data folder, which script/test removes whatever becomes of pytest.
        return cls(Path(tempfile.mkdtemp(prefix="embedded-", dir=os.environ["DATA_DIR"])), **variables)

    def launch(self) -> None:
        self.said = ""
        self.process = subprocess.Popen(
            [ROOT / "script" / "server"],
            env=self.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
            preexec_fn=end_with_parent,
        )

    def start(self) -> "Registry":
        """Launch it and read what it says until it is ready."""
        self.launch()
        for line in self.process.stdout:
            self.said += line
            if line.startswith("Ready: "):
                return self
        raise AssertionError(f"script/server ended with {self.process.wait()}:\n{self.said}")

    def run(self, *command: str) -> subprocess.CompletedProcess:
        return subprocess.run(
            [ROOT / "script" / command[0], *command[1:]], env=self.environment, capture_output=True, text=True
        )

    def sql(self, statement: str) -> str:
        """What the application role sees, through script/manage."""
        code = f"from django.db import connection as c; k = c.cursor(); k.execute({statement!r}); "
        code += "print(k.fetchall())"
        answer = self.run("manage", "shell", "--verbosity=0", "--command", code)
        assert answer.returncode == 0, answer.stderr
        return answer.stdout.strip()

    def status(self) -> int:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=10)
        try:
            connection.request("GET", "/", headers={"Host": f"localhost:{self.port}"})
            return connection.getresponse().status
        finally:
            connection.close()

    def end(self) -> None:
        if self.process and self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        if self.process:
            self.process.stdout.close()

    def remove(self) -> None:
        """End it if it runs, and take its data away."""
        started = family(self.process.pid) if self.process else set()
        self.end()
        gone(started, within=6)
        services.throw_away(places.of(self.data))


def listening(pids: set[int]) -> set[tuple[str, int]]:
    """Addresses on which these processes accept TCP connections."""
    inodes = set()
    for pid in pids:
        with contextlib.suppress(OSError):
            for descriptor in Path(f"/proc/{pid}/fd").iterdir():
                with contextlib.suppress(OSError):
                    if found := re.fullmatch(r"socket:\[(\d+)]", os.readlink(descriptor)):
                        inodes.add(found[1])
    found = set()
    for table in ("tcp", "tcp6"):
        for line in Path(f"/proc/net/{table}").read_text().splitlines()[1:]:
            fields = line.split()
            if fields[3] == "0A" and fields[9] in inodes:
                address, port = fields[1].split(":")
                # Words of four bytes, each as this machine writes numbers.
                words = (bytes.fromhex(address[at : at + 8])[::-1] for at in range(0, len(address), 8))
                family_of = socket.AF_INET if table == "tcp" else socket.AF_INET6
                found.add((socket.inet_ntop(family_of, b"".join(words)), int(port, 16)))
    return found
