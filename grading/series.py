"""Rubrics and their series: writes a draft, seals it, closes, reveals, and records a leak.

The only writer of rubrics and of the series that run under them. The bytes of a rubric stand in one binary column: they
leave it for whoever grades, and for everybody once they are revealed.
"""

import json
import secrets
from datetime import date, datetime, time, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from django.conf import settings
from django.db import connection, transaction
from django.db.models import Exists, Max, OuterRef, QuerySet
from django.utils.translation import gettext_lazy as _

from evidence import series_events
from evidence.models import CaseVariant, Run, Series, SeriesEvent, TestCase
from evidence.models.run import RECORDING_STATES, RunOutcome
from evidence.models.test_case import SeriesStep
from evidence.plain_json import Fault
from grading import rubric_language, sealing
from grading.models import Rubric, RubricDraft
from grading.rubric_language import UnusableRubric
from grading.sealing import State, Step
from registry_site import audit, sweeping
from registry_site.models import Person
from registry_site.problems import Refusal

# The last day of a series lies at most so far ahead: a rubric that is never revealed proves nothing.
LONGEST_DAYS = 366


class RubricFaulty(Refusal):
    """`faults` name each fault with its place in the document."""

    code = "rubric_faulty"
    status = 422
    title = _("The rubric cannot be used as it is written")

    def __init__(self, faults: tuple[Fault, ...]) -> None:
        self.faults = faults
        # Place and code, never a value: what is refused may be told where it is logged.
        told = [{"code": one.code, "at": one.key} for one in faults]
        super().__init__(" · ".join(f"{one.code} {one.key or ''}".strip() for one in faults), errors=told)


class CannotSeal(Refusal):
    """`field` names what was written wrong."""

    code = "cannot_seal"
    status = 422
    title = _("The series cannot be sealed")


class ForbiddenSeriesStep(Refusal):
    code = "forbidden_series_step"
    title = _("The series does not allow this step any more")


class RunsUnderway(Refusal):
    """Whoever runs now would run with the rubric on the table."""

    code = "runs_underway"
    title = _("A run of this series is still being recorded: the rubric stays sealed until it is closed")


class SealBroken(Refusal):
    """What is stored is not what was committed to: nothing is published."""

    code = "seal_broken"
    title = _("The stored rubric is not what was committed to. Nothing was published.")


class LeakInTheFuture(Refusal):
    code = "leak_in_the_future"
    title = _("A leak that has not happened is not recorded")


# ── reading ──────────────────────────────────────────────────────────────────


def rubric_of(series: Series) -> Rubric:
    """The sealed row of a series, for whoever grades or reveals."""
    return Rubric.objects.get(commitment=series.commitment)


def loaded(series: Series) -> rubric_language.Rubric:
    """The rubric of a series, read. Nothing of it may be shown before `is_public`."""
    return rubric_language.load(bytes(rubric_of(series).document))


def is_public(series: Series, *, at: datetime | None = None) -> bool:
    """Whether everybody may read the rubric: revealed, or leaked and no run of it is still being recorded."""
    present = series_events.state(series, at=at)
    if present == State.REVEALED:
        return True
    return present == State.LEAKED and not runs_underway(series).exists()


def revealed(series: Series, *, at: datetime | None = None) -> Rubric | None:
    """The rubric of a series once it is public, else None."""
    return rubric_of(series) if is_public(series, at=at) else None


def runs_underway(series: Series | OuterRef) -> QuerySet[Run]:
    """Its autonomous runs that an agent may still be making."""
    return Run.objects.filter(series=series, state__in=RECORDING_STATES).exclude(outcome=RunOutcome.TECHNICAL)


def document_of(row: RubricDraft | Rubric) -> dict[str, Any]:
    """The rubric of a draft or of a sealed row, as its JSON value."""
    return json.loads(bytes(row.document))


def next_version(case: TestCase) -> int:
    """The number that the next sealed rubric of a case has; a rubric of an earlier version of the case counts."""
    last = Rubric.objects.filter(case__code=case.code).aggregate(last=Max("version"))["last"]
    return (last or 0) + 1


# ── writing ──────────────────────────────────────────────────────────────────


@transaction.atomic
def write_draft(
    case: TestCase, document: dict[str, Any], *, by: Person, at: datetime, draft: RubricDraft | None = None
) -> RubricDraft:
    """Keep a rubric that is being written, or its new text. Raises RubricFaulty."""
    form = _checked(case, document)
    if draft is None:
        draft = RubricDraft(case=case, created_at=at)
    else:
        draft = RubricDraft.objects.select_for_update().get(pk=draft.pk)
    # Whoever wrote last wrote it: the second person is somebody else than the last hand on it.
    draft.document, draft.written_by, draft.changed_at = form, by, at
    draft.save()
    audit.record("rubric.written", by=by, at=at, subject=f"case:{case.code}-{case.version}")
    return draft


@transaction.atomic
def discard_draft(draft: RubricDraft, *, by: Person, at: datetime) -> None:
    case = draft.case
    draft.delete()
    audit.record("rubric.discarded", by=by, at=at, subject=f"case:{case.code}-{case.version}")


@transaction.atomic
def seal(
    draft: RubricDraft,
    *,
    variant: CaseVariant,
    planned_runs: int,
    last_day: date,
    publication_delay: int,
    review_days: int,
    by: Person,
    at: datetime,
) -> Series:
    """Seal a draft for the runs of one variant: from now on its bytes are fixed and their commitment is public.

    Raises CannotSeal, RubricFaulty.
    """
    draft = RubricDraft.objects.select_for_update(of=("self",)).select_related("case").get(pk=draft.pk)
    case = draft.case
    if variant.case_id != case.pk:
        raise CannotSeal(_("The variant belongs to another case."), field="variant")
    if planned_runs < 1 or planned_runs > 1000:
        raise CannotSeal(_("Plan from 1 to 1000 runs."), field="planned_runs")
    if not 1 <= review_days <= 90:
        raise CannotSeal(_("The operator has from 1 to 90 days for the review."), field="review_days")
    if not 0 <= publication_delay <= 365:
        raise CannotSeal(_("The delay has from 0 to 365 days."), field="publication_delay")
    zone = ZoneInfo(settings.REGISTRY_TIME_ZONE)
    today = at.astimezone(zone).date()
    if not today <= last_day <= today + timedelta(days=LONGEST_DAYS):
        raise CannotSeal(
            _("The last day lies between today and %(days)s days ahead.") % {"days": LONGEST_DAYS},
            field="last_day",
        )
    _lock_case(case.code)
    version = next_version(case)
    document = _checked(case, {**document_of(draft), "version": version})
    salt = secrets.token_bytes(sealing.SALT_BYTES)
    commitment = sealing.commitment(document, salt=salt)
    Rubric.objects.create(
        case=case,
        version=version,
        document=document,
        salt=salt,
        commitment=commitment,
        made_by=by,
        made_at=at,
    )
    number = Series.objects.filter(variant__case__code=case.code).count() + 1
    series = Series.objects.create(
        code=f"{case.code}-S{number}",
        variant=variant,
        rubric_version=version,
        commitment=commitment,
        planned_runs=planned_runs,
        last_day=last_day,
        closes_at=datetime.combine(last_day + timedelta(days=1), time(), tzinfo=zone),
        publication_delay=publication_delay,
        review_days=review_days,
        made_by=by,
        made_at=at,
    )
    series_events.append(
        series,
        SeriesStep.SEAL,
        by=by,
        at=at,
        fixed={
            "case": {"code": case.code, "version": case.version, "sha256": case.sha256},
            "variant": variant.sha256,
            "rubric_version": version,
            "planned_runs": planned_runs,
            "last_day": last_day.isoformat(),
        },
    )
    draft.delete()
    return series


@transaction.atomic
def close(series: Series, *, by: Person | None, at: datetime) -> SeriesEvent:
    """No run begins any more; `by` is None when its last day is over. Raises ForbiddenSeriesStep."""
    _require(series, Step.CLOSE)
    return series_events.append(series, SeriesStep.CLOSE, by=by, at=at, fixed={})


@transaction.atomic
def reveal(series: Series, *, by: Person, at: datetime) -> SeriesEvent:
    """Publish the rubric and its salt: what was sealed is recomputed first.

    Raises ForbiddenSeriesStep, RunsUnderway, and SealBroken when the stored bytes are not those that were committed to.
    """
    _require(series, Step.REVEAL)
    if runs_underway(series).exists():
        raise RunsUnderway
    rubric = rubric_of(series)
    document, salt = bytes(rubric.document), bytes(rubric.salt)
    if not sealing.matches(document, salt=salt, commitment=series.commitment):
        raise SealBroken
    return series_events.append(series, SeriesStep.REVEAL, by=by, at=at, fixed={"salt": salt.hex()})


@transaction.atomic
def leak(
    series: Series, *, occurred_on: date, statement: dict[str, str], by: Person, at: datetime
) -> SeriesEvent:
    """Record that the rubric got out, and on which day as far as is known. Later runs are no evaluation; earlier ones
    stand, and their certificates get an erratum. Raises ForbiddenSeriesStep, LeakInTheFuture.
    """
    if occurred_on > at.astimezone(ZoneInfo(settings.REGISTRY_TIME_ZONE)).date():
        raise LeakInTheFuture(field="occurred_on")
    _require(series, Step.LEAK)
    return series_events.append(
        series, SeriesStep.LEAK, by=by, at=at, fixed={}, statement=statement, occurred_on=occurred_on
    )


def close_due(*, at: datetime) -> int:
    """Close the series whose last day is over: the sweep."""
    ended = SeriesEvent.objects.filter(
        series=OuterRef("pk"), step__in=[SeriesStep.CLOSE, SeriesStep.REVEAL, SeriesStep.LEAK]
    )
    due = Series.objects.filter(~Exists(ended), closes_at__lte=at).order_by("pk")
    return sweeping.each(due, lambda series: close(series, by=None, at=at))


def _checked(case: TestCase, document: dict[str, Any]) -> bytes:
    """The sealed form of a rubric of this case. Raises RubricFaulty."""
    try:
        form = rubric_language.sealed_form(document)
    except UnusableRubric as error:
        raise RubricFaulty(error.faults) from error
    faults = []
    if document["case"] != case.code:
        faults.append(Fault("VALUE_NOT_ALLOWED", "case", case.code))
    if document["catalogue"] != case.catalogue:
        faults.append(Fault("VALUE_NOT_ALLOWED", "catalogue", "the catalogue of the case"))
    # The points are public with the case: a rubric that marked others would mark what nobody announced.
    told = [{"code": one["code"], "title": one["title"]} for one in document["points"]]
    if told != case.points:
        faults.append(Fault("VALUE_NOT_ALLOWED", "points", "the points of the case"))
    if faults:
        raise RubricFaulty(tuple(faults))
    return form


def _require(series: Series, step: Step) -> None:
    series_events.lock(series)
    present = _state(SeriesEvent.objects.filter(series=series).order_by("pk").values_list("step", flat=True))
    try:
        sealing.after(present, step)
    except sealing.ForbiddenStep as error:
        raise ForbiddenSeriesStep(state=present.value if present else "") from error


def _state(steps: Any) -> State | None:
    return sealing.state_of(Step(step) for step in steps)


def _lock_case(code: str) -> None:
    """One at a time for each case: two who seal at once do not take the same numbers."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(hashtextextended(%s, 7))", [f"case:{code}"])
