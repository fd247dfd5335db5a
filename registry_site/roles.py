"""Roles, persons, and the impartiality rules that need no certificate.

certificates.policies adds the rules that look at a certificate or its evidence. Rules compare
*persons*: two accounts or tokens of one person are one person.
"""

from datetime import datetime
from zoneinfo import ZoneInfo

from django.conf import settings
from django.db import transaction
from django.db.models import Exists, OuterRef
from django.utils.functional import lazy
from django.utils.text import format_lazy
from django.utils.translation import gettext_lazy as _

from registry_site import audit, clock, people_notices, present_language, wording
from registry_site.models import ApiToken, Person, RoleGrant, User
from registry_site.problems import NotAllowed, Refusal
from registry_site.role_names import DECIDING_ROLES, Role

__all__ = [
    "DECIDING_ROLES",
    "Role",
    "end",
    "grant",
    "held_by",
    "holds",
    "is_registrar",
    "lock_registrars",
    "other_registrars",
    "person_of",
    "refusal_after_recovery",
    "refusal_to_end",
    "refusal_to_grant",
    "refusal_to_keep_people",
    "refusal_to_see_people",
    "refusals_to_end",
    "refusals_to_grant",
    "take_up",
    "three_distinct_people",
]


class LastRegistrar(Refusal):
    """Without a registrar nobody could give a role any more."""

    code = "last_registrar"
    title = _("The registry needs a registrar")


def person_of(user: User) -> Person | None:
    """The person behind an account; None for a service account or an anonymous visitor."""
    return getattr(user, "person", None) if getattr(user, "is_active", False) else None


class DecisionsBlocked(NotAllowed):
    """Until `until` this person decides nothing: the second factor was removed on request."""

    code = "decisions_blocked"
    title = _("You take no decision for a while")


def refusal_after_recovery(person: Person) -> DecisionsBlocked | None:
    """Why this person decides nothing yet, or None.

    The one rule that asks the clock itself: whoever forgot to pass an instant on would let a stolen account decide.
    """
    until = person.decides_again_at
    if until is None or clock.now() >= until:
        return None
    return DecisionsBlocked(
        format_lazy(
            _(
                "Your second factor was removed on request: no decision is taken with your account until {until}."
            ),
            until=_in_words(until),
        ),
        until=until.isoformat(),
    )


_in_words = lazy(
    lambda at: wording.moment(at.astimezone(ZoneInfo(settings.REGISTRY_TIME_ZONE)), present_language.code()),
    str,
)


def holds(user: User, role: Role) -> bool:
    """Whether the person behind `user` holds `role` now. A superuser holds none by that alone."""
    person = person_of(user)
    return person is not None and person.role_grants.filter(role=role, ended_at=None).exists()


def held_by(user: User) -> frozenset[Role]:
    """All roles of the person behind `user`."""
    person = person_of(user)
    if person is None:
        return frozenset()
    return frozenset(Role(r) for r in person.role_grants.filter(ended_at=None).values_list("role", flat=True))


def is_registrar(person: Person) -> bool:
    """Whether a person keeps the registry now: through an account that opens."""
    held = person.role_grants.filter(role=Role.REGISTRAR, ended_at=None)
    return held.filter(person__accounts__is_active=True).exists()


def three_distinct_people(*, without: RoleGrant | User | None = None) -> bool:
    """Rule 4: evaluator, certifier and appeals officer can be three different persons.

    Whose accounts are all closed does not count. `without` asks how it would be once that role is ended, or that
    account closed. By Hall's theorem it is enough that any one role has one person, any two have two, all three
    three.
    """
    people: dict[str, set[int]] = {role: set() for role in DECIDING_ROLES}
    grants = RoleGrant.objects.filter(ended_at=None, role__in=DECIDING_ROLES)
    accounts = User.objects.filter(person=OuterRef("person"), is_active=True)
    if isinstance(without, RoleGrant):
        grants = grants.exclude(pk=without.pk)
    elif without is not None:
        accounts = accounts.exclude(pk=without.pk)
    grants = grants.filter(Exists(accounts))
    for role, person in grants.values_list("role", "person_id"):
        people[role].add(person)
    sets = list(people.values())
    return (
        all(sets)
        and all(len(sets[i] | sets[j]) >= 2 for i in range(3) for j in range(i))
        and len(sets[0] | sets[1] | sets[2]) >= 3
    )


# ── giving and ending them ───────────────────────────────────────────────────


def refusal_to_keep_people(by: Person) -> Refusal | None:
    """Why `by` may not invite people, give and end roles, or close accounts; or None."""
    return refusal_to_see_people(by) or refusal_after_recovery(by)


def refusal_to_see_people(by: Person) -> Refusal | None:
    """Why `by` may not see who is here, or None."""
    if is_registrar(by):
        return None
    return NotAllowed(_("People and their roles are kept by the registrar."), code="role_missing")


def refusals_to_grant(person: Person, *, by: Person | None) -> dict[Role, Refusal | None]:
    """For each role, why `by` may not give it to `person`, or None. `by` is None only on the server's console."""
    refusal = None
    if by is not None:
        if by.pk == person.pk:
            refusal = NotAllowed(_("Nobody grants a role to oneself (rule 5)."), code="own_role")
        else:
            refusal = refusal_to_keep_people(by)
    refusal = refusal or _refusal_of_operator(person)
    held = set(person.role_grants.filter(ended_at=None).values_list("role", flat=True))
    return {role: refusal or _refusal_beside(role, held - {role.value}) for role in Role}


def _refusal_of_operator(person: Person) -> Refusal | None:
    # By the name under which evidence.Operator points here: the frame imports nothing of it.
    if not person.operating.filter(ended_at=None).exists():
        return None
    return NotAllowed(
        _("This person operates agent runs, and staff who hold a role do not: end that first."),
        code="person_operates",
    )


def _refusal_beside(role: Role, others: set[str]) -> Refusal | None:
    if Role.REGISTRAR not in others and not (role == Role.REGISTRAR and others):
        return None
    return NotAllowed(_("A registrar holds no other role (rule 5)."), code="registrar_holds_no_other_role")


def refusal_to_grant(person: Person, role: Role, *, by: Person | None) -> Refusal | None:
    """Why `by` may not give `role` to `person`, or None."""
    return refusals_to_grant(person, by=by)[role]


@transaction.atomic
def grant(person: Person, role: Role, *, by: Person | None, at: datetime) -> None:
    """Give a role; whoever holds it already keeps it. Every registrar and the person are told.

    Raises NotAllowed: `by` is no registrar, a role for oneself, or a registrar who would hold another (rule 5).
    """
    if refusal := refusal_to_grant(person, role, by=by):
        raise refusal
    if given := take_up(person, role, by=by, at=at):
        people_notices.role_given(given, at=at)


def take_up(person: Person, role: Role, *, by: Person | None, at: datetime) -> RoleGrant | None:
    """Write a role that was promised with an invitation, which was judged when it was made."""
    # Locked: two registrars may give two roles that nobody holds together.
    Person.objects.select_for_update().get(pk=person.pk)
    if refusal := refusal_to_grant(person, role, by=None):
        raise refusal
    if person.role_grants.filter(role=role, ended_at=None).exists():
        return None
    given = RoleGrant.objects.create(person=person, role=role, granted_by=by, granted_at=at)
    audit.record("role.granted", by=by, at=at, subject=f"person:{person.pk}", role=role)
    return given


def refusals_to_end(person: Person, *, by: Person | None) -> dict[Role, Refusal | None]:
    """For each role, why `by` may not end it for `person`, or None."""
    refusal = refusal_to_keep_people(by) if by is not None else None
    last = None
    if refusal is None and not other_registrars(person):
        last = LastRegistrar(_("Nobody else keeps the registry: give that role to someone first."))
    return {role: refusal or (last if role == Role.REGISTRAR else None) for role in Role}


def refusal_to_end(person: Person, role: Role, *, by: Person | None) -> Refusal | None:
    """Why `by` may not end that role of `person`, or None."""
    return refusals_to_end(person, by=by)[role]


def other_registrars(person: Person) -> bool:
    """Whether anybody but `person` keeps the registry, through an account that opens."""
    others = User.objects.filter(
        is_active=True, person__role_grants__role=Role.REGISTRAR, person__role_grants__ended_at=None
    )
    return others.exclude(person=person).exists()


def lock_registrars() -> None:
    """Held while one of them goes, so that two who end each other do not leave nobody."""
    list(RoleGrant.objects.select_for_update().filter(role=Role.REGISTRAR, ended_at=None).order_by("pk"))


@transaction.atomic
def end(person: Person, role: Role, *, by: Person | None, at: datetime) -> None:
    """End a role, and the tokens that act in it: its row stays, with who ended it and when. Twice is once.

    Raises NotAllowed when `by` is no registrar, LastRegistrar when nobody else would keep the registry.
    """
    lock_registrars()
    if refusal := refusal_to_end(person, role, by=by):
        raise refusal
    held = person.role_grants.select_for_update().filter(role=role, ended_at=None).first()
    if held is None:
        return
    held.ended_by, held.ended_at = by, at
    held.save(update_fields=["ended_by", "ended_at"])
    ApiToken.objects.filter(user__person=person, role=role, revoked_at=None).update(revoked_at=at)
    audit.record("role.ended", by=by, at=at, subject=f"person:{person.pk}", role=role)
    people_notices.role_ended(held, at=at)
