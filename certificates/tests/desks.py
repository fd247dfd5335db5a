"""Signing in for tests: with a second factor, as the staff pages want it, by password alone, or by token."""

from allauth.account.internal.flows.login import record_authentication
from allauth.mfa.models import Authenticator
from allauth.mfa.totp.internal.auth import TOTP, generate_totp_secret
from django.test import Client, RequestFactory

from registry_site import clock, tokens
from registry_site.models import User
from registry_site.roles import Role


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


def holding(user: User, role: Role | None) -> Client:
    """A program that sends a token of this account in this role."""
    token = tokens.make(user, role=role, at=clock.now())
    return Client(headers={"Authorization": f"Bearer {token}"})


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
