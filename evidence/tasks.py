"""The worker's door to the evidence folder."""

from celery import shared_task

from evidence import collecting


@shared_task
def collect_storage() -> int:
    return collecting.collect()
