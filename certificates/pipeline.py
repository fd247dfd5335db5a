"""The journey of an evidence package, on one screen:

    receiving → received → verifying → recomputing → ready | rejected | failed

`advance(id)` is the whole of it, run by a worker; it may be called at any time, any number of times at once.
`wake(package)` sends for a worker after an upload; `sweep()` sends again for what lost its message or its
worker, and ends what is overdue. The row is the truth; a message only carries its id.
"""

import logging
from base64 import b64encode
from datetime import datetime, timedelta
from typing import Any

from celery import current_app
from django.db import transaction
from django.utils.translation import gettext_lazy as _

from certificates import applications, publishing
from evidence import intake, leases, run_package, verification
from evidence.leases import Lease, LeaseLost
from evidence.models import EvidencePackage, Fault, PackageState, Participation
from evidence.models.package import ParticipationKind
from grading import comparing, recomputation
from grading.models import Scheme
from registry_site import audit, clock, outbox, roles
from registry_site.models import User
from registry_site.problems import NotAllowed, Refusal
from registry_site.roles import Role

log = logging.getLogger(__name__)

READER = "grading.reading"
ADVANCE = "certificates.tasks.advance_package"
# A failed attempt is tried again after this, and a message that was sent is not sent again before it is over.
PAUSE = timedelta(seconds=15)
PATIENCE = timedelta(seconds=60)


class NotRestartable(Refusal):
    code = "package_not_restartable"
    title = _("Only a package that failed by the registry's fault is started anew.")


# ── the journey ──────────────────────────────────────────────────────────────
def advance(package_id: int) -> None:
    """Verify, recompute, and leave the package ready or rejected. Idempotent; stops when overtaken."""
    lease = leases.take(package_id)
    if lease is None:
        return
    try:
        checked = verification.verify(lease, module=READER, job={"schemes": _published()})
        if not checked.is_intact:
            _end(lease, PackageState.REJECTED, problems=checked.verification.findings_total)
            return
        with leases.held(lease) as package:
            package.state = PackageState.RECOMPUTING
            package.save(update_fields=["state"])
        _measure(lease, checked)
    except LeaseLost:
        log.info("package %s: another attempt goes on", package_id)
    except Exception as error:
        # Whatever it was: the row must not hang, and three of them end the journey.
        _failed_attempt(lease, error)


def _measure(lease: Lease, checked: verification.Checked) -> None:
    """Freeze the figures and be ready, in one transaction."""
    with leases.held(lease) as package:
        named = checked.verification.descriptor["scheme"]
        at = clock.now()
        measurement = recomputation.recompute(
            package,
            verification=checked.verification,
            scheme=Scheme.objects.get(code=named["code"], version=named["version"]),
            figures=checked.figures,
            at=at,
        )
        # Nobody picks: the pages of the system's certificates list every measurement, from now on this one too.
        publishing.let_system_go_stale(measurement.system_version.system_id, at=at)
        # What a change of the system did is known as soon as it was measured on the same questions.
        comparing.request_with_earlier(measurement, at=at)
        applications.invite(measurement, at=at)
        _end(lease, PackageState.READY)


def _end(lease: Lease, state: PackageState, *, problems: int = 0) -> None:
    with leases.held(lease) as package:
        _finish(package, state, at=clock.now(), problems=problems)


def _failed_attempt(lease: Lease, error: Exception) -> None:
    reason = getattr(error, "reason", None) or type(error).__name__
    # Without the traceback where content may be quoted; the reader has told code and place.
    log.error(
        "package %s, attempt %s of %s: %s", lease.package_id, lease.attempt, leases.MOST_ATTEMPTS, reason
    )
    try:
        if lease.attempt < leases.MOST_ATTEMPTS:
            leases.give_back(lease, reason=reason, pause=PAUSE * lease.attempt)
            return
        with leases.held(lease) as package:
            _finish(package, PackageState.FAILED, at=clock.now(), fault=Fault.SYSTEM, failure=reason)
    except LeaseLost:
        return


def _finish(
    package: EvidencePackage,
    state: PackageState,
    *,
    at: datetime,
    fault: Fault | str = "",
    failure: str = "",
    problems: int = 0,
) -> None:
    """The end of a journey, told to whoever handed it in; in the caller's transaction, under its lock."""
    package.state = state
    package.fault = fault
    package.failure = failure[:60]
    package.lease = None
    package.lease_until = None
    package.finished_at = at
    package.progress_member = ""
    package.save()
    # What the registry wrote of a run itself is no news to its operator, and its faults are the staff's to mend.
    if fault != Fault.SUBMITTER and not run_package.is_of_a_run(package):
        outbox.queue(
            "package_outcome",
            to=package.submitter.email,
            language=package.submitter.language,
            at=at,
            concerns=f"package:{package.pk}",
            path=f"/staff/packages/{package.pk}/",
            outcome=str(state),
            problems=problems,
            sha256=package.sha256,
        )


def _published() -> list[list[str]]:
    """What the reader is told of every published scheme: code, version, file."""
    return [
        [scheme.code, scheme.version, b64encode(scheme.file).decode()]
        for scheme in Scheme.objects.order_by("code", "version")
    ]


# ── sending for a worker ─────────────────────────────────────────────────────
def wake(package: EvidencePackage) -> None:
    """After commit, send for a worker. Never raises: with the broker down the sweep sends later."""
    if package.state in leases.ACTIVE:
        transaction.on_commit(lambda: _send(package.pk))


def _send(package_id: int) -> bool:
    try:
        current_app.send_task(ADVANCE, [package_id])
    except Exception as error:
        # kombu and redis raise many kinds; none of them may undo or refuse an upload that has been stored.
        log.warning(
            "package %s: the broker is not to be had (%s); the sweep will send",
            package_id,
            type(error).__name__,
        )
        return False
    return True


def sweep(*, limit: int = 200) -> dict[str, int]:
    """End what is overdue or has used its attempts; send for a worker where none is at it."""
    done = {"overdue": 0, "woken": 0}
    now = clock.now()
    unfinished = [PackageState.RECEIVING, *leases.ACTIVE]
    overdue = EvidencePackage.objects.filter(state__in=unfinished, deadline_at__lte=now).values_list(
        "pk", flat=True
    )
    spent = leases.waiting().filter(attempts__gte=leases.MOST_ATTEMPTS).values_list("pk", flat=True)
    for package_id in {*overdue[:limit], *spent[:limit]}:
        done["overdue"] += _give_up(package_id, unfinished)
    for package_id in leases.waiting().order_by("id").values_list("pk", flat=True)[:limit]:
        if not _send(package_id):
            break
        leases.announced(package_id, pause=PATIENCE)
        done["woken"] += 1
    return done


@transaction.atomic
def _give_up(package_id: int, unfinished: list[PackageState]) -> bool:
    package = (
        EvidencePackage.objects.select_for_update(skip_locked=True)
        .filter(pk=package_id, state__in=unfinished)
        .first()
    )
    if package is None:
        return False
    at = clock.now()
    if package.state == PackageState.RECEIVING:
        if package.deadline_at > at:
            return False
        _finish(package, PackageState.FAILED, at=at, fault=Fault.SUBMITTER, failure="upload_unfinished")
    elif package.deadline_at <= at:
        _finish(package, PackageState.FAILED, at=at, fault=Fault.SYSTEM, failure="overdue")
    elif package.attempts >= leases.MOST_ATTEMPTS and (
        package.lease_until is None or package.lease_until <= at
    ):
        _finish(
            package, PackageState.FAILED, at=at, fault=Fault.SYSTEM, failure=package.failure or "worker_lost"
        )
    else:
        return False
    return True


# ── once more ────────────────────────────────────────────────────────────────
def refusal_to_restart(user: Any, package: EvidencePackage) -> str | None:
    """Why `user` may not start a package anew, or None. Who does so takes part in it: no certifier."""
    if package.state != PackageState.FAILED or package.fault != Fault.SYSTEM:
        return NotRestartable.title
    if roles.holds(user, Role.EVALUATOR) or roles.holds(user, Role.REGISTRAR):
        return None
    return _("An evaluator or the registrar starts a verification anew.")


@transaction.atomic
def restart(package: EvidencePackage, *, by: User, at: datetime) -> EvidencePackage:
    """Start a package anew that failed by our fault, with three attempts and a new deadline."""
    package = EvidencePackage.objects.select_for_update().get(pk=package.pk)
    if reason := refusal_to_restart(by, package):
        raise NotRestartable if reason is NotRestartable.title else NotAllowed(reason)
    package.state = PackageState.RECEIVED
    package.fault = package.failure = ""
    package.attempts = 0
    package.lease = package.lease_until = package.finished_at = None
    package.deadline_at = at + intake.TIME_TO_ANSWER
    package.save()
    Participation.objects.create(package=package, person=by.person, kind=ParticipationKind.RESTARTED, at=at)
    audit.record("package.restarted", by=by.person, at=at, subject=f"package:{package.pk}")
    wake(package)
    return package
