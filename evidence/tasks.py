"""The worker's doors: what is cleared away, and what a holder's people and address, and operators, wait for."""

from celery import shared_task

from evidence import collecting, contacts, memberships, operators
from registry_site import clock, idempotency


@shared_task
def collect_storage() -> int:
    idempotency.forget_old(at=clock.now())
    return collecting.collect()


@shared_task
def sweep_holders() -> dict[str, int]:
    now = clock.now()
    return {"contacts": contacts.apply_due(at=now), "members": memberships.take_up_accepted(at=now)}


@shared_task
def sweep_operators() -> int:
    return operators.take_up_accepted(at=clock.now())
