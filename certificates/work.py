"""The one writer of the staff's own work: who has a matter in hand, notes, and what is set aside.

Nothing of it is public, nothing of it decides anything; each act is in the audit log.
"""

from datetime import datetime
from http import HTTPStatus
from typing import Any

from django.db import IntegrityError, transaction
from django.utils.text import format_lazy
from django.utils.translation import gettext_lazy as _

from certificates import four_eyes, policies, work_subjects
from certificates.models import Assignment, SetAside, StaffNote
from certificates.models.work import LONGEST_NOTE
from certificates.work_subjects import Subject
from evidence.models import EvidencePackage, PackageState
from registry_site import audit, roles
from registry_site.models import Person, User
from registry_site.problems import NotAllowed, Refusal


class CannotBeAssigned(Refusal):
    """The person cannot have the matter in hand, or somebody else has it meanwhile."""

    code = "cannot_be_assigned"
    title = _("The matter cannot be given to that person")


class IncompleteNote(Refusal):
    """A note or a reason is missing or too long; `field` names it."""

    code = "incomplete_note"
    status = HTTPStatus.UNPROCESSABLE_ENTITY
    title = _("The note is not complete")


class CannotBeSetAside(Refusal):
    """Only a rejected package is set aside."""

    code = "cannot_be_set_aside"
    title = _("The package cannot be set aside")


def held(subject: Subject) -> Assignment | None:
    """Who has it in hand now."""
    return (
        Assignment.objects.select_related("person", "assigned_by")
        .filter(kind=subject.kind, identifier=subject.identifier, ended_at=None)
        .first()
    )


def assign(
    subject: Subject, *, to: Person, by: User, at: datetime, if_held_by: int | None = None
) -> Assignment:
    """Put a matter in the hands of `to`; whoever had it lets it go.

    `if_held_by` is the key of the person who had it when `by` looked, None for nobody. Raises CannotBeAssigned
    when somebody else has it meanwhile, or when a rule keeps `to` from deciding on it.
    """
    thing = _found(subject)
    person = _person(by)
    if refusal := refusal_to_hold(subject, thing, to, at=at):
        raise refusal
    try:
        with transaction.atomic():
            present = (
                Assignment.objects.select_for_update(of=("self",))
                .select_related("person")
                .filter(kind=subject.kind, identifier=subject.identifier, ended_at=None)
                .first()
            )
            if present and present.person_id == to.pk:
                return present  # pressed twice
            if (present.person_id if present else None) != if_held_by:
                raise _held_meanwhile(present)
            if present:
                _end(present, by=person, at=at)
            made = Assignment.objects.create(
                kind=subject.kind, identifier=subject.identifier, person=to, assigned_by=person, at=at
            )
            audit.record("work.assigned", by=person, at=at, subject=str(subject), to=to.pk)
            return made
    except IntegrityError as error:
        # Two people took it at once: the constraint let one of them.
        raise _held_meanwhile(held(subject)) from error


def refusal_to_hold(subject: Subject, thing: Any, to: Person, *, at: datetime) -> Refusal | None:
    """Why `to` cannot have it in hand, told of a third person, or None."""
    account = to.accounts.filter(is_active=True).order_by("pk").first()
    if account is None:
        return CannotBeAssigned(
            format_lazy(_("{person} has no account in use."), person=to.name), code="no_account"
        )
    refusal = work_subjects.KINDS[subject.kind].refusal(account, thing, at)
    if refusal is None:
        return None
    return CannotBeAssigned(
        format_lazy(
            _("{person} cannot have it in hand: {why}"),
            person=to.name,
            why=four_eyes.why(refusal),
        ),
        code=refusal.code,
        **refusal.extra,
    )


def release(subject: Subject, *, by: User, at: datetime) -> None:
    """Let it go. Whoever has it may, and whoever gave it; said twice it is let go once."""
    person = _person(by)
    with transaction.atomic():
        present = (
            Assignment.objects.select_for_update(of=("self",))
            .filter(kind=subject.kind, identifier=subject.identifier, ended_at=None)
            .first()
        )
        if present is None:
            return
        if person.pk not in (present.person_id, present.assigned_by_id):
            raise NotAllowed(
                _("Whoever has it in hand lets it go, or whoever gave it; you may take it yourself."),
                code="not_in_your_hands",
            )
        _end(present, by=person, at=at)
        audit.record("work.released", by=person, at=at, subject=str(subject), was=present.person_id)


def note(subject: Subject, *, text: str, by: User, at: datetime) -> StaffNote:
    """Keep a note on a thing, for the staff alone. The same words said twice running are kept once."""
    thing = _found(subject)
    person = _person(by)
    if refusal := refusal_to_note(subject, thing, by=by, at=at):
        raise refusal
    text = _text(text, field="text")
    work_subjects.KINDS[subject.kind].require_kept(thing, text)
    with transaction.atomic():
        latest = (
            StaffNote.objects.filter(kind=subject.kind, identifier=subject.identifier).order_by("-pk").first()
        )
        if latest is not None and latest.by_id == person.pk and latest.text == text:
            return latest
        made = StaffNote.objects.create(
            kind=subject.kind, identifier=subject.identifier, text=text, by=person, at=at
        )
        audit.record("work.noted", by=person, at=at, subject=str(subject), note=made.pk)
    return made


def refusal_to_note(subject: Subject, thing: Any, *, by: User, at: datetime) -> Refusal | None:
    """Why `by` may neither read nor write notes on a thing in confidence, or None."""
    kind = work_subjects.KINDS[subject.kind]
    return kind.refusal(by, thing, at) if kind.confidential else None


def set_aside(package: EvidencePackage, *, reason: str, by: User, at: datetime) -> SetAside:
    """Take a rejected package out of the queue; it stays in the list with the reason."""
    if refusal := policies.refusal_to_work_on_evidence(by):
        raise refusal
    if package.state != PackageState.REJECTED:
        raise CannotBeSetAside(_("Only a rejected package is set aside: this one still has a way to go."))
    person = _person(by)
    reason = _text(reason, field="reason")
    with transaction.atomic():
        made, fresh = SetAside.objects.get_or_create(
            package=package, defaults={"reason": reason, "by": person, "at": at}
        )
        if fresh:
            audit.record("package.set_aside", by=person, at=at, subject=f"package:{package.pk}")
    return made


def _end(assignment: Assignment, *, by: Person, at: datetime) -> None:
    assignment.ended_at, assignment.ended_by = at, by
    assignment.save(update_fields=["ended_at", "ended_by"])


def _held_meanwhile(present: Assignment | None) -> CannotBeAssigned:
    if present is None:
        return CannotBeAssigned(
            _("Whoever had it has let it go meanwhile: look at it again."), code="held_meanwhile"
        )
    return CannotBeAssigned(
        format_lazy(_("{person} has it in hand meanwhile: look at it again."), person=present.person.name),
        code="held_meanwhile",
    )


def _found(subject: Subject) -> Any:
    thing = work_subjects.find(subject)
    if thing is None:
        raise CannotBeAssigned(
            _("There is no such matter."), code="unknown_matter", status=HTTPStatus.NOT_FOUND
        )
    return thing


def _person(user: User) -> Person:
    """Someone of the staff: a person with a role."""
    person = roles.person_of(user)
    if person is None or not roles.held_by(user):
        raise NotAllowed(_("The staff's work is done by a person with a role."), code="no_role")
    return person


def _text(text: str, *, field: str) -> str:
    text = text.replace("\r\n", "\n").strip()
    if not text or "\x00" in text:
        raise IncompleteNote(_("Write it down in words."), code="text_needed", field=field)
    if len(text) > LONGEST_NOTE:
        raise IncompleteNote(
            format_lazy(_("At most {count} characters."), count=LONGEST_NOTE),
            code="text_too_long",
            field=field,
        )
    return text
