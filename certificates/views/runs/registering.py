"""Registering a run: the form, the exact text before anything is recorded, and the one page with its secrets."""

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.cache import add_never_cache_headers
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_http_methods, require_POST

from certificates.run_forms import RegisterForm, series_choice
from certificates.views.runs.area import Area, own, runs_page, show
from evidence import operators, runs, series_events
from evidence.models import Series
from evidence.runs import HandedOut
from registry_site.problems import Refusal

_OFFERED = gettext_lazy("{code}: {used} of {planned} planned runs registered")


@require_http_methods(["GET", "HEAD", "POST"])
@runs_page(survives_back=True)
def register(request: HttpRequest, area: Area) -> HttpResponse:
    if refusal := operators.refusal_to_operate(area.user):
        raise refusal
    offered = {
        series.code: series
        for series in series_events.taking_runs(at=area.now)
        if runs.refusal_of_series(series, at=area.now) is None
    }
    form = RegisterForm(
        request.POST or None,
        series=[series_choice(one, used=runs.counted(one), told=_OFFERED) for one in offered.values()],
        initial={
            "contact_email": area.user.email,
            "operator_name": area.operator.organisation,
            "series": next(iter(offered), ""),
        },
    )
    action = request.POST.get("action")
    if request.method != "POST" or action == "edit" or not form.is_valid():
        return _form(request, area, form, offered, status=422 if form.errors and action != "edit" else 200)
    series = offered[form.cleaned_data["series"]]
    if action != "register":
        return show(request, area, "preview", here="new", form=form, series=series, said=form.facts())
    try:
        handed = runs.register(series, by=area.user, at=area.now, **form.facts())
    except runs.RegisteredAlready as told:
        # The back button, or a second press: what was shown once is not shown again.
        messages.info(request, told.detail)
        return HttpResponseRedirect(reverse("runs:run", args=[told.extra["run"]]))
    except Refusal as told:
        field = told.extra.get("field")
        form.add_error(field if field in form.fields else None, str(told.detail))
        return _form(request, area, form, offered, status=told.status)
    messages.success(request, _("The run is registered."))
    return _handed_out(request, area, handed)


@require_POST
@runs_page
def renew(request: HttpRequest, area: Area, number: str) -> HttpResponse:
    """New secrets for those that were lost, while nothing has been recorded."""
    run = own(area, number)
    try:
        handed = runs.hand_out_again(run, by=area.user, at=area.now)
    except (runs.RecordedAlready, runs.NotRecording) as told:
        messages.error(request, told.detail)
        return HttpResponseRedirect(reverse("runs:run", args=[run.number]))
    messages.success(request, _("There is a new token and a new address; the earlier ones stopped working."))
    return _handed_out(request, area, handed)


def _form(
    request: HttpRequest, area: Area, form: RegisterForm, offered: dict[str, Series], *, status: int
) -> HttpResponse:
    return show(request, area, "new", here="new", form=form, offered=list(offered.values()), status=status)


def _handed_out(request: HttpRequest, area: Area, handed: HandedOut) -> HttpResponse:
    context: dict[str, Any] = {"run": handed.run, "token": handed.token, "entry": runs.entry_of(handed)}
    response = show(request, area, "handed_out", here="new", **context)
    # No browser and nothing between keeps it.
    add_never_cache_headers(response)
    return response
