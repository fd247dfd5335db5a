"""Reads what a mail server sends back: of which of our e-mails it tells, and whether it gave up (RFC 3464)."""

import re
from dataclasses import dataclass
from email import message_from_bytes
from email.message import Message

# As `registry_site.outbox` names them: kind, number of the row, host.
_MESSAGE_ID = re.compile(r"<?[a-z_.]+\.([0-9]{1,18})@[^\s<>]+>?\Z")
LONGEST = 1024 * 1024


@dataclass(frozen=True, slots=True)
class Bounce:
    """The outbox row that did not arrive, and the words of the server that refused it."""

    row: int
    diagnosis: str


def row_of(message_id: str) -> int | None:
    """The number of the outbox row that a Message-ID names, or None when it is not one of ours."""
    found = _MESSAGE_ID.match(message_id.strip())
    return int(found[1]) if found else None


def read(report: bytes) -> Bounce | None:
    """The bounce that a report tells of; None of one that is only late, was delivered, or is not of ours."""
    message = message_from_bytes(report[:LONGEST])
    parts = list(message.walk())
    failed = [block for part in parts for block in _recipients(part) if _word(block, "Action") == "failed"]
    original = next((row for part in parts if (row := _original(part)) is not None), None)
    if not failed or original is None:
        return None
    diagnosis = _text(failed[0], "Diagnostic-Code") or _text(failed[0], "Status")
    return Bounce(original, " ".join(diagnosis.split())[:500])


def _recipients(part: Message) -> list[Message]:
    """The blocks of a delivery status; the first one is about the message and names nobody."""
    blocks = part.get_payload() if part.get_content_type() == "message/delivery-status" else []
    return [block for block in blocks if isinstance(block, Message)] if isinstance(blocks, list) else []


def _original(part: Message) -> int | None:
    """The row whose letter came back: its headers come with the report, whole or alone."""
    if part.get_content_type() == "text/rfc822-headers":
        payload = part.get_payload(decode=True)
        part = message_from_bytes(payload if isinstance(payload, bytes) else b"")
    return row_of(_text(part, "Message-ID"))


def _word(block: Message, name: str) -> str:
    return _text(block, name).strip().lower()


def _text(message: Message, name: str) -> str:
    return str(message.get(name) or "")
