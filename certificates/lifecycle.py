"""Issue, suspend, reinstate, revoke and all other steps: the only writer of certificates and their events.

Each function takes who (`by`), when (`at`, the database clock read once by the door) and why, and is one
transaction: lock, ask the rules, ask the table of steps, then notice, event, state, public documents and
e-mails. Locks are taken in one order: certificates by id, the measurement, then the series of numbers.
"""

from collections.abc import Sequence
from datetime import date, datetime, timedelta

from django.conf import settings
from django.db import transaction
from django.utils.translation import gettext_lazy as _

from certificates import (
    appeal_states,
    application_rows,
    applications,
    locks,
    names,
    notices,
    numbers,
    policies,
    publishing,
    refusals,
    report_confidence,
    report_rows,
    states,
    steps,
    terms,
)
from certificates.application_states import ApplicationStep
from certificates.models import (
    Appeal,
    Application,
    Certificate,
    CertificateState,
    HolderRequest,
    Notice,
    Report,
    StatusEvent,
)
from certificates.models.notice import HolderRequestKind
from certificates.notices import BothLanguages
from certificates.pages import Text
from certificates.states import Decision, Status, Step
from grading.models import Measurement
from registry_site import audit, leaves, public_events, sweeping
from registry_site.models import NumberSeries, User
from registry_site.roles import Role

# A suspension is looked at again within this long, and each extension sets it so far ahead at most.
LONGEST_REVIEW = timedelta(days=90)


# ── issue ────────────────────────────────────────────────────────────────────


@transaction.atomic
def issue(
    measurement: Measurement,
    *,
    by: User,
    at: datetime,
    statement: BothLanguages,
    valid_until: datetime | date | None = None,
    supersedes: Certificate | None = None,
) -> Certificate:
    """Issue a certificate on a frozen measurement.

    `valid_until` is the instant at which it ends, or its last day in the scheme's zone; by default the term
    is the longest of the scheme. `supersedes` names the certificate of the same version whose place it takes.
    """
    statement = notices.in_both_languages(statement)
    held = CertificateState.objects.filter(measurement=measurement, live=True).values_list("pk", flat=True)
    locked = steps.lock_all({*held, *([supersedes.pk] if supersedes else [])})
    locks.hold_measurement(measurement)
    measurement = names.with_parents().get(pk=measurement.pk)
    # What the clock has ended no longer holds its measurement; a late sweep does not stand in the way.
    for life in locked.values():
        steps.record_expiry(life, at=at)
    rules = measurement.scheme.rules
    until = _end_of_term(valid_until, measurement)
    earlier = locked[supersedes.pk] if supersedes else None
    if earlier is not None:
        at = steps.not_before(at, earlier)
    application = application_rows.open_of(measurement)
    at = applications.not_before(at, application)
    steps.refuse_if(
        policies.refusal_to_issue(
            by, measurement, at=at, valid_until=until, supersedes=earlier.certificate if earlier else None
        )
    )
    if earlier is not None:
        steps.require(earlier, Step.SUPERSEDE, at=at, by=by)
    until = until or policies.longest_term(measurement, at=at)

    year, serial = NumberSeries.take("certificate", at=at)
    number = numbers.certificate_number(prefix=settings.CERTIFICATE_PREFIX, year=year, serial=serial)
    named = names.of(
        measurement, issued_at=at, valid_until=until, supersedes=earlier.certificate if earlier else None
    )
    certificate = Certificate.objects.create(
        number=number,
        measurement=measurement,
        system_version=measurement.system_version,
        supersedes=earlier.certificate if earlier else None,
        names=named,
        zone=rules.time_zone,
        issued_at=at,
        valid_until=until,
    )
    if earlier is not None:
        steps.decide(earlier, Step.SUPERSEDE, by=by, at=at, statement=statement, other=certificate)
    notice = notices.write(
        Decision.ISSUE,
        at=at,
        decided_by=by.person,
        statement=statement,
        certificate=certificate,
        measurement=measurement,
        other=earlier.certificate if earlier else None,
    )
    if application is not None:
        applications.answer(application, ApplicationStep.ISSUE, by=by, at=at, notice=notice)
    life = steps.Life(certificate, CertificateState(certificate=certificate), [])
    steps.append(
        life,
        Step.ISSUE,
        at=at,
        notice=notice,
        fixed={
            "names": named,
            "statement": {"es": statement.es, "en": statement.en},
            **_applied_for(application),
        },
        valid_until=until,
    )
    steps.begin_state(life)
    steps.tell(life, Step.ISSUE, by=by, at=at, notice=notice)
    publishing.let_relatives_go_stale(certificate, at=at)
    return certificate


@transaction.atomic
def refuse_issue(
    measurement: Measurement, *, by: User, at: datetime, statement: BothLanguages, reason: str | None = None
) -> Notice:
    """Refuse a certificate: a notice and a public event of its own, for no certificate can carry one."""
    statement = notices.in_both_languages(statement)
    reason = _reason_without_report(notices.reason_code(reason, required=False, statement=statement))
    locks.hold_measurement(measurement)
    measurement = names.with_parents().get(pk=measurement.pk)
    application = application_rows.open_of(measurement)
    at = applications.not_before(at, application)
    steps.refuse_if(policies.refusal_to_refuse(by, measurement, at=at))
    rules = measurement.scheme.rules
    appeal_until = terms.end_of_term(at, days=rules.appeal_period, zone=rules.zone)
    number = notices.next_number(at=at)
    event = public_events.append(
        "decision.refused",
        subject=number,
        at=at,
        document={
            "v": 1,
            "notice": number,
            "measurement": names.of_measurement(measurement),
            "evidence": measurement.package.sha256,
            "reason": reason,
            "statement": {"es": statement.es, "en": statement.en},
            "appeal_until": leaves.instant(appeal_until),
            **_applied_for(application),
        },
    )
    notice = notices.write(
        Decision.REFUSE,
        number=number,
        at=at,
        decided_by=by.person,
        statement=statement,
        measurement=measurement,
        reason=reason,
        appeal_until=appeal_until,
        public_event=event,
    )
    if application is not None:
        applications.answer(application, ApplicationStep.REFUSE, by=by, at=at, notice=notice)
    audit.record(
        "decision.refused", by=by.person, at=at, subject=f"measurement:{measurement.pk}", notice=number
    )
    holder = measurement.system_version.system.holder
    notices.tell("decision.refused", at=at, holder=holder, concerns=number, by=by, notice=number)
    return notice


def _applied_for(application: Application | None) -> dict[str, str]:
    """What the decision fixes of the application it answers; nothing where there was none."""
    return {"application": application.number} if application else {}


# ── steps that people take ───────────────────────────────────────────────────


@transaction.atomic
def suspend(
    certificate: Certificate,
    *,
    by: User,
    at: datetime,
    reason: str,
    statement: BothLanguages,
    conditions: Sequence[BothLanguages] | BothLanguages,
    review_on: date,
    report: Report | str | None = None,
    if_sequence: int | None = None,
) -> StatusEvent:
    """Take it out of force until the conditions are met; that its review is overdue changes nothing."""
    statement = notices.in_both_languages(statement)
    reason = notices.reason_code(reason, required=True, statement=statement)
    conditions = notices.conditions_in_both_languages(conditions, required=True)
    upheld = _report_of_reason(reason, report, certificate)
    if upheld is not None:
        lines = {code: "\n".join(one[code] for one in conditions) for code in ("es", "en")}
        report_confidence.require_kept(upheld, statement=statement, conditions=Text(**lines))
    life, at = steps.begin(certificate, Step.SUSPEND, by=by, at=at, if_sequence=if_sequence)
    return steps.decide(
        life,
        Step.SUSPEND,
        by=by,
        at=at,
        statement=statement,
        reason=reason,
        report=upheld.number if upheld else None,
        conditions=conditions,
        review_on=_review_date(review_on, life, at=at),
        appeal_until=_appeal_until(life, at=at),
    )


@transaction.atomic
def prolong(
    certificate: Certificate,
    *,
    by: User,
    at: datetime,
    statement: BothLanguages,
    review_on: date,
    conditions: Sequence[BothLanguages] | BothLanguages | None = None,
    reason: str | None = None,
    if_sequence: int | None = None,
) -> StatusEvent:
    """Set a later review date; conditions stay unless new ones are given."""
    statement = notices.in_both_languages(statement)
    reason = _reason_without_report(notices.reason_code(reason, required=False, statement=statement))
    conditions = notices.conditions_in_both_languages(conditions, required=False)
    life, at = steps.begin(certificate, Step.PROLONG, by=by, at=at, if_sequence=if_sequence)
    present = states.status_of(life.facts, at).suspension
    review_on = _review_date(review_on, life, at=at, present=present.review_on if present else None)
    if present is not None and present.review_on is not None and review_on <= present.review_on:
        raise refusals.IncompleteDecision(
            _("A suspension is extended to a later day than the present review date."),
            code="review_date_not_later",
            field="review_on",
        )
    return steps.decide(
        life,
        Step.PROLONG,
        by=by,
        at=at,
        statement=statement,
        reason=reason,
        conditions=conditions,
        review_on=review_on,
        appeal_until=_appeal_until(life, at=at),
        about=_notice_at(life, present.sequence if present else None),
    )


@transaction.atomic
def reinstate(
    certificate: Certificate,
    *,
    by: User,
    at: datetime,
    statement: BothLanguages,
    reason: str | None = None,
    if_sequence: int | None = None,
) -> StatusEvent:
    """Lift a suspension: in force again, within the term it was issued for."""
    statement = notices.in_both_languages(statement)
    reason = _reason_without_report(notices.reason_code(reason, required=False, statement=statement))
    life, at = steps.begin(certificate, Step.REINSTATE, by=by, at=at, if_sequence=if_sequence)
    suspension = states.status_of(life.facts, at).suspension
    return steps.decide(
        life,
        Step.REINSTATE,
        by=by,
        at=at,
        statement=statement,
        reason=reason,
        about=_notice_at(life, suspension.sequence if suspension else None),
    )


@transaction.atomic
def revoke(
    certificate: Certificate,
    *,
    by: User,
    at: datetime,
    reason: str,
    statement: BothLanguages,
    report: Report | str | None = None,
    if_sequence: int | None = None,
) -> StatusEvent:
    """Take it out of force for good: shown at once, final only from its `finalise` event on."""
    statement = notices.in_both_languages(statement)
    reason = notices.reason_code(reason, required=True, statement=statement)
    upheld = _report_of_reason(reason, report, certificate)
    if upheld is not None:
        report_confidence.require_kept(upheld, statement=statement)
    life, at = steps.begin(certificate, Step.REVOKE, by=by, at=at, if_sequence=if_sequence)
    return steps.decide(
        life,
        Step.REVOKE,
        by=by,
        at=at,
        statement=statement,
        reason=reason,
        report=upheld.number if upheld else None,
        appeal_until=_appeal_until(life, at=at),
    )


@transaction.atomic
def terminate(
    certificate: Certificate,
    *,
    by: User,
    at: datetime,
    statement: BothLanguages,
    request: HolderRequest | int,
    reason: str | None = None,
    if_sequence: int | None = None,
) -> StatusEvent:
    """End it at the holder's own wish, on its stored request and by a second person. Not a sanction."""
    statement = notices.in_both_languages(statement)
    if reason not in (None, "", states.Reason.HOLDER_REQUEST):
        raise refusals.IncompleteDecision(
            _("What ends at the holder's request has no other reason."),
            code="reason_does_not_fit",
            field="reason",
        )
    request = _request(request)
    life, at = steps.begin(
        certificate, Step.TERMINATE, by=by, at=at, if_sequence=if_sequence, request=request
    )
    return steps.decide(
        life,
        Step.TERMINATE,
        by=by,
        at=at,
        statement=statement,
        reason=states.Reason.HOLDER_REQUEST.value,
        request=request,
    )


@transaction.atomic
def supersede(
    certificate: Certificate,
    *,
    by: User,
    at: datetime,
    other: Certificate | str,
    statement: BothLanguages,
    request: HolderRequest | int | None = None,
    reason: str | None = None,
    if_sequence: int | None = None,
) -> StatusEvent:
    """Let another in force take its place: of the same version, or at the holder's written request."""
    statement = notices.in_both_languages(statement)
    reason = _reason_without_report(notices.reason_code(reason, required=False, statement=statement))
    request = _request(request) if request else None
    other = _certificate(other)
    locked = steps.lock_all({certificate.pk, other.pk})
    life, replacing = locked[certificate.pk], locked[other.pk]
    at = steps.not_before(at, life)
    steps.require_sequence(life, Step.SUPERSEDE, if_sequence=if_sequence, at=at, by=by)
    steps.refuse_if(
        policies.refusal_to_supersede(
            by, life.certificate, at=at, other=replacing.certificate, request=request
        )
    )
    steps.record_expiry(life, at=at)
    steps.require(life, Step.SUPERSEDE, at=at, by=by)
    in_its_place = states.status_of(replacing.facts, max(at, replacing.rows[-1].at))
    same_holder = replacing.state.holder_id == life.state.holder_id
    if replacing.certificate.pk == life.certificate.pk or not in_its_place.in_force or not same_holder:
        raise refusals.IncompleteDecision(
            _("Only another certificate of the same holder that is in force can take its place."),
            code="cannot_take_its_place",
            field="other",
        )
    event = steps.decide(
        life,
        Step.SUPERSEDE,
        by=by,
        at=at,
        statement=statement,
        reason=reason,
        other=replacing.certificate,
        request=request,
    )
    # Linked both ways: the other page names what it took the place of.
    publishing.publish(replacing.certificate, rows=replacing.rows, at=at)
    return event


@transaction.atomic
def erratum(
    certificate: Certificate,
    *,
    by: User,
    at: datetime,
    statement: BothLanguages,
    do_not_rely: bool = False,
    about: Notice | str | None = None,
    if_sequence: int | None = None,
) -> StatusEvent:
    """Publish a known defect. `do_not_rely` becomes the first sentence of the page; the status stays.

    `about` is the notice of this certificate that it corrects; None where it is about what was measured.
    """
    statement = notices.in_both_languages(statement)
    life, at = steps.begin(certificate, Step.ERRATUM, by=by, at=at, if_sequence=if_sequence)
    event = steps.decide(
        life,
        Step.ERRATUM,
        by=by,
        at=at,
        statement=statement,
        do_not_rely=do_not_rely,
        about=_corrected(about, life) if about else None,
    )
    # Where another page lists its measurement, it tells of the erratum too.
    publishing.let_relatives_go_stale(life.certificate, at=at)
    return event


# ── the outcome of an appeal ─────────────────────────────────────────────────


@transaction.atomic
def overturn(
    certificate: Certificate, *, by: User, at: datetime, appeal: Appeal, statement: BothLanguages
) -> StatusEvent:
    """Leave the appealed decision without effect: as before it, or recorded alone where that changes nothing.

    Called by `certificates.appeals`, in the transaction that decides the appeal.
    """
    statement = notices.in_both_languages(statement)
    life, at, target = _begin_outcome(certificate, Step.OVERTURN, by=by, at=at, appeal=appeal)
    return steps.decide(
        life,
        Step.OVERTURN,
        by=by,
        at=at,
        statement=statement,
        about=appeal.notice,
        role=Role.APPEALS_OFFICER,
        target=target,
        appeal=appeal.number,
    )


@transaction.atomic
def vary(
    certificate: Certificate,
    *,
    by: User,
    at: datetime,
    appeal: Appeal,
    statement: BothLanguages,
    reason: str | None = None,
    conditions: Sequence[BothLanguages] | BothLanguages | None = None,
    review_on: date | None = None,
) -> StatusEvent:
    """Put another reason, other conditions or another date in the place of the appealed decision's.

    What is not given stays as it was. A revocation becomes a suspension, so it needs conditions and a date.
    """
    statement = notices.in_both_languages(statement)
    reason = _reason_without_report(notices.reason_code(reason, required=False, statement=statement))
    given = notices.conditions_in_both_languages(conditions, required=False)
    life, at, target = _begin_outcome(certificate, Step.VARY, by=by, at=at, appeal=appeal)
    facts = states.status_of(life.facts, at)
    stands = facts.standing in (states.Standing.SUSPENDED, states.Standing.REVOKED)
    if stands and target.step == Step.REVOKE and not given:
        raise refusals.IncompleteDecision(
            _("A revocation that becomes a suspension needs conditions for lifting it."),
            code="conditions_needed",
            field="conditions",
        )
    if stands and (review_on is not None or target.step == Step.REVOKE):
        review_on = _review_date(review_on, life, at=at, present=target.review_on)
    if reason is None and target.reason == states.Reason.OTHER:
        # Its clause is the sentence that was signed, which this statement takes the place of.
        raise refusals.IncompleteDecision(
            _("The decision gave “other” as its reason: choose the reason that stands now."),
            code="reason_needed",
            field="reason",
        )
    return steps.decide(
        life,
        Step.VARY,
        by=by,
        at=at,
        statement=statement,
        # Said in full: what is in force is read from this notice, and not put together from two.
        reason=reason or target.reason,
        conditions=given or target.notice.conditions,
        review_on=review_on or target.review_on,
        about=appeal.notice,
        role=Role.APPEALS_OFFICER,
        target=target,
        appeal=appeal.number,
    )


def _begin_outcome(
    certificate: Certificate, step: Step, *, by: User, at: datetime, appeal: Appeal
) -> tuple[steps.Life, datetime, StatusEvent]:
    life = steps.lock(certificate.pk)
    at = steps.not_before(at, life)
    steps.refuse_if(policies.refusal_to_decide_appeal(by, appeal, at=at))
    steps.record_expiry(life, at=at)
    target = next(row for row in life.rows if row.notice_id == appeal.notice_id)
    steps.require(life, step, at=at, by=by, target=target.sequence)
    return life, at, target


# ── what the clock does ──────────────────────────────────────────────────────


@transaction.atomic
def expire(certificate: Certificate, *, at: datetime) -> StatusEvent:
    """Write down that the term has ended. Status never waits for this: every reader computes it."""
    life = steps.lock(certificate.pk)
    at = steps.not_before(at, life)
    steps.require(life, Step.EXPIRE, at=at)
    return steps.write_expiry(life, at=at)


@transaction.atomic
def finalise(certificate: Certificate, *, at: datetime) -> StatusEvent:
    """Make a revocation final: the period to appeal is over, and the holder was told of the decision."""
    life = steps.lock(certificate.pk)
    at = steps.not_before(at, life)
    facts = steps.require(life, Step.FINALISE, at=at)
    revocation = life.rows[facts.ending.sequence - 1]
    _require_no_appeal(revocation.notice, at=at)
    if notices.bounced(revocation.notice):
        raise refusals.NotYetFinal(
            _("The e-mail that told the holder of the revocation could not be delivered."),
            code="mail_bounced",
            notice=revocation.notice.number,
        )
    event = steps.append(
        life,
        Step.FINALISE,
        at=at,
        target=revocation,
        fixed={
            "decision": revocation.notice.number,
            "appeal_until": leaves.instant(revocation.appeal_until),
        },
    )
    steps.follow_state(life)
    steps.tell(life, Step.FINALISE, by=None, at=at)
    return event


def sweep(*, at: datetime, limit: int = 200) -> dict[str, int]:
    """Write down what the clock has done since the last time: expiries, final revocations, stale documents.

    Each certificate is its own transaction; one that is refused, locked or fails is left to the next sweep.
    """
    done: dict[str, int] = {}
    expired = CertificateState.objects.filter(
        valid_until__lte=at, expiry_recorded=False, word__in=[Status.ACTIVE, Status.SUSPENDED]
    ).order_by("valid_until")[:limit]
    revoked = CertificateState.objects.filter(
        word=Status.REVOKED, final=False, appeal_until__lte=at - states.FINALITY_GRACE
    ).order_by("appeal_until")[:limit]
    for name, write, due in (("expired", expire, expired), ("finalised", finalise, revoked)):
        done[name] = sweeping.each(
            due.select_related("certificate"), lambda state, write=write: write(state.certificate, at=at)
        )
    done["republished"] = publishing.republish_stale(at=at, limit=limit)
    return done


# ── dates and what is named ──────────────────────────────────────────────────


def _corrected(about: Notice | str, life: steps.Life) -> Notice:
    number = about if isinstance(about, str) else about.number
    for row in life.rows:
        if row.notice is not None and row.notice.number == number:
            return row.notice
    raise refusals.IncompleteDecision(
        _("An erratum corrects a notice of the same certificate, and that is none."),
        code="not_a_notice_of_it",
        field="about",
    )


def _appeal_until(life: steps.Life, *, at: datetime) -> datetime:
    days = life.certificate.measurement.scheme.rules.appeal_period
    return terms.end_of_term(at, days=days, zone=life.zone)


def _review_date(review_on: date, life: steps.Life, *, at: datetime, present: date | None = None) -> date:
    """The date as it is stored; counted from today, or from the `present` one when that lies ahead."""
    today = at.astimezone(life.zone).date()
    if not isinstance(review_on, date) or isinstance(review_on, datetime):
        raise refusals.IncompleteDecision(
            _("A suspension says by which day it is reviewed."), code="review_date_needed", field="review_on"
        )
    if not today < review_on <= max(today, present or today) + LONGEST_REVIEW:
        raise refusals.IncompleteDecision(
            _("The review date is a later day, at most ninety days ahead."),
            code="review_date_out_of_range",
            field="review_on",
        )
    return review_on


def _end_of_term(valid_until: datetime | date | None, measurement: Measurement) -> datetime | None:
    if isinstance(valid_until, datetime) and valid_until.tzinfo is None:
        raise refusals.IncompleteDecision(
            _("The end of the term needs its offset from UTC."), code="offset_needed", field="valid_until"
        )
    if valid_until is None or isinstance(valid_until, datetime):
        return valid_until
    return terms.end_of_day(valid_until, zone=measurement.scheme.rules.zone)


def _report_of_reason(
    reason: str | None, report: Report | str | None, certificate: Certificate
) -> Report | None:
    """The complaint that was upheld about this certificate, where the decision rests on one."""
    if (reason in states.REASONS_OF_A_REPORT) != bool(report):
        raise refusals.IncompleteDecision(
            _("That reason is the outcome of a complaint: name the complaint that was upheld."),
            code="reason_needs_a_report",
            field="report" if reason in states.REASONS_OF_A_REPORT else "reason",
        )
    if not report:
        return None
    named = report if isinstance(report, Report) else report_rows.find(report)
    found = next((one for one in report_rows.upheld_about(certificate) if one == named), None)
    if found is None:
        raise refusals.IncompleteDecision(
            _("No complaint of that number was upheld about this certificate."),
            code="report_not_upheld",
            field="report",
        )
    return found


def _reason_without_report(reason: str | None) -> str | None:
    """Only a sanction rests on a complaint: no other step has it as its reason."""
    if reason in states.REASONS_OF_A_REPORT:
        raise refusals.IncompleteDecision(
            _("That reason is the outcome of a complaint: name the complaint that was upheld."),
            code="reason_needs_a_report",
            field="reason",
        )
    return reason


def _require_no_request_to_appeal(notice: Notice) -> None:
    """What the holder asked for in time is not lost because nobody has acted on it yet."""
    stored = HolderRequest.objects.filter(notice=notice, kind=HolderRequestKind.APPEAL).select_related(
        "notice__measurement__scheme", "notice__certificate__measurement__scheme"
    )
    if any(policies.received_in_time(one) for one in stored):
        raise refusals.NotYetFinal(
            _("A written request of the holder to appeal waits for a second person to file it."),
            code="request_to_appeal_waits",
        )


def _require_no_appeal(notice: Notice, *, at: datetime) -> None:
    """While it is under appeal, and for a day after that, a revocation is not final."""
    appeal = Appeal.objects.filter(notice=notice).select_related("standing").first()
    if appeal is None:
        _require_no_request_to_appeal(notice)
        return
    ended = appeal.events.order_by("-sequence").values_list("at", flat=True).first()
    if appeal.standing.state in appeal_states.OPEN:
        raise refusals.NotYetFinal(
            _("An appeal against the revocation is under review."),
            code="under_appeal",
            appeal=appeal.number,
        )
    if ended is not None and at < ended + states.FINALITY_GRACE:
        raise refusals.NotYetFinal(earliest=leaves.instant(ended + states.FINALITY_GRACE))


def _request(request: HolderRequest | int) -> HolderRequest:
    if isinstance(request, HolderRequest):
        return request
    found = HolderRequest.objects.filter(pk=request).first()
    if found is None:
        raise refusals.IncompleteDecision(
            _("There is no such written request of the holder."), code="unknown_request", field="request"
        )
    return found


def _certificate(certificate: Certificate | str) -> Certificate:
    if isinstance(certificate, Certificate):
        return certificate
    found = Certificate.objects.filter(number=certificate).first()
    if found is None:
        raise refusals.IncompleteDecision(
            _("There is no certificate with that number."), code="unknown_certificate", field="other"
        )
    return found


def _notice_at(life: steps.Life, sequence: int | None) -> Notice | None:
    return life.rows[sequence - 1].notice if sequence else None
