"""Handing in evidence: once is enough, a cut is not the end, and what has no room leaves no trace."""

import errno
import hashlib
import os
import threading
from datetime import timedelta

import pytest
from django.db import connection

from evidence import intake, storage, verification
from evidence.models import EvidencePackage, PackageState, Participation, Verification
from evidence.tests import people
from registry_site import clock
from registry_site.problems import NotAllowed

DATA = b"PK\x03\x04" + bytes(range(256)) * 64
SHA256 = hashlib.sha256(DATA).hexdigest()


def hand_in(by, data=DATA, **said):
    return intake.receive(
        [data[i : i + 1000] for i in range(0, len(data), 1000)], by=by, at=clock.now(), **said
    )


def files_of(folder):
    return sorted(path.name for path in folder.rglob("*") if path.is_file())


@pytest.fixture
def evaluator(db):
    return people.an_evaluator()


def test_what_is_handed_in_is_stored_under_its_sha256(evaluator, evidence_folder):
    package = hand_in(evaluator, filename="C:\\carpeta\\paquete\u202e.zip", declared_sha256=SHA256.upper())

    assert package.state == PackageState.RECEIVED
    assert (package.sha256, package.size, package.declared_sha256) == (SHA256, len(DATA), SHA256)
    assert package.filename == "paquete.zip"
    assert package.deadline_at > package.received_at
    assert files_of(evidence_folder) == [SHA256]
    taken_part = Participation.objects.get(package=package)
    assert (taken_part.person, taken_part.kind) == (evaluator.person, "submitted")


def test_the_same_bytes_again_are_the_same_package(evaluator, evidence_folder):
    first = hand_in(evaluator)
    again = hand_in(evaluator, filename="otro-nombre.zip")
    assert again == first
    assert EvidencePackage.objects.count() == 1
    assert files_of(evidence_folder) == [SHA256]


def test_another_submitter_has_a_package_of_their_own_and_the_bytes_stand_once(evaluator, evidence_folder):
    first = hand_in(evaluator)
    other = hand_in(people.an_evaluator("Otra Evaluadora"))
    assert other != first
    assert files_of(evidence_folder) == [SHA256]


@pytest.mark.django_db(transaction=True)
def test_eight_uploads_of_the_same_bytes_at_once_are_one_package(evidence_folder):
    evaluator = people.an_evaluator()
    start, packages, faults = threading.Barrier(8), [], []

    def upload():
        try:
            incoming = intake.begin(by=evaluator, at=clock.now())
            start.wait(10)
            incoming.write(DATA)
            packages.append(incoming.finish().pk)
        except Exception as fault:
            faults.append(fault)
        finally:
            connection.close()

    threads = [threading.Thread(target=upload) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)

    assert not faults
    assert len(packages) == 8
    assert len(set(packages)) == 1
    assert EvidencePackage.objects.count() == 1
    assert Participation.objects.count() == 1
    assert files_of(evidence_folder) == [SHA256]


# ── who may ──────────────────────────────────────────────────────────────────
def test_only_evaluators_and_services_hand_in(evaluator, evidence_folder):
    with pytest.raises(NotAllowed):
        hand_in(people.a_certifier())
    assert hand_in(people.a_service()).state == PackageState.RECEIVED
    assert not Participation.objects.exists()  # a service is no person


def test_a_deactivated_evaluator_hands_in_nothing(evaluator, evidence_folder):
    evaluator.is_active = False
    with pytest.raises(NotAllowed):
        hand_in(evaluator)
    assert not EvidencePackage.objects.exists()


def test_what_is_too_large_is_refused_before_a_byte_is_read(evaluator, settings, evidence_folder):
    settings.EVIDENCE_MAX_UPLOAD_BYTES = 1000

    def unread():
        raise AssertionError("the body was read")
        yield b""

    with pytest.raises(intake.TooLarge):
        intake.receive(unread(), by=evaluator, declared_size=1001, at=clock.now())
    assert not EvidencePackage.objects.exists()


def test_what_turns_out_to_be_too_large_is_not_kept(evaluator, settings, evidence_folder):
    settings.EVIDENCE_MAX_UPLOAD_BYTES = 1500
    with pytest.raises(intake.TooLarge):
        hand_in(evaluator)
    assert not EvidencePackage.objects.exists()
    assert files_of(evidence_folder) == []


@pytest.mark.parametrize("digest", ["abc", "g" * 64, SHA256 + "0"])
def test_a_sha256_with_a_typing_error_is_said_at_once(evaluator, digest, evidence_folder):
    with pytest.raises(intake.InvalidDigest):
        hand_in(evaluator, declared_sha256=digest)
    assert not EvidencePackage.objects.exists()
    assert files_of(evidence_folder) == []


# ── a wrong declaration ──────────────────────────────────────────────────────
def rejected(package, *, as_if_by=verification.DECLARATION):
    """As the worker leaves a package that it found at fault."""
    package.state = PackageState.REJECTED
    package.finished_at = clock.now()
    package.save()
    Verification.objects.create(
        package=package,
        verifier_version=as_if_by,
        integrity="failed",
        complete=False,
        sha256=package.sha256,
        size=package.size,
        member_count=0,
        at=clock.now(),
    )


def test_a_wrong_declaration_is_kept_and_the_right_one_opens_it_again(evaluator):
    package = hand_in(evaluator, declared_sha256="0" * 64)
    assert package.state == PackageState.RECEIVED
    assert package.declared_sha256 == "0" * 64
    rejected(package)

    again = hand_in(evaluator, declared_sha256=SHA256)

    assert again == package
    assert (again.state, again.declared_sha256, again.attempts) == (PackageState.RECEIVED, SHA256, 0)


def test_what_was_rejected_for_its_content_stays_rejected(evaluator):
    package = hand_in(evaluator, declared_sha256=SHA256)
    rejected(package, as_if_by=verification.VERIFIER_VERSION)
    assert hand_in(evaluator, declared_sha256=SHA256).state == PackageState.REJECTED


def test_bytes_that_are_a_package_already_are_not_spoilt_by_a_wrong_declaration(evaluator):
    package = hand_in(evaluator, declared_sha256=SHA256)
    with pytest.raises(intake.DigestMismatch) as refused:
        hand_in(evaluator, declared_sha256="0" * 64)
    assert refused.value.extra == {"expected": "0" * 64, "found": SHA256}
    package.refresh_from_db()
    assert package.declared_sha256 == SHA256
    assert EvidencePackage.objects.count() == 1


# ── a cut connection ─────────────────────────────────────────────────────────
def cut_after(size, data=DATA):
    yield data[:size]
    raise ConnectionResetError


def test_a_cut_upload_stays_receiving_until_its_deadline(evaluator, evidence_folder):
    with pytest.raises(intake.ConnectionCut):
        intake.receive(cut_after(3000), by=evaluator, declared_sha256=SHA256, at=clock.now())
    package = EvidencePackage.objects.get()
    assert (package.state, package.received_bytes) == (PackageState.RECEIVING, 3000)
    assert timedelta(0) < package.deadline_at - clock.now() <= intake.TIME_TO_ARRIVE
    assert files_of(evidence_folder) == [package.part]


def test_a_fault_of_our_own_leaves_the_part_too(evaluator, evidence_folder):
    def broken():
        yield DATA[:3000]
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        intake.receive(broken(), by=evaluator, at=clock.now())
    assert EvidencePackage.objects.get().received_bytes == 3000


def test_an_upload_that_ends_early_is_a_cut_one(evaluator):
    with pytest.raises(intake.ConnectionCut):
        hand_in(evaluator, data=DATA[:3000], declared_size=len(DATA))
    assert EvidencePackage.objects.get().state == PackageState.RECEIVING


def test_a_cut_upload_goes_on_where_its_part_ends(evaluator, evidence_folder):
    with pytest.raises(intake.ConnectionCut):
        intake.receive(cut_after(3000), by=evaluator, declared_sha256=SHA256, at=clock.now())
    package = EvidencePackage.objects.get()

    with pytest.raises(intake.WrongOffset) as refused:
        intake.resume(package, offset=2999, by=evaluator)
    assert refused.value.extra == {"received_bytes": 3000}
    with pytest.raises(NotAllowed):
        intake.resume(package, offset=3000, by=people.an_evaluator("Otra Evaluadora"))

    incoming = intake.resume(package, offset=3000, by=evaluator)
    incoming.write(DATA[3000:])
    whole = incoming.finish()

    assert (whole.state, whole.sha256, whole.size) == (PackageState.RECEIVED, SHA256, len(DATA))
    assert files_of(evidence_folder) == [SHA256]


def test_an_upload_that_failed_meanwhile_keeps_nothing(evaluator, evidence_folder):
    incoming = intake.begin(by=evaluator, at=clock.now())
    incoming.write(DATA)
    EvidencePackage.objects.update(state=PackageState.FAILED, fault="submitter", failure="upload_unfinished")
    with pytest.raises(intake.UploadClosed):
        incoming.finish()
    assert files_of(evidence_folder) == []


# ── a full disk ──────────────────────────────────────────────────────────────
def test_without_room_nothing_is_read_and_nothing_kept(evaluator, settings, evidence_folder):
    settings.EVIDENCE_FREE_BYTES = 2**62
    with pytest.raises(storage.StorageFull) as refused:
        hand_in(evaluator)
    assert refused.value.status == 507
    assert not EvidencePackage.objects.exists()
    assert not evidence_folder.is_dir() or files_of(evidence_folder) == []


def test_a_disk_that_fills_up_in_the_middle_keeps_nothing(evaluator, evidence_folder):
    incoming = intake.begin(by=evaluator, at=clock.now())
    incoming.write(DATA[:1000])

    class Full:
        """A file on a disk without a byte left."""

        def __init__(self, file):
            self.close = file.close
            self.fileno = file.fileno

        def write(self, chunk):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    incoming._file = Full(incoming._file)
    with pytest.raises(storage.StorageFull):
        incoming.write(DATA[1000:])
    assert not EvidencePackage.objects.exists()
    assert files_of(evidence_folder) == []


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full, which Linux has")
def test_a_real_full_device_is_told_by_its_name(evaluator, evidence_folder):
    incoming = intake.begin(by=evaluator, at=clock.now())
    incoming._file.close()
    with open("/dev/full", "wb", buffering=0) as full:
        incoming._file = full
        with pytest.raises(storage.StorageFull):
            incoming.write(DATA)
    assert not EvidencePackage.objects.exists()
    assert files_of(evidence_folder) == []


def test_room_that_is_used_up_by_others_meanwhile_is_noticed(
    evaluator, settings, monkeypatch, evidence_folder
):
    monkeypatch.setattr(intake, "_CHECK_ROOM_EVERY", 2000)
    incoming = intake.begin(by=evaluator, at=clock.now())
    incoming.write(DATA[:1500])
    settings.EVIDENCE_FREE_BYTES = 2**62
    with pytest.raises(storage.StorageFull):
        incoming.write(DATA[1500:3000])
    assert not EvidencePackage.objects.exists()
    assert files_of(evidence_folder) == []
