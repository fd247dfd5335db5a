"""Measurements of two versions of one system on the same questions, made by handing packages in."""

import json
from collections.abc import Sequence
from typing import Any

from certificates import pipeline
from certificates.tests import packages, registry
from evidence import intake
from evidence.models import PackageState
from grading.models import Measurement
from grading.tests import packages as records
from registry_site import clock

# Rights and wrongs of 40 questions: «after» is right where «before» was wrong twelve times, and never the reverse.
BEFORE = [1] * 24 + [0] * 16
AFTER = [1] * 36 + [0] * 4


def payload(
    rights: Sequence[int],
    *,
    languages: Sequence[str] = ("es", "en"),
    of: dict[str, Any] | None = None,
    ask: str = "q",
) -> bytes:
    """The ZIP of a package with a question for each of `rights`, answered exactly where it is 1."""
    items = [
        records.item(
            f"{ask}{place:04d}",
            language=languages[place % len(languages)],
            question=f"¿Qué dice la norma {packages.CANARY} {ask}{place}?",
        )
        for place in range(len(rights))
    ]
    verdicts = [
        records.verdict(item["id"], "exact" if right else "incorrect")
        for item, right in zip(items, rights, strict=True)
    ]
    return packages.zipped(
        {
            "evaluation.json": json.dumps(records.descriptor(**(of or {}))).encode(),
            "items.jsonl": records.lines(items),
            "responses.jsonl": records.lines([records.response(item["id"]) for item in items]),
            "verdicts.jsonl": records.lines(verdicts),
        }
    )


def measure(who: registry.People, data: bytes) -> Measurement:
    """Hand a package in and take it through the pipeline."""
    package = intake.receive([data], by=who.evaluator, at=clock.now())
    pipeline.advance(package.pk)
    package.refresh_from_db()
    assert package.state == PackageState.READY, package.failure
    return package.measurements.select_related("scheme", "package", "system_version__system__holder").get()


def version(number: str, **more: Any) -> dict[str, Any]:
    """The descriptor's system in another version."""
    return {"system": records.DESCRIPTOR["system"] | {"version": number}, **more}


def versions(who: registry.People, **of: Any) -> tuple[Measurement, Measurement]:
    """Two versions of one system, measured one after the other."""
    return (
        measure(who, payload(BEFORE, of=version("1.0.0", **of))),
        measure(who, payload(AFTER, of=version("2.0.0", **of))),
    )
