"""The evidence package and its journey, who took part in it, and the frozen outcome of checking it."""

from django.conf import settings
from django.contrib.postgres.indexes import GinIndex, OpClass
from django.db import models
from django.db.models.functions import Upper
from django.utils.translation import gettext_lazy as _

from evidence.models.system import SystemVersion
from registry_site.append_only import FrozenParent, WrittenOnce
from registry_site.models import Person


class PackageState(models.TextChoices):
    RECEIVING = "receiving", _("receiving")
    RECEIVED = "received", _("received")
    VERIFYING = "verifying", _("verifying")
    RECOMPUTING = "recomputing", _("recomputing")
    READY = "ready", _("ready for decision")
    REJECTED = "rejected", _("rejected")
    FAILED = "failed", _("system fault")


TERMINAL_STATES = (PackageState.READY, PackageState.REJECTED, PackageState.FAILED)


class Fault(models.TextChoices):
    SYSTEM = "system", _("the registry's fault")
    SUBMITTER = "submitter", _("the submitter's fault")


class EvidencePackage(models.Model):
    """One hand-in: a row per (submitter, SHA-256); the bytes are stored once, by content address.

    The row is the truth about its journey; a task only carries its id. `lease` is the running attempt's
    secret: every write of a worker names it, so that a redelivered or late copy writes nothing.
    """

    submitter = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="packages")
    filename = models.CharField(max_length=200, blank=True)
    declared_sha256 = models.CharField(max_length=64, blank=True)
    sha256 = models.CharField(max_length=64, blank=True, db_index=True)
    part = models.CharField(max_length=64, blank=True)
    received_bytes = models.BigIntegerField(default=0)
    size = models.BigIntegerField(null=True)
    state = models.CharField(max_length=12, choices=PackageState, default=PackageState.RECEIVING)
    fault = models.CharField(max_length=10, choices=Fault, blank=True)
    failure = models.CharField(max_length=60, blank=True)
    attempts = models.PositiveSmallIntegerField(default=0)
    lease = models.UUIDField(null=True)
    lease_until = models.DateTimeField(null=True)
    heartbeat_at = models.DateTimeField(null=True)
    deadline_at = models.DateTimeField(null=True)
    progress_bytes = models.BigIntegerField(default=0)
    progress_total = models.BigIntegerField(default=0)
    progress_members = models.PositiveIntegerField(default=0)
    progress_member = models.CharField(max_length=260, blank=True)
    system_version = models.ForeignKey(
        SystemVersion, models.PROTECT, null=True, blank=True, related_name="packages"
    )
    created_at = models.DateTimeField()
    received_at = models.DateTimeField(null=True)
    finished_at = models.DateTimeField(null=True)

    class Meta:
        verbose_name = _("evidence package")
        verbose_name_plural = _("evidence packages")
        indexes = [
            models.Index(fields=["state", "deadline_at"]),
            # OpClass over Upper: `icontains` compares UPPER(filename), which a plain trigram index does not serve.
            GinIndex(OpClass(Upper("filename"), name="gin_trgm_ops"), name="package_filename_substring"),
        ]
        constraints = [
            models.UniqueConstraint(
                name="a_package_is_handed_in_once_per_submitter",
                fields=["submitter", "sha256"],
                condition=~models.Q(sha256=""),
            ),
            models.CheckConstraint(
                name="every_unfinished_package_has_a_deadline",
                condition=models.Q(state__in=["ready", "rejected", "failed"])
                | models.Q(deadline_at__isnull=False),
            ),
            models.CheckConstraint(
                name="a_failed_package_says_whose_fault",
                condition=models.Q(state="failed") & ~models.Q(fault="")
                | ~models.Q(state="failed") & models.Q(fault=""),
            ),
            models.CheckConstraint(
                name="a_received_package_has_hash_and_size",
                condition=models.Q(state__in=["receiving", "failed"])
                | (~models.Q(sha256="") & models.Q(size__isnull=False) & models.Q(received_at__isnull=False)),
            ),
        ]

    def __str__(self) -> str:
        return self.sha256[:8] or f"#{self.pk}"


class ParticipationKind(models.TextChoices):
    SUBMITTED = "submitted", _("handed in the evidence")
    GRADED = "graded", _("graded")
    REVIEWED = "reviewed", _("reviewed")
    RESTARTED = "restarted", _("started the verification anew")


class Participation(WrittenOnce):
    """That a person took part in a package's evidence or grading: rule 1 asks these rows."""

    package = models.ForeignKey(EvidencePackage, models.PROTECT, related_name="participations")
    person = models.ForeignKey(Person, models.PROTECT, related_name="participations")
    kind = models.CharField(max_length=10, choices=ParticipationKind)
    at = models.DateTimeField()


class Integrity(models.TextChoices):
    VERIFIED = "verified", _("intact")
    FAILED = "failed", _("not intact")
    NOT_CHECKED = "not_checked", _("not checked")


class Verification(FrozenParent):
    """The outcome of checking one package with one version of the verifier."""

    package = models.ForeignKey(EvidencePackage, models.PROTECT, related_name="verifications")
    verifier_version = models.CharField(max_length=40)
    integrity = models.CharField(max_length=12, choices=Integrity)
    complete = models.BooleanField()
    sha256 = models.CharField(max_length=64)
    size = models.BigIntegerField()
    member_count = models.PositiveIntegerField()
    findings = models.JSONField(default=list)
    findings_omitted = models.JSONField(default=dict)
    warnings = models.JSONField(default=list)
    descriptor = models.JSONField(null=True)
    at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                name="one_verification_per_verifier_version", fields=["package", "verifier_version"]
            )
        ]

    @property
    def findings_total(self) -> int:
        """How many there are, those that are counted and not listed included."""
        return len(self.findings) + sum(self.findings_omitted.values())


class Member(WrittenOnce):
    """One file of a verified package. Of a sealed one the public sees `commitment` alone."""

    verification = models.ForeignKey(Verification, models.PROTECT, related_name="members")
    path = models.CharField(max_length=260)
    size = models.BigIntegerField()
    sha256 = models.CharField(max_length=64)
    sealed = models.BooleanField(default=False)
    salt = models.BinaryField(null=True)
    commitment = models.CharField(max_length=64, blank=True)

    class Meta:
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(name="a_member_path_is_unique", fields=["verification", "path"]),
            models.CheckConstraint(
                name="a_sealed_member_has_its_salted_commitment",
                condition=models.Q(sealed=False, commitment="", salt__isnull=True)
                | models.Q(sealed=True, salt__isnull=False) & ~models.Q(commitment=""),
            ),
        ]
