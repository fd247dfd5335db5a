"""Rows of appeals with what they name, and the steps of one turned into where it stands. Reads only."""

from collections.abc import Sequence
from datetime import datetime
from zoneinfo import ZoneInfo

from certificates import appeal_states, numbers, policies
from certificates.appeal_states import AppealLife, AppealOutcome, AppealStep, Effect, Taken
from certificates.models import Appeal, AppealEvent, Notice


def taken_of(events: Sequence[AppealEvent], *, late: bool) -> list[Taken]:
    """The rows of an appeal's steps as the table knows them."""
    return [
        Taken(
            step=AppealStep(row.step),
            at=row.at,
            late=late,
            outcome=AppealOutcome(row.outcome) if row.outcome else None,
            effect=Effect(row.effect) if row.effect else None,
        )
        for row in events
    ]


def life_of(appeal: Appeal, *, until: datetime | None = None) -> AppealLife | None:
    return appeal_states.life_of(taken_of(list(appeal.events.all()), late=appeal.late), until=until)


def zone_of(appeal: Appeal) -> ZoneInfo:
    """The calendar in which its terms are counted and its dates are told."""
    return policies.measurement_of(appeal).scheme.rules.zone


def find(number: str) -> Appeal | None:
    """By its number, however it was typed."""
    try:
        canonical = numbers.parse_appeal_number(number)
    except numbers.NumberError:
        return None
    return with_parents().filter(number=canonical).first()


def notices_with_parents():
    """Decisions with what an appeal asks about them."""
    return Notice.objects.select_related(
        "measurement__scheme",
        "measurement__system_version__system__holder",
        "certificate__measurement__scheme",
        "certificate__measurement__system_version__system__holder",
    )


def with_parents():
    return Appeal.objects.select_related(
        "standing",
        "notice__measurement__scheme",
        "notice__measurement__package",
        "notice__measurement__system_version__system__holder",
        "certificate__measurement__scheme",
        "certificate__measurement__package",
        "certificate__system_version__system__holder",
        "certificate__measurement__system_version__system__holder",
    )
