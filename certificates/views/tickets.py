"""What a form that anybody may send carries, so that it is sent once and not faster than it can be read."""

import secrets
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.core import signing

QUICKEST = timedelta(seconds=3)
# A form that was open longer is shown anew, with what was written.
LONGEST = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class Ticket:
    """One form that was shown to someone: `once` names it, and stays the same however often it is sent."""

    once: str
    shown_at: datetime

    def is_too_quick(self, *, at: datetime) -> bool:
        return at - self.shown_at < QUICKEST

    def signed(self, *, salt: str) -> str:
        return signing.dumps([self.once, self.shown_at.isoformat()], salt=salt)


def new(*, at: datetime) -> Ticket:
    return Ticket(secrets.token_hex(16), at)


def read(text: str, *, salt: str, at: datetime) -> Ticket | None:
    """The ticket that a form brought back; None where it is none of ours, or too old."""
    try:
        once, shown_at = signing.loads(text, salt=salt)
    except signing.BadSignature:
        return None
    ticket = Ticket(once, datetime.fromisoformat(shown_at))
    return ticket if at - ticket.shown_at < LONGEST else None
