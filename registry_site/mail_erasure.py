"""Erases to whom e-mails went: from their rows, and from the folder where they are written without a mail server.

That an e-mail was written, of which kind and when, stays. Two ways lead here: the case that it is about is over
(`forget`), or it is old (`forget_old`).
"""

import os
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


# What Django's file backend writes after each e-mail.
_END_OF_ONE = b"-" * 79 + b"\n"


def _remove_copies(rows: Iterable[Outbox]) -> None:
    """Every copy of these e-mails; the folder is read once for all of them.

    The backend names a file by the second and by the address of an object, so two e-mails may share one.
    """
    named = {outbox.message_id(row) for row in rows}
    for file in _files() if named else ():
        try:
            copies, written = _copies_in(file.read_bytes()), file.stat().st_mtime
        except FileNotFoundError:
            continue
        kept = [copy for copy in copies if _message_id(copy) not in named]
        if not kept:
            file.unlink(missing_ok=True)
        elif len(kept) < len(copies):
            part = file.with_suffix(".part")
            part.write_bytes(b"".join(kept))
            os.utime(part, (written, written))  # what is left is as old as it was
            part.replace(file)


def _copies_in(content: bytes) -> list[bytes]:
    """The e-mails of one file. A line of dashes inside one begins no other: that has its Message-ID."""
    copies: list[bytes] = []
    for piece in content.split(_END_OF_ONE):
        if not piece.strip():
            continue
        if copies and not _message_id(piece):
            copies[-1] += piece + _END_OF_ONE
        else:
            copies.append(piece + _END_OF_ONE)
    return copies


def _message_id(copy: bytes) -> str:
    return _PARSE.parsebytes(copy).get("Message-ID", "").strip()


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
