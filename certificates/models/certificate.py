"""The certificate as it was issued, and the one row that lists and searches read of its present state."""

from django.contrib.postgres.fields import ArrayField
from django.contrib.postgres.indexes import GinIndex, OpClass
from django.contrib.postgres.search import SearchVector, SearchVectorField
from django.db import models
from django.utils.translation import gettext_lazy as _

from certificates import words
from certificates.numbers import CERTIFICATE_PATTERN
from certificates.states import Status
from evidence.models import Holder, SystemVersion
from grading.models import Measurement, Scheme
from registry_site.append_only import WrittenOnce

STATUS_CHOICES = [(status.value, words.STATUS[status.value]) for status in Status]


class Certificate(WrittenOnce):
    """What was promised on the day of issue. Everything that happens later is a `StatusEvent`.

    `names` is all that the certificate names, as it was then: holder, system, version, scheme, measurement,
    set, evidence, groups, roles. Pages print it, so a holder renamed later changes no certificate.
    """

    number = models.CharField(_("number"), max_length=40, unique=True)
    measurement = models.ForeignKey(Measurement, models.PROTECT, related_name="certificates")
    system_version = models.ForeignKey(SystemVersion, models.PROTECT, related_name="certificates")
    supersedes = models.ForeignKey(
        "self", models.PROTECT, null=True, blank=True, related_name="superseded_by_certificates"
    )
    names = models.JSONField()
    zone = models.CharField(max_length=60)  # of the scheme: the calendar its terms are counted and printed in
    issued_at = models.DateTimeField(_("issued at"))
    valid_until = models.DateTimeField(_("valid until"))

    class Meta:
        verbose_name = _("certificate")
        verbose_name_plural = _("certificates")
        constraints = [
            models.CheckConstraint(
                name="a_certificate_number_has_its_form",
                condition=models.Q(number__regex=CERTIFICATE_PATTERN),
            ),
            models.CheckConstraint(
                name="a_certificate_ends_after_its_issue",
                condition=models.Q(valid_until__gt=models.F("issued_at")),
            ),
        ]

    def __str__(self) -> str:
        return self.number


class CertificateState(models.Model):
    """Where the history has led, for lists and searches: derived from the events, replayed by check_history.

    `word` leaves the clock out: in force or suspended here and past `valid_until` is expired, which
    `certificates.queries` decides at the instant of reading. A trigger holds `sequence` and `event_hash` to
    the last event; the application writes this row in `certificates.lifecycle` and nowhere else.
    """

    certificate = models.OneToOneField(Certificate, models.PROTECT, primary_key=True, related_name="state")
    number = models.CharField(max_length=40, unique=True)
    word = models.CharField(_("status"), max_length=12, choices=STATUS_CHOICES)
    final = models.BooleanField(default=False)
    live = models.BooleanField(
        default=True
    )  # still holds its measurement: not terminated, superseded, expired, final
    sequence = models.PositiveIntegerField()
    event_hash = models.CharField(max_length=64)
    since = models.DateTimeField()
    changed_at = models.DateTimeField()
    issued_at = models.DateTimeField()
    valid_until = models.DateTimeField()
    expiry_recorded = models.BooleanField(default=False)
    review_until = models.DateTimeField(null=True, blank=True)
    appeal_until = models.DateTimeField(null=True, blank=True)
    do_not_rely = models.BooleanField(default=False)

    # What lists filter and search by; facts of the issue, kept here so that a list reads one table.
    measurement = models.ForeignKey(Measurement, models.PROTECT, related_name="+")
    scheme = models.ForeignKey(Scheme, models.PROTECT, related_name="+")
    holder = models.ForeignKey(Holder, models.PROTECT, related_name="+")
    system_version = models.ForeignKey(SystemVersion, models.PROTECT, related_name="+")
    holder_name = models.CharField(max_length=200)
    system_name = models.CharField(max_length=200)
    version = models.CharField(max_length=200)
    scheme_name = models.CharField(max_length=41)
    method = models.CharField(max_length=20)
    groups = ArrayField(models.CharField(max_length=40), default=list)
    measured_at = models.DateTimeField()
    evidence_sha256 = models.CharField(max_length=64)
    year = models.PositiveSmallIntegerField()
    folded = models.TextField()  # number, system, version and holder without case and accents
    text = models.GeneratedField(
        expression=SearchVector("folded", config="simple"), output_field=SearchVectorField(), db_persist=True
    )

    class Meta:
        verbose_name = _("state of a certificate")
        verbose_name_plural = _("states of certificates")
        indexes = [
            # The order of every list, alone and under each filter; `certificate` breaks ties of keyset pages.
            models.Index(fields=["-issued_at", "-certificate"], name="state_newest"),
            models.Index(fields=["word", "-issued_at", "-certificate"], name="state_word_newest"),
            models.Index(fields=["holder", "-issued_at"], name="state_holder_newest"),
            models.Index(fields=["system_version", "-issued_at"], name="state_version_newest"),
            models.Index(fields=["scheme", "-issued_at"], name="state_scheme_newest"),
            models.Index(fields=["-changed_at"], name="state_last_changed"),
            GinIndex(fields=["text"], name="state_words"),
            GinIndex(fields=["groups"], name="state_groups"),
            GinIndex(OpClass("folded", name="gin_trgm_ops"), name="state_substring"),
            models.Index(OpClass("evidence_sha256", name="varchar_pattern_ops"), name="state_sha256_prefix"),
            # What the sweep looks for is always few.
            models.Index(
                fields=["valid_until"],
                name="state_expiry_to_record",
                condition=models.Q(expiry_recorded=False, word__in=["active", "suspended"]),
            ),
            models.Index(
                fields=["appeal_until"],
                name="state_revocation_not_final",
                condition=models.Q(word="revoked", final=False),
            ),
            models.Index(
                fields=["review_until"], name="state_review_due", condition=models.Q(word="suspended")
            ),
        ]
        constraints = [
            models.UniqueConstraint(
                name="one_live_certificate_per_measurement_and_scheme",
                fields=["measurement", "scheme"],
                condition=models.Q(live=True),
            ),
            models.CheckConstraint(
                name="only_a_revocation_is_final", condition=models.Q(final=False) | models.Q(word="revoked")
            ),
            models.CheckConstraint(
                name="a_suspended_state_has_a_review_date",
                condition=~models.Q(word="suspended") | models.Q(review_until__isnull=False),
            ),
            models.CheckConstraint(
                name="what_has_ended_is_not_live",
                condition=models.Q(live=False)
                | (~models.Q(word__in=["terminated", "superseded", "expired"]) & models.Q(final=False)),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.number}: {self.word}"
