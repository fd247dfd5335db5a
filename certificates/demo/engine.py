"""A simulated evaluation over the fictitious norm, as the payload of an evidence package."""

import hashlib
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any
from zoneinfo import ZoneInfo

from evidence import packing
from grading import calibration
from grading.harness import fictitious_norm as norm
from grading.harness.simulated_system import System, answer, items
from grading.reviews import VERDICTS

__all__ = ["System", "answer", "evaluate", "filled_sheet", "items"]

_ZONE = ZoneInfo("America/Santiago")  # of the scheme that measures it


RESERVED_SET = "puerto-reservado"
CUSTODIAN = "Auditora del Norte"
# Each question is put as part of somebody's own business: other texts, other hashes, the same answers.
_OWN_BUSINESS = {
    "es": "Para un trámite propio: {}",
    "en": "For a matter of my own: {}",
    "pt": "Para um trâmite próprio: {}",
    "fr": "Pour une démarche personnelle : {}",
    "it": "Per una pratica personale: {}",
}


def reserved(languages: tuple[str, ...]) -> list[dict[str, Any]]:
    """The set that is sealed in the demonstration."""
    return [
        {**item, "question": _OWN_BUSINESS[item["language"]].format(item["question"])}
        for item in items(languages)
    ]


def evaluate(
    system: System,
    *,
    scheme: tuple[str, str],
    at: datetime,
    declared: tuple[Mapping[str, Any], ...] = (),
    languages: tuple[str, ...] = norm.LANGUAGES,
    sealed: tuple[str, ...] = (),
    judge_family: str = "juez-simulado",
) -> dict[str, bytes]:
    """Put every question to the system now: path below data/ → bytes of a package's payload.

    Where something is sealed the questions are those of the reserved set: what is public elsewhere can be no secret.
    """
    asked = reserved(languages) if sealed else list(items(languages))
    responses, verdicts = [], []
    for item in asked:
        response, verdict = answer(system, item, at=at)
        responses.append(response)
        if verdict is not None:
            verdicts.append({"item": item["id"], "judge": "j1", "verdict": verdict})
    descriptor = {
        "format": "evaluation-package/1",
        "method": "hallucination",
        "scheme": {"code": scheme[0], "version": scheme[1]},
        "system": {
            "name": system.name,
            "version": system.version,
            "holder": system.holder,
            "model_family": system.model_family,
        },
        "measured_at": at.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z"),
        "question_set": {
            "name": RESERVED_SET if sealed else "puerto-ficticio",
            "sha256": packing.set_sha256(asked),
            "custodian": CUSTODIAN if sealed else "Fehaciente",
            "holder_had_access": "no",
            "times_used_before": 0,
        },
        "corpus": {
            "documents": 1,
            "articles": len(norm.ARTICLES),
            "as_of": at.astimezone(_ZONE).date().isoformat(),
        },
        "judges": [{"id": "j1", "family": judge_family, "version": "1.0", "temperature": 0}],
        "endpoint_kind": "public_user_route",
        "access": "open" if not sealed else "members",
        **({"sealed": list(sealed)} if sealed else {}),
        **({"declared_figures": list(declared)} if declared else {}),
    }
    return {
        "evaluation.json": packing.json_document(descriptor),
        "items.jsonl": packing.json_lines(asked),
        "responses.jsonl": packing.json_lines(responses),
        "verdicts.jsonl": packing.json_lines(verdicts),
        "catalogue.csv": packing.csv_table(
            ["source", "article"], ([norm.SOURCE, str(article.number)] for article in norm.ARTICLES)
        ),
    }


def filled_sheet(reviewer: str, ids: Sequence[str], judged: Sequence[int]) -> bytes:
    """A review sheet as `reviewer` gives it back, who sees some answers a step worse or better than the judge.

    Most of these are answers that everybody sees so; some are that person's alone. `judged`: of each item the place of
    the judge's verdict in `VERDICTS`.
    """
    said = []
    for id_, verdict in zip(ids, judged, strict=True):
        hard, step = hashlib.sha256(id_.encode()).digest()[:2]
        own = hashlib.sha256(f"{reviewer} {id_}".encode()).digest()[0]
        other = (min(verdict + 1, 3), max(verdict - 1, 0))[step % 2]
        said.append(calibration.Review(id_, reviewer, VERDICTS[other if hard < 26 or own < 13 else verdict]))
    return calibration.reviews_csv(said)
