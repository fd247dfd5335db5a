"""Who operates agents here: seen by registrars and evaluators; admitted, invited and ended by a registrar."""

from collections.abc import Callable
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_http_methods

from certificates.views.staff.desk import Desk, show, staff_page
from evidence import identities, memberships, operators
from evidence.forms import AdmitOperatorForm, InviteOperatorForm
from evidence.models import Operator
from registry_site import audit, roles
from registry_site.problems import Refusal


@require_GET
@staff_page
def listed(request: HttpRequest, desk: Desk) -> HttpResponse:
    if refusal := operators.refusal_to_see(desk.user):
        raise refusal
    audit.record("operators.listed", by=desk.person, at=desk.now)
    return show(
        request,
        desk,
        "operators",
        here="runs",
        operators=operators.everyone(),
        invited=operators.invited(at=desk.now),
        refusal=roles.refusal_to_keep_people(desk.person),
    )


@require_http_methods(["GET", "HEAD", "POST"])
@staff_page
def admit(request: HttpRequest, desk: Desk) -> HttpResponse:
    _require_registrar(desk)
    form = AdmitOperatorForm(request.POST or None)

    def take(said: dict[str, Any]) -> None:
        operators.admit(
            user=memberships.account(said["email"]),
            organisation=said["organisation"],
            by=desk.person,
            at=desk.now,
        )

    return _answer(request, desk, form, "admit", take, told=_("The person is admitted, and told by e-mail."))


@require_http_methods(["GET", "HEAD", "POST"])
@staff_page
def invite(request: HttpRequest, desk: Desk) -> HttpResponse:
    _require_registrar(desk)
    form = InviteOperatorForm(request.POST or None, initial={"language": "es"})

    def take(said: dict[str, Any]) -> None:
        operators.invite(by=desk.person, at=desk.now, **said)

    told = _("The person is invited, and admitted as soon as the invitation is accepted.")
    return _answer(request, desk, form, "invite", take, told=told)


@require_http_methods(["GET", "HEAD", "POST"])
@staff_page
def end(request: HttpRequest, desk: Desk, pk: int) -> HttpResponse:
    _require_registrar(desk)
    operator = get_object_or_404(Operator.objects.select_related("person"), pk=pk)
    if request.method == "POST":
        operators.end(operator, by=desk.person, at=desk.now)
        messages.success(request, _("The person operates no longer, and is told by e-mail."))
        return HttpResponseRedirect(reverse("staff:operators"))
    return show(request, desk, "operator_step", here="runs", step="end", operator=operator)


def _require_registrar(desk: Desk) -> None:
    if refusal := roles.refusal_to_keep_people(desk.person):
        raise refusal


def _answer(
    request: HttpRequest,
    desk: Desk,
    form: Any,
    step: str,
    take: Callable[[dict[str, Any]], None],
    *,
    told: str,
) -> HttpResponse:
    if request.method == "POST" and form.is_valid():
        try:
            take(form.cleaned_data)
        except identities.BadIdentity as refusal:
            form.add_error("organisation", str(refusal.detail))
        except Refusal as refusal:
            field = refusal.extra.get("field")
            form.add_error(field if field in form.fields else None, str(refusal.detail))
        else:
            messages.success(request, told)
            return HttpResponseRedirect(reverse("staff:operators"))
    status = 422 if form.errors else 200
    return show(request, desk, "operator_step", here="runs", step=step, form=form, status=status)
