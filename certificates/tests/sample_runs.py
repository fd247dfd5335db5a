"""Pages of agent runs, made from facts by hand: under way, ended otherwise, published in every way."""

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta

from certificates import pages
from certificates.tests import sample_cases
from grading import run_aggregates
from grading.run_aggregates import Aggregate, Conditions, MarkedRun

AT = datetime.fromisoformat("2026-11-30T10:15:00-03:00")
LATER = AT + timedelta(days=40)
SYSTEM = pages.RunSystem(id=7, system="Quillay Navegante", version="2.3.1", holder="Quillay SpA")
ROW = pages.RunRow(
    number="EJ-2026-000012",
    case="PI-000",
    series="PI-000-S1",
    state="recording",
    outcome="",
    registered_at=AT,
    since=AT,
)
REASON = pages.Text(es="Se entregaron rutas al agente.", en="Routes were handed to the agent.")
STEPS = (
    pages.RunStep(step="register", at=AT, hash="a0" * 32),
    pages.RunStep(step="close", at=AT + timedelta(minutes=20)),
)


def result(**changed) -> pages.RunResult:
    marks = ("met", "not_met", "not_observable", "met")
    points = tuple(
        pages.RunPoint(
            code=point.code,
            title=point.title,
            mark=mark,
            requests=() if mark == "not_observable" else (1, 3),
            by="code" if place else "evaluator",
            note="Se comparó con la respuesta 3." if not place else "",
            changed_at=None if place else AT,
        )
        for place, (point, mark) in enumerate(zip(sample_cases.POINTS, marks, strict=False))
    )
    paths = ("/condiciones", "/conceptos/", "/conceptos/agente?x=<b>", "/pruebas/", "/conceptos/otro")
    requests = tuple(
        pages.RunRequest(
            number=place,
            at=AT + timedelta(seconds=place),
            method="GET",
            path=path,
            status=None if place == 5 else 200,
            type="" if place == 5 else "text/markdown",
            size=None if place == 5 else 12_480,
            observed=place >= 4,
            is_catalogue=place == 4,
            beyond_limit=place == 5,
        )
        for place, path in enumerate(paths, 1)
    )
    return replace(
        pages.RunResult(
            system=SYSTEM,
            variant=sample_cases.VARIANT,
            language="es",
            tools=("browser", "http"),
            clean_session=True,
            interventions=(),
            counts=pages.MarkCounts(met=2, not_met=1, not_observable=1),
            points=points,
            facts=pages.RunFacts(
                counted=4, beyond_limit=1, interrupted=1, duration_seconds=252.4, catalogue_at=4, cut=4
            ),
            requests=requests,
            answer="Un agente es <un sistema>.\nFuente: http://observatoriodeagentes.com/conceptos/agente",
            answer_is_cut=False,
            comments=(pages.RunComment(text="El sitio respondió lento.", at=AT),),
            rubric_version=1,
            commitment="c0" * 32,
            evidence_sha256="e1" * 32,
            certificates=("FEH-2026-000117-56",),
        ),
        **changed,
    )


def run(frame: pages.Frame, state: str, outcome: str = "", **changed) -> pages.RunPage:
    ended = state in ("published", "withheld", "abandoned") or outcome == "invalidated"
    row = replace(
        ROW, state=state, outcome=outcome, since=LATER if ended else AT, system=SYSTEM if ended else None
    )
    if state == "published":
        row = replace(row, counts=pages.MarkCounts(met=2, not_met=1, not_observable=1))
        changed = {"result": result(), "published_at": LATER} | changed
    return replace(
        pages.RunPage(
            frame=frame,
            row=row,
            title=sample_cases.TITLE,
            case_version=1,
            max_requests=40,
            max_seconds=1200,
            our_fault=False,
            steps=STEPS,
        ),
        **changed,
    )


CODES = tuple(point.code for point in sample_cases.POINTS)
TITLES = {point.code: point.title for point in sample_cases.POINTS}
OFFER = pages.RunOffer(run="EJ-2026-000020", system=SYSTEM, tools=("mcp",), total=4)
MARKS = {"+": "met", "-": "not_met", "?": "not_observable"}


def group(marks: tuple[str, ...], *, system: str = "Quillay Navegante") -> tuple[pages.RunGroup, Aggregate]:
    """Runs of a system with these marks («++-?»), an hour apart, and one each of those that do not count."""
    conditions = Conditions(system, "a" * 64, "b" * 64, ("browser", "http"), "es")

    def run_at(place: int, told: str, **changed) -> MarkedRun:
        return MarkedRun(
            **{
                "number": f"EJ-2026-{place:06d}",
                "conditions": conditions,
                "token_sha256": f"{place}",
                "evidence": f"{place}",
                "began_at": AT + timedelta(hours=place),
                "ended_at": AT + timedelta(hours=place, minutes=20),
                "marks": {code: MARKS[mark] for code, mark in zip(CODES, told, strict=False)},
            }
            | changed
        )

    runs = [run_at(place, told) for place, told in enumerate(marks, 1)]
    runs.append(run_at(40, "+??+", contaminated_at=3))
    runs.append(run_at(41, "", outcome="invalidated"))
    runs.append(run_at(42, "++++", began_at=AT + timedelta(hours=1)))
    made = run_aggregates.aggregate(runs, minimum=3)
    told = pages.RunGroup(
        run="EJ-2026-000001",
        system=replace(SYSTEM, system=system, version=f"{len(marks)}.0"),
        case="PI-000",
        start_domain="observatoriodeagentes.com",
        tools=("browser", "http"),
        language="es",
        total=len(runs),
        aggregate=made.as_json(),
        withheld=("EJ-2026-000050",),
    )
    return told, made


def comparisons(frame: pages.Frame) -> dict[str, tuple[str, object]]:
    (first, one), (second, other) = (
        group(("+-?+", "++?+", "+-?+")),
        group(("--?+", "-+?+", "--?+"), system="Peumo Explorador"),
    )
    few, _made = group(("+-?+", "++?+"), system="Peumo Explorador")
    page = pages.RunComparisonPage(
        frame=frame, state="choose", action="/es/runs/compare/", minimum=3, titles=TITLES
    )
    both = replace(page, first=first, second=second, typed=("EJ-2026-000001", "EJ-2026-000001"))
    told = {
        "choose": page,
        "one": replace(page, first=first, offered=(OFFER,)),
        "unknown": replace(page, state="unknown", typed=("x", ""), unknown=("x",)),
        "same": replace(page, state="same", first=first, offered=(OFFER,)),
        "not-comparable": replace(both, state="not_comparable", fields=("variant", "rubric")),
        "too-few": replace(both, state="too_few", second=few, runs=2),
        "done": replace(both, state="done", result=run_aggregates.compare(one, other).as_json()),
    }
    return {f"run-compare-{name}": ("public/run_compare.html", one) for name, one in told.items()}


def every_page(frame: Callable[[str], pages.Frame]) -> dict[str, tuple[str, object]]:
    one = frame("runs/EJ-2026-000012/")
    withheld = pages.RunStep(step="withhold", at=LATER, reason=REASON, hash="b0" * 32)
    whole = result(
        facts=pages.RunFacts(
            counted=3, beyond_limit=0, interrupted=0, duration_seconds=41.0, catalogue_at=None, cut=4
        ),
        requests=result().requests[:3],
        comments=(),
        certificates=(),
    )
    helped = replace(whole, interventions=("other_help",), clean_session=False, tools=())
    nothing = replace(
        whole, requests=(), answer="", facts=replace(whole.facts, counted=0, duration_seconds=None)
    )
    filters = (
        pages.Filter(name="case", choices=("PI-000", "PI-001")),
        pages.Filter(name="series", choices=("PI-000-S1",)),
        pages.Filter(name="system", value="7", choices=("7",), labels={"7": SYSTEM.system}),
        pages.Filter(name="became", choices=("underway", "published", "technical")),
    )
    rows = (
        ROW,
        replace(ROW, state="closed", outcome="invalidated", system=SYSTEM),
        replace(
            ROW, state="published", system=SYSTEM, counts=pages.MarkCounts(met=4, not_met=0, not_observable=0)
        ),
        replace(ROW, number="PC-2026-000003", series="", state="closed", outcome="technical"),
    )
    listed = pages.RunsPage(frame=frame("runs/"), filters=filters, rows=rows, following="before=3")
    return comparisons(frame("runs/compare/?one=EJ-2026-000001")) | {
        "runs": ("public/runs.html", listed),
        "runs-none": ("public/runs.html", pages.RunsPage(frame=frame("runs/"), exists=False)),
        "runs-nothing-found": ("public/runs.html", replace(listed, rows=(), following="")),
        "runs-end": ("public/runs.html", replace(listed, rows=(), following="", filters=())),
        "run-recording": ("public/run.html", run(one, "recording")),
        "run-in-review": ("public/run.html", run(one, "in_review", our_fault=True)),
        "run-withheld": ("public/run.html", run(one, "withheld", steps=(*STEPS, withheld))),
        "run-abandoned": ("public/run.html", run(one, "abandoned", max_seconds=90)),
        "run-invalidated": ("public/run.html", run(one, "closed", "invalidated")),
        "run-technical": ("public/run.html", run(one, "closed", "technical", steps=())),
        "run-contaminated": ("public/run.html", run(one, "published")),
        "run-published": ("public/run.html", run(one, "published", result=whole)),
        "run-assisted": ("public/run.html", run(one, "published", "assisted", result=helped)),
        "run-later-invalidated": ("public/run.html", run(one, "published", "invalidated", result=whole)),
        "run-without-requests": ("public/run.html", run(one, "published", result=nothing)),
    }
