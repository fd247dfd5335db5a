"""Issue, suspend, reinstate, revoke and all other steps: the only writer of certificates and their events.

Each function takes who (`by`), when (`at`, the database clock read once by the door) and why, and is one
transaction: lock, ask the rules, ask the table of steps, then notice, event, state, public documents and
e-mails. Locks are taken in one order: certificates by id, the measurement, then the series of numbers.
"""

import logging
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from django.conf import settings
from django.db import OperationalError, connection, transaction
from django.utils.text import format_lazy
from django.utils.translation import get_language, gettext
from django.utils.translation import gettext_lazy as _

from certificates import (
    history,
    names,
    notices,
    numbers,
    policies,
    projections,
    publishing,
    refusals,
    states,
    terms,
    words,
)
from certificates.models import (
    Certificate,
    CertificateState,
    EventDocument,
    HolderRequest,
    Notice,
    StatusEvent,
)
from certificates.models.notice import HolderRequestKind
from certificates.notices import BothLanguages
from certificates.pages import Text
from certificates.states import Decision, Event, Status, Step
from grading.models import Measurement
from registry_site import audit, leaves, public_events, wording
from registry_site.models import NumberSeries, User
from registry_site.problems import Refusal

log = logging.getLogger(__name__)

# Between reading the clock and holding the lock someone else may have decided; that much is no dating back.
LONGEST_WAIT = timedelta(seconds=5)
LONGEST_REVIEW = timedelta(days=366)
LONGEST_REQUEST = 20_000
# The name space of the advisory locks on measurements: any number that nothing else here uses.
MEASUREMENT_LOCKS = 20_260


@dataclass(slots=True)
class _Life:
    """A certificate under its lock, with its whole history."""

    certificate: Certificate
    state: CertificateState
    rows: list[StatusEvent]

    @property
    def facts(self) -> list[Event]:
        return projections.facts_of(self.rows)

    @property
    def zone(self) -> ZoneInfo:
        return ZoneInfo(self.certificate.zone)


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
    locked = _lock_all({*held, *([supersedes.pk] if supersedes else [])})
    _lock_measurement(measurement)
    measurement = names.with_parents().get(pk=measurement.pk)
    # What the clock has ended no longer holds its measurement; a late sweep does not stand in the way.
    for life in locked.values():
        _record_expiry(life, at=at)
    rules = measurement.scheme.rules
    until = _end_of_term(valid_until, measurement)
    earlier = locked[supersedes.pk] if supersedes else None
    if earlier is not None:
        at = _not_before(at, earlier)
    _refuse(
        policies.refusal_to_issue(
            by, measurement, at=at, valid_until=until, supersedes=earlier.certificate if earlier else None
        )
    )
    if earlier is not None:
        _require(Step.SUPERSEDE, earlier, at=at, by=by)
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
        _write_supersession(earlier, certificate, by=by, at=at, statement=statement)
    notice = notices.write(
        Decision.ISSUE,
        at=at,
        decided_by=by.person,
        statement=statement,
        certificate=certificate,
        measurement=measurement,
        other=earlier.certificate if earlier else None,
    )
    life = _Life(certificate, CertificateState(certificate=certificate), [])
    _append(
        life,
        Step.ISSUE,
        at=at,
        notice=notice,
        fixed={"names": named, "statement": {"es": statement.es, "en": statement.en}},
        valid_until=until,
    )
    _begin_state(life)
    _after(life, Step.ISSUE, by=by, at=at, notice=notice)
    publishing.let_relatives_go_stale(certificate, at=at)
    return certificate


@transaction.atomic
def refuse_issue(
    measurement: Measurement, *, by: User, at: datetime, statement: BothLanguages, reason: str | None = None
) -> Notice:
    """Refuse a certificate: a notice and a public event of its own, for no certificate can carry one."""
    statement = notices.in_both_languages(statement)
    reason = notices.reason_code(reason, required=False, statement=statement)
    _lock_measurement(measurement)
    measurement = names.with_parents().get(pk=measurement.pk)
    _refuse(policies.refusal_to_refuse(by, measurement, at=at))
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
    audit.record(
        "decision.refused", by=by.person, at=at, subject=f"measurement:{measurement.pk}", notice=number
    )
    holder = measurement.system_version.system.holder
    notices.tell("decision.refused", at=at, holder=holder, concerns=number, by=by, notice=number)
    return notice


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
    if_sequence: int | None = None,
) -> StatusEvent:
    """Take it out of force until the conditions are met; that its review is overdue changes nothing."""
    statement = notices.in_both_languages(statement)
    reason = notices.reason_code(reason, required=True, statement=statement)
    conditions = notices.conditions_in_both_languages(conditions, required=True)
    life, at = _begin(Step.SUSPEND, certificate, by=by, at=at, if_sequence=if_sequence)
    return _decide(
        life,
        Step.SUSPEND,
        by=by,
        at=at,
        statement=statement,
        reason=_reason_with_its_report(reason),
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
    reason = notices.reason_code(reason, required=False, statement=statement)
    conditions = notices.conditions_in_both_languages(conditions, required=False)
    life, at = _begin(Step.PROLONG, certificate, by=by, at=at, if_sequence=if_sequence)
    present = states.status_of(life.facts, at).suspension
    review_on = _review_date(review_on, life, at=at)
    if present is not None and present.review_on is not None and review_on <= present.review_on:
        raise refusals.IncompleteDecision(
            _("A suspension is extended to a later day than the present review date."),
            code="review_date_not_later",
            field="review_on",
        )
    return _decide(
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
    reason = notices.reason_code(reason, required=False, statement=statement)
    life, at = _begin(Step.REINSTATE, certificate, by=by, at=at, if_sequence=if_sequence)
    suspension = states.status_of(life.facts, at).suspension
    return _decide(
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
    if_sequence: int | None = None,
) -> StatusEvent:
    """Take it out of force for good: shown at once, final only from its `finalise` event on."""
    statement = notices.in_both_languages(statement)
    reason = notices.reason_code(reason, required=True, statement=statement)
    life, at = _begin(Step.REVOKE, certificate, by=by, at=at, if_sequence=if_sequence)
    return _decide(
        life,
        Step.REVOKE,
        by=by,
        at=at,
        statement=statement,
        reason=_reason_with_its_report(reason),
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
    life, at = _begin(Step.TERMINATE, certificate, by=by, at=at, if_sequence=if_sequence, request=request)
    return _decide(
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
    reason = notices.reason_code(reason, required=False, statement=statement)
    request = _request(request) if request else None
    other = _certificate(other)
    locked = _lock_all({certificate.pk, other.pk})
    life, replacing = locked[certificate.pk], locked[other.pk]
    at = _not_before(at, life)
    _require_sequence(if_sequence, Step.SUPERSEDE, life, at=at, by=by)
    _refuse(
        policies.refusal_to_supersede(
            by, life.certificate, at=at, other=replacing.certificate, request=request
        )
    )
    _record_expiry(life, at=at)
    _require(Step.SUPERSEDE, life, at=at, by=by)
    in_its_place = states.status_of(replacing.facts, max(at, replacing.rows[-1].at))
    same_holder = replacing.state.holder_id == life.state.holder_id
    if replacing.certificate.pk == life.certificate.pk or not in_its_place.in_force or not same_holder:
        raise refusals.IncompleteDecision(
            _("Only another certificate of the same holder that is in force can take its place."),
            code="cannot_take_its_place",
            field="other",
        )
    event = _write_supersession(
        life, replacing.certificate, by=by, at=at, statement=statement, reason=reason, request=request
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
    about: Notice | None = None,
    if_sequence: int | None = None,
) -> StatusEvent:
    """Publish a known defect. `do_not_rely` becomes the first sentence of the page; the status stays."""
    statement = notices.in_both_languages(statement)
    life, at = _begin(Step.ERRATUM, certificate, by=by, at=at, if_sequence=if_sequence)
    return _decide(
        life, Step.ERRATUM, by=by, at=at, statement=statement, do_not_rely=do_not_rely, about=about
    )


@transaction.atomic
def store_request(
    certificate: Certificate, *, by: User, at: datetime, kind: str, text: str, received_on: date
) -> HolderRequest:
    """Keep a written request of the holder word by word, so that a second person may act on it (rule 6)."""
    _refuse(policies.refusal_to_store_request(by, certificate, at=at))
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
    if len(text) > LONGEST_REQUEST:
        raise refusals.IncompleteDecision(
            _("The text of the request is too long."), code="text_too_long", field="text"
        )
    # Whoever writes the date may be in any zone: only a day that has begun nowhere yet is refused.
    if received_on > (at + timedelta(hours=14)).date():
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


# ── what the clock does ──────────────────────────────────────────────────────


@transaction.atomic
def expire(certificate: Certificate, *, at: datetime) -> StatusEvent:
    """Write down that the term has ended. Status never waits for this: every reader computes it."""
    life = _lock(certificate.pk)
    at = _not_before(at, life)
    _require(Step.EXPIRE, life, at=at)
    return _write_expiry(life, at=at)


@transaction.atomic
def finalise(certificate: Certificate, *, at: datetime) -> StatusEvent:
    """Make a revocation final: the period to appeal is over, and the holder was told of the decision."""
    life = _lock(certificate.pk)
    at = _not_before(at, life)
    facts = _require(Step.FINALISE, life, at=at)
    revocation = life.rows[facts.ending.sequence - 1]
    holder = life.certificate.system_version.system.holder
    if notices.bounced(revocation.notice, holder=holder):
        raise refusals.NotYetFinal(
            _("The e-mail that told the holder of the revocation could not be delivered."),
            code="mail_bounced",
            notice=revocation.notice.number,
        )
    event = _append(
        life,
        Step.FINALISE,
        at=at,
        target=revocation,
        fixed={
            "decision": revocation.notice.number,
            "appeal_until": leaves.instant(revocation.appeal_until),
        },
    )
    _follow_state(life)
    _after(life, Step.FINALISE, by=None, at=at)
    return event


def sweep(*, at: datetime, limit: int = 200) -> dict[str, int]:
    """Write down what the clock has done since the last time: expiries, final revocations, stale documents.

    Each certificate is its own transaction; one that is refused or locked is left to the next sweep.
    """
    done = {"expired": 0, "finalised": 0, "republished": 0}
    expired = CertificateState.objects.filter(
        valid_until__lte=at, expiry_recorded=False, word__in=[Status.ACTIVE, Status.SUSPENDED]
    ).order_by("valid_until")[:limit]
    revoked = CertificateState.objects.filter(
        word=Status.REVOKED, final=False, appeal_until__lte=at - states.FINALITY_GRACE
    ).order_by("appeal_until")[:limit]
    for name, write, due in (("expired", expire, expired), ("finalised", finalise, revoked)):
        for state in due.select_related("certificate"):
            try:
                write(state.certificate, at=at)
            except Refusal:
                continue
            except OperationalError as error:
                # Someone is deciding on it just now.
                log.info("The sweep left %s to the next one: %s", state.number, type(error).__name__)
                continue
            done[name] += 1
    done["republished"] = publishing.republish_stale(at=at, limit=limit)
    return done


# ── the frame of every step ──────────────────────────────────────────────────


def _begin(
    step: Step,
    certificate: Certificate,
    *,
    by: User,
    at: datetime,
    if_sequence: int | None,
    **more: Any,
) -> tuple[_Life, datetime]:
    # Locked first: two certifiers may press at once.
    life = _lock(certificate.pk)
    at = _not_before(at, life)
    _require_sequence(if_sequence, step, life, at=at, by=by)
    _refuse(policies.REFUSAL_TO[step](by, life.certificate, at=at, **more))
    _record_expiry(life, at=at)
    _require(step, life, at=at, by=by)
    return life, at


def _decide(
    life: _Life,
    step: Step,
    *,
    by: User,
    at: datetime,
    statement: Text,
    reason: str | None = None,
    conditions: Sequence[dict[str, str]] = (),
    review_on: date | None = None,
    appeal_until: datetime | None = None,
    about: Notice | None = None,
    other: Certificate | None = None,
    do_not_rely: bool = False,
    request: HolderRequest | None = None,
) -> StatusEvent:
    notice = notices.write(
        Decision(step.value),
        at=at,
        decided_by=by.person,
        statement=statement,
        certificate=life.certificate,
        reason=reason,
        conditions=conditions,
        review_on=review_on,
        appeal_until=appeal_until,
        about=about,
        other=other,
        do_not_rely=do_not_rely,
        request=request,
    )
    fixed = {
        "statement": {"es": statement.es, "en": statement.en},
        "conditions": list(conditions),
        "review_on": review_on.isoformat() if review_on else None,
        "appeal_until": leaves.instant(appeal_until) if appeal_until else None,
        "about": about.number if about else None,
        "other": other.number if other else None,
        "do_not_rely": do_not_rely,
        "on_behalf_of_the_holder": request is not None,
    }
    event = _append(
        life,
        step,
        at=at,
        notice=notice,
        fixed=fixed,
        reason=reason,
        review_on=review_on,
        review_until=terms.end_of_day(review_on, zone=life.zone) if review_on else None,
        appeal_until=appeal_until,
        other=other,
        do_not_rely=do_not_rely,
    )
    _follow_state(life)
    _after(life, step, by=by, at=at, notice=notice)
    return event


def _append(
    life: _Life,
    step: Step,
    *,
    at: datetime,
    fixed: dict[str, Any],
    notice: Notice | None = None,
    reason: str | None = None,
    **columns: Any,
) -> StatusEvent:
    """One more event: its document under a new salt, its bytes, its hash over the one before."""
    salt = secrets.token_bytes(history.SALT_BYTES)
    content = history.canonical({"v": history.VERSION, **fixed})
    document = EventDocument.objects.create(
        digest=history.document_digest(salt, content), salt=salt, content=content
    )
    last = life.rows[-1] if life.rows else None
    # A fact of the clock has no role: nobody decided it.
    role = notice.role if notice else None
    data = history.event_bytes(
        step=step,
        certificate=life.certificate.number,
        sequence=last.sequence + 1 if last else 1,
        at=at,
        role=role,
        document=document.digest,
        previous=last.hash if last else None,
        reason=reason,
        notice=notice.number if notice else None,
    )
    event = StatusEvent.objects.create(
        certificate=life.certificate,
        sequence=last.sequence + 1 if last else 1,
        step=step.value,
        reason=reason,
        notice=notice,
        role=role,
        at=at,
        document=document,
        previous=last.hash if last else None,
        bytes=data,
        hash=history.event_hash(data),
        **columns,
    )
    life.rows.append(event)
    return event


def _begin_state(life: _Life) -> None:
    life.state = CertificateState.objects.create(
        certificate=life.certificate,
        **names.searched(life.certificate),
        **projections.state_fields(life.rows),
    )


def _follow_state(life: _Life) -> None:
    for name, value in projections.state_fields(life.rows).items():
        setattr(life.state, name, value)
    life.state.save()


def _after(life: _Life, step: Step, *, by: User | None, at: datetime, notice: Notice | None = None) -> None:
    """What visitors read, who is told, and who did it: the same transaction as the event."""
    number = life.certificate.number
    audit.record(
        f"certificate.{step}",
        by=by.person if by else None,
        at=at,
        subject=f"certificate:{number}",
        sequence=life.rows[-1].sequence,
        notice=notice.number if notice else None,
    )
    notices.tell(
        states.EVENT_TYPES[step],
        at=at,
        holder=life.certificate.system_version.system.holder,
        concerns=notice.number if notice else number,
        by=by,
        certificate=number,
        notice=notice.number if notice else None,
    )
    publishing.publish(life.certificate, rows=life.rows, at=at)


def _write_supersession(
    life: _Life,
    other: Certificate,
    *,
    by: User,
    at: datetime,
    statement: Text,
    reason: str | None = None,
    request: HolderRequest | None = None,
) -> StatusEvent:
    return _decide(
        life, Step.SUPERSEDE, by=by, at=at, statement=statement, reason=reason, other=other, request=request
    )


def _write_expiry(life: _Life, *, at: datetime) -> StatusEvent:
    event = _append(
        life, Step.EXPIRE, at=at, fixed={"valid_until": leaves.instant(life.certificate.valid_until)}
    )
    _follow_state(life)
    _after(life, Step.EXPIRE, by=None, at=at)
    return event


def _record_expiry(life: _Life, *, at: datetime) -> None:
    """What the clock has done comes before what people do next."""
    at = _not_before(at, life)
    facts = states.status_of(life.facts, at)
    if facts.standing is states.Standing.EXPIRED and not facts.expiry_recorded:
        _write_expiry(life, at=at)


# ── locks and refusals ───────────────────────────────────────────────────────


def _lock(certificate: int) -> _Life:
    return _lock_all({certificate})[certificate]


def _lock_all(certificates: set[int]) -> dict[int, _Life]:
    """Lock certificates in order of id. The state row is what is locked: the others are written once."""
    held = {
        state.pk: state
        for state in CertificateState.objects.select_for_update().filter(pk__in=certificates).order_by("pk")
    }
    rows = projections.events_of_all(held)
    found = names.certificates_with_parents().filter(pk__in=held)
    return {one.pk: _Life(one, held[one.pk], rows[one.pk]) for one in found}


def _lock_measurement(measurement: Measurement) -> None:
    # Written once, so the application may not lock its row: an advisory lock, released with the transaction.
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(%s, %s)", [MEASUREMENT_LOCKS, measurement.pk % 2**31])


def _not_before(at: datetime, life: _Life) -> datetime:
    """`at`, or the instant of the last event when that one was decided while this one waited for the lock."""
    last = life.rows[-1].at if life.rows else at
    return last if at < last <= at + LONGEST_WAIT else at


def _refuse(refusal: Refusal | None) -> None:
    if refusal is not None:
        raise refusal


def _require_sequence(if_sequence: int | None, step: Step, life: _Life, *, at: datetime, by: User) -> None:
    if if_sequence is not None and if_sequence != life.rows[-1].sequence:
        raise _lost_race(step, life, at=at, by=by)


def _require(step: Step, life: _Life, *, at: datetime, by: User | None = None) -> states.StatusFacts:
    try:
        facts = states.require_step(step, life.facts, at)
    except states.NotYetFinal as refused:
        earliest = leaves.instant(refused.facts["earliest"])
        raise refusals.NotYetFinal(earliest=earliest, present=_present(life, at)) from refused
    except states.StepRefused as refused:
        if by is not None and _was_overtaken(step, life, at=at):
            raise _lost_race(step, life, at=at, by=by) from refused
        raise refusals.ForbiddenStep(
            format_lazy(
                _("“{step}” cannot follow: the certificate is {status}."),
                step=words.BUTTON.get(step, step),
                status=words.STATUS[states.status_of(life.facts, max(at, life.rows[-1].at)).word],
            ),
            code=refused.code,
            step=step.value,
            present=_present(life, at),
        ) from refused
    if facts is None:
        raise refusals.ForbiddenStep(step=step.value)
    return facts


def _was_overtaken(step: Step, life: _Life, *, at: datetime) -> bool:
    """Whether the step was still allowed a moment ago, before what was decided last."""
    if at - life.rows[-1].at > LONGEST_WAIT:
        return False
    try:
        return states.require_step(step, life.facts[:-1], at) is not None
    except states.StepRefused:
        return False


def _lost_race(step: Step, life: _Life, *, at: datetime, by: User) -> refusals.LostRace:
    last = life.rows[-1]
    language = wording.language_of(get_language() or "es")
    told = {
        "step": str(words.STEP.get(last.step, last.step)).format(n=last.notice.number if last.notice else ""),
        "time": wording.moment(last.at.astimezone(life.zone), language),
    }
    if last.notice is not None and last.notice.decided_by_id == by.person_id:
        detail = gettext("You have already decided: {step}, {time}. This was not recorded again.").format(
            **told
        )
    else:
        detail = gettext("Someone else has just decided: {step}, {time}. Yours was not recorded.").format(
            **told
        )
    return refusals.LostRace(detail, step=step.value, present=_present(life, at))


def _present(life: _Life, at: datetime) -> dict[str, Any]:
    """The present state and what led to it, for whoever came too late."""
    last = life.rows[-1]
    facts = states.status_of(life.facts, max(at, last.at))
    return {
        "certificate": life.certificate.number,
        "status": facts.word.value,
        "in_force": facts.in_force,
        "sequence": last.sequence,
        "last": {
            "step": last.step,
            "at": leaves.instant(last.at),
            "notice": last.notice.number if last.notice else None,
        },
    }


# ── dates and what is named ──────────────────────────────────────────────────


def _appeal_until(life: _Life, *, at: datetime) -> datetime:
    days = life.certificate.measurement.scheme.rules.appeal_period
    return terms.end_of_term(at, days=days, zone=life.zone)


def _review_date(review_on: date, life: _Life, *, at: datetime) -> date:
    today = at.astimezone(life.zone).date()
    if not isinstance(review_on, date) or isinstance(review_on, datetime):
        raise refusals.IncompleteDecision(
            _("A suspension says by which day it is reviewed."), code="review_date_needed", field="review_on"
        )
    if not today < review_on <= today + LONGEST_REVIEW:
        raise refusals.IncompleteDecision(
            _("The review date is a later day, at most a year ahead."),
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


def _reason_with_its_report(reason: str | None) -> str | None:
    if reason in states.REASONS_OF_A_REPORT:
        raise refusals.IncompleteDecision(
            _("That reason is the outcome of a complaint: it is taken where the complaint is decided."),
            code="reason_needs_a_report",
            field="reason",
        )
    return reason


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


def _notice_at(life: _Life, sequence: int | None) -> Notice | None:
    return life.rows[sequence - 1].notice if sequence else None
