"""The numbered public text of a decision or erratum, and the holder's written request that some rest on."""

from django.db import models
from django.utils.translation import gettext_lazy as _

from certificates import words
from certificates.models.certificate import Certificate
from certificates.numbers import NOTICE_PATTERN
from certificates.states import Decision
from grading.models import Measurement
from registry_site.append_only import WrittenOnce
from registry_site.models import ROLE_CHOICES, Person, PublicEvent

DECISION_CHOICES = [(decision.value, words.NOUN[decision.value]) for decision in Decision]


class HolderRequestKind(models.TextChoices):
    TERMINATE = "terminate", _("to end the certificate")
    SUPERSEDE = "supersede", _("to supersede the certificate by another")
    APPEAL = "appeal", _("to appeal against a decision")
    WITHDRAW = "withdraw", _("to withdraw an appeal")


# What a holder asks for about a certificate; the rest is about a decision, of a refusal too.
ABOUT_A_CERTIFICATE = (HolderRequestKind.TERMINATE, HolderRequestKind.SUPERSEDE)
ABOUT_A_DECISION = (HolderRequestKind.APPEAL, HolderRequestKind.WITHDRAW)


class HolderRequest(WrittenOnce):
    """A written request of the holder, stored by one person so that a second one may act on it (rule 6)."""

    certificate = models.ForeignKey(Certificate, models.PROTECT, null=True, related_name="holder_requests")
    notice = models.ForeignKey("Notice", models.PROTECT, null=True, related_name="holder_requests")
    kind = models.CharField(max_length=10, choices=HolderRequestKind)
    text = models.TextField(_("text of the request, word by word"))
    received_on = models.DateField(_("received on"))
    stored_by = models.ForeignKey(Person, models.PROTECT, related_name="+")
    stored_at = models.DateTimeField()

    class Meta:
        verbose_name = _("written request of the holder")
        verbose_name_plural = _("written requests of holders")
        constraints = [
            models.CheckConstraint(name="a_request_has_its_text", condition=~models.Q(text="")),
            models.CheckConstraint(
                name="a_request_is_about_a_certificate_or_a_decision",
                condition=models.Q(
                    kind__in=["terminate", "supersede"], certificate__isnull=False, notice__isnull=True
                )
                | models.Q(kind__in=["appeal", "withdraw"], notice__isnull=False),
            ),
        ]

    def __str__(self) -> str:
        return f"#{self.pk}"


class Notice(WrittenOnce):
    """A decision as the public reads it, in both languages; of a refusal too, which has no certificate."""

    number = models.CharField(_("number"), max_length=20, unique=True)
    decision = models.CharField(_("decision"), max_length=12, choices=DECISION_CHOICES)
    certificate = models.ForeignKey(Certificate, models.PROTECT, null=True, related_name="notices")
    measurement = models.ForeignKey(Measurement, models.PROTECT, null=True, related_name="notices")
    at = models.DateTimeField()
    role = models.CharField(max_length=20, choices=ROLE_CHOICES)
    decided_by = models.ForeignKey(Person, models.PROTECT, related_name="decisions")
    reason = models.CharField(max_length=30, null=True)
    reason_number = models.CharField(max_length=20, null=True)  # of the report that was upheld
    statement_es = models.TextField()
    statement_en = models.TextField()
    conditions = models.JSONField(default=list)  # [{"es": …, "en": …}]
    review_on = models.DateField(null=True)
    appeal_until = models.DateTimeField(null=True)
    about = models.ForeignKey("self", models.PROTECT, null=True, related_name="later")
    other = models.ForeignKey(Certificate, models.PROTECT, null=True, related_name="+")
    do_not_rely = models.BooleanField(default=False)
    request = models.ForeignKey(HolderRequest, models.PROTECT, null=True, related_name="notices")
    public_event = models.OneToOneField(PublicEvent, models.PROTECT, null=True, related_name="notice")

    class Meta:
        verbose_name = _("notice")
        verbose_name_plural = _("notices")
        indexes = [models.Index(fields=["-at", "-id"], name="notice_latest")]
        constraints = [
            models.CheckConstraint(
                name="a_notice_number_has_its_form", condition=models.Q(number__regex=NOTICE_PATTERN)
            ),
            models.CheckConstraint(
                name="a_notice_speaks_both_languages",
                condition=~models.Q(statement_es="") & ~models.Q(statement_en=""),
            ),
            models.CheckConstraint(
                name="a_refusal_is_about_a_measurement_and_all_else_about_a_certificate",
                condition=models.Q(
                    decision=Decision.REFUSE.value,
                    certificate__isnull=True,
                    measurement__isnull=False,
                    public_event__isnull=False,
                )
                # The outcome of an appeal against a refusal: there is no certificate to carry it either.
                | models.Q(
                    decision__in=[Decision.OVERTURN.value, Decision.APPEAL.value],
                    certificate__isnull=True,
                    measurement__isnull=False,
                    public_event__isnull=False,
                    about__isnull=False,
                )
                # What others did with a mark is no fact about the certificate whose mark it is.
                | models.Q(
                    decision=Decision.REPORT.value,
                    certificate__isnull=True,
                    measurement__isnull=True,
                    public_event__isnull=False,
                )
                | (~models.Q(decision=Decision.REFUSE.value) & models.Q(certificate__isnull=False)),
            ),
            models.CheckConstraint(
                name="a_suspension_has_conditions_and_a_review_date",
                condition=~models.Q(decision=Decision.SUSPEND.value)
                | (~models.Q(conditions=[]) & models.Q(review_on__isnull=False)),
            ),
            models.CheckConstraint(
                name="a_prolongation_has_a_review_date",
                condition=~models.Q(decision=Decision.PROLONG.value) | models.Q(review_on__isnull=False),
            ),
            models.CheckConstraint(
                name="the_end_at_the_holders_wish_rests_on_a_request",
                condition=~models.Q(decision=Decision.TERMINATE.value) | models.Q(request__isnull=False),
            ),
        ]

    def __str__(self) -> str:
        return self.number
