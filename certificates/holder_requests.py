"""Written requests of holders, kept word by word, so that a second person may act on them (rule 6)."""

from datetime import date, datetime, timedelta

from django.db import transaction
from django.utils.translation import gettext_lazy as _

from certificates import policies, refusals
from certificates.models import Certificate, HolderRequest
from certificates.models.notice import HolderRequestKind
from registry_site import audit
from registry_site.models import User

LONGEST_TEXT = 20_000
# Whoever writes the date may be in any zone: only a day that has begun nowhere yet lies ahead.
EASTERNMOST = timedelta(hours=14)


@transaction.atomic
def store(
    certificate: Certificate, *, by: User, at: datetime, kind: str, text: str, received_on: date
) -> HolderRequest:
    """Keep one request. Raises what `policies.refusal_to_store_request` says, or IncompleteDecision."""
    if refusal := policies.refusal_to_store_request(by, certificate, at=at):
        raise refusal
    if kind not in HolderRequestKind.values:
        raise refusals.IncompleteDecision(
            _("A holder asks to end a certificate or to have it superseded."),
            code="unknown_kind",
            field="kind",
        )
    if not text.strip() or "\x00" in text:
        raise refusals.IncompleteDecision(
            _("A written request is kept with its text."), code="text_needed", field="text"
        )
    if len(text) > LONGEST_TEXT:
        raise refusals.IncompleteDecision(
            _("The text of the request is too long."), code="text_too_long", field="text"
        )
    if received_on > (at + EASTERNMOST).date():
        raise refusals.IncompleteDecision(
            _("A request is stored after it was received."),
            code="received_in_the_future",
            field="received_on",
        )
    request = HolderRequest.objects.create(
        certificate=certificate,
        kind=kind,
        text=text,
        received_on=received_on,
        stored_by=by.person,
        stored_at=at,
    )
    audit.record(
        "request.stored", by=by.person, at=at, subject=f"certificate:{certificate.number}", kind=kind
    )
    return request
