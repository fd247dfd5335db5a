"""Compares two measurements, each pair once: refuses, or has a worker read both packages and freezes what differs.

The only writer of comparisons and of the requests for them. Of a pair the measurement that was frozen earlier is the
first, whoever asks. The request's row is the truth; a message only carries its id, and `sweep` sends again for what
lost its message or its worker.
"""

import hashlib
import logging
import uuid
from base64 import b64encode
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from http import HTTPStatus
from typing import Any

import rfc8785
from celery import current_app
from django.conf import settings
from django.db import transaction
from django.db.models import Q, QuerySet
from django.utils.translation import gettext_lazy as _

from evidence import families, isolation, leases, storage, verification
from evidence.leases import LeaseLost
from grading import comparison, differing
from grading.comparison import Terms
from grading.models import Comparison, ComparisonRequest, Measurement, RequestOrigin, RequestState
from registry_site import audit, clock, roles
from registry_site.models import User
from registry_site.problems import NotAllowed, Refusal
from registry_site.roles import Role

log = logging.getLogger(__name__)

READER = "grading.pair_reading"
COMPARE = "grading.tasks.compare_measurements"
UNFINISHED = (RequestState.REQUESTED, RequestState.COMPUTING)
# Three attempts at two of the largest archives fit into this.
TIME_TO_ANSWER = timedelta(hours=12)
# A failed attempt is tried again after this, and a message that was sent is not sent again before it is over.
PAUSE = timedelta(seconds=15)
PATIENCE = timedelta(seconds=60)
# The failure of a request whose evidence is there no more.
WITHHELD = "evidence_withheld"
# Of what anybody may ask for, so many wait at most: the registry's own come through whoever else is in the queue.
MOST_WAITING = 20


class SameMeasurement(Refusal):
    code = "same_measurement"
    status = HTTPStatus.BAD_REQUEST
    title = _("A measurement is compared with another one, not with itself")


class NotComparable(Refusal):
    """Something differs that has to be the same; `differences` names each field, with both values and what to do."""

    code = "not_comparable"
    status = HTTPStatus.CONFLICT
    title = _("These two measurements cannot be compared")

    def __init__(self, differences: list[dict[str, Any]]):
        super().__init__(
            _("Something differs that has to be the same: see «differences»."), differences=differences
        )


class TooManyWaiting(Refusal):
    code = "too_many_comparisons"
    status = HTTPStatus.SERVICE_UNAVAILABLE
    title = _("Too many comparisons are waiting. Ask again in a minute.")


class NotRestartable(Refusal):
    code = "comparison_not_restartable"
    title = _("Only a comparison that failed is started anew.")


# ── which pairs ──────────────────────────────────────────────────────────────
def pair(one: Measurement, other: Measurement) -> tuple[Measurement, Measurement]:
    """The two in the order in which every pair stands: the one that was frozen earlier first."""
    if one.pk == other.pk:
        raise SameMeasurement
    return (one, other) if one.pk < other.pk else (other, one)


def terms(of: Measurement) -> Terms:
    """All that has to be the same, from the frozen row alone."""
    return Terms(
        method=of.method,
        scheme=f"{of.scheme.code} {of.scheme.version}",
        scheme_sha256=of.scheme.sha256,
        judges=tuple(
            (
                families.family(judge["family"]),
                judge["version"],
                "human" if judge.get("kind") == "human" else "model",
            )
            for judge in of.descriptor.get("judges") or ()
        ),
        files=of.result.get("files") or {},
    )


def differences(first: Measurement, second: Measurement) -> list[dict[str, Any]]:
    """Every field that differs and has to be the same; no package is read for it. Sets are not among them."""
    return comparison.differences(terms(first), terms(second))


def comparable_with(of: Measurement, among: QuerySet[Measurement], *, limit: int) -> list[Measurement]:
    """Measurements of `among` that may be compared with this one: those on the same set, the newest first."""
    near = (
        among.filter(method=of.method, scheme=of.scheme_id, set_sha256=of.set_sha256)
        .exclude(pk=of.pk)
        .select_related("scheme", "package", "system_version__system__holder")
        .order_by("-pk")
    )
    return [other for other in near[:limit] if not differences(of, other)]


def found(one: Measurement, other: Measurement) -> Comparison | None:
    """The frozen comparison of two measurements, in whichever order they are named."""
    first, second = pair(one, other)
    return Comparison.objects.filter(first=first, second=second).first()


def asked(one: Measurement, other: Measurement) -> ComparisonRequest | None:
    first, second = pair(one, other)
    return ComparisonRequest.objects.filter(first=first, second=second).first()


# ── asking ───────────────────────────────────────────────────────────────────
def request(
    one: Measurement, other: Measurement, *, origin: RequestOrigin, at: datetime
) -> ComparisonRequest:
    """Ask for the comparison of a pair: the request that exists, or a new one. Each pair is asked for once, for ever.

    Raises SameMeasurement, NotComparable, TooManyWaiting.
    """
    first, second = pair(one, other)
    known = ComparisonRequest.objects.filter(first=first, second=second).first()
    if known is not None:
        return known
    if differ := differences(first, second):
        raise NotComparable(differing.told(differ))
    if origin == RequestOrigin.ANYBODY and _waiting_of_anybody() >= MOST_WAITING:
        raise TooManyWaiting
    with transaction.atomic():
        # Of two who ask at once one row stays, by constraint, and both are answered with it.
        row, made = ComparisonRequest.objects.get_or_create(
            first=first,
            second=second,
            defaults={
                "origin": origin,
                "requested_at": at,
                "deadline_at": at + TIME_TO_ANSWER,
                "progress_total": sum(of.package.size or 0 for of in (first, second)),
            },
        )
        if made:
            transaction.on_commit(lambda: _send(row.pk))
    return row


def request_with_earlier(measurement: Measurement, *, at: datetime) -> ComparisonRequest | None:
    """Ask what a change did: with the system's last measurement before this one, of the same set and scheme."""
    earlier = (
        Measurement.objects.filter(
            system_version__system=measurement.system_version.system_id,
            scheme=measurement.scheme_id,
            set_sha256=measurement.set_sha256,
            pk__lt=measurement.pk,
        )
        .select_related("scheme", "package")
        .order_by("-pk")
        .first()
    )
    if earlier is None or differences(earlier, measurement):
        return None
    return request(earlier, measurement, origin=RequestOrigin.PIPELINE, at=at)


def _waiting_of_anybody() -> int:
    waiting = ComparisonRequest.objects.filter(origin=RequestOrigin.ANYBODY, state__in=UNFINISHED)
    return waiting.order_by()[: MOST_WAITING + 1].count()


def refusal_to_restart(user: Any, row: ComparisonRequest) -> str | None:
    """Why `user` may not start a comparison anew, or None."""
    if row.state != RequestState.FAILED:
        return NotRestartable.title
    if roles.holds(user, Role.EVALUATOR) or roles.holds(user, Role.REGISTRAR):
        return None
    return _("An evaluator or the registrar starts a comparison anew.")


@transaction.atomic
def restart(row: ComparisonRequest, *, by: User, at: datetime) -> ComparisonRequest:
    """Start a comparison anew that failed, with three attempts and a new deadline."""
    row = ComparisonRequest.objects.select_for_update().get(pk=row.pk)
    if reason := refusal_to_restart(by, row):
        raise NotRestartable if reason is NotRestartable.title else NotAllowed(reason)
    row.state = RequestState.REQUESTED
    row.failure = ""
    row.attempts = row.progress_bytes = 0
    row.lease = row.lease_until = row.finished_at = None
    row.deadline_at = at + TIME_TO_ANSWER
    row.save()
    audit.record("comparison.restarted", by=by.person, at=at, subject=f"comparison_request:{row.pk}")
    transaction.on_commit(lambda: _send(row.pk))
    return row


# ── computing ────────────────────────────────────────────────────────────────
@dataclass(frozen=True)
class Lease:
    """The right of one attempt to write about one request."""

    request_id: int
    secret: uuid.UUID
    attempt: int

    @property
    def row(self) -> QuerySet[ComparisonRequest]:
        return ComparisonRequest.objects.filter(
            pk=self.request_id, lease=self.secret, state=RequestState.COMPUTING
        )


def compute(request_id: int) -> None:
    """Compare the two packages of a request and freeze what differs. Idempotent; stops when overtaken."""
    lease = _take(request_id)
    if lease is None:
        return
    try:
        row = ComparisonRequest.objects.select_related(
            "first__scheme", "first__package", "second__scheme", "second__package"
        ).get(pk=request_id)
        _freeze(lease, _checked(row, _read(row, lease)))
    except LeaseLost:
        log.info("comparison %s: another attempt goes on", request_id)
    except Exception as error:
        # Whatever it was: the row must not hang, and three of them end it.
        _failed_attempt(lease, error)


@transaction.atomic
def _take(request_id: int) -> Lease | None:
    """Begin an attempt, counted before any work starts; None when there is nothing to do or someone is at it."""
    row = (
        ComparisonRequest.objects.select_for_update(skip_locked=True)
        .filter(pk=request_id, state__in=UNFINISHED)
        .first()
    )
    now = clock.now()
    if row is None or row.attempts >= leases.MOST_ATTEMPTS or (row.lease and row.lease_until > now):
        return None
    row.lease = uuid.uuid4()
    row.lease_until = now + leases.length()
    row.attempts += 1
    row.state = RequestState.COMPUTING
    row.progress_bytes = 0
    row.save()
    return Lease(row.pk, row.lease, row.attempts)


def _read(row: ComparisonRequest, lease: Lease) -> dict[str, Any]:
    """Run the reader of two packages, passing its progress on to the row, which renews the lease."""
    packages = row.first.package, row.second.package
    sizes = [of.progress_total or of.size for of in packages]
    limits = isolation.Limits.for_size(
        sum(of.size for of in packages), memory=settings.EVIDENCE_READER_MEMORY
    )
    job = {
        "scheme": b64encode(row.first.scheme.file).decode(),
        "bytes_per_second": settings.EVIDENCE_READ_BYTES_PER_SECOND,
    }
    store = storage.current()
    with store.open(packages[0].sha256) as first, store.open(packages[1].sha256) as second:
        answers = isolation.run(
            READER,
            job=job,
            source=first,
            beside=[second],
            limits=limits,
            silence=leases.length().total_seconds(),
        )
        try:
            for answer in answers:
                if "outcome" in answer:
                    return answer["outcome"]
                now = answer["progress"]
                sizes[now["side"]] = now["total"]
                _renew(lease, done=sum(sizes[: now["side"]]) + now["done"], total=sum(sizes))
        finally:
            answers.close()
    raise isolation.ReadingFailed("no outcome")


def _checked(row: ComparisonRequest, outcome: dict[str, Any]) -> dict[str, Any]:
    """The result to freeze, when what was read is what was frozen: the same bytes, set, judges and files."""
    for measurement, side in zip((row.first, row.second), outcome["sides"], strict=True):
        if side["sha256"] != measurement.package.sha256:
            raise isolation.ReadingFailed("stored bytes changed")
        read = Terms(
            method=side["method"],
            scheme=side["scheme"],
            scheme_sha256=side["scheme_sha256"],
            judges=tuple(tuple(judge) for judge in side["judges"]),
            files=side["files"],
        )
        if side["set_sha256"] != measurement.set_sha256 or comparison.differences(terms(measurement), read):
            # A versioned file has changed since: these answers would not be those of the frozen figures.
            raise isolation.ReadingFailed("not what was frozen")
    if "differences" in outcome:
        return {"not_comparable": outcome["differences"]}
    return outcome["result"]


def _freeze(lease: Lease, result: dict[str, Any]) -> None:
    with _held(lease) as row:
        at = clock.now()
        if not Comparison.objects.filter(first=row.first_id, second=row.second_id).exists():
            Comparison.objects.create(
                first_id=row.first_id,
                second_id=row.second_id,
                verifier_version=verification.VERIFIER_VERSION,
                result=result,
                sha256=digest_of(result),
                at=at,
            )
        row.progress_bytes = row.progress_total
        _finish(row, RequestState.DONE, at=at)


def digest_of(result: dict[str, Any]) -> str:
    """SHA-256 of the RFC 8785 form of a result."""
    return hashlib.sha256(rfc8785.dumps(result)).hexdigest()


def _renew(lease: Lease, *, done: int, total: int) -> None:
    if not lease.row.update(
        lease_until=clock.now() + leases.length(), progress_bytes=done, progress_total=total
    ):
        raise LeaseLost


@contextmanager
def _held(lease: Lease) -> Iterator[ComparisonRequest]:
    """A transaction in which nobody else can take the request over; yields its row. Raises LeaseLost."""
    with transaction.atomic():
        row = lease.row.select_for_update().first()
        if row is None:
            raise LeaseLost
        yield row


def _failed_attempt(lease: Lease, error: Exception) -> None:
    reason = getattr(error, "reason", None) or type(error).__name__
    # Without the traceback where content may be quoted; the reader has told code and place.
    log.error(
        "comparison %s, attempt %s of %s: %s", lease.request_id, lease.attempt, leases.MOST_ATTEMPTS, reason
    )
    try:
        with _held(lease) as row:
            at = clock.now()
            if isinstance(error, storage.NoSuchFile):
                # Withheld: the bytes do not come back however often they are asked for.
                _finish(row, RequestState.FAILED, at=at, failure=WITHHELD)
            elif lease.attempt < leases.MOST_ATTEMPTS:
                row.lease = None
                row.lease_until = at + PAUSE * lease.attempt
                row.failure = reason[:60]
                row.save()
            else:
                _finish(row, RequestState.FAILED, at=at, failure=reason)
    except LeaseLost:
        return


def _finish(row: ComparisonRequest, state: RequestState, *, at: datetime, failure: str = "") -> None:
    row.state = state
    row.failure = failure[:60]
    row.lease = row.lease_until = None
    row.finished_at = at
    row.save()


# ── sending for a worker ─────────────────────────────────────────────────────
def _send(request_id: int) -> bool:
    try:
        current_app.send_task(COMPARE, [request_id])
    except Exception as error:
        # kombu and redis raise many kinds; none of them may refuse what the row already holds.
        log.warning(
            "comparison %s: the broker is not to be had (%s); the sweep will send",
            request_id,
            type(error).__name__,
        )
        return False
    return True


def _waiting(now: datetime) -> QuerySet[ComparisonRequest]:
    """Requests that nobody works on and that no message is known to be on its way for."""
    return ComparisonRequest.objects.filter(
        Q(lease_until=None) | Q(lease_until__lte=now), state__in=UNFINISHED
    )


def sweep(*, limit: int = 200) -> dict[str, int]:
    """End what is overdue or has used its attempts; send for a worker where none is at it."""
    done = {"overdue": 0, "woken": 0}
    now = clock.now()
    spent = Q(pk__in=_waiting(now).filter(attempts__gte=leases.MOST_ATTEMPTS).values("pk"))
    over = ComparisonRequest.objects.filter(spent | Q(deadline_at__lte=now), state__in=UNFINISHED)
    for request_id in over.values_list("pk", flat=True)[:limit]:
        done["overdue"] += _give_up(request_id)
    for request_id in _waiting(now).order_by("id").values_list("pk", flat=True)[:limit]:
        if not _send(request_id):
            break
        _waiting(clock.now()).filter(pk=request_id).update(lease=None, lease_until=clock.now() + PATIENCE)
        done["woken"] += 1
    return done


@transaction.atomic
def _give_up(request_id: int) -> bool:
    at = clock.now()
    row = (
        ComparisonRequest.objects.select_for_update(skip_locked=True)
        .filter(pk=request_id, state__in=UNFINISHED)
        .first()
    )
    if row is None:
        return False
    if row.deadline_at <= at:
        _finish(row, RequestState.FAILED, at=at, failure="overdue")
    elif row.attempts >= leases.MOST_ATTEMPTS and (row.lease_until is None or row.lease_until <= at):
        _finish(row, RequestState.FAILED, at=at, failure=row.failure or "worker_lost")
    else:
        return False
    return True
