"""A recorder of a test's own: the real server in its own process, spoken to by sockets."""

import os
import signal
import socket
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

from evidence.storage import LocalStorage
from registry_site.embedded.places import ROOT
from registry_site.embedded.server import recorder_command
from registry_site.tests.own_registry import OF_THE_SUITE, end_with_parent, free_port


@dataclass(frozen=True)
class Answer:
    """What came back until the other side ended, or until the response was whole."""

    status: int
    headers: list[tuple[str, str]]
    body: bytes
    is_whole: bool

    def header(self, name: str) -> str | None:
        return next((value for key, value in self.headers if key == name), None)


class Recorder:
    """The recorder at `port`, on data of its own, as the application role in `database_url`."""

    def __init__(self, data: Path, *, database_url: str, **variables: str) -> None:
        self.data = data
        self.port = free_port()
        self.log = data / "recorder.log"
        self.store = LocalStorage(data / "evidence")
        kept = {name: value for name, value in os.environ.items() if not name.startswith(OF_THE_SUITE)}
        self.environment = kept | {
            "DATA_DIR": str(data),
            "RUNS_PORT": str(self.port),
            "DATABASE_APP_URL": database_url,
            "RUNS_PRIVATE_UPSTREAMS": "1",
            "RUNS_UPSTREAM_SECONDS": "1",
            "SECRET_KEY": "of-a-test",
            **variables,
        }
        self.process: subprocess.Popen | None = None

    def start(self) -> "Recorder":
        self.data.mkdir(parents=True, exist_ok=True)
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen(
                [str(part) for part in (sys.executable, *recorder_command(port=self.port))],
                cwd=ROOT,
                env=self.environment,
                stdout=log,
                stderr=log,
                preexec_fn=end_with_parent,
                start_new_session=True,
            )
        until = time.monotonic() + 30
        while not self._answers():
            if self.process.poll() is not None or time.monotonic() > until:
                raise AssertionError(self.log.read_text())
            time.sleep(0.05)
        return self

    def stop(self, number: int = signal.SIGTERM) -> None:
        if self.process:
            os.killpg(self.process.pid, number)
            self.process.wait(timeout=10)

    def stored(self, sha256: str) -> bytes:
        """The body that stands in storage under this address."""
        with self.store.open(sha256) as file:
            return file.read()

    def _answers(self) -> bool:
        try:
            return self.ask(b"GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n").status == 403
        except OSError:
            return False

    def connect(self, host: str = "127.0.0.1") -> socket.socket:
        return socket.create_connection((host, self.port), timeout=20)

    def ask(self, raw: bytes, *, at: str = "127.0.0.1") -> Answer:
        """Send these bytes as they are, and read one response."""
        with self.connect(at) as connection:
            connection.sendall(raw)
            return read_answer(connection, head=raw.startswith(b"HEAD "))

    def get(
        self, host: str, target: str = "/", *headers: str, method: str = "GET", body: bytes = b""
    ) -> Answer:
        """An orderly request to one of the recorder's host names."""
        lines = [f"{method} {target} HTTP/1.1", f"Host: {host}:{self.port}", "Connection: close", *headers]
        if body:
            lines.append(f"Content-Length: {len(body)}")
        return self.ask("\r\n".join([*lines, "", ""]).encode() + body)


def read_answer(connection: socket.socket, *, head: bool = False) -> Answer:
    """One response, read by hand: clients of the library hide what these tests are about."""
    data = b""
    while b"\r\n\r\n" not in data:
        if not (more := connection.recv(65536)):
            return Answer(0, [], data, is_whole=False)
        data += more
    top, _, rest = data.partition(b"\r\n\r\n")
    first, *lines = top.decode("latin-1").split("\r\n")
    status = int(first.split()[1])
    if status == 100:
        raise AssertionError("100 Continue is not expected here")
    headers = [(name.lower(), value.strip()) for name, _, value in (line.partition(":") for line in lines)]
    named = dict(headers)
    if head or status in (204, 304):
        return Answer(status, headers, b"", is_whole=True)
    if "content-length" in named:
        length = int(named["content-length"])
        while len(rest) < length and (more := connection.recv(1 << 20)):
            rest += more
        return Answer(status, headers, rest, is_whole=len(rest) == length)
    while more := connection.recv(1 << 20):
        rest += more
    if named.get("transfer-encoding") == "chunked":
        body, is_whole = _joined(rest)
        return Answer(status, headers, body, is_whole=is_whole)
    return Answer(status, headers, rest, is_whole=True)


def _joined(chunked: bytes) -> tuple[bytes, bool]:
    body = b""
    while chunked:
        size, _, chunked = chunked.partition(b"\r\n")
        length = int(size, 16)
        if length == 0:
            return body, True
        body += chunked[:length]
        chunked = chunked[length + 2 :]
    return body, False
