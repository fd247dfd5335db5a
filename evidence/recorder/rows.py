"""The statements of the recorder: which run a secret is of, a request that arrives, the response that was sent.

They are SQL and not the ORM, because each is one statement, committed in one way there and back. Tables and columns are
those of evidence.models.run.
"""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from enum import StrEnum

import msgspec
import psycopg
from psycopg import errors

from evidence import storage
from evidence.recorder.connections import Connections
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


_FIND = """
SELECT token.run_id, variant.start_domain, target.kind, target.scheme, target.host, target.port
FROM evidence_runtoken token
JOIN evidence_run run ON run.id = token.run_id
JOIN evidence_casevariant variant ON variant.id = run.variant_id
JOIN evidence_target target ON target.id = variant.target_id
WHERE token.label_sha256 = %(digest)s OR token.token_sha256 = %(digest)s
"""

# The counter's row is locked from its new number to the commit, so numbers and times have one order; whoever closes
# the run locks the same row, and nothing arrives afterwards. The clock is read when the lock is had. Of the first
# request the counter keeps the very time of its row.
_ARRIVE = """
WITH counted AS (
    UPDATE evidence_runcounter counter
    SET last_sequence = counter.last_sequence + 1,
        first_request_at = COALESCE(counter.first_request_at, clock_timestamp())
    FROM evidence_runtoken token, evidence_run run, evidence_casevariant variant, evidence_testcase test
    WHERE counter.run_id = %(run)s AND counter.stopped_at IS NULL
      AND token.run_id = counter.run_id AND token.ended_at IS NULL AND token.expires_at > clock_timestamp()
      AND run.id = counter.run_id AND variant.id = run.variant_id AND test.id = variant.case_id
    RETURNING counter.run_id, counter.last_sequence, counter.first_request_at, test.max_requests, test.max_seconds
), timed AS MATERIALIZED (
    SELECT *, CASE WHEN last_sequence = 1 THEN first_request_at ELSE clock_timestamp() END AS at FROM counted
), begun AS (
    UPDATE evidence_run SET state = 'recording'
    FROM counted WHERE id = counted.run_id AND counted.last_sequence = 1 AND state = 'registered'
)
INSERT INTO evidence_requestarrived
    (run_id, sequence, at, method, target, url, path, headers, body_size, body_sha256, beyond_limit)
SELECT run_id, last_sequence, at, %(method)s, %(target)s, %(url)s, %(path)s, %(headers)s::jsonb, %(body_size)s,
    %(body_sha256)s, last_sequence > max_requests OR at > first_request_at + max_seconds * interval '1 second'
FROM timed
RETURNING id
"""

# Not once the run is closed: its trace stands by then, and an answer that it does not know must not be given.
_RESPOND = """
INSERT INTO evidence_responsesent (arrival_id, at, status, headers, content_type, size, sha256, ending)
SELECT %(arrival)s, clock_timestamp(), %(status)s, %(headers)s::jsonb, %(content_type)s, %(size)s, %(sha256)s,
    %(ending)s
FROM evidence_runcounter WHERE run_id = %(run)s AND stopped_at IS NULL FOR SHARE
"""

_FAULT = """
WITH marked AS (
    UPDATE evidence_run run SET our_fault = true
    FROM evidence_runtoken token
    WHERE token.run_id = run.id AND NOT run.our_fault
      AND (token.label_sha256 = %(digest)s OR token.token_sha256 = %(digest)s)
    RETURNING run.id
)
INSERT INTO evidence_runevent (run_id, step, at, reason_es, reason_en)
SELECT id, 'fault', clock_timestamp(), '', '' FROM marked
ON CONFLICT DO NOTHING
"""

# The recorder is one process: what it finds unanswered from before its start, its predecessor left so when it died.
_INTERRUPTED = """
WITH marked AS (
    UPDATE evidence_run run SET our_fault = true
    WHERE run.state = 'recording' AND NOT run.our_fault AND EXISTS (
        SELECT FROM evidence_requestarrived arrival
        LEFT JOIN evidence_responsesent response ON response.arrival_id = arrival.id
        WHERE arrival.run_id = run.id AND response.id IS NULL
          AND arrival.at < clock_timestamp() - %(age)s * interval '1 second')
    RETURNING run.id
)
INSERT INTO evidence_runevent (run_id, step, at, reason_es, reason_en)
SELECT id, 'fault', clock_timestamp(), '', '' FROM marked
ON CONFLICT DO NOTHING
"""

_REMEMBERED = 10_000


class NotStored(Exception):
    """The database did not take a row: nothing may be asked, or answered, as if it had."""


class Rows:
    """The recorder's way to the database."""

    def __init__(self, connections: Connections) -> None:
        self._connections = connections
        self._known: dict[str, KnownRun] = {}

    async def find(self, digests: Sequence[str]) -> KnownRun | None:
        """The run that all of these secrets are of; None when there is none, or when they are of several.

        Raises NotStored while the database does not answer.
        """
        found = {await self._find(digest) for digest in digests}
        return found.pop() if len(found) == 1 else None

    async def _find(self, digest: str) -> KnownRun | None:
        if known := self._known.get(digest):
            return known
        row = await self._one(_FIND, {"digest": digest})
        if row is None:
            return None
        if len(self._known) >= _REMEMBERED:
            self._known.clear()
        known = self._known[digest] = KnownRun(row[0], row[1], (row[2], row[3], row[4], row[5]))
        return known

    async def arrive(self, run: KnownRun, request: Request) -> int | None:
        """Commit that a request has come; the row's id, or None when the run takes no more (closed, expired)."""
        row = await self._one(
            _ARRIVE,
            {
                "run": run.id,
                "method": request.method,
                "target": request.target,
                "url": request.url,
                "path": request.path,
                "headers": _json(request.headers),
                "body_size": request.body_size,
                "body_sha256": request.body_sha256,
            },
        )
        return row[0] if row else None

    async def respond(self, run: KnownRun, arrival: int, response: Response) -> bool:
        """Commit what is being answered; False when the run was closed meanwhile."""
        values = {
            "run": run.id,
            "arrival": arrival,
            "status": response.status,
            "headers": _json(response.headers),
            "content_type": response.content_type[:200],
            "size": response.size,
            "sha256": response.sha256,
            "ending": response.ending.value,
        }
        try:
            return await self._change(_RESPOND, values)
        except NotStored:
            # Another connection may do, and a row that was stored unheard is refused the second time.
            try:
                return await self._change(_RESPOND, values)
            except errors.UniqueViolation:
                return True

    async def mark_fault(self, digest: str) -> None:
        """Say of the run that this secret is of that the registry failed it. Nothing happens when there is none."""
        await self._change(_FAULT, {"digest": digest})

    async def mark_interrupted(self, *, older_than: float) -> None:
        """Say of runs that are being recorded that the registry failed them, where a request of so many seconds ago
        was never answered.
        """
        await self._change(_INTERRUPTED, {"age": older_than})

    @asynccontextmanager
    async def against_collecting(self) -> AsyncIterator[None]:
        """Until it is left, no file that no row names is taken away. Raises NotStored."""
        try:
            async with self._connections.lend() as connection, connection.transaction():
                await connection.execute(storage.LOCK_AGAINST_COLLECTING)
                yield
        except (psycopg.Error, TimeoutError) as error:
            raise NotStored(type(error).__name__) from error

    async def _one(self, statement: str, values: dict) -> tuple | None:
        try:
            async with self._connections.lend() as connection:
                return await (await connection.execute(statement, values, prepare=True)).fetchone()
        except (psycopg.Error, OSError, TimeoutError) as error:
            raise NotStored(type(error).__name__) from error

    async def _change(self, statement: str, values: dict) -> bool:
        try:
            async with self._connections.lend() as connection:
                return (await connection.execute(statement, values, prepare=True)).rowcount > 0
        except errors.UniqueViolation:
            raise
        except (psycopg.Error, OSError, TimeoutError) as error:
            raise NotStored(type(error).__name__) from error


def _json(headers: Stored) -> str:
    return msgspec.json.encode(headers).decode()
