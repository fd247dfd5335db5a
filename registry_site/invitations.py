"""Inviting people to open an account: the only writer of invitations, and of the accounts that come of them.

The secret of a link is made when its letter is written out (`registry_site.people_letters`); only its hash is
kept, and it dies with the invitation. What an invitation gives is given when it is accepted, by whoever invited:
so it holds no longer than that person is a registrar.
"""

from collections.abc import Iterable
from datetime import datetime, timedelta

from django.core.exceptions import ValidationError
from django.core.validators import validate_email
from django.db import IntegrityError, transaction
from django.utils.translation import gettext_lazy as _

from registry_site import audit, outbox, people_notices, roles, signed_links
from registry_site.models import Invitation, InvitationLink, Outbox, Person, User
from registry_site.problems import Refusal
from registry_site.roles import Role
from registry_site.signed_links import LinkRefused

OPEN_FOR = timedelta(days=7)
LONGEST_NAME = 200


class CannotInvite(Refusal):
    """The invitation cannot be made or used; `field` names what is wrong with it."""

    code = "cannot_invite"
    title = _("This invitation cannot be made")


class InvitationRefused(LinkRefused):
    """A link that opens nothing: unknown, past its time, cancelled or accepted."""


# ── what a registrar does ────────────────────────────────────────────────────


@transaction.atomic
def invite(
    *, name: str, email: str, language: str, by: Person | None, at: datetime, roles: Iterable[Role] = ()
) -> Invitation:
    """Ask a person to open an account, with these roles or with none (an account of a holder's person).

    `by` is None only on the server's console. Raises NotAllowed when `by` is no registrar, CannotInvite when the
    address has an account or an open invitation, or the roles cannot be held by one person.
    """
    _require_registrar(by)
    name, email = " ".join(name.split()), _address(email)
    wanted = _holdable(roles)
    if not name or len(name) > LONGEST_NAME or not name.isprintable():
        raise CannotInvite(_("Write the person's name."), field="name")
    if User.objects.filter(email=email).exists():
        raise CannotInvite(
            _("There is an account with this address already: give it the role instead."),
            code="address_has_an_account",
            field="email",
        )
    _drop_lapsed(email, by=by, at=at)
    try:
        with transaction.atomic():
            invitation = Invitation.objects.create(
                name=name,
                email=email,
                language=language,
                roles=wanted,
                invited_by=by,
                invited_at=at,
                expires_at=at + OPEN_FOR,
            )
    except IntegrityError as error:  # open already, or made by somebody else in the same moment
        raise CannotInvite(
            _("This address has an open invitation. Cancel it, or send it again."),
            code="invited_already",
            field="email",
        ) from error
    audit.record("invitation.made", by=by, at=at, subject=_subject(invitation), roles=wanted)
    people_notices.invite(invitation, at=at)
    return invitation


@transaction.atomic
def renew(invitation: Invitation, *, by: Person | None, at: datetime) -> Invitation:
    """Send it again: the old one and its links die, and a new one of the same words runs from now."""
    old = _open(invitation)
    _end(old, by=by, at=at)
    return invite(
        name=old.name,
        email=old.email,
        language=old.language,
        by=by,
        at=at,
        roles=[Role(role) for role in old.roles],
    )


@transaction.atomic
def cancel(invitation: Invitation, *, by: Person | None, at: datetime) -> None:
    """Its links open nothing from now on."""
    _require_registrar(by)
    _end(_open(invitation), by=by, at=at)


def _require_registrar(by: Person | None) -> None:
    if by is not None and (refusal := roles.refusal_to_keep_people(by)):
        raise refusal


def _address(email: str) -> str:
    email = email.strip().lower()
    try:
        validate_email(email)
    except ValidationError as error:
        raise CannotInvite(_("Write an e-mail address."), field="email") from error
    return email


def _holdable(wanted: Iterable[Role]) -> list[str]:
    """The roles in their own order, when one person may hold them together (rule 5)."""
    held = [role for role in Role if role in set(wanted)]
    if Role.REGISTRAR in held and len(held) > 1:
        raise CannotInvite(
            _("A registrar holds no other role (rule 5)."),
            code="registrar_holds_no_other_role",
            field="roles",
        )
    return [role.value for role in held]


def _drop_lapsed(email: str, *, by: Person | None, at: datetime) -> None:
    lapsed = Invitation.objects.select_for_update().filter(
        email=email, accepted_at=None, cancelled_at=None, expires_at__lte=at
    )
    for old in lapsed:
        _end(old, by=by, at=at)


def _open(invitation: Invitation) -> Invitation:
    # Locked: the person may accept in the same moment.
    row = Invitation.objects.select_for_update().get(pk=invitation.pk)
    if refusal := refusal_of_ended(row):
        raise refusal
    return row


def refusal_of_ended(invitation: Invitation) -> CannotInvite | None:
    """Why it can be neither sent again nor cancelled, or None."""
    if invitation.accepted_at is not None:
        return CannotInvite(_("This invitation was accepted."), code="invitation_accepted")
    if invitation.cancelled_at is not None:
        return CannotInvite(_("This invitation was cancelled."), code="invitation_cancelled")
    return None


def _end(row: Invitation, *, by: Person | None, at: datetime) -> None:
    row.cancelled_at, row.cancelled_by = at, by
    row.save(update_fields=["cancelled_at", "cancelled_by"])
    audit.record("invitation.cancelled", by=by, at=at, subject=_subject(row))


def _subject(invitation: Invitation) -> str:
    return f"invitation:{invitation.pk}"


# ── the link ─────────────────────────────────────────────────────────────────


def secret_of(invitation: Invitation, *, at: datetime, letter: Outbox) -> str | None:
    """A new secret that accepts it, for a letter whose earlier copy carries none any more; None when it is over."""
    if refusal_to_accept(invitation, at=at):
        return None
    secret, sha256 = signed_links.new_secret()
    InvitationLink.objects.create(invitation=invitation, sha256=sha256, created_at=at)
    if earlier := outbox.replace_link(letter, sha256):
        InvitationLink.objects.filter(sha256=earlier).delete()
    return secret


def find(secret: str) -> Invitation:
    """The invitation that a secret belongs to, whatever has become of it. Nothing is changed."""
    link = (
        InvitationLink.objects.select_related("invitation").filter(sha256=signed_links.digest(secret)).first()
    )
    if link is None:
        raise signed_links.unknown(InvitationRefused)
    return link.invitation


def refusal_to_accept(invitation: Invitation, *, at: datetime) -> InvitationRefused | None:
    """Why nobody can accept it any more, or None."""
    if invitation.accepted_at is not None:
        return InvitationRefused(
            _("This invitation was accepted: sign in with the password that was chosen."), code="link_used"
        )
    if invitation.cancelled_at is not None:
        return InvitationRefused(_("This invitation was cancelled."), code="invitation_cancelled")
    if at >= invitation.expires_at:
        return InvitationRefused(
            _("This invitation is past its time. Ask the registry for another."), code="link_expired"
        )
    if invitation.invited_by is not None and not roles.is_registrar(invitation.invited_by):
        return InvitationRefused(
            _("Whoever invited you keeps the registry no longer. Ask for another invitation."),
            code="inviter_is_no_registrar",
        )
    return None


# ── what the invited person does ─────────────────────────────────────────────


@transaction.atomic
def accept(invitation: Invitation, *, password: str, language: str, at: datetime) -> User:
    """Make the person, the account with this password, and the roles. Raises InvitationRefused.

    The caller has asked `password_validation`; this only keeps it.
    """
    row = (
        Invitation.objects.select_for_update(of=("self",)).select_related("invited_by").get(pk=invitation.pk)
    )
    if refusal := refusal_to_accept(row, at=at):
        raise refusal
    if User.objects.filter(email=row.email).exists():
        raise InvitationRefused(
            _("There is an account with this address already: sign in."), code="address_has_an_account"
        )
    person = Person.objects.create(name=row.name)
    account = User.objects.create_user(row.email, password, person=person, language=language)
    row.accepted_at, row.account = at, account
    row.save(update_fields=["accepted_at", "account"])
    audit.record(
        "invitation.accepted", by=person, at=at, subject=_subject(row), account=account.pk, roles=row.roles
    )
    for role in row.roles:
        roles.take_up(person, Role(role), by=row.invited_by, at=at)
    people_notices.accepted(row, at=at)
    return account
