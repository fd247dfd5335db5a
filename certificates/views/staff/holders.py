"""Proposed holders and systems: confirmed with a checked identifier, or merged into a known one."""

from typing import Any

from django import forms
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from certificates import applications
from certificates.views.staff import holder_accounts
from certificates.views.staff.desk import Desk, show, staff_page
from evidence import identities
from evidence.forms import HolderForm, MergeForm, SystemForm
from evidence.models import Holder, System
from evidence.models.system import Confirmation
from registry_site.problems import Refusal


@require_http_methods(["GET", "POST"])
@staff_page
def holder(request: HttpRequest, desk: Desk, pk: int) -> HttpResponse:
    row = get_object_or_404(Holder, pk=pk)
    refusal = identities.refusal_to_confirm(desk.person)
    initial = {"name": row.name, "country": row.country or "CL", "contact_email": row.contact_email}
    form, merge = HolderForm(initial=initial), MergeForm()
    if request.method == "POST":
        if refusal:
            raise refusal
        if request.POST.get("action") == "merge":
            merge = MergeForm(request.POST)
            known = merge.is_valid() and _known_holder(merge, row)
            if known and _done(
                merge, "into", lambda: identities.merge_holder(row, into=known, by=desk.person, at=desk.now)
            ):
                applications.invite_holder(known, at=desk.now)
                return HttpResponseRedirect(reverse("staff:holder", args=[known.pk]))
        else:
            form = HolderForm(request.POST)
            if form.is_valid() and _done(
                form,
                "identifier",
                lambda: identities.confirm_holder(row, by=desk.person, at=desk.now, **form.cleaned_data),
            ):
                applications.invite_holder(row, at=desk.now)
                return HttpResponseRedirect(reverse("staff:holder", args=[row.pk]))
    failed = form if form.is_bound else merge
    return show(
        request,
        desk,
        "holder",
        here="queue",
        holder=row,
        systems=list(row.systems.prefetch_related("versions").order_by("name")),
        proposed=row.confirmation == Confirmation.PROPOSED,
        may=refusal is None,
        may_not=refusal.detail if refusal else "",
        form=form,
        merge=merge,
        failed=failed,
        accounts=holder_accounts.seen(desk, row),
        status=422 if failed.errors else 200,
    )


@require_http_methods(["GET", "POST"])
@staff_page
def system(request: HttpRequest, desk: Desk, pk: int) -> HttpResponse:
    row = get_object_or_404(System.objects.select_related("holder"), pk=pk)
    refusal = identities.refusal_to_confirm(desk.person)
    form, merge = SystemForm(initial={"name": row.name}), MergeForm()
    if request.method == "POST":
        if refusal:
            raise refusal
        if request.POST.get("action") == "merge":
            merge = MergeForm(request.POST)
            known = merge.is_valid() and _known_system(merge, row)
            if known and _done(
                merge, "into", lambda: identities.merge_system(row, into=known, by=desk.person, at=desk.now)
            ):
                applications.invite_holder(row.holder, at=desk.now)
                return HttpResponseRedirect(reverse("staff:system", args=[known.pk]))
        else:
            form = SystemForm(request.POST)
            if form.is_valid() and _done(
                form,
                "name",
                lambda: identities.confirm_system(
                    row, name=form.cleaned_data["name"], by=desk.person, at=desk.now
                ),
            ):
                applications.invite_holder(row.holder, at=desk.now)
                return HttpResponseRedirect(reverse("staff:system", args=[row.pk]))
    failed = form if form.is_bound else merge
    return show(
        request,
        desk,
        "system",
        here="queue",
        system=row,
        versions=list(row.versions.order_by("-pk")[:50]),
        proposed=row.confirmation == Confirmation.PROPOSED,
        holder_proposed=row.holder.confirmation == Confirmation.PROPOSED,
        may=refusal is None,
        may_not=refusal.detail if refusal else "",
        form=form,
        merge=merge,
        failed=failed,
        status=422 if failed.errors else 200,
    )


def _done(form: forms.Form, field: str, act: Any) -> bool:
    """Take the step; a refusal of the domain becomes an error of the form, at its field."""
    try:
        act()
    except Refusal as told:
        named = getattr(told, "field", field)
        form.add_error(named if named in form.fields else field, str(told.detail))
        return False
    return True


def _known_holder(form: MergeForm, proposal: Holder) -> Holder | None:
    wanted = form.cleaned_data["into"].strip()
    known = Holder.objects.filter(confirmation=Confirmation.CONFIRMED).exclude(pk=proposal.pk)
    found = list(known.filter(identifier__iexact=wanted)[:2]) or list(
        known.filter(folded=identities.folded(wanted))[:2]
    )
    return _the_one(form, found)


def _known_system(form: MergeForm, proposal: System) -> System | None:
    wanted = identities.folded(form.cleaned_data["into"])
    return _the_one(form, list(proposal.holder.systems.filter(folded=wanted).exclude(pk=proposal.pk)[:2]))


def _the_one(form: MergeForm, found: list[Any]) -> Any:
    if len(found) == 1:
        return found[0]
    if found:
        form.add_error("into", _("There is more than one of that name: write its identifier."))
    else:
        form.add_error("into", _("There is no confirmed one with that name or identifier."))
    return None
