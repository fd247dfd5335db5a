"""Signing in for tests of the staff pages: with a second factor, as these pages want it, or without."""

from allauth.account.internal.flows.login import record_authentication
from allauth.mfa.models import Authenticator
from allauth.mfa.totp.internal.auth import TOTP, generate_totp_secret
from django.test import Client, RequestFactory

from registry_site.models import User


def with_app(user: User) -> Authenticator:
    """Give the account an authenticator app."""
    return TOTP.activate(user, generate_totp_secret()).instance


def by_password(user: User, *, language: str = "es") -> Client:
    """A browser in which the account is signed in with its password alone."""
    User.objects.filter(pk=user.pk).update(language=language)
    user.language = language
    client = Client()
    client.force_login(user)
    return client


def at_desk(user: User, *, language: str = "es") -> Client:
    """A browser in which the account is signed in with both factors."""
    if not Authenticator.objects.filter(user=user).exists():
        with_app(user)
    client = by_password(user, language=language)
    request = RequestFactory().get("/")
    request.session, request.user = client.session, user
    record_authentication(request, user, "mfa", type="totp")
    request.session.save()
    return client
