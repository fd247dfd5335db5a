"""Marks runs and takes them from closing through review to publication: the only writer of marks and of these steps.

    closed → graded → in_review → published | withheld

Code marks what the trace can decide, an evaluator the rest. Once the series has ended the operator sees the marks and
has some days to comment. Publication waits for the rubric's reveal, and freezes the marks. Every function is one
transaction that locks the run first.
"""

import hashlib
import tempfile
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any

from django.db import transaction
from django.db.models import Q
from django.utils.text import format_lazy
from django.utils.translation import gettext_lazy as _

from evidence import packing, run_package
from evidence.models import EvidencePackage, Participation, Run, RunComment, RunEvent
from evidence.models.package import PackageState, ParticipationKind
from evidence.models.run import RunOutcome, RunState, RunStep
from evidence.models.test_case import SeriesStep
from evidence.typed_json import is_unsafe_name
from grading import rubric_language, run_marks, run_rules, run_sealing, run_traces, series
from grading.models import Mark, MarkValue
from grading.rubric_language import PointDecision, Rubric
from grading.run_marks import Fault, Given, Support
from registry_site import audit, outbox, public_events, sweeping
from registry_site.models import Person, PublicEvent, User
from registry_site.problems import Refusal

LONGEST_NOTE = 2_000
LONGEST_REASON = 4_000
LONGEST_COMMENT = 10_000
MOST_REQUESTS = 100
REVIEW_LETTER = "run.review"
_STATEMENTS = ("es", "en")


class NextStep(StrEnum):
    """What a closed run waits for."""

    VERIFICATION = "verification"
    MARKS = "marks"
    SERIES = "series"
    PUBLICATION = "publication"


class IncompleteGrading(Refusal):
    """Something that marking needs is missing or cannot stand; `field` names it."""

    code = "incomplete_grading"
    status = 422
    title = _("The marks are not complete")


# ── reading ──────────────────────────────────────────────────────────────────


def with_parents() -> Any:
    """Runs with everything that marking reads."""
    return Run.objects.select_related(
        "variant__case", "variant__target", "series", "operator", "system_version__system__holder",
        "closing_package", "graded_package", "token", "counter", "closing",
    )  # fmt: skip


def marks_of(run: Run, *, at: datetime | None = None) -> dict[str, Mark]:
    """The mark that stands of each point, in the order of the case's points."""
    rows = run.marks.select_related("by").order_by("pk")
    latest = {row.point: row for row in rows if at is None or row.at <= at}
    return {
        point["code"]: latest[point["code"]] for point in run.variant.case.points if point["code"] in latest
    }


def given(marks: Mapping[str, Mark]) -> list[Given]:
    return [
        Given(
            point=code,
            mark=row.mark,
            requests=tuple(row.requests),
            by="code" if row.by_id is None else "evaluator",
            # Who changes a mark says why: where there is no other note, that is it.
            note=row.note or row.reason,
        )
        for code, row in marks.items()
    ]


def decisions_of(run: Run, rubric: Rubric) -> dict[str, PointDecision]:
    """What code decides on each point, from the rows of the recorder."""
    trace = run_package.trace_of(run)
    facts = run_traces.facts_of(trace, rubric)
    return rubric_language.evaluate(rubric, trace, facts, run_traces.bodies_of(trace, facts))


def support_of(run: Run, rubric: Rubric) -> Support:
    """Which requests of a run may support a mark."""
    trace = run_package.trace_of(run)
    facts = run_traces.facts_of(trace, rubric)
    return Support(
        known=frozenset(exchange.seq for exchange in trace.exchanges),
        cut=facts.cut,
        catalogue_at=facts.catalogue_at if facts.catalogue_at == facts.cut else None,
    )


def unmarked(run: Run) -> list[str]:
    """The points without a mark: while there is one, marking is not finished."""
    marked = marks_of(run)
    return [point["code"] for point in run.variant.case.points if point["code"] not in marked]


def next_step(run: Run) -> NextStep:
    """What a run waits for, of one that is neither published nor ended otherwise."""
    if run.state == RunState.IN_REVIEW:
        return NextStep.PUBLICATION
    if run.state == RunState.GRADED:
        return NextStep.SERIES
    package = run.closing_package
    return NextStep.MARKS if package and package.state == PackageState.READY else NextStep.VERIFICATION


# ── marks ────────────────────────────────────────────────────────────────────


@transaction.atomic
def decide_by_code(run: Run, *, at: datetime) -> list[Mark]:
    """Write the marks that the trace decides; what is marked already stays. Idempotent."""
    run = _locked(run)
    if refusal := run_rules.refusal_of_unmarkable(run):
        raise refusal
    marked = marks_of(run)
    made = []
    for code, decision in decisions_of(run, series.loaded(run.series)).items():
        if decision.mark is None or code in marked:
            continue
        made.append(
            Mark.objects.create(
                run=run, point=code, mark=decision.mark, requests=list(decision.requests), at=at
            )
        )
    return made


@transaction.atomic
def mark(
    run: Run, *, point: str, mark: str, requests: Sequence[int], by: User, at: datetime, note: str = ""
) -> Mark:
    """The first mark of a point that code left to the evaluator."""
    run = _locked(run)
    if refusal := run_rules.refusal_to_mark(by, run, at=at):
        raise refusal
    facts = _mark(run, point=point, mark=mark, requests=requests, note=note)
    if run.marks.filter(point=point).exists():
        raise run_rules.RunRefused(
            _("This point is marked already: change its mark, with a reason."),
            code="marked_already",
            point=point,
        )
    row = Mark.objects.create(run=run, by=by.person, at=at, **facts)
    _take_part(run.closing_package, by.person, at=at)
    audit.record("run.marked", by=by.person, at=at, subject=f"run:{run.number}", point=point, mark=row.mark)
    return row


@transaction.atomic
def change_mark(
    run: Run,
    *,
    point: str,
    mark: str,
    requests: Sequence[int],
    reason: str,
    by: User,
    at: datetime,
    note: str = "",
) -> Mark:
    """A new mark in the place of one by code or by an evaluator: a new row that names the old one and says why."""
    run = _locked(run)
    if refusal := run_rules.refusal_to_change_mark(by, run, at=at):
        raise refusal
    reason = _text(reason, most=LONGEST_REASON, field="reason", missing=_("Write why the mark changes."))
    facts = _mark(run, point=point, mark=mark, requests=requests, note=note)
    old = marks_of(run).get(point)
    if old is None:
        raise run_rules.RunRefused(_("This point has no mark yet."), code="not_marked", point=point)
    if (old.mark, list(old.requests), old.note) == (facts["mark"], facts["requests"], facts["note"]):
        raise IncompleteGrading(_("This is the mark that stands."), code="same_mark", field="mark")
    row = Mark.objects.create(run=run, by=by.person, at=at, replaces=old, reason=reason, **facts)
    _take_part(run.closing_package, by.person, at=at)
    audit.record(
        "run.mark_changed", by=by.person, at=at, subject=f"run:{run.number}", point=point, mark=row.mark
    )
    return row


def _mark(run: Run, *, point: str, mark: str, requests: Sequence[int], note: str) -> dict[str, Any]:
    """The columns of a mark that may stand."""
    rubric = series.loaded(run.series)
    ruled = next((one for one in rubric.points if one.code == point), None)
    if ruled is None:
        raise IncompleteGrading(_("There is no such point."), code="unknown_point", field="point")
    if mark not in set(MarkValue):
        raise IncompleteGrading(_("Choose the mark."), code="unknown_mark", field="mark")
    requests = sorted(set(requests))
    if len(requests) > MOST_REQUESTS:
        raise IncompleteGrading(
            _("Name at most 100 requests: the first that show it."),
            code="too_many_requests",
            field="requests",
        )
    negative = any(control.kind == "negative" for control in ruled.controls)
    found = run_marks.fault_of(mark, requests, support=support_of(run, rubric), negative=negative)
    if found is not None:
        fault, request = found
        raise IncompleteGrading(
            format_lazy(_FAULTS[fault], request=request), code=fault.value, field="requests", request=request
        )
    note = _text(note, most=LONGEST_NOTE, field="note")
    return {"point": point, "mark": mark, "requests": requests, "note": note}


_FAULTS = {
    Fault.NO_SUPPORT: _("Nothing is met without a request that supports it."),
    Fault.NO_SUCH_REQUEST: _("There is no request {request} in this run."),
    Fault.AFTER_THE_CUT: _("Request {request} is not graded: only those before the cut support a mark."),
}


# ── review ───────────────────────────────────────────────────────────────────


@transaction.atomic
def finish_grading(run: Run, *, by: User, at: datetime) -> Run:
    """Every point is marked. The operator sees the marks once the series has ended, and not before.

    Whoever has read the marks of one run knows something of the rubric, and could register the next one.
    """
    run = _locked(run)
    if refusal := run_rules.refusal_to_mark(by, run, at=at):
        raise refusal
    if missing := unmarked(run):
        raise IncompleteGrading(_("Some points have no mark yet."), code="points_unmarked", points=missing)
    run.state = RunState.GRADED
    run.graded_at = at
    run.deadline_at = run.series.closes_at
    run.save(update_fields=["state", "graded_at", "deadline_at"])
    _take_part(run.closing_package, by.person, at=at)
    marks = run_marks.lines(given(marks_of(run)))
    _step(
        run,
        RunStep.GRADE,
        by=by.person,
        at=at,
        public_event=_public(run, "run.graded", at=at, fixed={"marks": hashlib.sha256(marks).hexdigest()}),
    )
    audit.record("run.graded", by=by.person, at=at, subject=f"run:{run.number}")
    return run if run_rules.refusal_to_open_review(run) else open_review(run, at=at)


@transaction.atomic
def open_review(run: Run, *, at: datetime) -> Run:
    """The series has ended: the operator sees the marks and may comment until `review_until`."""
    run = _locked(run)
    if refusal := run_rules.refusal_to_open_review(run):
        raise refusal
    run.state = RunState.IN_REVIEW
    run.review_until = at + timedelta(days=run.series.review_days)
    run.deadline_at = run_sealing.publishable_from(run.series, review_until=run.review_until)
    run.save(update_fields=["state", "review_until", "deadline_at"])
    _step(run, RunStep.REVIEW, by=None, at=at)
    outbox.queue(
        REVIEW_LETTER,
        to=run.contact_email,
        language=run.operator.language,
        at=at,
        concerns=f"run:{run.number}",
        path=f"/runs/{run.number}/review/",
        run=run.number,
    )
    return run


@transaction.atomic
def comment(run: Run, *, text: str, by: User, at: datetime) -> RunComment:
    """What the operator says of the marks. It is published with the result, as it was written."""
    run = _locked(run)
    if refusal := run_rules.refusal_to_comment(by, run, at=at):
        raise refusal
    text = _text(text, most=LONGEST_COMMENT, field="text", missing=_("Write the comment."))
    return RunComment.objects.create(run=run, text=text, at=at, by=by.person)


@transaction.atomic
def end_review(run: Run, *, by: User, at: datetime) -> Run:
    """The operator has nothing to add: the review is over before its period is. Publication waits for the rest."""
    run = _locked(run)
    if refusal := run_rules.refusal_to_end_review(by, run, at=at):
        raise refusal
    run.review_until = at
    run.deadline_at = run_sealing.publishable_from(run.series, review_until=at)
    run.save(update_fields=["review_until", "deadline_at"])
    _public(run, "run.review_ended", at=at, fixed={"comments": run.comments.count()})
    return run


# ── outcomes ─────────────────────────────────────────────────────────────────


@transaction.atomic
def invalidate(run: Run, *, reason_es: str, reason_en: str, by: User, at: datetime) -> Run:
    """Routes, criteria or corrections were handed over, or the catalogue was known: no autonomous run.

    It stays listed and counted. A published result stays public, and says so.
    """
    run = _locked(run)
    if refusal := run_rules.refusal_to_invalidate(by, run, at=at):
        raise refusal
    run.outcome = RunOutcome.INVALIDATED
    if run.state == RunState.IN_REVIEW:
        run.state = RunState.CLOSED
    if run.state == RunState.CLOSED:
        run.deadline_at = None
    run.save(update_fields=["outcome", "state", "deadline_at"])
    _decided(run, RunStep.INVALIDATE, "run.invalidated", reasons=(reason_es, reason_en), by=by, at=at)
    return run


@transaction.atomic
def declare_assisted(run: Run, *, reason_es: str, reason_en: str, by: User, at: datetime) -> Run:
    """A person helped otherwise: the result is published, never certified and never compared."""
    run = _locked(run)
    if refusal := run_rules.refusal_to_declare_assisted(by, run, at=at):
        raise refusal
    run.outcome = RunOutcome.ASSISTED
    run.save(update_fields=["outcome"])
    _decided(run, RunStep.ASSIST, "run.assisted", reasons=(reason_es, reason_en), by=by, at=at)
    return run


@transaction.atomic
def withhold(run: Run, *, reason_es: str, reason_en: str, by: User, at: datetime) -> Run:
    """The result is not published. The run stays listed, with reason and date."""
    run = _locked(run)
    if refusal := run_rules.refusal_to_withhold(by, run, at=at):
        raise refusal
    run.state = RunState.WITHHELD
    run.deadline_at = None
    run.save(update_fields=["state", "deadline_at"])
    _decided(run, RunStep.WITHHOLD, "run.withheld", reasons=(reason_es, reason_en), by=by, at=at)
    return run


def _decided(
    run: Run, step: RunStep, word: str, *, reasons: tuple[str, str], by: User, at: datetime
) -> RunEvent:
    told = {
        language: _text(
            reason,
            most=LONGEST_REASON,
            field=f"reason_{language}",
            missing=_("The reason is public: write it in Spanish and in English."),
        )
        for language, reason in zip(_STATEMENTS, reasons, strict=True)
    }
    for package in (run.closing_package, run.graded_package):
        if package is not None:
            _take_part(package, by.person, at=at)
    audit.record(word, by=by.person, at=at, subject=f"run:{run.number}")
    return _step(
        run,
        step,
        by=by.person,
        at=at,
        reason_es=told["es"],
        reason_en=told["en"],
        public_event=_public(run, word, at=at, fixed={"reason": told}),
    )


# ── publication ──────────────────────────────────────────────────────────────


@transaction.atomic
def publish(run: Run, *, at: datetime) -> Run:
    """Make the result public and freeze its marks. Nobody has to agree: the review is over, silence publishes."""
    run = _locked(run)
    if refusal := run_rules.refusal_to_publish(run, at=at):
        raise refusal
    run.state = RunState.PUBLISHED
    run.published_at = at
    run.deadline_at = None
    run.save(update_fields=["state", "published_at", "deadline_at"])
    marks = run_marks.lines(given(marks_of(run)))
    fixed = {
        "case": run.variant.case.sha256,
        "assignment": run.variant.sha256,
        "rubric": run.series.commitment,
        "marks": hashlib.sha256(marks).hexdigest(),
        "outcome": run.outcome or None,
    }
    _step(
        run, RunStep.PUBLISH, by=None, at=at, public_event=_public(run, "run.published", at=at, fixed=fixed)
    )
    return run


def without_graded_package() -> Any:
    """Published runs whose package with the marks was not written yet: whoever published was killed before."""
    return with_parents().filter(state=RunState.PUBLISHED, graded_package=None).order_by("pk")


def write_graded(run: Run, *, at: datetime) -> EvidencePackage:
    """The package that a certificate rests on: what the closing package holds, and the frozen marks, the rubric and
    its salt. Written now, or found written."""
    if run.graded_package is not None:
        return run.graded_package
    rubric = series.rubric_of(run.series)
    marks = marks_of(run)
    payload = {
        **run_package.payload_of(run),
        "marks.jsonl": run_marks.lines(given(marks)),
        "rubric.json": bytes(rubric.document),
        "rubric.salt": bytes(rubric.salt),
    }
    with tempfile.TemporaryFile() as file:
        packing.pack(payload, into=file)
        with transaction.atomic():
            locked = Run.objects.select_for_update().get(pk=run.pk)
            if locked.graded_package_id is not None:
                return EvidencePackage.objects.get(pk=locked.graded_package_id)
            if locked.state != RunState.PUBLISHED:
                raise run_rules.RunRefused(state=locked.state)
            package = run_package.keep(run, file, filename=f"{run.number}-evaluada.zip")
            locked.graded_package = package
            locked.save(update_fields=["graded_package"])
            for part in _who_marked(run):
                _take_part(package, part.person, at=at)
            return package


def _who_marked(run: Run) -> list[Participation]:
    """Whoever took part in the closing package takes part in the one with the marks."""
    if run.closing_package is None:
        return []
    graded = run.closing_package.participations.filter(kind=ParticipationKind.GRADED)
    return list(graded.select_related("person").order_by("pk"))


# ── the frame of every step ──────────────────────────────────────────────────


def _locked(run: Run) -> Run:
    # Locked first, and alone: two may press at once, and the parents are joined from the other side.
    Run.objects.select_for_update().get(pk=run.pk)
    return with_parents().get(pk=run.pk)


def _step(run: Run, step: RunStep, *, by: Person | None, at: datetime, **facts: Any) -> RunEvent:
    return RunEvent.objects.create(run=run, step=step, by=by, at=at, **facts)


def _public(run: Run, word: str, *, at: datetime, fixed: dict[str, Any]) -> PublicEvent:
    return public_events.append(
        word, subject=f"run:{run.number}", at=at, document={"v": 1, "run": run.number, **fixed}
    )


def _take_part(package: EvidencePackage, person: Person, *, at: datetime) -> None:
    """Whoever marks takes part in the evaluation, and decides on no certificate that rests on it (rule 1)."""
    facts = {"package": package, "person": person, "kind": ParticipationKind.GRADED}
    if not Participation.objects.filter(**facts).exists():
        Participation.objects.create(at=at, **facts)


def _text(written: str, *, most: int, field: str, missing: Any = None) -> str:
    written = written.strip().replace("\r\n", "\n")
    if missing is not None and not written:
        raise IncompleteGrading(missing, code="text_needed", field=field)
    if len(written) > most:
        raise IncompleteGrading(_("The text is too long."), code="text_too_long", field=field)
    if is_unsafe_name(written.replace("\n", " ").replace("\t", " ")):
        raise IncompleteGrading(
            _("The text holds control characters or marks that turn the direction of writing."),
            code="unsafe_text",
            field=field,
        )
    return written


def sweep(*, at: datetime, limit: int = 200) -> dict[str, int]:
    """Mark by code what was verified, open the reviews of series that have ended, and publish what is due."""
    verified = (
        with_parents()
        .filter(state=RunState.CLOSED, closing_package__state=PackageState.READY, marks=None)
        .exclude(outcome__in=run_rules.NEVER_GRADED)
    )
    # Of a leaked series too: its rubric is out, and nothing is left to keep from the next run.
    over = Q(series__events__step=SeriesStep.CLOSE) | Q(series__events__step=SeriesStep.LEAK)
    graded = (
        with_parents()
        .filter(over, state=RunState.GRADED)
        .exclude(outcome__in=run_rules.NEVER_GRADED)
        .distinct()
    )
    due = with_parents().filter(state=RunState.IN_REVIEW, review_until__lt=at)
    return {
        "marked": sweeping.each(verified.order_by("pk")[:limit], lambda run: decide_by_code(run, at=at)),
        "in_review": sweeping.each(graded.order_by("pk")[:limit], lambda run: open_review(run, at=at)),
        "published": sweeping.each(due.order_by("pk")[:limit], lambda run: publish(run, at=at)),
    }
