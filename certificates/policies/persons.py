"""What is asked of every person before a step: to be one, to hold the role, to belong to the holder."""

from typing import Any

from django.utils.translation import gettext_lazy as _

from evidence import memberships
from evidence.models import Holder
from registry_site import roles
from registry_site.models import User
from registry_site.problems import NotAllowed, Refusal
from registry_site.roles import Role


def refusal_to_other_than_holder(user: User, holder: Holder) -> Refusal | None:
    person = roles.person_of(user)
    if memberships.is_member(person, holder):
        # What speaks for the holder cannot be taken back: an appeal is filed and withdrawn once.
        return roles.refusal_after_recovery(person)
    return NotAllowed(_("Only the holder's own people do this."), code="not_of_the_holder")


def refusal_to_work_on_evidence(user: User) -> Refusal | None:
    """Why `user` cannot have an evidence package in hand, or None: registrars have no part in evidence."""
    return refusal_without_role(
        user, roles.DECIDING_ROLES, _("Evidence is in the hands of those who evaluate and decide.")
    )


def refusal_to_no_person(user: User) -> Refusal | None:
    person = roles.person_of(user)
    if person is not None:
        return roles.refusal_after_recovery(person)
    return NotAllowed(_("A decision is taken by a person, not by a service account."), code="not_a_person")


def refusal_without_role(user: User, allowed: tuple[Role, ...], told: Any = None) -> Refusal | None:
    refusal = refusal_to_no_person(user)
    if refusal is not None:
        return refusal
    if roles.held_by(user).isdisjoint(allowed):
        return NotAllowed(
            told or _("This decision needs the role that decides on certification."),
            code="role_missing",
            role=allowed[0],
        )
    return None
