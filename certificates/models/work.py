"""The staff's own work on a matter: who has it in hand, what was noted about it, what was set aside. Never public."""

from django.db import models
from django.utils.translation import gettext_lazy as _

from evidence.models import EvidencePackage
from registry_site.append_only import WrittenOnce
from registry_site.models import Person

LONGEST_NOTE = 4_000


class Assignment(models.Model):
    """That one person has a matter in hand, from `at` until `ended_at`.

    `kind` and `identifier` name the thing that the matter is about, as the audit log does: «appeal» and its
    number, «package» and its key (`certificates.work_subjects`).
    """

    kind = models.CharField(max_length=20)
    identifier = models.CharField(max_length=40)
    person = models.ForeignKey(Person, models.PROTECT, related_name="assignments")
    assigned_by = models.ForeignKey(Person, models.PROTECT, related_name="+")
    at = models.DateTimeField()
    ended_by = models.ForeignKey(Person, models.PROTECT, null=True, related_name="+")
    ended_at = models.DateTimeField(null=True)

    class Meta:
        indexes = [
            models.Index(
                fields=["person", "kind"],
                name="assignment_in_hand",
                condition=models.Q(ended_at__isnull=True),
            )
        ]
        constraints = [
            models.UniqueConstraint(
                name="a_matter_is_in_the_hands_of_one_person",
                fields=["kind", "identifier"],
                condition=models.Q(ended_at__isnull=True),
            ),
            models.CheckConstraint(
                name="an_assignment_ends_by_somebody_at_some_time",
                condition=models.Q(ended_at__isnull=True, ended_by__isnull=True)
                | models.Q(ended_at__isnull=False, ended_by__isnull=False),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.kind}:{self.identifier}"


class StaffNote(WrittenOnce):
    """What a member of staff noted for the others about a thing. The public never reads it."""

    kind = models.CharField(max_length=20)
    identifier = models.CharField(max_length=40)
    text = models.TextField(_("note"))
    by = models.ForeignKey(Person, models.PROTECT, related_name="+")
    at = models.DateTimeField()

    class Meta:
        indexes = [models.Index(fields=["kind", "identifier", "-id"], name="note_about")]
        constraints = [
            models.CheckConstraint(name="a_note_has_its_text", condition=~models.Q(text="")),
        ]

    def __str__(self) -> str:
        return f"#{self.pk}"


class SetAside(WrittenOnce):
    """That a rejected package needs nobody any more, and why: it leaves the queue, and stays where it is."""

    package = models.OneToOneField(EvidencePackage, models.PROTECT, related_name="set_aside")
    reason = models.TextField(_("reason"))
    by = models.ForeignKey(Person, models.PROTECT, related_name="+")
    at = models.DateTimeField()

    class Meta:
        constraints = [
            models.CheckConstraint(name="what_is_set_aside_says_why", condition=~models.Q(reason="")),
        ]

    def __str__(self) -> str:
        return f"#{self.pk}"
