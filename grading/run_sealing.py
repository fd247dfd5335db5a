"""How far the series of a run has come, as far as a result depends on it. Reads only."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from evidence import series_events
from evidence.models import Series
from evidence.models.test_case import SeriesStep


@dataclass(frozen=True, slots=True)
class SeriesStanding:
    """A series ends when it is closed, or when its rubric leaks; exposed is a rubric that was revealed or leaked."""

    ended_at: datetime | None
    exposed_at: datetime | None

    @property
    def is_exposed(self) -> bool:
        return self.exposed_at is not None


def standing_of(series: Series, *, at: datetime | None = None) -> SeriesStanding:
    """As it is, or was at `at`. One query, none where the events were read with it."""
    when = {step: event.at for step, event in series_events.of(series, at=at).items()}
    leaked = when.get(SeriesStep.LEAK)
    return SeriesStanding(
        ended_at=when.get(SeriesStep.CLOSE) or leaked,
        exposed_at=when.get(SeriesStep.REVEAL) or leaked,
    )


def publishable_from(series: Series, *, review_until: datetime) -> datetime:
    """When a result may be public at the earliest: the review is over and the delay after the series has passed.

    Of a series that is still open by its last moment: it can only be earlier if it is closed before.
    """
    ended = standing_of(series).ended_at or series.closes_at
    return max(review_until, ended + timedelta(days=series.publication_delay))
