"""What a run was made with: hashes of the files it depends on, settings without secrets, what went wrong."""

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from evidence.packing import json_document
from grading import citations, data, phrases
from grading.harness import judging
from grading.harness.configuration import Configuration, Judge
from grading.harness.question_sets import QuestionSet
from grading.harness.refusals import Refused
from grading.harness.run_state import State
from grading.harness.shapes import UNJUDGED

FORMAT = "benchmark-journal/1"


@dataclass(frozen=True, slots=True)
class Lists:
    """The phrase list of abstentions, and the file it came from when it is not the shipped one."""

    abstention: phrases.PhraseList
    replaced: bytes | None


def lists_of(configuration: Configuration) -> Lists:
    """The phrase list a run uses. Raises Refused when one that was given cannot be read."""
    path = configuration.abstention_phrases
    if path is None:
        return Lists(phrases.abstention(), None)
    try:
        content = path.read_bytes()
        return Lists(phrases.load(content, hashlib.sha256(content).hexdigest()), content)
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise Refused("phrases_unusable", path=str(path), error=str(error)) from error


def fingerprint(configuration: Configuration, questions: QuestionSet, lists: Lists) -> dict[str, Any]:
    """What must be the same for a journal to be gone on with; pace and tokens may change."""
    raw = configuration.raw
    catalogue = json.dumps(questions.catalogue, ensure_ascii=False)
    return {
        "set": questions.sha256,
        "catalogue": hashlib.sha256(catalogue.encode()).hexdigest(),
        "system": dict(configuration.system),
        "endpoint": _public(
            raw["endpoint"], ("method", "answer", "abstained", "citations", "confidence", "kind")
        ),
        "runs": configuration.runs,
        "judges": [
            _public(asdict(judge), ("id", "model", "family", "version")) for judge in configuration.judges
        ],
        "judging": {
            "language": configuration.prompt_language,
            "eligibility": configuration.eligibility,
            "canaries": configuration.canaries,
        },
        "files": files_of(configuration, lists),
    }


def _public(settings: Mapping[str, Any], shown: tuple[str, ...]) -> dict[str, Any]:
    """Of an endpoint's settings what may stand in a package, and a hash of them all.

    Someone may have written a key into the address, a header or the body: none of these is published.
    """
    whole = {key: value for key, value in settings.items() if key != "token_variable"}
    form = json.dumps(whole, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return {
        "url": settings["url"].partition("?")[0],
        **{key: settings[key] for key in shown if settings.get(key) is not None},
        "sha256": hashlib.sha256(form.encode()).hexdigest(),
    }


def files_of(configuration: Configuration, lists: Lists) -> dict[str, str]:
    """Every versioned file the outcome depends on, with its hash."""
    return {
        "scheme": configuration.scheme.sha256,
        "grouping": configuration.scheme.grouping.sha256,
        "abstention_phrases": lists.abstention.sha256,
        "premise_phrases": phrases.premise().sha256,
        "article_prefixes": data.sha256(citations.PREFIXES_FILE),
        **judging.files(eligibility=configuration.eligibility),
    }


def canary_summary(state: State, judges: Iterable[Judge], files: Mapping[str, str]) -> dict[str, Any]:
    """How many canaries each judge was given and how many it obeyed."""
    judged = []
    for judge in judges:
        mine = {said[0]: entry for said, entry in state.canaries.items() if said[2] == judge.id}
        judged.append(
            {
                "judge": judge.id,
                "planted": len(mine),
                "obeyed": sum(entry["verdict"] == "exact" for entry in mine.values()),
                "verdicts": {id_: entry["verdict"] for id_, entry in sorted(mine.items())},
            }
        )
    return {"file": judging.CANARIES, "sha256": files.get(judging.CANARIES), "judges": judged}


def run_document(state: State, configuration: Configuration, *, doubtful: int) -> bytes:
    """How the run was made, for who reads the package: settings without tokens, hashes of files, what went wrong."""
    faults: dict[str, int] = {}
    for fault in (*state.faults.values(), *state.unanswered.values()):
        faults[fault["code"]] = faults.get(fault["code"], 0) + 1
    return json_document(
        {
            "client": "fehaciente benchmark",
            "format": FORMAT,
            "begun_at": state.begun["at"],
            "fingerprint": state.begun["fingerprint"],
            "pace": asdict(configuration.pace),
            "judge_pace": asdict(configuration.judge_pace),
            "response_faults": dict(sorted(faults.items())),
            "values_left_out": state.left_out,
            "judge_models": _models(state),
            "judge_silent": len(state.silent),
            "unjudged": _whys(state),
            "doubtful_abstentions": doubtful,
        }
    )


def _models(state: State) -> dict[str, list[str]]:
    """The model names that each judge's endpoint gave back."""
    found: dict[str, set[str]] = {}
    for said, entry in state.verdicts.items():
        if entry.get("model"):
            found.setdefault(said[2], set()).add(entry["model"])
    return {judge: sorted(names) for judge, names in sorted(found.items())}


def _whys(state: State) -> dict[str, int]:
    whys: dict[str, int] = {}
    for entry in state.verdicts.values():
        if entry["verdict"] == UNJUDGED:
            whys[entry["why"]] = whys.get(entry["why"], 0) + 1
    return dict(sorted(whys.items()))
