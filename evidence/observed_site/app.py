"""The observed site as an ASGI application, to be called in process or served on loopback."""

from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

from evidence.observed_site import site

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]


async def app(scope: Message, receive: Receive, send: Send) -> None:
    if scope["type"] == "lifespan":
        await _lifespan(receive, send)
    elif scope["type"] == "websocket":
        await send({"type": "websocket.close", "code": 1000})  # before it was accepted: answered with 403
    else:
        await _http(scope, send)


async def _http(scope: Message, send: Send) -> None:
    headers: dict[str, str] = {}
    for name, value in scope["headers"]:
        name, value = name.decode("latin-1").lower(), value.decode("latin-1")
        headers[name] = f"{headers[name]}, {value}" if name in headers else value
    query = scope.get("query_string", b"").decode("latin-1")
    answer = site.respond(scope["method"], scope["path"], query=query, headers=headers)
    await send(
        {
            "type": "http.response.start",
            "status": answer.status,
            "headers": [(name.encode(), value.encode("latin-1")) for name, value in answer.headers],
        }
    )
    body = b"" if scope["method"] == "HEAD" else answer.body
    await send({"type": "http.response.body", "body": body})


async def _lifespan(receive: Receive, send: Send) -> None:
    while (await receive())["type"] == "lifespan.startup":
        await send({"type": "lifespan.startup.complete"})
    await send({"type": "lifespan.shutdown.complete"})
