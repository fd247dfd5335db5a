"""A lost second factor: one registrar opens the case with the reason, another confirms it."""

from datetime import UTC

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from certificates.views.staff.desk import Desk, show
from certificates.views.staff.people import registrars_page
from registry_site import audit, recoveries
from registry_site.forms import RecoveryForm
from registry_site.models import FactorRecovery, User
from registry_site.problems import Refusal


@require_http_methods(["GET", "POST"])
@registrars_page
def ask(request: HttpRequest, desk: Desk, pk: str) -> HttpResponse:
    account = get_object_or_404(User.objects.select_related("person"), pk=int(pk), person__isnull=False)
    if (case := recoveries.open_case(account, at=desk.now)) is not None:
        # Also the second press of the button that opened it.
        return HttpResponseRedirect(reverse("staff:recovery", args=[case.pk]))
    refusal = recoveries.refusal_to_open(account, by=desk.person, at=desk.now)
    form = RecoveryForm(request.POST or None)
    if request.method == "POST":
        if refusal is not None:
            raise refusal
        if form.is_valid():
            try:
                case = recoveries.ask(
                    account, by=desk.person, at=desk.now.astimezone(UTC), **form.cleaned_data
                )
            except Refusal as told:
                named = told.extra.get("field")
                form.add_error(named if named in form.fields else None, str(told.detail))
            else:
                messages.success(request, _("The case is open. Another registrar confirms it."))
                return HttpResponseRedirect(reverse("staff:recovery", args=[case.pk]))
    return show(
        request,
        desk,
        "recovery_ask",
        here="people",
        account=account,
        form=form,
        refusal=refusal,
        status=422 if form.errors else 200,
    )


@require_http_methods(["GET", "POST"])
@registrars_page
def case(request: HttpRequest, desk: Desk, pk: int) -> HttpResponse:
    row = get_object_or_404(
        FactorRecovery.objects.select_related(
            "account", "person", "opened_by", "confirmed_by", "cancelled_by"
        ),
        pk=pk,
    )
    if request.method == "POST":
        at = desk.now.astimezone(UTC)
        if request.POST.get("action") == "confirm":
            recoveries.confirm(row, by=desk.person, at=at)
            messages.success(request, _("The second factor is removed, and its owner is told."))
        else:
            recoveries.cancel(row, by=desk.person, at=at)
            messages.success(request, _("The case is cancelled. The second factor stays."))
        return HttpResponseRedirect(reverse("staff:recovery", args=[row.pk]))
    audit.record("recovery.seen", by=desk.person, at=desk.now, subject=f"recovery:{row.pk}")
    ended = recoveries.refusal_of_ended(row, at=desk.now)
    return show(
        request,
        desk,
        "recovery",
        here="people",
        case=row,
        ended=ended,
        refusal_to_confirm=recoveries.refusal_to_confirm(row, by=desk.person, at=desk.now),
        refusal_to_cancel=recoveries.refusal_to_cancel(row, by=desk.person, at=desk.now),
    )
