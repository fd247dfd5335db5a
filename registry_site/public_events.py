"""Appends public events: codes, an instant and a salted digest, never names or texts."""

import secrets
from datetime import datetime
from typing import Any

from registry_site import leaves
from registry_site.models import PublicEvent


def append(event_type: str, *, subject: str, at: datetime, document: dict[str, Any]) -> PublicEvent:
    """Write one public event in the caller's transaction.

    `event_type` is one of the log's words («evidence.verified»), `subject` a public code, `document` what the
    event fixes (JSON without floats): only its salted digest enters the event.
    """
    salt = secrets.token_bytes(32)
    digest = leaves.salted_digest(document, salt=salt)
    data, sha256 = leaves.leaf(
        {"v": 1, "type": event_type, "subject": subject, "at": leaves.instant(at), "document": digest}
    )
    return PublicEvent.objects.create(
        type=event_type, subject=subject, at=at, salt=salt, document=digest, bytes=data, hash=sha256
    )
