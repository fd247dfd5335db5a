"""The append-only facts of a certificate's life, and what each of them fixes."""

from django.db import models
from django.utils.translation import gettext_lazy as _

from certificates import words
from certificates.models.certificate import Certificate
from certificates.models.notice import Notice
from certificates.states import Step
from registry_site.append_only import WrittenOnce
from registry_site.models import ROLE_CHOICES

STEP_CHOICES = [(step.value, words.NOUN[step.value]) for step in Step]


class _Sha256(models.Func):
    """SHA-256 of the expressions put together, in hexadecimal (core PostgreSQL, no extension)."""

    template = "encode(sha256(%(expressions)s), 'hex')"
    arg_joiner = " || "
    output_field = models.CharField()


class EventDocument(WrittenOnce):
    """What one event fixes (texts, conditions, dates; at issue all that is named), under its salted digest.

    Its own row because texts and names may one day have to be withheld by law; digest and history stay.
    """

    digest = models.CharField(max_length=64, primary_key=True)
    salt = models.BinaryField()
    content = models.BinaryField()  # RFC 8785

    class Meta:
        constraints = [
            models.CheckConstraint(
                name="a_document_digest_is_of_its_salt_and_content",
                condition=models.Q(digest=_Sha256(models.F("salt"), models.F("content"))),
            ),
            models.CheckConstraint(
                name="a_document_salt_has_32_bytes",
                condition=models.Q(
                    models.lookups.Exact(
                        models.Func(
                            models.F("salt"), function="octet_length", output_field=models.IntegerField()
                        ),
                        32,
                    )
                ),
            ),
        ]

    def __str__(self) -> str:
        return self.digest[:12]


class StatusEvent(WrittenOnce):
    """One step in the life of a certificate. `bytes` is the future leaf of the public log.

    The columns beside the bytes are what status depends on (`certificates.states.Event`); texts and people
    stand in the notice. Triggers hold `sequence`, `previous` and `at` to the event before.
    """

    certificate = models.ForeignKey(Certificate, models.PROTECT, related_name="events")
    sequence = models.PositiveIntegerField()
    step = models.CharField(_("step"), max_length=12, choices=STEP_CHOICES)
    reason = models.CharField(max_length=30, null=True)
    notice = models.OneToOneField(Notice, models.PROTECT, null=True, related_name="event")
    role = models.CharField(max_length=20, null=True, choices=ROLE_CHOICES)
    at = models.DateTimeField()
    document = models.OneToOneField(EventDocument, models.PROTECT, related_name="event")
    previous = models.CharField(max_length=64, null=True)
    bytes = models.BinaryField()
    hash = models.CharField(max_length=64, unique=True)

    target = models.ForeignKey("self", models.PROTECT, null=True, related_name="outcomes")
    valid_until = models.DateTimeField(null=True)
    review_on = models.DateField(null=True)
    review_until = models.DateTimeField(null=True)
    appeal_until = models.DateTimeField(null=True)
    other = models.ForeignKey(Certificate, models.PROTECT, null=True, related_name="+")
    do_not_rely = models.BooleanField(default=False)
    appeal = models.CharField(max_length=20, null=True)

    class Meta:
        verbose_name = _("status change")
        verbose_name_plural = _("status changes")
        ordering = ["certificate", "sequence"]
        indexes = [models.Index(fields=["-at", "-id"], name="event_latest")]
        constraints = [
            models.UniqueConstraint(
                name="a_sequence_number_is_used_once_per_certificate", fields=["certificate", "sequence"]
            ),
            models.CheckConstraint(
                name="an_event_hash_is_of_its_bytes",
                condition=models.Q(hash=_Sha256(models.F("bytes"))),
            ),
            models.CheckConstraint(
                name="the_first_event_issues_and_no_other",
                condition=models.Q(
                    sequence=1, step=Step.ISSUE.value, previous__isnull=True, valid_until__isnull=False
                )
                | (
                    models.Q(sequence__gt=1, previous__isnull=False, valid_until__isnull=True)
                    & ~models.Q(step=Step.ISSUE.value)
                ),
            ),
            models.CheckConstraint(
                name="people_decide_with_a_notice_and_the_clock_without",
                condition=models.Q(
                    step__in=[Step.EXPIRE.value, Step.FINALISE.value], notice__isnull=True, role__isnull=True
                )
                | (
                    ~models.Q(step__in=[Step.EXPIRE.value, Step.FINALISE.value])
                    & models.Q(notice__isnull=False, role__isnull=False)
                ),
            ),
            models.CheckConstraint(
                name="a_suspension_has_a_review_date",
                condition=~models.Q(step__in=[Step.SUSPEND.value, Step.PROLONG.value])
                | models.Q(review_on__isnull=False, review_until__isnull=False),
            ),
            models.CheckConstraint(
                name="a_sanction_says_until_when_to_appeal",
                condition=~models.Q(step__in=[Step.SUSPEND.value, Step.PROLONG.value, Step.REVOKE.value])
                | models.Q(appeal_until__isnull=False),
            ),
            models.CheckConstraint(
                name="a_sanction_has_a_reason",
                condition=~models.Q(step__in=[Step.SUSPEND.value, Step.REVOKE.value])
                | models.Q(reason__isnull=False),
            ),
            models.CheckConstraint(
                name="a_supersession_names_the_other_certificate",
                condition=models.Q(step=Step.SUPERSEDE.value, other__isnull=False)
                | (~models.Q(step=Step.SUPERSEDE.value) & models.Q(other__isnull=True)),
            ),
            models.CheckConstraint(
                name="an_outcome_names_the_event_it_is_about",
                condition=models.Q(
                    step__in=[Step.VARY.value, Step.OVERTURN.value, Step.FINALISE.value], target__isnull=False
                )
                | (
                    ~models.Q(step__in=[Step.VARY.value, Step.OVERTURN.value, Step.FINALISE.value])
                    & models.Q(target__isnull=True)
                ),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.certificate_id}/{self.sequence} {self.step}"
