"""Rubrics, and the marks that were given under them."""

from django.db import models
from django.utils.translation import gettext_lazy as _

from evidence.models import Run, TestCase
from registry_site.append_only import WrittenOnce
from registry_site.models import Person


class RubricDraft(models.Model):
    """A rubric that is being written. Its text is bytes, so that no search or list of texts ever finds it."""

    case = models.ForeignKey(TestCase, models.PROTECT, related_name="rubric_drafts")
    document = models.BinaryField()
    written_by = models.ForeignKey(Person, models.PROTECT, related_name="+")
    created_at = models.DateTimeField()
    changed_at = models.DateTimeField()

    def __str__(self) -> str:
        return f"#{self.pk}"


class Rubric(WrittenOnce):
    """A sealed version: its RFC 8785 bytes, the 32 bytes of salt, and the commitment that is public before any run.

    Written by grading.series alone; shown by it once its series says that it is revealed or leaked.
    """

    case = models.ForeignKey(TestCase, models.PROTECT, related_name="rubrics")
    version = models.PositiveIntegerField()
    document = models.BinaryField()
    salt = models.BinaryField()
    commitment = models.CharField(max_length=64, unique=True)
    made_by = models.ForeignKey(Person, models.PROTECT, null=True, related_name="+")
    made_at = models.DateTimeField()

    class Meta:
        verbose_name = _("rubric")
        verbose_name_plural = _("rubrics")
        constraints = [
            models.UniqueConstraint(name="a_rubric_version_is_sealed_once", fields=["case", "version"])
        ]

    def __str__(self) -> str:
        return f"{self.case.code} · {self.version}"


class MarkValue(models.TextChoices):
    MET = "met", _("met")
    NOT_MET = "not_met", _("not met")
    NOT_OBSERVABLE = "not_observable", _("not observable")


class Mark(WrittenOnce):
    """The mark of a point of a run, by code (`by` is null) or by an evaluator; a changed one is a new row.

    `requests` are sequence numbers, all before the cut (domain §7.5).
    """

    run = models.ForeignKey(Run, models.PROTECT, related_name="marks")
    point = models.CharField(max_length=40)
    mark = models.CharField(max_length=14, choices=MarkValue)
    requests = models.JSONField(default=list)
    by = models.ForeignKey(Person, models.PROTECT, null=True, related_name="+")
    note = models.TextField(blank=True)
    at = models.DateTimeField()
    replaces = models.OneToOneField("self", models.PROTECT, null=True, related_name="replaced_by")
    reason = models.TextField(blank=True)

    class Meta:
        ordering = ["pk"]
        verbose_name = _("mark")
        verbose_name_plural = _("marks")
        constraints = [
            models.UniqueConstraint(
                name="a_point_has_one_first_mark",
                fields=["run", "point"],
                condition=models.Q(replaces__isnull=True),
            ),
            models.CheckConstraint(
                name="a_changed_mark_says_who_changed_it_and_why",
                condition=models.Q(replaces__isnull=True)
                | (models.Q(by__isnull=False) & ~models.Q(reason="")),
            ),
            models.CheckConstraint(
                name="nothing_is_met_without_a_request_that_supports_it",
                condition=~models.Q(mark="met") | ~models.Q(requests=[]),
            ),
        ]
