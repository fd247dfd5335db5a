"""What a decision would publish, before it is signed: the real step, taken in a transaction that is undone.

The preview is made by the writer itself and not by a second description of it, so it shows what will stand
there, asks every rule, and meets every constraint. Number and instant are those it would have now; signing
fixes them.
"""

from collections.abc import Callable
from datetime import datetime
from typing import TypeVar

from django.db import transaction

from certificates import page_facts, projections, states
from certificates.models import Certificate, Notice
from certificates.pages import Verdict

T = TypeVar("T")


class _UndoneError(Exception):
    pass


def undone(act: Callable[[], T]) -> T:
    """The result of `act`, of which nothing is kept. A refusal of `act` is raised as it is."""
    result: list[T] = []
    try:
        with transaction.atomic():
            result.append(act())
            raise _UndoneError
    except _UndoneError:
        return result[0]


def of_certificate(take: Callable[[], Certificate], *, at: datetime) -> tuple[str, int, Verdict]:
    """(number, sequence, verdict) of the certificate after the step that `take` takes on it."""

    def act() -> tuple[str, int, Verdict]:
        certificate = take()
        rows = projections.events_of(certificate)
        # The step may be dated a moment after `at`, when another decision was written in between.
        facts = states.status_of(projections.facts_of(rows), max(at, rows[-1].at))
        return certificate.number, rows[-1].sequence, page_facts.verdict(certificate, facts, rows)

    return undone(act)


def of_refusal(take: Callable[[], Notice]) -> Notice:
    """The notice of a refusal to issue, as it would be numbered and dated."""
    return undone(take)
