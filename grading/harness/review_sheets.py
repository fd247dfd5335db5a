"""Sheets that people fill in blind, made from what the client measured; `grading.calibration` makes and reads them."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from grading import calibration
from grading.calibration import Fault, Sheet
from grading.harness import calibrating, measuring
from grading.harness.measuring import Measured, Outcome
from grading.harness.refusals import Refused


def sample(measured: Measured, *, verdicts_sha256: str, averaged: bool = False) -> list[Outcome]:
    """The judged answers that people judge again, in the order of the sheet: those the registry would draw.

    Of an item with several runs the answer of run 1, or the first one handed in, so that a row is one item.
    `averaged`: judges count each for itself, so one verdict is enough.
    """
    first = {
        item: of
        for item, of in measuring.first_runs(measured).items()
        if of.is_judged or (averaged and any(calibrating.of_each(of)))
    }
    judged = [calibration.Judged(item, of.category.code, of.group) for item, of in first.items()]
    seed = calibration.seed_of(measured.set_sha256, verdicts_sha256)
    return [first[item] for item in calibration.sample(judged, seed=seed)]


def sheet(outcomes: Sequence[Outcome]) -> bytes:
    """The sheet: what the judge saw, with no verdict, judge or system in it."""
    return calibration.sheet(
        calibration.Row(
            outcome.item["id"],
            outcome.item["question"],
            calibration.shown_answer(
                outcome.response["answer"],
                [(cited["source"], cited["article"]) for cited in outcome.response.get("citations", ())],
            ),
            outcome.item.get("reference_text", ""),
        )
        for outcome in outcomes
    )


def read(path: Path, *, language: str = "es") -> Sheet:
    """What a sheet says, however a spreadsheet saved it. Raises Refused with every fault and its line, or OSError.

    Whoever filled it in need not be named: a sheet of a judge has no column «reviewer».
    """
    said = calibration.read(path.read_bytes(), reviewer="")
    if said.errors:
        raise Refused(
            "table_faults",
            path=str(path),
            faults=[
                {
                    "code": fault.code.value.upper(),
                    "member": f"{path.name}:{fault.line}",
                    "key": None,
                    "expected": fault.expected or None,
                    "found": fault.found or None,
                    "mend": fault.remedy(language),
                }
                for fault in said.errors
            ],
        )
    return said


def by_reviewer(said: Sheet) -> Mapping[str, Mapping[str, str]]:
    """Verdict by item of each person, in their order; "" is whoever was not named."""
    people: dict[str, dict[str, str]] = {}
    for review in said.reviews:
        people.setdefault(review.reviewer, {})[review.item] = review.verdict
    return people


def left_out(said: Sheet) -> dict[str, object]:
    """What was left out of a sheet, or changed on the way."""
    return {
        "empty": len(said.found(Fault.NOT_REVIEWED)),
        "normalised": dict(said.normalised),
        "extra_columns": said.found(Fault.COLUMN_IGNORED),
    }
