"""The database clock: doors and tasks read it once and pass the instant on."""

from datetime import UTC, datetime

from django.db import connection


def now() -> datetime:
    """The present instant (UTC, microseconds) by the clock that orders all events.

    `clock_timestamp()`, not `now()`: a decision that waited for a lock is dated when it was taken.
    """
    with connection.cursor() as cursor:
        cursor.execute("SELECT clock_timestamp()")
        return cursor.fetchone()[0].astimezone(UTC)
