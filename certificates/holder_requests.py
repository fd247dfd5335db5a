"""Written requests of holders, kept word by word, so that a second person may act on them (rule 6)."""

from datetime import date, datetime, timedelta

from django.db import transaction
from django.utils.translation import gettext_lazy as _

from certificates import policies, refusals
from certificates.appeal_states import OPEN
from certificates.models import AppealStanding, Certificate, HolderRequest, Notice
from certificates.models.notice import ABOUT_A_CERTIFICATE, ABOUT_A_DECISION, HolderRequestKind
from registry_site import audit
from registry_site.models import User

LONGEST_TEXT = 20_000
# Whoever writes the date may be in any zone: only a day that has begun nowhere yet lies ahead.
EASTERNMOST = timedelta(hours=14)


@transaction.atomic
def store(
    about: Certificate | Notice, *, by: User, at: datetime, kind: str, text: str, received_on: date
) -> HolderRequest:
    """Keep one request about a certificate, or about a decision: to appeal against it, to withdraw the appeal.

    Raises what `policies.refusal_to_store_request` says, IncompleteDecision, NotAppealable or AppealRefused.
    """
    if refusal := policies.refusal_to_store_request(by, about, at=at):
        raise refusal
    if kind not in kinds_about(about):
        raise refusals.IncompleteDecision(
            _("That is nothing that a holder asks for here."),
            code="unknown_kind",
            field="kind",
        )
    if isinstance(about, Notice):
        _require_sense(about, kind)
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
        certificate=about.certificate if isinstance(about, Notice) else about,
        notice=about if isinstance(about, Notice) else None,
        kind=kind,
        text=text,
        received_on=received_on,
        stored_by=by.person,
        stored_at=at,
    )
    audit.record(
        "request.stored",
        by=by.person,
        at=at,
        subject=f"{'notice' if isinstance(about, Notice) else 'certificate'}:{about.number}",
        kind=kind,
    )
    return request


def kinds_about(about: Certificate | Notice) -> tuple[HolderRequestKind, ...]:
    return ABOUT_A_DECISION if isinstance(about, Notice) else ABOUT_A_CERTIFICATE


def _require_sense(notice: Notice, kind: str) -> None:
    """An appeal that can be filed, or one that can be withdrawn."""
    if kind == HolderRequestKind.APPEAL:
        if refusal := policies.refusal_of_appeal(notice):
            raise refusal
    elif not AppealStanding.objects.filter(appeal__notice=notice, state__in=OPEN).exists():
        raise refusals.AppealRefused(
            _("There is no open appeal against this decision."), code="no_open_appeal"
        )
