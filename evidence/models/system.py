"""Who answers for a system, what exactly was evaluated, and who has an interest in it."""

from django.contrib.postgres.indexes import GinIndex, OpClass
from django.db import models
from django.db.models.functions import Upper
from django.utils.translation import gettext_lazy as _

from registry_site.models import Person


class Confirmation(models.TextChoices):
    """`proposed`: named by a package and matched none; staff confirm or merge it before a certificate."""

    PROPOSED = "proposed", _("proposed")
    CONFIRMED = "confirmed", _("confirmed")


class IdentifierKind(models.TextChoices):
    TAX_NUMBER = "tax_number", _("tax number")
    LEI = "lei", _("LEI")
    DOMAIN = "domain", _("domain")


def _name_index(name: str) -> GinIndex:
    # OpClass over Upper: `icontains` compares UPPER(name), which a plain trigram index does not serve.
    return GinIndex(OpClass(Upper("name"), name="gin_trgm_ops"), name=name)


class Holder(models.Model):
    """The organisation that answers for a system. `folded` is the name under NFC and case folding."""

    name = models.CharField(_("name"), max_length=200)
    folded = models.CharField(max_length=700, editable=False, db_index=True)
    identifier_kind = models.CharField(max_length=12, choices=IdentifierKind, blank=True)
    identifier = models.CharField(_("identifier"), max_length=60, blank=True)
    country = models.CharField(_("country"), max_length=2, blank=True)
    contact_email = models.EmailField(_("contact e-mail"), blank=True)
    contact_language = models.CharField(max_length=2, default="es")
    is_operator = models.BooleanField(_("operates this registry"), default=False)
    confirmation = models.CharField(max_length=10, choices=Confirmation, default=Confirmation.PROPOSED)
    created_at = models.DateTimeField()

    class Meta:
        verbose_name = _("holder")
        verbose_name_plural = _("holders")
        indexes = [_name_index("holder_name_substring")]
        constraints = [
            models.UniqueConstraint(
                name="an_identifier_is_unique_per_country",
                fields=["country", "identifier_kind", "identifier"],
                condition=~models.Q(identifier=""),
            ),
            models.CheckConstraint(
                name="a_confirmed_holder_has_an_identifier",
                condition=~models.Q(confirmation="confirmed")
                | (~models.Q(identifier="") & ~models.Q(identifier_kind="") & ~models.Q(country="")),
            ),
        ]

    def __str__(self) -> str:
        return self.name


class System(models.Model):
    """An AI system of a holder."""

    holder = models.ForeignKey(Holder, models.PROTECT, related_name="systems")
    name = models.CharField(_("name"), max_length=200)
    folded = models.CharField(max_length=700, editable=False)
    confirmation = models.CharField(max_length=10, choices=Confirmation, default=Confirmation.PROPOSED)
    created_at = models.DateTimeField()

    class Meta:
        verbose_name = _("system")
        verbose_name_plural = _("systems")
        indexes = [_name_index("system_name_substring")]
        constraints = [
            models.UniqueConstraint(name="a_system_name_is_unique_per_holder", fields=["holder", "folded"])
        ]

    def __str__(self) -> str:
        return self.name


class SystemVersion(models.Model):
    """A pinned version: what a certificate speaks of. Never a floating alias."""

    system = models.ForeignKey(System, models.PROTECT, related_name="versions")
    version = models.CharField(_("version"), max_length=200)
    model_family = models.CharField(_("model family"), max_length=200, blank=True)
    created_at = models.DateTimeField()

    class Meta:
        verbose_name = _("pinned version")
        verbose_name_plural = _("pinned versions")
        constraints = [
            models.UniqueConstraint(name="a_version_is_unique_per_system", fields=["system", "version"]),
            models.CheckConstraint(
                name="a_version_is_pinned",
                condition=~models.Q(version__iregex=r"^\s*(latest|stable|main|master|current|head|)\s*$"),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.system.name} {self.version}"


class InterestKind(models.TextChoices):
    EMPLOYEE = "employee", _("employee")
    CONSULTANT = "consultant", _("consultant")
    OWNER = "owner", _("owner")
    FAMILY = "family", _("family")
    JUDGE_VENDOR = "judge_vendor", _("vendor of the judge")
    HOLDER_PERSON = "holder_person", _("person of the holder")


class Interest(models.Model):
    """A declared interest of a person in a holder (rule 3); it weighs until two years after its end."""

    person = models.ForeignKey(Person, models.PROTECT, related_name="interests")
    holder = models.ForeignKey(Holder, models.PROTECT, related_name="interests")
    kind = models.CharField(max_length=14, choices=InterestKind)
    declared_at = models.DateTimeField()
    ended_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        verbose_name = _("declared interest")
        verbose_name_plural = _("declared interests")
