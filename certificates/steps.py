"""The frame of every step: lock the certificate, ask the rules and the table, append one event, tell who must know.

`certificates.lifecycle` is the only one to use it: an event is written there and nowhere else.
"""

import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from django.utils.translation import gettext

from certificates import (
    history,
    names,
    notices,
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
from certificates.pages import Text
from certificates.states import Decision, Event, Step
from registry_site import audit, leaves, present_language, wording
from registry_site.models import User
from registry_site.problems import Refusal
from registry_site.roles import Role

# Between reading the clock and holding the lock someone else may have decided; that much is no dating back.
LONGEST_WAIT = timedelta(seconds=5)


@dataclass(slots=True)
class Life:
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


# ── one step ──────────────────────────────────────────────────


def begin(
    certificate: Certificate,
    step: Step,
    *,
    by: User,
    at: datetime,
    if_sequence: int | None,
    **more: Any,
) -> tuple[Life, datetime]:
    # Locked first: two certifiers may press at once.
    life = lock(certificate.pk)
    at = not_before(at, life)
    require_sequence(life, step, if_sequence=if_sequence, at=at, by=by)
    refuse_if(policies.REFUSAL_TO[step](by, life.certificate, at=at, **more))
    record_expiry(life, at=at)
    require(life, step, at=at, by=by)
    return life, at


def decide(
    life: Life,
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
    role: Role = Role.CERTIFIER,
    target: StatusEvent | None = None,
    appeal: str | None = None,
    report: str | None = None,
) -> StatusEvent:
    notice = notices.write(
        Decision(step.value),
        at=at,
        decided_by=by.person,
        statement=statement,
        certificate=life.certificate,
        reason=reason,
        reason_number=report,
        conditions=conditions,
        review_on=review_on,
        appeal_until=appeal_until,
        about=about,
        other=other,
        do_not_rely=do_not_rely,
        request=request,
        role=role,
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
        **({"appeal": appeal} if appeal else {}),
        **({"report": report} if report else {}),
    }
    event = append(
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
        target=target,
        appeal=appeal,
    )
    follow_state(life)
    tell(life, step, by=by, at=at, notice=notice)
    return event


def append(
    life: Life,
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


def begin_state(life: Life) -> None:
    life.state = CertificateState.objects.create(
        certificate=life.certificate,
        **names.searched(life.certificate),
        **projections.state_fields(life.rows),
    )


def follow_state(life: Life) -> None:
    for name, value in projections.state_fields(life.rows).items():
        setattr(life.state, name, value)
    life.state.save()


def tell(life: Life, step: Step, *, by: User | None, at: datetime, notice: Notice | None = None) -> None:
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


def write_expiry(life: Life, *, at: datetime) -> StatusEvent:
    event = append(
        life, Step.EXPIRE, at=at, fixed={"valid_until": leaves.instant(life.certificate.valid_until)}
    )
    follow_state(life)
    tell(life, Step.EXPIRE, by=None, at=at)
    return event


def record_expiry(life: Life, *, at: datetime) -> None:
    """What the clock has done comes before what people do next."""
    at = not_before(at, life)
    facts = states.status_of(life.facts, at)
    if facts.standing is states.Standing.EXPIRED and not facts.expiry_recorded:
        write_expiry(life, at=at)


# ── locks and refusals ───────────────────────────────────────────────────────


def lock(certificate: int) -> Life:
    return lock_all({certificate})[certificate]


def lock_all(certificates: set[int]) -> dict[int, Life]:
    """Lock certificates in order of id. The state row is what is locked: the others are written once."""
    held = {
        state.pk: state
        for state in CertificateState.objects.select_for_update().filter(pk__in=certificates).order_by("pk")
    }
    rows = projections.events_of_all(held)
    found = names.certificates_with_parents().filter(pk__in=held)
    return {one.pk: Life(one, held[one.pk], rows[one.pk]) for one in found}


def not_before(at: datetime, life: Life) -> datetime:
    """`at`, or the instant of the last event when that one was decided while this one waited for the lock."""
    last = life.rows[-1].at if life.rows else at
    return last if at < last <= at + LONGEST_WAIT else at


def refuse_if(refusal: Refusal | None) -> None:
    if refusal is not None:
        raise refusal


def require_sequence(life: Life, step: Step, *, if_sequence: int | None, at: datetime, by: User) -> None:
    if if_sequence is not None and if_sequence != life.rows[-1].sequence:
        raise _lost_race(life, step, at=at, by=by)


def require(
    life: Life, step: Step, *, at: datetime, by: User | None = None, target: int | None = None
) -> states.StatusFacts:
    try:
        facts = states.require_step(step, life.facts, at=at, target=target)
    except states.NotYetFinal as refused:
        earliest = leaves.instant(refused.facts["earliest"])
        raise refusals.NotYetFinal(earliest=earliest, present=_present(life, at)) from refused
    except states.StepRefused as refused:
        if by is not None and _was_overtaken(life, step, at=at):
            raise _lost_race(life, step, at=at, by=by) from refused
        word = states.status_of(life.facts, max(at, life.rows[-1].at)).word
        raise refusals.forbidden_step(step, word, code=refused.code, present=_present(life, at)) from refused
    if facts is None:
        raise refusals.ForbiddenStep(step=step.value)
    return facts


def _was_overtaken(life: Life, step: Step, *, at: datetime) -> bool:
    """Whether the step was still allowed a moment ago, before what was decided last."""
    if at - life.rows[-1].at > LONGEST_WAIT:
        return False
    try:
        return states.require_step(step, life.facts[:-1], at=at) is not None
    except states.StepRefused:
        return False


def _lost_race(life: Life, step: Step, *, at: datetime, by: User) -> refusals.LostRace:
    last = life.rows[-1]
    language = present_language.code()
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


def _present(life: Life, at: datetime) -> dict[str, Any]:
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
