"""What the e-mail about a coming end says: read from the certificate when the e-mail is written, never stored."""

from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

from certificates import addresses, projections, states, terms, words
from certificates.models import Certificate
from certificates.states import Status, StatusFacts
from registry_site import clock, outbox, wording
from registry_site.models import Outbox

KIND = "certificate.expires_soon"
# By days left: the day itself, the day before, any other; Spanish and English.
_SUBJECTS = {
    0: ("El certificado {c} vence hoy", "Certificate {c} expires today"),
    1: ("El certificado {c} vence en 1 día", "Certificate {c} expires in 1 day"),
}
_SUBJECT = ("El certificado {c} vence en {d} días", "Certificate {c} expires in {d} days")
_SUBJECT_AFTERWARDS = ("El certificado {c} venció", "Certificate {c} has expired")


def compose(row: Outbox) -> outbox.Letter:
    """The letter of one certificate, with the days that are left when it leaves: it may have waited."""
    certificate = Certificate.objects.get(number=row.data["certificate"])
    zone = ZoneInfo(certificate.zone)
    at = row.sent_at or clock.now()
    left = terms.days_left(certificate.valid_until, at=at, zone=zone)
    pair = _SUBJECT_AFTERWARDS if left < 0 else _SUBJECTS.get(left, _SUBJECT)
    facts = {
        "subject": pair[row.language == "en"].format(c=certificate.number, d=left),
        "certificate": certificate.number,
        "until": wording.deadline(certificate.valid_until.astimezone(zone), row.language),
        **_status(certificate, at=at, zone=zone, language=row.language),
    }
    return outbox.Letter("expiry", facts, addresses.certificate(certificate.number, row.language))


def _status(certificate: Certificate, *, at: datetime, zone: ZoneInfo, language: str) -> dict[str, Any]:
    """Of one that is not in force both facts are told: that, and that it ends."""
    found = states.status_of(projections.facts_of(projections.events_of(certificate)), at)
    if found.word is Status.ACTIVE:
        return {"status": ""}
    return {"status": words.word("status", found.word), **_suspension(found, zone=zone, language=language)}


def _suspension(found: StatusFacts, *, zone: ZoneInfo, language: str) -> dict[str, str]:
    if found.suspension is None or found.word is not Status.SUSPENDED:
        return {}
    review_on = found.suspension.review_on
    return {
        "since": wording.day(found.suspension.since.astimezone(zone).date(), language),
        "notice": found.suspension.notice or "",
        "review_on": wording.day(review_on, language) if review_on else "",
    }
