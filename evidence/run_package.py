"""The evidence package of a run that has ended: written from its rows, handed in like any other, linked to it.

Safe to run at any time, twice, or several at once: the same rows make the same bytes, and one link is made.
"""

import tempfile
from collections.abc import Callable, Mapping
from datetime import datetime
from functools import partial
from typing import BinaryIO

from django.db import transaction
from django.db.models import Q, QuerySet

from evidence import intake, packing, run_members, storage
from evidence.models import EvidencePackage, Run
from evidence.models.run import RunOutcome, RunState, RunStep
from evidence.run_records import Body, Exchange, Intervention, Limits, RunRecord, Trace
from registry_site import clock

_READ = 1 << 20
# Path below `data/` → its bytes, or how to open them.
Payload = Mapping[str, bytes | Callable[[], BinaryIO]]


def waiting() -> QuerySet[Run]:
    """The runs that have ended and have no package yet: closed, or abandoned after the first request.

    What only checked the circuit is evidence of nothing: it names no system.
    """
    ended = Q(state=RunState.CLOSED) | Q(state=RunState.ABANDONED, counter__last_sequence__gt=0)
    return (
        Run.objects.filter(ended, closing_package=None).exclude(outcome=RunOutcome.TECHNICAL).order_by("pk")
    )


def identical(run: Run) -> QuerySet[Run]:
    """The other runs of which exactly the same was recorded, and that answered the same; shown to the staff."""
    others = Run.objects.exclude(pk=run.pk).filter(counter__last_sequence__gt=0)
    return others.filter(trace_sha256=run.trace_sha256 or "-").order_by("pk")


def is_of_a_run(package: EvidencePackage) -> bool:
    """Whether the registry wrote the package itself, of a run."""
    return Run.objects.filter(Q(closing_package=package) | Q(graded_package=package)).exists()


def write(run_id: int) -> EvidencePackage | None:
    """The closing package of a run: written now, or found written. None for a run that gets none."""
    run = _with_rows(run_id)
    if run.closing_package is not None:
        return run.closing_package
    if not waiting().filter(pk=run.pk).exists():
        return None
    exchanges = _exchanges(run)
    with tempfile.TemporaryFile() as file:
        packing.pack(_payload(run, exchanges), into=file)
        with transaction.atomic():
            # Locked: the worker and the sweep may have written it both.
            locked = Run.objects.select_for_update(of=("self",)).get(pk=run.pk)
            if locked.closing_package_id is not None:
                return EvidencePackage.objects.get(pk=locked.closing_package_id)
            locked.closing_package = keep(run, file, filename=f"{run.number}.zip")
            locked.trace_sha256 = run_members.fingerprint(exchanges, _answer(run))
            locked.save(update_fields=["closing_package", "trace_sha256"])
            return locked.closing_package


def keep(run: Run, file: BinaryIO, *, filename: str) -> EvidencePackage:
    """Hand a written package in, in the name of the operator's account; in the caller's transaction."""
    file.seek(0)
    return intake.receive(
        iter(lambda: file.read(_READ), b""),
        by=run.operator,
        filename=filename,
        recorded_here=True,
        at=clock.now(),
    )


def payload_of(run: Run) -> Payload:
    """The members of the closing package; of the graded one they are the same, byte for byte."""
    run = _with_rows(run.pk)
    return _payload(run, _exchanges(run))


def trace_of(run: Run) -> Trace:
    """The records of a run as its package holds them, for whoever marks it."""
    run = _with_rows(run.pk)
    return Trace(run=_record(run), exchanges=_exchanges(run), answer=_answer(run))


def _payload(run: Run, exchanges: list[Exchange]) -> Payload:
    version = run.system_version
    evaluation = run_members.descriptor(
        system={
            "name": version.system.name,
            "version": version.version,
            "holder": version.system.holder.name,
            "model_family": version.model_family,
        },
        measured_at=_ended_at(run),
    )
    store = storage.current()
    kept = {f"bodies/{sha256}": partial(store.open, sha256) for sha256 in run_members.bodies(exchanges)}
    return {**run_members.members(evaluation, _record(run), exchanges, _answer(run)), **kept}


def _with_rows(run_id: int) -> Run:
    return Run.objects.select_related(
        "variant__case",
        "operator__person",
        "system_version__system__holder",
        "token",
        "counter",
        "closing_package",
        "closing",
    ).get(pk=run_id)


def _exchanges(run: Run) -> list[Exchange]:
    return [
        _exchange(arrival)
        for arrival in run.arrivals.select_related("response").order_by("sequence").iterator()
    ]


def _exchange(arrival) -> Exchange:
    response = getattr(arrival, "response", None)
    return Exchange(
        seq=arrival.sequence,
        at=arrival.at,
        method=arrival.method,
        url=arrival.url,
        status=response.status if response else None,
        request_headers=run_members.without_forbidden(arrival.headers),
        response=Body(type=response.content_type, size=response.size, sha256=response.sha256)
        if response
        else None,
        beyond_limit=arrival.beyond_limit,
    )


def _record(run: Run) -> RunRecord:
    case, closing = run.variant.case, getattr(run, "closing", None)
    return RunRecord(
        format="agent-run/1",
        run=run.number,
        test_case=case.code,
        case_version=case.version,
        start_domain=run.variant.start_domain,
        assignment=run.variant.assignment,
        assignment_sha256=run.variant.sha256,
        tools=run.tools,
        language=run.language,
        clean_session=run.clean_session,
        token_sha256=run.token.token_sha256,
        token_issued_at=run.token.issued_at,
        started_at=run.counter.first_request_at,
        closed_at=_ended_at(run),
        ended="abandoned" if run.state == RunState.ABANDONED else "closed",
        limits=Limits(requests=case.max_requests, seconds=case.max_seconds),
        interventions=[Intervention(**one) for one in closing.interventions] if closing else [],
        knew_catalogue=closing.knew_catalogue if closing else False,
        outcome=run.outcome or None,
        recorded_by="registry",
        interrupted_by_registry=run.our_fault,
    )


def _answer(run: Run) -> str:
    closing = getattr(run, "closing", None)
    return closing.answer if closing else ""


def _ended_at(run: Run) -> datetime:
    return run.closed_at or run.events.get(step=RunStep.ABANDON).at
