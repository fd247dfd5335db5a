"""Runs in the hands of the staff: what must be done next, trace and rubric side by side, marks, outcomes."""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from certificates import grading_desk, run_grading_forms, work_facts
from certificates.views import keyset
from certificates.views.staff import two_steps
from certificates.views.staff.desk import Desk, show, staff_page
from evidence.models import Run, RunEvent
from evidence.models.run import RunState
from grading import run_grading, run_rules, run_sealing
from registry_site import audit
from registry_site.problems import Refusal

PAGE_SIZE = 50
AWAITED = run_rules.UNPUBLISHED

# ── outcomes in two steps ────────────────────────────────────────────────────

WRITERS: dict[str, Callable[..., Run]] = {
    "invalidate": run_grading.invalidate,
    "assist": run_grading.declare_assisted,
    "withhold": run_grading.withhold,
}
REFUSALS: dict[str, Callable[..., Refusal | None]] = {
    "invalidate": run_rules.refusal_to_invalidate,
    "assist": run_rules.refusal_to_declare_assisted,
    "withhold": run_rules.refusal_to_withhold,
}
EFFECTS = {
    "invalidate": gettext_lazy(
        "Signing it says that it was no autonomous run: it is not marked, certified or compared, and stays listed."
    ),
    "assist": gettext_lazy(
        "Signing it says that a person helped: the result is published, and never certified or compared."
    ),
    "withhold": gettext_lazy(
        "Signing it leaves the result unpublished. The run stays listed, with reason and date."
    ),
}
TOLD = {
    "invalidate": gettext_lazy("The run is invalidated, and its list says why."),
    "assist": gettext_lazy("The run is told as one with human help."),
    "withhold": gettext_lazy("The result is not published, and the list says why."),
}


def _found(number: str) -> Run:
    run = run_grading.with_parents().filter(number=number).first()
    if run is None:
        raise Http404
    return run


@require_GET
@staff_page
def runs(request: HttpRequest, desk: Desk) -> HttpResponse:
    """First what waits, by deadline; then all others, newest first."""
    rows = Run.objects.select_related("variant__case", "series", "system_version__system", "closing_package")
    awaited = rows.filter(state__in=AWAITED).exclude(outcome__in=run_rules.NEVER_GRADED)
    others = rows.exclude(pk__in=awaited.values("pk"))
    page = keyset.newest_first(request, others, size=PAGE_SIZE)
    first = "before" not in request.GET
    return show(
        request,
        desk,
        "runs",
        here="runs",
        awaited=[
            (row, run_grading.next_step(row)) for row in awaited.order_by("deadline_at", "pk")[:PAGE_SIZE]
        ]
        if first
        else [],
        first=first,
        runs=page.rows,
        following=page.following,
    )


@require_GET
@staff_page
def run(request: HttpRequest, desk: Desk, number: str) -> HttpResponse:
    return _page(request, desk, _found(number))


def _page(
    request: HttpRequest, desk: Desk, row: Run, *, form: Any = None, point: str = "", status: int = 200
) -> HttpResponse:
    refusal = run_rules.refusal_to_grade(desk.user, row, at=desk.now)
    gradable = row.outcome not in run_rules.NEVER_GRADED and row.state != RunState.ABANDONED and row.closed_at
    sees_rubric = bool(row.series and gradable) and (
        refusal is None or run_sealing.standing_of(row.series).is_exposed
    )
    seen = grading_desk.of(row) if sees_rubric else None
    if seen is not None and not run_sealing.standing_of(row.series).is_exposed:
        # A sealed rubric: who looked at it is written down.
        audit.record("run.rubric_seen", by=desk.person, at=desk.now, subject=f"run:{row.number}")
    may_mark = run_rules.refusal_to_mark(desk.user, row, at=desk.now) is None
    may_change = run_rules.refusal_to_change_mark(desk.user, row, at=desk.now) is None
    return show(
        request,
        desk,
        "run",
        here="runs",
        status=status,
        row=row,
        case=row.variant.case,
        seen=seen,
        points=[
            (one, _form_of(one, form, point, may_mark=may_mark, may_change=may_change)) for one in seen.points
        ]
        if seen
        else [],
        failed=form,
        marks=run_grading.marks_of(row),
        twins=grading_desk.twins_of(row),
        unmarked=run_grading.unmarked(row) if may_mark else [],
        may_finish=may_mark,
        refusal=refusal,
        not_markable=_why_not_marked(row) if refusal is None else None,
        not_publishable=run_rules.refusal_to_publish(row, at=desk.now),
        comments=list(row.comments.all()),
        events=list(row.events.select_related("by")),
        steps=[step for step in WRITERS if REFUSALS[step](desk.user, row, at=desk.now) is None],
        work=work_facts.of(row, reader=desk.person, at=desk.now),
    )


def _why_not_marked(row: Run) -> Refusal | None:
    """Why a run that ended waits for no marks, or not yet; of one that is marked there is nothing to tell."""
    told = run_rules.refusal_of_unmarkable(row)
    return told if told is not None and told.code in ("run_never_graded", "run_not_verified") else None


def _form_of(seen: grading_desk.Point, failed: Any, point: str, *, may_mark: bool, may_change: bool) -> Any:
    """The form of one point, where this person may mark it now; the one that was refused comes back as it was."""
    if failed is not None and seen.code == point:
        return failed
    if not (may_mark if seen.mark is None else may_change):
        return None
    mark = seen.mark
    initial = {"mark": mark.mark, "requests": mark.requests, "note": mark.note} if mark else {}
    return run_grading_forms.MarkForm(None, prefix=seen.code, standing=mark, initial=initial)


@require_POST
@staff_page
def mark(request: HttpRequest, desk: Desk, number: str, point: str) -> HttpResponse:
    row = _found(number)
    standing = run_grading.marks_of(row).get(point)
    form = run_grading_forms.MarkForm(request.POST, prefix=point, standing=standing)
    if form.is_valid():
        write = run_grading.mark if standing is None else run_grading.change_mark
        try:
            write(row, point=point, by=desk.user, at=desk.now.astimezone(UTC), **form.cleaned_data)
        except run_grading.IncompleteGrading as told:
            named = told.extra.get("field")
            form.add_error(named if named in form.fields else None, str(told.detail))
        else:
            messages.success(request, _("The mark is recorded."))
            return HttpResponseRedirect(reverse("staff:run", args=[row.number]) + f"#point-{point}")
    return _page(request, desk, row, form=form, point=point, status=422)


@require_POST
@staff_page
def finish(request: HttpRequest, desk: Desk, number: str) -> HttpResponse:
    row = run_grading.finish_grading(_found(number), by=desk.user, at=desk.now.astimezone(UTC))
    messages.success(request, _("The marks are with the operator, who may comment on them."))
    return HttpResponseRedirect(reverse("staff:run", args=[row.number]))


@require_http_methods(["GET", "POST"])
@staff_page
def publish(request: HttpRequest, desk: Desk, number: str) -> HttpResponse:
    """What the clock would do within a minute, done by hand; the second press is told that it stands."""
    row = _found(number)
    refusal = run_rules.refusal_to_publish(row, at=desk.now)
    if request.method == "POST":
        run_grading.publish(row, at=desk.now.astimezone(UTC))
        audit.record("run.published_by_hand", by=desk.person, at=desk.now, subject=f"run:{row.number}")
        messages.success(request, _("The result is public."))
        return HttpResponseRedirect(reverse("staff:run", args=[row.number]))
    return show(request, desk, "run_publish", here="runs", row=row, refusal=refusal)


@require_http_methods(["GET", "POST"])
@staff_page(survives_back=True)
def outcome(request: HttpRequest, desk: Desk, number: str, step: str) -> HttpResponse:
    row = _found(number)
    sequence = row.events.count()

    def act(at: datetime, facts: dict[str, Any], if_sequence: int) -> RunEvent:
        if if_sequence != sequence:
            raise run_rules.RunRefused(_("Someone else has taken a step on it meanwhile: look at it again."))
        reason = facts["reason"]
        changed = WRITERS[step](row, by=desk.user, at=at, reason_es=reason["es"], reason_en=reason["en"])
        return changed.events.last()

    case = two_steps.Case(
        decision=f"run_{step}",
        system=f"{row.number} · {row.system_version}",
        holder=row.system_version.system.holder.name,
        form=lambda data, **kw: run_grading_forms.OutcomeForm(data, today=desk.now.date(), **kw),
        take=act,
        address=reverse("staff:run_outcome", args=[row.number, step]),
        back=reverse("staff:run", args=[row.number]),
        back_label=row.number,
        days=0,
        zone=desk.now.tzinfo,
        refusal=REFUSALS[step](desk.user, row, at=desk.now),
        sequence=sequence,
        effect=EFFECTS[step],
        sheet="staff/_run_outcome_sheet.html",
        told=TOLD[step],
        repeated=lambda form: _same_step(row, step, form, desk),
        anew=lambda: _anew(step, desk, row.number),
    )
    return two_steps.answer(request, desk, case)


def _anew(step: str, desk: Desk, number: str) -> tuple[int, Refusal | None]:
    row = _found(number)
    return row.events.count(), REFUSALS[step](desk.user, row, at=desk.now)


def _same_step(row: Run, step: str, form: Any, desk: Desk) -> str | None:
    """A second press of the same button: the step stands already, as this very person wrote it."""
    event = row.events.filter(step=step, by=desk.person).first()
    same = event is not None and form.cleaned_data["reason_es"] == event.reason_es
    return reverse("staff:run", args=[row.number]) if same else None
