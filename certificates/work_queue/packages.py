"""Evidence packages that need a person: stopped by our fault, with findings, or past their deadline."""

from datetime import timedelta

from django.db.models import Exists, OuterRef, Q, QuerySet, Subquery
from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from certificates.work_queue.matters import OPEN, SEE, Asked, Kind, Matter
from certificates.work_subjects import Subject
from evidence.models import EvidencePackage, Fault, PackageState, Verification
from evidence.models.package import TERMINAL_STATES
from registry_site.roles import Role

# How long a rejected package stays in view: its findings concern whoever handed it in.
REJECTED_FOR = timedelta(days=14)


def read(asked: Asked) -> list[Matter]:
    waiting = EvidencePackage.objects.filter(
        Q(state=PackageState.FAILED, fault=Fault.SYSTEM)
        | (
            Q(state=PackageState.REJECTED, finished_at__gte=asked.now - REJECTED_FOR, set_aside=None)
            & ~Exists(_mended())
        )
        | (~Q(state__in=[*TERMINAL_STATES, PackageState.RECEIVING]) & Q(deadline_at__lt=asked.now))
    )
    rows = asked.among(waiting, "package").annotate(finding=_first_finding()).order_by("-pk")
    return [_package(row, asked) for row in rows[: asked.limit + 1]]


def _mended() -> QuerySet[EvidencePackage]:
    """Later packages of the same submitter that take the place of a rejected one: they bear the same file name,
    or name the same system and version.
    """
    of_the_same_system = Verification.objects.filter(
        package=OuterRef(OuterRef("pk")),
        descriptor__holder=OuterRef("verifications__descriptor__holder"),
        descriptor__system=OuterRef("verifications__descriptor__system"),
    )
    return EvidencePackage.objects.filter(
        Q(filename=OuterRef("filename")) & ~Q(filename="") | Exists(of_the_same_system),
        submitter=OuterRef("submitter"),
        pk__gt=OuterRef("pk"),
        state=PackageState.READY,
    )


def _first_finding() -> Subquery:
    """What the last check of a package found first."""
    checks = Verification.objects.filter(package=OuterRef("pk"), findings__0__isnull=False).order_by("-pk")
    return Subquery(checks.values("findings__0")[:1])


def _package(row: EvidencePackage, asked: Asked) -> Matter:
    address = reverse("staff:package", args=[row.pk])
    about = row.filename or row.sha256[:8]
    subject = Subject("package", str(row.pk))
    if row.state == PackageState.FAILED:
        return Matter(
            kind=Kind.PACKAGE,
            title=_("Package stopped by a fault of ours"),
            about=about,
            missing=_("Start its verification anew; it costs the submitter nothing."),
            address=address,
            subject=subject,
            action=OPEN if Role.EVALUATOR in asked.roles else SEE,
            due=row.finished_at,
        )
    if row.state == PackageState.REJECTED:
        found = row.finding or {}
        told = ", ".join(str(v) for v in (found.get("member"), found.get("code")) if v)
        return Matter(
            kind=Kind.PACKAGE,
            title=_("Package with findings"),
            about=f"{about} · {told}" if told else about,
            missing=_(
                "Whoever handed it in has the findings and how to mend them; a mended one is a new package."
            ),
            address=address,
            subject=subject,
            action=SEE,
        )
    return Matter(
        kind=Kind.PACKAGE,
        title=_("Verification past its deadline"),
        about=about,
        missing=_("Nothing to do yet: the registry resumes it, or marks it as a fault of ours."),
        address=address,
        subject=subject,
        action=SEE,
        due=row.deadline_at,
    )
