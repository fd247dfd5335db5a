"""HTTP calls that can be paced, retried and bounded: one kept connection a thread, standard library alone."""

import http.client
import random
import socket
import ssl
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from enum import StrEnum
from urllib.parse import urlsplit

from grading.harness.configuration import Pace
from grading.harness.refusals import Refused

_RETRIED = frozenset({408, 425, 429, 500, 502, 503, 504})
_STEP = 1 << 16
# What of an answer's headers is kept with it; cookies and the like are not.
_KEPT_HEADERS = ("content-type", "date", "retry-after", "server", "x-request-id", "openai-processing-ms")


class CallFault(StrEnum):
    """Why a call gave no answer that can be read."""

    UNREACHABLE = "unreachable"
    TIMEOUT = "timeout"
    INSECURE = "insecure"
    STATUS = "status"
    TOO_LARGE = "too_large"


class Interrupted(Exception):
    """The run was stopped while a call waited for its turn."""


@dataclass(frozen=True, slots=True)
class Request:
    method: str
    url: str
    headers: Mapping[str, str]
    body: bytes | None


@dataclass(frozen=True, slots=True)
class Reply:
    """What came of a call after all its attempts. `fault` None: status 200–299 and a whole body."""

    status: int | None
    headers: dict[str, str]
    body: bytes
    fault: CallFault | None
    detail: str
    attempts: int
    requested_at: datetime
    latency_ms: int

    @property
    def may_pass(self) -> bool:
        """Whether asking again later may help."""
        if self.fault == CallFault.STATUS:
            return self.status in _RETRIED
        return self.fault in (CallFault.UNREACHABLE, CallFault.TIMEOUT)


class Caller:
    """Calls one endpoint from many threads at a common pace."""

    def __init__(self, pace: Pace, *, stop: threading.Event) -> None:
        self.pace = pace
        self._stop = stop
        self._turn = threading.Lock()
        self._next = 0.0
        self._paused_until = 0.0
        self._own = threading.local()
        self._tls = ssl.create_default_context()

    def call(self, request: Request) -> Reply:
        """Ask until there is an answer or no attempt is left. Raises Interrupted, or Refused when told to wait long."""
        for attempt in range(1, self.pace.attempts + 1):
            self._wait_for_turn()
            reply = self._once(request, attempt)
            if not reply.may_pass or attempt == self.pace.attempts:
                return reply
            self._back_off(reply, attempt)
        raise AssertionError("attempts is at least 1")

    def close(self) -> None:
        """Close this thread's connection."""
        connection = getattr(self._own, "connection", None)
        if connection is not None:
            connection.close()
            self._own.connection = None

    def _wait_for_turn(self) -> None:
        with self._turn:
            now = time.monotonic()
            start = max(now, self._next, self._paused_until)
            if self.pace.per_second:
                self._next = start + 1 / self.pace.per_second
        self._sleep(start - now)

    def _back_off(self, reply: Reply, attempt: int) -> None:
        wait = min(self.pace.longest_wait, self.pace.first_wait * 2 ** (attempt - 1))
        # Spread out, so that threads that failed together do not come back together.
        wait *= random.uniform(0.5, 1.0)  # noqa: S311
        asked = retry_after(reply.headers.get("retry-after"), now=reply.requested_at)
        if asked is not None:
            if asked > self.pace.longest_wait:
                raise Refused("asked_to_wait", seconds=round(asked), longest=round(self.pace.longest_wait))
            wait = max(wait, asked)
            with self._turn:
                # Everybody waits: the endpoint said so to one of us and meant all.
                self._paused_until = max(self._paused_until, time.monotonic() + asked)
        self._sleep(wait)

    def _sleep(self, seconds: float) -> None:
        if (seconds > 0 and self._stop.wait(seconds)) or self._stop.is_set():
            raise Interrupted

    def _once(self, request: Request, attempt: int) -> Reply:
        at, started = datetime.now(UTC), time.monotonic()
        deadline = started + self.pace.timeout

        def reply(status=None, headers=None, body=b"", fault=None, detail="") -> Reply:
            took = round((time.monotonic() - started) * 1000)
            return Reply(status, headers or {}, body, fault, detail, attempt, at, took)

        try:
            answer = self._send(request)
            with answer:
                body, whole = self._read(answer, deadline)
        except ssl.SSLCertVerificationError as error:
            self.close()
            return reply(fault=CallFault.INSECURE, detail=error.verify_message)
        except TimeoutError:
            self.close()
            return reply(fault=CallFault.TIMEOUT, detail=f"{self.pace.timeout:g} s")
        except (OSError, http.client.HTTPException) as error:
            self.close()
            return reply(fault=CallFault.UNREACHABLE, detail=f"{type(error).__name__}: {error}"[:200])
        headers = {name: value for name in _KEPT_HEADERS if (value := answer.headers.get(name)) is not None}
        if not whole:
            self.close()
            return reply(answer.status, headers, body, CallFault.TOO_LARGE, f"> {self.pace.largest_answer}")
        if answer.will_close:
            self.close()
        if not 200 <= answer.status < 300:
            return reply(answer.status, headers, body, CallFault.STATUS, str(answer.status))
        return reply(answer.status, headers, body)

    def _send(self, request: Request) -> http.client.HTTPResponse:
        parts = urlsplit(request.url)
        target = parts.path or "/"
        if parts.query:
            target = f"{target}?{parts.query}"
        kept = getattr(self._own, "connection", None)
        if kept is not None:
            try:
                kept.request(request.method, target, request.body, dict(request.headers))
                return kept.getresponse()
            except (http.client.RemoteDisconnected, ConnectionError, http.client.CannotSendRequest):
                # The other side had closed a kept connection: no attempt was made yet.
                self.close()
        make = http.client.HTTPSConnection if parts.scheme == "https" else http.client.HTTPConnection
        options = {"context": self._tls} if parts.scheme == "https" else {}
        connection = make(parts.hostname, parts.port, timeout=self.pace.timeout, **options)
        connection.connect()
        connection.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._own.connection = connection
        connection.request(request.method, target, request.body, dict(request.headers))
        return connection.getresponse()

    def _read(self, answer: http.client.HTTPResponse, deadline: float) -> tuple[bytes, bool]:
        chunks, size = [], 0
        # HTTPResponse.read1 of Python 3.11 does not count what it has read: here it is counted.
        left = None if answer.chunked else answer.length
        while left is None or left > 0:
            chunk = answer.read1(_STEP) if left is None else answer.fp.read1(min(left, _STEP))
            if not chunk:
                if left:
                    raise http.client.IncompleteRead(b"".join(chunks), left)
                break
            if left is not None:
                left -= len(chunk)
            chunks.append(chunk)
            size += len(chunk)
            if size > self.pace.largest_answer:
                return b"".join(chunks)[: self.pace.largest_answer], False
            if time.monotonic() > deadline:
                raise TimeoutError
        return b"".join(chunks), True


def retry_after(header: str | None, *, now: datetime) -> float | None:
    """How many seconds a Retry-After header asks for: a number, or a date. None when there is none that is sound."""
    if header is None:
        return None
    header = header.strip()
    if header.isdecimal():
        return float(header[:9])
    try:
        until = parsedate_to_datetime(header)
    except ValueError:
        return None
    if until.tzinfo is None:
        until = until.replace(tzinfo=UTC)
    return max(0.0, (until - now).total_seconds())
