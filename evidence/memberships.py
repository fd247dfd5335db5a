"""Which persons belong to a holder: the only writer of these links, and who is told of them."""

from datetime import datetime

from django.db import IntegrityError, transaction
from django.db.models import Q, QuerySet
from django.utils.translation import gettext_lazy as _

from evidence.models import Holder, HolderInvitation, HolderMember
from evidence.models.system import Confirmation
from registry_site import audit, invitations, outbox, roles, sweeping
from registry_site.models import Invitation, Person, User
from registry_site.problems import NotAllowed, Refusal

# What binds a person to a holder weighs until this many years after its end (rule 3).
WEIGHS_YEARS = 2
LINKED = "holder.member_linked"
ENDED = "holder.member_ended"


class CannotLink(Refusal):
    """The link cannot be made or ended; `field` names what was written wrong."""

    code = "cannot_link"
    title = _("The account cannot be linked")

    def __init__(self, detail, *, code: str | None = None):
        super().__init__(detail, code=code, field="email")
        self.field = "email"


# ── who is one ───────────────────────────────────────────────────────────────


def living(person: Person | None) -> QuerySet[HolderMember]:
    """The links of a person that have not ended, each with its holder, by the holder's name."""
    return (
        HolderMember.objects.filter(person=person, ended_at=None)
        .select_related("holder")
        .order_by("holder__name", "holder_id")
    )


def is_member(person: Person | None, holder: Holder) -> bool:
    """Whether a person speaks for a holder now."""
    return person is not None and living(person).filter(holder=holder).exists()


def weighs(person: Person | None, holder: Holder, *, at: datetime) -> bool:
    """Whether a link to the holder, living or not long ended, keeps a person from acting on it (rule 3)."""
    return weighing(holder, at=at).filter(person=person).exists()


def weighing(holder: Holder, *, at: datetime) -> QuerySet[HolderMember]:
    """The links to a holder, living or not long ended, that keep their persons from acting on it."""
    return HolderMember.objects.filter(Q(ended_at=None) | Q(ended_at__gt=weighs_since(at)), holder=holder)


def weighs_since(at: datetime) -> datetime:
    """What ended before this no longer weighs: the same day and time, two years earlier (28 for 29 February)."""
    try:
        return at.replace(year=at.year - WEIGHS_YEARS)
    except ValueError:
        return at.replace(year=at.year - WEIGHS_YEARS, day=28)


def refusal_to_member(person: Person | None, holder: Holder, *, at: datetime) -> NotAllowed | None:
    """Why a person of the holder may not act on it as staff, or None."""
    return refusal_of_member() if weighs(person, holder, at=at) else None


def refusal_of_member() -> NotAllowed:
    """Rule 3 of a person of the holder, in words."""
    return NotAllowed(
        _(
            "You cannot act on this holder: you are a person of it, or were within the last two years (rule 3)."
        ),
        code="person_of_the_holder",
        rule=3,
    )


def accounts_of(holder: Holder) -> QuerySet[User]:
    """The accounts of the persons who speak for a holder now."""
    return User.objects.filter(
        is_active=True, person__memberships__holder=holder, person__memberships__ended_at=None
    ).distinct()


# ── linking and ending ───────────────────────────────────────────────────────


def refusal_to_link(person: Person, holder: Holder, *, at: datetime) -> Refusal | None:
    """Why `person` may not link accounts to `holder`, or end links, or None."""
    if refusal := roles.refusal_to_keep_people(person):
        return refusal
    if holder.confirmation != Confirmation.CONFIRMED:
        return CannotLink(
            _("Confirm the holder first: nobody speaks for a proposal."), code="holder_is_proposed"
        )
    return refusal_to_member(person, holder, at=at)


def account(email: str) -> User:
    """The active account of a person with that address, or CannotLink."""
    found = User.objects.select_related("person").filter(email=email.strip().lower()).first()
    if found is None or not found.is_active or found.person_id is None:
        raise CannotLink(
            _("There is no active account of a person with that address."), code="no_such_account"
        )
    return found


@transaction.atomic
def link(holder: Holder, *, user: User, by: Person, at: datetime) -> HolderMember:
    """Let the person behind an account speak for the holder; raises what `refusal_to_link` says, or CannotLink."""
    # Locked first: a proposal may be merged away while this is written.
    holder = Holder.objects.select_for_update().get(pk=holder.pk)
    if refusal := refusal_to_link(by, holder, at=at):
        raise refusal
    if user.person_id is None or not user.is_active:
        raise CannotLink(
            _("There is no active account of a person with that address."), code="no_such_account"
        )
    if user.person_id == by.pk:
        raise CannotLink(_("Nobody links oneself to a holder."), code="own_link")
    return _link(holder, user, by=by, at=at)


@transaction.atomic
def invite(
    holder: Holder, *, name: str, email: str, language: str, by: Person, at: datetime
) -> HolderInvitation:
    """Invite a person who has no account yet; the link is made when the invitation is accepted.

    Raises what `refusal_to_link` says, or `invitations.CannotInvite`.
    """
    holder = Holder.objects.select_for_update().get(pk=holder.pk)
    if refusal := refusal_to_link(by, holder, at=at):
        raise refusal
    invitation = invitations.invite(name=name, email=email, language=language, by=by, at=at)
    return HolderInvitation.objects.create(holder=holder, invitation=invitation)


def take_up_accepted(*, at: datetime) -> int:
    """Link the people whose invitations were accepted; returns how many. Safe to run at any time."""
    waiting = HolderInvitation.objects.filter(member=None).order_by("pk")
    return sweeping.each(waiting, lambda one: _take_up(one, at=at))


@transaction.atomic
def _take_up(waiting: HolderInvitation, *, at: datetime) -> bool:
    holder = Holder.objects.select_for_update().get(pk=waiting.holder_id)
    waiting = HolderInvitation.objects.select_for_update(of=("self",)).get(pk=waiting.pk)
    found = accepted(waiting.invitation)
    if waiting.member_id is not None or found is None:
        return False
    # Whoever invited was a registrar when it was accepted: an invitation asks for that.
    waiting.member = _link(holder, found.account, by=found.invited_by, at=at)
    waiting.save(update_fields=["member"])
    return True


def accepted(invitation: Invitation) -> Invitation | None:
    """The accepted invitation: itself, or the one by which it was sent again; that carries no promise of its own."""
    while invitation.accepted_at is None:
        again = Invitation.objects.filter(
            email=invitation.email,
            invited_at=invitation.cancelled_at,
            roles=invitation.roles,
            for_holder=None,
            for_operator=None,
        )
        found = again.exclude(pk=invitation.pk).first() if invitation.cancelled_at else None
        if found is None:
            return None
        invitation = found
    return invitation


def _link(holder: Holder, user: User, *, by: Person, at: datetime) -> HolderMember:
    try:
        with transaction.atomic():
            made = HolderMember.objects.create(holder=holder, person=user.person, linked_by=by, linked_at=at)
    except IntegrityError as error:
        raise CannotLink(_("That person is linked to this holder already."), code="linked_already") from error
    audit.record(LINKED, by=by, at=at, subject=f"holder:{holder.pk}", person=user.person_id)
    _tell(LINKED, holder, user, at=at)
    return made


@transaction.atomic
def end(member: HolderMember, *, by: Person, at: datetime) -> HolderMember:
    """End a link. Who ended it first stands; a second press changes nothing."""
    member = (
        HolderMember.objects.select_for_update(of=("self", "holder", "person"))
        .select_related("holder", "person")
        .get(pk=member.pk)
    )
    if refusal := refusal_to_link(by, member.holder, at=at):
        raise refusal
    if member.ended_at is not None:
        return member
    member.ended_by, member.ended_at = by, at
    member.save(update_fields=["ended_by", "ended_at"])
    audit.record(ENDED, by=by, at=at, subject=f"holder:{member.holder_id}", person=member.person_id)
    for user in member.person.accounts.filter(is_active=True):
        _tell(ENDED, member.holder, user, at=at)
    return member


def _tell(kind: str, holder: Holder, user: User, *, at: datetime) -> None:
    """The person, and the holder at its own address: neither learns it from the other alone."""
    recipients = {user.email: (user.language, True)}
    if holder.contact_email and holder.contact_email != user.email:
        recipients[holder.contact_email] = (holder.contact_language, False)
    for address, (language, own) in recipients.items():
        outbox.queue(
            kind,
            to=address,
            language=language,
            at=at,
            concerns=f"holder:{holder.pk}",
            path="/holder/" if own and kind == LINKED else f"/{language}/",
            holder=holder.pk,
            person=user.person_id,
            own=own,
        )
