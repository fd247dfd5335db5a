"""Who runs agents here: people with an account that holds no role of the staff."""

from django.db import models
from django.utils.translation import gettext_lazy as _

from registry_site.models import Invitation, Person


class Operator(models.Model):
    """A person who may register runs, for which organisation. Ended and never deleted."""

    person = models.ForeignKey(Person, models.PROTECT, related_name="operating")
    organisation = models.CharField(_("organisation"), max_length=200)
    admitted_by = models.ForeignKey(Person, models.PROTECT, null=True, related_name="+")
    admitted_at = models.DateTimeField()
    ended_by = models.ForeignKey(Person, models.PROTECT, null=True, related_name="+")
    ended_at = models.DateTimeField(null=True)

    class Meta:
        verbose_name = _("operator")
        verbose_name_plural = _("operators")
        constraints = [
            models.UniqueConstraint(
                name="a_person_operates_once", fields=["person"], condition=models.Q(ended_at=None)
            ),
            models.CheckConstraint(
                name="only_an_ended_operator_was_ended_by_someone",
                condition=models.Q(ended_by__isnull=True) | models.Q(ended_at__isnull=False),
            ),
        ]

    def __str__(self) -> str:
        return self.organisation


class OperatorInvitation(models.Model):
    """An invitation to open an account, made so that its person may register runs once it is accepted."""

    organisation = models.CharField(max_length=200)
    invitation = models.OneToOneField(Invitation, models.PROTECT, related_name="for_operator")
    operator = models.OneToOneField(Operator, models.PROTECT, null=True, related_name="invitation")

    def __str__(self) -> str:
        return f"#{self.pk}"
