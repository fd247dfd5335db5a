"""The worker's doors to comparisons: each asks the one writer, and may run at any time, twice, or several at once."""

from celery import shared_task

from grading import comparing, series
from registry_site import clock


@shared_task
def compare_measurements(request_id: int) -> None:
    comparing.compute(request_id)


@shared_task
def sweep_comparisons() -> dict[str, int]:
    return comparing.sweep()


@shared_task
def sweep_series() -> int:
    return series.close_due(at=clock.now())
