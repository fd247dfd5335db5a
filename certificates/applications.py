"""Filing, storing, withdrawing and answering applications: the only writer of applications and their steps.

Each function is one transaction, under the lock of the measurement. What is decided on one, issue and refusal, is
written by `certificates.lifecycle`, which has the open application answered in its own transaction; an appeal that
overturns a refusal opens it again. Deadlines surface in the queue; nothing here is decided by one.
"""

from datetime import date, datetime, timedelta
from typing import Any

from django.db import transaction
from django.utils.translation import gettext_lazy as _

from certificates import (
    addresses,
    application_links,
    application_rows,
    application_states,
    locks,
    names,
    notices,
    numbers,
    policies,
    refusals,
    terms,
)
from certificates.application_states import (
    EVENT_TYPES,
    OPEN,
    ApplicationInadmissibility,
    ApplicationState,
    ApplicationStep,
)
from certificates.models import (
    Application,
    ApplicationEvent,
    ApplicationLink,
    ApplicationStanding,
    Notice,
)
from certificates.notices import BothLanguages
from certificates.ways import Way
from evidence.models import Holder
from grading.models import Measurement
from registry_site import audit, outbox, signed_links
from registry_site.models import NumberSeries, Outbox, Person, User
from registry_site.roles import Role

# Calendar days in the zone of the scheme, from filing or re-opening to the decision.
ANSWERED_WITHIN = 30
INVITED = "application.invited"
LONGEST_TEXT = 20_000
# Whoever writes the date may be in any zone: only a day that has begun nowhere yet lies ahead.
EASTERNMOST = timedelta(hours=14)
# Between reading the clock and holding the lock someone else may have written; that much is no dating back.
LONGEST_WAIT = timedelta(seconds=5)
# Measurements of one holder that are told of at once when it is confirmed.
MOST_INVITED = 50


# ── what the holder does ─────────────────────────────────────────────────────


@transaction.atomic
def invite(measurement: Measurement, *, at: datetime, by: User | None = None) -> bool:
    """Send the holder the link to apply with, unless it was sent before; `by` someone of the staff, once more.

    False when nothing was sent: the holder is not confirmed or has no address, or nobody can apply.
    """
    if by is not None and (refusal := policies.refusal_to_store_application(by, measurement, at=at)):
        raise refusal
    holder = measurement.system_version.system.holder
    concerns = f"measurement:{measurement.pk}"
    told = by is None and Outbox.objects.filter(concerns=concerns, kind=INVITED).exists()
    if told or not holder.contact_email or at >= policies.certifiable_until(measurement):
        return False
    if policies.refusal_to_apply(measurement) is not None:
        return False
    outbox.queue(
        INVITED,
        to=holder.contact_email,
        language=holder.contact_language,
        at=at,
        concerns=concerns,
        lifetime=notices.MAIL_LIFETIME,
        measurement=measurement.pk,
        holder=True,
    )
    if by is not None:
        audit.record(INVITED, by=by.person, at=at, subject=concerns)
    return True


def invite_holder(holder: Holder, *, at: datetime) -> int:
    """A holder was confirmed: send the links that waited for it; returns how many."""
    waiting = (
        names.with_parents()
        .filter(system_version__system__holder=holder, certificates=None)
        .order_by("-pk")[:MOST_INVITED]
    )
    return sum(invite(one, at=at) for one in waiting)


@transaction.atomic
def file(*, measurement: Measurement, by: ApplicationLink | User, at: datetime) -> Application:
    """Record the holder's application: by a living link to it, or by the account of one of the holder's people."""
    locks.hold_measurement(measurement)
    if isinstance(by, User):
        if refusal := policies.refusal_to_apply_by_account(by, measurement):
            raise refusal
        return _file(measurement, way=Way.ACCOUNT, at=at, entered_by=by.person)
    # Read again under its lock: the same link may be sent twice at once.
    link = application_links.living(
        ApplicationLink.objects.select_for_update(of=("self",))
        .select_related("measurement__system_version__system")
        .get(pk=by.pk),
        at=at,
    )
    if link.measurement_id != measurement.pk:
        raise signed_links.LinkRefused(_("This link is about another measurement."), code="link_of_another")
    return _file(measurement, way=Way.LINK, at=at)


@transaction.atomic
def withdraw(application: Application, *, by: ApplicationLink | User, at: datetime) -> ApplicationEvent:
    """The holder desists. The application stays recorded, and another may be filed on the same measurement."""
    application, at = _begin(application, at=at)
    if isinstance(by, User):
        if refusal := policies.refusal_to_withdraw_application(by, application):
            raise refusal
    else:
        link = application_links.living(ApplicationLink.objects.select_for_update().get(pk=by.pk), at=at)
        if link.application_id != application.pk:
            raise signed_links.LinkRefused(
                _("This link is about another application."), code="link_of_another"
            )
    event = _write(
        application, ApplicationStep.WITHDRAW, at=at, by=by.person if isinstance(by, User) else None
    )
    application_links.use_up(application=application, at=at)
    return event


# ── what the staff do ────────────────────────────────────────────────────────


@transaction.atomic
def store(measurement: Measurement, *, by: User, at: datetime, text: str, received_on: date) -> Application:
    """File an application on the holder's behalf, with its written request: a second person answers it (rule 6)."""
    text = text.strip()
    if not text or "\x00" in text:
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
    locks.hold_measurement(measurement)
    if refusal := policies.refusal_to_store_application(by, measurement, at=at):
        raise refusal
    return _file(
        measurement,
        way=Way.ON_BEHALF,
        at=at,
        entered_by=by.person,
        request_text=text,
        received_on=received_on,
    )


@transaction.atomic
def declare_inadmissible(
    application: Application, *, by: User, at: datetime, reason: str, reasons: BothLanguages
) -> ApplicationEvent:
    """Turn it away without a decision on the measurement: the holder is told why, and may apply again."""
    reasons = notices.in_both_languages(reasons, field="reasons")
    if reason not in set(ApplicationInadmissibility):
        raise refusals.IncompleteDecision(
            _("There is no such reason."), code="unknown_reason", field="reason"
        )
    application, at = _begin(application, at=at)
    if refusal := policies.refusal_to_answer_application(by, application, at=at):
        raise refusal
    event = _write(
        application,
        ApplicationStep.DECLARE_INADMISSIBLE,
        at=at,
        by=by.person,
        role=Role.CERTIFIER,
        reason=reason,
        reasons_es=reasons.es,
        reasons_en=reasons.en,
    )
    application_links.use_up(application=application, at=at)
    return event


# ── what is decided on it ────────────────────────────────────────────────────


def answer(
    application: Application, step: ApplicationStep, *, by: User, at: datetime, notice: Notice
) -> ApplicationEvent:
    """Issue or refusal: called by `certificates.lifecycle`, in its transaction and under its lock."""
    return _write(application, step, at=at, by=by.person, role=Role.CERTIFIER, notice=notice)


def reopen(refusal: Notice, *, by: User, at: datetime, overturned_by: Notice) -> ApplicationEvent | None:
    """A refusal was overturned: what it answered waits again, for another certifier.

    Called by `certificates.appeals`, in the transaction that decides the appeal. None when the refusal answered
    no application, or when another one was filed meanwhile.
    """
    answered = ApplicationEvent.objects.filter(notice=refusal).select_related("application").first()
    if answered is None or application_rows.open_of(answered.application.measurement) is not None:
        return None
    application, at = _begin(answered.application, at=at)
    return _write(
        application,
        ApplicationStep.REOPEN,
        at=at,
        by=by.person,
        role=Role.APPEALS_OFFICER,
        notice=overturned_by,
    )


# ── the frame of every step ──────────────────────────────────────────────────


def _file(
    measurement: Measurement, *, way: Way, at: datetime, entered_by: Person | None = None, **request: Any
) -> Application:
    if refusal := policies.refusal_to_apply(measurement):
        raise refusal
    year, serial = NumberSeries.take("application", at=at)
    application = Application.objects.create(
        number=numbers.application_number(year=year, serial=serial),
        measurement=measurement,
        holder=measurement.system_version.system.holder,
        way=way.value,
        filed_at=at,
        entered_by=entered_by,
        **request,
    )
    _write(application, ApplicationStep.FILE, at=at, by=entered_by)
    application_links.use_up(measurement=measurement, at=at)
    return application


def _begin(application: Application, *, at: datetime) -> tuple[Application, datetime]:
    """The application under the lock of its measurement; `at`, or the instant of what was written meanwhile."""
    locks.hold_measurement(application.measurement)
    application = application_rows.with_parents().get(pk=application.pk)
    return application, not_before(at, application)


def not_before(at: datetime, application: Application | None) -> datetime:
    """`at`, or the instant of the last step when that one was written while this one waited for the lock."""
    last = application.events.last() if application else None
    return last.at if last and at < last.at <= at + LONGEST_WAIT else at


def _write(
    application: Application,
    step: ApplicationStep,
    *,
    at: datetime,
    by: Person | None = None,
    **columns: Any,
) -> ApplicationEvent:
    standing = ApplicationStanding.objects.select_for_update().filter(pk=application.pk).first()
    state = ApplicationState(standing.state) if standing else None
    try:
        after = application_states.require(step, state)
    except application_states.OutOfOrder as error:
        raise refusals.ApplicationRefused(state=state.value if state else None) from error
    event = ApplicationEvent.objects.create(
        application=application,
        sequence=standing.sequence + 1 if standing else 1,
        step=step.value,
        at=at,
        by=by,
        **columns,
    )
    due = (
        terms.end_of_term(at, days=ANSWERED_WITHIN, zone=application.measurement.scheme.rules.zone)
        if after in OPEN
        else None
    )
    ApplicationStanding.objects.update_or_create(
        application=application,
        defaults={
            "measurement_id": application.measurement_id,
            "state": after.value,
            "sequence": event.sequence,
            "deadline_at": due,
        },
    )
    audit.record(
        EVENT_TYPES[step],
        by=by,
        at=at,
        subject=f"application:{application.number}",
        measurement=application.measurement_id,
    )
    _tell(application, step, at=at)
    return event


# ── e-mails ──────────────────────────────────────────────────────────────────

# Of issue and refusal the letter of the decision itself tells: `certificates.letters`.
TOLD = frozenset(
    {
        ApplicationStep.FILE,
        ApplicationStep.DECLARE_INADMISSIBLE,
        ApplicationStep.WITHDRAW,
        ApplicationStep.REOPEN,
    }
)


def _tell(application: Application, step: ApplicationStep, *, at: datetime) -> None:
    """The holder, and the people who decide; rows hold numbers, `certificates.letters` the texts."""
    if step not in TOLD:
        return
    certifiers = User.objects.filter(
        is_active=True, person__role_grants__role=Role.CERTIFIER, person__role_grants__ended_at=None
    )
    recipients = {email: (language, False) for email, language in certifiers.values_list("email", "language")}
    holder = application.holder
    if holder.contact_email:
        recipients[holder.contact_email] = (holder.contact_language, True)
    for recipient, (language, is_holder) in sorted(recipients.items()):
        outbox.queue(
            EVENT_TYPES[step],
            to=recipient,
            language=language,
            at=at,
            concerns=application.number,
            path=addresses.staff_application(application.number),
            lifetime=notices.MAIL_LIFETIME,
            application=application.number,
            holder=is_holder,
        )
