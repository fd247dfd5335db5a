"""One request of a run: stored, passed on, and its answer stored before the agent has it whole.

The order is the promise. The arrival is committed before the site is asked. The response is committed before its last
byte is passed on: of what has a declared length the last piece waits, of anything else the last byte so far. So what an
agent has read to its end is in the record, whatever dies in between; an arrival without a response was interrupted.
"""

import asyncio
import hashlib
import logging
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any

from evidence import routes
from evidence.recorder import headers as header_rules
from evidence.recorder.bodies import Body, Shelf
from evidence.recorder.faults import Faults
from evidence.recorder.headers import Headers, Naming
from evidence.recorder.presenting import Presented
from evidence.recorder.rows import Ending, KnownRun, NotStored, Request, Response, Rows
from evidence.recorder.targets import Asked, Target, TargetCut, TargetDown
from evidence.storage import StorageFull

log = logging.getLogger(__name__)

Scope = dict[str, Any]
Receive = Callable[[], Awaitable[dict]]
Send = Callable[[dict], Awaitable[None]]

MOST_ASKED = 10 * 1024 * 1024
MOST_DECLARED = 1 << 62
MOST_ANSWERED = 1024 * 1024 * 1024
MOST_HEADER_BYTES = 64 * 1024
LONGEST_METHOD = 40
# Of who sends a body: between two pieces of it.
SILENCE_SECONDS = 30.0

_ENDED = "Run closed, token expired, or far beyond the limits: nothing more is recorded."


class _ClientGone(Exception):
    """The agent went away before it had the answer."""


class _TooMuch(Exception):
    """The site says more than is recorded of one response."""


class _RunClosed(Exception):
    """The run was closed while its answer was on its way."""


async def plain(send: Send, status: int, text: str = "", *, headers: Headers | None = None) -> None:
    """An answer of ours: one line of text or nothing, never kept and never indexed."""
    content = f"{text}\n".encode() if text else b""
    await send(
        {
            "type": "http.response.start",
            "status": status,
            "headers": _plain_headers(content) + (headers or []),
        }
    )
    await send({"type": "http.response.body", "body": content})


def _plain_headers(content: bytes) -> Headers:
    return [
        *([(b"content-type", b"text/plain; charset=utf-8")] if content else []),
        (b"content-length", b"%d" % len(content)),
        (b"cache-control", b"no-store"),
        (b"x-robots-tag", b"noindex, nofollow"),
        (b"x-content-type-options", b"nosniff"),
    ]


class Relay:
    """What a request needs beside itself. `scheme` is that of the recorder's public addresses."""

    def __init__(
        self, *, rows: Rows, shelf: Shelf, faults: Faults, domain: str, hosts: frozenset[str], scheme: str
    ):
        self._rows = rows
        self._shelf = shelf
        self._faults = faults
        self._domain = domain
        self._hosts = hosts
        self._scheme = scheme

    async def serve(
        self, run: KnownRun, presented: Presented, target: Target, scope: Scope, receive: Receive, send: Send
    ) -> None:
        """Answer one request of a run."""
        naming = Naming(
            start_domain=run.start_domain,
            client=f"{self._scheme}://{presented.host.authority}",
            domain=self._domain,
            hosts=self._hosts,
            label=presented.host.label,
            target=f"{run.target[2]}:{run.target[3]}" if run.target[2] else None,
        )
        try:
            body, size, digest = await _body(scope, receive)
        except (_ClientGone, TimeoutError):
            return  # never a whole request: nothing has arrived
        refusal = _refusal(scope, size)
        asked = self._asked(scope, naming, b"" if body is None else body)
        try:
            request = self._request(asked, naming, size=size, sha256=digest)
            async with self._rows.turn(run):
                arrival = await self._rows.arrive(run, request, shown=presented.digests)
        except NotStored as error:
            log.error("a request could not be stored: %s", error)
            self._faults.note(presented.digests)
            await plain(send, 503, headers=[(b"retry-after", b"5")])
            return
        if arrival is None:
            await plain(send, 403, _ENDED)
            return
        answer = _Answer(self, run, arrival, naming, method=asked.method, receive=receive, send=send)
        try:
            await answer.of(target, asked, refusal=refusal)
        except Exception as error:
            # Whatever it was, it was not the agent: no 500 of ours is taken for an answer of the site.
            is_known = isinstance(error, NotStored | StorageFull | OSError)
            log.error("a response could not be stored: %s", type(error).__name__, exc_info=not is_known)
            self._faults.note(presented.digests)
            await answer.give_up()

    def _asked(self, scope: Scope, naming: Naming, body: bytes) -> Asked:
        raw = scope["raw_path"] + (b"?" + scope["query_string"] if scope["query_string"] else b"")
        has_body = bool(body) or any(
            name in (b"content-length", b"transfer-encoding") for name, _ in scope["headers"]
        )
        return Asked(
            # Cut after it: the start domain may be longer than the name that it stands for.
            method=naming.public(scope["method"][:LONGEST_METHOD])[:LONGEST_METHOD],
            target=naming.public(header_rules.target_text(raw)).encode("ascii", "replace") or b"/",
            headers=header_rules.to_target(
                scope["headers"], naming=naming, body_size=len(body) if has_body else None
            ),
            body=body,
            scheme=self._scheme,
        )

    def _request(self, asked: Asked, naming: Naming, *, size: int, sha256: str) -> Request:
        target = asked.target.decode("ascii")
        return Request(
            method=asked.method,
            target=target,
            url=f"{self._scheme}://{naming.start_domain}{'' if target.startswith('/') else '/'}{target}",
            # Once more: decoding may have brought a name of ours to light.
            path=naming.public(routes.normalise(target)),
            headers=header_rules.stored_request(asked.headers),
            body_size=size,
            body_sha256=sha256,
        )

    # ── for answers ──────────────────────────────────────────────────────────
    def body(self) -> Body:
        return self._shelf.begin()

    def turn(self, run: KnownRun) -> asyncio.Lock:
        return self._rows.turn(run)

    async def respond(self, run: KnownRun, arrival: int, response: Response) -> bool:
        return await self._rows.respond(run, arrival, response)


class _Answer:
    """The answer to one arrival while it passes through."""

    def __init__(
        self,
        relay: Relay,
        run: KnownRun,
        arrival: int,
        naming: Naming,
        *,
        method: str,
        receive: Receive,
        send: Send,
    ) -> None:
        self._relay = relay
        self._run = run
        self._arrival = arrival
        self._naming = naming
        self._method = method
        self._receive = receive
        self._send = send
        self._body = relay.body()
        self._status = 0
        self._headers: Headers = []
        self._declared: int | None = None
        self._held = b""
        self._is_begun = False
        self._gone: asyncio.Task | None = None

    async def of(self, target: Target, asked: Asked, *, refusal: tuple[int, str] | None) -> None:
        """Ask, store, answer. Raises NotStored, StorageFull or OSError when the record cannot be kept."""
        try:
            await self._pass(target, asked, refusal)
        finally:
            if self._gone:
                self._gone.cancel()
            with suppress(OSError):
                await self._body.discard()

    async def _pass(self, target: Target, asked: Asked, refusal: tuple[int, str] | None) -> None:
        if refusal:
            await self._ours(*refusal, ending=Ending.REFUSED)
            return
        try:
            await target(asked, self)
            if not self._status:
                raise TargetDown("no answer")
            await self._end(Ending.COMPLETE)
        except (TargetDown, TargetCut, TimeoutError) as error:
            if self._status:
                await self._cut(Ending.UPSTREAM_CUT)
            else:
                status = 504 if isinstance(error, TimeoutError) or "Timeout" in str(error) else 502
                await self._ours(status, "The site did not answer.", ending=Ending.UPSTREAM_DOWN)
        except _ClientGone:
            await self._cut(Ending.CLIENT_GONE)
        except _TooMuch:
            await self._cut(Ending.REFUSED)
        except _RunClosed:
            # What had begun is cut: an answer that the record does not know must not be whole.
            if not self._is_begun:
                await plain(self._send, 403, _ENDED)

    # ── what the site says ───────────────────────────────────────────────────
    async def start(self, status: int, headers: Headers) -> None:
        self._status = status
        self._headers = headers
        if self._method == "HEAD" or status in (204, 304):
            self._declared = 0
        else:
            declared = [value for name, value in headers if name == b"content-length"]
            self._declared = int(declared[0]) if len(declared) == 1 and declared[0].isdigit() else None

    async def piece(self, content: bytes) -> None:
        if self._body.size + len(content) > MOST_ANSWERED:
            raise _TooMuch
        await self._body.write(content)
        if self._declared is not None:
            if self._body.size >= self._declared:
                self._held += content
            else:
                await self._on(content)
        else:
            on, self._held = self._held + content[:-1], content[-1:]
            if on:
                await self._on(on)

    # ── what the agent gets ──────────────────────────────────────────────────
    async def _on(self, content: bytes) -> None:
        """Pass a piece on that is not the last one."""
        await self._begin()
        if self._gone is None:
            self._gone = asyncio.create_task(self._farewell())
        elif self._gone.done():
            raise _ClientGone
        await self._send({"type": "http.response.body", "body": content, "more_body": True})

    async def _farewell(self) -> None:
        """Ends when the agent has hung up."""
        while (await self._receive())["type"] != "http.disconnect":
            pass

    async def _begin(self) -> None:
        if self._is_begun:
            return
        self._is_begun = True
        told = header_rules.to_client(self._headers, naming=self._naming)
        await self._send({"type": "http.response.start", "status": self._status, "headers": told})

    async def _end(self, ending: Ending) -> None:
        if self._declared and self._body.size < self._declared and self._method != "HEAD":
            await self._cut(Ending.UPSTREAM_CUT)
            return
        await self._store(ending)
        await self._begin()
        await self._send({"type": "http.response.body", "body": self._held})

    async def _cut(self, ending: Ending) -> None:
        """Store what there was. Without a last piece the server ends the connection, and the agent sees that it did."""
        await self._store(ending)
        if self._held or not self._is_begun:
            await self._begin()
            await self._send({"type": "http.response.body", "body": self._held, "more_body": True})

    async def _ours(self, status: int, text: str, *, ending: Ending) -> None:
        """An answer of ours in the place of the site's, stored like one."""
        content = f"{text}\n".encode()
        self._status = status
        self._headers = _plain_headers(content)
        if self._method == "HEAD":
            content = b""
        await self._body.write(content)
        await self._store(ending)
        await self._begin()
        await self._send({"type": "http.response.body", "body": content})

    async def _store(self, ending: Ending) -> None:
        async with self._relay.turn(self._run):
            await self._store_in_turn(ending)

    async def _store_in_turn(self, ending: Ending) -> None:
        sha256 = await self._body.keep()
        kinds = [value for name, value in self._headers if name == b"content-type"]
        response = Response(
            status=self._status,
            headers=header_rules.stored_response(self._headers, naming=self._naming),
            content_type=kinds[0].decode("latin-1") if kinds else "",
            size=self._body.size,
            sha256=sha256,
            ending=ending,
        )
        if not await self._relay.respond(self._run, self._arrival, response):
            raise _RunClosed

    async def give_up(self) -> None:
        """The record could not be kept: nothing is answered to its end."""
        if not self._is_begun:
            await plain(self._send, 503, headers=[(b"retry-after", b"5")])


def _refusal(scope: Scope, size: int) -> tuple[int, str] | None:
    """Why a request that belongs to a run is not passed on, if so."""
    names = {name for name, _ in scope["headers"]}
    if scope["method"] == "CONNECT" or b"upgrade" in names:
        return 403, "Only plain HTTP requests are passed on: no tunnel, no WebSocket."
    if not scope["raw_path"].startswith(b"/") and scope["raw_path"] != b"*":
        return 403, "Only this run's own site can be reached."
    if len(scope["method"]) > LONGEST_METHOD or not scope["method"].isascii():
        return 400, "Not a method."
    if sum(len(name) + len(value) for name, value in scope["headers"]) > MOST_HEADER_BYTES:
        return 431, "The headers are too long."
    if size > MOST_ASKED:
        return 413, "The body is too long."
    return None


async def _body(scope: Scope, receive: Receive) -> tuple[bytes | None, int, str]:
    """The request's body, its size and SHA-256; None in place of one that is too long, which is not read to its end."""
    declared = [value for name, value in scope["headers"] if name == b"content-length"]
    if declared and declared[0].isdigit() and int(declared[0]) > MOST_ASKED:
        # Whatever a client declares, the row must be able to hold it.
        return None, min(int(declared[0]), MOST_DECLARED), ""
    if not declared and not any(name == b"transfer-encoding" for name, _ in scope["headers"]):
        return b"", 0, ""
    pieces: list[bytes] = []
    size = 0
    while True:
        async with asyncio.timeout(SILENCE_SECONDS):
            message = await receive()
        if message["type"] != "http.request":
            raise _ClientGone
        pieces.append(message["body"])
        size += len(message["body"])
        if size > MOST_ASKED:
            return None, size, ""
        if not message.get("more_body"):
            content = b"".join(pieces)
            return content, size, hashlib.sha256(content).hexdigest() if content else ""
