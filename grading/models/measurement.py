"""Frozen figures of one verified package under one scheme version."""

from django.db import models
from django.utils.translation import gettext_lazy as _

from evidence import run_members
from evidence.models import EvidencePackage, SystemVersion, Verification
from grading.models.scheme import Scheme
from registry_site.append_only import FrozenParent, WrittenOnce


class Measurement(FrozenParent):
    """What was recomputed from one package. Written by grading.recomputation alone.

    `result` is grading.figures.Result as JSON without the figures (their rows stand beside it): groups,
    agreement, declared comparisons, criteria, limitations, counts. `figures_sha256` is the SHA-256 of the
    RFC 8785 form of all figures, in order.
    """

    package = models.ForeignKey(EvidencePackage, models.PROTECT, related_name="measurements")
    verification = models.ForeignKey(Verification, models.PROTECT, related_name="measurements")
    scheme = models.ForeignKey(Scheme, models.PROTECT, related_name="measurements")
    system_version = models.ForeignKey(SystemVersion, models.PROTECT, related_name="measurements")
    method = models.CharField(max_length=20)
    measured_at = models.DateTimeField(_("measured at"))
    frozen_at = models.DateTimeField(_("frozen at"))
    set_name = models.CharField(max_length=200, blank=True)
    set_sha256 = models.CharField(max_length=64)
    custodian = models.CharField(max_length=200, blank=True)
    holder_had_access = models.CharField(max_length=8, default="unknown")
    descriptor = models.JSONField()
    result = models.JSONField()
    declared_coincide = models.BooleanField()
    grouping_sha256 = models.CharField(max_length=64)
    figures_sha256 = models.CharField(max_length=64)

    class Meta:
        verbose_name = _("measurement")
        verbose_name_plural = _("measurements")
        indexes = [models.Index(fields=["system_version", "scheme", "frozen_at"])]
        constraints = [
            models.UniqueConstraint(
                name="a_package_is_measured_once_per_scheme", fields=["package", "scheme"]
            )
        ]

    @property
    def is_of_a_run(self) -> bool:
        """Whether it counts what an agent did, and not how often a system erred."""
        return self.method == run_members.METHOD


class Figure(WrittenOnce):
    """One figure, shaped as `grading.figures.Figure`; every k and n is kept, suppression acts on publication."""

    measurement = models.ForeignKey(Measurement, models.PROTECT, related_name="figures")
    position = models.PositiveIntegerField()
    metric = models.CharField(max_length=40)
    denominator = models.CharField(max_length=30)
    group = models.CharField(max_length=40, null=True)
    category = models.CharField(max_length=60, null=True)
    judge = models.CharField(max_length=100, null=True)
    k = models.BigIntegerField()
    n = models.BigIntegerField()
    unjudged = models.BigIntegerField(null=True)
    estimate = models.CharField(max_length=12, null=True)
    low = models.CharField(max_length=12, null=True)
    high = models.CharField(max_length=12, null=True)
    interval = models.CharField(max_length=20)
    n_eff = models.CharField(max_length=24, null=True)
    clusters = models.BigIntegerField(null=True)
    band = models.CharField(max_length=12)
    reason = models.CharField(max_length=60, null=True)

    class Meta:
        ordering = ["position"]
        constraints = [
            models.UniqueConstraint(name="a_figure_has_its_place", fields=["measurement", "position"]),
            models.CheckConstraint(
                name="k_is_between_0_and_n", condition=models.Q(k__gte=0, n__gte=models.F("k"))
            ),
        ]
