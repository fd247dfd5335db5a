"""Holders and systems that packages proposed and nobody has confirmed."""

from typing import Any

from django.db.models import F, Value
from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from certificates.work_queue.matters import CONFIRM, SEE, Asked, Kind, Matter
from evidence import identities
from evidence.models import Holder, System
from evidence.models.system import Confirmation


def read(asked: Asked) -> list[Matter]:
    """Holders first, each sort newest first; one query for both."""
    action = CONFIRM if asked.roles & identities.CONFIRMING_ROLES else SEE
    holders = Holder.objects.filter(confirmation=Confirmation.PROPOSED).annotate(
        system=Value(""), holder_name=F("name")
    )
    systems = System.objects.filter(
        confirmation=Confirmation.PROPOSED, holder__confirmation=Confirmation.CONFIRMED
    ).annotate(system=F("name"), holder_name=F("holder__name"))
    first, second = (
        rows.order_by("-pk").values_list("pk", "system", "holder_name")[: asked.limit + 1]
        for rows in (holders, systems)
    )
    found = first.union(second, all=True)
    return [_holder(pk, holder, action) for pk, system, holder in found if not system] + [
        _system(pk, f"{system} · {holder}", action) for pk, system, holder in found if system
    ]


def _holder(pk: int, about: str, action: Any) -> Matter:
    return Matter(
        kind=Kind.IDENTITY,
        title=_("Proposed holder"),
        about=about,
        missing=_("Confirm it with its identifier, or merge it into a known one."),
        address=reverse("staff:holder", args=[pk]),
        action=action,
    )


def _system(pk: int, about: str, action: Any) -> Matter:
    return Matter(
        kind=Kind.IDENTITY,
        title=_("Proposed system"),
        about=about,
        missing=_("Confirm it, or merge it into a known one."),
        address=reverse("staff:system", args=[pk]),
        action=action,
    )
