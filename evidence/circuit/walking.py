"""Makes the requests of the circuit check: asks the registry for a technical run, walks, and reads the record back."""

import hashlib
import http.client
import json
import socket
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import SplitResult, urlsplit

from evidence.circuit import agreement
from evidence.circuit.agreement import Line, Received
from evidence.circuit.way import WAY, Step

CHECKS = "/api/v1/circuit-checks/"
USER_AGENT = "fehaciente-circuit-check/1"
_SECONDS = 30
_MOST = 64 * 1024**2  # of one answer; the site's largest file has some thirty thousand bytes


class NotWalked(Exception):
    """The check could not be made: `code` says where it ended, `detail` what came back."""

    def __init__(self, code: str, detail: str) -> None:
        super().__init__(f"{code}: {detail}")
        self.code = code
        self.detail = detail


@dataclass(frozen=True)
class Outcome:
    """A finished check. `refused` is the status that a request without a token was given: 403 where all is well."""

    run: str
    lines: list[Line]
    superfluous: list[Mapping[str, Any]]
    refused: int
    technical: bool

    @property
    def agrees(self) -> bool:
        agreed = all(line.agrees for line in self.lines)
        return agreed and not self.superfluous and self.refused == 403 and self.technical

    def as_json(self) -> dict[str, Any]:
        return {
            "run": self.run,
            "agrees": self.agrees,
            "technical": self.technical,
            "refused_without_token": self.refused,
            "requests": [line.as_json() for line in self.lines],
            "superfluous": [dict(record) for record in self.superfluous],
        }


@dataclass(frozen=True)
class Handed:
    """A technical run with its secrets: where it is walked by host name (`entry`), and where by token (`address`)."""

    run: str
    token: str
    header: str
    entry: str
    address: str
    start_domain: str


def check(registry: str, *, progress: Callable[[Step, Received], None]) -> Outcome:
    """Walk the known way of the registry at `registry`, an address such as `http://localhost:8000/`.

    Raises NotWalked: `address`, `unreachable`, `refused` (no technical run to be had), `unreadable`.
    """
    place = _place(registry)
    handed = _handed(_asked(place, "POST", CHECKS, {"Content-Type": "application/json"}, b"{}"))
    refused = refused_without_token(handed)
    walked = walk(handed, progress=progress)
    read = _asked(place, "GET", f"{CHECKS}{handed.run}/", {"Authorization": f"Bearer {handed.token}"}, None)
    recorded = read.get("requests")
    if not isinstance(recorded, list) or not all(isinstance(record, dict) for record in recorded):
        raise NotWalked("unreadable", f"{CHECKS}{handed.run}/")
    return Outcome(
        run=handed.run,
        lines=agreement.lines(walked, recorded, start_domain=handed.start_domain),
        superfluous=agreement.superfluous(walked, recorded),
        refused=refused,
        technical=read.get("outcome") == "technical",
    )


def walk(handed: Handed, *, progress: Callable[[Step, Received], None]) -> list[tuple[Step, Received]]:
    """Make every request of the way, one after the other. Raises NotWalked."""
    entry, address = _place(handed.entry), _place(handed.address)
    walked: list[tuple[Step, Received]] = []
    etags: dict[str, str] = {}
    for step in WAY:
        headers = _identifying(step, handed)
        if step.etag_of:
            headers["If-None-Match"] = etags.get(step.etag_of, '""')
        received, etag = _send(entry if step.by == "host" else address, step, headers)
        etags[step.code] = etag
        walked.append((step, received))
        progress(step, received)
    return walked


def refused_without_token(handed: Handed) -> int:
    """The status that a request of no run is given."""
    return _send(_place(handed.address), Step("no_token", "/", 403), {})[0].status


def _handed(answer: Mapping[str, Any]) -> Handed:
    try:
        return Handed(
            run=str(answer["run"]),
            token=str(answer["token"]),
            header=str(answer["header"]),
            entry=str(answer["entry"]),
            address=str(answer["address"]),
            start_domain=str(answer["variant"]["start_domain"]),
        )
    except (KeyError, TypeError) as error:
        raise NotWalked("unreadable", f"{CHECKS}: {error}") from error


def _identifying(step: Step, handed: Handed) -> dict[str, str]:
    if step.by == "header":
        return {handed.header: handed.token}
    return {"Authorization": f"Bearer {handed.token}"} if step.by == "bearer" else {}


def _place(address: str) -> SplitResult:
    place = urlsplit(address)
    try:
        usable = place.scheme in ("http", "https") and place.hostname and (place.port is None or place.port)
    except ValueError:
        usable = False
    if not usable:
        raise NotWalked("address", address)
    return place


def _asked(place: SplitResult, method: str, path: str, headers: dict[str, str], body: bytes | None) -> Any:
    """The registry's own answer to a program."""
    connection = _connection(place)
    try:
        connection.request(method, path, body, {"User-Agent": USER_AGENT, **headers})
        response = connection.getresponse()
        text = response.read(_MOST)
    except (OSError, http.client.HTTPException) as error:
        raise NotWalked("unreachable", f"{place.geturl()} ({error})") from error
    finally:
        connection.close()
    try:
        answer = json.loads(text)
    except ValueError:
        answer = None
    if response.status not in (200, 201) or not isinstance(answer, dict):
        detail = answer.get("detail") or answer.get("title") if isinstance(answer, dict) else None
        raise NotWalked("refused", f"{method} {path}: {response.status} {detail or ''}".rstrip())
    return answer


def _send(place: SplitResult, step: Step, headers: Mapping[str, str]) -> tuple[Received, str]:
    """What came back of one step, and its entity tag. The target is sent as it is written, dots and all."""
    connection = _connection(place)
    try:
        connection.putrequest(step.method, step.target, skip_accept_encoding=True)
        own = {"User-Agent": USER_AGENT, **step.headers, **headers}
        if step.body is not None:
            own["Content-Length"] = str(len(step.body))
        for name, value in own.items():
            connection.putheader(name, value)
        connection.endheaders(step.body)
        response = connection.getresponse()
        body = response.read(_MOST)
    except (OSError, http.client.HTTPException) as error:
        raise NotWalked("unreachable", f"{step.method} {step.target} ({error})") from error
    finally:
        connection.close()
    received = Received(response.status, len(body), hashlib.sha256(body).hexdigest())
    return received, response.headers.get("ETag", "")


def _connection(place: SplitResult) -> http.client.HTTPConnection:
    host = place.hostname or ""
    if place.scheme == "https":
        return http.client.HTTPSConnection(host, place.port, timeout=_SECONDS)
    if host == "localhost" or host.endswith(".localhost"):
        return _Loopback(host, place.port, timeout=_SECONDS)
    return http.client.HTTPConnection(host, place.port, timeout=_SECONDS)


class _Loopback(http.client.HTTPConnection):
    """To a name below `localhost`, which RFC 6761 says is this machine and glibc does not resolve."""

    def connect(self) -> None:
        try:
            self.sock = socket.create_connection(("127.0.0.1", self.port), self.timeout)
        except OSError:
            self.sock = socket.create_connection(("::1", self.port), self.timeout)
