"""What a registrar does for a holder: links accounts of its people, ends links, enters another contact."""

from dataclasses import dataclass
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST

from certificates.views.staff.desk import Desk, show, staff_page
from evidence import contacts, memberships
from evidence.forms import AccountForm, ContactForm, InviteForm
from evidence.models import ContactChange, Holder, HolderInvitation, HolderMember
from evidence.models.system import Confirmation
from registry_site import audit
from registry_site.problems import Refusal
from registry_site.roles import Role


@dataclass(frozen=True, slots=True)
class Accounts:
    """The people and the contact of a holder, for a registrar's eyes."""

    members: list[HolderMember]
    invited: list[HolderInvitation]
    pending: ContactChange | None
    refusal: Refusal | None
    refusal_to_change: Refusal | None


def seen(desk: Desk, holder: Holder) -> Accounts | None:
    """Personal data: shown to registrars alone, and that they looked is written down."""
    if Role.REGISTRAR not in desk.roles or holder.confirmation != Confirmation.CONFIRMED:
        return None
    audit.record("holder.people_seen", by=desk.person, at=desk.now, subject=f"holder:{holder.pk}")
    return Accounts(
        members=list(
            holder.members.select_related("person", "linked_by", "ended_by")
            .prefetch_related("person__accounts")
            .order_by("-pk")
        ),
        invited=list(
            holder.invitations.filter(
                member=None, invitation__cancelled_at=None, invitation__expires_at__gt=desk.now
            )
            .select_related("invitation")
            .order_by("-pk")
        ),
        pending=contacts.pending(holder),
        refusal=memberships.refusal_to_link(desk.person, holder, at=desk.now),
        refusal_to_change=contacts.refusal_to_change(desk.person, holder, at=desk.now),
    )


@require_http_methods(["GET", "POST"])
@staff_page
def link(request: HttpRequest, desk: Desk, pk: int) -> HttpResponse:
    holder = get_object_or_404(Holder, pk=pk)
    refusal = memberships.refusal_to_link(desk.person, holder, at=desk.now)
    if refusal:
        raise refusal
    form = AccountForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        try:
            user = memberships.account(form.cleaned_data["email"])
            memberships.link(holder, user=user, by=desk.person, at=desk.now)
        except Refusal as told:
            if told.code != "linked_already":
                return _step(request, desk, holder, form, "link", refused=told)
            messages.info(request, told.detail)
        else:
            messages.success(request, _("The account is linked, and its person and the holder are told."))
        return _back(holder)
    return _step(request, desk, holder, form, "link")


@require_http_methods(["GET", "POST"])
@staff_page
def invite(request: HttpRequest, desk: Desk, pk: int) -> HttpResponse:
    holder = get_object_or_404(Holder, pk=pk)
    refusal = memberships.refusal_to_link(desk.person, holder, at=desk.now)
    if refusal:
        raise refusal
    form = InviteForm(request.POST or None, initial={"email": request.GET.get("email", ""), "language": "es"})
    if request.method == "POST" and form.is_valid():
        try:
            memberships.invite(holder, by=desk.person, at=desk.now, **form.cleaned_data)
        except Refusal as told:
            return _step(request, desk, holder, form, "invite", refused=told)
        messages.success(
            request, _("The person is invited, and linked as soon as the invitation is accepted.")
        )
        return _back(holder)
    return _step(request, desk, holder, form, "invite")


@require_http_methods(["GET", "POST"])
@staff_page
def end(request: HttpRequest, desk: Desk, pk: int, member: int) -> HttpResponse:
    row = get_object_or_404(HolderMember.objects.select_related("holder", "person"), pk=member, holder=pk)
    refusal = memberships.refusal_to_link(desk.person, row.holder, at=desk.now)
    if refusal:
        raise refusal
    if request.method == "POST":
        memberships.end(row, by=desk.person, at=desk.now)
        messages.success(request, _("The link is ended, and its person and the holder are told."))
        return _back(row.holder)
    return _step(request, desk, row.holder, None, "end", member=row)


@require_http_methods(["GET", "POST"])
@staff_page
def contact(request: HttpRequest, desk: Desk, pk: int) -> HttpResponse:
    holder = get_object_or_404(Holder, pk=pk)
    refusal = contacts.refusal_to_change(desk.person, holder, at=desk.now)
    if refusal:
        raise refusal
    form = ContactForm(request.POST or None, initial={"language": holder.contact_language})
    if request.method == "POST" and form.is_valid():
        try:
            contacts.ask(holder, by=desk.person, at=desk.now, **form.cleaned_data)
        except Refusal as told:
            return _step(request, desk, holder, form, "contact", refused=told)
        messages.success(request, _("The change takes effect in 72 hours; both addresses are told now."))
        return _back(holder)
    return _step(request, desk, holder, form, "contact")


@require_POST
@staff_page
def cancel_contact(request: HttpRequest, desk: Desk, pk: int) -> HttpResponse:
    holder = get_object_or_404(Holder, pk=pk)
    waiting = contacts.pending(holder)
    if waiting is not None:
        contacts.cancel(waiting, by=desk.person, at=desk.now)
        messages.success(request, _("The change of contact is cancelled."))
    return _back(holder)


def _back(holder: Holder) -> HttpResponse:
    return HttpResponseRedirect(reverse("staff:holder", args=[holder.pk]))


def _step(
    request: HttpRequest,
    desk: Desk,
    holder: Holder,
    form: Any,
    step: str,
    *,
    refused: Refusal | None = None,
    **more: Any,
) -> HttpResponse:
    if refused is not None:
        named = refused.extra.get("field")
        form.add_error(named if named in form.fields else None, str(refused.detail))
    errors = form is not None and bool(form.errors)
    return show(
        request,
        desk,
        "holder_step",
        here="queue",
        holder=holder,
        form=form,
        step=step,
        status=422 if errors else 200,
        **more,
    )
