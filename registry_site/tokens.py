"""API tokens: made once, shown once, kept as SHA-256 only."""

import hashlib
import secrets
import zlib
from datetime import datetime, timedelta

from django.conf import settings
from django.db import transaction
from django.db.models import QuerySet
from django.utils.translation import gettext_lazy as _

from registry_site import audit, roles
from registry_site.models import ApiToken, Person, User
from registry_site.problems import NotAllowed
from registry_site.roles import Role

PREFIX = "feh_"
LIFETIME = timedelta(days=90)


def _checksum(body: str) -> str:
    return f"{zlib.crc32(body.encode()):08x}"


def well_formed(token: str) -> bool:
    """`feh_` + 64 hex digits (256 bits) + 8 of CRC-32: a typing error is told apart without the database."""
    body = token.removeprefix(PREFIX)
    return (
        token.startswith(PREFIX)
        and len(body) == 72
        and secrets.compare_digest(_checksum(body[:64]), body[64:])
    )


def digest(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()


def make(
    user: User, *, role: Role | None, at: datetime, label: str = "", lifetime: timedelta = LIFETIME
) -> str:
    """Make a token and return it: the only moment at which it exists in clear."""
    body = secrets.token_hex(32)
    token = f"{PREFIX}{body}{_checksum(body)}"
    ApiToken.objects.create(
        user=user, role=role or "", label=label, sha256=digest(token), created_at=at, expires_at=at + lifetime
    )
    return token


def grant(user: User, *, role: Role, at: datetime, label: str = "", lifetime: timedelta = LIFETIME) -> str:
    """Make a token that acts in `role`, and record it. Raises NotAllowed when `user` cannot act in that role.

    A service account holds no role: its token may say `evaluator` alone, which hands in evidence.
    """
    if user.person_id is None:
        if role is not Role.EVALUATOR:
            raise NotAllowed(
                _("A service account hands in evidence and never decides: make it for «evaluator»."),
                code="service_account",
            )
    elif not roles.holds(user, role):
        raise NotAllowed(_("This person does not hold the role «%(role)s».") % {"role": role.value})
    token = make(user, role=role, at=at, label=label, lifetime=lifetime)
    audit.record(
        "api_token.made", by=user.person, at=at, subject=f"account:{user.pk}", role=role.value, label=label
    )
    return token


def grant_own(user: User, *, label: str, at: datetime) -> str:
    """Make a token that acts in no role, by its person's own wish: it does what the person may without one."""
    token = make(user, role=None, label=label, at=at)
    audit.record("api_token.made", by=user.person, at=at, subject=f"account:{user.pk}", role="", label=label)
    return token


def own(user: User, *, at: datetime) -> QuerySet[ApiToken]:
    """The living tokens of an account that act in no role, newest first."""
    return ApiToken.objects.filter(user=user, role="", revoked_at=None, expires_at__gt=at).order_by("-pk")


@transaction.atomic
def revoke(row: ApiToken, *, by: Person, at: datetime) -> None:
    """It opens nothing from now on. Twice is once."""
    row = ApiToken.objects.select_for_update().get(pk=row.pk)
    if row.revoked_at is None:
        row.revoked_at = at
        row.save(update_fields=["revoked_at"])
        audit.record("api_token.revoked", by=by, at=at, subject=f"account:{row.user_id}", label=row.label)


def note_use(row: ApiToken, *, at: datetime) -> None:
    """Remember when a token was last used, to the minute: not a write for each request."""
    if row.last_used_at is None or at - row.last_used_at > timedelta(minutes=1):
        ApiToken.objects.filter(pk=row.pk).update(last_used_at=at)


def find(token: str, *, at: datetime) -> ApiToken | None:
    """The living token row, or None for a mistyped, unknown, expired or revoked one."""
    if not well_formed(token):
        return None
    row = (
        ApiToken.objects.select_related("user__person").filter(sha256=digest(token), revoked_at=None).first()
    )
    if row is None or row.expires_at <= at or not row.user.is_active:
        return None
    # As for signing in: demonstration accounts open nothing once the registry has a public host.
    if row.user.is_demo and not settings.LOOPBACK:
        return None
    return row
