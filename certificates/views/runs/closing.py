"""Closing a run: the answer and what is declared, then once more with what follows from it."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from certificates import run_journey
from certificates.run_forms import ClosingForm
from certificates.views.runs.area import Area, own, runs_page, show
from evidence import run_live, run_records, runs
from evidence.models import Run
from registry_site.problems import Refusal


@require_http_methods(["GET", "HEAD", "POST"])
@runs_page(survives_back=True)
def close(request: HttpRequest, area: Area, number: str) -> HttpResponse:
    run = own(area, number)
    back = HttpResponseRedirect(reverse("runs:run", args=[run.number]))
    if refusal := runs.refusal_to_close(run, at=area.now):
        # The back button, a second press, or somebody who came too late: told what happened.
        messages.info(request, refusal.detail)
        return back
    form = ClosingForm(request.POST or None, request.FILES or None)
    action = request.POST.get("action")
    if request.method != "POST" or not form.is_valid():
        return _form(request, area, run, form, status=422 if form.errors else 200)
    facts = form.facts()
    if action == "edit":
        return _form(request, area, run, ClosingForm(initial=form.cleaned_data), status=200)
    if action != "close":
        outcome = run_records.outcome_of(facts["interventions"], knew_catalogue=facts["knew_catalogue"])
        return show(
            request,
            area,
            "close_confirm",
            here="list",
            run=run,
            form=form,
            answer=facts["answer"],
            exact=form.exactly(),
            outcome=outcome,
            live=run_live.of(run, at=area.now),
        )
    try:
        closed = runs.close(run, by=area.user, at=area.now, **facts)
    except runs.NotRecording as told:
        messages.info(request, told.detail)
        return back
    except Refusal as told:
        field = told.extra.get("field")
        form.add_error(field if field in form.fields else None, str(told.detail))
        return _form(request, area, run, form, status=told.status)
    run_journey.wake(closed)
    messages.success(request, _("The run is closed. Nothing more is recorded of it."))
    return back


def _form(request: HttpRequest, area: Area, run: Run, form: ClosingForm, *, status: int) -> HttpResponse:
    live = run_live.of(run, at=area.now)
    return show(request, area, "close", here="list", run=run, form=form, live=live, status=status)
