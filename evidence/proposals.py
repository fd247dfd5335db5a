"""Finds the holder, system and version that a descriptor names, or proposes them for staff to confirm."""

import unicodedata
from datetime import datetime

from django.db import connection

from evidence.identities import folded
from evidence.models import Holder, System, SystemVersion
from evidence.models.system import Confirmation


def _plain(name: str) -> str:
    return unicodedata.normalize("NFC", " ".join(name.split()))


def version_named(
    *, holder: str, system: str, version: str, model_family: str, at: datetime
) -> SystemVersion:
    """The pinned version of these names, in the caller's transaction; what is not known yet is `proposed`.

    Names are compared after NFC and case folding. Of two holders of one name the confirmed one is meant, then
    the older: staff merge what was one, and a wrong guess shows on the page before anything is certified.
    """
    # Locked by name: two packages of a new holder verified at once must not propose it twice.
    _lock_name(f"holder:{folded(holder)}")
    known = Holder.objects.filter(folded=folded(holder)).order_by("confirmation", "id").first()
    if known is None:
        known = Holder.objects.create(
            name=_plain(holder), folded=folded(holder), confirmation=Confirmation.PROPOSED, created_at=at
        )
    its_system, _ = System.objects.get_or_create(
        holder=known,
        folded=folded(system),
        defaults={"name": _plain(system), "confirmation": Confirmation.PROPOSED, "created_at": at},
    )
    pinned, _ = SystemVersion.objects.get_or_create(
        system=its_system,
        version=unicodedata.normalize("NFC", version.strip()),
        defaults={"model_family": _plain(model_family), "created_at": at},
    )
    return pinned


def _lock_name(name: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(hashtextextended(%s, 0))", [name])
