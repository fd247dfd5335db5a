"""Bytes get their address only when they are whole, and only strays are ever collected."""

import errno
import hashlib
import os

import pytest

from evidence import storage


@pytest.fixture
def store(evidence_folder):
    return storage.current()


def files_of(folder):
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


def arrived(store, data: bytes) -> str:
    part = store.begin()
    with store.write(part, offset=0) as file:
        file.write(data)
    return part


def test_a_part_gets_its_address_when_it_is_kept(store, evidence_folder):
    part = arrived(store, b"evidence")
    assert files_of(evidence_folder) == [f"parts/{part}"]

    sha256 = hashlib.sha256(b"evidence").hexdigest()
    store.keep(part, sha256=sha256)

    assert files_of(evidence_folder) == [f"{sha256[:2]}/{sha256}"]
    with store.open(sha256) as file:
        assert file.read(4) == b"evid"
        assert file.seek(1) == 1
        assert file.read() == b"vidence"


def test_the_same_bytes_twice_are_one_file(store, evidence_folder):
    sha256 = hashlib.sha256(b"evidence").hexdigest()
    for _ in range(2):
        store.keep(arrived(store, b"evidence"), sha256=sha256)
    assert files_of(evidence_folder) == [f"{sha256[:2]}/{sha256}"]


def test_writing_goes_on_at_an_offset_and_cuts_off_what_stood_behind_it(store):
    part = arrived(store, b"0123456789")
    with store.write(part, offset=4) as file:
        file.write(b"abc")
    with store.open_part(part) as file:
        assert file.read() == b"0123abc"


def test_a_part_has_one_writer(store):
    part = store.begin()
    with store.write(part, offset=0), pytest.raises(BlockingIOError):
        store.write(part, offset=0)


def test_withheld_bytes_are_gone_and_stay_gone(store):
    sha256 = hashlib.sha256(b"personal").hexdigest()
    store.keep(arrived(store, b"personal"), sha256=sha256)
    store.withhold(sha256)
    store.withhold(sha256)
    assert not store.exists(sha256)
    with pytest.raises(storage.NoSuchFile):
        store.open(sha256)


@pytest.mark.parametrize("name", ["../../etc/passwd", "a" * 63, "A" * 64, "", "a" * 64 + "\n"])
def test_an_address_is_a_digest_and_nothing_else(store, name):
    with pytest.raises(ValueError):
        store.open(name)
    with pytest.raises(ValueError):
        store.discard(name)


def test_a_full_disk_is_told_by_its_name():
    with pytest.raises(storage.StorageFull) as refused, storage.refusing_when_full():
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    assert refused.value.status == 507
    assert refused.value.code == "storage_full"


def test_another_fault_of_the_disk_is_not_called_full():
    with pytest.raises(OSError, match="Input/output"), storage.refusing_when_full():
        raise OSError(errno.EIO, os.strerror(errno.EIO))


@pytest.mark.parametrize(
    ("free", "total", "size", "fits"),
    [
        (10 * 2**30, 20 * 2**30, 8 * 2**30, True),  # 2 GiB stay
        (10 * 2**30, 20 * 2**30, 8 * 2**30 + 1, False),
        (100 * 2**30, 1000 * 2**30, 50 * 2**30, True),  # 5 % are 50 GiB
        (100 * 2**30, 1000 * 2**30, 50 * 2**30 + 1, False),
    ],
)
def test_five_percent_or_two_gibibytes_stay_free(settings, free, total, size, fits):
    settings.EVIDENCE_FREE_SHARE = 0.05
    settings.EVIDENCE_FREE_BYTES = 2 * 2**30
    assert storage.Room(free=free, total=total).has(size) is fits
