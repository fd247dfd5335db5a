"""A few connections to the database, opened as they are needed and lent to one statement at a time.

They speak libpq by psycopg.pq: prepared statements with text parameters, which is all that the recorder needs and costs
half of what cursors cost.
"""

import asyncio
import select
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

import psycopg
from psycopg.pq import DiagnosticField, ExecStatus, TransactionStatus

# Of who waits for a connection, a lock or an answer; the agent gets 503 and may come again.
PATIENCE = 5.0

Value = str | int | float
Row = tuple[str | None, ...]


class DatabaseAway(Exception):
    """No connection, or one that broke or hung: whether the statement was carried out is not known."""


class StatementFailed(Exception):
    """The database refused the statement; nothing of it stands. `sqlstate` says why."""

    def __init__(self, sqlstate: str) -> None:
        super().__init__(sqlstate)
        self.sqlstate = sqlstate


@dataclass(frozen=True, slots=True)
class Statement:
    """One statement with `$1`, `$2`, …; the name is that of its preparation in each session."""

    name: str
    text: str


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a statement gave back, as text, and how many rows it touched."""

    rows: list[Row]
    touched: int


class Session:
    """One connection in autocommit: a statement is a transaction, one way there and back."""

    def __init__(self, connection: psycopg.AsyncConnection) -> None:
        self._connection = connection  # owns the descriptor
        self._libpq = connection.pgconn
        self._descriptor = connection.fileno()
        self._loop = asyncio.get_running_loop()
        self._loop.add_reader(self._descriptor, self._wake)
        self._waiting: asyncio.Future[None] | None = None
        self._prepared: set[str] = set()
        self._is_open = True

    @classmethod
    async def open(cls, conninfo: str) -> "Session":
        try:
            async with asyncio.timeout(PATIENCE):
                return cls(await psycopg.AsyncConnection.connect(conninfo, autocommit=True))
        except (psycopg.Error, OSError) as error:
            raise DatabaseAway(type(error).__name__) from error

    async def run(self, statement: Statement, *values: Value) -> Outcome:
        """Carry it out. Raises StatementFailed or DatabaseAway."""
        try:
            async with asyncio.timeout(PATIENCE):
                if statement.name not in self._prepared:
                    self._libpq.send_prepare(statement.name.encode(), statement.text.encode())
                    await self._results()
                    self._prepared.add(statement.name)
                self._libpq.send_query_prepared(
                    statement.name.encode(), [str(value).encode() for value in values]
                )
                (result,) = await self._results()
        except StatementFailed:
            raise
        except (psycopg.Error, OSError) as error:
            await self.close()
            raise DatabaseAway(type(error).__name__) from error
        except BaseException:  # cancelled in the middle: what the server says next would be another's answer
            await self.close()
            raise
        columns = range(result.nfields)
        rows = [
            tuple(_text(result.get_value(row, column)) for column in columns) for row in range(result.ntuples)
        ]
        return Outcome(rows, result.command_tuples or 0)

    def is_usable(self) -> bool:
        """Whether nothing stands open in it, and the server has not gone.

        An idle server says nothing: whatever can be read is a farewell. To find it out by a statement that fails would
        leave open whether that statement was carried out.
        """
        return (
            self._is_open
            and self._libpq.transaction_status == TransactionStatus.IDLE
            and not _is_readable(self._descriptor)
        )

    async def close(self) -> None:
        if self._is_open:
            self._is_open = False
            self._loop.remove_reader(self._descriptor)
            await self._connection.close()

    async def _results(self) -> list:
        """All results of what was sent."""
        while self._libpq.flush():
            await asyncio.sleep(0)  # parameters are few and small: the socket takes them at once or nearly so
        while self._libpq.is_busy():
            self._waiting = self._loop.create_future()
            await self._waiting
            self._libpq.consume_input()
        found = []
        while (result := self._libpq.get_result()) is not None:
            found.append(result)
        for result in found:
            if result.status not in (ExecStatus.COMMAND_OK, ExecStatus.TUPLES_OK):
                sqlstate = result.error_field(DiagnosticField.SQLSTATE)
                if sqlstate is None or sqlstate[:2] in (b"57", b"08"):  # it is being shut down, or is gone
                    raise psycopg.OperationalError("the server is going away")
                raise StatementFailed(sqlstate.decode())
        return found

    def _wake(self) -> None:
        if self._waiting is not None and not self._waiting.done():
            self._waiting.set_result(None)
        elif self._libpq.transaction_status != TransactionStatus.ACTIVE and _is_readable(self._descriptor):
            # A farewell, not a second call for what has been read meanwhile. It is found again when the session is next
            # asked for, and need not be called for over and over until then.
            self._loop.remove_reader(self._descriptor)


class Connections:
    """At most `size` sessions."""

    def __init__(self, conninfo: str, *, size: int) -> None:
        self._conninfo = conninfo
        self._idle: list[Session] = []
        self._turns = asyncio.Semaphore(size)

    async def run(self, statement: Statement, *values: Value) -> Outcome:
        """One statement in whichever session is free. Raises StatementFailed or DatabaseAway."""
        async with self.lend() as session:
            return await session.run(statement, *values)

    @asynccontextmanager
    async def lend(self) -> AsyncIterator[Session]:
        """A living session for several statements."""
        if self._turns.locked():
            try:
                async with asyncio.timeout(PATIENCE):
                    await self._turns.acquire()
            except TimeoutError as error:
                raise DatabaseAway("no connection is free") from error
        else:
            await self._turns.acquire()
        try:
            session = await self._living()
            try:
                yield session
            finally:
                if session.is_usable():
                    self._idle.append(session)
                else:
                    await session.close()
        finally:
            self._turns.release()

    async def close(self) -> None:
        while self._idle:
            await self._idle.pop().close()

    async def _living(self) -> Session:
        while self._idle:
            session = self._idle.pop()
            if session.is_usable():
                return session
            await session.close()
        return await Session.open(self._conninfo)


def _text(value: bytes | None) -> str | None:
    return None if value is None else value.decode()


def _is_readable(descriptor: int) -> bool:
    poll = select.poll()
    poll.register(descriptor, select.POLLIN | select.POLLHUP | select.POLLERR)
    return bool(poll.poll(0))
