"""Puts together the public pages of agent runs: every one that was registered, and what a published one says.

Reads only. Of a run that is not published nothing is told but that it is there: number, case, series, state, outcome,
dates, and, once it has ended, whose version it was, so that nobody picks. No page has operators, contacts or tokens.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from urllib.parse import urlencode
from zoneinfo import ZoneInfo

from django.conf import settings
from django.db.models import Exists, OuterRef, Prefetch, Q, QuerySet

from certificates import page_frame, pages, run_sentences
from certificates.models import Certificate
from evidence import run_package
from evidence.models import Run, RunEvent, Series, System, TestCase
from evidence.models.run import ENDED_STATES, RunOutcome, RunState
from evidence.run_records import Exchange, Trace
from grading import run_grading, run_marks, run_traces, series
from grading.models import Mark, Measurement
from grading.run_comparing import HAS_ENDED
from grading.run_facts import Facts

PAGE_SIZE = 50
# Of a longer trace the first are shown; the API gives all of it.
REQUESTS_SHOWN = 200
ANSWER_SHOWN = 64 * 1024
# Systems are offered as a filter while there are no more than these.
SYSTEMS_OFFERED = 200

UNDERWAY = "underway"
# What became of a run, as the list can be narrowed to it.
BECAME: Mapping[str, Q] = {
    UNDERWAY: ~Q(state__in=ENDED_STATES) & ~Q(outcome__in=[RunOutcome.INVALIDATED, RunOutcome.TECHNICAL]),
    RunState.PUBLISHED.value: Q(state=RunState.PUBLISHED),
    RunState.WITHHELD.value: Q(state=RunState.WITHHELD),
    RunState.ABANDONED.value: Q(state=RunState.ABANDONED),
    RunOutcome.ASSISTED.value: Q(outcome=RunOutcome.ASSISTED),
    RunOutcome.INVALIDATED.value: Q(outcome=RunOutcome.INVALIDATED),
    RunOutcome.TECHNICAL.value: Q(outcome=RunOutcome.TECHNICAL),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """What a list is to hold. Empty fields do not narrow it."""

    case: str = ""
    series: str = ""
    system: str = ""
    became: str = ""

    def as_query(self) -> dict[str, str]:
        named = {name: getattr(self, name) for name in self.__slots__}
        return {name: value for name, value in named.items() if value}


# ── lists ────────────────────────────────────────────────────────────────────


def matching(wanted: Wanted) -> QuerySet[Run]:
    """The runs that are wanted. Circuit checks are no evaluation: they stand apart, for whoever asks for them."""
    rows = _with_names(Run.objects.all())
    if wanted.became != RunOutcome.TECHNICAL:
        rows = rows.exclude(outcome=RunOutcome.TECHNICAL)
    if wanted.became:
        rows = rows.filter(BECAME[wanted.became]) if wanted.became in BECAME else rows.none()
    if wanted.case:
        rows = rows.filter(variant__case__code=wanted.case)
    if wanted.series:
        rows = rows.filter(series__code=wanted.series)
    if wanted.system:
        # Whose version it was is not told before the run has ended, by no filter either.
        rows = (
            rows.filter(HAS_ENDED, system_version__system=int(wanted.system))
            if is_key(wanted.system)
            else rows.none()
        )
    return rows


def _with_names(rows: QuerySet[Run]) -> QuerySet[Run]:
    return rows.select_related("variant__case", "series", "system_version__system__holder").prefetch_related(
        Prefetch("events", queryset=RunEvent.objects.select_related("public_event"))
    )


def is_key(text: str) -> bool:
    """Whether it can be the id of a system."""
    return text.isascii() and text.isdigit() and len(text) < 18


def listed(rows: Iterable[Run]) -> tuple[pages.RunRow, ...]:
    """Runs as a list tells them: one more query, whatever their number."""
    rows = list(rows)
    published = [row.pk for row in rows if row.state == RunState.PUBLISHED]
    marks: dict[int, dict[str, str]] = {}
    for key, point, mark in (
        Mark.objects.filter(run__in=published).order_by("pk").values_list("run", "point", "mark")
    ):
        marks.setdefault(key, {})[point] = mark
    return tuple(_row(row, marks.get(row.pk)) for row in rows)


def of_list(wanted: Wanted, rows: Iterable[Run], *, following: str, at: datetime) -> pages.RunsPage:
    """The page of a list whose rows were found."""
    told = listed(rows)
    return pages.RunsPage(
        frame=page_frame.frame("runs/", as_of=at.astimezone(_zone()), query=urlencode(wanted.as_query())),
        filters=_filters(wanted),
        rows=told,
        following=following,
        exists=bool(told) or Run.objects.exists(),
    )


def _filters(wanted: Wanted) -> tuple[pages.Filter, ...]:
    cases = TestCase.objects.order_by("code").values_list("code", flat=True).distinct()
    codes = Series.objects.order_by("code").values_list("code", flat=True)
    systems = _systems(wanted.system)
    return (
        pages.Filter(name="case", value=wanted.case, choices=tuple(cases)),
        pages.Filter(name="series", value=wanted.series, choices=tuple(codes)),
        pages.Filter(name="system", value=wanted.system, choices=tuple(systems), labels=systems),
        pages.Filter(name="became", value=wanted.became, choices=tuple(BECAME)),
    )


def _systems(chosen: str) -> dict[str, str]:
    """The systems of runs that have ended, while they are few; of many only the one that was chosen."""
    ended = Run.objects.filter(HAS_ENDED, system_version__system=OuterRef("pk"))
    found = System.objects.filter(Exists(ended)).order_by("name", "pk").values_list("pk", "name")
    offered = list(found[: SYSTEMS_OFFERED + 1])
    if len(offered) > SYSTEMS_OFFERED:
        offered = list(found.filter(pk=int(chosen))) if is_key(chosen) else []
    return {str(key): name for key, name in offered}


def _row(run: Run, marks: Mapping[str, str] | None = None) -> pages.RunRow:
    zone = _zone()
    steps = run.events.all()
    return pages.RunRow(
        number=run.number,
        case=run.variant.case.code,
        series=run.series.code if run.series else "",
        state=run.state,
        outcome=run.outcome,
        registered_at=run.registered_at.astimezone(zone),
        since=max([run.registered_at, *(step.at for step in steps)]).astimezone(zone),
        system=_system(run) if _has_ended(run) else None,
        counts=_counts(marks.values()) if marks else None,
    )


def _has_ended(run: Run) -> bool:
    return run.state in ENDED_STATES or run.outcome == RunOutcome.INVALIDATED


def _system(run: Run) -> pages.RunSystem | None:
    version = run.system_version
    if version is None:
        return None
    return pages.RunSystem(
        id=version.system_id,
        system=version.system.name,
        version=version.version,
        holder=version.system.holder.name,
    )


def _counts(marks: Iterable[str]) -> pages.MarkCounts:
    given = list(marks)
    return pages.MarkCounts(**{mark: given.count(mark) for mark in run_marks.MARKS})


# ── one run ──────────────────────────────────────────────────────────────────


def found(number: str) -> Run | None:
    """The run of that number, with all that its page asks for."""
    return (
        _with_names(Run.objects.all())
        .select_related("closing_package", "graded_package", "closing", "counter", "token")
        .filter(number=number)
        .first()
    )


def published(number: str) -> Run | None:
    """The same, only of what is published."""
    run = found(number)
    return run if run is not None and run.state == RunState.PUBLISHED else None


def of(run: Run, *, at: datetime) -> pages.RunPage:
    """The page of a run, as it is now."""
    zone, case = _zone(), run.variant.case
    result = result_of(run) if run.state == RunState.PUBLISHED else None
    return pages.RunPage(
        frame=page_frame.frame(f"runs/{run.number}/", as_of=at.astimezone(zone)),
        row=_row(run, {point.code: point.mark for point in result.points} if result else None),
        title=pages.Text(es=case.title_es, en=case.title_en),
        case_version=case.version,
        max_requests=case.max_requests,
        max_seconds=case.max_seconds,
        our_fault=run.our_fault,
        published_at=run.published_at.astimezone(zone) if run.published_at else None,
        steps=tuple(_step(event, zone) for event in run.events.all()),
        result=result,
    )


def result_of(run: Run) -> pages.RunResult:
    """What a published run says. Its marks are frozen, and the rubric of its series is public."""
    zone, variant = _zone(), run.variant
    trace = run_package.trace_of(run)
    facts = run_traces.facts_of(trace, series.loaded(run.series))
    marks = run_grading.marks_of(run)
    package = run.graded_package or run.closing_package
    return pages.RunResult(
        system=_system(run),
        variant=pages.Variant(
            start_domain=variant.start_domain, assignment=variant.assignment, sha256=variant.sha256
        ),
        language=run.language,
        tools=tuple(run.tools),
        clean_session=run.clean_session,
        interventions=tuple(dict.fromkeys(one.kind for one in trace.run.interventions)),
        counts=_counts(mark.mark for mark in marks.values()),
        points=tuple(_point(run, code, mark, zone) for code, mark in marks.items()),
        facts=pages.RunFacts(
            counted=facts.counted,
            beyond_limit=facts.beyond_limit,
            interrupted=facts.interrupted,
            duration_seconds=facts.duration_seconds,
            catalogue_at=facts.catalogue_at,
            cut=facts.cut,
        ),
        requests=_requests(trace, facts, zone),
        answer=trace.answer[:ANSWER_SHOWN],
        answer_is_cut=len(trace.answer) > ANSWER_SHOWN,
        comments=tuple(
            pages.RunComment(text=one.text, at=one.at.astimezone(zone)) for one in run.comments.all()
        ),
        rubric_version=run.series.rubric_version,
        commitment=run.series.commitment,
        evidence_sha256=package.sha256 if package else "",
        certificates=tuple(
            Certificate.objects.filter(measurement__package=run.graded_package_id)
            .order_by("pk")
            .values_list("number", flat=True)
        )
        if run.graded_package_id
        else (),
    )


def of_measurement(measurement: Measurement) -> pages.CertifiedRun | None:
    """The run that a measurement is of, with all registered ones of the same version: nobody picks."""
    run = getattr(measurement.package, "graded_run", None) if measurement.is_of_a_run else None
    if run is None or run.state != RunState.PUBLISHED:
        return None
    run = found(run.number)
    zone, case = _zone(), run.variant.case
    others = list(matching(Wanted()).filter(system_version=measurement.system_version_id).order_by("pk"))
    changes = [event.at for one in others for event in one.events.all()]
    return pages.CertifiedRun(
        number=run.number,
        case=case.code,
        case_version=case.version,
        title=pages.Text(es=case.title_es, en=case.title_en),
        series=run.series.code,
        outcome=run.outcome,
        max_requests=case.max_requests,
        max_seconds=case.max_seconds,
        closed_at=run.closed_at.astimezone(zone),
        published_at=run.published_at.astimezone(zone),
        changed_at=max([run.published_at, *changes]),
        result=result_of(run),
        runs=listed(others),
    )


def trace_lines(run: Run) -> bytes:
    """The trace as the package of the run holds it, byte for byte: JSON Lines."""
    return run_package.payload_of(run)["trace.jsonl"]


def _point(run: Run, code: str, mark: Mark, zone: ZoneInfo) -> pages.RunPoint:
    return pages.RunPoint(
        code=code,
        title=pages.Text(**run_sentences.title_of(code, run.variant.case.points)),
        mark=mark.mark,
        requests=tuple(mark.requests),
        by="code" if mark.by_id is None else "evaluator",
        # Who changes a mark says why: where there is no other note, that is it.
        note=mark.note or mark.reason,
        changed_at=mark.at.astimezone(zone) if mark.replaces_id else None,
    )


def _requests(trace: Trace, facts: Facts, zone: ZoneInfo) -> tuple[pages.RunRequest, ...]:
    return tuple(_request(one, facts, zone) for one in trace.exchanges[:REQUESTS_SHOWN])


def _request(one: Exchange, facts: Facts, zone: ZoneInfo) -> pages.RunRequest:
    return pages.RunRequest(
        number=one.seq,
        at=one.at.astimezone(zone),
        method=one.method,
        path=run_sentences.path_of(one.url),
        status=one.status,
        type=one.response.type if one.response else "",
        size=one.response.size if one.response else None,
        beyond_limit=one.beyond_limit,
        observed=one.seq >= facts.cut,
        is_catalogue=one.seq == facts.catalogue_at,
    )


def _step(event: Any, zone: ZoneInfo) -> pages.RunStep:
    return pages.RunStep(
        step=event.step,
        at=event.at.astimezone(zone),
        reason=pages.Text(es=event.reason_es, en=event.reason_en) if event.reason_es else None,
        hash=event.public_event.hash if event.public_event else None,
    )


def _zone() -> ZoneInfo:
    return ZoneInfo(settings.REGISTRY_TIME_ZONE)
