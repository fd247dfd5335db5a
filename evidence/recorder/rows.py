"""The statements of the recorder: which run a secret is of, a request that arrives, the response that was sent.

They are SQL and not the ORM, because each is one statement, committed in one way there and back. Tables and columns are
those of evidence.models.run.
"""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from enum import StrEnum
from weakref import WeakValueDictionary

import msgspec

from evidence import storage
from evidence.recorder.connections import (
    Connections,
    DatabaseAway,
    Outcome,
    Statement,
    StatementFailed,
    Value,
)
from evidence.recorder.headers import Stored


class Ending(StrEnum):
    """How a response ended; the words of evidence.models.run.Ending."""

    COMPLETE = "complete"
    UPSTREAM_CUT = "upstream_cut"
    CLIENT_GONE = "client_gone"
    UPSTREAM_DOWN = "upstream_down"
    REFUSED = "refused"


@dataclass(frozen=True, slots=True)
class KnownRun:
    """What never changes of a run: the rest is asked at every arrival."""

    id: int
    start_domain: str
    target: tuple[str, str, str, int | None]  # kind, scheme, host, port


@dataclass(frozen=True, slots=True)
class Request:
    """A request as it is stored: no label, no token, no credential."""

    method: str
    target: str
    url: str
    path: str
    headers: Stored
    body_size: int
    body_sha256: str


@dataclass(frozen=True, slots=True)
class Response:
    """A response as it is stored; the body stands in storage under `sha256`."""

    status: int
    headers: Stored
    content_type: str
    size: int
    sha256: str
    ending: Ending


_FIND = Statement(
    "find",
    """
    SELECT token.run_id, variant.start_domain, target.kind, target.scheme, target.host, target.port
    FROM evidence_runtoken token
    JOIN evidence_run run ON run.id = token.run_id
    JOIN evidence_casevariant variant ON variant.id = run.variant_id
    JOIN evidence_target target ON target.id = variant.target_id
    WHERE token.label_sha256 = $1 OR token.token_sha256 = $1
    """,
)

# The counter's row is locked from its new number to the commit, so numbers and times have one order; whoever closes
# the run locks the same row, and nothing arrives afterwards. The clock is read when the lock is had. Of the first
# request the counter keeps the very time of its row.
_ARRIVE = Statement(
    "arrive",
    """
    WITH counted AS (
        UPDATE evidence_runcounter counter
        SET last_sequence = counter.last_sequence + 1,
            first_request_at = COALESCE(counter.first_request_at, clock_timestamp())
        FROM evidence_runtoken token, evidence_run run, evidence_casevariant variant, evidence_testcase test
        WHERE counter.run_id = $1 AND counter.stopped_at IS NULL
          AND token.run_id = counter.run_id AND token.ended_at IS NULL AND token.expires_at > clock_timestamp()
          AND $9::text[] <@ ARRAY[token.label_sha256, token.token_sha256]::text[]
          AND run.id = counter.run_id AND variant.id = run.variant_id AND test.id = variant.case_id
          AND counter.last_sequence < GREATEST(2000, 50::bigint * test.max_requests)
        RETURNING counter.run_id, counter.last_sequence, counter.first_request_at, test.max_requests,
            test.max_seconds
    ), timed AS MATERIALIZED (
        SELECT *, CASE WHEN last_sequence = 1 THEN first_request_at ELSE clock_timestamp() END AS at FROM counted
    ), begun AS (
        UPDATE evidence_run SET state = 'recording'
        FROM counted WHERE id = counted.run_id AND counted.last_sequence = 1 AND state = 'registered'
    )
    INSERT INTO evidence_requestarrived
        (run_id, sequence, at, method, target, url, path, headers, body_size, body_sha256, beyond_limit)
    SELECT run_id, last_sequence, at, $2, $3, $4, $5, $6::jsonb, $7::bigint, $8,
        last_sequence > max_requests OR at > first_request_at + max_seconds * interval '1 second'
    FROM timed
    RETURNING id
    """,
)

# Not once the run is closed: its trace stands by then, and an answer that it does not know must not be given.
_RESPOND = Statement(
    "respond",
    """
    INSERT INTO evidence_responsesent (arrival_id, at, status, headers, content_type, size, sha256, ending)
    SELECT $2::bigint, clock_timestamp(), $3::smallint, $4::jsonb, $5, $6::bigint, $7, $8
    FROM evidence_runcounter WHERE run_id = $1 AND stopped_at IS NULL FOR SHARE
    """,
)

_FAULT = Statement(
    "fault",
    """
    WITH marked AS (
        UPDATE evidence_run run SET our_fault = true
        FROM evidence_runtoken token
        WHERE token.run_id = run.id AND NOT run.our_fault AND (token.label_sha256 = $1 OR token.token_sha256 = $1)
          AND LEAST(token.expires_at, token.ended_at) > clock_timestamp() - make_interval(secs => $2)
        RETURNING run.id
    )
    INSERT INTO evidence_runevent (run_id, step, at, reason_es, reason_en)
    SELECT id, 'fault', clock_timestamp(), '', '' FROM marked
    ON CONFLICT DO NOTHING
    """,
)

# The recorder is one process: what it finds unanswered from before its start, its predecessor left so when it died.
_INTERRUPTED = Statement(
    "interrupted",
    """
    WITH marked AS (
        UPDATE evidence_run run SET our_fault = true
        WHERE run.state = 'recording' AND NOT run.our_fault AND EXISTS (
            SELECT FROM evidence_requestarrived arrival
            LEFT JOIN evidence_responsesent response ON response.arrival_id = arrival.id
            WHERE arrival.run_id = run.id AND response.id IS NULL
              AND arrival.at < clock_timestamp() - make_interval(secs => $1))
        RETURNING run.id
    )
    INSERT INTO evidence_runevent (run_id, step, at, reason_es, reason_en)
    SELECT id, 'fault', clock_timestamp(), '', '' FROM marked
    ON CONFLICT DO NOTHING
    """,
)

_BEGIN = Statement("begin", "BEGIN")
_COMMIT = Statement("commit", "COMMIT")
_AGAINST_COLLECTING = Statement("against_collecting", storage.LOCK_AGAINST_COLLECTING)

_UNIQUE_VIOLATION = "23505"
_REMEMBERED = 10_000
# So many look-ups at once: whoever invents secrets takes no connection from the runs that are being recorded.
_LOOKED_UP_AT_ONCE = 4


class NotStored(Exception):
    """The database did not take a row: nothing may be asked, or answered, as if it had."""


class Rows:
    """The recorder's way to the database. Each raises NotStored while the database does not answer."""

    def __init__(self, connections: Connections) -> None:
        self._connections = connections
        self._known: dict[str, KnownRun] = {}
        self._look_ups = asyncio.Semaphore(_LOOKED_UP_AT_ONCE)
        self._turns: WeakValueDictionary[int, asyncio.Lock] = WeakValueDictionary()

    def turn(self, run: KnownRun) -> asyncio.Lock:
        """Held while a request or a response of this run is stored.

        Their rows wait for one another in any case, by the counter. Here they wait without a connection: a thousand
        requests of one run at once keep no other run waiting, and none fails, as if by our fault, for having waited.
        """
        return self._turns.setdefault(run.id, asyncio.Lock())

    async def find(self, digests: Sequence[str]) -> KnownRun | None:
        """The run that all of these secrets are of; None when there is none, or when they are of several."""
        found = {await self._find(digest) for digest in digests}
        return found.pop() if len(found) == 1 else None

    async def _find(self, digest: str) -> KnownRun | None:
        if known := self._known.get(digest):
            return known
        async with self._look_ups:
            rows = (await self._run(_FIND, digest)).rows
        if not rows:
            return None
        if len(self._known) >= _REMEMBERED:
            self._known.clear()
        run, start_domain, kind, scheme, host, port = rows[0]
        target = (kind, scheme, host, int(port) if port else None)
        known = self._known[digest] = KnownRun(int(run), start_domain, target)
        return known

    async def arrive(self, run: KnownRun, request: Request, *, shown: Sequence[str]) -> int | None:
        """Commit that a request has come; the row's id, or None when the run takes no more: closed, expired, or far
        beyond its limits (limits.most_recorded).

        The digests of what was `shown` are compared again: secrets can be made anew after they were first looked up.
        """
        outcome = await self._run(
            _ARRIVE,
            run.id,
            request.method,
            request.target,
            request.url,
            request.path,
            _json(request.headers),
            request.body_size,
            request.body_sha256,
            f"{{{','.join(shown)}}}",
        )
        return int(outcome.rows[0][0]) if outcome.rows else None

    async def respond(self, run: KnownRun, arrival: int, response: Response) -> bool:
        """Commit what is being answered; False when the run was closed meanwhile."""
        values = (
            run.id,
            arrival,
            response.status,
            _json(response.headers),
            response.content_type[:200],
            response.size,
            response.sha256,
            response.ending.value,
        )
        try:
            return (await self._run(_RESPOND, *values)).touched > 0
        except NotStored:
            # Another connection may do, and a row that was stored unheard is refused the second time.
            try:
                return (await self._connections.run(_RESPOND, *values)).touched > 0
            except StatementFailed as error:
                if error.sqlstate == _UNIQUE_VIOLATION:
                    return True
                raise NotStored(str(error)) from error
            except DatabaseAway as error:
                raise NotStored(str(error)) from error

    async def mark_fault(self, digest: str, *, ago: float) -> None:
        """Say of the run that this secret is of that the registry failed it so many seconds ago.

        Nothing happens when there is none, or when it had ended by then: whoever goes on asking with a dead secret
        until the database is away once must not get a place of the series back for a run that is graded.
        """
        await self._run(_FAULT, digest, ago)

    async def mark_interrupted(self, *, older_than: float) -> None:
        """Say of runs that are being recorded that the registry failed them, where a request of so many seconds ago
        was never answered.
        """
        await self._run(_INTERRUPTED, older_than)

    @asynccontextmanager
    async def against_collecting(self) -> AsyncIterator[None]:
        """Until it is left, no file that no row names is taken away."""
        try:
            async with self._connections.lend() as session:
                await session.run(_BEGIN)
                await session.run(_AGAINST_COLLECTING)
                yield
                await session.run(_COMMIT)
        except (StatementFailed, DatabaseAway) as error:
            raise NotStored(str(error)) from error

    async def _run(self, statement: Statement, *values: Value) -> Outcome:
        try:
            return await self._connections.run(statement, *values)
        except (StatementFailed, DatabaseAway) as error:
            raise NotStored(str(error)) from error


def _json(headers: Stored) -> str:
    return msgspec.json.encode(headers).decode()
