"""The recorder's sessions: what is refused, what breaks and what hangs are told apart, and none is used on broken."""

import asyncio
from concurrent.futures import ThreadPoolExecutor

import psycopg
import pytest

from evidence.recorder import connections
from evidence.recorder.connections import Connections, DatabaseAway, Statement, StatementFailed

ADD = Statement("add", "SELECT $1::bigint + 1, pg_sleep($2::float8)")
DIVIDE = Statement("divide", "SELECT 1 / $1::integer")
BEGIN = Statement("begin", "BEGIN")
PID = Statement("pid", "SELECT pg_backend_pid()")


def with_sessions(url, story, *, size=2):
    """Tell a story with sessions of its own."""

    async def told():
        sessions = Connections(url, size=size)
        try:
            return await story(sessions)
        finally:
            await sessions.close()

    # In a thread of its own: where a browser is open, this one has a loop that runs already.
    with ThreadPoolExecutor(1) as apart:
        return apart.submit(lambda: asyncio.run(told())).result()


def test_statements_at_once_get_each_its_own_answer(recorder_database):
    async def story(sessions):
        outcomes = await asyncio.gather(*(sessions.run(ADD, number, 0.001) for number in range(40)))
        assert [outcome.rows[0][0] for outcome in outcomes] == [str(number + 1) for number in range(40)]

    with_sessions(recorder_database, story)


def test_a_refused_statement_says_why_and_its_session_serves_on(recorder_database):
    async def story(sessions):
        before = (await sessions.run(PID)).rows
        with pytest.raises(StatementFailed) as refused:
            await sessions.run(DIVIDE, 0)
        assert refused.value.sqlstate == "22012"
        assert (await sessions.run(PID)).rows == before

    with_sessions(recorder_database, story)


def test_a_session_that_the_server_ended_is_noticed_before_it_is_used(recorder_database):
    async def story(sessions):
        ((pid,),) = (await sessions.run(PID)).rows
        with psycopg.connect(recorder_database, autocommit=True) as other:
            assert other.execute("SELECT pg_terminate_backend(%s, 5000)", [int(pid)]).fetchone() == (True,)
        assert (await sessions.run(PID)).rows != [(pid,)]

    with_sessions(recorder_database, story)


def test_a_statement_that_hangs_costs_its_session(recorder_database, monkeypatch):
    monkeypatch.setattr(connections, "PATIENCE", 0.2)

    async def story(sessions):
        ((pid,),) = (await sessions.run(PID)).rows
        with pytest.raises(DatabaseAway):
            await sessions.run(ADD, 1, 1)
        assert (await sessions.run(PID)).rows != [(pid,)]

    with_sessions(recorder_database, story)


def test_who_finds_no_session_free_is_told(recorder_database, monkeypatch):
    monkeypatch.setattr(connections, "PATIENCE", 0.2)

    async def story(sessions):
        async with sessions.lend():
            with pytest.raises(DatabaseAway):
                await sessions.run(PID)
        assert (await sessions.run(PID)).touched == 1

    with_sessions(recorder_database, story, size=1)


def test_a_transaction_that_was_left_open_ends_with_its_session(recorder_database):
    async def story(sessions):
        async with sessions.lend() as session:
            await session.run(BEGIN)
            ((pid,),) = (await session.run(PID)).rows
        assert (await sessions.run(PID)).rows != [(pid,)]

    with_sessions(recorder_database, story)


def test_nobody_at_home(recorder_database):
    with pytest.raises(DatabaseAway):
        with_sessions(
            "host=127.0.0.1 port=1 dbname=none connect_timeout=1", lambda sessions: sessions.run(PID)
        )
