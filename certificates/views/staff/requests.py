"""What staff do on a holder's behalf against a decision: one person stores its request, a second one acts (rule 6)."""

from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils.text import capfirst
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_http_methods

from certificates import appeal_authors, appeal_rows, appeals, holder_requests, page_facts, policies
from certificates.appeal_forms import OnBehalfForm
from certificates.forms import HolderRequestForm
from certificates.models import Appeal, HolderRequest, Notice
from certificates.models.notice import ABOUT_A_DECISION, HolderRequestKind
from certificates.views.staff.desk import Desk, show, staff_page
from registry_site import audit
from registry_site.problems import Refusal


def _found(number: str) -> Notice:
    row = appeal_rows.notices_with_parents().filter(number=number).first()
    if row is None:
        raise Http404
    return row


@require_GET
@staff_page
def notice(request: HttpRequest, desk: Desk, number: str) -> HttpResponse:
    """A decision, the appeal against it, and what the holder asked for in writing."""
    row = _found(number)
    return show(
        request,
        desk,
        "notice",
        here="queue",
        notice=row,
        statement=page_facts.statement_of(row),
        system=_about(row),
        holder=policies.holder_of(row),
        appeal=Appeal.objects.filter(notice=row).select_related("standing").first(),
        requests=list(
            HolderRequest.objects.filter(notice=row)
            .select_related("stored_by", "appeal_event")
            .order_by("-pk")[:20]
        ),
        refusal_to_store=policies.refusal_to_store_request(desk.user, row, at=desk.now),
    )


@require_http_methods(["GET", "POST"])
@staff_page(survives_back=True)
def store(request: HttpRequest, desk: Desk, number: str) -> HttpResponse:
    """Store a written request to appeal, or to withdraw the appeal."""
    row = _found(number)
    refusal = policies.refusal_to_store_request(desk.user, row, at=desk.now)
    if refusal is not None and request.method == "POST":
        raise refusal
    appealed = Appeal.objects.filter(notice=row).exists()
    form = HolderRequestForm(
        request.POST or None,
        today=desk.now.date(),
        kinds=[(kind.value, capfirst(kind.label)) for kind in ABOUT_A_DECISION],
        initial={"kind": HolderRequestKind.WITHDRAW if appealed else HolderRequestKind.APPEAL},
    )
    back = reverse("staff:notice", args=[row.number])
    if request.method == "POST" and form.is_valid():
        try:
            holder_requests.store(row, by=desk.user, at=desk.now, **form.cleaned_data)
        except Refusal as told:
            named = told.extra.get("field")
            form.add_error(named if named in form.fields else None, str(told.detail))
        else:
            messages.success(request, _("The request is stored. Someone else may now act on it."))
            return HttpResponseRedirect(back)
    return show(
        request,
        desk,
        "request",
        here="queue",
        back=back,
        back_label=row.number,
        form=form,
        refusal=refusal,
        status=422 if form.errors else 200,
    )


@require_http_methods(["GET", "POST"])
@staff_page(survives_back=True)
def act(request: HttpRequest, desk: Desk, pk: int) -> HttpResponse:
    """File the appeal or withdraw it, as the stored request asks."""
    row = get_object_or_404(
        HolderRequest.objects.select_related("stored_by", "notice").exclude(notice=None), pk=pk
    )
    row.notice = _found(row.notice.number)
    refusal = policies.refusal_to_act_on_request(desk.user, row, at=desk.now)
    if request.method == "POST" and hasattr(row, "appeal_event"):
        # The back button, or a second press: it was acted on already, and nothing is recorded again.
        messages.info(request, _("The request was acted on already: nothing was recorded again."))
        return _to(row)
    files = row.kind == HolderRequestKind.APPEAL
    holder = policies.holder_of(row.notice)
    form = (
        OnBehalfForm(
            request.POST or None,
            initial={"email": holder.contact_email, "language": holder.contact_language},
        )
        if files
        else None
    )
    if request.method == "POST":
        if refusal is not None:
            raise refusal
        if form is None or form.is_valid():
            try:
                _act(row, desk, form.cleaned_data if form else {})
            except Refusal as told:
                if form is None:
                    raise
                named = told.extra.get("field")
                form.add_error(named if named in form.fields else None, str(told.detail))
            else:
                messages.success(request, _("It is recorded, and shown as done on the holder's behalf."))
                return _to(row)
    sees = refusal is None
    if sees:
        # What a holder writes may name people: who looked at it is written down.
        audit.record("request.seen", by=desk.person, at=desk.now, subject=f"notice:{row.notice.number}")
    return show(
        request,
        desk,
        "request_act",
        here="queue",
        row=row,
        text=row.text if sees else None,
        files=files,
        system=_about(row.notice),
        holder=holder,
        form=form,
        refusal=refusal,
        status=422 if form is not None and form.errors else 200,
    )


def _act(row: HolderRequest, desk: Desk, facts: dict[str, Any]) -> None:
    author = appeal_authors.OnBehalf(desk.user, row)
    if row.kind == HolderRequestKind.APPEAL:
        appeals.file(author, at=desk.now, grounds=row.text, **facts)
    else:
        appeals.withdraw(author, at=desk.now)


def _to(row: HolderRequest) -> HttpResponse:
    appeal = Appeal.objects.get(notice=row.notice)
    return HttpResponseRedirect(reverse("staff:appeal", args=[appeal.number]))


def _about(row: Notice) -> str:
    measurement = row.measurement or row.certificate.measurement
    return str(measurement.system_version)
