"""The blind review of a measurement: hands out its sheet, reads what comes back, adds what it gave to the pages.

Who may is asked here as on the page (`policies.refusal_to_calibrate`). The row is written by grading.calibrations.
"""

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from http import HTTPStatus
from typing import Any

from django.db import transaction
from django.utils.translation import get_language, gettext_lazy

from certificates import policies, publishing
from certificates.refusals import RuleOfImpartiality
from grading import calibration, calibrations
from grading.calibration import Sheet, SheetFault
from grading.calibrations import Filled
from grading.models import Calibration, Measurement
from registry_site import audit, clock, roles
from registry_site.models import User
from registry_site.problems import NotAllowed, Refusal
from registry_site.role_names import DECIDING_ROLES, Role

# A sheet has some hundred rows, each with three texts.
MOST_SHEETS = 20
MOST_BYTES = 32 * 1024**2
# Faults told of one hand-in, and lines of one kind of fault; the rest is counted.
FAULTS_TOLD = 100
LINES_TOLD = 12


class SheetsRefused(Refusal):
    """Something in the sheets is not understood, and nothing of them is kept; `faults` name file, line and remedy."""

    code = "sheets_refused"
    status = HTTPStatus.UNPROCESSABLE_ENTITY
    title = gettext_lazy("The sheets were not taken: each fault is named below. Nothing was recorded.")


@dataclass(frozen=True, slots=True)
class File:
    """A sheet as it was handed in."""

    name: str
    content: bytes


@dataclass(frozen=True, slots=True)
class Preview:
    """What sheets would give, before anyone signs it; `warnings` as the faults of SheetsRefused."""

    said: Filled
    sampled: int
    seed: str
    agreement: dict[str, Any]
    warnings: list[dict[str, Any]]
    normalised: dict[str, int]


def sheet(measurement: Measurement, *, by: User, at: datetime) -> tuple[str, bytes]:
    """(seed, CSV) of the sheet to fill in; to have been given it is audited, for sealed questions are in it.

    Raises NotAllowed, RuleOfImpartiality, and what `calibrations.sample_of` raises.
    """
    _ask(measurement, by=by, at=at)
    sample = calibrations.sample_of(measurement, with_sheet=True)
    audit.record(
        "review_sheet.viewed",
        by=by.person,
        at=at,
        subject=f"measurement:{measurement.pk}",
        sha256=hashlib.sha256(sample.sheet).hexdigest(),
    )
    return sample.seed, sample.sheet


def preview(
    measurement: Measurement, files: Sequence[File], *, reviewer: str = "", by: User, at: datetime
) -> Preview:
    """What filled sheets give. `reviewer`: who filled in rows that do not say it. Nothing is kept.

    Raises SheetsRefused, NotAllowed, RuleOfImpartiality, NothingCompared.
    """
    _ask(measurement, by=by, at=at)
    sample = calibrations.sample_of(measurement)
    items = frozenset(sample.items)
    sheets = [
        calibration.read(file.content, items=items, reviewer=reviewer.strip() or None) for file in files
    ]
    faults = list(_faults(files, sheets, measurement))
    if errors := [fault for fault in faults if not fault["warning"]]:
        raise SheetsRefused(faults=errors[:FAULTS_TOLD], faults_omitted=max(0, len(errors) - FAULTS_TOLD))
    said = calibrations.filled(
        sample,
        [(hashlib.sha256(file.content).hexdigest(), of) for file, of in zip(files, sheets, strict=True)],
    )
    normalised: dict[str, int] = {}
    for of in sheets:
        for changed, count in of.normalised.items():
            normalised[changed] = normalised.get(changed, 0) + count
    return Preview(
        said=said,
        sampled=len(sample.items),
        seed=sample.seed,
        agreement=calibrations.agreement(sample, said),
        warnings=summed(faults),
        normalised=normalised,
    )


def add(measurement: Measurement, said: Filled, *, by: User, at: datetime) -> Calibration:
    """Freeze what was previewed, and let the pages that tell it be made anew. The measurement stays as it is.

    Raises NotAllowed, RuleOfImpartiality, NothingCompared, AlreadyCalibrated.
    """
    _ask(measurement, by=by, at=at)
    sample = calibrations.sample_of(measurement)
    if any(len(of) != len(sample.items) for of in said.marks):
        raise calibrations.SampleUnavailable
    # Read before anything is locked, and dated after: a large package takes longer to read than the clock may be off.
    with transaction.atomic():
        at = clock.now()
        row = calibrations.freeze(
            measurement, sample=sample, said=said, by=by.person, role=_role_of(by), at=at
        )
        publishing.let_system_go_stale(measurement.system_version.system_id, at=at)
    return row


def _ask(measurement: Measurement, *, by: User, at: datetime) -> None:
    refusal = policies.refusal_to_calibrate(by, measurement, at=at)
    if refusal is not None:
        raise refusal


def _role_of(user: User) -> Role:
    """In which of the roles that may do this: the first one held, in the order of DECIDING_ROLES."""
    held = roles.held_by(user)
    role = next((one for one in DECIDING_ROLES if one in held), None)
    if role is None:
        raise NotAllowed
    return role


# ── what is wrong with sheets ────────────────────────────────────────────────


def _faults(
    files: Sequence[File], sheets: Sequence[Sheet], measurement: Measurement
) -> Iterator[dict[str, Any]]:
    for file, of in zip(files, sheets, strict=True):
        for fault in of.faults:
            yield _told(file, fault)
    for place, fault in calibration.twice(sheets):
        yield _told(files[place], fault)
    asked: dict[str, RuleOfImpartiality | None] = {}
    for file, of in zip(files, sheets, strict=True):
        for review in of.reviews:
            if review.reviewer not in asked:
                asked[review.reviewer] = refusal = policies.refusal_for_reviewer(measurement, review.reviewer)
                if refusal is not None:
                    yield {
                        "file": file.name,
                        "line": review.line,
                        "code": refusal.code,
                        "mend": str(refusal.detail),
                        "warning": False,
                    }


def _told(file: File, fault: SheetFault) -> dict[str, Any]:
    return {
        "file": file.name,
        "line": fault.line,
        "code": fault.code.value,
        "mend": fault.remedy((get_language() or "es")[:2]),
        "warning": fault.is_warning,
    }


def summed(faults: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Faults of the same kind in the same file once, with the first lines they stand in and how many there are."""
    kinds: dict[tuple[str, str, str], dict[str, Any]] = {}
    for fault in faults:
        kind = kinds.setdefault(
            (fault["file"], fault["code"], fault["mend"]), {**fault, "lines": [], "count": 0}
        )
        kind["count"] += 1
        if len(kind["lines"]) < LINES_TOLD:
            kind["lines"].append(fault["line"])
    return list(kinds.values())
