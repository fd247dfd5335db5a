"""Two packages compared pair by pair: what `grading.comparison` needs, taken from what the client measured."""

from collections.abc import Mapping
from typing import Any

from evidence import families
from grading import citations, comparison, data, phrases
from grading.comparison import Answers, NotComparable
from grading.harness import measuring, question_sets
from grading.harness.measuring import Measured, Outcome
from grading.harness.packages import Package

__all__ = ["NotComparable", "compare"]


def compare(first: Package, second: Package, *, measured: tuple[Measured, Measured]) -> dict[str, Any]:
    """The paired comparison as JSON, the first less the second. Raises NotComparable with each differing field.

    Items are bound by their hash, equal ones in order of id. Judge prompts must be the same where both packages say
    which theirs were.
    """
    prompts = [_prompts(side) for side in (first, second)]
    both = all(prompts)
    sides = [
        answers(package, of, files=own if both else {})
        for package, of, own in zip((first, second), measured, prompts, strict=True)
    ]
    return comparison.compare(*sides, scheme=first.scheme)


def answers(package: Package, measured: Measured, *, files: Mapping[str, str]) -> Answers:
    """The answers of one package, of the first run of each item; `files`: what must be the same on top."""
    descriptor = package.evaluation.descriptor
    outcomes = list(measuring.first_runs(measured).values())
    groups = tuple(sorted({outcome.group for outcome in outcomes}))
    clusters = [outcome.cluster for outcome in outcomes]
    return Answers(
        system=f"{descriptor['system']['name']} {descriptor['system']['version']}",
        method="hallucination",
        scheme=f"{package.scheme.code} {package.scheme.version}",
        scheme_sha256=package.scheme.sha256,
        set_sha256=measured.set_sha256,
        judges=tuple(
            (families.family(judge["family"]), judge["version"], judge.get("kind", "model"))
            for judge in descriptor.get("judges", ())
        ),
        digests=[bytes.fromhex(question_sets.item_sha256(outcome.item)) for outcome in outcomes],
        groups=groups,
        group_of=[groups.index(outcome.group) for outcome in outcomes],
        bits=[_bits(outcome) for outcome in outcomes],
        clusters=clusters if len(set(clusters)) < len(clusters) else None,
        ids=[outcome.item["id"] for outcome in outcomes],
        files={
            "grouping": package.scheme.grouping.sha256,
            "abstention_phrases": phrases.abstention().sha256,
            "premise_phrases": phrases.premise().sha256,
            "article_prefixes": data.sha256(citations.PREFIXES_FILE),
            **files,
        },
        runs=measured.counts["runs"],
        hidden=comparison.hidden(measured.figures, package.scheme, evidence_is_public=True),
    )


def _bits(outcome: Outcome) -> int:
    item = outcome.item
    return (
        (0 if outcome.hostile else comparison.ORDINARY)
        | (comparison.EXACT if outcome.is_judged and outcome.verdict == "exact" else 0)
        | (comparison.HALLUCINATES if outcome.hallucinates else 0)
        | (comparison.ABSTAINED if outcome.abstained else 0)
        | (comparison.SHOULD_ABSTAIN if item["abstention_correct"] else 0)
        | (comparison.NEED_NOT_ABSTAIN if item["in_corpus"] and not item["abstention_correct"] else 0)
    )


def _prompts(package: Package) -> dict[str, str]:
    """The judge prompts and the stages of judging that a package of this client says it used."""
    fingerprint = package.run.get("fingerprint")
    if not isinstance(fingerprint, Mapping):
        return {}
    files, judging = fingerprint.get("files"), fingerprint.get("judging")
    if not isinstance(files, Mapping) or not isinstance(judging, Mapping):
        return {}
    used = {str(path): str(digest) for path, digest in files.items() if "judge/" in str(path)}
    return used | {"judging.eligibility": str(judging.get("eligibility"))}
