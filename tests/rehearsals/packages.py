"""Packages of any size, written to disk without standing in memory."""

import json
import os
from pathlib import Path

from evidence import packing
from grading.tests import packages as records

MEGABYTE = 1024**2


def write(path: Path, *, megabytes: int, items: int = 50, part: int = 64) -> Path:
    """A sound package with attachments of noise, which no compression makes smaller."""
    ids = [f"q{number:05d}" for number in range(items)]
    noise = path.with_suffix(".noise")
    payload: dict[str, bytes | Path] = {
        "evaluation.json": json.dumps(records.descriptor()).encode(),
        "items.jsonl": records.lines([records.item(id_) for id_ in ids]),
        "responses.jsonl": records.lines([records.response(id_) for id_ in ids]),
        "verdicts.jsonl": records.lines([records.verdict(id_) for id_ in ids]),
    }
    made = []
    for number in range(0, megabytes, part):
        made.append(noise.with_suffix(f".{number}"))
        with made[-1].open("wb") as file:
            for _ in range(min(part, megabytes - number)):
                file.write(os.urandom(MEGABYTE))
        payload[f"attachments/raw-{number:05d}.bin"] = made[-1]
    with path.open("wb") as file:
        packing.pack(payload, into=file)
    for one in made:
        one.unlink()
    return path


def chunks(path: Path):
    with path.open("rb") as file:
        while chunk := file.read(MEGABYTE):
            yield chunk
