"""A run while it is recorded, and after: requests as they arrive, limits counting down by the database's clock."""

import hashlib

from django.http import HttpRequest, HttpResponse, HttpResponseNotModified
from django.shortcuts import render
from django.views.decorators.http import require_GET

from certificates.views.runs.area import Area, own, runs_page, show
from evidence import run_live
from evidence.models import Run

# More than the limits of any case; what a runaway agent asks beyond is counted and not listed.
MOST_SHOWN = 200


@require_GET
@runs_page
def run(request: HttpRequest, area: Area, number: str) -> HttpResponse:
    row = own(area, number)
    facts = _facts(row, area)
    return show(
        request,
        area,
        "run",
        here="list",
        run=row,
        events=row.events.select_related("by"),
        closing=getattr(row, "closing", None),
        tag=_tag(facts["live"]),
        **facts,
    )


@require_GET
@runs_page
def live(request: HttpRequest, area: Area, number: str) -> HttpResponse:
    """The part of the page that changes, or 304: asked for again and again, it mostly has not."""
    row = own(area, number)
    facts = _facts(row, area)
    tag = _tag(facts["live"])
    if request.headers.get("If-None-Match") == tag:
        response: HttpResponse = HttpResponseNotModified()
    else:
        response = render(request, "runs/_live.html", {"area": area, "run": row, **facts})
    response["ETag"] = tag
    return response


def _facts(row: Run, area: Area) -> dict[str, object]:
    found = run_live.of(row, at=area.now)
    return {
        "live": found,
        "seen": run_live.seen(row, newest=MOST_SHOWN),
        "left_out": max(0, found.requests - MOST_SHOWN),
    }


def _tag(found: run_live.Live) -> str:
    """Changes with what is shown, but not with the seconds, which the page counts down itself."""
    parts = (
        found.run.pk,
        found.run.state,
        found.run.our_fault,
        found.requests,
        found.answered,
        found.left.is_spent,
    )
    return f'"{hashlib.sha256(repr(parts).encode()).hexdigest()[:24]}"'
