"""What became of packages that were ready: the decisions on their measurements, and whether one still waits."""

from collections.abc import Collection
from dataclasses import dataclass

from django.db.models import Exists, OuterRef

from certificates.models import Certificate, Notice
from certificates.states import Decision
from grading.models import Measurement


@dataclass(frozen=True, slots=True)
class Decided:
    """One decision that stands: the certificate that was issued, or the notice of the refusal."""

    notice: str
    certificate: str | None


@dataclass(frozen=True, slots=True)
class Outcome:
    decided: tuple[Decided, ...]
    waits: bool


def outcomes(packages: Collection[int]) -> dict[int, Outcome]:
    """By key of the package, for those of which something was decided: three queries for all of them."""
    overturned = Notice.objects.filter(about=OuterRef("pk"), decision=Decision.OVERTURN)
    issued = Certificate.objects.filter(measurement__package__in=packages).values_list(
        "measurement__package", "measurement", "number"
    )
    refused = (
        Notice.objects.filter(measurement__package__in=packages, decision=Decision.REFUSE)
        .exclude(Exists(overturned))
        .values_list("measurement__package", "measurement", "number")
    )
    decided: dict[int, list[Decided]] = {}
    settled: dict[int, set[int]] = {}
    for package, measurement, number in issued.order_by("pk"):
        decided.setdefault(package, []).append(Decided("", number))
        settled.setdefault(package, set()).add(measurement)
    for package, measurement, number in refused.order_by("pk"):
        decided.setdefault(package, []).append(Decided(number, None))
        settled.setdefault(package, set()).add(measurement)
    measured: dict[int, set[int]] = {}
    for package, measurement in Measurement.objects.filter(package__in=decided).values_list("package", "pk"):
        measured.setdefault(package, set()).add(measurement)
    return {
        package: Outcome(tuple(found), bool(measured.get(package, set()) - settled[package]))
        for package, found in decided.items()
    }
