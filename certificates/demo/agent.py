"""The agent of the demonstration: reads the terms, then one concept, and answers with its words and its address.

It asks the recorder itself, in this process and without a socket: what it did is recorded as of any other agent.
"""

import asyncio
from dataclasses import dataclass
from typing import Any

from evidence.recorder import here
from evidence.recorder.asgi import Recorder

CONCEPT = "/conceptos/memoria"
ASKED = (
    ("/condiciones", "text/html"),
    ("/conceptos/", "text/html"),
    (CONCEPT, "text/markdown"),
)


@dataclass(frozen=True, slots=True)
class Response:
    status: int
    body: bytes


def browse(token: str, *, start_domain: str) -> str:
    """Walk its way under a run's token; the answer that it delivers."""
    read = asyncio.run(_walk(token))[-1]
    if read.status != 200:
        raise RuntimeError(f"the observed site answered {read.status} for {CONCEPT}")
    words = _first_paragraph(read.body.decode())
    return f"{words}\n\nFuente: http://{start_domain}{CONCEPT}"


async def _walk(token: str) -> list[Response]:
    recorder = Recorder()
    try:
        return [await _get(recorder, path, accept=accept, token=token) for path, accept in ASKED]
    finally:
        await recorder.close()


async def _get(recorder: Recorder, path: str, *, accept: str, token: str) -> Response:
    status, parts = 0, []
    said = [{"type": "http.request", "body": b"", "more_body": False}]
    for_ever = asyncio.Event()

    async def receive() -> dict[str, Any]:
        if said:
            return said.pop()
        await for_ever.wait()
        return {"type": "http.disconnect"}

    async def send(message: dict[str, Any]) -> None:
        nonlocal status
        if message["type"] == "http.response.start":
            status = message["status"]
        elif message["type"] == "http.response.body":
            parts.append(bytes(message.get("body", b"")))

    host = here.addresses().nameless().removeprefix("http://").removeprefix("https://").rstrip("/")
    scope = {
        "type": "http",
        "http_version": "1.1",
        "method": "GET",
        "scheme": "http",
        "path": path,
        "raw_path": path.encode(),
        "query_string": b"",
        "headers": [
            (b"host", host.encode()),
            (b"accept", accept.encode()),
            (b"user-agent", b"quillay-navegante/2.3.1"),
            (b"x-run-token", token.encode()),
        ],
        "client": ("127.0.0.1", 0),
        "server": ("127.0.0.1", 0),
    }
    await recorder(scope, receive, send)
    return Response(status, b"".join(parts))


def _first_paragraph(markdown: str) -> str:
    """The first lines that are text: no heading, no list, no front matter."""
    blocks = (block.strip() for block in markdown.split("\n\n"))
    return next(block for block in blocks if block[:1].isalpha() and ":" not in block.split(" ", 1)[0])
