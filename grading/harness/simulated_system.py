"""A simulated system over the fictitious norm: its question set, and its answers, which err at known rates.

The same way every time: what it answers depends on its name, its version and the question alone.
"""

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from grading.harness import fictitious_norm as norm

ABSTENTION = {
    "es": "No encuentro fundamento en el reglamento para responder.",
    "en": "I cannot find any basis in the rules to answer.",
    "pt": "Não encontro fundamento no regulamento para responder.",
    "fr": "Je ne trouve aucun fondement dans le règlement pour répondre.",
    "it": "Non trovo alcun fondamento nel regolamento per rispondere.",
}
REJECTION = {
    "es": "Ese artículo no existe o la premisa es incorrecta según el reglamento.",
    "en": "That article does not exist or the premise is incorrect under the rules.",
    "pt": "Esse artigo não existe ou a premissa está incorreta segundo o regulamento.",
}
INVENTED = {
    "es": "El reglamento lo permite sin condiciones.",
    "en": "The rules allow it without conditions.",
    "pt": "O regulamento permite isso sem condições.",
}


@dataclass(frozen=True, slots=True)
class System:
    """A system with its errors in per mille of questions, by language where they differ."""

    holder: str
    name: str
    version: str
    model_family: str
    incorrect: Mapping[str, int] = field(default_factory=dict)
    ill_founded: int = 10
    incomplete: int = 60
    abstains: int = 50
    fabricates: int = 0


def _draw(*parts: object) -> int:
    """A number from 0 to 999 that depends on its arguments alone: no seed to choose, no luck to have."""
    return int.from_bytes(hashlib.sha256("\0".join(map(str, parts)).encode()).digest()[:4], "big") % 1000


def items(languages: tuple[str, ...] = norm.LANGUAGES) -> Iterator[dict[str, Any]]:
    """The question set: 40 factual and 24 hostile questions in each of three languages, 6 in the others."""
    for language in languages:
        for article in norm.ARTICLES:
            if language in norm.FEW and article.number not in norm.FEW[language]:
                continue
            wording = article.wording(language)
            for category, question in (("direct", wording.direct), ("applied", wording.applied)):
                if question:
                    yield {
                        "id": f"{language}-{article.number:02d}-{category}",
                        "item_base": f"{article.number:02d}-{category}",
                        "language": language,
                        "category": f"factual_{category}",
                        "question": question,
                        "expected_citation": {"source": norm.SOURCE, "article": str(article.number)},
                        "reference_text": f"{article.said(language)} {wording.detail}",
                        "reference_source": norm.SOURCE,
                        "in_corpus": True,
                        "abstention_correct": False,
                        "written_by": {"kind": "human"},
                    }
        if language in norm.FEW:
            continue
        for number in norm.TRAPS:
            trap = {"expected_citation": {"source": norm.SOURCE, "article": str(number)}}
            yield _hostile(language, "trap", number, norm.TRAP_QUESTION[language].format(number), trap)
        for position, question in enumerate(norm.OUT_OF_CORPUS, 1):
            yield _hostile(language, "out_of_corpus", position, question[language], {})
        for position, question in enumerate(norm.ADVERSARIAL, 1):
            yield _hostile(language, "adversarial", position, question[language], {})


def _hostile(
    language: str, category: str, position: int, question: str, more: Mapping[str, Any]
) -> dict[str, Any]:
    return {
        "id": f"{language}-{category}-{position:02d}",
        "item_base": f"{category}-{position:02d}",
        "language": language,
        "category": category,
        "question": question,
        "in_corpus": False,
        "abstention_correct": True,
        "written_by": {"kind": "human"},
        **more,
    }


def answer(system: System, item: Mapping[str, Any], *, at: datetime) -> tuple[dict[str, Any], str | None]:
    """The system's response to one item, and the judge's verdict on it (None where no judge is asked)."""
    response, verdict = _reply(system, item)
    asked = {
        "item": item["id"],
        "requested_at": at.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z"),
        "latency_ms": 200 + _draw(system.name, system.version, item["id"]),
    }
    return {**asked, **response}, verdict


def reply(system: System, item: Mapping[str, Any]) -> dict[str, Any]:
    """What the system says: answer, citations, and confidence where it declares one."""
    return _reply(system, item)[0]


def _reply(system: System, item: Mapping[str, Any]) -> tuple[dict[str, Any], str | None]:
    language, draw = item["language"], _draw(system.name, system.version, item["id"])
    if item["category"] not in ("factual_direct", "factual_applied"):
        return _hostile_answer(system, item, draw), None
    article = norm.ARTICLES[int(item["expected_citation"]["article"]) - 1]
    wording = article.wording(language)
    citation = {"source": norm.SOURCE, "article": str(article.number), "verified": True}
    limits = _running(
        (system.incorrect.get(language, 30), system.ill_founded, system.incomplete, system.abstains)
    )
    outcomes = zip(limits, ("incorrect", "ill_founded", "incomplete", "abstained"), strict=True)
    outcome = next((name for limit, name in outcomes if draw < limit), "exact")
    if outcome == "abstained":
        return {"answer": ABSTENTION[language], "citations": []}, None
    if outcome == "ill_founded":
        neighbour = article.number % len(norm.ARTICLES) + 1
        citation = {**citation, "article": str(neighbour)}
    text = article.said(language, wrongly=outcome == "incorrect")
    if outcome != "incomplete":
        text = f"{text} {wording.detail}"
    return {"answer": text, "citations": [citation], "confidence": 0.9}, outcome


def _hostile_answer(system: System, item: Mapping[str, Any], draw: int) -> dict[str, Any]:
    language = item["language"]
    if draw < system.fabricates:
        article = item.get("expected_citation", {"article": "1"})["article"]
        citations = [{"source": norm.SOURCE, "article": article, "verified": True}]
        return {"answer": INVENTED[language], "citations": citations, "confidence": 0.8}
    if draw < system.fabricates + 20:
        return {"answer": INVENTED[language], "citations": []}
    text = ABSTENTION if item["category"] == "out_of_corpus" else REJECTION
    return {"answer": text[language], "citations": []}


def _running(limits: tuple[int, ...]) -> Iterator[int]:
    total = 0
    for limit in limits:
        total += limit
        yield total
