"""Registers, reveals and records leaks of question sets, and lets the pages that tell of them go stale.

The rules of who may are in `certificates.policies`; the rows are written by `grading.custody`.
"""

from datetime import date, datetime
from typing import Any

from django.db import transaction
from django.utils.translation import gettext_lazy as _

from certificates import policies, publishing
from certificates.models import Certificate
from evidence.descriptor import Access
from evidence.models import Member
from grading import custody
from grading.models import QuestionSet, QuestionSetEvent
from registry_site.models import User
from registry_site.problems import Refusal

ITEMS = "data/items.jsonl"


class QuestionsArePublic(Refusal):
    """Evidence of a certificate already shows the questions: a seal would promise what is not so."""

    code = "set_is_public"
    title = _("The questions of this set are public already, in the evidence of a certificate")


@transaction.atomic
def seal(file: bytes, *, by: User, at: datetime) -> QuestionSet:
    """Register a sealed set. Raises the refusal of policies, those of grading.custody.seal, and QuestionsArePublic."""
    _refuse_if(policies.refusal_to_seal_set(by))
    row = custody.seal(file, by=by.person, at=at)
    shown = (
        Member.objects.filter(
            verification__measurements__set_sha256=row.set_sha256,
            verification__measurements__certificates__isnull=False,
            path=ITEMS,
            sealed=False,
        )
        .exclude(verification__descriptor__access=Access.DIGEST_ONLY)
        .exists()
    )
    if shown and row.registered_at == at:
        raise QuestionsArePublic
    _let_go_stale(row, at=at)
    return row


@transaction.atomic
def reveal(
    row: QuestionSet,
    *,
    by: User,
    at: datetime,
    items: bytes,
    salt: bytes,
    publishes_items: bool,
    statement: dict[str, str],
) -> QuestionSetEvent:
    """Open a seal with the questions and the salt that made it."""
    _refuse_if(policies.refusal_to_reveal_set(by))
    event = custody.reveal(
        row,
        items=items,
        salt=salt,
        publishes_items=publishes_items,
        statement_es=statement["es"],
        statement_en=statement["en"],
        by=by.person,
        at=at,
    )
    _let_go_stale(row, at=at)
    return event


@transaction.atomic
def leak(
    row: QuestionSet, *, by: User, at: datetime, occurred_on: date, statement: dict[str, str]
) -> QuestionSetEvent:
    """Tell the public that the questions got out."""
    _refuse_if(policies.refusal_to_record_leak(by))
    event = custody.leak(
        row,
        occurred_on=occurred_on,
        statement_es=statement["es"],
        statement_en=statement["en"],
        by=by.person,
        at=at,
    )
    _let_go_stale(row, at=at)
    return event


def _refuse_if(refusal: Refusal | None) -> None:
    if refusal is not None:
        raise refusal


def _let_go_stale(row: QuestionSet, *, at: datetime) -> None:
    publishing.let_go_stale(certificates_on(row.set_sha256), at=at)


def certificates_on(set_sha256: str) -> Any:
    """Certificates that rest on a measurement with this set."""
    return Certificate.objects.filter(measurement__set_sha256=set_sha256)
