"""What becomes of an e-mail that did not arrive: it came back, is sent again, or its reader was told otherwise.

The only writer of these three; each is audited. While a letter that tells a holder of a revocation has not
arrived, the revocation does not become final (`notices.bounced`).
"""

from collections.abc import Callable
from datetime import datetime
from typing import Any

from django.db import transaction
from django.utils.translation import gettext_lazy as _

from certificates import notices, policies, refusals
from registry_site import audit
from registry_site.models import Outbox, OutboxState, User

LONGEST_NOTE = 1_000
LONGEST_DIAGNOSIS = 500


@transaction.atomic
def came_back(row: Outbox, *, by: User | None, at: datetime, diagnosis: str = "") -> Outbox:
    """Record that a sent e-mail was returned. `by` is None on the server's console and for the mail server."""
    row = _begin(row, by=by, allowed=(OutboxState.SENT,))
    row.state = OutboxState.FAILED
    row.returned_at = at
    row.error = diagnosis.replace("\x00", "").strip()[:LONGEST_DIAGNOSIS]
    row.save(update_fields=["state", "returned_at", "error"])
    _record("mail.returned", row, by=by, at=at)
    return row


@transaction.atomic
def send_again(row: Outbox, *, by: User, at: datetime) -> Outbox:
    """Queue one that failed anew, with a new deadline; a letter to a holder goes to its present address."""
    row = _begin(row, by=by, allowed=(OutboxState.FAILED,))
    attempts = row.attempts
    row.recipient = notices.present_address(row)
    row.state = OutboxState.QUEUED
    row.attempts = 0
    row.returned_at, row.error, row.sent_at = None, "", None
    row.next_attempt_at = at
    row.deadline_at = at + notices.MAIL_LIFETIME
    row.save()
    _record("mail.sent_again", row, by=by, at=at, attempts=attempts)
    return row


@transaction.atomic
def settle(row: Outbox, *, by: User, at: datetime, note: str) -> Outbox:
    """Close one that cannot be delivered: its reader was told in another way, which the note names."""
    note = note.replace("\r\n", "\n").replace("\x00", "").strip()
    if not note or len(note) > LONGEST_NOTE:
        raise refusals.IncompleteNote(field="note")
    row = _begin(row, by=by, allowed=(OutboxState.FAILED,))
    row.state = OutboxState.SETTLED
    row.settled_at, row.settled_by, row.note = at, by.person, note
    row.save(update_fields=["state", "settled_at", "settled_by", "note"])
    _record("mail.settled", row, by=by, at=at)
    return row


def acts_on(row: Outbox) -> tuple[Callable[..., Outbox], ...]:
    """What can be done about it in its present state, by whoever may."""
    if row.erased_at is not None:
        return ()
    return {OutboxState.SENT: (came_back,), OutboxState.FAILED: (send_again, settle)}.get(row.state, ())


def _begin(row: Outbox, *, by: User | None, allowed: tuple[OutboxState, ...]) -> Outbox:
    # Locked first: the sender may have it, and two people may press at once.
    row = Outbox.objects.select_for_update().get(pk=row.pk)
    if by is not None and (refusal := policies.refusal_to_read_letter(by, row)):
        raise refusal
    if row.erased_at is not None:
        raise refusals.MailRefused(
            _("The address was erased: nothing is sent to it any more."), code="erased"
        )
    if row.state not in allowed:
        raise refusals.MailRefused(state=row.state)
    return row


def _record(action: str, row: Outbox, *, by: User | None, at: datetime, **detail: Any) -> None:
    audit.record(
        action,
        by=by.person if by else None,
        at=at,
        subject=f"mail:{row.pk}",
        kind=row.kind,
        concerns=row.concerns,
        **detail,
    )
