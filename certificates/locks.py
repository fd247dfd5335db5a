"""The lock on a measurement: of two who decide on it, or apply for it, at once, one comes first."""

from django.db import connection

from grading.models import Measurement

# The name space of the advisory locks on measurements: any number that nothing else here uses.
MEASUREMENTS = 20_260


def hold_measurement(measurement: Measurement) -> None:
    """Hold it to the end of the transaction. Taken after the locks of certificates."""
    # Written once, so the application may not lock its row: an advisory lock, released with the transaction.
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(%s, %s)", [MEASUREMENTS, measurement.pk % 2**31])
