"""One row of the queue: its kinds, their words, and what a reader of one kind is asked."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any

from django.db.models import BigIntegerField, F, QuerySet
from django.db.models.functions import Cast
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from certificates.models import Assignment
from certificates.work_subjects import Subject
from registry_site.models import Person
from registry_site.roles import Role


class Kind(StrEnum):
    PACKAGE = "package"
    APPLICATION = "application"
    RUN = "run"
    RUBRIC = "rubric"
    MEASUREMENT = "measurement"
    IDENTITY = "identity"
    SUSPENSION = "suspension"
    REVOCATION = "revocation"
    EXPIRY = "expiry"
    REPORT = "report"
    APPEAL = "appeal"
    REQUEST = "request"
    RECOVERY = "recovery"
    MAIL = "mail"
    JOB = "job"


KIND_WORDS = {
    Kind.PACKAGE: _("Evidence packages"),
    Kind.APPLICATION: _("Applications to answer"),
    Kind.RUN: _("Runs to mark"),
    Kind.RUBRIC: _("Rubrics to seal and reveal"),
    Kind.MEASUREMENT: _("Measurements ready for decision"),
    Kind.IDENTITY: _("Holders and systems to confirm"),
    Kind.SUSPENSION: _("Suspensions to review"),
    Kind.REVOCATION: _("Revocations not final"),
    Kind.EXPIRY: _("Certificates that expire"),
    Kind.REPORT: _("Complaints to work on"),
    Kind.APPEAL: _("Appeals"),
    Kind.REQUEST: _("Written requests of holders"),
    Kind.RECOVERY: _("Second factors to remove"),
    Kind.MAIL: _("E-mails not delivered"),
    Kind.JOB: _("Jobs that did not finish"),
}
OPEN = pgettext_lazy("action", "Open")
DECIDE = pgettext_lazy("action", "Decide")
SEE = pgettext_lazy("action", "See")
CONFIRM = pgettext_lazy("action", "Confirm")


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """Whose queue is read, at which instant, and how many rows of one kind at most.

    A reader returns up to `limit` + 1 matters of each of its kinds: the one too many tells that there are more.
    With `in_hand` it returns matters about what the person has in hand alone.
    """

    person: Person
    roles: frozenset[Role]
    now: datetime
    limit: int
    in_hand: bool = False

    def among(self, rows: QuerySet, kind: str, *, by: str = "pk") -> QuerySet:
        """`rows` about the things that are asked for; `by` is the column that identifies them, a number or a key."""
        if not self.in_hand:
            return rows
        held = Assignment.objects.filter(person=self.person, kind=kind, ended_at=None)
        identifier = F("identifier") if by.endswith("number") else Cast("identifier", BigIntegerField())
        return rows.filter(**{f"{by}__in": held.values_list(identifier)})


@dataclass(frozen=True, slots=True, kw_only=True)
class Matter:
    """One row: what it is, about what, what is missing, by when, and where to do it.

    `missing` is a sentence in the reader's language. Without `action` this person can do nothing here. With
    `subject`, the thing that it is about, somebody can have it in hand.
    """

    kind: Kind
    title: Any
    about: str
    missing: Any
    address: str
    action: Any = None
    number: str = ""
    due: datetime | None = None
    subject: Subject | None = None
    assignment: Assignment | None = None
