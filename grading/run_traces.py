"""The trace of a run as it is marked: what the recorder wrote, its facts, and the bodies that a rubric may read."""

from collections.abc import Callable

from evidence import storage
from evidence.models import RequestArrived, Run
from evidence.models.run import RunState
from evidence.run_records import Body, Exchange, Intervention, Limits, RunRecord, Trace
from evidence.storage import NoSuchFile
from grading import run_facts
from grading.rubric_language import Rubric
from grading.run_facts import Facts


def trace_of(run: Run) -> Trace:
    """Registration, every exchange in order and the final answer; two queries for a run read with its parents."""
    closing = getattr(run, "closing", None)
    arrivals = run.arrivals.select_related("response").order_by("sequence")
    return Trace(
        run=_record(run),
        exchanges=[_exchange(arrival) for arrival in arrivals],
        answer=closing.answer if closing else "",
    )


def facts_of(trace: Trace, rubric: Rubric) -> Facts:
    return run_facts.facts(trace, catalogue=rubric.catalogue)


def bodies_of(trace: Trace, facts: Facts) -> Callable[[str], bytes | None]:
    """Gives the bytes of a response by their SHA-256, of those that may be read for the marks."""
    readable = frozenset(run_facts.readable_bodies(trace.exchanges, cut=facts.cut))

    def body(sha256: str) -> bytes | None:
        if sha256 not in readable:
            return None
        try:
            with storage.current().open(sha256) as file:
                return file.read(run_facts.MOST_OF_A_BODY)
        except NoSuchFile:
            return None

    return body


def _exchange(arrival: RequestArrived) -> Exchange:
    sent = getattr(arrival, "response", None)
    return Exchange(
        seq=arrival.sequence,
        at=arrival.at,
        method=arrival.method,
        url=arrival.url,
        status=sent.status if sent else None,
        request_headers=tuple((name, value) for name, value in arrival.headers),
        response=Body(type=sent.content_type, size=sent.size, sha256=sent.sha256) if sent else None,
        beyond_limit=arrival.beyond_limit,
    )


def _record(run: Run) -> RunRecord:
    variant, case = run.variant, run.variant.case
    closing = getattr(run, "closing", None)
    return RunRecord(
        format="agent-run/1",
        run=run.number,
        test_case=case.code,
        case_version=case.version,
        start_domain=variant.start_domain,
        assignment=variant.assignment,
        assignment_sha256=variant.sha256,
        tools=list(run.tools),
        language=run.language,
        clean_session=run.clean_session,
        token_sha256=run.token.token_sha256,
        token_issued_at=run.token.issued_at,
        started_at=run.counter.first_request_at,
        closed_at=run.closed_at,
        ended="abandoned" if run.state == RunState.ABANDONED else "closed",
        limits=Limits(requests=case.max_requests, seconds=case.max_seconds),
        interventions=[Intervention(**one) for one in (closing.interventions if closing else ())],
        knew_catalogue=closing.knew_catalogue if closing else False,
        outcome=run.outcome or None,
        recorded_by="registry",
        interrupted_by_registry=run.our_fault,
    )
