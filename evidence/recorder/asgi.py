"""The recorder as an ASGI application: `granian --interface asgi evidence.recorder.asgi:application`.

Settings are Django's; its applications, its request cycle and its ORM are not set up here.
"""

import asyncio
import gc
import logging
import logging.config
import os
from typing import Any

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "registry_site.settings")

from django.conf import settings
from psycopg.conninfo import make_conninfo

from evidence import storage
from evidence.recorder import entry, here, loopback, presenting, tokens
from evidence.recorder.bodies import Shelf
from evidence.recorder.connections import Connections
from evidence.recorder.faults import Faults
from evidence.recorder.presenting import Presented
from evidence.recorder.relay import Receive, Relay, Scope, Send, plain
from evidence.recorder.rows import KnownRun, NotStored, Rows
from evidence.recorder.targets import Target, Upstreams, built_in

log = logging.getLogger(__name__)


def _conninfo() -> str:
    database = settings.DATABASES["default"]
    known = {
        "dbname": database["NAME"],
        "user": database["USER"],
        "password": database["PASSWORD"],
        "host": database["HOST"],
        "port": database["PORT"],
    }
    return make_conninfo(
        options=database["OPTIONS"]["options"],
        connect_timeout=2,
        application_name="fehaciente recorder",
        **{name: value for name, value in known.items() if value},
    )


class Recorder:
    """Finds the run of a request and hands both to the relay."""

    def __init__(self) -> None:
        self._addresses = here.addresses()
        self._connections = Connections(_conninfo(), size=settings.RUNS_DATABASE_CONNECTIONS)
        self._rows = Rows(self._connections)
        self._faults = Faults(settings.DATA_DIR / "recorder-faults", self._rows)
        self._upstreams = Upstreams(
            private=settings.RUNS_PRIVATE_UPSTREAMS, patience=settings.RUNS_UPSTREAM_SECONDS
        )
        self._relay = Relay(
            rows=self._rows,
            shelf=Shelf(storage.current(), self._rows),
            faults=self._faults,
            domain=self._addresses.domain,
            hosts=self._addresses.own,
            scheme=self._addresses.scheme,
        )
        self._beside: list[asyncio.Server] = []
        self._settling: asyncio.Task | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._live(receive, send)
        elif scope["type"] == "http":
            await self._answer(scope, receive, send)
        else:
            await send({"type": "websocket.close"})

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        presented = presenting.read(scope["headers"], addresses=self._addresses)
        if presented is None:
            await plain(send, 403)
            return
        if presented.host.label is None and scope["raw_path"] == entry.PATH:
            await self._enter(scope, receive, send)
            return
        run = await self._run(presented, send)
        if run is not None:
            await self._relay.serve(run, presented, self._target(run), scope, receive, send)

    async def _run(self, presented: Presented, send: Send) -> KnownRun | None:
        """The run; None once the request has been answered because there is none."""
        try:
            run = await self._rows.find(presented.digests)
        except NotStored as error:
            log.error("a run could not be looked up: %s", error)
            self._faults.note(presented.digests)
            await plain(send, 503, headers=[(b"retry-after", b"5")])
            return None
        if run is None:
            await plain(send, 403)
        return run

    async def _enter(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["method"] in ("GET", "HEAD"):
            answer = entry.page()
        elif scope["method"] == "POST":
            token = entry.token_of(await _form(receive))
            try:
                is_known = token is not None and await self._rows.find((tokens.digest(token),))
            except NotStored:
                await plain(send, 503, headers=[(b"retry-after", b"5")])
                return
            if is_known:
                answer = entry.admitted(token, scheme=self._addresses.scheme)
            else:
                answer = entry.page(is_wrong=True)
        else:
            await plain(send, 405, headers=[(b"allow", b"GET, HEAD, POST")])
            return
        status, headers, body = answer
        await send({"type": "http.response.start", "status": int(status), "headers": headers})
        await send({"type": "http.response.body", "body": b"" if scope["method"] == "HEAD" else body})

    def _target(self, run: KnownRun) -> Target:
        kind, scheme, host, port = run.target
        return built_in if kind == "observed_site" else self._upstreams.target(scheme, host, port)

    async def _live(self, receive: Receive, send: Send) -> None:
        await receive()
        await self._open()
        await send({"type": "lifespan.startup.complete"})
        await receive()
        await self.close()
        await send({"type": "lifespan.shutdown.complete"})

    async def _open(self) -> None:
        # What was made to start stays for ever: it need not be gone through again and again.
        gc.collect()
        gc.freeze()
        self._settling = asyncio.create_task(self._faults.settle_forever())
        for host in settings.RUNS_LISTEN_ALSO:
            if server := await loopback.listen(host, settings.RUNS_PORT, behind="127.0.0.1"):
                self._beside.append(server)

    async def close(self) -> None:
        """Let go of sockets and connections; whoever asks it without a server closes it too."""
        for server in self._beside:
            server.close()
        if self._settling:
            self._settling.cancel()
        await self._upstreams.close()
        await self._connections.close()


async def _form(receive: Receive) -> bytes:
    """A body of a few bytes; what is longer is no form of ours."""
    body = b""
    while True:
        message: dict[str, Any] = await receive()
        if message["type"] != "http.request":
            return b""
        body += message["body"]
        if len(body) > entry.MOST_BYTES:
            return b""
        if not message.get("more_body"):
            return body


logging.config.dictConfig(settings.LOGGING)
application = Recorder()
