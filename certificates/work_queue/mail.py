"""E-mails that did not arrive: they wait until a person sends them again or tells their reader otherwise."""

import re

from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from certificates import policies, words
from certificates.numbers import (
    APPEAL_PATTERN,
    APPLICATION_PATTERN,
    CERTIFICATE_PATTERN,
    NOTICE_PATTERN,
    REPORT_PATTERN,
)
from certificates.states import EVENT_TYPES, Step
from certificates.work_queue.matters import OPEN, Asked, Kind, Matter
from registry_site.models import Outbox, OutboxState

_NUMBERS = (CERTIFICATE_PATTERN, NOTICE_PATTERN, APPEAL_PATTERN, APPLICATION_PATTERN, REPORT_PATTERN)


def read(asked: Asked) -> list[Matter]:
    """The oldest first; only those that this person may read, and no address."""
    rows = Outbox.objects.filter(policies.letters_for(asked.roles), state=OutboxState.FAILED, erased_at=None)
    return [_matter(row) for row in rows.order_by("deadline_at")[: asked.limit + 1]]


def _matter(row: Outbox) -> Matter:
    if row.kind == EVENT_TYPES[Step.REVOKE] and row.data.get("to_holder"):
        missing = _("The holder was not told: the revocation does not become final before.")
    else:
        missing = _("Send it again, or tell its reader otherwise.")
    return Matter(
        kind=Kind.MAIL,
        title=_("E-mail not delivered"),
        number=row.concerns if any(re.fullmatch(one, row.concerns) for one in _NUMBERS) else "",
        about=words.word("mail", row.kind),
        missing=missing,
        address=reverse("staff:letter", args=[row.pk]),
        action=OPEN,
        # Since when somebody waits for it without knowing.
        due=row.returned_at or row.deadline_at,
    )
