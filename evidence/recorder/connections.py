"""A few connections to the database, opened as they are needed and lent to one statement at a time."""

import asyncio
import select
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import psycopg

# Of who waits for a connection or a lock; the agent gets 503 and may come again.
PATIENCE = 5.0


class Connections:
    """At most `size` of them, all in autocommit: one statement, one transaction, one way there and back."""

    def __init__(self, conninfo: str, *, size: int) -> None:
        self._conninfo = conninfo
        self._idle: list[psycopg.AsyncConnection] = []
        self._turns = asyncio.Semaphore(size)

    @asynccontextmanager
    async def lend(self) -> AsyncIterator[psycopg.AsyncConnection]:
        """A living connection. Raises psycopg.Error or TimeoutError when there is none to be had."""
        if self._turns.locked():
            async with asyncio.timeout(PATIENCE):
                await self._turns.acquire()
        else:
            await self._turns.acquire()
        try:
            connection = await self._living()
            try:
                yield connection
            finally:
                if (
                    connection.closed
                    or connection.info.transaction_status != psycopg.pq.TransactionStatus.IDLE
                ):
                    await connection.close()
                else:
                    self._idle.append(connection)
        finally:
            self._turns.release()

    async def close(self) -> None:
        while self._idle:
            await self._idle.pop().close()

    async def _living(self) -> psycopg.AsyncConnection:
        while self._idle:
            connection = self._idle.pop()
            # An idle server says nothing: whatever can be read is a farewell. To find it out by a statement that
            # fails would leave open whether that statement was carried out.
            if not connection.closed and not _is_readable(connection.fileno()):
                return connection
            await connection.close()
        async with asyncio.timeout(PATIENCE):
            connection = await psycopg.AsyncConnection.connect(self._conninfo, autocommit=True)
        connection.prepare_threshold = 0
        return connection


def _is_readable(descriptor: int) -> bool:
    poll = select.poll()
    poll.register(descriptor, select.POLLIN | select.POLLHUP | select.POLLERR)
    return bool(poll.poll(0))
