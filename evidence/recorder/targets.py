"""Where a run's requests are passed on to: the built-in site in this process, or one address that staff configured.

Nothing else can be reached: scheme, host and port come from the configuration, from the request only path and query.
Redirects are handed to the agent, never followed; no proxy and no cookie jar of ours stands between. It
speaks h11 on asyncio: a client of the shelf costs more for a request than all the rest of the recorder.
"""

import asyncio
import ipaddress
import socket
import ssl
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Protocol
from urllib.parse import unquote_to_bytes

import h11

from evidence.observed_site import app as observed_site
from evidence.recorder.headers import Headers

# Of who is asked: to have said all.
WHOLE_SECONDS = 900.0
_RESOLVED_SECONDS = 60.0
# What is read at once, what a response's headers may measure, and how many connections to a site wait for the next.
_PIECE = 128 * 1024
_MOST_HEAD = 128 * 1024
_MOST_IDLE = 50
_SAFE = frozenset({"GET", "HEAD", "OPTIONS"})
_NAT64 = ipaddress.ip_network("64:ff9b::/96")


class TargetDown(Exception):
    """The site could not be asked, or said nothing that is a response."""


class TargetCut(Exception):
    """The site stopped in the middle of its response."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A request as the site gets it."""

    method: str
    target: bytes
    headers: Headers
    body: bytes
    scheme: str


class Told(Protocol):
    """Whoever takes the response, piece by piece."""

    async def start(self, status: int, headers: Headers) -> None: ...

    async def piece(self, content: bytes) -> None: ...


Target = Callable[[Asked, Told], Awaitable[None]]


async def built_in(asked: Asked, told: Told) -> None:
    """The observed site, called as the ASGI application that it is."""
    raw_path, _, query = asked.target.partition(b"?")
    scope = {
        "type": "http",
        "asgi": {"version": "3.0", "spec_version": "2.3"},
        "http_version": "1.1",
        "method": asked.method,
        "scheme": asked.scheme,
        "path": unquote_to_bytes(raw_path).decode("utf-8", "replace"),
        "raw_path": raw_path,
        "query_string": query,
        "root_path": "",
        "headers": asked.headers,
        "client": None,
        "server": None,
    }
    has_asked = False

    async def receive() -> dict:
        nonlocal has_asked
        if has_asked:
            return {"type": "http.disconnect"}
        has_asked = True
        return {"type": "http.request", "body": asked.body, "more_body": False}

    async def send(message: dict) -> None:
        if message["type"] == "http.response.start":
            await told.start(message["status"], list(message.get("headers", [])))
        elif content := message.get("body", b""):
            await told.piece(content)

    await observed_site.app(scope, receive, send)


class Upstreams:
    """The configured sites, each with idle connections of its own.

    `private` allows addresses that are not public ones; `patience` are the seconds that a site may say nothing.
    """

    def __init__(self, *, private: bool, patience: float) -> None:
        self._private = private
        self._patience = patience
        self._idle: dict[tuple[str, str, int], list[_Connection]] = {}
        self._resolved: dict[str, tuple[float, str]] = {}
        self._tls = ssl.create_default_context()

    def target(self, scheme: str, host: str, port: int) -> Target:
        async def ask(asked: Asked, told: Told) -> None:
            async with asyncio.timeout(WHOLE_SECONDS):
                await self._ask((scheme, host, port), asked, told)

        return ask

    async def close(self) -> None:
        for connections in self._idle.values():
            for connection in connections:
                connection.close()
        self._idle.clear()

    async def _ask(self, place: tuple[str, str, int], asked: Asked, told: Told) -> None:
        idle = self._idle.setdefault(place, [])
        # What may not be asked twice is asked on a new connection: an old one may be closed at this very moment.
        while asked.method in _SAFE and idle:
            connection = idle.pop()
            if connection.is_open():
                try:
                    return await self._on(connection, idle, asked, told)
                except _Unheard:
                    break
        try:
            await self._on(await self._connect(*place), idle, asked, told)
        except _Unheard as error:
            raise TargetDown(str(error)) from error

    async def _on(self, connection: "_Connection", idle: list, asked: Asked, told: Told) -> None:
        is_reusable = False
        try:
            is_reusable = await connection.exchange(asked, told)
        finally:
            if is_reusable and len(idle) < _MOST_IDLE:
                idle.append(connection)
            else:
                connection.close()

    async def _connect(self, scheme: str, host: str, port: int) -> "_Connection":
        address = await self._vetted(host, port)
        tls = {"ssl": self._tls, "server_hostname": host} if scheme == "https" else {}
        try:
            async with asyncio.timeout(self._patience):
                reader, writer = await asyncio.open_connection(address, port, limit=_PIECE, **tls)
        except TimeoutError:
            raise
        except OSError as error:
            raise TargetDown(type(error).__name__) from error
        return _Connection(reader, writer, patience=self._patience)

    async def _vetted(self, host: str, port: int) -> str:
        """An address of this host that may be asked; the connection is made to this very one."""
        until, address = self._resolved.get(host, (0.0, ""))
        if time.monotonic() < until:
            return address
        try:
            found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
        except OSError as error:
            raise TargetDown("no such host") from error
        for *_, place in found:
            if self._private or is_public(place[0]):
                self._resolved[host] = (time.monotonic() + _RESOLVED_SECONDS, place[0])
                return place[0]
        raise TargetDown("not a public address")


class _Unheard(Exception):
    """The connection ended before a byte of the response: the request may not have been read."""


class _Connection:
    """One connection to a site, one request after the other."""

    def __init__(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, *, patience: float
    ) -> None:
        self._reader = reader
        self._writer = writer
        self._patience = patience
        self._http = h11.Connection(h11.CLIENT, max_incomplete_event_size=_MOST_HEAD)

    def is_open(self) -> bool:
        return not self._reader.at_eof() and not self._writer.is_closing()

    def close(self) -> None:
        self._writer.close()

    async def exchange(self, asked: Asked, told: Told) -> bool:
        """Ask and tell; whether the connection serves for another request."""
        has_heard, has_told = False, False
        try:
            await self._send(asked)
            while True:
                event = self._http.next_event()
                if event is h11.NEED_DATA:
                    data = await self._read()
                    if not data and not has_heard:
                        raise _Unheard("closed without an answer")
                    has_heard = True
                    self._http.receive_data(data)
                elif isinstance(event, h11.Data):
                    await told.piece(bytes(event.data))
                elif isinstance(event, h11.Response):
                    has_told = True
                    await told.start(event.status_code, list(event.headers))
                elif isinstance(event, h11.EndOfMessage):
                    return self._is_reusable()
                elif event is h11.PAUSED or isinstance(event, h11.ConnectionClosed):
                    raise TargetDown("no answer")
        except (h11.ProtocolError, ConnectionError) as error:
            if not has_heard and isinstance(error, ConnectionError):
                raise _Unheard(type(error).__name__) from error
            raise (TargetCut if has_told else TargetDown)(type(error).__name__) from error

    async def _send(self, asked: Asked) -> None:
        request = h11.Request(method=asked.method, target=asked.target, headers=asked.headers)
        data = self._http.send(request)
        if asked.body:
            data += self._http.send(h11.Data(data=asked.body))
        data += self._http.send(h11.EndOfMessage())
        self._writer.write(data)
        if asked.body:
            async with asyncio.timeout(self._patience):
                await self._writer.drain()

    async def _read(self) -> bytes:
        async with asyncio.timeout(self._patience):
            return await self._reader.read(_PIECE)

    def _is_reusable(self) -> bool:
        if self._http.our_state is not h11.DONE or self._http.their_state is not h11.DONE:
            return False
        self._http.start_next_cycle()
        return self._http.trailing_data == (b"", False)


def is_public(address: str) -> bool:
    """Whether an address is one of the Internet, however it is dressed: mapped and translated ones are undressed."""
    try:
        found = ipaddress.ip_address(address)
    except ValueError:  # with a scope, such as fe80::1%eth0
        return False
    if isinstance(found, ipaddress.IPv6Address):
        if found.ipv4_mapped:
            found = found.ipv4_mapped
        elif found in _NAT64:
            found = ipaddress.IPv4Address(int(found) & 0xFFFFFFFF)
        elif found.sixtofour:
            found = found.sixtofour
    return found.is_global and not found.is_multicast
