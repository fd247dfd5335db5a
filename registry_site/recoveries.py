"""A lost second factor: two registrars, or the server's console, take it away; the only writer of such cases.

Whoever takes a second factor away could put an own one in its place. So two registrars know of it, its owner is
told at each step, and for a day nothing is decided with the account: time enough to say «that was not me».
"""

from datetime import datetime, timedelta

from allauth.mfa.models import Authenticator
from django.db import IntegrityError, transaction
from django.utils.translation import gettext_lazy as _

from registry_site import accounts, audit, people_notices, roles
from registry_site.models import FactorRecovery, Person, User
from registry_site.problems import NotAllowed, Refusal

OPEN_FOR = timedelta(days=7)
BLOCKED_FOR = timedelta(hours=24)
LONGEST_REASON = 2_000


class CannotRecover(Refusal):
    """The case cannot be opened, confirmed or cancelled; `field` names what is missing."""

    code = "cannot_recover"
    title = _("The second factor cannot be removed")


# ── the rules ────────────────────────────────────────────────────────────────


def refusal_to_open(account: User, *, by: Person | None, at: datetime) -> Refusal | None:
    """Why `by` may not ask for the second factor of `account` to be removed, or None."""
    refusal = _refusal_to_person(account, by=by)
    if refusal is not None:
        return refusal
    if account.person_id is None or not account.is_active:
        return CannotRecover(
            _("The account does not open: there is nothing to recover."), code="account_closed"
        )
    if not Authenticator.objects.filter(user=account).exists():
        return CannotRecover(
            _("The account has no second factor: the next sign-in sets one up."), code="no_second_factor"
        )
    if open_case(account, at=at) is not None:
        return CannotRecover(_("There is an open case on this account already."), code="case_is_open")
    return None


def refusal_to_confirm(case: FactorRecovery, *, by: Person, at: datetime) -> Refusal | None:
    """Why `by` may not confirm the case, or None: another registrar than the one who opened it."""
    refusal = _refusal_to_person(case.account, by=by) or refusal_of_ended(case, at=at)
    if refusal is None and case.opened_by_id == by.pk:
        refusal = NotAllowed(
            _("Whoever opened the case does not confirm it: another registrar does."),
            code="second_registrar_needed",
        )
    return refusal


def refusal_to_cancel(case: FactorRecovery, *, by: Person, at: datetime) -> Refusal | None:
    """Why `by` may not cancel the case, or None: any registrar may."""
    return roles.refusal_to_keep_people(by) or refusal_of_ended(case, at=at)


def refusal_of_ended(case: FactorRecovery, *, at: datetime) -> CannotRecover | None:
    if case.confirmed_at is not None:
        return CannotRecover(
            _("This case was confirmed: the second factor is removed."), code="case_confirmed"
        )
    if case.cancelled_at is not None:
        return CannotRecover(_("This case was cancelled."), code="case_cancelled")
    if at >= case.deadline_at:
        return CannotRecover(_("Nobody confirmed this case in time. Open another."), code="case_lapsed")
    return None


def _refusal_to_person(account: User, *, by: Person | None) -> Refusal | None:
    if by is None:
        return None
    if account.person_id == by.pk:
        return NotAllowed(_("Nobody removes the own second factor in this way."), code="own_account")
    return roles.refusal_to_keep_people(by)


# ── the cases ────────────────────────────────────────────────────────────────


def open_case(account: User, *, at: datetime) -> FactorRecovery | None:
    return open_cases(at=at).filter(account=account).first()


def open_cases(*, at: datetime):
    """Those that wait for a second registrar, by the end of their time."""
    return (
        FactorRecovery.objects.filter(confirmed_at=None, cancelled_at=None, deadline_at__gt=at)
        .select_related("account", "person", "opened_by")
        .order_by("deadline_at", "pk")
    )


@transaction.atomic
def ask(account: User, *, by: Person, at: datetime, reason: str) -> FactorRecovery:
    """Open a case. Nothing changes for the account until another registrar confirms it; its owner is told.

    Raises what `refusal_to_open` says, or CannotRecover without a reason.
    """
    case = _opened(account, by=by, at=at, reason=reason)
    people_notices.recovery_asked(case, at=at)
    return case


@transaction.atomic
def confirm(case: FactorRecovery, *, by: Person, at: datetime) -> FactorRecovery:
    """Remove the second factor. Raises what `refusal_to_confirm` says."""
    row = _locked(case)
    if refusal := refusal_to_confirm(row, by=by, at=at):
        raise refusal
    return _remove(row, by=by, at=at)


@transaction.atomic
def cancel(case: FactorRecovery, *, by: Person, at: datetime) -> None:
    """Leave the second factor as it is. Raises what `refusal_to_cancel` says."""
    row = _locked(case)
    if refusal := refusal_to_cancel(row, by=by, at=at):
        raise refusal
    _end(row, by=by, at=at)
    people_notices.recovery_cancelled(row, at=at)


@transaction.atomic
def on_console(account: User, *, at: datetime, reason: str) -> FactorRecovery:
    """Opened and confirmed at once by whoever holds the server. Raises CannotRecover."""
    return _remove(_opened(account, by=None, at=at, reason=reason), by=None, at=at)


def _opened(account: User, *, by: Person | None, at: datetime, reason: str) -> FactorRecovery:
    reason = reason.strip()
    if not reason or len(reason) > LONGEST_REASON or "\x00" in reason:
        raise CannotRecover(
            _("Write why, in at most 2000 characters: how you know who asks for it."),
            code="reason_needed",
            status=422,
            field="reason",
        )
    if refusal := refusal_to_open(account, by=by, at=at):
        raise refusal
    for lapsed in FactorRecovery.objects.select_for_update().filter(
        account=account, confirmed_at=None, cancelled_at=None, deadline_at__lte=at
    ):
        _end(lapsed, by=by, at=at)
    try:
        with transaction.atomic():
            case = FactorRecovery.objects.create(
                account=account,
                person=account.person,
                reason=reason,
                opened_by=by,
                opened_at=at,
                deadline_at=at + OPEN_FOR,
            )
    except IntegrityError as error:  # opened by somebody else in the same moment
        raise CannotRecover(
            _("There is an open case on this account already."), code="case_is_open"
        ) from error
    audit.record("recovery.opened", by=by, at=at, subject=_subject(case), account=account.pk)
    return case


def _remove(case: FactorRecovery, *, by: Person | None, at: datetime) -> FactorRecovery:
    case.confirmed_by, case.confirmed_at, case.blocked_until = by, at, at + BLOCKED_FOR
    case.save(update_fields=["confirmed_by", "confirmed_at", "blocked_until"])
    Authenticator.objects.filter(user=case.account).delete()
    person = Person.objects.select_for_update().get(pk=case.person_id)
    person.decides_again_at = case.blocked_until
    person.save(update_fields=["decides_again_at"])
    for account in person.accounts.select_for_update().order_by("pk"):
        accounts.end_sessions_and_tokens(account, at=at)
    audit.record("recovery.confirmed", by=by, at=at, subject=_subject(case), account=case.account_id)
    people_notices.recovery_confirmed(case, at=at)
    return case


def _end(row: FactorRecovery, *, by: Person | None, at: datetime) -> None:
    row.cancelled_by, row.cancelled_at = by, at
    row.save(update_fields=["cancelled_by", "cancelled_at"])
    audit.record("recovery.cancelled", by=by, at=at, subject=_subject(row), account=row.account_id)


def _locked(case: FactorRecovery) -> FactorRecovery:
    rows = FactorRecovery.objects.select_for_update(of=("self",)).select_related("account", "person")
    return rows.get(pk=case.pk)


def _subject(case: FactorRecovery) -> str:
    return f"recovery:{case.pk}"
