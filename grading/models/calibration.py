"""How far the judges of a measurement agree with people who judged the same answers blind, after it was frozen."""

from django.db import models
from django.utils.translation import gettext_lazy as _

from grading.models.measurement import Measurement
from registry_site.append_only import WrittenOnce
from registry_site.models import ROLE_CHOICES, Person


class Calibration(WrittenOnce):
    """What the sheets of one blind review gave. Written by grading.calibrations alone; the measurement stays as it is.

    `agreement` has the shape of `Measurement.result["agreement"]` (grading.reviews). Reviewers are numbers: the names
    in the sheets are kept nowhere. `sheets`: of each file its SHA-256, its reviewers and how many reviews it holds, in
    order of the hashes; `sheets_sha256`: of these hashes, each followed by a line feed.
    """

    measurement = models.ForeignKey(Measurement, models.PROTECT, related_name="calibrations")
    seed = models.CharField(_("seed"), max_length=16)
    sampled = models.PositiveIntegerField(_("answers in the sheet"))
    reviewers = models.PositiveSmallIntegerField(_("people"))
    sheets = models.JSONField()
    sheets_sha256 = models.CharField(max_length=64)
    agreement = models.JSONField()
    by = models.ForeignKey(Person, models.PROTECT, related_name="+")
    role = models.CharField(max_length=20, choices=ROLE_CHOICES)
    at = models.DateTimeField(_("added at"))

    class Meta:
        verbose_name = _("calibration")
        verbose_name_plural = _("calibrations")
        ordering = ["at", "id"]
        constraints = [
            models.UniqueConstraint(
                name="the_same_sheets_are_taken_once", fields=["measurement", "sheets_sha256"]
            ),
            models.CheckConstraint(name="people_took_part_in_it", condition=models.Q(reviewers__gte=1)),
        ]

    def __str__(self) -> str:
        return f"{self.measurement_id}/{self.pk}"
