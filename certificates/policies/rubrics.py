"""Who may write a test case and its rubric, seal it, and let it out."""

from django.utils.translation import gettext_lazy as _

from certificates.policies import persons
from grading.models import RubricDraft
from registry_site.models import User
from registry_site.problems import NotAllowed, Refusal
from registry_site.roles import Role


def refusal_to_write_rubrics(user: User) -> Refusal | None:
    """Why `user` may not write cases and rubrics, or read what is sealed, or None: whoever evaluates does."""
    return _refusal_unless(user, (Role.EVALUATOR,))


def refusal_to_seal_rubric(user: User, draft: RubricDraft) -> Refusal | None:
    """Why `user` may not seal this draft, or None. What cannot be changed afterwards is read by two people before."""
    if refusal := refusal_to_write_rubrics(user):
        return refusal
    if user.person == draft.written_by:
        return NotAllowed(
            _("You wrote this rubric: another person who evaluates reads it and seals it."), code="own_rubric"
        )
    return None


# No secret of the person who does it: what is closed or revealed was fixed when it was sealed.
refusal_to_close_series = refusal_to_write_rubrics
refusal_to_reveal_rubric = refusal_to_write_rubrics


def refusal_to_record_rubric_leak(user: User) -> Refusal | None:
    """Why `user` may not tell the public that a rubric leaked, or None."""
    return _refusal_unless(user, (Role.EVALUATOR, Role.CERTIFIER))


def _refusal_unless(user: User, allowed: tuple[Role, ...]) -> Refusal | None:
    return persons.refusal_without_role(
        user, allowed, _("Test cases and their rubrics are in the hands of those who evaluate.")
    )
