"""The holder's request for a certificate on a measurement: how it came, what was done about it, and its links.

No name and no address of a person stands here: an application is the holder's, and is answered where the holder
is reached.
"""

from django.db import models
from django.utils.translation import gettext_lazy as _

from certificates import words
from certificates.application_states import (
    OPEN,
    WITH_NOTICE,
    ApplicationInadmissibility,
    ApplicationState,
    ApplicationStep,
)
from certificates.models.notice import Notice
from certificates.numbers import APPLICATION_PATTERN
from certificates.ways import Way
from evidence.models import Holder
from grading.models import Measurement
from registry_site.append_only import WrittenOnce
from registry_site.models import ROLE_CHOICES, Person, SignedLink

STATE_CHOICES = [(state.value, words.APPLICATION[state.value]) for state in ApplicationState]
STEP_CHOICES = [(step.value, words.APPLICATION_STEP[step.value]) for step in ApplicationStep]
WAY_CHOICES = [(way.value, words.APPLICATION_WAY[way.value]) for way in Way]
INADMISSIBILITY_CHOICES = [
    (reason.value, words.APPLICATION_INADMISSIBILITY[reason.value]) for reason in ApplicationInadmissibility
]
_OF_STAFF = sorted(
    {step.value for step in ApplicationStep} - {ApplicationStep.FILE.value, ApplicationStep.WITHDRAW.value}
)
_WITH_NOTICE = sorted(step.value for step in WITH_NOTICE)
_OPEN = sorted(state.value for state in OPEN)


class Application(WrittenOnce):
    """One application, as it was filed. What happens to it later is an `ApplicationEvent`.

    `entered_by` is the person of the holder who filed it signed in, or whoever of the staff stored the holder's
    written request; by the link of a letter it is nobody.
    """

    number = models.CharField(_("number"), max_length=20, unique=True)
    measurement = models.ForeignKey(Measurement, models.PROTECT, related_name="applications")
    holder = models.ForeignKey(Holder, models.PROTECT, related_name="applications")
    way = models.CharField(max_length=9, choices=WAY_CHOICES)
    filed_at = models.DateTimeField()
    entered_by = models.ForeignKey(Person, models.PROTECT, null=True, related_name="+")
    request_text = models.TextField(default="", blank=True)  # word by word, for the staff
    received_on = models.DateField(null=True)

    class Meta:
        verbose_name = _("application")
        verbose_name_plural = _("applications")
        constraints = [
            models.CheckConstraint(
                name="an_application_number_has_its_form",
                condition=models.Q(number__regex=APPLICATION_PATTERN),
            ),
            models.CheckConstraint(
                name="an_application_says_how_it_came",
                condition=models.Q(
                    way=Way.LINK.value, entered_by__isnull=True, request_text="", received_on__isnull=True
                )
                | models.Q(
                    way=Way.ACCOUNT.value, entered_by__isnull=False, request_text="", received_on__isnull=True
                )
                | (
                    models.Q(way=Way.ON_BEHALF.value, entered_by__isnull=False, received_on__isnull=False)
                    & ~models.Q(request_text="")
                ),
            ),
        ]

    def __str__(self) -> str:
        return self.number


class ApplicationEvent(WrittenOnce):
    """One step of an application. A trigger holds the order of steps, and that a second person answers (rule 6)."""

    application = models.ForeignKey(Application, models.PROTECT, related_name="events")
    sequence = models.PositiveSmallIntegerField()
    step = models.CharField(max_length=20, choices=STEP_CHOICES)
    at = models.DateTimeField()
    by = models.ForeignKey(Person, models.PROTECT, null=True, related_name="+")
    role = models.CharField(max_length=20, null=True, choices=ROLE_CHOICES)
    reason = models.CharField(max_length=20, null=True, choices=INADMISSIBILITY_CHOICES)
    reasons_es = models.TextField(default="", blank=True)
    reasons_en = models.TextField(default="", blank=True)
    notice = models.OneToOneField(Notice, models.PROTECT, null=True, related_name="application_event")

    class Meta:
        ordering = ["application", "sequence"]
        constraints = [
            models.UniqueConstraint(
                name="an_application_takes_one_step_at_a_time", fields=["application", "sequence"]
            ),
            models.CheckConstraint(
                name="whoever_answers_an_application_does_so_in_a_role",
                condition=models.Q(step__in=_OF_STAFF, by__isnull=False, role__isnull=False)
                | (~models.Q(step__in=_OF_STAFF) & models.Q(role__isnull=True)),
            ),
            models.CheckConstraint(
                name="a_decision_on_an_application_stands_in_a_notice",
                condition=models.Q(step__in=_WITH_NOTICE, notice__isnull=False)
                | (~models.Q(step__in=_WITH_NOTICE) & models.Q(notice__isnull=True)),
            ),
            models.CheckConstraint(
                name="an_inadmissible_application_says_why",
                condition=(
                    models.Q(step=ApplicationStep.DECLARE_INADMISSIBLE.value, reason__isnull=False)
                    & ~models.Q(reasons_es="")
                    & ~models.Q(reasons_en="")
                )
                | (
                    ~models.Q(step=ApplicationStep.DECLARE_INADMISSIBLE.value)
                    & models.Q(reason__isnull=True, reasons_es="", reasons_en="")
                ),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.application_id}/{self.sequence} {self.step}"


class ApplicationStanding(models.Model):
    """Where the steps have led, for the queue, and the row that writers lock: derived, replayed by tests.

    `deadline_at` is when an answer is due. It surfaces in the queue; it decides nothing.
    """

    application = models.OneToOneField(Application, models.PROTECT, primary_key=True, related_name="standing")
    measurement = models.ForeignKey(Measurement, models.PROTECT, related_name="+")
    state = models.CharField(max_length=12, choices=STATE_CHOICES)
    sequence = models.PositiveSmallIntegerField()
    deadline_at = models.DateTimeField(null=True)

    class Meta:
        indexes = [
            models.Index(
                fields=["deadline_at"],
                name="application_open_by_deadline",
                condition=models.Q(state__in=_OPEN),
            )
        ]
        constraints = [
            models.UniqueConstraint(
                name="one_open_application_per_measurement",
                fields=["measurement"],
                condition=models.Q(state__in=_OPEN),
            ),
            models.CheckConstraint(
                name="an_open_application_has_a_deadline",
                condition=models.Q(state__in=_OPEN, deadline_at__isnull=False)
                | (~models.Q(state__in=_OPEN) & models.Q(deadline_at__isnull=True)),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.application_id}: {self.state}"


class ApplicationLinkPurpose(models.TextChoices):
    APPLY = "apply", _("to apply for a certificate")
    FOLLOW = "follow", _("to follow an application, and to withdraw it")


class ApplicationLink(SignedLink):
    """A signed link about an application: to file one on a measurement, or to follow it.

    `holder` is the one that the letter was written to: when the system turns out to be another holder's, the
    link is of no use any more.
    """

    purpose = models.CharField(max_length=6, choices=ApplicationLinkPurpose)
    holder = models.ForeignKey(Holder, models.PROTECT, related_name="+")
    measurement = models.ForeignKey(Measurement, models.PROTECT, null=True, related_name="application_links")
    application = models.ForeignKey(Application, models.PROTECT, null=True, related_name="links")

    class Meta:
        constraints = [
            models.CheckConstraint(
                name="an_application_link_has_one_purpose_on_one_object",
                condition=models.Q(purpose="apply", measurement__isnull=False, application__isnull=True)
                | models.Q(purpose="follow", measurement__isnull=True, application__isnull=False),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.purpose} #{self.pk}"
