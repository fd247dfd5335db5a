"""Schemes, measurements and figures as the API shows them: suppression applied, whoever asks."""

import json
from typing import Any

from django.utils.translation import gettext_lazy as _
from rest_framework import serializers

from grading.api.shown_groups import ShownAgreement, ShownCriteria, ShownGroups, names_by_key
from grading.figures import Band, Interval
from grading.models import Scheme


class ShownFigure(serializers.Serializer):
    """One figure. Numbers that are not whole are decimal strings; a suppressed figure has none."""

    metric = serializers.CharField()
    denominator = serializers.CharField()
    group = serializers.CharField(
        allow_null=True, help_text=_("Key of a language group; null: the total; «rest»: those suppressed.")
    )
    category = serializers.CharField(allow_null=True)
    judge = serializers.CharField(allow_null=True)
    k = serializers.IntegerField(allow_null=True)
    n = serializers.IntegerField(allow_null=True)
    unjudged = serializers.IntegerField(allow_null=True)
    estimate = serializers.CharField(allow_null=True)
    low = serializers.CharField(allow_null=True)
    high = serializers.CharField(allow_null=True)
    interval = serializers.ChoiceField(choices=[kind.value for kind in Interval])
    n_eff = serializers.CharField(allow_null=True)
    clusters = serializers.IntegerField(allow_null=True)
    band = serializers.ChoiceField(choices=[band.value for band in Band])
    reason = serializers.CharField(allow_null=True)


class ShownDeclared(serializers.Serializer):
    """A figure that the package declared, beside ours."""

    metric = serializers.CharField()
    denominator = serializers.CharField()
    group = serializers.CharField(allow_null=True)
    category = serializers.CharField(allow_null=True)
    declared = serializers.CharField()
    computed = serializers.CharField(allow_null=True)
    coincides = serializers.BooleanField()
    outcome = serializers.ChoiceField(choices=["coincides", "differs", "not_comparable", "not_recomputed"])


class ShownErratum(serializers.Serializer):
    """What is known to be wrong of a certificate."""

    certificate = serializers.CharField()
    notice = serializers.CharField(help_text=_("Its text: `/api/v1/notices/<number>/`."))
    do_not_rely = serializers.BooleanField(help_text=_("The certificate is not to be relied on."))


class ShownMeasurement(serializers.Serializer):
    """Frozen figures of one package under one scheme version."""

    id = serializers.IntegerField()
    scheme = serializers.CharField()
    method = serializers.CharField()
    system = serializers.CharField()
    version = serializers.CharField()
    holder = serializers.CharField()
    measured_at = serializers.DateTimeField(help_text=_("Declared by whoever evaluated."))
    frozen_at = serializers.DateTimeField(help_text=_("Recorded by the registry."))
    evidence_sha256 = serializers.CharField()
    set_name = serializers.CharField(allow_blank=True)
    set_sha256 = serializers.CharField()
    set_counted_before = serializers.IntegerField(
        allow_null=True, help_text=_("Uses of the set before, in this registry.")
    )
    set_exposed = serializers.ChoiceField(
        choices=["revealed", "leaked"],
        allow_null=True,
        help_text=_("What had become of the set when the evidence was handed in."),
    )
    grouping_sha256 = serializers.CharField()
    figures_sha256 = serializers.CharField(
        help_text=_("Of the RFC 8785 form of all figures, before suppression.")
    )
    declared_coincide = serializers.BooleanField()
    declared = ShownDeclared(many=True)
    figures = ShownFigure(many=True)
    group_names = names_by_key()
    groups = ShownGroups()
    criteria = ShownCriteria(allow_null=True, help_text=_("Null: a descriptive scheme."))
    agreement = ShownAgreement()
    certificates = serializers.ListField(child=serializers.CharField())
    errata = ShownErratum(many=True, help_text=_("On those certificates."))


class ShownScheme(serializers.Serializer):
    """A published version of a scheme: its file and the hash of its bytes. It never changes."""

    scheme = serializers.CharField()
    code = serializers.CharField()
    version = serializers.CharField()
    method = serializers.CharField()
    sha256 = serializers.CharField(help_text=_("Of the published file, byte for byte."))
    published_at = serializers.DateTimeField()
    address = serializers.CharField()


class ShownSchemeWhole(ShownScheme):
    """With its rules."""

    rules = serializers.JSONField(help_text=_("The file itself."))


def scheme(row: Scheme) -> dict[str, Any]:
    return {
        "scheme": str(row),
        "code": row.code,
        "version": row.version,
        "method": row.method,
        "sha256": row.sha256,
        "published_at": row.published_at,
        "address": f"/api/v1/schemes/{row}/",
    }


def scheme_whole(row: Scheme) -> dict[str, Any]:
    return {**scheme(row), "rules": json.loads(bytes(row.file))}
