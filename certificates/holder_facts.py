"""What a holder sees of itself: its decisions, its packages, and what is due. Reads only."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from zoneinfo import ZoneInfo

from django.db.models import Q, QuerySet

from certificates import pages, policies, queries, report_facts, report_rows, report_states, words
from certificates.models import CertificateState, Notice, Report
from certificates.report_states import ReportLife, ReportState, ReportStep
from certificates.states import Status
from evidence.models import EvidencePackage, Holder
from registry_site.models import User

# So many days before the end of a certificate it is among what is due.
EXPIRES_WITHIN = timedelta(days=60)
# More of one kind than these are found in the lists.
MOST_DUE = 20


def notices_of(holder: Holder) -> QuerySet[Notice]:
    """Every decision on the holder's certificates and measurements, the latest first."""
    about = Q(certificate__system_version__system__holder=holder) | Q(
        measurement__system_version__system__holder=holder
    )
    return (
        Notice.objects.filter(about)
        .select_related(
            "appeal__standing",
            "certificate__state",
            "certificate__measurement__scheme",
            "certificate__measurement__system_version__system__holder",
            "measurement__scheme",
            "measurement__system_version__system__holder",
        )
        .order_by("-pk")
    )


def packages_of(holder: Holder) -> QuerySet[EvidencePackage]:
    """What was handed in about its systems, and what its own people handed in; the latest first."""
    of_its_people = Q(
        submitter__person__memberships__holder=holder, submitter__person__memberships__ended_at=None
    )
    # Of its people only what names no system: what they handed in about others is not this holder's.
    return (
        EvidencePackage.objects.filter(
            Q(system_version__system__holder=holder) | Q(of_its_people, system_version=None)
        )
        .select_related("system_version__system")
        .distinct()
        .order_by("-pk")
    )


@dataclass(frozen=True, slots=True)
class Decision:
    """One decision as its holder reads it, and whether this person may appeal against it now."""

    notice: Notice
    system: str
    statement: pages.Text
    appeal_until: datetime | None
    may_appeal: bool
    reason: str | None


def decisions(rows: Sequence[Notice], *, user: User, at: datetime) -> list[Decision]:
    appealable = policies.appealable_by(user, rows, at=at)
    return [_decision(row, may_appeal=row.pk in appealable) for row in rows]


def _decision(row: Notice, *, may_appeal: bool) -> Decision:
    measurement = row.measurement or row.certificate.measurement
    zone = measurement.scheme.rules.zone
    return Decision(
        notice=row,
        system=str(measurement.system_version),
        statement=pages.Text(es=row.statement_es, en=row.statement_en),
        appeal_until=row.appeal_until.astimezone(zone) if row.appeal_until else None,
        may_appeal=may_appeal,
        reason=words.word("reason", row.reason).format(n=row.reason_number or "")
        if row.reason and row.reason != "other"
        else None,
    )


# ── complaints ───────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True)
class Complaint:
    """One complaint as the holder is told of it: the registry's summary, never its words nor who made it."""

    number: str
    certificate: str
    kind: str
    told: pages.Report
    summary: pages.Text
    until: datetime
    replied: bool
    may_reply: bool


def reports_of(holder: Holder) -> QuerySet[Report]:
    """The complaints that were put to the holder, the latest first."""
    return (
        report_rows.with_parents()
        .filter(certificate__system_version__system__holder=holder, events__step=ReportStep.ASK_HOLDER)
        .order_by("-pk")
    )


def complaint(row: Report, *, at: datetime) -> Complaint:
    life = report_rows.life_of(row)
    asked = next(event for event in row.events.all() if event.step == ReportStep.ASK_HOLDER)
    return Complaint(
        number=row.number,
        certificate=row.certificate.number,
        kind=row.kind,
        told=report_facts.of_report(row, at=at),
        summary=pages.Text(es=asked.summary_es, en=asked.summary_en),
        until=asked.until.astimezone(report_rows.zone_of(row)),
        replied=life.replied_at is not None,
        may_reply=may_reply(life, at=at),
    )


def may_reply(life: ReportLife, *, at: datetime) -> bool:
    """Whether the holder's term to reply runs."""
    try:
        report_states.require(ReportStep.REPLY, life, at=at)
    except report_states.ReportStepRefused:
        return False
    return True


def _repliable(holder: Holder, *, at: datetime) -> list[Complaint]:
    waiting = reports_of(holder).filter(standing__state=ReportState.WITH_HOLDER, standing__deadline_at__gt=at)
    told = [complaint(row, at=at) for row in waiting.order_by("standing__deadline_at", "pk")[:MOST_DUE]]
    return [one for one in told if one.may_reply]


# ── what is due ──────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True)
class Due:
    """What waits for the holder, in the order of its day."""

    appeals: list[Decision]  # periods that run
    replies: list[Complaint]  # terms to reply that run
    suspended: list[pages.Listed]  # with conditions and the day of their review
    expiring: list[tuple[str, str, datetime]]  # number, system, end of the term

    def __bool__(self) -> bool:
        return bool(self.appeals or self.replies or self.suspended or self.expiring)


def due(holder: Holder, *, user: User, at: datetime) -> Due:
    running = notices_of(holder).filter(appeal_until__gt=at, appeal=None).order_by("appeal_until", "pk")
    appealable = [one for one in decisions(list(running[:MOST_DUE]), user=user, at=at) if one.may_appeal]
    of_holder = CertificateState.objects.filter(holder=holder)
    suspended = of_holder.filter(queries.with_status(Status.SUSPENDED, at=at)).order_by("pk")[:MOST_DUE]
    listed = list(queries.listed(list(suspended), at=at))
    listed.sort(key=lambda one: one.verdict.review_on or date.max)
    expiring = (
        of_holder.filter(
            queries.with_status(Status.ACTIVE, at=at) | queries.with_status(Status.SUSPENDED, at=at),
            valid_until__lte=at + EXPIRES_WITHIN,
        )
        .select_related("certificate")
        .order_by("valid_until", "pk")[:MOST_DUE]
    )
    return Due(
        appeals=appealable,
        replies=_repliable(holder, at=at),
        suspended=listed,
        expiring=[
            (
                row.number,
                f"{row.system_name} {row.version}",
                row.valid_until.astimezone(ZoneInfo(row.certificate.zone)),
            )
            for row in expiring
        ],
    )
