"""Whether a session was opened with a second factor: what every staff page asks before it shows anything."""

from allauth.account.authentication import get_authentication_records
from allauth.mfa.models import Authenticator
from allauth.mfa.utils import is_mfa_enabled
from django.contrib.auth import REDIRECT_FIELD_NAME
from django.http import HttpRequest, HttpResponseRedirect
from django.urls import reverse
from django.utils.http import urlencode

from registry_site.models import User

KINDS = (Authenticator.Type.TOTP, Authenticator.Type.WEBAUTHN)


def is_set_up(user: User) -> bool:
    """Whether the account has an authenticator app or a passkey (recovery codes alone are none)."""
    return is_mfa_enabled(user, types=KINDS)


def is_proved(request: HttpRequest) -> bool:
    """Whether this session gave a second factor.

    That the account has one is not enough: a session opened with the password alone, before the factor was
    set up elsewhere, would otherwise decide without it.
    """
    records = get_authentication_records(request, request.user)
    return any(record.get("method") == "mfa" for record in records) and is_set_up(request.user)


def ask(request: HttpRequest) -> HttpResponseRedirect:
    """To the set-up when the account has no second factor yet, else to the page that asks for it."""
    if not is_set_up(request.user):
        name = "staff:second_factor"
    elif is_mfa_enabled(request.user, types=[Authenticator.Type.TOTP]):
        name = "mfa_reauthenticate"
    else:
        name = "mfa_reauthenticate_webauthn"
    if request.method != "GET":
        return HttpResponseRedirect(reverse(name))
    return HttpResponseRedirect(
        f"{reverse(name)}?{urlencode({REDIRECT_FIELD_NAME: request.get_full_path()})}"
    )
