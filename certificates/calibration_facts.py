"""What may be told of the calibrations of a measurement: each with its date, the newest first, none left out."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

from certificates import measured, pages
from grading import publishable
from grading.figures import Figure
from grading.models import Calibration, Measurement


def of_measurement(
    measurement: Measurement, figures: Sequence[Figure], *, at: datetime, zone: ZoneInfo
) -> tuple[pages.Calibration, ...]:
    """Those added up to `at`. `figures`: what is published of the measurement, which hides in them what it hides."""
    return tuple(
        _told(row, measurement, figures, zone)
        for row in measurement.calibrations.filter(at__lte=at).order_by("-at", "-pk")
    )


def _told(
    row: Calibration, measurement: Measurement, figures: Sequence[Figure], zone: ZoneInfo
) -> pages.Calibration:
    return pages.Calibration(
        number=row.pk,
        at=row.at.astimezone(zone),
        role=row.role,
        reviewers=row.reviewers,
        sampled=row.sampled,
        seed=row.seed,
        sheets=tuple(
            pages.FilledSheet(
                sha256=sheet["sha256"], reviewers=tuple(sheet["reviewers"]), reviews=sheet["reviews"]
            )
            for sheet in row.sheets
        ),
        agreement=published(row.agreement, measurement, figures),
    )


def published(
    agreement: Mapping[str, Any], measurement: Measurement, figures: Sequence[Figure]
) -> Mapping[str, Any]:
    """What of an agreement anybody may see, beside these figures of the measurement."""
    return publishable.agreement(
        agreement,
        figures,
        suppressed_below=measurement.scheme.rules.suppression.suppressed_below,
        evidence_is_public=measured.evidence_is_public(measurement),
    )
