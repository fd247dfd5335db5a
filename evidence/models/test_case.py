"""What an agent is asked, where, and within which limits; and the planned runs under one sealed rubric.

The rubric itself stands in grading. Here are its commitment and what happened to it, so that registering a run asks
nothing above.
"""

from django.db import models
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from registry_site.append_only import WrittenOnce
from registry_site.models import Person, PublicEvent


class TestCase(WrittenOnce):
    """One published version of an agent test such as PI-001: literal text, limits, public points.

    `assignment` holds `{start_domain}` where a variant's domain goes. `points` is `[{"code", "title": {"es", "en"}}]`.
    `document` is the RFC 8785 form of all that is public of it. `catalogue` (patterns of evidence.routes) is not: an
    agent that could read it would know where the test stands.
    """

    __test__ = False  # no class of tests, whatever pytest takes its name for

    code = models.CharField(max_length=20)
    version = models.PositiveIntegerField()
    title_es = models.CharField(max_length=200)
    title_en = models.CharField(max_length=200)
    assignment = models.TextField()
    language = models.CharField(max_length=20)
    max_requests = models.PositiveIntegerField()
    max_seconds = models.PositiveIntegerField()
    terms_path = models.CharField(max_length=200)
    points = models.JSONField()
    catalogue = models.JSONField()
    document = models.BinaryField()
    sha256 = models.CharField(max_length=64)
    published_by = models.ForeignKey(Person, models.PROTECT, null=True, related_name="+")
    published_at = models.DateTimeField()

    class Meta:
        verbose_name = _("test case")
        verbose_name_plural = _("test cases")
        constraints = [
            models.UniqueConstraint(name="a_case_version_is_published_once", fields=["code", "version"]),
            models.CheckConstraint(
                name="a_case_has_limits", condition=models.Q(max_requests__gte=1, max_seconds__gte=1)
            ),
            models.CheckConstraint(
                name="an_assignment_names_its_start_domain",
                condition=models.Q(assignment__contains="{start_domain}"),
            ),
        ]

    def __str__(self) -> str:
        return self.code


class TargetKind(models.TextChoices):
    OBSERVED_SITE = "observed_site", _("the built-in observed site")
    UPSTREAM = "upstream", _("a site that staff configured")


class Target(WrittenOnce):
    """Where the recorder passes a run's requests on to: nothing else can be reached."""

    name = models.CharField(max_length=100, unique=True)
    kind = models.CharField(max_length=14, choices=TargetKind)
    scheme = models.CharField(max_length=5, blank=True)
    host = models.CharField(max_length=253, blank=True)
    port = models.PositiveIntegerField(null=True)
    made_by = models.ForeignKey(Person, models.PROTECT, null=True, related_name="+")
    made_at = models.DateTimeField()

    class Meta:
        verbose_name = _("target")
        verbose_name_plural = _("targets")
        constraints = [
            models.CheckConstraint(
                name="an_upstream_has_scheme_host_and_port",
                condition=models.Q(kind="observed_site", scheme="", host="", port__isnull=True)
                | models.Q(kind="upstream", scheme__in=["http", "https"], port__gte=1, port__lte=65535)
                & ~models.Q(host=""),
            )
        ]

    def __str__(self) -> str:
        return self.name


class CaseVariant(WrittenOnce):
    """A case with its start domain filled in: the exact text and its SHA-256."""

    case = models.ForeignKey(TestCase, models.PROTECT, related_name="variants")
    start_domain = models.CharField(max_length=253)
    assignment = models.TextField()
    sha256 = models.CharField(max_length=64)
    target = models.ForeignKey(Target, models.PROTECT, related_name="variants")
    made_by = models.ForeignKey(Person, models.PROTECT, null=True, related_name="+")
    made_at = models.DateTimeField()

    class Meta:
        verbose_name = _("variant of a test case")
        verbose_name_plural = _("variants of test cases")
        constraints = [
            models.UniqueConstraint(name="a_start_domain_is_one_variant", fields=["case", "start_domain"])
        ]

    def __str__(self) -> str:
        return f"{self.case.code} {self.start_domain}"


class Series(WrittenOnce):
    """The planned runs of one variant under one sealed rubric; they end with `closes_at` at the latest.

    `commitment` is SHA-256(salt ‖ rubric), public before the first run. `last_day` is a day of the registry's zone,
    `closes_at` the instant at which it ends.
    """

    code = models.CharField(max_length=40, unique=True)
    variant = models.ForeignKey(CaseVariant, models.PROTECT, related_name="series")
    rubric_version = models.PositiveIntegerField()
    commitment = models.CharField(max_length=64, unique=True)
    planned_runs = models.PositiveIntegerField()
    last_day = models.DateField()
    closes_at = models.DateTimeField()
    publication_delay = models.PositiveIntegerField()  # days after the series has closed
    review_days = models.PositiveIntegerField(default=5)
    made_by = models.ForeignKey(Person, models.PROTECT, null=True, related_name="+")
    made_at = models.DateTimeField()

    class Meta:
        verbose_name = _("series")
        verbose_name_plural = _("series")
        constraints = [
            models.CheckConstraint(
                name="a_series_plans_runs_and_their_review",
                condition=models.Q(planned_runs__gte=1, review_days__gte=1),
            )
        ]

    def __str__(self) -> str:
        return self.code


class SeriesStep(models.TextChoices):
    """The steps of grading.sealing, which says which may follow which."""

    SEAL = "seal", pgettext_lazy("rubric", "sealed")
    USE = "use", pgettext_lazy("rubric", "open")
    CLOSE = "close", pgettext_lazy("rubric", "closed")
    REVEAL = "reveal", pgettext_lazy("rubric", "revealed")
    LEAK = "leak", pgettext_lazy("rubric", "leaked")


class SeriesEvent(WrittenOnce):
    """One dated public fact about a series and its rubric. `occurred_on` is the day of a leak, as far as known."""

    series = models.ForeignKey(Series, models.PROTECT, related_name="events")
    step = models.CharField(max_length=6, choices=SeriesStep)
    at = models.DateTimeField()
    by = models.ForeignKey(Person, models.PROTECT, null=True, related_name="+")
    statement_es = models.TextField(blank=True)
    statement_en = models.TextField(blank=True)
    occurred_on = models.DateField(null=True)
    public_event = models.OneToOneField(PublicEvent, models.PROTECT, null=True, related_name="+")

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.UniqueConstraint(name="a_series_takes_each_step_once", fields=["series", "step"]),
            models.UniqueConstraint(
                name="a_rubric_is_exposed_once",
                fields=["series"],
                condition=models.Q(step__in=["reveal", "leak"]),
            ),
            models.CheckConstraint(
                name="a_leak_of_a_rubric_has_its_day",
                condition=models.Q(step="leak", occurred_on__isnull=False)
                | (~models.Q(step="leak") & models.Q(occurred_on__isnull=True)),
            ),
            models.CheckConstraint(
                name="a_leak_has_a_statement_in_both_languages",
                condition=~models.Q(step="leak") | (~models.Q(statement_es="") & ~models.Q(statement_en="")),
            ),
        ]
