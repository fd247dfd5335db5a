"""E-mails: rows of the deciding transaction, sent after commit, again and again until their deadline.

`queue(kind, …)` writes the row; `send_due()` sends what is due and is safe to run anywhere, any number at
once. A letter has four templates, `emails/<name>.{es,en}.{txt,html}`; the first line of the text is the
subject (numbers and fixed words only). They see the letter's facts and `link`, its one address. By default
the name is the row's kind and the facts its data; an app whose letters quote texts of its own rows passes
`compose`, because a row of this table holds codes and numbers only.

An e-mail may arrive twice (a sender that died between sending and noting it), never not at all without
being seen: past its deadline the row is `failed`. Its Message-ID is the row's, so a second copy is known.
"""

import logging
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.core.mail import EmailMultiAlternatives
from django.db import transaction
from django.db.models import Q
from django.template.loader import render_to_string
from django.utils import translation

from registry_site import clock
from registry_site.models import Outbox, OutboxState

log = logging.getLogger(__name__)

LIFETIME = timedelta(days=2)
# A sender that has not come back after this long is taken for dead; its e-mail is sent by the next.
_SENDING_TAKES = timedelta(minutes=5)
_FIRST_PAUSE = timedelta(seconds=30)
_LONGEST_PAUSE = timedelta(hours=4)


def queue(
    kind: str,
    *,
    to: str,
    language: str,
    at: datetime,
    concerns: str = "",
    path: str = "/",
    lifetime: timedelta = LIFETIME,
    **data: Any,
) -> Outbox:
    """Write one e-mail in the caller's transaction. `data` is JSON: numbers and codes, never sealed text.

    `path` is where its one link leads; `concerns` is a code («certificate:…», «package:…») to find it by.
    """
    return Outbox.objects.create(
        kind=kind,
        recipient=to,
        language=language,
        concerns=concerns,
        data={**data, "path": path},
        next_attempt_at=at,
        deadline_at=at + lifetime,
        created_at=at,
    )


@dataclass(frozen=True)
class Letter:
    """What a row says when written out: the name of its templates, their facts, where its link leads."""

    name: str
    facts: dict[str, Any]
    path: str


Compose = Callable[[Outbox], Letter]


def plain(row: Outbox) -> Letter:
    """The letter of a row that says everything itself."""
    return Letter(row.kind, row.data, row.data["path"])


def send_due(*, compose: Compose = plain, limit: int = 100) -> int:
    """Send what is due, at most `limit`; returns how many were sent."""
    sent = 0
    for _ in range(limit):
        row = _take()
        if row is None:
            break
        sent += _send(row, compose)
    return sent


@transaction.atomic
def _take() -> Outbox | None:
    """One due row, marked before it is sent: an attempt that dies is counted all the same."""
    now = clock.now()
    due = Q(state__in=[OutboxState.QUEUED, OutboxState.SENDING], next_attempt_at__lte=now)
    row = (
        Outbox.objects.select_for_update(skip_locked=True)
        .filter(due)
        .order_by("next_attempt_at", "id")
        .first()
    )
    if row is None:
        return None
    if row.attempts and row.deadline_at <= now:
        row.state = OutboxState.FAILED
        row.save(update_fields=["state"])
        return row
    row.state = OutboxState.SENDING
    row.attempts += 1
    row.next_attempt_at = now + _SENDING_TAKES
    row.save(update_fields=["state", "attempts", "next_attempt_at"])
    return row


def _send(row: Outbox, compose: Compose) -> bool:
    if row.state == OutboxState.FAILED:
        # Without the fault: what a mail server says may hold the address.
        log.error("E-mail %s (%s) could not be sent before its deadline", row.pk, row.kind)
        return False
    try:
        message(row, compose).send()
    except Exception as error:
        # Of any kind: a mail server can fail in many ways, and the other e-mails must still leave.
        pause = min(_FIRST_PAUSE * 2 ** (row.attempts - 1), _LONGEST_PAUSE)
        log.warning("E-mail %s (%s), attempt %s: %s", row.pk, row.kind, row.attempts, type(error).__name__)
        Outbox.objects.filter(pk=row.pk, attempts=row.attempts, erased_at=None).update(
            state=OutboxState.QUEUED, next_attempt_at=clock.now() + pause, error=repr(error)[:500]
        )
        return False
    Outbox.objects.filter(pk=row.pk).update(state=OutboxState.SENT, sent_at=clock.now(), error="")
    return True


def message(row: Outbox, compose: Compose = plain) -> EmailMultiAlternatives:
    """The e-mail of a row, as it is sent."""
    address = settings.PUBLIC_URL
    with translation.override(row.language):
        letter = compose(row)
        facts = {**letter.facts, "link": address + letter.path, "registry": settings.REGISTRY_NAME}
        name = f"emails/{letter.name}.{row.language}"
        subject, _, text = render_to_string(f"{name}.txt", facts).lstrip().partition("\n")
        html = render_to_string(f"{name}.html", facts)
    email = EmailMultiAlternatives(
        # Plain spaces: dates carry spaces that do not break, which a header need not.
        subject=" ".join(subject.split()),
        body=text.strip() + "\n",
        to=[row.recipient],
        headers={
            "Message-ID": message_id(row),
            "Auto-Submitted": "auto-generated",
        },
    )
    email.attach_alternative(html, "text/html")
    return email


def replace_link(row: Outbox, sha256: str) -> str:
    """Note the digest of the link that this copy of a letter carries; returns that of the copy before, or "".

    Whoever makes the link ends the earlier one: of a letter that is written out again one link lives.
    """
    earlier, row.link_sha256 = row.link_sha256, sha256
    row.save(update_fields=["link_sha256"])
    return earlier


def message_id(row: Outbox) -> str:
    """By which a mail server names the e-mail of a row when it sends it back."""
    return f"<{row.kind}.{row.pk}@{urlsplit(settings.PUBLIC_URL).hostname}>"
