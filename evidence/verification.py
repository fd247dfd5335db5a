"""verify(…): checks one package in a process of its own and writes down what was found, once.

The only writer of Verification and Member. What it found is kept as codes and values, and worded when it is
shown (`evidence.findings.told`).
"""

import logging
from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.db import connection
from psycopg import sql

from evidence import isolation, leases, storage
from evidence.findings import Code, Finding
from evidence.leases import Lease
from evidence.models import EvidencePackage, Integrity, Member, Verification
from registry_site import clock, public_events

log = logging.getLogger(__name__)

# Of archive, bag, descriptor and records together. A stricter verifier is another version, and by itself
# changes no status.
VERIFIER_VERSION = "1"
# Two outcomes that say nothing against the bytes, under names of their own: handed in again, when the
# declaration is right or the scheme published, the same bytes get their verification.
DECLARATION = "declared-digest/1"
SCHEME = f"{VERIFIER_VERSION}/scheme-unknown"
PROVISIONAL = frozenset({DECLARATION, SCHEME})


@dataclass(frozen=True)
class Checked:
    """What one reading gave: the row, and the figures computed in the same pass (None unless intact)."""

    verification: Verification
    figures: dict[str, Any] | None

    @property
    def is_intact(self) -> bool:
        return self.verification.integrity == Integrity.VERIFIED


def verify(lease: Lease, *, module: str, job: dict[str, Any]) -> Checked:
    """Read the package of `lease` with the reader `module` and return its verification, new or known.

    `job` is what that reader must be told besides (the published schemes). Safe to run twice: a package has
    one verification for each version of the verifier. Raises LeaseLost, ReadingFailed, NoSuchFile.
    """
    package = EvidencePackage.objects.get(pk=lease.package_id)
    if package.declared_sha256 not in {"", package.sha256}:
        return Checked(_record(lease, DECLARATION, _misdeclared(package)), None)
    outcome = _read(package, lease, module=module, job=job)
    if outcome["sha256"] != package.sha256:
        # Not the submitter's fault: our disk returned other bytes than it was given.
        raise isolation.ReadingFailed("stored bytes changed")
    unknown = any(finding["code"] == Code.SCHEME_UNKNOWN for finding in outcome["findings"])
    return Checked(_record(lease, SCHEME if unknown else VERIFIER_VERSION, outcome), outcome["figures"])


def _read(package: EvidencePackage, lease: Lease, *, module: str, job: dict[str, Any]) -> dict[str, Any]:
    """Run the reader, passing its progress on to the row, which renews the lease."""
    told = {
        **job,
        "declared_sha256": package.declared_sha256,
        "bytes_per_second": settings.EVIDENCE_READ_BYTES_PER_SECOND,
    }
    limits = isolation.Limits.for_size(package.size, memory=settings.EVIDENCE_READER_MEMORY)
    with storage.current().open(package.sha256) as source:
        answers = isolation.run(
            module, job=told, source=source, limits=limits, silence=leases.length().total_seconds()
        )
        try:
            for answer in answers:
                if "outcome" in answer:
                    log.info("package %s: read in %d MB of memory", package.pk, answer["memory"] // 1024**2)
                    return answer["outcome"]
                leases.renew(lease, **answer["progress"])
        finally:
            answers.close()
    raise isolation.ReadingFailed("no outcome")


def _misdeclared(package: EvidencePackage) -> dict[str, Any]:
    return {
        "integrity": Integrity.FAILED,
        "complete": False,
        "sha256": package.sha256,
        "members": [],
        "findings": [
            Finding(
                Code.DIGEST_DECLARED_MISMATCH, expected=package.declared_sha256, found=package.sha256
            ).as_stored()
        ],
        "findings_omitted": {},
        "warnings": [],
        "descriptor": None,
    }


def _record(lease: Lease, version: str, outcome: dict[str, Any]) -> Verification:
    """Write the verification, its members and its public event; one that exists already stands as it is."""
    with leases.held(lease) as package:
        known = package.verifications.filter(verifier_version=version).first()
        if known is not None:
            return known
        at = clock.now()
        verification = Verification.objects.create(
            package=package,
            verifier_version=version,
            integrity=outcome["integrity"],
            complete=outcome["complete"],
            sha256=outcome["sha256"],
            size=package.size,
            member_count=len(outcome["members"]),
            findings=outcome["findings"],
            findings_omitted=outcome["findings_omitted"],
            warnings=outcome["warnings"],
            descriptor=outcome["descriptor"],
            at=at,
        )
        if outcome["integrity"] == Integrity.VERIFIED:
            # The last word on progress, however short the reading was.
            package.progress_bytes = package.progress_total = outcome["bytes"]
            package.progress_members = verification.member_count
            package.save(update_fields=["progress_bytes", "progress_total", "progress_members"])
        if verification.integrity == Integrity.VERIFIED:
            public_events.append(
                "evidence.verified",
                subject=f"verification:{verification.pk}",
                at=at,
                document={
                    "sha256": verification.sha256,
                    "size": verification.size,
                    "verifier": version,
                    "integrity": str(verification.integrity),
                    "complete": verification.complete,
                    "members": verification.member_count,
                },
            )
        # Last: a hundred thousand of them take a while, and what is dated must be written while it is true.
        _write_members(verification, outcome["members"])
        return verification


def _write_members(verification: Verification, members: list[list[Any]]) -> None:
    """All at once (COPY), for the model would take a minute over a hundred thousand."""
    columns = ("verification_id", "path", "size", "sha256", "sealed", "salt", "commitment")
    into = sql.SQL("COPY {} ({}) FROM STDIN").format(
        sql.Identifier(Member._meta.db_table), sql.SQL(", ").join(map(sql.Identifier, columns))
    )
    with connection.cursor() as cursor, cursor.copy(into) as copy:
        for path, size, sha256, *seal in members:
            salt, commitment = seal or ("", "")
            copy.write_row(
                (
                    verification.pk,
                    path,
                    size,
                    sha256,
                    bool(salt),
                    bytes.fromhex(salt) if salt else None,
                    commitment,
                )
            )


# ── reading it again ─────────────────────────────────────────────────────────
def latest(package: EvidencePackage) -> Verification | None:
    """The verification that the package's state rests on."""
    return package.verifications.order_by("-id").first()
