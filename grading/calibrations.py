"""Draws the blind review of a measurement, and freezes what its filled sheets gave: the only writer of calibrations.

Package and sheets are read elsewhere: the package in a process of its own (`grading.blind_review`), the sheets by
`grading.calibration`. A measurement is never changed by it.
"""

import hashlib
import logging
from base64 import b64encode
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from http import HTTPStatus
from typing import Any

import rfc8785
from django.conf import settings
from django.db import transaction
from django.utils.translation import gettext_lazy as _

from evidence import isolation, storage
from evidence.models import EvidencePackage, Participation
from evidence.models.package import ParticipationKind
from grading import calibration, reviews
from grading.calibration import Sheet
from grading.models import Calibration, Measurement
from grading.reviews import Reviewed
from registry_site import audit, public_events
from registry_site.models import Person
from registry_site.problems import Refusal
from registry_site.roles import Role

log = logging.getLogger(__name__)

READER = "grading.blind_review"
# Seconds without a word of the reader after which a request gives up; it tells its progress once a second.
SILENCE = 30.0
# Marks of a review: no review, the four verdicts, «cannot be judged».
_MARKS = (None, *reviews.VERDICTS, "unjudged")


class SampleUnavailable(Refusal):
    """The reader did not answer: nobody's fault but ours."""

    code = "review_sample_unavailable"
    status = HTTPStatus.SERVICE_UNAVAILABLE
    title = _("The sample could not be drawn just now. Nothing was recorded; try again in a few minutes.")


class EvidenceGone(Refusal):
    code = "evidence_withheld"
    status = HTTPStatus.GONE
    title = _("The evidence was withheld: there is nothing to draw answers from.")


class NothingToReview(Refusal):
    code = "nothing_to_review"
    title = _("No answer of this measurement has a verdict that people could review.")


class NothingCompared(Refusal):
    code = "nothing_compared"
    status = HTTPStatus.UNPROCESSABLE_ENTITY
    title = _("No answer in these sheets has a verdict of a person: there is nothing to compare.")


class AlreadyCalibrated(Refusal):
    """The very same sheets were taken before; `calibration` is its number."""

    code = "already_calibrated"
    title = _("These very sheets were added before: they were not recorded again.")


@dataclass(frozen=True, slots=True)
class Sample:
    """The answers to be judged again, in the order of the sheet.

    `verdicts`: of each item the code of the verdict that counts, and those of each judge. `sheet`: what is handed out,
    where it was asked for.
    """

    seed: str
    items: tuple[str, ...]
    verdicts: tuple[tuple[int, tuple[int, ...]], ...]
    judges: tuple[str, ...]
    averaged: bool
    sheet: bytes = b""


@dataclass(frozen=True, slots=True)
class Filled:
    """What filled sheets say, without a name and without an id.

    `marks`: of each person one digit an answer of the sample: 0 no review, 1 to 4 the verdicts, 5 cannot be judged.
    `sheets`: (SHA-256, numbers of its people, reviews in it), in order of the hashes.
    """

    marks: tuple[str, ...]
    sheets: tuple[tuple[str, tuple[int, ...], int], ...]


# ── the sample ───────────────────────────────────────────────────────────────


def sample_of(measurement: Measurement, *, with_sheet: bool = False) -> Sample:
    """Read the stored package of `measurement` again and draw its blind review: the same one each time.

    Raises SampleUnavailable, EvidenceGone, NothingToReview.
    """
    package = measurement.package
    try:
        outcome = _read(measurement, with_sheet=with_sheet)
    except storage.NoSuchFile as gone:
        raise EvidenceGone from gone
    except isolation.ReadingFailed as failed:
        log.error("measurement %s: no blind review (%s)", measurement.pk, failed.reason)
        raise SampleUnavailable from failed
    if outcome["sha256"] != package.sha256 or outcome["set_sha256"] != measurement.set_sha256:
        log.error("measurement %s: the stored bytes are not those that were measured", measurement.pk)
        raise SampleUnavailable
    if not outcome["items"]:
        raise NothingToReview
    return Sample(
        seed=outcome["seed"],
        items=tuple(outcome["items"]),
        verdicts=tuple((joint, tuple(each)) for joint, each in outcome["verdicts"]),
        judges=tuple(outcome["judges"]),
        averaged=outcome["averaged"],
        sheet=outcome.get("sheet", "").encode(),
    )


def _read(measurement: Measurement, *, with_sheet: bool) -> dict[str, Any]:
    package = measurement.package
    job = {
        "scheme": b64encode(measurement.scheme.file).decode(),
        "sheet": with_sheet,
        "bytes_per_second": settings.EVIDENCE_READ_BYTES_PER_SECOND,
    }
    limits = isolation.Limits.for_size(package.size, memory=settings.EVIDENCE_READER_MEMORY)
    with storage.current().open(package.sha256) as source:
        answers = isolation.run(READER, job=job, source=source, limits=limits, silence=SILENCE)
        try:
            for answer in answers:
                if "outcome" in answer:
                    return answer["outcome"]
        finally:
            answers.close()
    raise isolation.ReadingFailed("no outcome")


# ── what the sheets say ──────────────────────────────────────────────────────


def filled(sample: Sample, sheets: Sequence[tuple[str, Sheet]]) -> Filled:
    """The sheets (SHA-256 of the file, what was read in it) without names: people are numbers, in order of appearance.

    Raises NothingCompared when nobody judged anything.
    """
    places = {item: place for place, item in enumerate(sample.items)}
    people: list[str] = []
    marks: list[list[int]] = []
    listed = []
    for sha256, sheet in sorted(sheets, key=lambda pair: pair[0]):
        numbers = set()
        for review in sheet.reviews:
            person = next(
                (
                    place
                    for place, name in enumerate(people)
                    if calibration.same_person(name, review.reviewer)
                ),
                None,
            )
            if person is None:
                person = len(people)
                people.append(review.reviewer)
                marks.append([0] * len(sample.items))
            marks[person][places[review.item]] = _MARKS.index(review.verdict)
            numbers.add(person + 1)
        listed.append((sha256, tuple(sorted(numbers)), len(sheet.reviews)))
    if not any(0 < mark < 5 for of in marks for mark in of):
        raise NothingCompared
    return Filled(tuple("".join(map(str, of)) for of in marks), tuple(listed))


def agreement(sample: Sample, said: Filled) -> dict[str, Any]:
    """How far the judges agree with these people, in the shape of a result's `agreement`.

    Raises NothingCompared when no answer could be compared.
    """
    reviewed = [
        Reviewed(
            place,
            str(person),
            int(mark) if mark != "5" else 0,
            sample.verdicts[place][0],
            sample.verdicts[place][1],
        )
        for person, of in enumerate(said.marks, 1)
        for place, mark in enumerate(of)
        if mark != "0"
    ]
    found = reviews.agreement(
        reviewed, judges=sample.judges, between_judges=None, judges_are_averaged=sample.averaged
    )
    if not reviews.is_measured(found):
        raise NothingCompared
    return found


# ── the row ──────────────────────────────────────────────────────────────────


def sheets_digest(said: Filled) -> str:
    """SHA-256 of the hashes of the sheets, in order, each followed by a line feed."""
    return hashlib.sha256("".join(f"{sha256}\n" for sha256, *_ in said.sheets).encode()).hexdigest()


@transaction.atomic
def freeze(
    measurement: Measurement, *, sample: Sample, said: Filled, by: Person, role: Role, at: datetime
) -> Calibration:
    """Write down what the sheets gave. Whoever does takes part in the evaluation from then on (rule 1).

    Raises NothingCompared, AlreadyCalibrated.
    """
    found = agreement(sample, said)
    digest = sheets_digest(said)
    # Locked first: the same sheets may be sent twice at once.
    EvidencePackage.objects.select_for_update().get(pk=measurement.package_id)
    known = Calibration.objects.filter(measurement=measurement, sheets_sha256=digest).first()
    if known is not None:
        raise AlreadyCalibrated(calibration=known.pk)
    row = Calibration.objects.create(
        measurement=measurement,
        seed=sample.seed,
        sampled=len(sample.items),
        reviewers=len(said.marks),
        sheets=[
            {"sha256": sha256, "reviewers": list(people), "reviews": count}
            for sha256, people, count in said.sheets
        ],
        sheets_sha256=digest,
        agreement=found,
        by=by,
        role=role,
        at=at,
    )
    Participation.objects.create(
        package=measurement.package, person=by, kind=ParticipationKind.REVIEWED, at=at
    )
    public_events.append(
        # A measurement of the judge, not of the system: the subject says which (docs/decisions/0011).
        "measurement.frozen",
        subject=f"calibration:{row.pk}",
        at=at,
        document={
            "evidence": measurement.package.sha256,
            "scheme": measurement.scheme.sha256,
            "figures": measurement.figures_sha256,
            "seed": row.seed,
            "sheets": row.sheets_sha256,
            "agreement": hashlib.sha256(rfc8785.dumps(found)).hexdigest(),
        },
    )
    audit.record(
        "calibration.added",
        by=by,
        at=at,
        subject=f"measurement:{measurement.pk}",
        calibration=row.pk,
        reviewers=row.reviewers,
    )
    return row
