"""Roles, persons, and the impartiality rules that need no certificate.

certificates.policies adds the rules that look at a certificate or its evidence. Rules compare
*persons*: two accounts or tokens of one person are one person.
"""

from datetime import datetime

from django.utils.translation import gettext_lazy as _

from registry_site import audit
from registry_site.models import Person, RoleGrant, User
from registry_site.problems import NotAllowed
from registry_site.role_names import DECIDING_ROLES, Role

__all__ = ["DECIDING_ROLES", "Role", "grant", "held_by", "holds", "person_of", "three_distinct_people"]


def person_of(user: User) -> Person | None:
    """The person behind an account; None for a service account or an anonymous visitor."""
    return getattr(user, "person", None) if getattr(user, "is_active", False) else None


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


def three_distinct_people() -> bool:
    """Rule 4: evaluator, certifier and appeals officer can be three different persons.

    By Hall's theorem it is enough that any one role has one person, any two have two, all three three.
    """
    people: dict[str, set[int]] = {role: set() for role in DECIDING_ROLES}
    grants = RoleGrant.objects.filter(ended_at=None, role__in=DECIDING_ROLES)
    for role, person in grants.values_list("role", "person_id"):
        people[role].add(person)
    sets = list(people.values())
    return (
        all(sets)
        and all(len(sets[i] | sets[j]) >= 2 for i in range(3) for j in range(i))
        and len(sets[0] | sets[1] | sets[2]) >= 3
    )


def grant(person: Person, role: Role, *, by: Person | None, at: datetime) -> None:
    """Give a role. `by` is None only on the server's console.

    Raises NotAllowed: a role for oneself (rule 5), or a registrar who would hold another role.
    """
    if by is not None and by.pk == person.pk:
        raise NotAllowed(_("Nobody grants a role to oneself (rule 5)."), code="own_role")
    held = set(person.role_grants.filter(ended_at=None).values_list("role", flat=True))
    if role in held:
        return
    if (role == Role.REGISTRAR and held) or Role.REGISTRAR in held:
        raise NotAllowed(_("A registrar holds no other role (rule 5)."), code="registrar_holds_no_other_role")
    RoleGrant.objects.create(person=person, role=role, granted_by=by, granted_at=at)
    audit.record("role.granted", by=by, at=at, subject=f"person:{person.pk}", role=role)
