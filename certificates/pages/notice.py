"""The page of one decision or erratum."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime

from certificates.pages.application import Application
from certificates.pages.evaluated import Holder, Scheme
from certificates.pages.frame import Frame, Text
from certificates.pages.history import Appeal, Report
from certificates.pages.status import Condition, Verdict


@dataclass(frozen=True, slots=True, kw_only=True)
class NoticePage:
    """`public/notice.html`: the numbered text of one decision or erratum, also where there is no
    certificate (a refusal).
    """

    frame: Frame
    number: str
    step: str  # as Entry.step, or `refuse`
    at: datetime
    role: str | None
    statement: Text | None
    certificate: str | None = None
    application: Application | None = None  # that it answers
    verdict: Verdict | None = None  # of the certificate now
    holder: Holder | None = None
    system: str = ""
    version: str = ""
    scheme: Scheme | None = None
    reason: str | None = None
    reason_number: str | None = None
    conditions: tuple[Condition, ...] = ()
    review_on: date | None = None
    appeal_until: datetime | None = None
    against: str | None = None  # the notice it overturns, varies or corrects
    later: tuple[str, ...] = ()  # notices that name this one
    overturned_by: str | None = None
    other: str | None = None
    do_not_rely: bool = False
    sequence: int | None = None
    event_hash: str = ""
    appeal: Appeal | None = None
    report: Report | None = None  # the complaint whose outcome it is
