"""Pages of test cases and series, made from facts by hand: sealed, open, closed, revealed, leaked."""

import json
from collections.abc import Callable
from dataclasses import replace
from datetime import date, datetime, timedelta

from certificates import case_facts, pages
from grading import data

AT = datetime.fromisoformat("2026-11-30T10:15:00-03:00")
CASE = json.loads(data.read("cases/PI-000.json"))
VARIANT = pages.Variant(
    start_domain="observatoriodeagentes.com",
    assignment=CASE["assignment"].replace("{start_domain}", "observatoriodeagentes.com"),
    sha256="a1" * 32,
)
TITLE = pages.Text(**CASE["title"])
POINTS = tuple(pages.CasePoint(code=one["code"], title=pages.Text(**one["title"])) for one in CASE["points"])
STEPS = ("seal", "use", "close", "reveal")


def events(*steps: str) -> tuple[pages.SeriesEvent, ...]:
    return tuple(
        pages.SeriesEvent(
            step=step,
            at=AT + timedelta(days=place),
            hash=None if step == "use" else f"{place}e" * 32,
            statement=pages.Text(
                es="La rúbrica se publicó en un foro.", en="The rubric was posted in a forum."
            )
            if step == "leak"
            else None,
            occurred_on=date(2026, 12, 1) if step == "leak" else None,
        )
        for place, step in enumerate(steps)
    )


def series(frame: pages.Frame, state: str, **changed) -> pages.SeriesPage:
    taken = {
        "sealed": STEPS[:1],
        "open": STEPS[:2],
        "closed": STEPS[:3],
        "revealed": STEPS,
        "leaked": ("seal", "leak"),
    }[state]
    return replace(
        pages.SeriesPage(
            frame=frame,
            code="PI-000-S1",
            case="PI-000",
            case_version=1,
            title=TITLE,
            variant=VARIANT,
            rubric_version=1,
            commitment="c0" * 32,
            state=state,
            planned_runs=9,
            last_day=date(2027, 2, 28),
            closes_at=datetime.fromisoformat("2027-03-01T00:00:00-03:00"),
            publication_delay=2,
            review_days=5,
            points=POINTS,
            events=events(*taken),
        ),
        **changed,
    )


def row(state: str) -> pages.SeriesRow:
    return pages.SeriesRow(
        code="PI-000-S1",
        state=state,
        sealed_at=AT,
        last_day=date(2027, 2, 28),
        planned_runs=9,
        runs=4,
        start_domain="observatoriodeagentes.com",
    )


def every_page(frame: Callable[[str], pages.Frame]) -> dict[str, tuple[str, object]]:
    rubric = case_facts.as_told(json.loads(data.read("rubrics/PI-000.json")), salt="5a" * 32, size=2_431)
    runs = tuple(
        pages.SeriesRun(number=f"EJ-2026-{place:06d}", state=state, outcome=outcome, registered_at=AT)
        for place, (state, outcome) in enumerate(
            [("recording", ""), ("closed", "invalidated"), ("published", "assisted"), ("abandoned", "")], 1
        )
    )
    one = frame("series/PI-000-S1/")
    case = pages.CasePage(
        frame=frame("cases/PI-000/"),
        code="PI-000",
        version=2,
        title=TITLE,
        language="es",
        max_requests=20,
        max_seconds=600,
        terms_path="/condiciones",
        sha256="ca" * 32,
        published_at=AT,
        points=POINTS,
        variants=(VARIANT,),
        series=(row("open"),),
        versions=(1,),
    )
    listed = pages.CaseRow(code="PI-000", version=2, title=TITLE, points=4, series=(row("revealed"),))
    return {
        "cases": ("public/cases.html", pages.CasesPage(frame=frame("cases/"), cases=(listed,))),
        "cases-none": ("public/cases.html", pages.CasesPage(frame=frame("cases/"))),
        "case": ("public/case.html", case),
        "case-new": (
            "public/case.html",
            replace(case, variants=(), series=(), versions=(), max_requests=1, max_seconds=90),
        ),
        "series-sealed": ("public/series.html", series(one, "sealed")),
        "series-open": ("public/series.html", series(one, "open", runs=runs, runs_total=4)),
        "series-closed": ("public/series.html", series(one, "closed", runs=runs, runs_total=4)),
        "series-revealed": (
            "public/series.html",
            series(one, "revealed", runs=runs, runs_total=4, rubric=rubric),
        ),
        "series-leaked": ("public/series.html", series(one, "leaked")),
    }
