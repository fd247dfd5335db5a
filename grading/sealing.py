"""PURE. What seals a question set or a rubric: its canonical bytes, the salted commitment to them, and its states.

The commitment is SHA-256(salt ‖ bytes). For a question set the bytes are its canonical form: the RFC 8785 form of each
item without its id, sorted as bytes, each followed by a line feed. In files: `cat set.salt set.jsonl | sha256sum`.
"""

import hashlib
import hmac
import json
import re
from collections.abc import Iterable, Mapping
from enum import StrEnum
from typing import Any

SALT_BYTES = 32
_HEXADECIMAL = re.compile(rb"[0-9a-fA-F]{64}\s*")


class State(StrEnum):
    SEALED = "sealed"
    OPEN = "open"  # in use: something was measured with it
    CLOSED = "closed"
    REVEALED = "revealed"
    LEAKED = "leaked"


class Step(StrEnum):
    SEAL = "seal"
    USE = "use"
    CLOSE = "close"
    REVEAL = "reveal"
    LEAK = "leak"


# (state, step) → state; whatever is not here is not allowed. After a reveal or a leak it may still be used, and stays
# what it is: what is measured then says so.
TRANSITIONS: Mapping[tuple[State | None, Step], State] = {
    (None, Step.SEAL): State.SEALED,
    (State.SEALED, Step.USE): State.OPEN,
    (State.OPEN, Step.USE): State.OPEN,
    (State.SEALED, Step.CLOSE): State.CLOSED,
    (State.OPEN, Step.CLOSE): State.CLOSED,
    (State.CLOSED, Step.REVEAL): State.REVEALED,
    (State.SEALED, Step.LEAK): State.LEAKED,
    (State.OPEN, Step.LEAK): State.LEAKED,
    (State.CLOSED, Step.LEAK): State.LEAKED,
    (State.REVEALED, Step.USE): State.REVEALED,
    (State.LEAKED, Step.USE): State.LEAKED,
}
EXPOSED = frozenset({State.REVEALED, State.LEAKED})


class ForbiddenStep(ValueError):
    """The table has no such step from this state."""

    def __init__(self, state: State | None, step: Step) -> None:
        super().__init__(f"{step} is not allowed when {state}")
        self.state = state
        self.step = step


def after(state: State | None, step: Step) -> State:
    """The state that a step leads to. Raises ForbiddenStep."""
    try:
        return TRANSITIONS[state, step]
    except KeyError:
        raise ForbiddenStep(state, step) from None


def state_of(steps: Iterable[Step]) -> State | None:
    """The state after these steps, in their order; None before the first. Raises ForbiddenStep."""
    state = None
    for step in steps:
        state = after(state, step)
    return state


# ── commitments ──────────────────────────────────────────────────────────────


def item_form(item: Mapping[str, Any]) -> bytes:
    """The RFC 8785 form of an item without its id; `item` has no nulls in it.

    Items hold texts and booleans only and their keys are ASCII: sorted compact JSON in UTF-8 is that form.
    """
    content = {key: value for key, value in item.items() if key != "id"}
    return json.dumps(content, ensure_ascii=False, sort_keys=True, separators=(",", ":")).encode()


def canonical_form(forms: Iterable[bytes]) -> bytes:
    """The bytes of a set from the forms of its items, in any order; equal ones stand as often as they occur."""
    return b"".join(form + b"\n" for form in sorted(forms))


def set_sha256(forms: Iterable[bytes]) -> str:
    """The set hash of the same forms: SHA-256 of the sorted item hashes, each followed by a line feed."""
    hashes = sorted(hashlib.sha256(form).hexdigest() for form in forms)
    return hashlib.sha256("".join(f"{digest}\n" for digest in hashes).encode()).hexdigest()


def commitment(content: bytes, *, salt: bytes) -> str:
    """SHA-256(salt ‖ content), lower-case hex. Raises ValueError unless the salt has 32 bytes: it could be guessed."""
    if len(salt) != SALT_BYTES:
        raise ValueError(f"a salt has {SALT_BYTES} bytes, not {len(salt)}")
    return hashlib.sha256(salt + content).hexdigest()


def matches(content: bytes, *, salt: bytes, commitment: str) -> bool:
    """Whether these bytes and this salt are what was committed to."""
    if len(salt) != SALT_BYTES:
        return False
    found = hashlib.sha256(salt + content).hexdigest()
    return hmac.compare_digest(found.encode(), commitment.strip().lower().encode())


def salt_in(file: bytes) -> bytes | None:
    """The salt in a file: its 32 bytes, or 64 hexadecimal digits for them; None when it is neither."""
    if len(file) == SALT_BYTES:
        return file
    return bytes.fromhex(file.decode().strip()) if _HEXADECIMAL.fullmatch(file) else None
