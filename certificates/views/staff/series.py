"""Series of runs in the hands of the staff: what is sealed, closed, revealed, leaked."""

from collections.abc import Callable
from datetime import UTC
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from certificates import case_facts, errata, policies, rubric_custody
from certificates.set_forms import LeakForm
from certificates.views import keyset
from certificates.views.staff import signing
from certificates.views.staff.desk import Desk, show, staff_page
from evidence import series_events
from evidence.models import Series
from grading import series as series_life
from registry_site.problems import Refusal

PAGE_SIZE = 50


@require_GET
@staff_page
def listed(request: HttpRequest, desk: Desk) -> HttpResponse:
    """Newest first, by keyset: `before` is the last id of the page before."""
    page = keyset.newest_first(request, case_facts.all_series(), size=PAGE_SIZE)
    return show(
        request,
        desk,
        "series_list",
        here="series",
        series=case_facts.series_rows(page.rows),
        following=page.following,
    )


@require_GET
@staff_page
def one(request: HttpRequest, desk: Desk, code: str) -> HttpResponse:
    row = _found(code)
    page = case_facts.of_series(row, at=desk.now)
    ended = page.state in ("closed", "revealed", "leaked")
    return show(
        request,
        desk,
        "series",
        here="series",
        series=row,
        page=page,
        may_read=page.rubric is None and policies.refusal_to_write_rubrics(desk.user) is None,
        may_close=not ended and policies.refusal_to_close_series(desk.user) is None,
        may_reveal=page.state == "closed" and policies.refusal_to_reveal_rubric(desk.user) is None,
        may_leak=page.state in ("sealed", "open", "closed")
        and policies.refusal_to_record_rubric_leak(desk.user) is None,
        underway=series_life.runs_underway(row).count(),
        certificates=list(
            errata.beside(rubric_custody.certificates_on(row).select_related("state")).order_by("-pk")[:100]
        ),
    )


@require_POST
@staff_page
def rubric(request: HttpRequest, desk: Desk, code: str) -> HttpResponse:
    """The sealed rubric, for those who evaluate. By POST: nobody reads it by following a link, and it is recorded."""
    row = _found(code)
    document = rubric_custody.read_sealed(row, by=desk.user, at=desk.now.astimezone(UTC))
    return show(
        request, desk, "series_rubric", here="series", series=row, rubric=case_facts.as_told(document)
    )


@require_http_methods(["GET", "POST"])
@staff_page
def close(request: HttpRequest, desk: Desk, code: str) -> HttpResponse:
    row = _found(code)
    return _confirmed(
        request,
        desk,
        row,
        step="close",
        refusal=policies.refusal_to_close_series(desk.user),
        act=lambda: rubric_custody.close(row, by=desk.user, at=desk.now.astimezone(UTC)),
        done=_("The series is closed: no run begins any more."),
    )


@require_http_methods(["GET", "POST"])
@staff_page
def reveal(request: HttpRequest, desk: Desk, code: str) -> HttpResponse:
    row = _found(code)
    return _confirmed(
        request,
        desk,
        row,
        step="reveal",
        refusal=policies.refusal_to_reveal_rubric(desk.user),
        act=lambda: rubric_custody.reveal(row, by=desk.user, at=desk.now.astimezone(UTC)),
        done=_("The rubric and its salt are public."),
    )


def _confirmed(
    request: HttpRequest,
    desk: Desk,
    row: Series,
    *,
    step: str,
    refusal: Refusal | None,
    act: Callable[[], Any],
    done: str,
) -> HttpResponse:
    """Told what it does, then pressed: there is nothing to write."""
    told: Refusal | None = None
    if request.method == "POST":
        try:
            act()
        except Refusal as refused:
            if refusal is not None:
                raise
            told = refused
        else:
            messages.success(request, done)
            return HttpResponseRedirect(reverse("staff:series", args=[row.code]))
    return show(
        request,
        desk,
        "series_step",
        here="series",
        series=row,
        step=step,
        state=series_events.state(row),
        refusal=refusal,
        told=told,
        underway=series_life.runs_underway(row).count(),
        status=int(told.status) if told else 200,
    )


@require_http_methods(["GET", "POST"])
@staff_page(survives_back=True)
def leak(request: HttpRequest, desk: Desk, code: str) -> HttpResponse:
    row = _found(code)

    def act(form: LeakForm) -> str:
        rubric_custody.leak(row, by=desk.user, at=desk.now.astimezone(UTC), **form.facts())
        return reverse("staff:series", args=[row.code])

    return signing.answer(
        request,
        desk,
        signing.Signing(
            kind="rubric_leak",
            here="series",
            form_template="series_leak",
            preview_template="series_leak_preview",
            form=lambda data: LeakForm(data, today=desk.now.date()),
            seen=lambda form: form.facts(),
            act=act,
            done=_("The leak is public. The certificates that rest on its runs need an erratum."),
            back=reverse("staff:series", args=[row.code]),
            preview=lambda form: {"facts": form.facts()},
            refusal=policies.refusal_to_record_rubric_leak(desk.user),
            context={"series": row},
        ),
    )


def _found(code: str) -> Series:
    return get_object_or_404(case_facts.all_series(), code=code)
