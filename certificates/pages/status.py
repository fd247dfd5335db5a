"""What the status sentence of a certificate is made of."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime

from certificates.pages.frame import Text


@dataclass(frozen=True, slots=True, kw_only=True)
class Condition:
    text: Text
    met_on: date | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Erratum:
    """What is known to be wrong of a certificate, told beside it where another page or list names it."""

    certificate: str
    notice: str
    do_not_rely: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Overturned:
    """A decision that an appeal left without effect."""

    decision: str  # the notice overturned
    appeal: str | None = None
    at: datetime | None = None  # when it was overturned
    suspended_from: datetime | None = None  # the time it had kept the certificate suspended, if it had
    suspended_to: datetime | None = None
    status_stays: bool = False  # the certificate had ended meanwhile: recorded, the status does not change


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """Everything the status sentence is made of. The same object serves page, list,
    notice, badge and preview.
    """

    status: str  # active · suspended · revoked · terminated · expired · superseded · unknown
    in_force: bool | None  # None: could not be determined
    system: str = ""
    version: str = ""
    measured_at: datetime | None = None
    since: datetime | None = (
        None  # since when it is not in force (for `active`: since when it is, without a break)
    )
    valid_until: datetime | None = None
    reason: str | None = None  # a code of `states.Reason`
    reason_number: str | None = None  # the report's number in `report_upheld`
    statement: Text | None = None  # what was signed; the clause itself when the reason is `other`
    decision: str | None = None  # number of the notice that decided it
    conditions: tuple[Condition, ...] = ()
    review_on: date | None = None
    review_overdue: bool = False
    appeal_until: datetime | None = None  # end of the period to appeal against the decision in force
    appeal_period_over: bool = False
    appealed: bool = False  # against that decision, whatever came of it: a decision is appealed once
    final: bool = False  # only for `revoked`: its `finalise` event exists
    open_appeal: str | None = None  # number of the appeal under way
    open_report: str | None = None
    erratum: str | None = None  # number of the notice with a known defect
    do_not_rely: bool = False  # an erratum says so: it becomes the first sentence of the page
    suspended_since: datetime | None = None  # expired or terminated while suspended
    suspended_decision: str | None = None
    report_open_at_end: str | None = None  # terminated while this report was open
    superseded_by: str | None = None
    supersedes: str | None = None
    newer: str | None = None  # a certificate for a newer version exists; this one stays as it is
    past_suspensions: tuple[tuple[datetime, datetime], ...] = ()  # (from, to), those that were lifted
    overturned: tuple[Overturned, ...] = ()
