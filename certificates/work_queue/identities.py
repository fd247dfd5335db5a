"""Holders and systems that packages proposed and nobody has confirmed."""

from django.db.models import CharField, Value
from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from certificates.work_queue.matters import CONFIRM, SEE, Asked, Kind, Matter
from certificates.work_subjects import Subject
from evidence import identities
from evidence.models import Holder, System
from evidence.models.system import Confirmation

_TITLES = {"holder": _("Proposed holder"), "system": _("Proposed system")}
_MISSING = {
    "holder": _("Confirm it with its identifier, or merge it into a known one."),
    "system": _("Confirm it, or merge it into a known one."),
}
_KIND = {kind: Value(kind, output_field=CharField()) for kind in _TITLES}


def read(asked: Asked) -> list[Matter]:
    action = CONFIRM if asked.roles & identities.CONFIRMING_ROLES else SEE
    proposed = Holder.objects.filter(confirmation=Confirmation.PROPOSED)
    of_known = System.objects.filter(
        confirmation=Confirmation.PROPOSED, holder__confirmation=Confirmation.CONFIRMED
    )
    holders = asked.among(proposed, "holder").values_list(_KIND["holder"], "pk", "name", Value(""))
    systems = asked.among(of_known, "system").values_list(_KIND["system"], "pk", "name", "holder__name")
    # One query for both; each keeps its own limit.
    rows = holders.order_by("-pk")[: asked.limit + 1].union(
        systems.order_by("-pk")[: asked.limit + 1], all=True
    )
    return [
        Matter(
            kind=Kind.IDENTITY,
            title=_TITLES[kind],
            about=f"{name} · {of}" if of else name,
            missing=_MISSING[kind],
            address=reverse(f"staff:{kind}", args=[pk]),
            subject=Subject(kind, str(pk)),
            action=action,
        )
        for kind, pk, name, of in sorted(rows, key=lambda row: (row[0], -row[1]))
    ]
