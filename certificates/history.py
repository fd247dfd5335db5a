"""PURE. The bytes of a status event, their hashes, and the replay of a chain of them.

An event's bytes are the RFC 8785 form of exactly ``v, type, certificate, sequence, reason, notice, role, at,
document, previous``: codes, times and salted digests, no text and no name. The same bytes become the leaf of
the public log, so this form is never changed; another form gets another ``v``.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

import rfc8785

from certificates.states import EVENT_TYPES, Step
from registry_site import leaves

VERSION = 1
SALT_BYTES = 32
FIELDS = ("at", "certificate", "document", "notice", "previous", "reason", "role", "sequence", "type", "v")

_STEP_OF_TYPE = {word: step for step, word in EVENT_TYPES.items()}


def canonical(document: Mapping[str, object]) -> bytes:
    """The RFC 8785 form. Floats are refused: what is fixed for ever holds integers and decimal strings."""
    _refuse_floats(document)
    return leaves.leaf(dict(document))[0]


def document_digest(salt: bytes, content: bytes) -> str:
    """SHA-256 over 32 random bytes and the canonical form of what an event fixes, in hexadecimal."""
    if len(salt) != SALT_BYTES:
        raise ValueError(f"the salt is {SALT_BYTES} random bytes, not {len(salt)}")
    return hashlib.sha256(salt + content).hexdigest()


def event_hash(event_bytes: bytes) -> str:
    return hashlib.sha256(event_bytes).hexdigest()


def event_bytes(
    *,
    step: Step,
    certificate: str,
    sequence: int,
    at: datetime,
    role: str | None,
    document: str,
    previous: str | None,
    reason: str | None = None,
    notice: str | None = None,
) -> bytes:
    """The frozen bytes of one event."""
    if at.tzinfo is None:
        raise ValueError("an instant needs its zone")
    return canonical(
        {
            "v": VERSION,
            "type": EVENT_TYPES[step],
            "certificate": certificate,
            "sequence": sequence,
            "reason": reason,
            "notice": notice,
            "role": role,
            "at": leaves.instant(at),
            "document": document,
            "previous": previous,
        }
    )


@dataclass(frozen=True, slots=True)
class Stored:
    """One event as a row holds it: the bytes, and what the columns beside them say."""

    sequence: int
    step: str
    at: datetime
    reason: str | None
    notice: str | None
    role: str | None
    document: str
    previous: str | None
    bytes: bytes
    hash: str


@dataclass(frozen=True, slots=True)
class Fault:
    """Where a history does not hold together: that of a certificate, or of a complaint by its number."""

    certificate: str
    sequence: int | None
    code: str
    expected: str | None = None
    found: str | None = None

    def as_json(self) -> dict[str, object]:
        return {
            "certificate": self.certificate,
            "sequence": self.sequence,
            "code": self.code,
            "expected": self.expected,
            "found": self.found,
        }


def faults_of_chain(certificate: str, events: Sequence[Stored]) -> list[Fault]:
    """Every way in which stored events are not the chain they claim to be; an empty list when they are."""
    faults: list[Fault] = []
    previous: str | None = None
    last_at: datetime | None = None
    for expected_sequence, event in enumerate(events, start=1):

        def fault(code: str, expected: object = None, found: object = None, event: Stored = event) -> None:
            faults.append(
                Fault(
                    certificate,
                    event.sequence,
                    code,
                    None if expected is None else str(expected),
                    None if found is None else str(found),
                )
            )

        if event.sequence != expected_sequence:
            fault("sequence_has_a_gap", expected_sequence, event.sequence)
        if event_hash(event.bytes) != event.hash:
            fault("hash_differs", event_hash(event.bytes), event.hash)
        if event.previous != previous:
            fault("chain_is_broken", previous, event.previous)
        if last_at is not None and event.at < last_at:
            fault("dated_back", leaves.instant(last_at), leaves.instant(event.at))
        for field, expected, found in _differences(certificate, event):
            fault(f"bytes_differ_from_{field}", expected, found)
        previous, last_at = event.hash, event.at
    return faults


def _differences(certificate: str, event: Stored) -> list[tuple[str, object, object]]:
    try:
        document = json.loads(event.bytes)
        if canonical(document) != event.bytes:
            return [("canonical_form", None, None)]
    except (ValueError, TypeError, rfc8785.CanonicalizationError):
        return [("canonical_form", None, None)]
    if not isinstance(document, dict) or tuple(sorted(document)) != FIELDS:
        return [
            ("fields", ",".join(FIELDS), ",".join(sorted(document)) if isinstance(document, dict) else None)
        ]
    columns = {
        "v": VERSION,
        "type": EVENT_TYPES[Step(event.step)],
        "certificate": certificate,
        "sequence": event.sequence,
        "reason": event.reason,
        "notice": event.notice,
        "role": event.role,
        "at": leaves.instant(event.at),
        "document": event.document,
        "previous": event.previous,
    }
    return [(name, value, document[name]) for name, value in columns.items() if document[name] != value]


def step_of(event_type: str) -> Step:
    return _STEP_OF_TYPE[event_type]


def _refuse_floats(value: object) -> None:
    if isinstance(value, float):
        raise TypeError("a float has no place in a fixed document: use integers or decimal strings")
    if isinstance(value, Mapping):
        for inner in value.values():
            _refuse_floats(inner)
    elif isinstance(value, list | tuple):
        for inner in value:
            _refuse_floats(inner)
