"""What the holder was told of a coming end, and when: so that nobody is told twice."""

from django.db import models
from django.utils.translation import gettext_lazy as _

from certificates import terms
from certificates.models.certificate import Certificate
from registry_site.append_only import WrittenOnce


class ExpiryNotice(WrittenOnce):
    """That the end of a certificate was told, so many days before; its letters stand in the outbox."""

    certificate = models.ForeignKey(Certificate, models.PROTECT, related_name="expiry_notices")
    days_before = models.PositiveSmallIntegerField()
    at = models.DateTimeField()

    class Meta:
        verbose_name = _("notice of a coming expiry")
        verbose_name_plural = _("notices of coming expiries")
        constraints = [
            models.UniqueConstraint(
                name="a_coming_expiry_is_told_once_per_term", fields=["certificate", "days_before"]
            ),
            models.CheckConstraint(
                name="a_coming_expiry_is_told_on_the_days_named",
                condition=models.Q(days_before__in=list(terms.EXPIRY_TOLD_BEFORE)),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.certificate_id}: {self.days_before}"
