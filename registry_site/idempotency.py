"""Writes that may be sent twice: the second request with one key gets the first one's answer."""

import hashlib
from datetime import datetime, timedelta
from http import HTTPStatus

from django.db import IntegrityError, transaction
from django.utils.translation import gettext_lazy as _

from registry_site.models import ApiToken, IdempotencyRecord
from registry_site.problems import Refusal

KEPT = timedelta(hours=24)


class KeyMalformed(Refusal):
    code = "idempotency_key_malformed"
    status = HTTPStatus.BAD_REQUEST
    title = _("The Idempotency-Key must be 1 to 255 visible ASCII characters")


class KeyInUse(Refusal):
    """The first request with this key has not been answered yet."""

    code = "idempotency_key_in_use"
    status = HTTPStatus.CONFLICT
    title = _("The first request with this Idempotency-Key is still running. Ask again in a few seconds.")


class KeyReused(Refusal):
    """The key came with another body: that is another request and needs a key of its own."""

    code = "idempotency_key_reused"
    status = HTTPStatus.UNPROCESSABLE_ENTITY
    title = _("This Idempotency-Key was used for a request with another content. Use a new key.")


def key_of(header: str) -> str:
    """The key as it is stored: quotes of a structured field left out. Raises KeyMalformed."""
    key = header[1:-1] if len(header) > 2 and header[0] == header[-1] == '"' else header
    if not 1 <= len(key) <= 255 or not all("!" <= character <= "~" for character in key):
        raise KeyMalformed()
    return key


def begin(
    token: ApiToken, *, method: str, path: str, key: str, body_sha256: str, at: datetime, lease: timedelta
) -> IdempotencyRecord:
    """A running record of our own, or the finished one whose answer is to be sent again.

    `body_sha256` is empty while a streamed body is not read: the caller compares it itself (`require_same`).
    Raises KeyInUse while the first request runs, KeyReused for another body.
    """
    IdempotencyRecord.objects.filter(token=token, key=key, created_at__lt=at - KEPT).delete()
    place = {"token": token, "method": method, "path": path[:300], "key": key}
    fields = {"request_sha256": body_sha256, "created_at": at, "lease_until": at + lease}
    try:
        with transaction.atomic():
            return IdempotencyRecord.objects.create(**place, **fields)
    except IntegrityError:
        pass
    with transaction.atomic():
        # Locked: of two repetitions that find a dead first request, one takes its place.
        record = IdempotencyRecord.objects.select_for_update().filter(**place).first()
        if record is None:  # forgotten between the two statements: its request failed and may be repeated
            raise KeyInUse()
        if body_sha256:
            require_same(record, body_sha256)
        if record.status is None:
            if record.lease_until > at:
                raise KeyInUse()
            record.lease_until = at + lease
            record.request_sha256 = body_sha256
            record.save(update_fields=["lease_until", "request_sha256"])
    return record


def require_same(record: IdempotencyRecord, body_sha256: str) -> None:
    if record.request_sha256 and record.request_sha256 != body_sha256:
        raise KeyReused()


def finish(
    record: IdempotencyRecord, *, status: int, headers: dict[str, str], body: bytes, body_sha256: str = ""
) -> None:
    """Keep the answer. It holds no secret: whoever answers with one leaves it out of what is kept."""
    IdempotencyRecord.objects.filter(pk=record.pk, status=None).update(
        status=status,
        headers=headers,
        body=body,
        request_sha256=body_sha256 or record.request_sha256,
    )


def forget(record: IdempotencyRecord) -> None:
    """The request failed without a lasting answer (5xx, too many requests): the same key may try again."""
    IdempotencyRecord.objects.filter(pk=record.pk, status=None).delete()


def forget_old(*, at: datetime) -> int:
    """Take away what is older than a day, also of tokens that are used no more; called every hour."""
    return IdempotencyRecord.objects.filter(created_at__lt=at - KEPT).delete()[0]


def digest(body: bytes) -> str:
    return hashlib.sha256(body).hexdigest()
