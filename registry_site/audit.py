"""The audit log: what a member of staff did or looked at, written in the transaction of the act itself."""

from datetime import datetime
from typing import Any

from registry_site.models import AuditEntry, Person


def record(action: str, *, by: Person | None, at: datetime, subject: str = "", **detail: Any) -> AuditEntry:
    """Append one entry. `action` is «noun.done», `subject` «kind:identifier», `detail` codes, no texts."""
    return AuditEntry.objects.create(at=at, person=by, action=action, subject=subject, detail=detail)
