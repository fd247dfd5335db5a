"""Sign-in is by invitation: nobody opens an account for oneself."""

from collections.abc import Callable

from allauth.account.adapter import DefaultAccountAdapter
from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.utils.cache import add_never_cache_headers


class InvitedOnlyAdapter(DefaultAccountAdapter):
    """allauth, without public sign-up, and without demo accounts beyond loopback."""

    def is_open_for_signup(self, request) -> bool:
        return False

    def pre_login(self, request, user, **kwargs):
        # Demo accounts have known addresses: they open nothing once the registry has a public host.
        if user.is_demo and not settings.LOOPBACK:
            from django.core.exceptions import PermissionDenied

            raise PermissionDenied("demo accounts sign in on loopback only")
        return super().pre_login(request, user, **kwargs)


class KeepNoPrivatePages:
    """Middleware: pages of accounts, staff and holders hold secrets; nobody keeps them.

    A page that says for itself how it is kept does so: a long form must survive the back button.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]):
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        private = request.path_info.startswith(("/accounts/", "/admin/", "/staff/", "/holder/"))
        if private and not response.has_header("Cache-Control"):
            add_never_cache_headers(response)
        return response


def choose_language(user, language: str) -> None:
    """The language in which the registry speaks to this account, on pages and by e-mail."""
    user.language = language
    user.save(update_fields=["language"])
