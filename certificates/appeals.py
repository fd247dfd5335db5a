"""Filing, admitting, deciding and withdrawing appeals: the only writer of appeals and their steps.

Each function is one transaction: the certificate's lock first, then the appeal's, then the rules, the table of
steps, the event with its public event, and what visitors read. An outcome that changes the certificate goes
through `certificates.lifecycle`. Deadlines surface in the queue; nothing here is decided by one.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.db import IntegrityError, transaction
from django.db.models import Max
from django.utils.translation import gettext_lazy as _

from certificates import (
    addresses,
    appeal_links,
    appeal_rows,
    appeal_states,
    applications,
    attached_files,
    lifecycle,
    notices,
    numbers,
    policies,
    publishing,
    refusals,
    terms,
)
from certificates.appeal_authors import Author
from certificates.appeal_states import (
    EVENT_TYPES,
    AppealOutcome,
    AppealState,
    AppealStep,
    Effect,
    Inadmissibility,
)
from certificates.models import (
    Appeal,
    AppealAttachment,
    AppealContact,
    AppealEvent,
    AppealStanding,
    CertificateState,
    Notice,
)
from certificates.notices import BothLanguages
from certificates.pages import Text
from certificates.states import Decision
from evidence.typed_json import is_unsafe_name
from registry_site import audit, leaves, mail_erasure, outbox, public_events, sweeping
from registry_site.models import NumberSeries, PublicEvent, User
from registry_site.roles import Role

LONGEST_GROUNDS = 20_000
# Calendar days in the zone of the scheme.
ADMITTED_WITHIN = 15
DECIDED_WITHIN = 60


# ── what the holder does ─────────────────────────────────────────────────────


@transaction.atomic
def file(
    by: Author,
    *,
    at: datetime,
    grounds: str,
    name: str,
    email: str,
    language: str,
    attachments: Sequence[attached_files.Kept] = (),
) -> Appeal:
    """Record the appeal of whoever may file it. Too late is recorded too, to be answered with a reason."""
    grounds = _grounds(grounds)
    if not name.strip() or is_unsafe_name(name):
        raise refusals.IncompleteAppeal(
            _("Write the name of whoever appeals."), code="name_needed", field="name"
        )
    notice = appeal_rows.notices_with_parents().get(pk=by.notice_id)
    # Locked first: the same may be sent twice at once, and the sweep may be making it final.
    at = _lock_certificate(notice, at=at)
    by.require_to_file(notice, at=at)
    year, serial = NumberSeries.take("appeal", at=at)
    try:
        with transaction.atomic():
            appeal = Appeal.objects.create(
                number=numbers.appeal_number(year=year, serial=serial),
                notice=notice,
                certificate=notice.certificate,
                filed_at=at,
                late=_is_late(notice, by, at=at),
                grounds=grounds,
            )
    except IntegrityError as error:
        # A refusal has no certificate to lock: of two at once the constraint lets one through.
        if not Appeal.objects.filter(notice=notice).exists():
            raise
        raise policies.refusal_of_appeal(notice) from error
    for position, kept in enumerate(attachments):
        AppealAttachment.objects.create(
            appeal=appeal,
            position=position,
            name=kept.name,
            kind=kept.kind,
            size=kept.size,
            sha256=kept.sha256,
        )
    AppealContact.objects.create(appeal=appeal, name=name.strip(), email=email, language=language)
    _write(
        appeal,
        AppealStep.FILE,
        at=at,
        author=by,
        fixed={
            "decision": notice.number,
            "way": by.way.value,
            "late": appeal.late,
            "grounds": grounds,
            "attachments": [one.sha256 for one in attachments],
        },
        deadline_at=_due(appeal, ADMITTED_WITHIN, at=at),
    )
    appeal_links.use_up(notice=notice, at=at)
    _publish(appeal, at=at)
    return appeal


@transaction.atomic
def withdraw(by: Author, *, at: datetime) -> AppealEvent:
    """The holder desists. The appeal stays recorded, and the decision cannot be appealed again."""
    appeal = appeal_rows.with_parents().get(notice=by.notice_id)
    at = _lock_certificate(appeal.notice, at=at)
    by.require_to_withdraw(appeal, at=at)
    _require(appeal, AppealStep.WITHDRAW)
    event = _write(appeal, AppealStep.WITHDRAW, at=at, author=by, fixed={"way": by.way.value})
    appeal_links.use_up(appeal=appeal, at=at)
    _publish(appeal, at=at)
    return event


# ── what someone who was not involved does ───────────────────────────────────


@transaction.atomic
def admit(appeal: Appeal, *, by: User, at: datetime, summary: BothLanguages) -> AppealEvent:
    """Take it up, with a public summary of its grounds in both languages."""
    summary = notices.in_both_languages(summary, field="summary")
    appeal, at = _begin(appeal, AppealStep.ADMIT, by=by, at=at)
    event = _write(
        appeal,
        AppealStep.ADMIT,
        at=at,
        by=by,
        fixed={"summary": _both(summary)},
        deadline_at=_due(appeal, DECIDED_WITHIN, at=at),
        summary_es=summary.es,
        summary_en=summary.en,
    )
    _publish(appeal, at=at)
    return event


@transaction.atomic
def declare_inadmissible(
    appeal: Appeal, *, by: User, at: datetime, reason: str, reasons: BothLanguages
) -> AppealEvent:
    """Refuse to take it up: late, not the holder's, without grounds. The decision stands."""
    reasons = notices.in_both_languages(reasons, field="reasons")
    if reason not in set(Inadmissibility):
        raise refusals.IncompleteDecision(
            _("There is no such reason."), code="unknown_reason", field="reason"
        )
    appeal, at = _begin(appeal, AppealStep.DECLARE_INADMISSIBLE, by=by, at=at)
    if (reason == Inadmissibility.LATE) != appeal.late:
        raise refusals.IncompleteDecision(
            _("What was filed in time is not late, and what was filed late has no other reason."),
            code="reason_does_not_fit",
            field="reason",
        )
    number = notices.next_number(at=at)
    public = _public_event(
        appeal,
        AppealStep.DECLARE_INADMISSIBLE,
        at=at,
        fixed={"reason": reason, "reasons": _both(reasons), "notice": number},
    )
    notice = _outcome_notice(
        appeal, Decision.APPEAL, number=number, by=by, at=at, reasons=reasons, public_event=public
    )
    event = _write(
        appeal,
        AppealStep.DECLARE_INADMISSIBLE,
        at=at,
        by=by,
        public_event=public,
        reason=reason,
        reasons_es=reasons.es,
        reasons_en=reasons.en,
        notice=notice,
    )
    _publish(appeal, at=at)
    return event


@transaction.atomic
def decide(
    appeal: Appeal,
    *,
    by: User,
    at: datetime,
    outcome: str,
    reasons: BothLanguages,
    effect: str | None = None,
    amended: BothLanguages | None = None,
    **varied: Any,
) -> AppealEvent:
    """Uphold it, in whole or in part, or dismiss it; what follows for the certificate is written with it.

    `effect` belongs to what is upheld in part: `vary` (with `varied`: reason, conditions, review_on), `amend`
    (with `amended`: the statement as it reads from now on), `none`.
    """
    reasons = notices.in_both_languages(reasons, field="reasons")
    outcome, effect = _outcome(outcome, effect)
    new_text = notices.in_both_languages(amended or {}, field="amended") if effect is Effect.AMEND else None
    appeal, at = _begin(appeal, AppealStep.DECIDE, by=by, at=at)
    fixed = {
        "outcome": outcome.value,
        "effect": effect.value if effect else None,
        "reasons": _both(reasons),
        "amended": _both(new_text) if new_text else None,
    }
    changes_it = appeal.certificate and appeal.notice.decision != Decision.REPORT
    if changes_it and (outcome is AppealOutcome.UPHELD or effect is Effect.VARY):
        step = lifecycle.overturn if outcome is AppealOutcome.UPHELD else lifecycle.vary
        taken = step(
            appeal.certificate,
            by=by,
            at=at,
            appeal=appeal,
            statement=reasons,
            **(varied if effect is Effect.VARY else {}),
        )
        at, notice = taken.at, taken.notice
        public = _public_event(appeal, AppealStep.DECIDE, at=at, fixed=fixed | {"notice": notice.number})
    elif effect is Effect.VARY:
        raise refusals.IncompleteDecision(
            _("A decision that changes no certificate has no terms that could be varied."),
            code="effect_does_not_fit",
            field="effect",
        )
    else:
        number = notices.next_number(at=at)
        public = _public_event(appeal, AppealStep.DECIDE, at=at, fixed=fixed | {"notice": number})
        # A refusal that is overturned goes back to another certifier (`policies` asks for this notice). Of a
        # complaint only the outcome falls: what was decided on the certificate is appealed by itself.
        overturned = outcome is AppealOutcome.UPHELD and appeal.certificate is None
        decision = Decision.OVERTURN if overturned else Decision.APPEAL
        notice = _outcome_notice(
            appeal, decision, number=number, by=by, at=at, reasons=reasons, public_event=public
        )
        if decision is Decision.OVERTURN:
            applications.reopen(appeal.notice, by=by, at=at, overturned_by=notice)
    event = _write(
        appeal,
        AppealStep.DECIDE,
        at=at,
        by=by,
        public_event=public,
        outcome=outcome.value,
        effect=effect.value if effect else None,
        reasons_es=reasons.es,
        reasons_en=reasons.en,
        amended_es=new_text.es if new_text else "",
        amended_en=new_text.en if new_text else "",
        notice=notice,
    )
    _publish(appeal, at=at)
    return event


@transaction.atomic
def erase_contact(appeal: Appeal, *, at: datetime) -> bool:
    """Forget who filed it, and to whom its e-mails went; the appeal, its steps and its outcome stay."""
    contacts = AppealContact.objects.filter(appeal=appeal, erased_at=None)
    erased = contacts.update(name="", email="", erased_at=at)
    mail_erasure.forget(appeal.number, at=at)
    return bool(erased)


def sweep(*, at: datetime) -> int:
    """Erase the contacts of appeals that ended PERSONAL_DATA_DAYS ago or earlier; returns how many."""
    before = at - timedelta(days=settings.PERSONAL_DATA_DAYS)
    due = (
        Appeal.objects.filter(contact__erased_at=None)
        .exclude(standing__state__in=[AppealState.FILED, AppealState.ADMITTED])
        .annotate(ended_at=Max("events__at"))
        .filter(ended_at__lte=before)
    )
    return sweeping.each(due, lambda appeal: erase_contact(appeal, at=at))


# ── the frame of every step ──────────────────────────────────────────────────


def _begin(appeal: Appeal, step: AppealStep, *, by: User, at: datetime) -> tuple[Appeal, datetime]:
    appeal = appeal_rows.with_parents().get(pk=appeal.pk)
    at = _lock_certificate(appeal.notice, at=at)
    if refusal := policies.refusal_to_decide_appeal(by, appeal, at=at):
        raise refusal
    _require(appeal, step)
    return appeal, at


def _lock_certificate(notice: Notice, *, at: datetime) -> datetime:
    """Hold the certificate that the decision is about; `at`, or the instant of what was written meanwhile."""
    if notice.certificate_id is None:
        return at
    state = CertificateState.objects.select_for_update().get(pk=notice.certificate_id)
    return max(at, state.changed_at) if state.changed_at - at < timedelta(seconds=5) else at


def _require(appeal: Appeal, step: AppealStep) -> None:
    # Its own lock: a refusal has no certificate to hold, and two may press at once.
    standing = AppealStanding.objects.select_for_update().get(pk=appeal.pk)
    try:
        appeal_states.require(step, appeal_rows.life_of(appeal))
    except appeal_states.Late as error:
        raise refusals.AppealRefused(
            _("It was filed after the period: it can be declared inadmissible, not admitted."),
            code=error.code,
            state=standing.state,
        ) from error
    except appeal_states.AppealStepRefused as error:
        raise refusals.AppealRefused(code=error.code, state=standing.state) from error


def _write(
    appeal: Appeal,
    step: AppealStep,
    *,
    at: datetime,
    by: User | None = None,
    author: Author | None = None,
    fixed: dict[str, Any] | None = None,
    public_event: PublicEvent | None = None,
    deadline_at: datetime | None = None,
    **columns: Any,
) -> AppealEvent:
    last = appeal.events.order_by("-sequence").first()
    person = by.person if by else author.person if author else None
    event = AppealEvent.objects.create(
        appeal=appeal,
        sequence=last.sequence + 1 if last else 1,
        step=step.value,
        at=at,
        by=person,
        role=Role.APPEALS_OFFICER.value if by else None,
        way=author.way.value if author else None,
        request=author.request if author else None,
        public_event=public_event or _public_event(appeal, step, at=at, fixed=fixed or {}),
        **columns,
    )
    state = appeal_states.TRANSITIONS[_state_before(last), step]
    AppealStanding.objects.update_or_create(
        appeal=appeal,
        defaults={"state": state.value, "sequence": event.sequence, "deadline_at": deadline_at},
    )
    audit.record(
        EVENT_TYPES[step],
        by=person,
        at=at,
        subject=f"appeal:{appeal.number}",
        notice=appeal.notice.number,
        **({"way": author.way.value} if author else {}),
    )
    _tell(appeal, step, at=at)
    return event


def _due(appeal: Appeal, days: int, *, at: datetime) -> datetime:
    return terms.end_of_term(at, days=days, zone=appeal_rows.zone_of(appeal))


def _state_before(last: AppealEvent | None) -> AppealState | None:
    if last is None:
        return None
    return AppealState.FILED if last.step == AppealStep.FILE else AppealState.ADMITTED


def _public_event(appeal: Appeal, step: AppealStep, *, at: datetime, fixed: dict[str, Any]) -> PublicEvent:
    return public_events.append(
        EVENT_TYPES[step],
        subject=appeal.number,
        at=at,
        document={"v": 1, "appeal": appeal.number, "at": leaves.instant(at), **fixed},
    )


def _outcome_notice(
    appeal: Appeal,
    decision: Decision,
    *,
    number: str,
    by: User,
    at: datetime,
    reasons: Text,
    public_event: PublicEvent,
) -> Notice:
    return notices.write(
        decision,
        number=number,
        at=at,
        decided_by=by.person,
        statement=reasons,
        role=Role.APPEALS_OFFICER,
        certificate=appeal.certificate,
        measurement=None if appeal.certificate else appeal.notice.measurement,
        about=appeal.notice,
        public_event=public_event,
    )


def _publish(appeal: Appeal, *, at: datetime) -> None:
    if appeal.certificate is not None:
        publishing.republish(appeal.certificate, at=at)


# ── e-mails ──────────────────────────────────────────────────────────────────


def _tell(appeal: Appeal, step: AppealStep, *, at: datetime) -> None:
    """Whoever filed it, and the people who decide appeals; rows hold numbers, `certificates.letters` the texts."""
    contact = AppealContact.objects.get(appeal=appeal)
    recipients = {contact.email: (contact.language, True)} if contact.email else {}
    officers = User.objects.filter(
        is_active=True, person__role_grants__role=Role.APPEALS_OFFICER, person__role_grants__ended_at=None
    )
    recipients |= {email: (language, False) for email, language in officers.values_list("email", "language")}
    for recipient, (language, is_holder) in sorted(recipients.items()):
        outbox.queue(
            EVENT_TYPES[step],
            to=recipient,
            language=language,
            at=at,
            concerns=appeal.number,
            path=addresses.staff_appeal(appeal.number),
            lifetime=notices.MAIL_LIFETIME,
            appeal=appeal.number,
            holder=is_holder,
        )


# ── what is asked of the words ───────────────────────────────────────────────


def _grounds(grounds: str) -> str:
    written = grounds.strip().replace("\r\n", "\n")
    if not written or "\x00" in written:
        raise refusals.IncompleteAppeal(
            _("Write why the decision should be reconsidered."), code="grounds_needed", field="grounds"
        )
    if len(written) > LONGEST_GROUNDS:
        raise refusals.IncompleteAppeal(
            _("The grounds are too long: attach the rest as a file."), code="text_too_long", field="grounds"
        )
    return written


def _is_late(notice: Notice, by: Author, *, at: datetime) -> bool:
    """What came on paper is in time when the registry had it in time, whenever it was entered."""
    if by.request is not None and policies.received_in_time(by.request):
        return False
    return notice.appeal_until is not None and at >= notice.appeal_until


def _outcome(outcome: str, effect: str | None) -> tuple[AppealOutcome, Effect | None]:
    if outcome not in set(AppealOutcome):
        raise refusals.IncompleteDecision(_("Choose the outcome."), code="unknown_outcome", field="outcome")
    if (outcome == AppealOutcome.PARTLY_UPHELD) != bool(effect):
        raise refusals.IncompleteDecision(
            _("What is upheld in part names its effect, and nothing else does."),
            code="effect_needed",
            field="effect",
        )
    if effect and effect not in set(Effect):
        raise refusals.IncompleteDecision(
            _("There is no such effect."), code="unknown_effect", field="effect"
        )
    return AppealOutcome(outcome), Effect(effect) if effect else None


def _both(text: Text) -> dict[str, str]:
    return {"es": text.es, "en": text.en}
