"""Declared interests in holders (rule 3): who has one, and the only writer of them.

Whoever has an interest says so; a registrar may enter it for somebody. It is dated when it is written down and
never deleted: ended, it weighs for two years more (`evidence.memberships.weighs_since`).
"""

from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import F, Q, QuerySet
from django.utils.translation import gettext_lazy as _

from evidence.identities import folded
from evidence.memberships import WEIGHS_YEARS, weighs_since
from evidence.models import Holder, Interest
from evidence.models.system import InterestKind
from registry_site import audit, roles
from registry_site.models import Person
from registry_site.problems import NotAllowed, Refusal


class CannotDeclare(Refusal):
    """The interest cannot be declared or ended; `field` names what was written wrong."""

    code = "cannot_declare"
    status = 422
    title = _("The interest cannot be declared")


# ── who has one ──────────────────────────────────────────────────────────────


def of(person: Person) -> QuerySet[Interest]:
    """All of one person's, the open ones first, then the latest."""
    rows = _with_names(Interest.objects.filter(person=person))
    return rows.order_by(F("ended_at").desc(nulls_first=True), "-declared_at", "-pk")


def all_of_them(*, before: int | None = None) -> QuerySet[Interest]:
    """Everybody's, the last declared first; `before` is the last one of the page before."""
    rows = _with_names(Interest.objects.all()).order_by("-pk")
    return rows if before is None else rows.filter(pk__lt=before)


def weighing(holder: Holder, *, at: datetime) -> QuerySet[Interest]:
    """The interests in a holder, living or not long ended, that keep their persons from acting on it."""
    return Interest.objects.filter(Q(ended_at=None) | Q(ended_at__gt=weighs_since(at)), holder=holder)


def weighs_until(interest: Interest) -> datetime | None:
    """Until when an ended one weighs; None while it has not ended."""
    ended = interest.ended_at
    if ended is None:
        return None
    try:
        return ended.replace(year=ended.year + WEIGHS_YEARS)
    except ValueError:  # ended on 29 February: the day after 28 February
        return ended.replace(year=ended.year + WEIGHS_YEARS, day=28) + timedelta(days=1)


def holders_named(text: str) -> list[Holder]:
    """Holders with this name or identifier, at most two: one is the answer, two are none."""
    wanted = text.strip()
    found = list(Holder.objects.exclude(identifier="").filter(identifier__iexact=wanted)[:2])
    return found or list(Holder.objects.filter(folded=folded(wanted))[:2])


def _with_names(rows: QuerySet[Interest]) -> QuerySet[Interest]:
    return rows.select_related("person", "holder")


# ── declaring and ending ─────────────────────────────────────────────────────


def refusal_to_write(person: Person, *, by: Person) -> Refusal | None:
    """Why `by` may not declare or end an interest of `person`, or None: one's own, or as a registrar."""
    if by.pk == person.pk:
        return None
    if roles.is_registrar(by):
        return roles.refusal_after_recovery(by)
    return NotAllowed(_("Everybody declares the own interests; a registrar may enter those of others."))


@transaction.atomic
def declare(person: Person, holder: Holder, *, kind: str, by: Person, at: datetime) -> Interest:
    """Write down that `person` has an interest in `holder` from now on. Twice is once.

    Raises NotAllowed, or CannotDeclare for a kind that does not exist.
    """
    if refusal := refusal_to_write(person, by=by):
        raise refusal
    if kind not in InterestKind.values:
        raise CannotDeclare(_("Choose what the interest is."), field="kind")
    # Locked: two presses of one button.
    Person.objects.select_for_update().get(pk=person.pk)
    known = Interest.objects.filter(person=person, holder=holder, kind=kind, ended_at=None).first()
    if known is not None:
        return known
    interest = Interest.objects.create(person=person, holder=holder, kind=kind, declared_at=at)
    _record("interest.declared", interest, by=by, at=at)
    return interest


@transaction.atomic
def end(interest: Interest, *, by: Person, at: datetime) -> None:
    """It is over from now on, and weighs for two years more. Twice is once. Raises NotAllowed."""
    if refusal := refusal_to_write(interest.person, by=by):
        raise refusal
    row = Interest.objects.select_for_update().get(pk=interest.pk)
    if row.ended_at is not None:
        return
    row.ended_at = at
    row.save(update_fields=["ended_at"])
    _record("interest.ended", row, by=by, at=at)


def _record(action: str, interest: Interest, *, by: Person, at: datetime) -> None:
    audit.record(
        action,
        by=by,
        at=at,
        subject=f"holder:{interest.holder_id}",
        person=interest.person_id,
        kind=str(interest.kind),
    )
