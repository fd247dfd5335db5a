"""Schemes, measurements and comparisons in the admin: written once, so only to be looked at."""

from django.contrib import admin

from grading.models import Calibration, Comparison, ComparisonRequest, Measurement, QuestionSet, Scheme
from registry_site.admin_site import ReadOnly


@admin.register(Scheme)
class SchemeAdmin(ReadOnly):
    list_display = ("code", "version", "method", "sha256", "published_at")
    exclude = ("file",)


@admin.register(Measurement)
class MeasurementAdmin(ReadOnly):
    list_display = ("pk", "system_version", "scheme", "measured_at", "frozen_at", "declared_coincide")
    list_select_related = ("system_version__system", "scheme")
    fields = (
        "package",
        "scheme",
        "system_version",
        "method",
        "measured_at",
        "frozen_at",
        "set_name",
        "set_sha256",
        "holder_had_access",
        "declared_coincide",
        "figures_sha256",
    )


@admin.register(QuestionSet)
class QuestionSetAdmin(ReadOnly):
    list_display = ("name", "custodian", "set_sha256", "items", "registered_at")
    exclude = ("file",)


@admin.register(Calibration)
class CalibrationAdmin(ReadOnly):
    list_display = ("pk", "measurement", "reviewers", "sampled", "by", "role", "at")
    list_select_related = ("measurement", "by")


@admin.register(Comparison)
class ComparisonAdmin(ReadOnly):
    list_display = ("pk", "first", "second", "at", "verifier_version")
    list_select_related = ("first", "second")


@admin.register(ComparisonRequest)
class ComparisonRequestAdmin(ReadOnly):
    list_display = ("pk", "first", "second", "origin", "state", "attempts", "failure", "requested_at")
    list_select_related = ("first", "second")
    list_filter = ("state", "origin")
