"""Sign-in is by invitation: nobody opens an account for oneself."""

from allauth.account.adapter import DefaultAccountAdapter
from django.conf import settings


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


def choose_language(user, language: str) -> None:
    """The language in which the registry speaks to this account, on pages and by e-mail."""
    user.language = language
    user.save(update_fields=["language"])
