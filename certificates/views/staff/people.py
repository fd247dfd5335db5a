"""The registrar's desk: who is here, with which roles and accounts; inviting, giving, ending, closing.

Every step is two pages: the first says what follows and for whom, the second press takes it.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import wraps
from typing import Any
from urllib.parse import urlencode

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_GET, require_http_methods

from certificates.views.staff.desk import Desk, show, staff_page
from registry_site import accounts, audit, invitations, people, roles
from registry_site.forms import InviteForm
from registry_site.models import Invitation, Person, RoleGrant, User
from registry_site.people import ROLE_WORDS
from registry_site.problems import Refusal
from registry_site.roles import Role

STATE_WORDS = {
    "open": gettext_lazy("with an open account"),
    "closed": gettext_lazy("without an open account"),
    "without_factor": gettext_lazy("without a second factor"),
}
NOT_ENOUGH = gettext_lazy(
    "Afterwards evaluation, certification and appeals are held by fewer than three distinct people: "
    "nothing can be issued until that is mended (rule 4)."
)

View = Callable[..., HttpResponse]


def registrars_page(view: View) -> View:
    """A staff page for those who keep the registry alone."""

    @wraps(view)
    def door(request: HttpRequest, desk: Desk, *args: Any, **kwargs: Any) -> HttpResponse:
        if refusal := roles.refusal_to_see_people(desk.person):
            raise refusal
        return view(request, desk, *args, **kwargs)

    return staff_page(door)


# ── looking ──────────────────────────────────────────────────────────────────


@require_GET
@registrars_page
def listed(request: HttpRequest, desk: Desk) -> HttpResponse:
    asked = {name: request.GET.get(name, "").strip() for name in ("q", "role", "state", "after")}
    after = asked["after"]
    wanted = people.Wanted(
        text=asked["q"][:200],
        role=asked["role"] if asked["role"] in {*Role, people.NO_ROLE} else "",
        state=asked["state"] if asked["state"] in people.STATES else "",
        after=int(after) if after.isascii() and after.isdigit() and len(after) < 18 else None,
    )
    page = people.listed(wanted)
    audit.record("people.listed", by=desk.person, at=desk.now, after=wanted.after)
    kept = {"q": wanted.text, "role": wanted.role, "state": wanted.state, "after": page.after}
    return show(
        request,
        desk,
        "people",
        here="people",
        wanted=wanted,
        people=page.people,
        following=urlencode({k: v for k, v in kept.items() if v}) if page.after else "",
        role_choices=[*ROLE_WORDS.items(), (people.NO_ROLE, _("no role"))],
        states=STATE_WORDS.items(),
        invitations=[(row, people.lapsed(row, at=desk.now)) for row in people.open_invitations()],
        three=roles.three_distinct_people(),
    )


@require_GET
@registrars_page
def person(request: HttpRequest, desk: Desk, pk: int) -> HttpResponse:
    row = get_object_or_404(Person, pk=pk)
    known = people.known(row)
    audit.record("person.seen", by=desk.person, at=desk.now, subject=f"person:{row.pk}")
    to_give = roles.refusals_to_grant(row, by=desk.person)
    to_end = roles.refusals_to_end(row, by=desk.person)
    missing = [role for role in Role if role not in known.roles]
    may_give = [(role, ROLE_WORDS[role]) for role in missing if to_give[role] is None]
    return show(
        request,
        desk,
        "person",
        here="people",
        known=known,
        blocked=roles.refusal_after_recovery(row) is not None,
        held=[(role, ROLE_WORDS[role], to_end[role]) for role in known.roles],
        may_give=may_give,
        why_not=to_give[missing[0]] if missing and not may_give else None,
        accounts=[(account, _refusal_to_account(account.row, desk)) for account in known.accounts],
        grants=[(grant, ROLE_WORDS[grant.role]) for grant in people.grants_of(row)],
    )


def _refusal_to_account(account: User, desk: Desk) -> Refusal | None:
    refusal = accounts.refusal_to_close if account.is_active else accounts.refusal_to_open
    return refusal(account, by=desk.person)


# ── inviting ─────────────────────────────────────────────────────────────────


@require_http_methods(["GET", "POST"])
@registrars_page
def invite(request: HttpRequest, desk: Desk) -> HttpResponse:
    form = InviteForm(request.POST or None)
    preview = False
    if request.method == "POST" and form.is_valid():
        if request.POST.get("action") == "send":
            try:
                invitation = invitations.invite(by=desk.person, at=desk.now.astimezone(UTC), **form.facts())
            except Refusal as told:
                named = told.extra.get("field")
                form.add_error(named if named in form.fields else None, str(told.detail))
            else:
                messages.success(
                    request, _("The invitation to {email} is on its way.").format(email=invitation.email)
                )
                return HttpResponseRedirect(reverse("staff:people"))
        else:
            preview = request.POST.get("action") == "preview"
    return show(
        request,
        desk,
        "invite",
        here="people",
        form=form,
        preview=preview,
        roles=[ROLE_WORDS[role] for role in form.cleaned_data["roles"]] if preview else [],
        status=422 if form.errors else 200,
    )


# ── steps ────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True)
class Step:
    """One step on a person, an account or an invitation: what follows, and the writer that takes it."""

    title: str | Promise
    about: str
    follows: Sequence[str | Promise]
    button: str | Promise
    take: Callable[[datetime], Any]
    told: str | Promise
    back: str
    back_label: str
    refusal: Refusal | None = None
    here: str = "people"


def answer(request: HttpRequest, desk: Desk, step: Step) -> HttpResponse:
    """The page that says what follows; with a POST, the step itself. A second press changes nothing more."""
    if request.method == "POST":
        step.take(desk.now.astimezone(UTC))
        messages.success(request, step.told)
        return HttpResponseRedirect(step.back)
    return show(request, desk, "person_step", here=step.here, step=step)


@require_http_methods(["GET", "POST"])
@registrars_page
def role_step(request: HttpRequest, desk: Desk, pk: str, role: str, step: str) -> HttpResponse:
    row, role = get_object_or_404(Person, pk=int(pk)), Role(role)
    words = ROLE_WORDS[role]
    back = {"back": reverse("staff:person", args=[row.pk]), "back_label": row.name, "about": row.name}
    if step == "give":
        told = [
            _("From now on this person acts as: {role}.").format(role=words),
            _("The person and every registrar are told by e-mail, and it stays in the audit log."),
        ]
        return answer(
            request,
            desk,
            Step(
                title=_("Give the role “{role}”").format(role=words),
                follows=told,
                button=_("Give the role"),
                take=lambda at: roles.grant(row, role, by=desk.person, at=at),
                told=_("The role is given."),
                refusal=roles.refusal_to_grant(row, role, by=desk.person),
                **back,
            ),
        )
    held = RoleGrant.objects.filter(person=row, role=role, ended_at=None).first()
    follows = [
        _("From now on this person no longer acts as: {role}. Tokens in that role are revoked.").format(
            role=words
        ),
        _("What was decided stays decided; the role stays in the history with its dates."),
        _("The person and every registrar are told by e-mail, and it stays in the audit log."),
    ]
    if held is not None and roles.three_distinct_people() and not roles.three_distinct_people(without=held):
        follows.insert(0, NOT_ENOUGH)
    return answer(
        request,
        desk,
        Step(
            title=_("End the role “{role}”").format(role=words),
            follows=follows,
            button=_("End the role"),
            take=lambda at: roles.end(row, role, by=desk.person, at=at),
            told=_("The role is ended."),
            refusal=roles.refusal_to_end(row, role, by=desk.person),
            **back,
        ),
    )


@require_http_methods(["GET", "POST"])
@registrars_page
def account_step(request: HttpRequest, desk: Desk, pk: str, step: str) -> HttpResponse:
    row = get_object_or_404(User.objects.select_related("person"), pk=int(pk), person__isnull=False)
    back = {
        "about": f"{row.person.name}, {row.email}",
        "back": reverse("staff:person", args=[row.person_id]),
        "back_label": row.person.name,
    }
    if step == "reactivate":
        return answer(
            request,
            desk,
            Step(
                title=_("Open the account again"),
                follows=[
                    _(
                        "It opens again with the password and the second factor it had. Its roles are as before."
                    ),
                    _("Its tokens stay revoked."),
                    _("The person and every registrar are told by e-mail, and it stays in the audit log."),
                ],
                button=_("Open it again"),
                take=lambda at: accounts.reactivate(row, by=desk.person, at=at),
                told=_("The account opens again."),
                refusal=accounts.refusal_to_open(row, by=desk.person),
                **back,
            ),
        )
    follows = [
        _("It opens no longer: its sessions end now and its tokens are revoked."),
        _("Nothing is deleted. What was decided stays decided, and its roles are not ended by this."),
        _("The person and every registrar are told by e-mail, and it stays in the audit log."),
    ]
    if roles.three_distinct_people() and not roles.three_distinct_people(without=row):
        follows.insert(0, NOT_ENOUGH)
    return answer(
        request,
        desk,
        Step(
            title=_("Deactivate the account"),
            follows=follows,
            button=_("Deactivate"),
            take=lambda at: accounts.deactivate(row, by=desk.person, at=at),
            told=_("The account is deactivated."),
            refusal=accounts.refusal_to_close(row, by=desk.person),
            **back,
        ),
    )


@require_http_methods(["GET", "POST"])
@registrars_page
def invitation_step(request: HttpRequest, desk: Desk, pk: str, step: str) -> HttpResponse:
    row = get_object_or_404(Invitation, pk=int(pk))
    back = {
        "about": f"{row.name}, {row.email}",
        "back": reverse("staff:people"),
        "back_label": _("People"),
        "refusal": invitations.refusal_of_ended(row),
    }
    if step == "renew":
        return answer(
            request,
            desk,
            Step(
                title=_("Send the invitation again"),
                follows=[
                    _("The links sent before open nothing from now on; the new one does for seven days.")
                ],
                button=_("Send it again"),
                take=lambda at: invitations.renew(row, by=desk.person, at=at),
                told=_("The invitation to {email} is on its way.").format(email=row.email),
                **back,
            ),
        )
    return answer(
        request,
        desk,
        Step(
            title=_("Cancel the invitation"),
            follows=[_("Its links open nothing from now on. The person is not told.")],
            button=_("Cancel the invitation"),
            take=lambda at: invitations.cancel(row, by=desk.person, at=at),
            told=_("The invitation is cancelled."),
            **back,
        ),
    )
