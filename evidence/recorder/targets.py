"""Where a run's requests are passed on to: the built-in site in this process, or one address that staff configured.

Nothing else can be reached: scheme, host and port come from the configuration, from the request only path and query.
Redirects are handed to the agent, never followed; no proxy and no cookie jar of ours stands between.
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

import httpcore

from evidence.observed_site import app as observed_site
from evidence.recorder.headers import Headers

# Of who is asked: to have said all.
WHOLE_SECONDS = 900.0
_RESOLVED_SECONDS = 60.0
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
    """The configured sites, each with connections of its own.

    `private` allows addresses that are not public ones; `patience` are the seconds that a site may say nothing.
    """

    def __init__(self, *, private: bool, patience: float) -> None:
        self._private = private
        self._timeouts = {"connect": patience, "read": patience, "write": patience, "pool": patience}
        self._pools: dict[tuple[str, str, int], httpcore.AsyncConnectionPool] = {}
        self._resolved: dict[str, tuple[float, str]] = {}
        self._tls = ssl.create_default_context()

    def target(self, scheme: str, host: str, port: int) -> Target:
        async def ask(asked: Asked, told: Told) -> None:
            async with asyncio.timeout(WHOLE_SECONDS):
                await self._ask(scheme, host, port, asked, told)

        return ask

    async def close(self) -> None:
        for pool in self._pools.values():
            await pool.aclose()

    async def _ask(self, scheme: str, host: str, port: int, asked: Asked, told: Told) -> None:
        address = await self._vetted(host, port)
        url = httpcore.URL(scheme=scheme.encode(), host=address.encode(), port=port, target=asked.target)
        extensions = {"timeout": self._timeouts, "sni_hostname": host}
        is_told = False
        try:
            async with self._pool(scheme, host, port).stream(
                asked.method, url, headers=asked.headers, content=asked.body or None, extensions=extensions
            ) as response:
                is_told = True
                await told.start(response.status, [(name.lower(), value) for name, value in response.headers])
                async for piece in response.aiter_stream():
                    await told.piece(piece)
        except (httpcore.NetworkError, httpcore.ProtocolError, httpcore.TimeoutException) as error:
            raise (TargetCut if is_told else TargetDown)(type(error).__name__) from error

    def _pool(self, scheme: str, host: str, port: int) -> httpcore.AsyncConnectionPool:
        key = (scheme, host, port)
        if key not in self._pools:
            self._pools[key] = httpcore.AsyncConnectionPool(
                ssl_context=self._tls, max_connections=200, max_keepalive_connections=50, keepalive_expiry=30
            )
        return self._pools[key]

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
