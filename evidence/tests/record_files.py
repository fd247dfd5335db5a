"""Small packages as tests hand them in: record files by path, and the reading of them without an archive around."""

import json
from typing import Any

from evidence.records import Reader

DESCRIPTOR = {
    "format": "evaluation-package/1",
    "method": "hallucination",
    "scheme": {"code": "HALU", "version": "1"},
    "system": {
        "name": "Asistente Normativo",
        "version": "2026.07.1",
        "holder": "Innova SpA",
        "model_family": "gpt",
    },
    "measured_at": "2026-07-10T15:00:00Z",
    "judges": [{"id": "j1", "family": "claude", "version": "claude-2026-05", "temperature": 0}],
}


def descriptor(**changes: Any) -> dict[str, Any]:
    """The descriptor of a sound package, with some keys changed; None takes a key out."""
    merged = {**DESCRIPTOR, **changes}
    return {key: value for key, value in merged.items() if value is not None}


def item(id_: str, **changes: Any) -> dict[str, Any]:
    """A factual question in Spanish; `None` takes a key out."""
    whole = {
        "id": id_,
        "language": "es-CL",
        "category": "factual_direct",
        "question": f"¿Qué plazo fija la norma en el caso {id_}?",
        "in_corpus": True,
        "abstention_correct": False,
        "reference_text": "El plazo es de treinta días.",
        "reference_source": "Diario Oficial",
        **changes,
    }
    return {key: value for key, value in whole.items() if value is not None}


def response(item_: str, **changes: Any) -> dict[str, Any]:
    whole = {"item": item_, "answer": "El plazo es de treinta días.", **changes}
    return {key: value for key, value in whole.items() if value is not None}


def verdict(item_: str, verdict_: str = "exact", **changes: Any) -> dict[str, Any]:
    return {"item": item_, "judge": "j1", "verdict": verdict_, **changes}


def lines(records: list[Any]) -> bytes:
    """JSON Lines; bytes stand as they are."""
    return b"".join(
        (one if isinstance(one, bytes) else json.dumps(one, ensure_ascii=False).encode()) + b"\n"
        for one in records
    )


def package(
    items: list[Any],
    responses: list[Any],
    verdicts: list[Any] = (),
    *,
    of: dict[str, Any] | None = None,
    **files: str | bytes,
) -> dict[str, bytes]:
    """Record files by path. `files`: further ones by stem, such as `catalogue="source,article\\n…"`."""
    whole = {
        "data/evaluation.json": json.dumps(of or DESCRIPTOR).encode(),
        "data/items.jsonl": lines(items),
        "data/responses.jsonl": lines(responses),
        "data/verdicts.jsonl": lines(list(verdicts)),
    }
    for stem, content in files.items():
        name = f"data/{stem.replace('_', '-')}.csv"
        whole[name] = content.encode() if isinstance(content, str) else content
    return whole


def read(files: dict[str, bytes], reader: Reader, *, chunk: int = 1 << 16) -> Reader:
    """Feed record files through a reader as the checker does, in chunks of any size."""
    for path in reader.order(files):
        consumer = reader.consumer(path)
        if consumer is None:
            continue
        content = files[path]
        for start in range(0, len(content), chunk):
            consumer.feed(content[start : start + chunk])
        consumer.finish()
    reader.finish()
    return reader
