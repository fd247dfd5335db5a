"""What happened to a series of runs and to its sealed rubric, and the only writer of it: sealed, opened, closed,
revealed, leaked, each a dated public event.

It stands here and not beside the rubric, so that registering a run can ask whether its series takes it, and open it
with its first run, in one transaction. Which step may follow which is asked in grading.
"""

from collections.abc import Iterable
from datetime import date, datetime
from typing import Any

from django.db import connection
from django.utils.translation import gettext_lazy as _

from evidence.models import Series, SeriesEvent
from evidence.models.test_case import SeriesStep
from registry_site import audit, public_events
from registry_site.models import Person
from registry_site.problems import Refusal

# What a series is after a step; its events are in order of time, and none follows a reveal or a leak.
STATES = {
    SeriesStep.SEAL: "sealed",
    SeriesStep.USE: "open",
    SeriesStep.CLOSE: "closed",
    SeriesStep.REVEAL: "revealed",
    SeriesStep.LEAK: "leaked",
}
_WORDS = {
    SeriesStep.SEAL: "rubric.sealed",
    SeriesStep.USE: "rubric.opened",
    SeriesStep.CLOSE: "rubric.closed",
    SeriesStep.REVEAL: "rubric.revealed",
    SeriesStep.LEAK: "rubric.leaked",
}


class SeriesClosed(Refusal):
    """No run begins any more: the series was closed, or its last day is over."""

    code = "series_closed"
    title = _("This series takes no more runs")


class SeriesExposed(Refusal):
    """The rubric is public or leaked: whoever runs now may know it."""

    code = "series_exposed"
    title = _("The rubric of this series is known: only a technical run may begin")


def lock(series: Series) -> None:
    """One at a time for each series, until the end of the transaction: its first run and a reveal do not cross."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(hashtextextended(%s, 7))", [f"series:{series.pk}"])


def of(series: Series, *, at: datetime | None = None) -> dict[str, SeriesEvent]:
    """The events of a series by their step, in order, as they are or were at `at`. No query where they were read."""
    events = sorted(series.events.all(), key=lambda event: event.pk)
    return {event.step: event for event in events if at is None or event.at <= at}


def state(series: Series, *, at: datetime | None = None) -> str:
    """sealed, open, closed, revealed or leaked."""
    return state_after(of(series, at=at))


def state_after(steps: Iterable[str]) -> str:
    """The state after these steps, in their order; empty before the first."""
    found = ""
    for step in steps:
        found = STATES[SeriesStep(step)]
    return found


def refusal_to_register(series: Series, *, at: datetime) -> Refusal | None:
    """Why no autonomous run of this series may begin at `at`, or None."""
    present = state(series)
    if present in ("revealed", "leaked"):
        return SeriesExposed(state=present)
    if present not in ("sealed", "open") or at >= series.closes_at:
        return SeriesClosed(state=present)
    return None


def taking_runs(*, at: datetime) -> list[Series]:
    """The series in which an autonomous run may begin at `at`, by their codes."""
    rows = Series.objects.filter(closes_at__gt=at).select_related("variant__case").prefetch_related("events")
    return [series for series in rows.order_by("code") if refusal_to_register(series, at=at) is None]


def opened(series: Series, *, at: datetime) -> SeriesEvent:
    """The series is in use from its first run on; in the transaction that registers the run. Twice is once."""
    event = SeriesEvent.objects.filter(series=series, step=SeriesStep.USE).first()
    return event or append(series, SeriesStep.USE, by=None, at=at, fixed={})


def append(
    series: Series,
    step: SeriesStep,
    *,
    by: Person | None,
    at: datetime,
    fixed: dict[str, Any],
    statement: dict[str, str] | None = None,
    occurred_on: date | None = None,
) -> SeriesEvent:
    """Write one event with its public twin: `fixed` is what it fixes beside the commitment. The caller has the lock
    and asked whether the step is allowed."""
    public = public_events.append(
        _WORDS[step],
        subject=f"series:{series.code}",
        at=at,
        document={
            "v": 1,
            "series": series.code,
            "commitment": series.commitment,
            **fixed,
            **({"statement": statement} if statement else {}),
            **({"occurred_on": occurred_on.isoformat()} if occurred_on else {}),
        },
    )
    if by is not None:
        audit.record(_WORDS[step], by=by, at=at, subject=f"series:{series.code}")
    told = statement or {"es": "", "en": ""}
    return SeriesEvent.objects.create(
        series=series,
        step=step,
        at=at,
        by=by,
        statement_es=told["es"],
        statement_en=told["en"],
        occurred_on=occurred_on,
        public_event=public,
    )
