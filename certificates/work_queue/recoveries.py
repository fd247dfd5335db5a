"""Second factors that one registrar asked to remove and another has to confirm."""

from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from certificates.work_queue.matters import CONFIRM, SEE, Asked, Kind, Matter
from registry_site import recoveries
from registry_site.roles import Role


def read(asked: Asked) -> list[Matter]:
    """Open cases, for registrars alone: who lost what is nobody else's matter."""
    if Role.REGISTRAR not in asked.roles:
        return []
    return [
        Matter(
            kind=Kind.RECOVERY,
            title=_("Second factor to remove"),
            about=case.person.name,
            missing=_("Another registrar than the one who opened the case confirms it."),
            address=reverse("staff:recovery", args=[case.pk]),
            action=SEE if asked.person.pk in (case.opened_by_id, case.person_id) else CONFIRM,
            due=case.deadline_at,
        )
        for case in recoveries.open_cases(at=asked.now)[: asked.limit + 1]
    ]
