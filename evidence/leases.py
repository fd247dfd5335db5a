"""Who works on a package now: one attempt at a time, counted before it starts, by the database clock.

An attempt holds a lease and renews it as it makes progress. Who was killed renews nothing; after
`EVIDENCE_LEASE_SECONDS` another attempt may begin, and whatever the first still tries to write is refused
(`LeaseLost`), which it answers by stopping silently.
"""

import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta

from django.conf import settings
from django.db import transaction
from django.db.models import Q

from evidence.models import EvidencePackage, PackageState
from registry_site import clock

MOST_ATTEMPTS = 3
ACTIVE = (PackageState.RECEIVED, PackageState.VERIFYING, PackageState.RECOMPUTING)


class LeaseLost(Exception):
    """Another attempt has taken over, or the journey ended meanwhile: stop, and write nothing."""


@dataclass(frozen=True)
class Lease:
    """The right of one attempt to write about one package."""

    package_id: int
    secret: uuid.UUID
    attempt: int

    @property
    def _row(self):
        return EvidencePackage.objects.filter(pk=self.package_id, lease=self.secret, state__in=ACTIVE)


def length() -> timedelta:
    return timedelta(seconds=settings.EVIDENCE_LEASE_SECONDS)


@transaction.atomic
def take(package_id: int) -> Lease | None:
    """Begin an attempt; None when there is nothing to do, someone is at it, or three have failed.

    The caller's transaction ends here: the attempt is counted before any work starts, so that a package that
    kills its worker is not tried for ever.
    """
    package = (
        EvidencePackage.objects.select_for_update(skip_locked=True)
        .filter(pk=package_id, state__in=ACTIVE)
        .first()
    )
    if package is None or package.attempts >= MOST_ATTEMPTS:
        return None
    now = clock.now()
    if package.lease is not None and package.lease_until > now:
        return None
    package.lease = uuid.uuid4()
    package.attempts += 1
    package.lease_until = now + length()
    package.heartbeat_at = now
    package.state = PackageState.VERIFYING
    package.progress_bytes = package.progress_members = 0
    package.progress_member = ""
    package.save()
    return Lease(package.pk, package.lease, package.attempts)


def renew(lease: Lease, *, done: int, total: int, members: int, member: str) -> None:
    """Say how far the attempt is (bytes done of total), which proves that it lives. Raises LeaseLost."""
    now = clock.now()
    if not lease._row.update(
        heartbeat_at=now,
        lease_until=now + length(),
        progress_bytes=done,
        progress_total=total,
        progress_members=members,
        progress_member=member[:260],
    ):
        raise LeaseLost


@contextmanager
def held(lease: Lease) -> Iterator[EvidencePackage]:
    """A transaction in which nobody else can take the package over; yields its row. Raises LeaseLost."""
    with transaction.atomic():
        package = lease._row.select_for_update().first()
        if package is None:
            raise LeaseLost
        yield package


def give_back(lease: Lease, *, reason: str, pause: timedelta) -> None:
    """The attempt failed: leave the package to the sweep, not before `pause` is over."""
    lease._row.update(lease=None, lease_until=clock.now() + pause, failure=reason[:60])


def waiting() -> "EvidencePackage.objects":
    """Packages that nobody works on and that no message is known to be on its way for."""
    now = clock.now()
    return EvidencePackage.objects.filter(Q(lease_until=None) | Q(lease_until__lte=now), state__in=ACTIVE)


def announced(package_id: int, *, pause: timedelta) -> None:
    """A message was sent for a waiting package: send no other before `pause` is over."""
    now = clock.now()
    waiting().filter(pk=package_id).update(lease=None, lease_until=now + pause)
