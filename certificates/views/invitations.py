"""The invited person's doors: the link from the letter, and the page that opens the account.

A link is opened with GET, also by programs that look at mail before people do, so GET changes nothing: it moves
the secret into a short session and goes on to an address without it. Only a POST acts.
"""

from datetime import datetime
from urllib.parse import urlencode

from django.contrib import auth, messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import get_language
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_safe

from certificates.views.links import SESSION_HOLDS
from certificates.views.staff.desk import remember_language
from evidence import memberships, operators
from registry_site import clock, invitations
from registry_site.forms import ChoosePasswordForm
from registry_site.invitations import InvitationRefused
from registry_site.models import ROLE_CHOICES, Invitation

_SESSION = "invitation"


@require_safe
def by_link(request: HttpRequest, secret: str) -> HttpResponse:
    now = clock.now()
    try:
        invitation = invitations.find(secret)
        if refusal := invitations.refusal_to_accept(invitation, at=now):
            raise refusal
    except InvitationRefused as refusal:
        return _refused(request, refusal)
    request.session[_SESSION] = {"id": invitation.pk, "until": (now + SESSION_HOLDS).isoformat()}
    response = HttpResponseRedirect(reverse("invitation"))
    # From here on the pages speak the language of the invitation, until the reader chooses the other.
    remember_language(response, request, invitation.language)
    return response


@require_http_methods(["GET", "HEAD", "POST"])
def accept(request: HttpRequest) -> HttpResponse:
    now = clock.now()
    try:
        invitation = _invitation(request, now)
        if invitation.accepted_at is not None:
            # The back button, or a second press: the account is there, and nothing is made again.
            messages.info(request, _("Your account is open already: sign in."))
            return _to_sign_in(invitation)
        if refusal := invitations.refusal_to_accept(invitation, at=now):
            raise refusal
        form = ChoosePasswordForm(request.POST or None, invitation=invitation)
        if request.method != "POST" or not form.is_valid():
            return _show(request, invitation, form)
        invitations.accept(
            invitation, password=form.cleaned_data["password"], language=get_language() or "es", at=now
        )
        # At once, so that the first sign-in finds it; the sweep does the same.
        memberships.take_up_accepted(at=now)
        operators.take_up_accepted(at=now)
    except InvitationRefused as refusal:
        return _refused(request, refusal)
    # Whoever was signed in here before is not the person who has just been named.
    kept = request.session[_SESSION]
    auth.logout(request)
    request.session[_SESSION] = kept
    messages.success(request, _("Your account is open. Sign in with the password that you have just chosen."))
    return _to_sign_in(invitation)


def _invitation(request: HttpRequest, now: datetime) -> Invitation:
    kept = request.session.get(_SESSION)
    if not kept or now >= datetime.fromisoformat(kept["until"]):
        raise InvitationRefused(
            _("Open the link in the e-mail: this page is reached by it alone."), code="link_needed"
        )
    return Invitation.objects.select_related("invited_by").get(pk=kept["id"])


def _to_sign_in(invitation: Invitation) -> HttpResponse:
    address = reverse("account_login")
    if invitation.roles:
        address += "?" + urlencode({"next": reverse("staff:second_factor")})
    return HttpResponseRedirect(address)


def _show(request: HttpRequest, invitation: Invitation, form: ChoosePasswordForm) -> HttpResponse:
    named = dict(ROLE_CHOICES)
    return render(
        request,
        "account/invitation.html",
        {"invitation": invitation, "roles": [named[role] for role in invitation.roles], "form": form},
        status=422 if form.errors else 200,
    )


def _refused(request: HttpRequest, refusal: InvitationRefused) -> HttpResponse:
    return render(request, "account/invitation_refused.html", {"refusal": refusal}, status=refusal.status)
