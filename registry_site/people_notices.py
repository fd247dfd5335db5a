"""Who is told of a change of people: the person it is about, and every registrar (rule 5).

Rows hold ids and codes only; names are read when the letter is written out (`registry_site.people_letters`).
"""

from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Any

from registry_site import outbox
from registry_site.models import FactorRecovery, Invitation, Person, RoleGrant, User
from registry_site.role_names import Role

PEOPLE = "/staff/people/"


def invite(invitation: Invitation, *, at: datetime) -> None:
    """The letter with the link."""
    outbox.queue(
        "invitation.made",
        to=invitation.email,
        language=invitation.language,
        at=at,
        concerns=f"invitation:{invitation.pk}",
        lifetime=min(outbox.LIFETIME, invitation.expires_at - at),
        invitation=invitation.pk,
    )


def accepted(invitation: Invitation, *, at: datetime) -> None:
    _tell_registrars(
        "invitation.accepted",
        at=at,
        person=invitation.account.person,
        but=(),
        roles=invitation.roles,
    )


def role_given(grant: RoleGrant, *, at: datetime) -> None:
    _tell_all("role.granted", grant.person, at=at, role=grant.role, by=grant.granted_by_id)


def role_ended(grant: RoleGrant, *, at: datetime) -> None:
    _tell_all("role.ended", grant.person, at=at, role=grant.role, by=grant.ended_by_id)


def account_closed(account: User, *, by: Person | None, at: datetime) -> None:
    _tell_all("account.deactivated", account.person, at=at, accounts=[account], by=by and by.pk)


def account_opened(account: User, *, by: Person | None, at: datetime) -> None:
    _tell_all("account.reactivated", account.person, at=at, by=by and by.pk)


def recovery_asked(case: FactorRecovery, *, at: datetime) -> None:
    _tell_all("recovery.opened", case.person, at=at, accounts=[case.account], by=case.opened_by_id)


def recovery_confirmed(case: FactorRecovery, *, at: datetime) -> None:
    _tell_all(
        "recovery.confirmed",
        case.person,
        at=at,
        accounts=[case.account],
        by=case.confirmed_by_id,
        until=case.blocked_until.isoformat(),
    )


def recovery_cancelled(case: FactorRecovery, *, at: datetime) -> None:
    _tell_all("recovery.cancelled", case.person, at=at, accounts=[case.account], by=case.cancelled_by_id)


def _tell_all(
    kind: str, person: Person, *, at: datetime, accounts: Iterable[User] = (), **facts: Any
) -> None:
    """The person at each open account, and at `accounts` open or not; then the registrars."""
    own = {account.pk: account for account in [*person.accounts.filter(is_active=True), *accounts]}
    for account in own.values():
        _queue(kind, account, person, at=at, own=True, **facts)
    _tell_registrars(kind, at=at, person=person, but=own, **facts)


def _tell_registrars(kind: str, *, at: datetime, person: Person, but: Iterable[int], **facts: Any) -> None:
    registrars = User.objects.filter(
        is_active=True, person__role_grants__role=Role.REGISTRAR, person__role_grants__ended_at=None
    )
    for account in registrars.exclude(pk__in=list(but)).distinct().order_by("pk"):
        _queue(kind, account, person, at=at, own=False, **facts)


def _queue(kind: str, account: User, person: Person, *, at: datetime, own: bool, **facts: Any) -> None:
    outbox.queue(
        kind,
        to=account.email,
        language=account.language,
        at=at,
        concerns=f"person:{person.pk}",
        path="/accounts/2fa/" if own else f"{PEOPLE}{person.pk}/",
        lifetime=timedelta(days=2),
        person=person.pk,
        own=own,
        **facts,
    )
