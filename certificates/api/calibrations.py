"""Doors to what people who judged blind said of a measurement's judges, after it was frozen."""

from typing import Any

from django.utils.translation import gettext_lazy as _
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from certificates import calibration_facts, measured, pages, visibility
from certificates.api import taken
from certificates.api.reading import InTheFuture, MeasurementNotFound, past_instant
from grading.api.shown_groups import ShownAgreement
from registry_site import clock
from registry_site.api import Endpoint
from registry_site.taken import InvalidFields, take


class ShownFilledSheet(serializers.Serializer):
    """A filled sheet; people are numbers."""

    sha256 = serializers.CharField(help_text=_("Of the file as it was handed in."))
    reviewers = serializers.ListField(child=serializers.IntegerField())
    reviews = serializers.IntegerField()


class ShownCalibration(serializers.Serializer):
    """One blind review. It changes nothing of the measurement."""

    id = serializers.IntegerField()
    at = serializers.DateTimeField()
    role = serializers.CharField(help_text=_("Of whoever added it."))
    reviewers = serializers.IntegerField()
    sampled = serializers.IntegerField(help_text=_("Answers in the sheet."))
    seed = serializers.CharField(
        help_text=_("First 8 bytes of SHA-256 of the set hash followed by the SHA-256 of verdicts.jsonl.")
    )
    sheets = ShownFilledSheet(many=True)
    agreement = ShownAgreement()


class ShownCalibrations(serializers.Serializer):
    """Every blind review of a measurement, the newest first: none is left out."""

    measurement = serializers.IntegerField()
    as_of = serializers.DateTimeField()
    calibrations = ShownCalibration(many=True)


class Calibrations(Endpoint):
    """What people who judged blind said of a measurement's judges."""

    tag = "measurements"
    public = False
    problems = {"GET": (MeasurementNotFound, InTheFuture, InvalidFields)}

    @extend_schema(
        operation_id="read_calibrations",
        summary=_("The blind reviews of a measurement"),
        description=_(
            "Each with its date, the newest first; «as_of» asks which there were then. Whoever may see the "
            "measurement sees them."
        ),
        parameters=[taken.StatusQuery],
        responses=ShownCalibrations,
    )
    def get(self, request: Request, measurement: int) -> Response:
        row = visibility.measurement_for(request.user, measurement) if measurement < 2**63 else None
        if row is None:
            raise MeasurementNotFound()
        zone = row.scheme.rules.zone
        values = take(taken.StatusQuery, request.query_params, query=True)
        now = clock.now()
        as_of = past_instant(values.get("as_of", now), now=now, zone=zone)
        found = calibration_facts.of_measurement(row, measured.published_figures(row), at=as_of, zone=zone)
        body = {"measurement": row.pk, "as_of": as_of, "calibrations": [_shown(one) for one in found]}
        return Response(ShownCalibrations(body).data)


def _shown(of: pages.Calibration) -> dict[str, Any]:
    return {
        "id": of.number,
        "at": of.at,
        "role": of.role,
        "reviewers": of.reviewers,
        "sampled": of.sampled,
        "seed": of.seed,
        "sheets": of.sheets,
        "agreement": of.agreement,
    }
