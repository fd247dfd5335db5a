"""An application as the staff see it, and what they do about one: store it, turn it away, send the link to apply."""

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from certificates import application_facts, application_rows, applications, names, policies
from certificates.application_forms import InadmissibleForm, StoreForm
from certificates.application_states import OPEN
from certificates.models import Application
from certificates.views.staff.desk import Desk, show, staff_page
from registry_site import audit
from registry_site.problems import Refusal


def _found(number: str) -> Application:
    row = application_rows.find(number)
    if row is None:
        raise Http404
    return row


@require_GET
@staff_page
def application(request: HttpRequest, desk: Desk, number: str) -> HttpResponse:
    row = _found(number)
    zone = row.measurement.scheme.rules.zone
    if row.request_text:
        # The words of whoever wrote for the holder: that they were looked at is written down.
        audit.record(
            "application.request_seen", by=desk.person, at=desk.now, subject=f"application:{row.number}"
        )
    is_open = row.standing.state in OPEN
    return show(
        request,
        desk,
        "application",
        here="queue",
        application=row,
        state=row.standing.state,
        open=is_open,
        due=row.standing.deadline_at.astimezone(zone) if row.standing.deadline_at else None,
        steps=application_facts.steps_of(row, zone=zone),
        refusal=policies.refusal_to_answer_application(desk.user, row, at=desk.now) if is_open else None,
        **application_facts.about(row.measurement, at=desk.now),
    )


@require_http_methods(["GET", "POST"])
@staff_page(survives_back=True)
def inadmissible(request: HttpRequest, desk: Desk, number: str) -> HttpResponse:
    row = _found(number)
    back = reverse("staff:application", args=[row.number])
    refusal = policies.refusal_to_answer_application(desk.user, row, at=desk.now)
    if refusal is not None and request.method == "POST":
        raise refusal
    form = InadmissibleForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        try:
            applications.declare_inadmissible(row, by=desk.user, at=desk.now, **form.facts())
        except Refusal as told:
            if _is_the_same(row, form, desk):
                messages.info(request, _("Your decision stands already: it was not recorded again."))
                return HttpResponseRedirect(back)
            named = str(told.extra.get("field", "")).replace(".", "_")
            form.add_error(named if named in form.fields else None, str(told.detail))
        else:
            messages.success(request, _("The application is inadmissible. The holder is told why by e-mail."))
            return HttpResponseRedirect(back)
    return show(
        request,
        desk,
        "application_inadmissible",
        here="queue",
        application=row,
        form=form,
        refusal=refusal,
        ended=row.standing.state not in OPEN,
        status=422 if form.errors else 200,
    )


def _is_the_same(row: Application, form: InadmissibleForm, desk: Desk) -> bool:
    """A second press of the same button: it stands already, as this very person wrote it."""
    last = row.events.order_by("-sequence").first()
    return (
        last.step == "declare_inadmissible"
        and last.by_id == desk.person.pk
        and last.reasons_es == form.cleaned_data["reasons_es"].strip().replace("\r\n", "\n")
    )


# ── on a measurement ─────────────────────────────────────────────────────────


@require_http_methods(["GET", "POST"])
@staff_page(survives_back=True)
def store(request: HttpRequest, desk: Desk, pk: int) -> HttpResponse:
    """File an application with the holder's written request, so that a second person may answer it (rule 6)."""
    measurement = get_object_or_404(names.with_parents(), pk=pk)
    refusal = policies.refusal_to_store_application(desk.user, measurement, at=desk.now)
    if refusal is not None and request.method == "POST":
        waiting = application_rows.open_of(measurement)
        if waiting is not None and waiting.entered_by_id == desk.person.pk:
            # A second press of the same button.
            return HttpResponseRedirect(reverse("staff:application", args=[waiting.number]))
        raise refusal
    form = StoreForm(request.POST or None, today=desk.now.date())
    if request.method == "POST" and form.is_valid():
        try:
            made = applications.store(measurement, by=desk.user, at=desk.now, **form.cleaned_data)
        except Refusal as told:
            named = told.extra.get("field")
            form.add_error(named if named in form.fields else None, str(told.detail))
        else:
            messages.success(
                request,
                _("Application No. {number} is stored. Someone else may now answer it.").format(
                    number=made.number
                ),
            )
            return HttpResponseRedirect(reverse("staff:application", args=[made.number]))
    return show(
        request,
        desk,
        "application_store",
        here="queue",
        measurement=measurement,
        form=form,
        refusal=refusal,
        status=422 if form.errors else 200,
    )


@require_POST
@staff_page
def send_link(request: HttpRequest, desk: Desk, pk: int) -> HttpResponse:
    """Send the holder's contact the link to apply once more."""
    measurement = get_object_or_404(names.with_parents(), pk=pk)
    if applications.invite(measurement, by=desk.user, at=desk.now):
        messages.success(request, _("The link to apply is sent to the holder's contact."))
    else:
        messages.warning(
            request,
            _(
                "Nothing was sent: the holder has no contact address, or the evidence is too old to be certified."
            ),
        )
    return HttpResponseRedirect(reverse("staff:measurement", args=[measurement.pk]))
