"""The marks of a run for whoever registered it, and the form to comment on them while the review lasts.

Points by their public titles, marks and numbers of requests. What else an evaluator or a rubric says of them is told
once the rubric is public.
"""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from certificates.run_grading_forms import CommentForm
from certificates.views.runs.area import Area, own, runs_page, show
from evidence import run_package
from evidence.models import Run
from evidence.models.run import RunState
from grading import run_grading, run_rules, run_sealing, run_traces, series

# In these states there are marks that the operator may see.
SHOWN = (RunState.IN_REVIEW, RunState.PUBLISHED, RunState.WITHHELD)


@require_http_methods(["GET", "HEAD", "POST"])
@runs_page(survives_back=True)
def review(request: HttpRequest, area: Area, number: str) -> HttpResponse:
    run = run_grading.with_parents().get(pk=own(area, number).pk)
    refusal = run_rules.refusal_to_comment(area.user, run, at=area.now)
    if request.POST.get("action") == "end":
        run_grading.end_review(run, by=area.user, at=area.now)
        messages.success(request, _("The review is over. The result is published once its series allows it."))
        return HttpResponseRedirect(reverse("runs:review", args=[run.number]))
    form = CommentForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        try:
            run_grading.comment(run, by=area.user, at=area.now, text=form.cleaned_data["text"])
        except run_rules.RunRefused as told:
            form.add_error(None, str(told.detail))
        else:
            messages.success(request, _("Your comment is recorded. It is published with the result."))
            return HttpResponseRedirect(reverse("runs:review", args=[run.number]))
    shown = run.state in SHOWN and run.outcome not in run_rules.NEVER_GRADED
    exposed = shown and run_sealing.standing_of(run.series).is_exposed
    return show(
        request,
        area,
        "review",
        here="list",
        status=422 if form.errors else 200,
        run=run,
        case=run.variant.case,
        marks=run_grading.marks_of(run) if shown else {},
        exposed=exposed,
        catalogue_at=_catalogue_at(run) if exposed else None,
        comments=list(run.comments.all()),
        refusal=refusal,
        may_end=run_rules.refusal_to_end_review(area.user, run, at=area.now) is None,
        form=form,
    )


def _catalogue_at(run: Run) -> int | None:
    return run_traces.facts_of(run_package.trace_of(run), series.loaded(run.series)).catalogue_at
