"""A complaint of anyone: what is kept of it for good, and what is erased some time after it was closed.

What is written once holds codes, dates, digests and public texts; what was complained of, in whose words, and where
an answer reaches them stands in rows of their own, which are emptied without touching the record.
"""

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.utils.translation import gettext_lazy as _

from certificates import words
from certificates.models.certificate import Certificate
from certificates.models.notice import Notice
from certificates.numbers import REPORT_PATTERN
from certificates.report_states import (
    STEPS_OF_STAFF,
    OutOfRemit,
    ReportKind,
    ReportOutcome,
    ReportState,
    ReportStep,
)
from registry_site.append_only import FrozenParent, WrittenOnce
from registry_site.models import ROLE_CHOICES, Person, PublicEvent, SignedLink

KIND_CHOICES = [(kind.value, words.REPORT_KIND[kind.value]) for kind in ReportKind]
STATE_CHOICES = [(state.value, words.REPORT[state.value]) for state in ReportState]
STEP_CHOICES = [(step.value, words.REPORT_STEP[step.value]) for step in ReportStep]
OUTCOME_CHOICES = [(outcome.value, words.OUTCOME[outcome.value]) for outcome in ReportOutcome]
OUT_OF_REMIT_CHOICES = [(reason.value, words.OUT_OF_REMIT[reason.value]) for reason in OutOfRemit]

_STAFF = sorted(step.value for step in STEPS_OF_STAFF)


class ReportDraft(models.Model):
    """What someone sent and has not confirmed: without a number, gone when its link dies.

    `attachments` are kept files as JSON: name, kind, size, sha256.
    """

    kind = models.CharField(max_length=20, choices=KIND_CHOICES)
    certificate = models.ForeignKey(Certificate, models.PROTECT, null=True, related_name="+")
    place = models.CharField(max_length=500, blank=True)
    text = models.TextField()
    name = models.CharField(max_length=200, blank=True)
    email = models.EmailField()
    language = models.CharField(max_length=2, default="es")
    attachments = models.JSONField(default=list)
    sent_at = models.DateTimeField()
    expires_at = models.DateTimeField(db_index=True)
    # Which form it came by: the same form sends it once, however often it is sent.
    once = models.CharField(max_length=32, null=True, unique=True)

    def __str__(self) -> str:
        return f"#{self.pk}"


class Report(FrozenParent):
    """One complaint, from the moment its sender confirmed it. What happens to it later is a `ReportEvent`."""

    number = models.CharField(_("number"), max_length=20, unique=True)
    kind = models.CharField(_("about"), max_length=20, choices=KIND_CHOICES)
    certificate = models.ForeignKey(Certificate, models.PROTECT, null=True, related_name="reports")
    received_at = models.DateTimeField()
    # More about one certificate in a day than one reads without a thought: told to the staff, silencing nobody.
    crowded = models.BooleanField(default=False)
    # Salted, like everything digested here: that a text was this one can be shown while its row holds it.
    content = models.CharField(max_length=64)

    class Meta:
        verbose_name = _("complaint")
        verbose_name_plural = _("complaints")
        constraints = [
            models.CheckConstraint(
                name="a_complaint_number_has_its_form", condition=models.Q(number__regex=REPORT_PATTERN)
            ),
            models.CheckConstraint(
                name="a_complaint_is_about_a_certificate_or_about_what_others_do",
                condition=models.Q(certificate__isnull=False)
                | models.Q(kind=ReportKind.MISUSE_BY_OTHERS.value),
            ),
        ]

    def __str__(self) -> str:
        return self.number


class ReportContent(models.Model):
    """Whose complaint it is and in which words: personal data, emptied when its time has passed.

    `salt` goes with it, so that what the digest was of cannot be guessed afterwards.
    """

    report = models.OneToOneField(Report, models.PROTECT, primary_key=True, related_name="contents")
    place = models.CharField(max_length=500, blank=True)
    text = models.TextField(blank=True)
    review_text = models.TextField(blank=True)  # why it should be looked at again
    reply_text = models.TextField(blank=True)  # of the holder, where it is not to be published
    name = models.CharField(max_length=200, blank=True)
    email = models.EmailField(blank=True)
    language = models.CharField(max_length=2, default="es")
    file_names = ArrayField(models.CharField(max_length=200), default=list, blank=True)
    salt = models.BinaryField()
    erased_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.CheckConstraint(
                name="an_erased_complaint_holds_nothing",
                condition=models.Q(erased_at__isnull=True)
                | models.Q(
                    place="",
                    text="",
                    review_text="",
                    reply_text="",
                    name="",
                    email="",
                    file_names=[],
                    salt=b"",
                ),
            ),
        ]

    def __str__(self) -> str:
        return f"#{self.pk}"


class ReportAttachment(WrittenOnce):
    """A file that came with a complaint: its digest stays, its bytes and its name are erased."""

    report = models.ForeignKey(Report, models.PROTECT, related_name="attachments")
    position = models.PositiveSmallIntegerField()
    kind = models.CharField(max_length=10)  # pdf · png · jpeg · text: by its first bytes
    size = models.PositiveIntegerField()
    sha256 = models.CharField(max_length=64)

    class Meta:
        ordering = ["report", "position"]
        constraints = [
            models.UniqueConstraint(
                name="a_file_of_a_complaint_has_its_own_place", fields=["report", "position"]
            ),
            models.CheckConstraint(
                name="a_file_of_a_complaint_is_named_by_its_digest",
                condition=models.Q(sha256__regex="^[0-9a-f]{64}$"),
            ),
        ]

    def __str__(self) -> str:
        return self.sha256[:8]


class ReportEvent(WrittenOnce):
    """One step of a complaint. A trigger holds the order of steps, and who may not take them."""

    report = models.ForeignKey(Report, models.PROTECT, related_name="events")
    sequence = models.PositiveSmallIntegerField()
    step = models.CharField(max_length=20, choices=STEP_CHOICES)
    at = models.DateTimeField()
    until = models.DateTimeField(null=True)  # the term it opens: to reply, to ask for a review
    by = models.ForeignKey(Person, models.PROTECT, null=True, related_name="+")
    role = models.CharField(max_length=20, null=True, choices=ROLE_CHOICES)
    reason = models.CharField(max_length=24, null=True, choices=OUT_OF_REMIT_CHOICES)
    outcome = models.CharField(max_length=13, null=True, choices=OUTCOME_CHOICES)
    # What the holder is told it is about; what whoever decides proposes to do. For those who work on it alone.
    summary_es = models.TextField(default="", blank=True)
    summary_en = models.TextField(default="", blank=True)
    proposal = models.TextField(default="", blank=True)
    # Written to be told to whoever complained, and in a notice to everybody.
    reasons_es = models.TextField(default="", blank=True)
    reasons_en = models.TextField(default="", blank=True)
    notice = models.OneToOneField(Notice, models.PROTECT, null=True, related_name="report_event")
    public_event = models.OneToOneField(PublicEvent, models.PROTECT, null=True, related_name="report_event")

    class Meta:
        ordering = ["report", "sequence"]
        constraints = [
            models.UniqueConstraint(
                name="a_complaint_takes_one_step_at_a_time", fields=["report", "sequence"]
            ),
            models.CheckConstraint(
                name="staff_work_on_a_complaint_and_others_send_and_answer_it",
                condition=models.Q(step__in=_STAFF, by__isnull=False, role__isnull=False)
                | (~models.Q(step__in=_STAFF) & models.Q(by__isnull=True, role__isnull=True)),
            ),
            models.CheckConstraint(
                name="the_holder_is_told_what_a_complaint_is_about_and_until_when_to_reply",
                condition=~models.Q(step=ReportStep.ASK_HOLDER.value)
                | (~models.Q(summary_es="") & ~models.Q(summary_en="") & models.Q(until__isnull=False)),
            ),
            models.CheckConstraint(
                name="a_complaint_outside_our_remit_says_why",
                condition=models.Q(step=ReportStep.DECLINE.value, reason__isnull=False)
                & ~models.Q(reasons_es="")
                & ~models.Q(reasons_en="")
                | (~models.Q(step=ReportStep.DECLINE.value) & models.Q(reason__isnull=True)),
            ),
            models.CheckConstraint(
                name="a_decided_complaint_has_its_outcome_in_a_notice",
                condition=models.Q(
                    step=ReportStep.DECIDE.value,
                    outcome__isnull=False,
                    notice__isnull=False,
                    until__isnull=False,
                )
                & ~models.Q(reasons_es="")
                & ~models.Q(reasons_en="")
                | (
                    ~models.Q(step=ReportStep.DECIDE.value)
                    & models.Q(outcome__isnull=True, notice__isnull=True)
                ),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.report_id}/{self.sequence} {self.step}"


class ReportReply(WrittenOnce):
    """What the holder answered and chose to publish. Another answer stands with the contents, and is erased too."""

    report = models.OneToOneField(Report, models.PROTECT, related_name="reply")
    event = models.OneToOneField(ReportEvent, models.PROTECT, related_name="reply")
    text_es = models.TextField(default="", blank=True)
    text_en = models.TextField(default="", blank=True)

    class Meta:
        constraints = [
            models.CheckConstraint(
                name="a_published_reply_has_its_text", condition=~models.Q(text_es="", text_en="")
            ),
        ]

    def __str__(self) -> str:
        return f"#{self.report_id}"


class ReportStanding(models.Model):
    """Where the steps have led, for the queue, and the row that writers lock: derived, replayed by tests.

    `deadline_at` is when the next step is due. It surfaces in the queue; it decides nothing.
    """

    report = models.OneToOneField(Report, models.PROTECT, primary_key=True, related_name="standing")
    state = models.CharField(max_length=12, choices=STATE_CHOICES)
    sequence = models.PositiveSmallIntegerField()
    deadline_at = models.DateTimeField(null=True)

    class Meta:
        indexes = [
            models.Index(
                fields=["deadline_at"],
                name="report_open_by_deadline",
                condition=~models.Q(state="closed"),
            )
        ]
        constraints = [
            models.CheckConstraint(
                name="a_complaint_not_closed_has_a_deadline",
                condition=models.Q(state="closed", deadline_at__isnull=True)
                | (~models.Q(state="closed") & models.Q(deadline_at__isnull=False)),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.report_id}: {self.state}"


class ReportLinkPurpose(models.TextChoices):
    CONFIRM = "confirm", _("to confirm a complaint")
    FOLLOW = "follow", _("to follow a complaint, and to ask for a review")
    REPLY = "reply", _("to reply to a complaint")


class ReportLink(SignedLink):
    """A signed link of whoever complained, or of the holder who may reply."""

    purpose = models.CharField(max_length=7, choices=ReportLinkPurpose)
    draft = models.ForeignKey(ReportDraft, models.CASCADE, null=True, related_name="links")
    report = models.ForeignKey(Report, models.PROTECT, null=True, related_name="links")

    class Meta:
        constraints = [
            models.CheckConstraint(
                name="a_link_of_a_complaint_has_one_purpose_on_one_object",
                # What was confirmed keeps its link, so that a second click is answered and not refused.
                condition=models.Q(purpose="confirm")
                | models.Q(purpose__in=["follow", "reply"], draft__isnull=True, report__isnull=False),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.purpose} #{self.pk}"
