"""Erases to whom e-mails went: from their rows, and from the folder where they are written without a mail server.

That an e-mail was written, of which kind and when, stays. Two ways lead here: the case that it is about is over
(`forget`), or it is old (`forget_old`).
"""

from collections.abc import Iterable, Iterator
from datetime import datetime, timedelta
from email.parser import BytesHeaderParser
from pathlib import Path

from django.conf import settings
from django.db import transaction

from registry_site import outbox
from registry_site.models import Outbox, OutboxState

_PARSE = BytesHeaderParser()
_AT_ONCE = 1000


@transaction.atomic
def forget(concerns: str, *, at: datetime) -> int:
    """Erase whoever got e-mails about `concerns`; returns how many. What was not sent yet is not sent any more."""
    rows = list(Outbox.objects.select_for_update().filter(concerns=concerns, erased_at=None))
    _erase(rows, at=at)
    return len(rows)


def forget_old(*, at: datetime) -> int:
    """Erase whoever got e-mails that are older than MAIL_DATA_DAYS; returns how many.

    One that waits to be sent, or for a person because it did not arrive, keeps its address until that is over.
    """
    before = at - timedelta(days=settings.MAIL_DATA_DAYS)
    done = Outbox.objects.filter(
        erased_at=None, created_at__lte=before, state__in=[OutboxState.SENT, OutboxState.SETTLED]
    )
    erased = 0
    while rows := list(done.order_by("created_at")[:_AT_ONCE]):
        _erase(rows, at=at)
        erased += len(rows)
    _remove_old_copies(before)
    return erased


def _erase(rows: list[Outbox], *, at: datetime) -> None:
    keys = [row.pk for row in rows]
    unsent = Outbox.objects.filter(pk__in=keys, state__in=[OutboxState.QUEUED, OutboxState.SENDING])
    unsent.update(state=OutboxState.FAILED)
    Outbox.objects.filter(pk__in=keys).update(recipient="", error="", note="", link_sha256="", erased_at=at)
    # After commit: a file cannot be brought back when the transaction is undone.
    transaction.on_commit(lambda: _remove_copies(rows))


# ── the folder ───────────────────────────────────────────────────────────────


def _remove_copies(rows: Iterable[Outbox]) -> None:
    """Every copy of these e-mails; the folder is read once for all of them."""
    named = {outbox.message_id(row) for row in rows}
    for file in _files() if named else ():
        try:
            with file.open("rb") as opened:
                found = _PARSE.parse(opened).get("Message-ID", "").strip()
        except FileNotFoundError:
            continue
        if found in named:
            file.unlink(missing_ok=True)


def _remove_old_copies(before: datetime) -> None:
    """Copies of any e-mail, of those without a row too (sign-in writes some): by when they were written."""
    for file in _files():
        try:
            if file.stat().st_mtime <= before.timestamp():
                file.unlink()
        except FileNotFoundError:
            continue


def _files() -> Iterator[Path]:
    """What Django's file backend has written; without that backend there is no such folder."""
    folder = Path(settings.EMAIL_FILE_PATH)
    return folder.glob("*.log") if folder.is_dir() else iter(())
