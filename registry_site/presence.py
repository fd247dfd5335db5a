"""Who is here, in which roles, and what time it is: asked by every staff page, in one query."""

from dataclasses import dataclass
from datetime import UTC, datetime

from django.contrib.postgres.expressions import ArraySubquery
from django.db.models import DateTimeField, Func, OuterRef

from registry_site.models import Person, RoleGrant, User
from registry_site.roles import Role


class _DatabaseClock(Func):
    function = "clock_timestamp"
    output_field = DateTimeField()


@dataclass(frozen=True, slots=True)
class Presence:
    person: Person
    roles: frozenset[Role]
    now: datetime  # database clock, UTC


def of(user: User) -> Presence | None:
    """The person behind an account in use, with the roles held now; None for a service account."""
    if not getattr(user, "is_active", False) or user.person_id is None:
        return None
    person = (
        Person.objects.annotate(
            held=ArraySubquery(RoleGrant.objects.filter(person=OuterRef("pk"), ended_at=None).values("role")),
            now=_DatabaseClock(),
        )
        .filter(pk=user.person_id)
        .get()
    )
    user.person = person  # whoever asks the account for its person asks nobody again
    return Presence(person, frozenset(Role(role) for role in person.held), person.now.astimezone(UTC))
