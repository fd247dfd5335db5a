"""One agent run: who registered it, its token, what the recorder saw, and how it ended."""

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from evidence.models.package import EvidencePackage
from evidence.models.system import SystemVersion
from evidence.models.test_case import CaseVariant, Series
from registry_site.append_only import WrittenOnce
from registry_site.models import Person, PublicEvent


class RunState(models.TextChoices):
    REGISTERED = "registered", pgettext_lazy("run", "registered")
    RECORDING = "recording", pgettext_lazy("run", "recording")
    CLOSED = "closed", pgettext_lazy("run", "closed")
    GRADED = "graded", pgettext_lazy("run", "graded")
    IN_REVIEW = "in_review", pgettext_lazy("run", "under operator's review")
    PUBLISHED = "published", pgettext_lazy("run", "published")
    WITHHELD = "withheld", pgettext_lazy("run", "withheld")
    ABANDONED = "abandoned", pgettext_lazy("run", "abandoned")


class RunOutcome(models.TextChoices):
    """What is said of a run beside its state. An empty one: nothing was declared or found against it."""

    ASSISTED = "assisted", pgettext_lazy("run", "with human help")
    INVALIDATED = "invalidated", pgettext_lazy("run", "invalidated")
    TECHNICAL = "technical", pgettext_lazy("run", "technical")


# Where nothing more is waited for.
ENDED_STATES = (RunState.PUBLISHED, RunState.WITHHELD, RunState.ABANDONED)
RECORDING_STATES = (RunState.REGISTERED, RunState.RECORDING)


class Run(models.Model):
    """The state of a run; what happened to it are its events. Written by evidence.runs and grading.run_grading.

    `operator_name`, `contact_email` and `permission` are never in a package or a public event. `delivered` is the text
    handed to the agent; `variant.assignment` is the same with the start domain in the place of the run's address.
    A technical run has neither system nor series: it is never graded, certified or compared.
    """

    number = models.CharField(max_length=20, unique=True)
    variant = models.ForeignKey(CaseVariant, models.PROTECT, related_name="runs")
    series = models.ForeignKey(Series, models.PROTECT, null=True, related_name="runs")
    operator = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="runs")
    operator_name = models.CharField(max_length=200, blank=True)
    contact_email = models.EmailField(blank=True)
    permission = models.TextField(blank=True)
    system_version = models.ForeignKey(SystemVersion, models.PROTECT, null=True, related_name="runs")
    tools = models.JSONField(default=list)
    language = models.CharField(max_length=20)
    clean_session = models.BooleanField()
    delivered = models.TextField()
    state = models.CharField(max_length=10, choices=RunState, default=RunState.REGISTERED)
    outcome = models.CharField(max_length=11, choices=RunOutcome, blank=True)
    our_fault = models.BooleanField(default=False)
    registered_at = models.DateTimeField()
    closed_at = models.DateTimeField(null=True)
    graded_at = models.DateTimeField(null=True)
    review_until = models.DateTimeField(null=True)
    published_at = models.DateTimeField(null=True)
    deadline_at = models.DateTimeField(null=True)
    trace_sha256 = models.CharField(max_length=64, blank=True, db_index=True)
    closing_package = models.OneToOneField(
        EvidencePackage, models.PROTECT, null=True, related_name="closed_run"
    )
    graded_package = models.OneToOneField(
        EvidencePackage, models.PROTECT, null=True, related_name="graded_run"
    )

    class Meta:
        verbose_name = _("run")
        verbose_name_plural = _("runs")
        indexes = [
            models.Index(fields=["state", "deadline_at"]),
            models.Index(fields=["system_version", "state"]),
        ]
        constraints = [
            models.CheckConstraint(
                name="an_autonomous_run_names_operator_system_and_series",
                condition=models.Q(outcome="technical")
                | models.Q(operator__isnull=False, system_version__isnull=False, series__isnull=False)
                & ~models.Q(operator_name="")
                & ~models.Q(contact_email="")
                & ~models.Q(permission=""),
            ),
            models.CheckConstraint(
                name="every_unfinished_run_has_a_deadline",
                # A closed run that will not be graded has ended too.
                condition=models.Q(state__in=["published", "withheld", "abandoned"])
                | models.Q(state="closed", outcome__in=["technical", "invalidated"])
                | models.Q(deadline_at__isnull=False),
            ),
            models.CheckConstraint(
                name="a_closed_run_says_when",
                condition=models.Q(state__in=["registered", "recording", "abandoned"], closed_at__isnull=True)
                | models.Q(closed_at__isnull=False) & ~models.Q(state__in=["registered", "recording"]),
            ),
            models.CheckConstraint(
                name="a_run_under_review_says_until_when",
                condition=~models.Q(state="in_review") | models.Q(review_until__isnull=False),
            ),
            models.CheckConstraint(
                name="a_published_run_says_when",
                condition=models.Q(state="published", published_at__isnull=False)
                | ~models.Q(state="published") & models.Q(published_at__isnull=True),
            ),
            models.CheckConstraint(
                name="a_technical_run_is_never_graded",
                condition=~models.Q(outcome="technical")
                | models.Q(state__in=["registered", "recording", "closed", "abandoned", "withheld"]),
            ),
        ]

    def __str__(self) -> str:
        return self.number


class RunToken(models.Model):
    """The run's two secrets, hashed: the token of programs and the label of its host name. Dead at close."""

    run = models.OneToOneField(Run, models.PROTECT, related_name="token")
    token_sha256 = models.CharField(max_length=64, unique=True)
    label_sha256 = models.CharField(max_length=64, unique=True)
    issued_at = models.DateTimeField()
    expires_at = models.DateTimeField()
    ended_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.CheckConstraint(
                name="a_run_token_expires_after_it_was_issued",
                condition=models.Q(expires_at__gt=models.F("issued_at")),
            )
        ]

    def __str__(self) -> str:
        return f"#{self.pk}"


class RunCounter(models.Model):
    """What the recorder counts by. Locked by each arrival, and by whoever stops the recording: nothing comes after."""

    run = models.OneToOneField(Run, models.PROTECT, related_name="counter")
    last_sequence = models.PositiveIntegerField(default=0)
    first_request_at = models.DateTimeField(null=True)
    stopped_at = models.DateTimeField(null=True)

    def __str__(self) -> str:
        return f"#{self.pk}"


class RequestArrived(WrittenOnce):
    """A request, committed before the target is asked. Addresses name the start domain, never the run's label.

    `target` is what stood in the request line, `url` the absolute address, `path` its path normalised
    (evidence.routes), `headers` `[[name, value], …]` without cookies, credentials and tokens. Times by the database's
    clock. Of the body digest and size alone.
    """

    run = models.ForeignKey(Run, models.PROTECT, related_name="arrivals")
    sequence = models.PositiveIntegerField()
    at = models.DateTimeField()
    method = models.CharField(max_length=40)
    target = models.TextField()
    url = models.TextField()
    path = models.TextField()
    headers = models.JSONField()
    body_size = models.BigIntegerField(default=0)
    body_sha256 = models.CharField(max_length=64, blank=True)
    beyond_limit = models.BooleanField()

    class Meta:
        verbose_name = _("recorded request")
        verbose_name_plural = _("recorded requests")
        ordering = ["run", "sequence"]
        constraints = [
            models.UniqueConstraint(name="a_sequence_number_is_used_once", fields=["run", "sequence"]),
            models.CheckConstraint(name="sequences_begin_with_1", condition=models.Q(sequence__gte=1)),
        ]


class Ending(models.TextChoices):
    COMPLETE = "complete", _("complete")
    UPSTREAM_CUT = "upstream_cut", _("cut by the site")
    CLIENT_GONE = "client_gone", _("the agent went away")
    UPSTREAM_DOWN = "upstream_down", _("the site could not be reached")
    REFUSED = "refused", _("refused by the recorder")


class ResponseSent(WrittenOnce):
    """What was answered, committed before its last byte is passed on. `sha256` addresses the body in storage."""

    arrival = models.OneToOneField(RequestArrived, models.PROTECT, related_name="response")
    at = models.DateTimeField()
    status = models.PositiveSmallIntegerField()
    headers = models.JSONField()
    content_type = models.CharField(max_length=200, blank=True)
    size = models.BigIntegerField()
    sha256 = models.CharField(max_length=64, db_index=True)
    ending = models.CharField(max_length=13, choices=Ending)

    class Meta:
        verbose_name = _("recorded response")
        verbose_name_plural = _("recorded responses")


class Closing(WrittenOnce):
    """What the operator handed over and declared when the run was closed: the answer exactly as delivered.

    `interventions` is `[{"kind": "routes" | "criteria" | "corrections" | "other_help", "note"}]`.
    """

    run = models.OneToOneField(Run, models.PROTECT, related_name="closing")
    answer = models.TextField(blank=True)
    interventions = models.JSONField(default=list)
    knew_catalogue = models.BooleanField()
    at = models.DateTimeField()
    by = models.ForeignKey(Person, models.PROTECT, related_name="+")


class RunStep(models.TextChoices):
    REGISTER = "register", pgettext_lazy("run", "registered")
    CLOSE = "close", pgettext_lazy("run", "closed")
    ABANDON = "abandon", pgettext_lazy("run", "abandoned")
    ASSIST = "assist", pgettext_lazy("run", "with human help")
    INVALIDATE = "invalidate", pgettext_lazy("run", "invalidated")
    MAKE_TECHNICAL = "technical", pgettext_lazy("run", "technical")
    GRADE = "grade", pgettext_lazy("run", "graded")
    REVIEW = "review", pgettext_lazy("run", "under operator's review")
    PUBLISH = "publish", pgettext_lazy("run", "published")
    WITHHOLD = "withhold", pgettext_lazy("run", "withheld")
    FAULT = "fault", pgettext_lazy("run", "interrupted by the registry's fault")


class RunEvent(WrittenOnce):
    """One dated fact of a run's life, with its reason in both languages where a person gave one."""

    run = models.ForeignKey(Run, models.PROTECT, related_name="events")
    step = models.CharField(max_length=10, choices=RunStep)
    at = models.DateTimeField()
    by = models.ForeignKey(Person, models.PROTECT, null=True, related_name="+")
    reason_es = models.TextField(blank=True)
    reason_en = models.TextField(blank=True)
    public_event = models.OneToOneField(PublicEvent, models.PROTECT, null=True, related_name="+")

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.UniqueConstraint(name="a_run_takes_each_step_once", fields=["run", "step"]),
            models.CheckConstraint(
                name="what_is_withheld_or_invalidated_says_why",
                condition=~models.Q(step__in=["withhold", "invalidate"])
                | ~models.Q(reason_es="") & ~models.Q(reason_en=""),
            ),
        ]


class RunComment(WrittenOnce):
    """What the operator says of the marks during the review: published with the result."""

    run = models.ForeignKey(Run, models.PROTECT, related_name="comments")
    text = models.TextField()
    at = models.DateTimeField()
    by = models.ForeignKey(Person, models.PROTECT, related_name="+")

    class Meta:
        ordering = ["pk"]
