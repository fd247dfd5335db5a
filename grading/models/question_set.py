"""Sealed question sets as they were registered, what happened to each, and what was known of a set when it was used."""

from django.db import models
from django.utils.translation import gettext_lazy as _

from grading import sealing
from grading.models.measurement import Measurement
from registry_site.append_only import WrittenOnce
from registry_site.models import Person, PublicEvent


class QuestionSet(WrittenOnce):
    """A set of which the registry holds the seal and not the questions. Written by grading.custody alone.

    `file` is what was handed in (grading.set_commitments), byte for byte; the other columns are what it says.
    """

    set_sha256 = models.CharField(max_length=64, unique=True)
    commitment = models.CharField(max_length=64)
    name = models.CharField(max_length=200)
    custodian = models.CharField(max_length=200)
    items = models.PositiveIntegerField()
    by_category = models.JSONField()
    by_language = models.JSONField()
    scheme_code = models.CharField(max_length=20)
    scheme_version = models.CharField(max_length=20)
    examples = models.JSONField()
    file = models.BinaryField()
    registered_by = models.ForeignKey(Person, models.PROTECT, related_name="+")
    registered_at = models.DateTimeField()

    class Meta:
        verbose_name = _("question set")
        verbose_name_plural = _("question sets")

    def __str__(self) -> str:
        return self.name


class SetStep(models.TextChoices):
    """The steps of a set that are public events; using it is told by its measurements."""

    SEAL = sealing.Step.SEAL.value, _("sealed")
    REVEAL = sealing.Step.REVEAL.value, _("revealed")
    LEAK = sealing.Step.LEAK.value, _("leaked")


class QuestionSetEvent(WrittenOnce):
    """One dated public fact about a set. `occurred_on` is the day of a leak, as far as it is known."""

    question_set = models.ForeignKey(QuestionSet, models.PROTECT, related_name="events")
    step = models.CharField(max_length=6, choices=SetStep)
    at = models.DateTimeField()
    by = models.ForeignKey(Person, models.PROTECT, related_name="+")
    statement_es = models.TextField(blank=True)
    statement_en = models.TextField(blank=True)
    occurred_on = models.DateField(null=True)
    salt = models.BinaryField(null=True)
    publishes_items = models.BooleanField(default=False)
    public_event = models.OneToOneField(PublicEvent, models.PROTECT, related_name="+")

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.UniqueConstraint(name="a_set_takes_each_step_once", fields=["question_set", "step"]),
            # Revealed or leaked, never both: what is out cannot be let out again.
            models.UniqueConstraint(
                name="a_set_is_exposed_once",
                fields=["question_set"],
                condition=models.Q(step__in=["reveal", "leak"]),
            ),
            models.CheckConstraint(
                name="a_reveal_shows_its_salt",
                condition=models.Q(step="reveal", salt__isnull=False)
                | (~models.Q(step="reveal") & models.Q(salt__isnull=True, publishes_items=False)),
            ),
            models.CheckConstraint(
                name="a_leak_has_its_day",
                condition=models.Q(step="leak", occurred_on__isnull=False)
                | (~models.Q(step="leak") & models.Q(occurred_on__isnull=True)),
            ),
            models.CheckConstraint(
                name="an_exposed_set_has_a_statement_in_both_languages",
                condition=models.Q(step="seal") | (~models.Q(statement_es="") & ~models.Q(statement_en="")),
            ),
        ]


class RevealedItems(WrittenOnce):
    """The questions of a revealed set whose custodian publishes them: its canonical form, gzip."""

    event = models.OneToOneField(QuestionSetEvent, models.PROTECT, related_name="items")
    content = models.BinaryField()
    size = models.PositiveIntegerField()
    sha256 = models.CharField(max_length=64)


class Exposure(models.TextChoices):
    NONE = "", _("not exposed")
    REVEALED = "revealed", _("revealed")
    LEAKED = "leaked", _("leaked")


class SetUse(WrittenOnce):
    """What the registry knew of a set when a measurement on it was frozen. It stands beside the frozen row.

    `uses_before`: evidence packages with the same set that were measured here before. `exposure` only when the set was
    revealed or leaked before the evidence was handed in.
    """

    measurement = models.OneToOneField(Measurement, models.PROTECT, related_name="set_use")
    set_sha256 = models.CharField(max_length=64, db_index=True)
    uses_before = models.PositiveIntegerField()
    exposure = models.CharField(max_length=8, choices=Exposure, default=Exposure.NONE, blank=True)
    exposed_on = models.DateField(null=True)
    at = models.DateTimeField()

    class Meta:
        verbose_name = _("use of a question set")
        verbose_name_plural = _("uses of question sets")
        constraints = [
            models.CheckConstraint(
                name="an_exposure_has_its_day",
                condition=models.Q(exposure="", exposed_on__isnull=True)
                | (~models.Q(exposure="") & models.Q(exposed_on__isnull=False)),
            )
        ]
