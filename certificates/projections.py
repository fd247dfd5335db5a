"""Rows of events turned into the facts that status is made of, and into the state that lists read."""

from collections import defaultdict
from collections.abc import Iterable, Sequence

from certificates import history, states
from certificates.models import Certificate, StatusEvent
from certificates.states import Event, Standing, Status, StatusFacts, Step


def events_of(certificate: Certificate) -> list[StatusEvent]:
    """The whole history in order, with notices and what they name: one query."""
    return list(_with_parents().filter(certificate=certificate).order_by("sequence"))


def events_of_all(certificates: Iterable[int]) -> dict[int, list[StatusEvent]]:
    """The histories of several certificates by their id: one query."""
    histories: dict[int, list[StatusEvent]] = defaultdict(list)
    for row in _with_parents().filter(certificate__in=certificates).order_by("certificate", "sequence"):
        histories[row.certificate_id].append(row)
    return histories


def _with_parents():
    return StatusEvent.objects.select_related(
        "notice__about",
        "notice__request",
        "notice__application_event__application",
        "notice__decided_by",
        "other",
        "target",
    )


def facts_of(rows: Sequence[StatusEvent]) -> list[Event]:
    """What status depends on, of rows as `events_of` returns them."""
    return [
        Event(
            sequence=row.sequence,
            step=Step(row.step),
            at=row.at,
            reason=row.reason,
            notice=row.notice.number if row.notice else None,
            role=row.role,
            target=row.target.sequence if row.target else None,
            valid_until=row.valid_until,
            review_on=row.review_on,
            review_until=row.review_until,
            appeal_until=row.appeal_until,
            other=row.other.number if row.other else None,
            do_not_rely=row.do_not_rely,
            appeal=row.appeal,
        )
        for row in rows
    ]


def stored_of(rows: Sequence[StatusEvent]) -> list[history.Stored]:
    """What the chain is checked on."""
    return [
        history.Stored(
            sequence=row.sequence,
            step=row.step,
            at=row.at,
            reason=row.reason,
            notice=row.notice.number if row.notice else None,
            role=row.role,
            document=row.document_id,
            previous=row.previous,
            bytes=bytes(row.bytes),
            hash=row.hash,
        )
        for row in rows
    ]


def state_fields(rows: Sequence[StatusEvent]) -> dict[str, object]:
    """The columns of `CertificateState` that follow from the history, and from nothing else."""
    last = rows[-1]
    facts = states.status_of(facts_of(rows), last.at)
    word = _without_the_clock(facts)
    suspension = facts.suspension if word is Status.SUSPENDED else None
    ended = facts.final or word in (Status.TERMINATED, Status.SUPERSEDED, Status.EXPIRED)
    appeal_until = facts.appeal_until
    if suspension is not None:
        appeal_until = suspension.appeal_until
    return {
        "word": word.value,
        "final": facts.final,
        # A revocation that is not final still holds its measurement: it may be overturned.
        "live": not ended,
        "sequence": last.sequence,
        "event_hash": last.hash,
        "since": suspension.since if suspension else facts.since,
        "changed_at": last.at,
        "valid_until": facts.valid_until,
        "expiry_recorded": facts.expiry_recorded,
        "review_until": suspension.review_until if suspension else None,
        "appeal_until": appeal_until,
        "do_not_rely": facts.do_not_rely,
    }


def _without_the_clock(facts: StatusFacts) -> Status:
    if facts.standing is Standing.EXPIRED and not facts.expiry_recorded:
        return Status.SUSPENDED if facts.suspension else Status.ACTIVE
    return facts.word
