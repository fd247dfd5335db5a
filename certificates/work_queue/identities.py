"""Holders and systems that packages proposed and nobody has confirmed."""

from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from certificates.work_queue.matters import CONFIRM, SEE, Asked, Kind, Matter
from evidence import identities
from evidence.models import Holder, System
from evidence.models.system import Confirmation


def read(asked: Asked) -> list[Matter]:
    action = CONFIRM if asked.roles & identities.CONFIRMING_ROLES else SEE
    holders = Holder.objects.filter(confirmation=Confirmation.PROPOSED).order_by("-pk")[: asked.limit + 1]
    systems = (
        System.objects.filter(confirmation=Confirmation.PROPOSED, holder__confirmation=Confirmation.CONFIRMED)
        .select_related("holder")
        .order_by("-pk")[: asked.limit + 1]
    )
    return [
        Matter(
            kind=Kind.IDENTITY,
            title=_("Proposed holder"),
            about=holder.name,
            missing=_("Confirm it with its identifier, or merge it into a known one."),
            address=reverse("staff:holder", args=[holder.pk]),
            action=action,
        )
        for holder in holders
    ] + [
        Matter(
            kind=Kind.IDENTITY,
            title=_("Proposed system"),
            about=f"{system.name} · {system.holder.name}",
            missing=_("Confirm it, or merge it into a known one."),
            address=reverse("staff:system", args=[system.pk]),
            action=action,
        )
        for system in systems
    ]
