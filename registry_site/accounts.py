"""Closing and opening accounts: the only writer of whether one opens. No account is ever deleted."""

from datetime import datetime

from django.db import transaction
from django.utils.translation import gettext_lazy as _

from registry_site import audit, people_notices, roles
from registry_site.models import ApiToken, Person, User
from registry_site.problems import NotAllowed, Refusal


def refusal_to_close(account: User, *, by: Person | None) -> Refusal | None:
    """Why `by` may not close it, or None. `by` is None only on the server's console."""
    if refusal := _refusal_to_touch(account, by=by):
        return refusal
    person = account.person
    if person is not None and roles.is_registrar(person) and not roles.other_registrars(person):
        return roles.LastRegistrar(_("Nobody else keeps the registry: give that role to someone first."))
    return None


def refusal_to_open(account: User, *, by: Person | None) -> Refusal | None:
    """Why `by` may not open it again, or None."""
    return _refusal_to_touch(account, by=by)


def _refusal_to_touch(account: User, *, by: Person | None) -> Refusal | None:
    if by is None:
        return None
    if account.person_id == by.pk:
        return NotAllowed(_("Nobody closes or opens the own account."), code="own_account")
    return roles.refusal_to_keep_people(by)


@transaction.atomic
def deactivate(account: User, *, by: Person | None, at: datetime) -> None:
    """It opens no longer: its sessions are over, its tokens revoked. What it signed stays. Twice is once.

    Raises NotAllowed, or LastRegistrar when nobody else would keep the registry.
    """
    roles.lock_registrars()
    row = _locked(account)
    if refusal := refusal_to_close(row, by=by):
        raise refusal
    if not row.is_active:
        return
    row.is_active = False
    row.save(update_fields=["is_active"])
    end_sessions_and_tokens(row, at=at)
    audit.record("account.deactivated", by=by, at=at, subject=f"account:{row.pk}", person=row.person_id)
    people_notices.account_closed(row, by=by, at=at)


@transaction.atomic
def reactivate(account: User, *, by: Person | None, at: datetime) -> None:
    """It opens again, with the password and second factor it had; revoked tokens stay so. Twice is once."""
    row = _locked(account)
    if refusal := refusal_to_open(row, by=by):
        raise refusal
    if row.is_active:
        return
    row.is_active = True
    row.save(update_fields=["is_active"])
    audit.record("account.reactivated", by=by, at=at, subject=f"account:{row.pk}", person=row.person_id)
    people_notices.account_opened(row, by=by, at=at)


def end_sessions_and_tokens(account: User, *, at: datetime) -> None:
    """Whoever is in with this account, by a session or by a token, is out."""
    account.sessions_ended_at = at
    account.save(update_fields=["sessions_ended_at"])
    ApiToken.objects.filter(user=account, revoked_at=None).update(revoked_at=at)


def _locked(account: User) -> User:
    return User.objects.select_for_update(of=("self",)).select_related("person").get(pk=account.pk)
