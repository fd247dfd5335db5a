"""Who speaks for a holder by an account of its own, and how the address that its letters go to is changed."""

from datetime import timedelta

from django.db import models
from django.utils.translation import gettext_lazy as _

from evidence.models.system import Holder
from registry_site.models import Invitation, Person, SignedLink

# A changed contact takes effect after this (rule 6).
CONTACT_WAITS = timedelta(hours=72)


class HolderMember(models.Model):
    """A person of a holder: sees the holder's area and speaks for it; has no staff right on it (rule 3).

    Ended and never deleted: until two years after its end it weighs like a declared interest.
    """

    holder = models.ForeignKey(Holder, models.PROTECT, related_name="members")
    person = models.ForeignKey(Person, models.PROTECT, related_name="memberships")
    linked_by = models.ForeignKey(Person, models.PROTECT, related_name="+")
    linked_at = models.DateTimeField()
    ended_by = models.ForeignKey(Person, models.PROTECT, null=True, related_name="+")
    ended_at = models.DateTimeField(null=True)

    class Meta:
        verbose_name = _("person of a holder")
        verbose_name_plural = _("persons of holders")
        constraints = [
            models.UniqueConstraint(
                name="a_person_is_linked_to_a_holder_once",
                fields=["holder", "person"],
                condition=models.Q(ended_at=None),
            ),
            models.CheckConstraint(
                name="nobody_links_oneself_to_a_holder", condition=~models.Q(person=models.F("linked_by"))
            ),
            models.CheckConstraint(
                name="an_ended_link_says_who_ended_it_and_when",
                condition=models.Q(ended_by__isnull=True, ended_at__isnull=True)
                | models.Q(ended_by__isnull=False, ended_at__isnull=False),
            ),
        ]

    def __str__(self) -> str:
        return f"#{self.pk}"


class HolderInvitation(models.Model):
    """An invitation to open an account, made so that its person speaks for a holder once it is accepted."""

    holder = models.ForeignKey(Holder, models.PROTECT, related_name="invitations")
    invitation = models.OneToOneField(Invitation, models.PROTECT, related_name="for_holder")
    member = models.OneToOneField(HolderMember, models.PROTECT, null=True, related_name="invitation")

    def __str__(self) -> str:
        return f"#{self.pk}"


class ContactChange(models.Model):
    """A change of a holder's address that was asked for; letters go to the old one until it is applied.

    The addresses are personal data and stand here alone: the audit log names the row.
    """

    holder = models.ForeignKey(Holder, models.PROTECT, related_name="contact_changes")
    old_email = models.EmailField(blank=True)
    old_language = models.CharField(max_length=2)
    new_email = models.EmailField()
    new_language = models.CharField(max_length=2)
    asked_by = models.ForeignKey(Person, models.PROTECT, related_name="+")
    on_behalf = models.BooleanField(default=False)  # entered by a registrar, at the holder's wish
    asked_at = models.DateTimeField()
    effective_at = models.DateTimeField()
    # Null with a `cancelled_at`: by the link that the old address was sent, or by the clock, because whoever asked
    # spoke for the holder no longer.
    cancelled_by = models.ForeignKey(Person, models.PROTECT, null=True, related_name="+")
    cancelled_at = models.DateTimeField(null=True)
    applied_at = models.DateTimeField(null=True)

    class Meta:
        verbose_name = _("change of a holder's contact")
        verbose_name_plural = _("changes of holders' contacts")
        indexes = [
            models.Index(
                fields=["effective_at"],
                name="contact_change_due",
                condition=models.Q(cancelled_at=None, applied_at=None),
            )
        ]
        constraints = [
            models.UniqueConstraint(
                name="one_change_of_contact_at_a_time",
                fields=["holder"],
                condition=models.Q(cancelled_at=None, applied_at=None),
            ),
            models.CheckConstraint(
                name="a_change_of_contact_ends_once",
                condition=models.Q(cancelled_at__isnull=True) | models.Q(applied_at__isnull=True),
            ),
            models.CheckConstraint(
                name="a_change_of_contact_waits_before_it_takes_effect",
                condition=models.Q(effective_at__gte=models.F("asked_at") + CONTACT_WAITS)
                & (models.Q(applied_at__isnull=True) | models.Q(applied_at__gte=models.F("effective_at"))),
            ),
            models.CheckConstraint(
                name="only_a_cancelled_change_of_contact_was_cancelled_by_someone",
                condition=models.Q(cancelled_by__isnull=True) | models.Q(cancelled_at__isnull=False),
            ),
        ]

    def __str__(self) -> str:
        return f"#{self.pk}"


class ContactLink(SignedLink):
    """The signed link by which the old address cancels a change."""

    change = models.ForeignKey(ContactChange, models.CASCADE, related_name="links")

    def __str__(self) -> str:
        return f"#{self.pk}"
