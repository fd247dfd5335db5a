"""Replays every history against what is stored: chains, documents, notices, names, the state of lists, complaints."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from django.db.models import Max

from certificates import history, names, projections, report_replay, states
from certificates.history import Fault
from certificates.models import Certificate, CertificateState, EventDocument, StatusEvent
from certificates.states import Step

# Certificates are read in slices of this many, so that a large registry is replayed in bounded memory.
SLICE = 500


@dataclass(frozen=True, slots=True)
class Replay:
    certificates: int
    events: int
    reports: int
    faults: tuple[Fault, ...]

    def as_json(self) -> dict[str, object]:
        return {
            "certificates": self.certificates,
            "events": self.events,
            "reports": self.reports,
            "faults": [fault.as_json() for fault in self.faults],
        }


def replay() -> Replay:
    """Every history and every complaint of the registry, and every fault in them."""
    certificates = events = 0
    faults: list[Fault] = []
    for slice_ in _slices():
        histories = projections.events_of_all([certificate.pk for certificate in slice_])
        documents = _documents(histories)
        for certificate in slice_:
            rows = histories.get(certificate.pk, [])
            certificates += 1
            events += len(rows)
            faults += faults_of(certificate, rows, documents)
    reports, of_reports = report_replay.replay()
    return Replay(certificates, events, reports, tuple(faults + of_reports))


def faults_of(
    certificate: Certificate, rows: Sequence[StatusEvent], documents: dict[str, EventDocument]
) -> list[Fault]:
    """Everything about one certificate that does not hold together."""
    if not rows:
        return [Fault(certificate.number, None, "no_event")]
    return [
        *history.faults_of_chain(certificate.number, projections.stored_of(rows)),
        *_faults_of_steps(certificate, rows),
        *_faults_of_documents(certificate, rows, documents),
        *_faults_of_state(certificate, rows),
    ]


def _slices() -> Iterator[list[Certificate]]:
    last, highest = 0, Certificate.objects.aggregate(highest=Max("pk"))["highest"] or 0
    while last < highest:
        found = list(
            Certificate.objects.filter(pk__gt=last)
            .select_related("state", "measurement__scheme", "system_version__system__holder")
            .order_by("pk")[:SLICE]
        )
        yield found
        last = found[-1].pk


def _documents(histories: dict[int, list[StatusEvent]]) -> dict[str, EventDocument]:
    digests = [row.document_id for rows in histories.values() for row in rows]
    return EventDocument.objects.in_bulk(digests)


def _faults_of_steps(certificate: Certificate, rows: Sequence[StatusEvent]) -> Iterator[Fault]:
    """Whether each step was one that the table allowed at its instant."""
    facts = projections.facts_of(rows)
    for place, event in enumerate(facts):
        try:
            states.require_step(event.step, facts[:place], at=event.at, target=event.target)
        except states.StepRefused as refused:
            yield Fault(certificate.number, event.sequence, refused.code, refused.standing, event.step)
    first = facts[0]
    if first.step is Step.ISSUE and first.valid_until != certificate.valid_until:
        yield Fault(
            certificate.number, 1, "term_differs", str(first.valid_until), str(certificate.valid_until)
        )


def _faults_of_documents(
    certificate: Certificate, rows: Sequence[StatusEvent], documents: dict[str, EventDocument]
) -> Iterator[Fault]:
    """Whether what an event fixed is what its notice and its certificate say today."""
    for row in rows:
        document = documents.get(row.document_id)
        if document is None:
            yield Fault(certificate.number, row.sequence, "document_missing", row.document_id)
            continue
        content = bytes(document.content)
        digest = history.document_digest(bytes(document.salt), content)
        if digest != row.document_id:
            yield Fault(certificate.number, row.sequence, "document_differs", row.document_id, digest)
            continue
        fixed = json.loads(content)
        if row.step == Step.ISSUE and fixed["names"] != certificate.names:
            yield Fault(certificate.number, row.sequence, "names_differ")
        notice = row.notice
        if notice is None:
            continue
        told = {"es": notice.statement_es, "en": notice.statement_en}
        if fixed["statement"] != told:
            yield Fault(certificate.number, row.sequence, "statement_differs", found=notice.number)
        if fixed.get("conditions", []) != notice.conditions:
            yield Fault(certificate.number, row.sequence, "conditions_differ", found=notice.number)
        review_on = notice.review_on.isoformat() if notice.review_on else None
        if fixed.get("review_on") != review_on:
            yield Fault(
                certificate.number, row.sequence, "review_date_differs", fixed.get("review_on"), review_on
            )
        if notice.certificate_id != certificate.pk or notice.decision != row.step or notice.at != row.at:
            yield Fault(certificate.number, row.sequence, "notice_does_not_fit", found=notice.number)


def _faults_of_state(certificate: Certificate, rows: Sequence[StatusEvent]) -> Iterator[Fault]:
    """Whether the row that lists read is what the events lead to."""
    state: CertificateState | None = getattr(certificate, "state", None)
    if state is None:
        yield Fault(certificate.number, None, "state_missing")
        return
    expected = projections.state_fields(rows) | {
        name: value
        for name, value in names.searched(certificate).items()
        if name not in ("measurement", "scheme", "holder", "system_version")
    }
    for name, value in expected.items():
        found = getattr(state, name)
        if found != value:
            yield Fault(certificate.number, None, f"state_{name}_differs", str(value), str(found))
