"""Who asks: bearer tokens of the API, and the role that a token acts in."""

from django.utils.translation import gettext_lazy as _
from rest_framework import exceptions
from rest_framework.authentication import BaseAuthentication, get_authorization_header
from rest_framework.request import Request

from registry_site import clock, roles, tokens
from registry_site.models import ApiToken, User
from registry_site.problems import NotAllowed
from registry_site.roles import Role


class RoleNeeded(NotAllowed):
    """The token does not act in the role that this step needs."""

    code = "role_needed"
    title = _("This needs a token with another role")


class ServiceAccount(NotAllowed):
    code = "service_account"
    title = _("A service account reads and hands in evidence; it never decides")


class TokenAuthentication(BaseAuthentication):
    """`Authorization: Bearer feh_…`. Without it a request is anonymous: sessions count for nothing here."""

    def authenticate(self, request: Request) -> tuple[User, ApiToken] | None:
        header = get_authorization_header(request).split()
        if not header:
            return None
        if header[0].lower() != b"bearer" or len(header) != 2:
            raise exceptions.AuthenticationFailed(
                _("Send «Authorization: Bearer» and a token that begins with «feh_».")
            )
        text = header[1].decode("latin-1")
        if not tokens.well_formed(text):
            raise exceptions.AuthenticationFailed(_("The token is not complete, or it was mistyped."))
        at = clock.now()
        token = tokens.find(text, at=at)
        if token is None:
            raise exceptions.AuthenticationFailed(_("The token is unknown, expired or revoked."))
        tokens.note_use(token, at=at)
        return token.user, token

    def authenticate_header(self, request: Request) -> str:
        return 'Bearer realm="api"'


def require_person(request: Request) -> User:
    """The user of a person's token, whatever role it acts in: what a person may without one."""
    if not isinstance(request.auth, ApiToken):
        raise exceptions.NotAuthenticated(_("Send «Authorization: Bearer» and a token of your account."))
    if roles.person_of(request.user) is None:
        raise ServiceAccount()
    return request.user


def require_role(request: Request, role: Role) -> User:
    """The user, when its token acts in `role` and the person still holds it.

    A service account has no person and holds no role: its token hands in evidence and decides nothing.
    """
    if not isinstance(request.auth, ApiToken):
        raise exceptions.NotAuthenticated(_("Send «Authorization: Bearer» and a token with the right role."))
    user = request.user
    is_service = roles.person_of(user) is None
    if request.auth.role != role:
        raise RoleNeeded(
            _("This needs a token with the role «%(role)s».") % {"role": role.value},
            needed=role.value,
            found=request.auth.role or None,
        )
    if is_service and role is not Role.EVALUATOR:
        raise ServiceAccount()
    if not is_service and not roles.holds(user, role):
        raise RoleNeeded(
            _("The token's owner does not hold the role «%(role)s» any more.") % {"role": role.value},
            needed=role.value,
            found=None,
        )
    return user
