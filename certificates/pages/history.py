"""What happened to a certificate: events, complaints, appeals."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime

from certificates.pages.frame import Text
from certificates.pages.status import Condition


@dataclass(frozen=True, slots=True, kw_only=True)
class Appeal:
    number: str
    against: str  # the notice appealed
    state: str  # filed · admitted · inadmissible · decided · withdrawn
    outcome: str | None = None  # upheld · partly_upheld · dismissed
    filed_at: datetime | None = None
    admitted_at: datetime | None = None
    decided_at: datetime | None = None  # also when it was declared inadmissible
    withdrawn_at: datetime | None = None
    grounds: Text | None = None  # staff's summary
    reasons: Text | None = None
    notice: str | None = None
    effect: str | None = None  # of what is upheld in part: vary · amend · none
    inadmissible: str | None = None  # late · not_the_holder · without_grounds · other
    way: str = "link"  # link · account · on_behalf: how the holder's appeal came
    withdrawn_way: str | None = None
    amended: Text | None = None  # how the decision's statement reads since


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """A complaint that may be public: after triage, and after the holder was told."""

    number: str
    kind: str
    state: str  # with_holder · in_remit (under review anew) · decided · closed
    outcome: str | None = None  # upheld · partly_upheld · dismissed
    received_at: datetime | None = None
    with_holder_at: datetime | None = None
    reply_until: datetime | None = None
    replied_at: datetime | None = None
    first_decided_at: datetime | None = None  # where a review was asked for, the decision before it
    decided_at: datetime | None = None
    review_asked_at: datetime | None = None
    closed_at: datetime | None = None
    reply: Text | None = None  # the holder's, if it chose to publish one
    reasons: Text | None = None
    notice: str | None = None
    earlier_notices: tuple[str, ...] = ()  # of what was decided before a review
    appeal: Appeal | None = None  # of the holder, against the outcome


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportStep:
    """One step of a complaint as whoever made it is told of it."""

    step: str  # confirm · take_up · decline · ask_holder · reply · decide · ask_review · close
    at: datetime
    outcome: str | None = None
    reason: str | None = None  # why it is outside our remit
    reasons: Text | None = None
    notice: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One event of the history. `before` and `after` are the status words on both sides of it."""

    sequence: int
    # issue · suspend · prolong · reinstate · revoke · finalise · terminate · supersede · expire · vary ·
    # overturn · erratum
    step: str
    at: datetime
    before: str | None
    after: str
    hash: str = ""  # SHA-256 of the event's bytes
    reason: str | None = None
    reason_number: str | None = None
    statement: Text | None = None
    conditions: tuple[Condition, ...] = ()
    review_on: date | None = None
    notice: str | None = None
    role: str | None = None  # certifier · appeals_officer · …; None: the clock
    against: str | None = None  # the decision that is overturned, varied, made final
    other: str | None = None  # the other certificate of a supersession
    do_not_rely: bool = False
    on_behalf: bool = False  # on the holder's stored written request, entered by staff
    appeal: Appeal | None = None  # the appeal that answers it, nested under it
