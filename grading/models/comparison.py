"""The frozen comparison of two measurements, and the request that a worker makes it from."""

from django.db import models
from django.utils.translation import gettext_lazy as _

from grading.models.measurement import Measurement
from registry_site.append_only import WrittenOnce


class Comparison(WrittenOnce):
    """What differs between two measurements, pair by pair. Written by grading.comparing alone, once a pair.

    `result` is what grading.comparison.compare returned, suppressed as published: no hidden cell is stored. Of two sets
    that turned out to share no item it is `{"not_comparable": […]}`. `sha256` is that of its RFC 8785 form.
    """

    first = models.ForeignKey(Measurement, models.PROTECT, related_name="comparisons_as_first")
    second = models.ForeignKey(Measurement, models.PROTECT, related_name="comparisons_as_second")
    verifier_version = models.CharField(max_length=40)
    result = models.JSONField()
    sha256 = models.CharField(max_length=64)
    at = models.DateTimeField()

    class Meta:
        verbose_name = _("comparison")
        verbose_name_plural = _("comparisons")
        constraints = [
            models.UniqueConstraint(name="a_pair_is_compared_once", fields=["first", "second"]),
            # One order for each pair: who asks the other way round is answered with the same row.
            models.CheckConstraint(
                name="the_earlier_measurement_is_compared_as_the_first",
                condition=models.Q(first__lt=models.F("second")),
            ),
        ]


class RequestState(models.TextChoices):
    REQUESTED = "requested", _("requested")
    COMPUTING = "computing", _("being computed")
    DONE = "done", _("done")
    FAILED = "failed", _("system fault")


class RequestOrigin(models.TextChoices):
    """Who asked: only what anybody may ask for has a cap."""

    PIPELINE = "pipeline", _("the registry itself, when a measurement was frozen")
    STAFF = "staff", _("the staff")
    ANYBODY = "anybody", _("anybody")


class ComparisonRequest(models.Model):
    """That a pair is to be compared: the truth about the job, whose message only carries its id.

    `lease` is the running attempt's secret; whatever fails is the registry's fault, for both packages are intact.
    """

    first = models.ForeignKey(Measurement, models.PROTECT, related_name="+")
    second = models.ForeignKey(Measurement, models.PROTECT, related_name="+")
    origin = models.CharField(max_length=8, choices=RequestOrigin)
    state = models.CharField(max_length=9, choices=RequestState, default=RequestState.REQUESTED)
    failure = models.CharField(max_length=60, blank=True)
    attempts = models.PositiveSmallIntegerField(default=0)
    lease = models.UUIDField(null=True)
    lease_until = models.DateTimeField(null=True)
    deadline_at = models.DateTimeField(null=True)
    progress_bytes = models.BigIntegerField(default=0)
    progress_total = models.BigIntegerField(default=0)
    requested_at = models.DateTimeField()
    finished_at = models.DateTimeField(null=True)

    class Meta:
        verbose_name = _("request for a comparison")
        verbose_name_plural = _("requests for comparisons")
        indexes = [models.Index(fields=["state", "deadline_at"])]
        constraints = [
            models.UniqueConstraint(name="a_pair_is_asked_for_once", fields=["first", "second"]),
            models.CheckConstraint(
                name="the_earlier_measurement_is_asked_for_as_the_first",
                condition=models.Q(first__lt=models.F("second")),
            ),
            models.CheckConstraint(
                name="every_unfinished_comparison_has_a_deadline",
                condition=models.Q(state__in=["done", "failed"]) | models.Q(deadline_at__isnull=False),
            ),
            models.CheckConstraint(
                name="a_failed_comparison_says_why",
                condition=models.Q(state="failed") & ~models.Q(failure="") | ~models.Q(state="failed"),
            ),
        ]
