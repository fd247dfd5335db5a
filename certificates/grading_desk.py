"""What an evaluator has on the desk when marking a run: its trace beside its rubric, and what code decided. Reads only.

Nothing of it may be shown to anybody else before the rubric is revealed: whoever calls asks `run_rules` first.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from certificates import run_sentences
from certificates.pages import Text
from evidence import run_package
from evidence.models import Run
from evidence.routes import normalise
from evidence.run_records import Exchange, Trace
from grading import delivered_answers, rubric_language, run_grading, run_traces, series
from grading.models import Mark
from grading.rubric_language import PointDecision
from grading.run_facts import Facts

# What is shown of an answer or a body: whoever needs the rest has the package.
SHOWN = 64 * 1024
CITED_SHOWN = 5


@dataclass(frozen=True, slots=True)
class Request:
    """One line of the trace. `observed`: it came after the cut, and supports no mark."""

    seq: int
    at: datetime
    method: str
    path: str
    status: int | None
    type: str
    size: int | None
    beyond_limit: bool
    observed: bool
    is_catalogue: bool
    is_cited: bool


@dataclass(frozen=True, slots=True)
class Control:
    kind: str
    text: Text
    mark: str | None
    because: str
    requests: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Point:
    """A point with its controls and code's decision; `mark` is the one that stands, `earlier` those before it."""

    code: str
    title: Text
    controls: tuple[Control, ...]
    by_code: str | None
    mark: Mark | None
    earlier: tuple[Mark, ...]


@dataclass(frozen=True, slots=True)
class Shown:
    """A text as the page shows it, and whether that is not all of it."""

    text: str
    is_cut: bool


@dataclass(frozen=True, slots=True)
class Cited:
    request: int
    path: str
    response: Shown | None


@dataclass(frozen=True, slots=True)
class Desk:
    facts: Facts
    requests: tuple[Request, ...]
    points: tuple[Point, ...]
    answer: Shown
    cited: tuple[Cited, ...]
    twins: tuple[str, ...]


def of(run: Run) -> Desk:
    """Everything beside each other; the bodies that are read are those that the marks may rest on."""
    rubric = series.loaded(run.series)
    trace = run_package.trace_of(run)
    facts = run_traces.facts_of(trace, rubric)
    body = run_traces.bodies_of(trace, facts)
    decided = rubric_language.evaluate(rubric, trace, facts, body)
    cited = _cited(trace)
    return Desk(
        facts=facts,
        requests=tuple(_request(one, facts, cited) for one in trace.exchanges),
        points=tuple(_points(run, rubric, decided)),
        answer=shown(trace.answer),
        cited=tuple(_response(one, body) for one in cited[:CITED_SHOWN]),
        twins=twins_of(run),
    )


def twins_of(run: Run) -> tuple[str, ...]:
    """Numbers of the other runs with the very same trace and answer."""
    return tuple(run_package.identical(run).values_list("number", flat=True)[:20])


def shown(text: str) -> Shown:
    return Shown(text[:SHOWN], len(text) > SHOWN)


def _points(run: Run, rubric: Any, decided: dict[str, PointDecision]) -> list[Point]:
    standing = run_grading.marks_of(run)
    rows: dict[str, list[Mark]] = {}
    for row in run.marks.select_related("by").order_by("pk"):
        rows.setdefault(row.point, []).append(row)
    return [
        Point(
            code=point.code,
            title=Text(**point.title),
            controls=tuple(
                Control(
                    kind=control.kind,
                    text=Text(**control.text),
                    mark=decision.mark,
                    because=str(decision.because),
                    requests=decision.requests,
                )
                for control, decision in zip(point.controls, decided[point.code].controls, strict=True)
            ),
            by_code=decided[point.code].mark,
            mark=standing.get(point.code),
            earlier=tuple(rows.get(point.code, ())[:-1]),
        )
        for point in rubric.points
    ]


def _request(one: Exchange, facts: Facts, cited: Sequence[Exchange]) -> Request:
    return Request(
        seq=one.seq,
        at=one.at,
        method=one.method,
        path=run_sentences.path_of(one.url),
        status=one.status,
        type=one.response.type if one.response else "",
        size=one.response.size if one.response else None,
        beyond_limit=one.beyond_limit,
        observed=one.seq >= facts.cut,
        is_catalogue=one.seq == facts.catalogue_at,
        is_cited=any(one is other for other in cited),
    )


def _cited(trace: Trace) -> list[Exchange]:
    """The first request that fetched each address that the answer gives."""
    found = []
    for address in delivered_answers.addresses(trace.answer, host=trace.run.start_domain):
        fetched = (
            one
            for one in trace.exchanges
            if one.status == 200 and one.response is not None and normalise(one.url) == address.path
        )
        found += [one for one in [next(fetched, None)] if one is not None]
    return found


def _response(one: Exchange, body: Any) -> Cited:
    content = body(one.response.sha256)
    text = None if content is None else delivered_answers.text_of(content, media_type=one.response.type)
    return Cited(one.seq, run_sentences.path_of(one.url), None if text is None else shown(text.raw))
