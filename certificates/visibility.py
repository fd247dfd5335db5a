"""Who may see what of evidence: nothing of it is public before a certificate or a refusal rests on it."""

from typing import Any

from django.db.models import Exists, OuterRef, Q, QuerySet

from certificates import sealed_sets
from certificates.models import Certificate, Notice
from certificates.states import Decision
from evidence.descriptor import Access
from evidence.models import EvidencePackage, Member, Verification
from evidence.models.run import Run, RunState
from grading.models import Measurement
from registry_site import roles


def is_staff(user: Any) -> bool:
    """Whether the person behind an account holds any role of the registry."""
    return bool(roles.held_by(user))


def certificates_on(sha256: str) -> QuerySet[Certificate]:
    """Certificates that rest on these bytes, whoever handed them in."""
    return Certificate.objects.filter(measurement__package__sha256=sha256).order_by("pk")


def refusals_on(sha256: str) -> QuerySet[Notice]:
    """Refusals to issue a certificate on these bytes."""
    return Notice.objects.filter(
        decision=Decision.REFUSE.value, measurement__package__sha256=sha256
    ).order_by("pk")


def package_for(user: Any, sha256: str) -> EvidencePackage | None:
    """The hand-in of these bytes that `user` may see: the own one, else one decided on, else the newest.

    None also where there is one that `user` may not see: whether it exists is not told.
    """
    packages = EvidencePackage.objects.filter(sha256=sha256).select_related("submitter__person")
    own = packages.filter(submitter_id=getattr(user, "pk", None)).first()
    if own is not None:
        return own
    decided = packages.filter(
        Q(measurements__certificates__isnull=False) | Q(measurements__notices__decision=Decision.REFUSE.value)
    )
    public = decided.order_by("pk").first()
    if public is not None or not is_staff(user):
        return public
    return packages.order_by("-pk").first()


def sees_findings(user: Any, package: EvidencePackage) -> bool:
    """Findings and progress are for whoever handed it in, and for the staff."""
    return package.submitter_id == getattr(user, "pk", None) or is_staff(user)


def findings_for(user: Any, verification: Verification) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """(findings, warnings), as stored, for whoever `sees_findings`.

    They may quote a line: those on sealed members are for its submitter alone.
    """
    if verification.package.submitter_id == getattr(user, "pk", None):
        return verification.findings, verification.warnings
    if not verification.findings and not verification.warnings:
        return [], []
    sealed = frozenset(verification.members.filter(sealed=True).values_list("path", flat=True))
    covered = bool(
        sealed_sets.covered_sets(verification.measurements.values_list("set_sha256", flat=True).distinct())
    )

    def is_open(one: dict[str, Any]) -> bool:
        path = (one["member"] or "").partition(":")[0]
        return path not in sealed and not (covered and sealed_sets.is_covered(path))

    listed, warned = (
        [one for one in stored if is_open(one)] for stored in (verification.findings, verification.warnings)
    )
    return listed, warned


def measurement_for(user: Any, measurement: int) -> Measurement | None:
    """A measurement that `user` may see.

    Public is what a certificate or refusal rests on, and, so that nobody picks, all that some certificate's page lists.
    """
    found = (
        Measurement.objects.filter(pk=measurement)
        .select_related("package", "verification", "scheme", "system_version__system__holder")
        .first()
    )
    if found is None:
        return None
    if found.package.submitter_id == getattr(user, "pk", None) or is_staff(user):
        return found
    return found if public_measurements().filter(pk=found.pk).exists() else None


def public_measurements() -> QuerySet[Measurement]:
    """What anybody may see: all that some certificate's page lists, and what a refusal rests on."""
    certificates = Certificate.objects.filter(system_version__system=OuterRef("system_version__system"))
    certified = certificates.filter(
        system_version=OuterRef("system_version"), measurement__scheme=OuterRef("scheme")
    )
    later = certificates.filter(measurement__frozen_at__lt=OuterRef("frozen_at"))
    refused = Notice.objects.filter(decision=Decision.REFUSE.value, measurement=OuterRef("pk"))
    return Measurement.objects.filter(Exists(certified) | Exists(later) | Exists(refused)).filter(
        tells_no_unpublished_run()
    )


def tells_no_unpublished_run() -> Q:
    """Of an agent run of this registry the measurement that its published result rests on, and no other.

    A run has a package when it is closed and one with its marks: lists show one line, none before it is published.
    """
    runs = Run.objects.filter(Q(closing_package=OuterRef("package")) | Q(graded_package=OuterRef("package")))
    published = Run.objects.filter(graded_package=OuterRef("package"), state=RunState.PUBLISHED)
    return Q(~Exists(runs)) | Q(Exists(published))


def measurements_for(user: Any) -> QuerySet[Measurement]:
    """The measurements that `user` may compare: the public ones, and the own or, for staff, all."""
    if is_staff(user):
        return Measurement.objects.all()
    if getattr(user, "pk", None) is None:
        return public_measurements()
    return Measurement.objects.filter(
        Q(package__submitter=user.pk) | Q(pk__in=public_measurements().values("pk"))
    )


# Of a hash that many certificates rest on (a scheme's, say) the latest are told.
MATCHES_TOLD = 100


def rests_on(sha256: str) -> list[dict[str, Any]]:
    """What public things a SHA-256 is of, each with the certificates that rest on it; no sealed member."""
    kinds = {
        "evidence": Q(measurement__package__sha256=sha256),
        "question_set": Q(measurement__set_sha256=sha256),
        "scheme": Q(measurement__scheme__sha256=sha256),
    }
    matches = []
    for kind, condition in kinds.items():
        found = list(
            Certificate.objects.filter(condition)
            .select_related("measurement__scheme")
            .order_by("-pk")[:MATCHES_TOLD]
        )
        if found:
            measured = found[0].measurement
            names = {"evidence": None, "question_set": measured.set_name, "scheme": str(measured.scheme)}
            matches.append({"kind": kind, "name": names[kind], "certificates": [one.number for one in found]})
    return matches + _members(sha256)


def _members(sha256: str) -> list[dict[str, Any]]:
    rows = (
        Member.objects.filter(
            sha256=sha256, sealed=False, verification__measurements__certificates__isnull=False
        )
        .exclude(verification__descriptor__access=Access.DIGEST_ONLY)
        .order_by("-pk")
        .values_list(
            "path",
            "verification__measurements__certificates__number",
            "verification__measurements__set_sha256",
        )[:MATCHES_TOLD]
    )
    covered = sealed_sets.covered_sets({set_sha256 for _path, _number, set_sha256 in rows})
    by_path: dict[str, list[str]] = {}
    for path, number, set_sha256 in rows:
        if set_sha256 not in covered or not sealed_sets.is_covered(path):
            by_path.setdefault(path, []).append(number)
    return [{"kind": "member", "name": path, "certificates": found} for path, found in by_path.items()]
