"""Traces of runs for the tests of rubrics, written as short as they are told."""

import hashlib
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

from evidence.run_records import Body, Exchange, Limits, RunRecord, Trace

SITE = "observatoriodeagentes.com"
BEGIN = datetime(2026, 11, 30, 12, tzinfo=UTC)


@dataclass(frozen=True)
class Facts:
    """What the rules ask of the facts of a run (grading.run_facts computes them)."""

    cut: int
    catalogue_at: int | None = None


def run(**changes) -> RunRecord:
    told = {
        "format": "agent-run/1",
        "run": "EJ-2026-000001",
        "test_case": "PI-000",
        "case_version": 1,
        "start_domain": SITE,
        "assignment": "Busca.",
        "assignment_sha256": "0" * 64,
        "tools": ["http"],
        "language": "es",
        "clean_session": True,
        "token_sha256": "1" * 64,
        "token_issued_at": BEGIN,
        "started_at": BEGIN,
        "closed_at": BEGIN + timedelta(minutes=5),
        "ended": "closed",
        "limits": Limits(requests=40, seconds=1200),
        "interventions": [],
        "knew_catalogue": False,
        "recorded_by": "registry",
        "interrupted_by_registry": False,
    }
    return RunRecord(**(told | changes))


@dataclass
class Told:
    """A run as it goes on: `asked("/a")` is one more request; the bodies are kept by their digest."""

    exchanges: list[Exchange] = field(default_factory=list)
    bodies: dict[str, bytes] = field(default_factory=dict)

    def asked(
        self,
        path: str,
        *,
        status: int | None = 200,
        body: bytes | None = b"texto",
        kind: str = "text/html; charset=utf-8",
        method: str = "GET",
        accept: str = "*/*",
        after: float = 1.0,
        beyond_limit: bool = False,
    ) -> "Told":
        seq = len(self.exchanges) + 1
        at = (self.exchanges[-1].at if self.exchanges else BEGIN) + timedelta(seconds=after)
        response = None
        if status is not None:
            content = b"" if body is None or method == "HEAD" else body
            digest = hashlib.sha256(content).hexdigest()
            self.bodies[digest] = content
            response = Body(type=kind, size=len(content), sha256=digest)
        self.exchanges.append(
            Exchange(
                seq=seq,
                at=at,
                method=method,
                url=f"https://{SITE}{path}",
                status=status,
                request_headers=(("Accept", accept),),
                response=response,
                beyond_limit=beyond_limit,
            )
        )
        return self

    def trace(self, answer: str = "", **changes) -> Trace:
        return Trace(run(**changes), tuple(self.exchanges), answer)

    def body(self, digest: str) -> bytes | None:
        return self.bodies.get(digest)
