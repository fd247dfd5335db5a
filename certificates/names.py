"""What a certificate names on the day of its issue, and how the row that lists search is filled from it."""

import unicodedata
from datetime import datetime
from typing import Any

from certificates import numbers
from certificates.models import Certificate
from grading.models import Measurement
from registry_site import leaves

VERSION = 1
WITH_PARENTS = ("scheme", "package", "verification", "system_version__system__holder", "set_use")


def with_parents():
    """Measurements with all that a certificate names of them."""
    return Measurement.objects.select_related(*WITH_PARENTS)


def certificates_with_parents():
    """Certificates with all that a decision asks about them."""
    return Certificate.objects.select_related(
        "supersedes",
        "system_version__system__holder",
        *(f"measurement__{path}" for path in WITH_PARENTS),
    )


def of(
    measurement: Measurement, *, issued_at: datetime, valid_until: datetime, supersedes: Certificate | None
) -> dict[str, Any]:
    """Everything that the certificate names, as JSON without floats: what its first event fixes."""
    version = measurement.system_version
    holder = version.system.holder
    rules = measurement.scheme.rules
    descriptor = measurement.descriptor
    return {
        "v": VERSION,
        "issued_at": leaves.instant(issued_at),
        "valid_until": leaves.instant(valid_until),
        "supersedes": supersedes.number if supersedes else None,
        "holder": {
            "name": holder.name,
            "country": holder.country,
            "identifier_kind": holder.identifier_kind,
            "identifier": holder.identifier,
        },
        "system": version.system.name,
        "version": version.version,
        "model_family": version.model_family,
        "endpoint_kind": descriptor.get("endpoint_kind"),
        "scheme": {"code": rules.code, "version": rules.version, "sha256": rules.sha256},
        "measurement": of_measurement(measurement),
        "question_set": {
            "name": measurement.set_name,
            "sha256": measurement.set_sha256,
            "custodian": measurement.custodian,
            "holder_had_access": measurement.holder_had_access,
            "times_used_before": (descriptor.get("question_set") or {}).get("times_used_before"),
        },
        "corpus": descriptor.get("corpus"),
        "evidence": {
            "sha256": measurement.package.sha256,
            "size": measurement.verification.size,
            "integrity": measurement.verification.integrity,
            "checked_at": leaves.instant(measurement.verification.at),
            "verifier": measurement.verification.verifier_version,
        },
        "groups": groups_of(measurement),
        "roles": {"evaluated": "evaluator", "decided": "certifier"},
    }


def of_measurement(measurement: Measurement) -> dict[str, Any]:
    return {
        "reference": reference(measurement),
        "method": measurement.method,
        "measured_at": leaves.instant(measurement.measured_at),
        "frozen_at": leaves.instant(measurement.frozen_at),
        "figures_sha256": measurement.figures_sha256,
        "grouping_sha256": measurement.grouping_sha256,
    }


def reference(measurement: Measurement) -> str:
    """How a measurement is named where it is listed."""
    return f"M-{measurement.pk}"


def groups_of(measurement: Measurement) -> list[str]:
    """The keys of all groups that were measured, in order of their name."""
    keys = measurement.figures.exclude(group=None).values_list("group", flat=True).distinct().order_by()
    return sorted(set(keys))


def searched(certificate: Certificate) -> dict[str, Any]:
    """The columns of `CertificateState` that are facts of the issue."""
    measurement = certificate.measurement
    version = certificate.system_version
    named = certificate.names
    return {
        "number": certificate.number,
        "issued_at": certificate.issued_at,
        "measurement": measurement,
        "scheme": measurement.scheme,
        "holder": version.system.holder,
        "system_version": version,
        "holder_name": named["holder"]["name"],
        "system_name": named["system"],
        "version": named["version"],
        "scheme_name": f"{named['scheme']['code']}-{named['scheme']['version']}",
        "method": measurement.method,
        "groups": named["groups"],
        "measured_at": measurement.measured_at,
        "evidence_sha256": named["evidence"]["sha256"],
        "year": numbers.year_of(certificate.number),
        "folded": folded(f"{named['system']} {named['version']} {named['holder']['name']}"),
    }


def folded(text: str) -> str:
    """Without case, accents and runs of spaces: how names are compared when someone searches."""
    apart = unicodedata.normalize("NFKD", text.casefold())
    bare = "".join(character for character in apart if not unicodedata.combining(character))
    return " ".join(unicodedata.normalize("NFKC", bare).split())
