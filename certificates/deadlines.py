"""Telling people of what comes: the holder of a certificate before its end. Nothing is decided here.

A sweep that was down for days tells the nearest term alone. What was told is a row, so that it is told once.
"""

import logging
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from django.db import OperationalError, transaction
from django.db.models import Exists, OuterRef

from certificates import expiry_letters, notices, terms
from certificates.models import CertificateState, ExpiryNotice
from certificates.states import Status

log = logging.getLogger(__name__)

# A suspended certificate expires too; its letter tells both facts. What has ended otherwise tells nothing.
TOLD_WHILE = (Status.ACTIVE.value, Status.SUSPENDED.value)


def sweep(*, at: datetime) -> dict[str, int]:
    """Tell what is due; returns how many of each. Safe to run twice and several at once."""
    return {"expiries": tell_expiries(at=at)}


def tell_expiries(*, at: datetime) -> int:
    """Tell holders and certifiers of certificates that end in 60, 30 or 7 days; returns of how many."""
    told = 0
    for days in sorted(terms.EXPIRY_TOLD_BEFORE):
        for certificate in _ending_within(days, at=at):
            try:
                told += _tell_expiry(certificate, at=at)
            except OperationalError as error:
                # Someone is deciding on it just now.
                log.info("The end of certificate %s is told later: %s", certificate, type(error).__name__)
    return told


def _ending_within(days: int, *, at: datetime) -> list[int]:
    """Ids of certificates that end in `days` days or sooner, and of which nothing so near was told."""
    told = ExpiryNotice.objects.filter(certificate=OuterRef("pk"), days_before__lte=days)
    return list(
        CertificateState.objects.filter(
            word__in=TOLD_WHILE,
            expiry_recorded=False,
            valid_until__gt=at,
            # Days are counted in each certificate's own zone, so a day more is looked at.
            valid_until__lte=at + timedelta(days=days + 2),
        )
        .exclude(Exists(told))
        .order_by("valid_until")
        .values_list("pk", flat=True)
    )


@transaction.atomic
def _tell_expiry(certificate: int, *, at: datetime) -> bool:
    # Locked first: it may be revoked at this moment, and another sweep may be telling the same.
    state = CertificateState.objects.select_for_update().get(pk=certificate)
    row = state.certificate
    days = terms.expiry_notice_due(
        state.valid_until, issued_at=state.issued_at, at=at, zone=ZoneInfo(row.zone)
    )
    if days is None or state.word not in TOLD_WHILE:
        return False
    if ExpiryNotice.objects.filter(certificate=row, days_before__lte=days).exists():
        return False
    ExpiryNotice.objects.create(certificate=row, days_before=days, at=at)
    notices.tell(expiry_letters.KIND, at=at, holder=state.holder, concerns=row.number, certificate=row.number)
    return True
