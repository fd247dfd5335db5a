"""The complaints and appeals about a certificate as the staff are told of them, whether the public is or not."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Exists, F, OuterRef, QuerySet, Subquery, Value
from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from certificates import appeal_states, report_rows, report_states
from certificates.models import Appeal, AppealEvent, Certificate, Report, ReportEvent
from certificates.report_states import ABOUT_OTHERS, ReportStep
from certificates.states import Step


@dataclass(frozen=True, slots=True, kw_only=True)
class Concern:
    """One complaint or appeal: its number, where it stands, since when, and its page."""

    sort: str  # report · appeal
    number: str
    state: str
    outcome: str | None
    since: datetime
    address: str
    open: bool
    told: bool  # to visitors, on the certificate's page
    about_others: bool = False  # what others do with the mark: it weighs on no decision about the certificate

    @property
    def may_carry_a_sanction(self) -> bool:
        """Whether it is a complaint that was upheld; `report_rows.upheld_about` tells whether it still is."""
        return self.sort == "report" and self.outcome in report_rows.UPHELD and not self.about_others


@dataclass(frozen=True, slots=True)
class Pending:
    """One that is open while something else is decided on the certificate, and what the page will say of it."""

    concern: Concern
    consequence: Any = None


def concerns(certificate: Certificate) -> list[Concern]:
    """Every complaint and appeal about it, newest first. One query."""
    rows = _reports(certificate).union(_appeals(certificate), all=True).order_by("-since")
    return [_concern(row) for row in rows]


def during(step: Step, concerns: Sequence[Concern]) -> tuple[Pending, ...]:
    """What of these is open, for whoever decides `step` meanwhile."""
    return tuple(
        Pending(one, _AT_THE_END if step is Step.TERMINATE and one.sort == "report" and one.told else None)
        for one in concerns
        if one.open and not one.about_others
    )


_AT_THE_END = _("The public page will say that it was under review when the holder asked for the end.")


def _reports(certificate: Certificate) -> QuerySet[Report, dict[str, Any]]:
    steps = ReportEvent.objects.filter(report=OuterRef("pk"))
    outcome = steps.filter(outcome__isnull=False).order_by("-sequence").values("outcome")[:1]
    return Report.objects.filter(certificate=certificate).values(
        "number",
        sort=Value("report"),
        about=F("kind"),
        state=F("standing__state"),
        outcome=Subquery(outcome),
        since=F("received_at"),
        told=Exists(steps.filter(step=ReportStep.ASK_HOLDER)),
    )


def _appeals(certificate: Certificate) -> QuerySet[Appeal, dict[str, Any]]:
    outcome = AppealEvent.objects.filter(appeal=OuterRef("pk"), outcome__isnull=False).values("outcome")[:1]
    return Appeal.objects.filter(certificate=certificate).values(
        "number",
        sort=Value("appeal"),
        about=Value(""),
        state=F("standing__state"),
        outcome=Subquery(outcome),
        since=F("filed_at"),
        told=Value(True),
    )


def _concern(row: dict[str, Any]) -> Concern:
    is_report = row["sort"] == "report"
    about_others = row["about"] in ABOUT_OTHERS
    is_open = row["state"] in (report_states.OPEN if is_report else appeal_states.OPEN)
    return Concern(
        sort=row["sort"],
        number=row["number"],
        state=row["state"],
        # What was decided before a review is no outcome while the review is open.
        outcome=None if is_open else row["outcome"],
        since=row["since"],
        address=reverse(f"staff:{row['sort']}", args=[row["number"]]),
        open=is_open,
        told=row["told"] and not about_others,
        about_others=about_others,
    )
