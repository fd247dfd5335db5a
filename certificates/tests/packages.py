"""Whole evidence packages as files, sound ones and ones with a single fault, for tests of the journey."""

import io
import json
from collections.abc import Mapping
from typing import Any

from evidence import packing
from grading.tests import packages as records

# Occurs in questions only: where it turns up in anything but the stored file, sealed text has leaked.
CANARY = "canario-4b1d"


def sound(size: int = 40, *, of: dict[str, Any] | None = None, attachments: int = 0, **files: bytes) -> bytes:
    """The ZIP of a package of `size` questions in Spanish and English, one in eight answered wrong.

    `of` changes the descriptor, `attachments` is how many tiny files come with it, `files` replaces records by stem.
    """
    ids = [f"q{number:04d}" for number in range(size)]
    payload = {
        "evaluation.json": json.dumps(records.descriptor(**(of or {}))).encode(),
        "items.jsonl": records.lines(
            [
                records.item(
                    id_, language=("es", "en")[place % 2], question=f"¿Qué dice la norma {CANARY} {id_}?"
                )
                for place, id_ in enumerate(ids)
            ]
        ),
        "responses.jsonl": records.lines([records.response(id_) for id_ in ids]),
        "verdicts.jsonl": records.lines(
            [
                records.verdict(id_, "incorrect" if place % 8 == 0 else "exact")
                for place, id_ in enumerate(ids)
            ]
        ),
    }
    payload |= {f"{stem}.jsonl": content for stem, content in files.items()}
    payload |= {f"attachments/raw-{number:05d}.txt": str(number).encode() for number in range(attachments)}
    return zipped(payload)


def zipped(payload: Mapping[str, bytes]) -> bytes:
    file = io.BytesIO()
    packing.pack(payload, into=file)
    return file.getvalue()


def faulty_lines(findings: int) -> bytes:
    """Items of a thousand unknown keys each, as many as it takes."""
    line = b"{%s}\n" % b",".join(b'"k%d":0' % number for number in range(1000))
    return line * (findings // 1000)
