"""The bytes of an event, the same for its row and for the future log leaf: codes, times, salted digests.

RFC 8785 (JCS) over JSON without floats; SHA-256 in lower-case hex.
"""

import hashlib
from datetime import UTC, datetime
from typing import Any

import rfc8785


def instant(at: datetime) -> str:
    """RFC 3339 in UTC with microseconds: «2026-11-30T09:14:05.000001Z»."""
    return at.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def salted_digest(document: dict[str, Any], *, salt: bytes) -> str:
    """SHA-256(salt ‖ RFC 8785 form of `document`), lower-case hex. `salt` is 32 random bytes."""
    return hashlib.sha256(salt + rfc8785.dumps(document)).hexdigest()


def leaf(members: dict[str, Any]) -> tuple[bytes, str]:
    """(RFC 8785 bytes, their SHA-256) of an event's members."""
    data = rfc8785.dumps(members)
    return data, hashlib.sha256(data).hexdigest()
