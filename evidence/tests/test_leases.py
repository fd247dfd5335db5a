"""One attempt at a time: counted before it works, lost when it is silent, and then it writes nothing."""

import threading
from datetime import timedelta

import pytest
from django.db import connection

from evidence import leases
from evidence.models import EvidencePackage, PackageState
from evidence.tests import people
from registry_site import clock


def a_package(**fields):
    now = clock.now()
    return EvidencePackage.objects.create(
        **{
            "submitter": people.an_evaluator(),
            "sha256": "ab" * 32,
            "size": 10,
            "state": PackageState.RECEIVED,
            "created_at": now,
            "received_at": now,
            "deadline_at": now + timedelta(hours=1),
            **fields,
        }
    )


def progress(lease, done=5):
    leases.renew(lease, done=done, total=10, members=1, member="data/items.jsonl")


def silent_for_too_long(package):
    EvidencePackage.objects.filter(pk=package.pk).update(lease_until=clock.now() - timedelta(seconds=1))


def test_an_attempt_is_counted_before_it_works(db):
    package = a_package()
    lease = leases.take(package.pk)
    package.refresh_from_db()
    assert (package.state, package.attempts, lease.attempt) == (PackageState.VERIFYING, 1, 1)
    assert package.lease_until > clock.now()


def test_a_second_copy_of_the_message_finds_someone_at_it(db):
    package = a_package()
    assert leases.take(package.pk) is not None
    assert leases.take(package.pk) is None


def test_who_was_silent_too_long_has_lost_the_package(db):
    package = a_package()
    first = leases.take(package.pk)
    progress(first)
    silent_for_too_long(package)

    second = leases.take(package.pk)
    assert second.attempt == 2
    with pytest.raises(leases.LeaseLost):
        progress(first)
    with pytest.raises(leases.LeaseLost), leases.held(first):
        raise AssertionError("the first attempt still writes")
    leases.give_back(first, reason="late", pause=timedelta(0))
    progress(second, done=7)
    package.refresh_from_db()
    assert (package.progress_bytes, package.lease, package.failure) == (7, second.secret, "")


def test_progress_starts_anew_with_each_attempt(db):
    package = a_package()
    progress(leases.take(package.pk))
    silent_for_too_long(package)
    leases.take(package.pk)
    package.refresh_from_db()
    assert (package.progress_bytes, package.progress_members, package.progress_member) == (0, 0, "")


def test_after_three_attempts_there_is_no_fourth(db):
    package = a_package()
    for _ in range(3):
        assert leases.take(package.pk) is not None
        silent_for_too_long(package)
    assert leases.take(package.pk) is None


@pytest.mark.parametrize("state", ["receiving", "ready", "rejected"])
def test_of_a_package_that_needs_no_work_there_is_no_lease(db, state):
    assert leases.take(a_package(state=state).pk) is None


def test_a_lease_ends_with_the_journey(db):
    package = a_package()
    lease = leases.take(package.pk)
    EvidencePackage.objects.filter(pk=package.pk).update(state=PackageState.REJECTED)
    with pytest.raises(leases.LeaseLost):
        progress(lease)


def test_a_failed_attempt_waits_before_the_next(db):
    package = a_package()
    leases.give_back(
        leases.take(package.pk), reason="MemoryError at records.py:1", pause=timedelta(seconds=30)
    )
    assert not leases.waiting().exists()
    silent_for_too_long(package)
    assert leases.waiting().get() == package


def test_a_message_is_not_sent_again_at_once(db):
    package = a_package()
    assert leases.waiting().get() == package
    leases.announced(package.pk, pause=timedelta(seconds=30))
    assert not leases.waiting().exists()
    assert leases.take(package.pk) is not None  # but whoever has the message may begin


@pytest.mark.django_db(transaction=True)
def test_of_eight_workers_at_once_one_begins():
    package = a_package()
    start, taken = threading.Barrier(8), []

    def work():
        start.wait(10)
        taken.append(leases.take(package.pk))
        connection.close()

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert len([lease for lease in taken if lease]) == 1
    package.refresh_from_db()
    assert package.attempts == 1
