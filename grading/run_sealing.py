"""How far the series of a run has come, and the rubric that the run is marked by. Reads only."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta

from evidence.models import Run, Series, SeriesEvent
from evidence.models.test_case import SeriesStep
from grading import rubric_language, sealing
from grading.models import Rubric
from grading.sealing import State, Step


@dataclass(frozen=True, slots=True)
class SeriesStanding:
    """A series as it is now. It ends when it is closed, or when its rubric leaks."""

    state: State | None
    ended_at: datetime | None
    exposed_at: datetime | None

    @property
    def is_exposed(self) -> bool:
        return self.exposed_at is not None


def standing_of(series: Series, *, at: datetime | None = None) -> SeriesStanding:
    """As it is, or was at `at`. One query, none where the events were read with it."""
    events = [event for event in series.events.all() if at is None or event.at <= at]
    when = {event.step: event.at for event in events}
    leaked = when.get(SeriesStep.LEAK)
    return SeriesStanding(
        state=_state(events),
        ended_at=when.get(SeriesStep.CLOSE) or leaked,
        exposed_at=when.get(SeriesStep.REVEAL) or leaked,
    )


def _state(events: Iterable[SeriesEvent]) -> State | None:
    return sealing.state_of(Step(event.step) for event in sorted(events, key=lambda event: event.pk))


def publishable_from(series: Series, *, review_until: datetime) -> datetime:
    """When a result may be public at the earliest: the review is over and the delay after the series has passed.

    Of a series that is still open by its last moment: it can only be earlier if it is closed before.
    """
    ended = standing_of(series).ended_at or series.closes_at
    return max(review_until, ended + timedelta(days=series.publication_delay))


def rubric_of(run: Run) -> Rubric:
    """The sealed row; whoever shows anything of it asks `standing_of` first."""
    return Rubric.objects.get(case=run.variant.case_id, version=run.series.rubric_version)


def rules_of(run: Run) -> rubric_language.Rubric:
    """The rubric of a run, read. Of the catalogue it counts what the rubric names."""
    return rubric_language.load(bytes(rubric_of(run).document))
