"""What the staff must do next, by deadline: one row per matter, read in a bounded number of queries."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any

from django.db import connection
from django.db.models import Q
from django.urls import reverse
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from certificates import appeal_states, policies
from certificates.models import AppealStanding, Certificate, CertificateState, Notice
from certificates.states import FINALITY_GRACE
from evidence import identities
from evidence.models import EvidencePackage, Fault, Holder, PackageState, System, Verification
from evidence.models.package import TERMINAL_STATES
from evidence.models.system import Confirmation
from grading.models import Measurement
from registry_site.models import Person
from registry_site.roles import Role

# More of one kind than this are counted, not listed: a queue nobody can read is none.
SHOWN = 50
# «Nothing was decided on it» has no index to be found by: only so many measurements, the newest, are looked at, so
# that a queue costs the same in a registry of a million. What is older and undecided is too old to be certified.
LOOKED_AT = 20_000
# How long a rejected package stays in view: its findings concern whoever handed it in.
REJECTED_FOR = timedelta(days=14)
EXPIRING_WITHIN = timedelta(days=60)


class Kind(StrEnum):
    PACKAGE = "package"
    MEASUREMENT = "measurement"
    IDENTITY = "identity"
    SUSPENSION = "suspension"
    REVOCATION = "revocation"
    EXPIRY = "expiry"
    APPEAL = "appeal"


KIND_WORDS = {
    Kind.PACKAGE: _("Evidence packages"),
    Kind.MEASUREMENT: _("Measurements ready for decision"),
    Kind.IDENTITY: _("Holders and systems to confirm"),
    Kind.SUSPENSION: _("Suspensions to review"),
    Kind.REVOCATION: _("Revocations not final"),
    Kind.EXPIRY: _("Certificates that expire"),
    Kind.APPEAL: _("Appeals"),
}
OPEN = pgettext_lazy("action", "Open")
DECIDE = pgettext_lazy("action", "Decide")
SEE = pgettext_lazy("action", "See")
CONFIRM = pgettext_lazy("action", "Confirm")


@dataclass(frozen=True, slots=True, kw_only=True)
class Matter:
    """One row: what it is, about what, what is missing, by when, and where to do it.

    `missing` is a sentence in the reader's language. Without `action` this person can do nothing here.
    """

    kind: Kind
    title: Any
    about: str
    missing: Any
    address: str
    action: Any = None
    number: str = ""
    due: datetime | None = None


@dataclass(frozen=True, slots=True)
class Period:
    """The matters of one stretch of time, with its heading."""

    code: str
    heading: Any
    matters: tuple[Matter, ...]


@dataclass(frozen=True, slots=True)
class Queue:
    periods: tuple[Period, ...]
    count: int
    overdue: int
    more: frozenset[Kind]  # kinds of which not all are listed


def read(*, person: Person, roles: frozenset[Role], now: datetime, kind: Kind | None = None) -> Queue:
    """The queue of one person at `now`; `now` in the zone in which days are counted."""
    readers = {
        Kind.PACKAGE: lambda: _packages(roles, now),
        Kind.MEASUREMENT: lambda: _measurements(person, roles, now),
        Kind.IDENTITY: lambda: _identities(roles),
        Kind.APPEAL: lambda: _appeals(roles),
    }
    matters: list[Matter] = []
    more: set[Kind] = set()
    for one in readers if kind is None else [kind] if kind in readers else []:
        found = readers[one]()
        matters += found[:SHOWN]
        if len(found) > SHOWN:
            more.add(one)
    if kind is None or kind not in readers:
        for matter_kind, found in _certificates(roles, now, kind).items():
            matters += found[:SHOWN]
            if len(found) > SHOWN:
                more.add(matter_kind)
    matters = [replace(m, due=m.due.astimezone(now.tzinfo) if m.due else None) for m in matters]
    # Stable: of one deadline the order of kinds stands.
    matters.sort(key=lambda m: (m.due is None, m.due or now))
    periods = _by_period(matters, now)
    overdue = next((len(p.matters) for p in periods if p.code == "overdue"), 0)
    return Queue(periods=periods, count=len(matters), overdue=overdue, more=frozenset(more))


# ── packages ─────────────────────────────────────────────────────────────────


def _packages(roles: frozenset[Role], now: datetime) -> list[Matter]:
    rows = list(
        EvidencePackage.objects.filter(
            Q(state=PackageState.FAILED, fault=Fault.SYSTEM)
            | Q(state=PackageState.REJECTED, finished_at__gte=now - REJECTED_FOR)
            | (~Q(state__in=[*TERMINAL_STATES, PackageState.RECEIVING]) & Q(deadline_at__lt=now))
        ).order_by("-pk")[: SHOWN + 1]
    )
    rejected = [row.pk for row in rows if row.state == PackageState.REJECTED]
    findings = _first_findings(rejected) if rejected else {}
    return [_package(row, findings.get(row.pk), roles) for row in rows]


def _first_findings(packages: Sequence[int]) -> dict[int, dict[str, Any]]:
    rows = (
        Verification.objects.filter(package__in=packages)
        .order_by("pk")
        .values_list("package_id", "findings__0")
    )
    return {package: finding for package, finding in rows if finding}


def _package(row: EvidencePackage, finding: dict[str, Any] | None, roles: frozenset[Role]) -> Matter:
    address = reverse("staff:package", args=[row.pk])
    about = row.filename or row.sha256[:8]
    if row.state == PackageState.FAILED:
        return Matter(
            kind=Kind.PACKAGE,
            title=_("Package stopped by a fault of ours"),
            about=about,
            missing=_("Start its verification anew; it costs the submitter nothing."),
            address=address,
            action=OPEN if Role.EVALUATOR in roles else SEE,
            due=row.finished_at,
        )
    if row.state == PackageState.REJECTED:
        told = ", ".join(str(v) for v in (finding.get("member"), finding.get("code")) if v) if finding else ""
        return Matter(
            kind=Kind.PACKAGE,
            title=_("Package with findings"),
            about=f"{about} · {told}" if told else about,
            missing=_(
                "Whoever handed it in has the findings and how to mend them; a mended one is a new package."
            ),
            address=address,
            action=SEE,
        )
    return Matter(
        kind=Kind.PACKAGE,
        title=_("Verification past its deadline"),
        about=about,
        missing=_("Nothing to do yet: the registry resumes it, or marks it as a fault of ours."),
        address=address,
        action=SEE,
        due=row.deadline_at,
    )


# ── measurements ─────────────────────────────────────────────────────────────


def _measurements(person: Person, roles: frozenset[Role], now: datetime) -> list[Matter]:
    rows = list(
        Measurement.objects.filter(pk__in=_undecided())
        .select_related("scheme", "package", "verification", "system_version__system__holder")
        .order_by("-pk")
    )
    own = policies.evidence_of(person, [row.package.sha256 for row in rows])
    return [_measurement(row, row.package.sha256 in own, roles, now) for row in rows]


# Written out: the planner guesses that a join with «nothing there» leaves one row, and then reads both tables whole.
_UNDECIDED = f"""
WITH latest AS MATERIALIZED (SELECT id FROM {Measurement._meta.db_table} ORDER BY id DESC LIMIT {LOOKED_AT})
SELECT id FROM latest
WHERE NOT EXISTS (SELECT FROM {Certificate._meta.db_table} WHERE measurement_id = latest.id)
  AND NOT EXISTS (
    SELECT FROM {Notice._meta.db_table} n WHERE n.measurement_id = latest.id AND n.decision = 'refuse'
      AND NOT EXISTS (
        SELECT FROM {Notice._meta.db_table} o WHERE o.about_id = n.id AND o.decision = 'overturn'))
ORDER BY id DESC LIMIT %s
"""  # noqa: S608 - names of our own tables


def _undecided() -> list[int]:
    """Ids of the newest measurements on which nobody has decided."""
    with connection.cursor() as cursor:
        cursor.execute(_UNDECIDED, [SHOWN + 1])
        return [pk for (pk,) in cursor.fetchall()]


def _measurement(row: Measurement, took_part: bool, roles: frozenset[Role], now: datetime) -> Matter:
    refusal = policies.refusal_at_sight(row, at=now)
    if Role.CERTIFIER not in roles:
        missing, action = _("A certifier decides whether to issue."), SEE
    elif took_part:
        missing, action = policies.refusal_for_part_in_it().detail, None
    elif refusal is None:
        missing, action = _("Decide whether to issue."), DECIDE
    elif refusal.code == "identity_not_confirmed":
        missing, action = _("Confirm its holder and system, then decide whether to issue."), OPEN
    else:
        missing, action = refusal.detail, DECIDE
    return Matter(
        kind=Kind.MEASUREMENT,
        title=_("Measurement ready"),
        about=f"{row.system_version} · {row.scheme}",
        missing=missing,
        address=reverse("staff:measurement", args=[row.pk]),
        action=action,
        due=policies.certifiable_until(row),
    )


# ── holders and systems ──────────────────────────────────────────────────────


def _identities(roles: frozenset[Role]) -> list[Matter]:
    action = CONFIRM if roles & identities.CONFIRMING_ROLES else SEE
    holders = Holder.objects.filter(confirmation=Confirmation.PROPOSED).order_by("-pk")[: SHOWN + 1]
    systems = (
        System.objects.filter(confirmation=Confirmation.PROPOSED, holder__confirmation=Confirmation.CONFIRMED)
        .select_related("holder")
        .order_by("-pk")[: SHOWN + 1]
    )
    return [
        Matter(
            kind=Kind.IDENTITY,
            title=_("Proposed holder"),
            about=holder.name,
            missing=_("Confirm it with its identifier, or merge it into a known one."),
            address=reverse("staff:holder", args=[holder.pk]),
            action=action,
        )
        for holder in holders
    ] + [
        Matter(
            kind=Kind.IDENTITY,
            title=_("Proposed system"),
            about=f"{system.name} · {system.holder.name}",
            missing=_("Confirm it, or merge it into a known one."),
            address=reverse("staff:system", args=[system.pk]),
            action=action,
        )
        for system in systems
    ]


# ── appeals ──────────────────────────────────────────────────────────────────


def _appeals(roles: frozenset[Role]) -> list[Matter]:
    """Open appeals by deadline. Whether this person took part is told on the appeal's own page."""
    rows = (
        AppealStanding.objects.filter(state__in=appeal_states.OPEN)
        .select_related("appeal__certificate", "appeal__notice__measurement__system_version__system__holder")
        .order_by("deadline_at")[: SHOWN + 1]
    )
    return [_appeal(row, Role.APPEALS_OFFICER in roles) for row in rows]


def _appeal(row: AppealStanding, decides: bool) -> Matter:
    certificate = row.appeal.certificate
    named = certificate.names if certificate else None
    version = row.appeal.notice.measurement.system_version if certificate is None else None
    if row.state == appeal_states.AppealState.ADMITTED:
        title, missing = _("Appeal to decide"), _("Decide it: someone who was not involved.")
    elif row.appeal.late:
        title, missing = _("Appeal filed late"), _("Declare it inadmissible, with its reasons.")
    else:
        title, missing = _("Appeal filed"), _("Say whether it is admitted: someone who was not involved.")
    return Matter(
        kind=Kind.APPEAL,
        title=title,
        number=row.appeal.number,
        about=f"{named['system']} {named['version']}" if named else str(version),
        missing=missing,
        address=reverse("staff:appeal", args=[row.appeal.number]),
        action=OPEN if decides else SEE,
        due=row.deadline_at,
    )


# ── certificates ─────────────────────────────────────────────────────────────


def _certificates(roles: frozenset[Role], now: datetime, kind: Kind | None) -> dict[Kind, list[Matter]]:
    states = CertificateState.objects
    wanted = {
        Kind.SUSPENSION: states.filter(word="suspended", valid_until__gt=now).order_by("review_until"),
        Kind.REVOCATION: states.filter(word="revoked", final=False).order_by("appeal_until"),
        Kind.EXPIRY: states.filter(
            word="active", valid_until__gt=now, valid_until__lte=now + EXPIRING_WITHIN
        ).order_by("valid_until"),
    }
    first, *others = [rows[: SHOWN + 1] for one, rows in wanted.items() if kind in (None, one)]
    makers = {"suspended": _suspension, "revoked": _revocation, "active": _expiry}
    found: dict[Kind, list[Matter]] = {}
    # One query for the three kinds; each keeps its own limit.
    for row in first.union(*others, all=True) if others else first:
        matter = makers[row.word](row, Role.CERTIFIER in roles)
        found.setdefault(matter.kind, []).append(matter)
    for matters in found.values():
        matters.sort(key=lambda m: m.due or now)
    return found


def _suspension(row: CertificateState, decides: bool) -> Matter:
    return Matter(
        kind=Kind.SUSPENSION,
        title=_("Suspension to review"),
        number=row.number,
        about=f"{row.system_name} {row.version}",
        missing=_("Review its conditions: reinstate, extend or revoke."),
        address=reverse("staff:certificate", args=[row.number]),
        action=OPEN if decides else SEE,
        due=row.review_until,
    )


def _revocation(row: CertificateState, _decides: bool) -> Matter:
    due = row.appeal_until + FINALITY_GRACE if row.appeal_until else None
    return Matter(
        kind=Kind.REVOCATION,
        title=_("Revocation not final"),
        number=row.number,
        about=f"{row.system_name} {row.version}",
        missing=_("Nothing to do: it becomes final by itself when the appeal period has passed."),
        address=reverse("staff:certificate", args=[row.number]),
        action=SEE,
        due=due,
    )


def _expiry(row: CertificateState, _decides: bool) -> Matter:
    return Matter(
        kind=Kind.EXPIRY,
        title=_("A certificate expires"),
        number=row.number,
        about=f"{row.system_name} {row.version}",
        missing=_("Nothing to do: it expires by itself. A new measurement allows a new certificate."),
        address=reverse("staff:certificate", args=[row.number]),
        action=SEE,
        due=row.valid_until,
    )


# ── periods ──────────────────────────────────────────────────────────────────

_HEADINGS = (
    ("overdue", pgettext_lazy("deadline", "Overdue")),
    ("today", pgettext_lazy("deadline", "Today")),
    ("week", pgettext_lazy("deadline", "This week")),
    ("later", pgettext_lazy("deadline", "Later")),
    ("none", pgettext_lazy("deadline", "Without a deadline")),
)


def _by_period(matters: Iterable[Matter], now: datetime) -> tuple[Period, ...]:
    sorted_in: dict[str, list[Matter]] = {code: [] for code, _heading in _HEADINGS}
    for matter in matters:
        sorted_in[_period(matter.due, now)].append(matter)
    return tuple(
        Period(code, heading, tuple(sorted_in[code])) for code, heading in _HEADINGS if sorted_in[code]
    )


def _period(due: datetime | None, now: datetime) -> str:
    if due is None:
        return "none"
    if due <= now:
        return "overdue"
    # An instant at midnight is the end of the day before.
    days = ((due - timedelta(microseconds=1)).date() - now.date()).days
    return "today" if days == 0 else "week" if days <= 7 else "later"
