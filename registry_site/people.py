"""Who is who in the registry, as the registrar sees it: persons, their roles, accounts and second factors."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from allauth.mfa.models import Authenticator
from django.db.models import Exists, OuterRef, Prefetch, Q
from django.db.models.functions import Lower

from registry_site import second_factor
from registry_site.models import ROLE_CHOICES, Invitation, Person, RoleGrant, User
from registry_site.role_names import Role

PAGE_SIZE = 50
ROLE_WORDS = dict(ROLE_CHOICES)
NO_ROLE = "none"


@dataclass(frozen=True, slots=True)
class Account:
    """One account, with the kinds of second factor that it has."""

    row: User
    factors: frozenset[str] = frozenset()

    @property
    def has_app(self) -> bool:
        return Authenticator.Type.TOTP in self.factors

    @property
    def has_passkey(self) -> bool:
        return Authenticator.Type.WEBAUTHN in self.factors


@dataclass(frozen=True, slots=True)
class Known:
    """A person with the roles held now, in their own order, and all accounts."""

    row: Person
    roles: Sequence[Role] = ()
    accounts: Sequence[Account] = ()

    @property
    def role_words(self) -> list[Any]:
        return [ROLE_WORDS[role] for role in self.roles]


@dataclass(frozen=True, slots=True)
class Wanted:
    """What of the list is asked for; empty asks for everybody."""

    text: str = ""
    role: str = ""  # a role, or NO_ROLE
    state: str = ""  # open · closed · without_factor
    after: int | None = None  # the last person of the page before


STATES = ("open", "closed", "without_factor")


@dataclass(frozen=True, slots=True)
class Page:
    people: Sequence[Known] = field(default_factory=list)
    after: int | None = None


def listed(wanted: Wanted) -> Page:
    """A page of people by name. Four queries, whoever is on it."""
    rows = list(_matching(wanted)[: PAGE_SIZE + 1])
    page = rows[:PAGE_SIZE]
    return Page(_known(page), page[-1].pk if len(rows) > PAGE_SIZE else None)


def known(person: Person) -> Known:
    """One person, as in the list."""
    return _known(list(_with_all(Person.objects.filter(pk=person.pk))))[0]


def grants_of(person: Person) -> list[RoleGrant]:
    """Every role ever held, the latest first, with who gave and ended it."""
    return list(person.role_grants.select_related("granted_by", "ended_by").order_by("-granted_at", "-pk"))


def open_invitations(*, limit: int = 100) -> list[Invitation]:
    """Those that nobody accepted or cancelled, the newest first; lapsed ones too, to be sent again."""
    rows = Invitation.objects.filter(accepted_at=None, cancelled_at=None).select_related("invited_by")
    return list(rows.order_by("-invited_at", "-pk")[:limit])


def _matching(wanted: Wanted) -> Any:
    rows = Person.objects.annotate(by_name=Lower("name")).order_by("by_name", "pk")
    accounts = User.objects.filter(person=OuterRef("pk"))
    grants = RoleGrant.objects.filter(person=OuterRef("pk"), ended_at=None)
    if wanted.text:
        rows = rows.filter(
            Q(name__icontains=wanted.text) | Exists(accounts.filter(email__icontains=wanted.text))
        )
    if wanted.role == NO_ROLE:
        rows = rows.filter(~Exists(grants))
    elif wanted.role:
        rows = rows.filter(Exists(grants.filter(role=wanted.role)))
    if wanted.state == "open":
        rows = rows.filter(Exists(accounts.filter(is_active=True)))
    elif wanted.state == "closed":
        rows = rows.filter(~Exists(accounts.filter(is_active=True)))
    elif wanted.state == "without_factor":
        factors = Authenticator.objects.filter(user=OuterRef("pk"), type__in=second_factor.KINDS)
        rows = rows.filter(Exists(accounts.filter(is_active=True)))
        rows = rows.filter(~Exists(accounts.filter(Exists(factors))))
    if wanted.after is not None and (last := Person.objects.filter(pk=wanted.after).first()):
        name = last.name.lower()
        rows = rows.filter(Q(by_name__gt=name) | Q(by_name=name, pk__gt=last.pk))
    return _with_all(rows)


def _with_all(rows: Any) -> Any:
    return rows.prefetch_related(
        Prefetch("accounts", queryset=User.objects.order_by("pk"), to_attr="all_accounts"),
        Prefetch("role_grants", queryset=RoleGrant.objects.filter(ended_at=None), to_attr="held"),
    )


def _known(rows: Sequence[Any]) -> list[Known]:
    accounts = [account.pk for person in rows for account in person.all_accounts]
    factors: dict[int, set[str]] = {}
    set_up = Authenticator.objects.filter(user__in=accounts, type__in=second_factor.KINDS)
    for user, kind in set_up.values_list("user_id", "type"):
        factors.setdefault(user, set()).add(kind)
    return [
        Known(
            row=person,
            roles=[role for role in Role if role in {grant.role for grant in person.held}],
            accounts=[Account(one, frozenset(factors.get(one.pk, ()))) for one in person.all_accounts],
        )
        for person in rows
    ]


def lapsed(invitation: Invitation, *, at: datetime) -> bool:
    return at >= invitation.expires_at
