"""Lets the recorder be reached at the other loopback addresses too: byte for byte, nothing is read on the way.

The server listens at one address; curl and browsers take `*.localhost` for 127.0.0.1 or ::1 as they like, and the
address of who has no name is 127.0.0.2.
"""

import asyncio
import logging
from contextlib import suppress

log = logging.getLogger(__name__)

_PIECE = 64 * 1024


async def listen(host: str, port: int, *, behind: str) -> asyncio.Server | None:
    """Pass connections to host:port on to behind:port; None where this machine has no such address."""

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            there_reader, there_writer = await asyncio.open_connection(behind, port)
        except OSError:
            writer.close()
            return
        asking = asyncio.create_task(_pump(reader, there_writer))
        try:
            await _pump(there_reader, writer)  # once the server has ended there is nothing more to say
        finally:
            asking.cancel()
            there_writer.close()
            writer.close()

    try:
        return await asyncio.start_server(serve, host, port, limit=_PIECE)
    except OSError as error:
        log.warning("not listening on %s: %s", host, error.strerror)
        return None


async def _pump(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Copy until the end, then say so to the other side: who has asked may still be waiting for the answer."""
    with suppress(OSError):
        while piece := await reader.read(_PIECE):
            writer.write(piece)
            await writer.drain()
        writer.write_eof()
