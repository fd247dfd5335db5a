"""PURE. What the package of a run holds, byte for byte the same from the same rows, and by what two runs are compared.

Here is decided what never enters a package: headers that carry a session, a secret or an address, and whoever operated.
"""

import hashlib
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from typing import Any

import msgspec
import rfc8785

from evidence.descriptor import FORMAT
from evidence.packing import json_document, json_lines
from evidence.run_records import Exchange, RunRecord, is_forbidden_header

METHOD = "agent_run"
SCHEME = {"code": "AGENT", "version": "1"}


def descriptor(*, system: dict[str, str], measured_at: datetime) -> bytes:
    """`data/evaluation.json`; `system` has name, version, holder and model_family."""
    return json_document(
        {
            "format": FORMAT,
            "method": METHOD,
            "scheme": SCHEME,
            "system": system,
            "measured_at": _instant(measured_at),
            "access": "members",
        }
    )


def members(
    evaluation: bytes, run: RunRecord, exchanges: Sequence[Exchange], answer: str
) -> dict[str, bytes]:
    """Path below `data/` → bytes, in the order in which they are read; bodies are not among them."""
    return {
        "evaluation.json": evaluation,
        "run.json": json_document(_plain(run)),
        "trace.jsonl": json_lines(_plain(exchange) for exchange in exchanges),
        "final-answer.txt": answer.encode(),
    }


def bodies(exchanges: Iterable[Exchange]) -> list[str]:
    """The addresses of the bodies that the trace names, each once, in order; of an empty one nothing is kept."""
    named = (one.response for one in exchanges if one.response is not None and one.response.size)
    return list(dict.fromkeys(body.sha256 for body in named))


def without_forbidden(headers: Iterable[Sequence[str]]) -> tuple[tuple[str, str], ...]:
    """The recorded headers that may leave: the recorder keeps no others, and a package asks once more."""
    return tuple((name, value) for name, value in headers if not is_forbidden_header(name))


def fingerprint(exchanges: Iterable[Exchange], answer: str) -> str:
    """SHA-256 of what an agent did and answered, without what is the run's own: number, token, times.

    Equal in two runs: either the agent repeats itself to the letter, or one record was made from the other. A person
    looks at it; nothing follows by itself.
    """
    did = [
        [one.method, one.url, one.status, one.response.sha256 if one.response is not None else None]
        for one in exchanges
    ]
    return hashlib.sha256(rfc8785.dumps({"did": did, "answer": answer})).hexdigest()


def _plain(record: msgspec.Struct) -> dict[str, Any]:
    """The record as JSON values, absent keys left out, every instant with its microseconds."""
    return {
        name: _instant(value) if isinstance(value, datetime) else msgspec.to_builtins(value)
        for name in record.__struct_fields__
        if (value := getattr(record, name)) is not None
    }


def _instant(at: datetime) -> str:
    return at.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
