"""kill -9 of the worker in the middle, and the broker gone for a while: each package is verified, once.

Small inside script/test (a few megabytes, read slowly); `script/rehearse faults` takes 1 GB and a minute.
"""

import time
from pathlib import Path

import pytest

from certificates import pipeline
from certificates.tests import registry
from evidence import intake
from evidence.models import EvidencePackage, PackageState, Verification
from grading.models import Measurement
from registry_site import clock
from registry_site.celery import app
from registry_site.models import Outbox, PublicEvent
from tests.rehearsals import machinery, packages

pytestmark = pytest.mark.django_db(transaction=True)

MEGABYTES = 1024 if machinery.FULL else 6
# How long one reading takes: long enough to be interrupted, short enough to wait for.
READING = 30 if machinery.FULL else 4
LEASE = 15 if machinery.FULL else 6
AWAY = 60 if machinery.FULL else 0
PATIENCE = 600 if machinery.FULL else 60


@pytest.fixture
def folder(tmp_path, settings):
    settings.EVIDENCE_DIR = tmp_path / "evidence"
    settings.EVIDENCE_FREE_SHARE = 0.0
    settings.EVIDENCE_FREE_BYTES = 0
    return tmp_path


@pytest.fixture
def broker(folder):
    own = machinery.Broker(folder)
    own.start()
    before = app.conf.broker_url
    _publish_to(own.url)
    yield own
    own.stop()
    _publish_to(before)


def _publish_to(url: str) -> None:
    """Let this process, which plays the web's part, send to another broker."""
    app.conf.broker_url = url
    app._pool = app.amqp._producer_pool = None


@pytest.fixture
def told(broker, folder):
    return machinery.environment(
        broker_url=broker.url,
        folder=folder,
        EVIDENCE_LEASE_SECONDS=LEASE,
        EVIDENCE_READ_BYTES_PER_SECOND=MEGABYTES * packages.MEGABYTE * 2 // READING,
    )


@pytest.fixture
def evaluator(db):
    registry.scheme()
    return registry.people().evaluator


def a_file(folder: Path, name="package") -> Path:
    return packages.write(folder / f"{name}.zip", megabytes=MEGABYTES)


def hand_in(file: Path, by):
    package = intake.receive(packages.chunks(file), by=by, at=clock.now())
    file.unlink()
    pipeline.wake(package)
    return package


class Watch:
    """Looks at a package's progress as a page does, and holds it against what can be true."""

    def __init__(self, package: EvidencePackage):
        self.package = package
        self.seen: list[tuple[int, int, int]] = []

    def look(self) -> EvidencePackage:
        # What the beat does every ten seconds; here more often, to lose no time.
        if not machinery.FULL:
            pipeline.sweep()
        self.package.refresh_from_db()
        row = self.package
        self.seen.append((row.attempts, row.progress_bytes, row.progress_total))
        return row

    def is_reading(self) -> bool:
        row = self.look()
        middle = row.progress_total // 4 < row.progress_bytes < row.progress_total
        return row.state == PackageState.VERIFYING and middle

    def has_ended(self) -> bool:
        return self.look().state in {PackageState.READY, PackageState.REJECTED, PackageState.FAILED}

    def never_lied(self) -> None:
        """Within an attempt progress only grows, and it never passes the whole."""
        for (attempt, done, _), (next_attempt, next_done, total) in zip(
            self.seen, self.seen[1:], strict=False
        ):
            assert next_attempt >= attempt
            assert next_done <= total
            if next_attempt == attempt:
                assert next_done >= done


def verified_once(package: EvidencePackage) -> None:
    assert package.state == PackageState.READY, (package.state, package.fault, package.failure)
    assert Verification.objects.filter(package=package).count() == 1
    assert Measurement.objects.filter(package=package).count() == 1
    assert Outbox.objects.filter(concerns=f"package:{package.pk}").count() == 1


def test_a_worker_killed_in_the_middle_is_followed_by_another(folder, told, evaluator):
    package = hand_in(a_file(folder), evaluator)
    watch = Watch(package)
    started = time.monotonic()
    with machinery.worker(told, log=folder / "worker.log", beat=machinery.FULL) as first:
        machinery.wait_until(watch.is_reading, seconds=PATIENCE, what="the first worker reads")
        (reader,) = [
            reader for child in machinery.children_of(first.pid) for reader in machinery.children_of(child)
        ]
        machinery.kill(first)
        machinery.wait_until(
            lambda: not machinery.is_alive(reader), seconds=5, what="the reader died with it"
        )
    killed_at = watch.look().progress_bytes
    assert watch.package.state == PackageState.VERIFYING

    with machinery.worker(told, log=folder / "worker.log", beat=machinery.FULL):
        machinery.wait_until(watch.has_ended, seconds=PATIENCE, what="the second worker ends it")
    watch.never_lied()
    verified_once(watch.package)
    assert watch.package.attempts == 2
    assert PublicEvent.objects.filter(type="evidence.verified").count() == 1
    print(
        f"\n{MEGABYTES} MB, killed at {killed_at / packages.MEGABYTE:.1f} MB; ready after "
        f"{time.monotonic() - started:.0f} s with a lease of {LEASE} s, attempts: {watch.package.attempts}"
    )


def test_with_the_broker_away_uploads_succeed_and_what_was_begun_ends(folder, broker, told, evaluator):
    first = hand_in(a_file(folder, "first"), evaluator)
    file = a_file(folder, "second")
    watch = Watch(first)
    with machinery.worker(told, log=folder / "worker.log", beat=machinery.FULL):
        machinery.wait_until(watch.is_reading, seconds=PATIENCE, what="the worker reads")
        broker.stop()
        stopped = time.monotonic()
        second = hand_in(file, evaluator)
        handed_in = time.monotonic() - stopped
        assert second.state == PackageState.RECEIVED
        machinery.wait_until(watch.has_ended, seconds=PATIENCE, what="the first ends without the broker")
        time.sleep(max(0.0, AWAY - (time.monotonic() - stopped)))
        second.refresh_from_db()
        assert second.state == PackageState.RECEIVED

        broker.start()
        back = time.monotonic()
        other = Watch(second)
        machinery.wait_until(other.has_ended, seconds=PATIENCE, what="the second is taken up")
    for one in (watch, other):
        one.never_lied()
        verified_once(one.package)
        assert one.package.attempts == 1
    print(
        f"\nbroker away {back - stopped:.0f} s; {MEGABYTES} MB handed in meanwhile in {handed_in:.1f} s; "
        f"it was ready {time.monotonic() - back:.0f} s after the broker was back"
    )
