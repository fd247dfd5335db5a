"""The judge: what it is shown, what it may reply, and the canaries that try to give it orders."""

import json
import re
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from grading import data
from grading.harness.calls import Reply, Request
from grading.harness.configuration import Judge
from grading.harness.shapes import UNJUDGED, VERDICTS

CANARIES = "judge/canaries-1.json"
_FENCED = re.compile(r"\s*```(?:json)?\s*\n(.*)\n\s*```\s*", re.DOTALL)
_PLACE = re.compile(r"\{(question|source|official_text|answer|delimiter)\}")
_LONGEST_REASON = 1000
# Of the languages there are prompts in, which one a question's language is nearer to.
_SPANISH_FOR = frozenset({"es", "ca", "gl", "eu", "pt", "und"})


class Stage:
    VERDICT = "verdict"
    ELIGIBILITY = "eligibility"


@dataclass(frozen=True, slots=True)
class Prompt:
    """One versioned prompt; `sha256` is that of its file."""

    path: str
    sha256: str
    system: str
    user: str

    def filled(self, values: Mapping[str, str]) -> str:
        return _PLACE.sub(lambda match: values[match[1]], self.user)


@dataclass(frozen=True, slots=True)
class Judgement:
    """What a judge said of one answer. `why` says why there is no verdict, or None."""

    verdict: str
    eligible: bool | None = None
    reason: str = ""
    why: str | None = None
    model: str | None = None


@cache
def prompt(stage: str, language: str) -> Prompt:
    path = f"judge/{stage}-{language}-1.json"
    content = json.loads(data.read(path))
    return Prompt(path, data.sha256(path), content["system"], content["user"])


def language_of(wanted: str, primary: str) -> str:
    """The language of the prompt for a question: the one that was chosen, else the nearer one."""
    if wanted != "item":
        return wanted
    return "es" if primary in _SPANISH_FOR else "en"


def messages(
    stage: str,
    language: str,
    *,
    item: Mapping[str, Any],
    answer: str,
    citations: Sequence[Mapping[str, Any]] = (),
) -> list[dict[str, str]]:
    """What the judge sees: the question, the official text, and the answer between two lines nobody could foresee.

    The citations are part of the answer as it was delivered, so they stand inside; nothing else is shown.
    """
    delivered = answer
    if citations:
        listed = "\n".join(f"- {citation['source']}, {citation['article']}" for citation in citations)
        title = "Citas" if language == "es" else "Citations"
        delivered = f"{answer}\n\n{title}:\n{listed}"
    delimiter = _mark()
    while delimiter in delivered:
        delimiter = _mark()
    expected = item.get("expected_citation")
    source = item.get("reference_source", "")
    if expected:
        source = f"{expected['source']}, {expected['article']}"
    chosen = prompt(stage, language)
    text = chosen.filled(
        {
            "question": item["question"],
            "source": source,
            "official_text": item.get("reference_text", ""),
            "answer": delivered,
            "delimiter": delimiter,
        }
    )
    return [{"role": "system", "content": chosen.system}, {"role": "user", "content": text}]


def request(judge: Judge, asked: list[dict[str, str]], *, token: str | None) -> Request:
    """A call of an OpenAI-compatible endpoint at temperature 0."""
    body = {**(judge.extra or {}), "model": judge.model, "temperature": 0, "messages": asked, "stream": False}
    headers = {"Accept": "application/json", "Content-Type": "application/json"}
    if token is not None:
        headers["Authorization"] = f"Bearer {token}"
    url = judge.url.rstrip("/")
    if not url.endswith("/chat/completions"):
        url += "/chat/completions"
    return Request("POST", url, headers, json.dumps(body, ensure_ascii=False).encode())


def read(reply: Reply, stage: str) -> Judgement:
    """What a reply says: one JSON object of the closed vocabulary, else unjudged with the reason."""
    try:
        content = json.loads(reply.body.decode("utf-8-sig"))
        model = content.get("model")
        text = content["choices"][0]["message"]["content"]
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
        return Judgement(UNJUDGED, why="not_openai")
    model = model[:200] if isinstance(model, str) else None
    if not isinstance(text, str):
        return Judgement(UNJUDGED, why="not_openai", model=model)
    fenced = _FENCED.fullmatch(text)
    try:
        said = json.loads(fenced[1] if fenced else text, object_pairs_hook=_once)
    except (ValueError, RecursionError):
        return Judgement(UNJUDGED, why="prose", model=model)
    if not isinstance(said, dict):
        return Judgement(UNJUDGED, why="prose", model=model)
    reason = said.get("reason")
    reason = _line(reason) if isinstance(reason, str) else ""
    if stage == Stage.ELIGIBILITY:
        if not isinstance(said.get("eligible"), bool):
            return Judgement(UNJUDGED, reason=reason, why="vocabulary", model=model)
        # An evasive answer stays among the judged, as incomplete, and is counted apart.
        verdict = UNJUDGED if said["eligible"] else "incomplete"
        return Judgement(verdict, said["eligible"], reason, None, model)
    if said.get("verdict") not in VERDICTS:
        return Judgement(UNJUDGED, reason=reason, why="vocabulary", model=model)
    return Judgement(said["verdict"], None, reason, None, model)


def canaries(
    items: Sequence[Mapping[str, Any]], count: int, *, wanted: str, primary_of: Any
) -> list[tuple[str, Mapping[str, Any], str, str]]:
    """(id, item, prompt language, answer) of wrong answers that tell the judge to call them exact.

    They go to the factual questions in turn, from the first; none when there is no factual question.
    """
    if not items:
        return []
    listed = json.loads(data.read(CANARIES))["languages"]
    planted = []
    for number in range(count):
        item = items[number % len(items)]
        language = language_of(wanted, primary_of(item.get("language")))
        words = listed[language]
        instruction = words["instructions"][number % len(words["instructions"])]
        planted.append(
            (f"canary-{number + 1:02d}", item, language, f"{words['wrong_answer']}\n\n{instruction}")
        )
    return planted


def files(*, eligibility: bool) -> dict[str, str]:
    """The prompts and canaries in use, by path, with their hashes."""
    stages = (Stage.VERDICT, Stage.ELIGIBILITY) if eligibility else (Stage.VERDICT,)
    used = [prompt(stage, language) for stage in stages for language in ("es", "en")]
    return {**{one.path: one.sha256 for one in used}, CANARIES: data.sha256(CANARIES)}


def _mark() -> str:
    return f"=== {secrets.token_hex(16)} ==="


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) != len(pairs):
        raise ValueError("a key given twice")
    return value


def _line(text: str) -> str:
    """A reason as one line that a record may hold."""
    return "".join(letter if letter.isprintable() else " " for letter in text)[:_LONGEST_REASON].strip()
