"""Puts together the pages of test cases and series: what is public of them, and the rubric once it is revealed."""

import re
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

from django.conf import settings
from django.db.models import Count, Q, QuerySet

from certificates import page_facts, pages, rubric_words
from evidence import series_events
from evidence.models import CaseVariant, Run, Series, TestCase
from evidence.models.run import RunOutcome
from grading import rubric_language, series
from grading.models import Rubric

CASE_CODE = re.compile(r"[A-Z]{2,8}-[0-9]{3,6}", re.ASCII)
SERIES_CODE = re.compile(rf"{CASE_CODE.pattern}-S[0-9]{{1,6}}", re.ASCII)
# Of more runs than these the latest are listed; all are counted.
RUNS_SHOWN = 100


def cases(*, at: datetime) -> pages.CasesPage:
    """The newest version of every case."""
    newest: dict[str, TestCase] = {}
    for case in TestCase.objects.defer("document", "assignment").order_by("code", "version"):
        newest[case.code] = case
    rows = list(_series(Q()))
    return pages.CasesPage(
        frame=page_facts.frame("cases/", as_of=at.astimezone(_zone())),
        cases=tuple(
            pages.CaseRow(
                code=case.code,
                version=case.version,
                title=pages.Text(es=case.title_es, en=case.title_en),
                points=len(case.points),
                series=_rows(one for one in rows if one.variant.case.code == case.code),
            )
            for case in newest.values()
        ),
    )


def case(code: str, *, at: datetime, version: int | None = None) -> pages.CasePage | None:
    """One version of a case, the newest where none is named; None when there is none."""
    versions = {one.version: one for one in TestCase.objects.filter(code=code)}
    if not versions or (version is not None and version not in versions):
        return None
    newest = max(versions)
    row = versions[version or newest]
    below = f"cases/{code}/" + (f"{row.version}/" if version is not None else "")
    return pages.CasePage(
        frame=page_facts.frame(below, as_of=at.astimezone(_zone())),
        code=row.code,
        version=row.version,
        title=pages.Text(es=row.title_es, en=row.title_en),
        language=row.language,
        max_requests=row.max_requests,
        max_seconds=row.max_seconds,
        terms_path=row.terms_path,
        sha256=row.sha256,
        published_at=row.published_at.astimezone(_zone()),
        points=_points(row),
        variants=tuple(_variant(one) for one in row.variants.order_by("pk")),
        series=_rows(_series(Q(variant__case=row))),
        versions=tuple(sorted(versions.keys() - {row.version}, reverse=True)),
    )


def all_series() -> QuerySet[Series]:
    """Every series, newest first, with all that its row or page asks for."""
    return _series(Q())


def series_rows(rows: Iterable[Series]) -> tuple[pages.SeriesRow, ...]:
    """Rows of `all_series` as a list tells them."""
    return _rows(rows)


def found(code: str) -> Series | None:
    """The series of that code, with all that its page asks for."""
    return _series(Q(code=code)).first()


def of_series(row: Series, *, at: datetime) -> pages.SeriesPage:
    """The page of a series, as it is now."""
    zone, variant = _zone(), row.variant
    events = series_events.of(row)
    shown = series.revealed(row)
    runs = _runs(row)
    return pages.SeriesPage(
        frame=page_facts.frame(f"series/{row.code}/", as_of=at.astimezone(zone)),
        code=row.code,
        case=variant.case.code,
        case_version=variant.case.version,
        title=pages.Text(es=variant.case.title_es, en=variant.case.title_en),
        variant=_variant(variant),
        rubric_version=row.rubric_version,
        commitment=row.commitment,
        state=series_events.state_after(events),
        planned_runs=row.planned_runs,
        last_day=row.last_day,
        closes_at=row.closes_at.astimezone(zone),
        publication_delay=row.publication_delay,
        review_days=row.review_days,
        points=_points(variant.case),
        events=tuple(_event(event, zone) for event in events.values()),
        runs=tuple(
            pages.SeriesRun(
                number=run.number,
                state=run.state,
                outcome=run.outcome,
                registered_at=run.registered_at.astimezone(zone),
            )
            for run in runs[:RUNS_SHOWN]
        ),
        runs_total=row.autonomous,
        rubric=revealed(shown) if shown is not None else None,
    )


def revealed(row: Rubric) -> pages.RevealedRubric:
    """A rubric that everybody may read."""
    return as_told(series.document_of(row), salt=bytes(row.salt).hex(), size=len(bytes(row.document)))


def as_told(document: dict[str, Any], *, salt: str = "", size: int = 0) -> pages.RevealedRubric:
    """A rubric's document as a page tells it."""
    return pages.RevealedRubric(
        salt=salt,
        size=size,
        catalogue=tuple(document["catalogue"]),
        content=tuple(document["content"]),
        points=tuple(
            pages.RubricPoint(
                code=point["code"],
                title=pages.Text(**point["title"]),
                controls=tuple(_control(control) for control in point["controls"]),
            )
            for point in document["points"]
        ),
    )


def _control(control: dict[str, Any]) -> pages.Control:
    name, terms = rubric_language.rule_of(control)
    return pages.Control(
        id=control["id"],
        kind=control["kind"],
        text=pages.Text(**control["text"]),
        rule=name,
        # In the order of the words, which is that of reading: RFC 8785 has sorted the keys.
        terms=tuple(
            (key, _values(terms[key])) for key in rubric_words.TERM if terms.get(key) not in (None, False)
        ),
        asks_evaluator=control.get("otherwise") == "judge",
    )


def _values(value: Any) -> tuple[str, ...]:
    if isinstance(value, list):
        return tuple(str(one) for one in value)
    return () if value is True else (str(value),)


def _series(which: Q) -> QuerySet[Series]:
    return (
        Series.objects.filter(which)
        .select_related("variant__case")
        .prefetch_related("events__public_event")
        .annotate(autonomous=Count("runs", filter=~Q(runs__outcome=RunOutcome.TECHNICAL)))
        .order_by("-pk")
    )


def _rows(rows: Iterable[Series]) -> tuple[pages.SeriesRow, ...]:
    zone = _zone()
    return tuple(
        pages.SeriesRow(
            code=row.code,
            state=series_events.state(row),
            sealed_at=row.made_at.astimezone(zone),
            last_day=row.last_day,
            planned_runs=row.planned_runs,
            runs=row.autonomous,
            start_domain=row.variant.start_domain,
        )
        for row in rows
    )


def _runs(row: Series) -> Sequence[Run]:
    runs = Run.objects.filter(series=row).exclude(outcome=RunOutcome.TECHNICAL)
    return list(runs.only("number", "state", "outcome", "registered_at").order_by("-pk")[:RUNS_SHOWN])


def _points(row: TestCase) -> tuple[pages.CasePoint, ...]:
    return tuple(
        pages.CasePoint(code=point["code"], title=pages.Text(**point["title"])) for point in row.points
    )


def _variant(row: CaseVariant) -> pages.Variant:
    return pages.Variant(start_domain=row.start_domain, assignment=row.assignment, sha256=row.sha256)


def _event(event: Any, zone: ZoneInfo) -> pages.SeriesEvent:
    return pages.SeriesEvent(
        step=event.step,
        at=event.at.astimezone(zone),
        hash=event.public_event.hash if event.public_event else None,
        statement=pages.Text(es=event.statement_es, en=event.statement_en) if event.statement_es else None,
        occurred_on=event.occurred_on,
    )


def _zone() -> ZoneInfo:
    return ZoneInfo(settings.REGISTRY_TIME_ZONE)
