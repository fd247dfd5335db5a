"""The numbered public text of a decision, and the e-mails that tell it: rows of the deciding transaction."""

from collections.abc import Mapping, Sequence
from datetime import date, datetime, timedelta
from typing import Any

from django.utils.translation import gettext_lazy as _

from certificates import numbers
from certificates.models import Certificate, HolderRequest, Notice
from certificates.pages import Text
from certificates.refusals import IncompleteDecision
from certificates.states import Decision, Reason
from evidence.models import Holder
from evidence.typed_json import is_unsafe_name
from grading.models import Measurement
from registry_site import outbox
from registry_site.models import NumberSeries, Outbox, OutboxState, Person, PublicEvent, User
from registry_site.roles import Role

LONGEST_TEXT = 4_000
MOST_CONDITIONS = 20
# After this an e-mail that could not be sent is a failure for people to look at, not a retry.
MAIL_LIFETIME = timedelta(days=3)

BothLanguages = Text | Mapping[str, str]


# ── texts ────────────────────────────────────────────────────────────────────


def in_both_languages(text: BothLanguages, *, field: str = "statement") -> Text:
    """The signed text, or `IncompleteDecision`: rule 4 wants every public text in both languages."""
    given = {"es": text.es, "en": text.en} if isinstance(text, Text) else text
    if not isinstance(given, Mapping):
        raise _incomplete(
            field, _("A public text is given in Spanish and in English."), "both_languages_needed"
        )
    cleaned: dict[str, str] = {}
    for language in ("es", "en"):
        written = given.get(language)
        if not isinstance(written, str) or not written.strip():
            raise _incomplete(
                f"{field}.{language}",
                _("The public text is needed in Spanish and in English (rule 4)."),
                "both_languages_needed",
            )
        written = written.strip().replace("\r\n", "\n")
        if len(written) > LONGEST_TEXT:
            raise _incomplete(f"{field}.{language}", _("The public text is too long."), "text_too_long")
        if is_unsafe_name(written.replace("\n", " ").replace("\t", " ")):
            raise _incomplete(
                f"{field}.{language}",
                _("The text holds control characters or marks that turn the direction of writing."),
                "unsafe_text",
            )
        cleaned[language] = written
    return Text(**cleaned)


def conditions_in_both_languages(
    conditions: BothLanguages | Sequence[BothLanguages] | None, *, required: bool
) -> list[dict[str, str]]:
    """The conditions for lifting a suspension, as they are stored."""
    if not conditions:
        given: Sequence[BothLanguages] = ()
    elif isinstance(conditions, Text | Mapping):
        given = (conditions,)
    else:
        given = conditions
    if required and not given:
        raise _incomplete(
            "conditions", _("A suspension says on which conditions it is lifted."), "conditions_needed"
        )
    if isinstance(given, str) or len(given) > MOST_CONDITIONS:
        raise _incomplete("conditions", _("Conditions are a list of at most twenty."), "too_many_conditions")
    texts = [in_both_languages(one, field=f"conditions.{place}") for place, one in enumerate(given)]
    return [{"es": text.es, "en": text.en} for text in texts]


def reason_code(reason: str | None, *, required: bool, statement: Text) -> str | None:
    """The stored code, or `IncompleteDecision`."""
    if not reason:
        if required:
            raise _incomplete("reason", _("This decision needs a reason."), "reason_needed")
        return None
    if reason not in set(Reason):
        raise _incomplete("reason", _("There is no such reason."), "unknown_reason")
    if reason == Reason.OTHER and "\n" in statement.es + statement.en:
        raise _incomplete(
            "statement",
            _("With “other” as reason the text completes the sentence: write one sentence."),
            "other_needs_one_sentence",
        )
    return Reason(reason).value


def _incomplete(field: str, detail: Any, code: str) -> IncompleteDecision:
    return IncompleteDecision(detail, code=code, field=field)


# ── notices ──────────────────────────────────────────────────────────────────


def write(
    decision: Decision,
    *,
    at: datetime,
    decided_by: Person,
    statement: Text,
    role: Role = Role.CERTIFIER,
    certificate: Certificate | None = None,
    measurement: Measurement | None = None,
    reason: str | None = None,
    reason_number: str | None = None,
    conditions: Sequence[Mapping[str, str]] = (),
    review_on: date | None = None,
    appeal_until: datetime | None = None,
    about: Notice | None = None,
    other: Certificate | None = None,
    do_not_rely: bool = False,
    request: HolderRequest | None = None,
    number: str | None = None,
    public_event: PublicEvent | None = None,
) -> Notice:
    """Append a notice under the next number; called by `certificates.lifecycle` inside its transaction."""
    return Notice.objects.create(
        number=number or next_number(at=at),
        decision=decision.value,
        certificate=certificate,
        measurement=measurement,
        at=at,
        role=role.value,
        decided_by=decided_by,
        reason=reason,
        reason_number=reason_number,
        statement_es=statement.es,
        statement_en=statement.en,
        conditions=list(conditions),
        review_on=review_on,
        appeal_until=appeal_until,
        about=about,
        other=other,
        do_not_rely=do_not_rely,
        request=request,
        public_event=public_event,
    )


def next_number(*, at: datetime) -> str:
    year, serial = NumberSeries.take("notice", at=at)
    return numbers.notice_number(year=year, serial=serial)


# ── e-mails ──────────────────────────────────────────────────────────────────


def tell(
    kind: str,
    *,
    at: datetime,
    holder: Holder,
    concerns: str,
    by: User | None = None,
    certificate: str | None = None,
    notice: str | None = None,
) -> None:
    """Queue the e-mails of one step: to whoever decided, all certifiers, and the holder if it has an address.

    `kind` is the log's word of the step. `concerns` is the notice's number (a bounce is found by it), or the
    certificate's where the clock took the step. Rows hold numbers; `certificates.letters` reads the texts.
    """
    recipients: dict[str, str] = {}
    if by is not None:
        recipients[by.email] = by.language
    certifiers = User.objects.filter(
        is_active=True, person__role_grants__role=Role.CERTIFIER, person__role_grants__ended_at=None
    )
    recipients |= dict(certifiers.values_list("email", "language"))
    if holder.contact_email:
        recipients[holder.contact_email] = holder.contact_language
    for recipient, language in sorted(recipients.items()):
        outbox.queue(
            kind,
            to=recipient,
            language=language,
            at=at,
            concerns=concerns,
            lifetime=MAIL_LIFETIME,
            certificate=certificate,
            notice=notice,
            # Only the holder's letter carries the link to appeal; its secret is made when it is sent.
            to_holder=recipient == holder.contact_email,
        )


def bounced(notice: Notice) -> bool:
    """Whether the e-mail that told the holder of this decision did not arrive, and nobody has told it otherwise."""
    return Outbox.objects.filter(
        concerns=notice.number, data__to_holder=True, state=OutboxState.FAILED
    ).exists()


def present_address(row: Outbox) -> str:
    """Where an e-mail goes when it is sent again: a holder's to the address that the registry has of it now."""
    if not row.data.get("to_holder"):
        return row.recipient
    certificate = Certificate.objects.filter(number=row.data.get("certificate")).first()
    notice = Notice.objects.filter(number=row.data.get("notice")).first()
    version = certificate.system_version if certificate else notice.measurement.system_version
    return version.system.holder.contact_email or row.recipient
