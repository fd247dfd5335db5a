"""Takes away files that no row names, a day after they were last written."""

import logging
from datetime import timedelta

from django.db import transaction

from evidence import storage
from evidence.models import EvidencePackage, PackageState, ResponseSent
from registry_site import clock

log = logging.getLogger(__name__)

AGE = timedelta(hours=24)


def collect() -> int:
    """Remove strays; returns how many. What intake is about to name is safe: both hold the same lock.

    The recorder holds it only while it renews what stands already: hence the second look at the age.
    """
    store = storage.current()
    oldest_kept = (clock.now() - AGE).timestamp()
    removed = 0
    for stray in store.strays():
        # By the file system's clock, which is this machine's; a day is wide enough for both.
        if stray.written_at < oldest_kept and not _is_named(stray):
            removed += _remove(store, stray, oldest_kept=oldest_kept)
    return removed


@transaction.atomic
def _remove(store: storage.LocalStorage, stray: storage.Stray, *, oldest_kept: float) -> bool:
    # Never waits: an upload that is just ending goes first, and the next round finds the stray again.
    if not storage.try_to_lock_for_collecting() or _is_named(stray):
        return False
    if store.written_at(stray) >= oldest_kept:
        return False
    if stray.is_part:
        store.discard(stray.name)
    else:
        store.withhold(stray.name)
    log.info("collected %s", stray.name)
    return True


def _is_named(stray: storage.Stray) -> bool:
    if stray.is_part:
        return EvidencePackage.objects.filter(part=stray.name, state=PackageState.RECEIVING).exists()
    return (
        EvidencePackage.objects.filter(sha256=stray.name).exists()
        or ResponseSent.objects.filter(sha256=stray.name).exists()
    )
