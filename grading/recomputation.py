"""recompute(…): freezes the figures of a verified package under one scheme; the only writer of measurements.

The figures come from the reading that verified the package (`grading.reading`); no declared figure is taken.
"""

import hashlib
from datetime import datetime
from typing import Any

import rfc8785
from django.db import transaction

from evidence import proposals, run_package
from evidence.models import EvidencePackage, Integrity, Verification
from grading import custody
from grading import figures as shapes
from grading.models import Figure, Measurement, Scheme
from registry_site import public_events
from registry_site.problems import Refusal


class NotVerified(Refusal):
    """Only an intact package is measured: a failed check never becomes a number."""

    code = "package_not_verified"


@transaction.atomic
def recompute(
    package: EvidencePackage,
    *,
    verification: Verification,
    scheme: Scheme,
    figures: dict[str, Any],
    at: datetime,
) -> Measurement:
    """The measurement of `package` under `scheme`: the one that exists, or a new one, frozen.

    `figures` is the reading's answer: `result` (grading.figures.Result as JSON) and `grouping_sha256`.
    Raises NotVerified, FigureImpossible.
    """
    known = Measurement.objects.filter(package=package, scheme=scheme).first()
    if known is not None:
        return known
    if verification.package_id != package.pk or verification.integrity != Integrity.VERIFIED:
        raise NotVerified
    descriptor = verification.descriptor
    result = _not_believed(dict(figures["result"]), package)
    rows = result.pop("figures")
    if faults := shapes.contradictions(map(shapes.figure_from_json, rows)):
        raise shapes.FigureImpossible(faults)
    system = descriptor["system"]
    version = proposals.version_named(
        holder=system["holder"],
        system=system["name"],
        version=system["version"],
        model_family=system["model_family"],
        at=at,
    )
    questions = descriptor.get("question_set") or {}
    run = result.get("run")
    measurement = Measurement.objects.create(
        package=package,
        verification=verification,
        scheme=scheme,
        system_version=version,
        method=result["method"],
        measured_at=datetime.fromisoformat(descriptor["measured_at"]),
        frozen_at=at,
        set_name=_variant(run) if run else questions.get("name", ""),
        set_sha256=result["set_sha256"],
        custodian=questions.get("custodian") or "",
        holder_had_access=questions.get("holder_had_access") or "unknown",
        descriptor=descriptor,
        result=result,
        declared_coincide=all(declared["coincides"] for declared in result["declared"]),
        grouping_sha256=figures["grouping_sha256"],
        figures_sha256=digest_of(rows),
    )
    Figure.objects.bulk_create(
        (Figure(measurement=measurement, position=position, **row) for position, row in enumerate(rows)),
        batch_size=1000,
    )
    if run is None:
        # A run answers no questions: whether its rubric was still sealed is told by its series.
        custody.record_use(measurement, at=at)
    package.system_version = version
    package.save(update_fields=["system_version"])
    public_events.append(
        "measurement.frozen",
        subject=f"measurement:{measurement.pk}",
        at=at,
        document={
            "evidence": package.sha256,
            "scheme": scheme.sha256,
            "set": measurement.set_sha256,
            "grouping": measurement.grouping_sha256,
            "figures": measurement.figures_sha256,
        },
    )
    return measurement


def _variant(run: dict[str, Any]) -> str:
    """The case variant that a run is of, by name: what its set hash stands for."""
    return f"{run['test_case']} · {run['case_version']} · {run['start_domain']}"[:200]


def _not_believed(result: dict[str, Any], package: EvidencePackage) -> dict[str, Any]:
    """Anybody may write into a package that the registry recorded it: of a run it did only what it packed itself."""
    run = result.get("run")
    if not run or run["recorded_by"] != "registry" or run_package.is_of_a_run(package):
        return result
    submitted = shapes.Limitation(code="run_recorded_by_submitter").as_json()
    return {
        **result,
        "run": {**run, "recorded_by": "submitter"},
        "limitations": [*result["limitations"], submitted],
    }


def digest_of(figures: list[dict[str, Any]]) -> str:
    """SHA-256 of the RFC 8785 form of all figures (figures §0), in order."""
    return hashlib.sha256(rfc8785.dumps(figures)).hexdigest()
