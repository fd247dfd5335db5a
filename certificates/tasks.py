"""The worker's doors: each asks one writer, and may run at any time, twice, or several at once."""

from celery import shared_task

from certificates import (
    appeals,
    collecting,
    deadlines,
    letters,
    lifecycle,
    pipeline,
    reports,
    run_journey,
    run_publication,
)
from registry_site import clock, mail_erasure, outbox


@shared_task
def advance_package(package_id: int) -> None:
    pipeline.advance(package_id)


@shared_task
def sweep_packages() -> dict[str, int]:
    return pipeline.sweep()


@shared_task
def hand_in_run(run_id: int) -> None:
    run_journey.hand_in(run_id)


@shared_task
def sweep_runs() -> dict[str, int]:
    return run_journey.sweep()


@shared_task
def sweep_certificates() -> dict[str, int]:
    return lifecycle.sweep(at=clock.now())


@shared_task
def sweep_appeals() -> int:
    return appeals.sweep(at=clock.now())


@shared_task
def sweep_deadlines() -> dict[str, int]:
    return deadlines.sweep(at=clock.now())


@shared_task
def sweep_reports() -> dict[str, int]:
    return reports.sweep(at=clock.now())


@shared_task
def sweep_marks() -> dict[str, int]:
    return run_publication.sweep()


@shared_task
def send_outbox() -> int:
    return outbox.send_due(compose=letters.compose)


@shared_task
def erase_mail() -> int:
    return mail_erasure.forget_old(at=clock.now())


@shared_task
def collect_attachments() -> int:
    return collecting.collect()
