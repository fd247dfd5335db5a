"""Who may run agents here: the only writer of operators. An operator holds no role of the staff, nor the reverse."""

from datetime import datetime
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import QuerySet
from django.utils.translation import gettext_lazy as _

from evidence import memberships
from evidence.identities import checked_name
from evidence.models import Operator, OperatorInvitation
from registry_site import audit, invitations, outbox, roles, sweeping
from registry_site.models import Person, User
from registry_site.problems import NotAllowed, Refusal
from registry_site.roles import Role

ADMITTED = "operator.admitted"
ENDED = "operator.ended"


class CannotAdmit(Refusal):
    """The person cannot be admitted; `field` names what was written wrong."""

    code = "cannot_admit"
    title = _("The person cannot be admitted as an operator")


# ── who is one ───────────────────────────────────────────────────────────────


def living(person: Person | None) -> Operator | None:
    """As what a person operates now, or None."""
    return Operator.objects.filter(person=person, ended_at=None).first() if person is not None else None


def refusal_to_operate(user: Any) -> NotAllowed | None:
    """Why an account may not register and close runs, or None."""
    if living(roles.person_of(user)) is None:
        return NotAllowed(
            _("Only an operator admitted by the registry registers runs. Ask the registrar."),
            code="not_an_operator",
        )
    return None


def refusal_to_see(user: User) -> NotAllowed | None:
    """Why an account may not see who operates here, or None."""
    if roles.held_by(user) & {Role.REGISTRAR, Role.EVALUATOR}:
        return None
    return NotAllowed(
        _("Operators are kept by the registrar, and evaluators may see them."), code="role_missing"
    )


def everyone() -> QuerySet[Operator]:
    """All of them, those who operate now first."""
    return (
        Operator.objects.select_related("person", "admitted_by", "ended_by")
        .prefetch_related("person__accounts")
        .order_by("-ended_at", "-pk")
    )


def invited(*, at: datetime) -> QuerySet[OperatorInvitation]:
    """The invitations that may still be accepted."""
    return (
        OperatorInvitation.objects.filter(
            operator=None, invitation__cancelled_at=None, invitation__expires_at__gt=at
        )
        .select_related("invitation")
        .order_by("-pk")
    )


# ── admitting and ending ─────────────────────────────────────────────────────


@transaction.atomic
def admit(*, user: User, organisation: str, by: Person, at: datetime) -> Operator:
    """Let the person behind an account register runs. Raises NotAllowed, CannotAdmit or BadIdentity."""
    if refusal := roles.refusal_to_keep_people(by):
        raise refusal
    if user.person_id == by.pk:
        raise CannotAdmit(_("Nobody admits oneself."), code="own_admission", field="email")
    return _admit(user, organisation=organisation, by=by, at=at)


@transaction.atomic
def invite(
    *, name: str, email: str, language: str, organisation: str, by: Person, at: datetime
) -> OperatorInvitation:
    """Invite a person who has no account yet; who accepts is an operator.

    Raises NotAllowed, BadIdentity or `invitations.CannotInvite`.
    """
    organisation = checked_name(organisation)
    invitation = invitations.invite(name=name, email=email, language=language, by=by, at=at)
    return OperatorInvitation.objects.create(organisation=organisation, invitation=invitation)


def take_up_accepted(*, at: datetime) -> int:
    """Admit the people whose invitations were accepted; returns how many. Safe to run at any time."""
    waiting = OperatorInvitation.objects.filter(operator=None).order_by("pk")
    return sweeping.each(waiting, lambda one: _take_up(one, at=at))


@transaction.atomic
def _take_up(waiting: OperatorInvitation, *, at: datetime) -> bool:
    waiting = OperatorInvitation.objects.select_for_update(of=("self",)).get(pk=waiting.pk)
    accepted = memberships.accepted(waiting.invitation)
    if waiting.operator_id is not None or accepted is None:
        return False
    # Whoever invited was a registrar when it was accepted: an invitation asks for that.
    waiting.operator = _admit(
        accepted.account, organisation=waiting.organisation, by=accepted.invited_by, at=at
    )
    waiting.save(update_fields=["operator"])
    return True


def _admit(user: User, *, organisation: str, by: Person, at: datetime) -> Operator:
    if user.person_id is None or not user.is_active:
        raise CannotAdmit(
            _("There is no active account of a person with that address."),
            code="no_such_account",
            field="email",
        )
    # Locked: a role may be given to the same person in this moment.
    person = Person.objects.select_for_update().get(pk=user.person_id)
    if roles.held_by(user):
        raise CannotAdmit(
            _("This person holds a role of the staff, who do not operate what they may have to grade."),
            code="holds_a_role",
            field="email",
        )
    try:
        with transaction.atomic():
            made = Operator.objects.create(
                person=person, organisation=checked_name(organisation), admitted_by=by, admitted_at=at
            )
    except IntegrityError as error:
        raise CannotAdmit(
            _("That person is an operator already."), code="admitted_already", field="email"
        ) from error
    audit.record(ADMITTED, by=by, at=at, subject=f"operator:{made.pk}", person=person.pk)
    _tell(ADMITTED, made, at=at)
    return made


@transaction.atomic
def end(operator: Operator, *, by: Person, at: datetime) -> Operator:
    """From now on nothing new is registered; runs under way may still be closed. A second press changes nothing."""
    if refusal := roles.refusal_to_keep_people(by):
        raise refusal
    operator = Operator.objects.select_for_update(of=("self",)).select_related("person").get(pk=operator.pk)
    if operator.ended_at is not None:
        return operator
    operator.ended_by, operator.ended_at = by, at
    operator.save(update_fields=["ended_by", "ended_at"])
    audit.record(ENDED, by=by, at=at, subject=f"operator:{operator.pk}", person=operator.person_id)
    _tell(ENDED, operator, at=at)
    return operator


def _tell(kind: str, operator: Operator, *, at: datetime) -> None:
    for user in operator.person.accounts.filter(is_active=True):
        outbox.queue(
            kind,
            to=user.email,
            language=user.language,
            at=at,
            concerns=f"operator:{operator.pk}",
            path="/runs/" if kind == ADMITTED else f"/{user.language}/",
            operator=operator.pk,
        )
