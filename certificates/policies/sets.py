"""Who may seal and reveal a question set, and say that it leaked."""

from django.utils.translation import gettext_lazy as _

from certificates.policies import persons
from registry_site import roles
from registry_site.models import User
from registry_site.problems import NotAllowed, Refusal
from registry_site.roles import Role


def refusal_to_seal_set(user: User) -> Refusal | None:
    """Why `user` may not register a sealed set, or None: whoever evaluates keeps the questions."""
    return _refusal_to_hold_sets(user, (Role.EVALUATOR,))


refusal_to_reveal_set = refusal_to_seal_set


def refusal_to_record_leak(user: User) -> Refusal | None:
    """Why `user` may not tell the public that a set leaked, or None."""
    return _refusal_to_hold_sets(user, (Role.EVALUATOR, Role.CERTIFIER))


def _refusal_to_hold_sets(user: User, allowed: tuple[Role, ...]) -> Refusal | None:
    if refusal := persons.refusal_to_no_person(user):
        return refusal
    if roles.held_by(user).isdisjoint(allowed):
        return NotAllowed(
            _("Question sets are in the hands of those who evaluate."), code="role_missing", role=allowed[0]
        )
    return None
