"""Replays the steps of every complaint against where it is said to stand, and its words against their digest."""

from collections.abc import Iterator

from certificates import report_rows
from certificates.history import Fault
from certificates.models import Report
from certificates.report_states import ReportStepRefused
from registry_site import leaves

# Complaints are read in slices of this many, so that any number of them is replayed in bounded memory.
SLICE = 500


def replay() -> tuple[int, list[Fault]]:
    """How many complaints there are, and every fault in them."""
    count, last = 0, 0
    faults: list[Fault] = []
    while True:
        rows = list(
            Report.objects.filter(pk__gt=last)
            .select_related("standing", "contents", "certificate")
            .prefetch_related("events", "attachments")
            .order_by("pk")[:SLICE]
        )
        if not rows:
            return count, faults
        for row in rows:
            faults += _faults_of(row)
        count, last = count + len(rows), rows[-1].pk


def _faults_of(report: Report) -> Iterator[Fault]:
    events = list(report.events.all())
    standing, contents = getattr(report, "standing", None), getattr(report, "contents", None)
    if not events or standing is None or contents is None:
        yield Fault(report.number, None, "report_row_missing")
        return
    try:
        life = report_rows.life_of(report)
    except ReportStepRefused as refused:
        yield Fault(report.number, None, refused.code, refused.state, refused.step)
        return
    if standing.state != life.state:
        yield Fault(report.number, None, "state_differs", life.state.value, standing.state)
    for place, event in enumerate(events, start=1):
        if event.sequence != place:
            yield Fault(report.number, event.sequence, "sequence_differs", str(place), str(event.sequence))
    if standing.sequence != events[-1].sequence:
        yield Fault(report.number, None, "sequence_differs", str(events[-1].sequence), str(standing.sequence))
    if contents.erased_at is None:
        document = report_rows.document_of(
            kind=report.kind,
            certificate=report.certificate,
            place=contents.place,
            text=contents.text,
            digests=[one.sha256 for one in report.attachments.all()],
        )
        digest = leaves.salted_digest(document, salt=bytes(contents.salt))
        if digest != report.content:
            yield Fault(report.number, None, "content_differs", report.content, digest)
