"""Evidence packages that need a person: stopped by our fault, with findings, or past their deadline."""

from collections.abc import Sequence
from datetime import timedelta
from typing import Any

from django.db.models import Q
from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from certificates.work_queue.matters import OPEN, SEE, Asked, Kind, Matter
from evidence.models import EvidencePackage, Fault, PackageState, Verification
from evidence.models.package import TERMINAL_STATES
from registry_site.roles import Role

# How long a rejected package stays in view: its findings concern whoever handed it in.
REJECTED_FOR = timedelta(days=14)


def read(asked: Asked) -> list[Matter]:
    rows = list(
        EvidencePackage.objects.filter(
            Q(state=PackageState.FAILED, fault=Fault.SYSTEM)
            | Q(state=PackageState.REJECTED, finished_at__gte=asked.now - REJECTED_FOR)
            | (~Q(state__in=[*TERMINAL_STATES, PackageState.RECEIVING]) & Q(deadline_at__lt=asked.now))
        ).order_by("-pk")[: asked.limit + 1]
    )
    rejected = [row.pk for row in rows if row.state == PackageState.REJECTED]
    findings = _first_findings(rejected) if rejected else {}
    return [_package(row, findings.get(row.pk), asked) for row in rows]


def _first_findings(packages: Sequence[int]) -> dict[int, dict[str, Any]]:
    rows = (
        Verification.objects.filter(package__in=packages)
        .order_by("pk")
        .values_list("package_id", "findings__0")
    )
    return {package: finding for package, finding in rows if finding}


def _package(row: EvidencePackage, finding: dict[str, Any] | None, asked: Asked) -> Matter:
    address = reverse("staff:package", args=[row.pk])
    about = row.filename or row.sha256[:8]
    if row.state == PackageState.FAILED:
        return Matter(
            kind=Kind.PACKAGE,
            title=_("Package stopped by a fault of ours"),
            about=about,
            missing=_("Start its verification anew; it costs the submitter nothing."),
            address=address,
            action=OPEN if Role.EVALUATOR in asked.roles else SEE,
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
