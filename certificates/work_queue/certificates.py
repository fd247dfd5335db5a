"""Certificates that time does something to: suspensions to review, revocations not final, terms that end."""

from datetime import timedelta

from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from certificates import errata
from certificates.models import CertificateState
from certificates.states import FINALITY_GRACE
from certificates.work_queue.matters import OPEN, SEE, Asked, Kind, Matter
from certificates.work_subjects import Subject
from registry_site.roles import Role

EXPIRING_WITHIN = timedelta(days=60)
KINDS = (Kind.SUSPENSION, Kind.REVOCATION, Kind.EXPIRY)


def read(asked: Asked) -> list[Matter]:
    states = asked.among(CertificateState.objects.all(), "certificate", by="number")
    rows = [
        states.filter(word="suspended", valid_until__gt=asked.now).order_by("review_until"),
        states.filter(word="revoked", final=False).order_by("appeal_until"),
        states.filter(
            word="active", valid_until__gt=asked.now, valid_until__lte=asked.now + EXPIRING_WITHIN
        ).order_by("valid_until"),
    ]
    first, *others = [of_one_kind[: asked.limit + 1] for of_one_kind in rows]
    makers = {"suspended": _suspension, "revoked": _revocation, "active": _expiry}
    # One query for the three kinds; each keeps its own limit.
    matters = [makers[row.word](row, asked) for row in first.union(*others, all=True)]
    return sorted(matters, key=lambda m: m.due or asked.now)


def _suspension(row: CertificateState, asked: Asked) -> Matter:
    return Matter(
        kind=Kind.SUSPENSION,
        title=_("Suspension to review"),
        number=row.number,
        about=errata.named(row),
        missing=_("Review its conditions: reinstate, extend or revoke."),
        address=reverse("staff:certificate", args=[row.number]),
        action=OPEN if Role.CERTIFIER in asked.roles else SEE,
        due=row.review_until,
        subject=Subject("certificate", row.number),
    )


def _revocation(row: CertificateState, _asked: Asked) -> Matter:
    due = row.appeal_until + FINALITY_GRACE if row.appeal_until else None
    return Matter(
        kind=Kind.REVOCATION,
        title=_("Revocation not final"),
        number=row.number,
        about=errata.named(row),
        missing=_("Nothing to do: it becomes final by itself when the appeal period has passed."),
        address=reverse("staff:certificate", args=[row.number]),
        action=SEE,
        due=due,
        subject=Subject("certificate", row.number),
    )


def _expiry(row: CertificateState, _asked: Asked) -> Matter:
    return Matter(
        kind=Kind.EXPIRY,
        title=_("A certificate expires"),
        number=row.number,
        about=errata.named(row),
        missing=_("Nothing to do: it expires by itself. A new measurement allows a new certificate."),
        address=reverse("staff:certificate", args=[row.number]),
        action=SEE,
        due=row.valid_until,
        subject=Subject("certificate", row.number),
    )
