"""The holder's request to reconsider one decision: what was asked, what was done about it, and who may be told.

What is written once stands apart from what may be erased: an appeal, its steps and its attachments stay; the
person who filed it stands in a row of its own.
"""

from django.db import models
from django.utils.translation import gettext_lazy as _

from certificates import words
from certificates.appeal_states import AppealOutcome, AppealState, AppealStep, Effect, Inadmissibility
from certificates.models.certificate import Certificate
from certificates.models.notice import HolderRequest, Notice
from certificates.numbers import APPEAL_PATTERN
from certificates.ways import Way
from registry_site.append_only import FrozenParent, WrittenOnce
from registry_site.models import ROLE_CHOICES, Person, PublicEvent, SignedLink

STATE_CHOICES = [(state.value, words.APPEAL[state.value]) for state in AppealState]
STEP_CHOICES = [(step.value, words.APPEAL_STEP[step.value]) for step in AppealStep]
OUTCOME_CHOICES = [(outcome.value, words.OUTCOME[outcome.value]) for outcome in AppealOutcome]
EFFECT_CHOICES = [(effect.value, words.EFFECT[effect.value]) for effect in Effect]
WAY_CHOICES = [(way.value, words.APPEAL_WAY[way.value]) for way in Way]
INADMISSIBILITY_CHOICES = [(reason.value, words.INADMISSIBILITY[reason.value]) for reason in Inadmissibility]


class Appeal(FrozenParent):
    """One appeal against one decision, as it was filed. What happens to it later is an `AppealEvent`.

    `notice` is unique: a decision is appealed once, and one that was withdrawn counts.
    """

    number = models.CharField(_("number"), max_length=20, unique=True)
    notice = models.OneToOneField(Notice, models.PROTECT, related_name="appeal")
    certificate = models.ForeignKey(Certificate, models.PROTECT, null=True, related_name="appeals")
    filed_at = models.DateTimeField()
    late = models.BooleanField(default=False)
    grounds = models.TextField()  # word by word, for the staff; the public reads the summary

    class Meta:
        verbose_name = _("appeal")
        verbose_name_plural = _("appeals")
        constraints = [
            models.CheckConstraint(
                name="an_appeal_number_has_its_form", condition=models.Q(number__regex=APPEAL_PATTERN)
            ),
            models.CheckConstraint(name="an_appeal_has_its_grounds", condition=~models.Q(grounds="")),
        ]

    def __str__(self) -> str:
        return self.number


class AppealAttachment(WrittenOnce):
    """A file that came with an appeal; its bytes stand under their SHA-256, for the staff alone."""

    appeal = models.ForeignKey(Appeal, models.PROTECT, related_name="attachments")
    position = models.PositiveSmallIntegerField()
    name = models.CharField(max_length=200)
    kind = models.CharField(max_length=10)  # pdf · png · jpeg · text: by its first bytes
    size = models.PositiveIntegerField()
    sha256 = models.CharField(max_length=64)

    class Meta:
        ordering = ["appeal", "position"]
        constraints = [
            models.UniqueConstraint(name="an_attachment_has_its_own_place", fields=["appeal", "position"]),
            models.CheckConstraint(
                name="an_attachment_is_named_by_its_digest",
                condition=models.Q(sha256__regex="^[0-9a-f]{64}$"),
            ),
        ]

    def __str__(self) -> str:
        return self.name


class AppealEvent(WrittenOnce):
    """One step of an appeal. A trigger holds the order of steps, and that nobody decides on the own decision.

    `way` is how filing and withdrawing came; null of what was filed before that was written down, by the link.
    `by` is the person of the holder, or whoever of the staff acted on its stored `request`.
    """

    appeal = models.ForeignKey(Appeal, models.PROTECT, related_name="events")
    sequence = models.PositiveSmallIntegerField()
    step = models.CharField(max_length=20, choices=STEP_CHOICES)
    at = models.DateTimeField()
    by = models.ForeignKey(Person, models.PROTECT, null=True, related_name="+")
    role = models.CharField(max_length=20, null=True, choices=ROLE_CHOICES)
    way = models.CharField(max_length=9, null=True, choices=WAY_CHOICES)
    request = models.OneToOneField(HolderRequest, models.PROTECT, null=True, related_name="appeal_event")
    outcome = models.CharField(max_length=13, null=True, choices=OUTCOME_CHOICES)
    effect = models.CharField(max_length=5, null=True, choices=EFFECT_CHOICES)
    reason = models.CharField(max_length=20, null=True, choices=INADMISSIBILITY_CHOICES)
    summary_es = models.TextField(default="", blank=True)
    summary_en = models.TextField(default="", blank=True)
    reasons_es = models.TextField(default="", blank=True)
    reasons_en = models.TextField(default="", blank=True)
    amended_es = models.TextField(default="", blank=True)
    amended_en = models.TextField(default="", blank=True)
    notice = models.OneToOneField(Notice, models.PROTECT, null=True, related_name="appeal_event")
    public_event = models.OneToOneField(PublicEvent, models.PROTECT, related_name="appeal_event")

    class Meta:
        ordering = ["appeal", "sequence"]
        constraints = [
            models.UniqueConstraint(name="an_appeal_takes_one_step_at_a_time", fields=["appeal", "sequence"]),
            models.CheckConstraint(
                name="the_holder_files_and_withdraws_and_staff_do_the_rest",
                condition=models.Q(
                    step__in=[AppealStep.FILE.value, AppealStep.WITHDRAW.value],
                    role__isnull=True,
                )
                | (
                    ~models.Q(step__in=[AppealStep.FILE.value, AppealStep.WITHDRAW.value])
                    & models.Q(by__isnull=False, role__isnull=False, way__isnull=True, request__isnull=True)
                ),
            ),
            models.CheckConstraint(
                name="what_a_holder_does_on_an_appeal_says_how_it_came",
                condition=models.Q(role__isnull=False)
                | (
                    (models.Q(way__isnull=True) | models.Q(way=Way.LINK.value))
                    & models.Q(by__isnull=True, request__isnull=True)
                )
                | models.Q(way=Way.ACCOUNT.value, by__isnull=False, request__isnull=True)
                | models.Q(way=Way.ON_BEHALF.value, by__isnull=False, request__isnull=False),
            ),
            models.CheckConstraint(
                name="an_admitted_appeal_has_a_summary_in_both_languages",
                condition=~models.Q(step=AppealStep.ADMIT.value)
                | (~models.Q(summary_es="") & ~models.Q(summary_en="")),
            ),
            models.CheckConstraint(
                name="an_appeal_ends_with_reasons_in_a_notice",
                condition=models.Q(
                    step__in=[AppealStep.DECIDE.value, AppealStep.DECLARE_INADMISSIBLE.value],
                    notice__isnull=False,
                )
                & ~models.Q(reasons_es="")
                & ~models.Q(reasons_en="")
                | (
                    ~models.Q(step__in=[AppealStep.DECIDE.value, AppealStep.DECLARE_INADMISSIBLE.value])
                    & models.Q(notice__isnull=True)
                ),
            ),
            models.CheckConstraint(
                name="only_a_decided_appeal_has_an_outcome",
                condition=models.Q(step=AppealStep.DECIDE.value, outcome__isnull=False)
                | (~models.Q(step=AppealStep.DECIDE.value) & models.Q(outcome__isnull=True)),
            ),
            models.CheckConstraint(
                name="only_what_is_upheld_in_part_names_its_effect",
                condition=models.Q(outcome=AppealOutcome.PARTLY_UPHELD.value, effect__isnull=False)
                | (
                    (models.Q(outcome__isnull=True) | ~models.Q(outcome=AppealOutcome.PARTLY_UPHELD.value))
                    & models.Q(effect__isnull=True)
                ),
            ),
            models.CheckConstraint(
                name="an_inadmissible_appeal_says_why",
                condition=models.Q(step=AppealStep.DECLARE_INADMISSIBLE.value, reason__isnull=False)
                | (~models.Q(step=AppealStep.DECLARE_INADMISSIBLE.value) & models.Q(reason__isnull=True)),
            ),
            models.CheckConstraint(
                name="an_amended_statement_speaks_both_languages",
                condition=(
                    models.Q(effect=Effect.AMEND.value) & ~models.Q(amended_es="") & ~models.Q(amended_en="")
                )
                | (
                    (models.Q(effect__isnull=True) | ~models.Q(effect=Effect.AMEND.value))
                    & models.Q(amended_es="", amended_en="")
                ),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.appeal_id}/{self.sequence} {self.step}"


class AppealStanding(models.Model):
    """Where the steps have led, for the queue, and the row that writers lock: derived, replayed by tests.

    `deadline_at` is when the next step is due. It surfaces in the queue; it decides nothing.
    """

    appeal = models.OneToOneField(Appeal, models.PROTECT, primary_key=True, related_name="standing")
    state = models.CharField(max_length=12, choices=STATE_CHOICES)
    sequence = models.PositiveSmallIntegerField()
    deadline_at = models.DateTimeField(null=True)

    class Meta:
        indexes = [
            models.Index(
                fields=["deadline_at"],
                name="appeal_open_by_deadline",
                condition=models.Q(state__in=["filed", "admitted"]),
            )
        ]
        constraints = [
            models.CheckConstraint(
                name="an_open_appeal_has_a_deadline",
                condition=models.Q(state__in=["filed", "admitted"], deadline_at__isnull=False)
                | (~models.Q(state__in=["filed", "admitted"]) & models.Q(deadline_at__isnull=True)),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.appeal_id}: {self.state}"


class AppealContact(models.Model):
    """Who filed an appeal and where an answer reaches them: personal data, erased without touching the appeal."""

    appeal = models.OneToOneField(Appeal, models.PROTECT, primary_key=True, related_name="contact")
    name = models.CharField(max_length=200, blank=True)
    email = models.EmailField(blank=True)
    language = models.CharField(max_length=2, default="es")
    erased_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.CheckConstraint(
                name="an_erased_contact_holds_nothing",
                condition=models.Q(erased_at__isnull=True) | models.Q(name="", email=""),
            ),
        ]

    def __str__(self) -> str:
        return f"#{self.pk}"


class LinkPurpose(models.TextChoices):
    FILE = "file", _("to file an appeal")
    FOLLOW = "follow", _("to follow an appeal, and to withdraw it")


class AppealLink(SignedLink):
    """A signed link to file an appeal against a decision, or to follow one."""

    purpose = models.CharField(max_length=6, choices=LinkPurpose)
    notice = models.ForeignKey(Notice, models.PROTECT, null=True, related_name="appeal_links")
    appeal = models.ForeignKey(Appeal, models.PROTECT, null=True, related_name="links")

    class Meta:
        constraints = [
            models.CheckConstraint(
                name="a_link_has_one_purpose_on_one_object",
                condition=models.Q(purpose="file", notice__isnull=False, appeal__isnull=True)
                | models.Q(purpose="follow", notice__isnull=True, appeal__isnull=False),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.purpose} #{self.pk}"
