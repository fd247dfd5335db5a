"""A package larger than memory should ever hold: uploaded over HTTP, verified, and every way in which that stops.

Small inside script/test (48 MB); `script/rehearse big-files` takes 1 GB.
"""

import contextlib
import hashlib
import http.client
import json
import re
import resource
import shutil
import socket
import time
from pathlib import Path

import pytest

from certificates import pipeline
from certificates.tests import packages as small_packages
from certificates.tests import registry
from evidence import verification
from evidence.models import EvidencePackage, Member, PackageState
from registry_site import clock, tokens
from registry_site.roles import Role
from tests.rehearsals import machinery, packages

pytestmark = pytest.mark.django_db(transaction=True)

MEGABYTES = 1024 if machinery.FULL else 48
# What the web process may grow by while a package passes through it, whatever its size.
GROWTH = 24 * packages.MEGABYTE
BOUNDARY = "----frontera"


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    return tmp_path_factory.mktemp("registry")


@pytest.fixture
def folder(place, settings):
    """The data folder of the server, empty of evidence."""
    settings.EVIDENCE_DIR = place / "evidence"
    settings.EVIDENCE_FREE_SHARE = 0.0
    settings.EVIDENCE_FREE_BYTES = 0
    shutil.rmtree(settings.EVIDENCE_DIR, ignore_errors=True)
    return place


@pytest.fixture
def token(db):
    registry.scheme()
    return tokens.make(registry.people().evaluator, role=Role.EVALUATOR, at=clock.now())


@pytest.fixture(scope="module")
def server(place, django_db_setup):
    """One web server for all these tests: the process that works, and its port."""
    # No broker listens there: an upload must succeed all the same.
    told = machinery.environment(broker_url=f"redis+socket://{place}/none.sock?virtual_host=0", folder=place)
    with machinery.web(told, log=place / "web.log") as (process, port):
        (working,) = machinery.children_of(process.pid)
        yield working, port


class Upload:
    """One POST of a file, byte by byte under this test's control."""

    def __init__(self, port: int, token: str, file: Path):
        self.file = file
        field = 'Content-Disposition: form-data; name="file"; filename="paquete.zip"'
        self.head = f"--{BOUNDARY}\r\n{field}\r\nContent-Type: application/zip\r\n\r\n".encode()
        self.tail = f"\r\n--{BOUNDARY}--\r\n".encode()
        size = len(self.head) + file.stat().st_size + len(self.tail)
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=120)
        self.connection.putrequest("POST", "/api/v1/evidence/", skip_host=True)
        for name, value in {
            "Host": "testserver",
            "Authorization": f"Bearer {token}",
            "Content-Type": f"multipart/form-data; boundary={BOUNDARY}",
            "Content-Length": str(size),
        }.items():
            self.connection.putheader(name, value)
        self.connection.endheaders()

    def send(self, *, at_most: int | None = None) -> None:
        self.connection.send(self.head)
        sent = 0
        for chunk in packages.chunks(self.file):
            if at_most is not None and sent >= at_most:
                return
            self.connection.send(chunk)
            sent += len(chunk)
        self.connection.send(self.tail)

    def answer(self) -> tuple[int, dict]:
        response = self.connection.getresponse()
        body = json.loads(response.read())
        self.connection.close()
        return response.status, body

    def cut(self) -> None:
        # As a cable that is pulled out: no orderly goodbye.
        self.connection.sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
        self.connection.close()


def whole(port, token, file):
    upload = Upload(port, token, file)
    # It may answer before the end and hang up; the answer tells why.
    with contextlib.suppress(BrokenPipeError, ConnectionResetError):
        upload.send()
    return upload.answer()


def files_of(folder: Path) -> list[str]:
    return sorted(path.name for path in (folder / "evidence").rglob("*") if path.is_file())


def test_a_big_package_passes_through_without_ever_standing_in_memory(folder, server, token, caplog):
    working, port = server
    small = packages.write(folder / "small.zip", megabytes=1)
    whole(port, token, small)
    file = packages.write(folder / "package.zip", megabytes=MEGABYTES)
    with file.open("rb") as opened:
        sha256 = hashlib.file_digest(opened, "sha256").hexdigest()
    before = machinery.memory_of(working)

    started = time.monotonic()
    status, body = whole(port, token, file)
    uploaded = time.monotonic() - started

    assert status == 201, body
    assert (body["sha256"], body["state"]) == (sha256, "received")
    grown = machinery.memory_of(working) - before
    assert grown < GROWTH

    started = time.monotonic()
    package = EvidencePackage.objects.get(sha256=sha256)
    with caplog.at_level("INFO", "evidence.verification"):
        pipeline.advance(package.pk)
    verified = time.monotonic() - started
    reader = int(re.search(r"read in (\d+) MB", caplog.text)[1])
    assert reader < 100
    package.refresh_from_db()
    assert package.state == PackageState.READY, (package.failure, package.state)
    assert Member.objects.filter(
        verification__package=package, path__contains="attachments/raw"
    ).count() == max(1, MEGABYTES // 64)
    print(
        f"\n{MEGABYTES} MB: uploaded in {uploaded:.1f} s ({MEGABYTES / uploaded:.0f} MB/s), the web process grew by "
        f"{grown / packages.MEGABYTE:.1f} MB; verified and measured in {verified:.1f} s "
        f"({MEGABYTES / verified:.0f} MB/s), the reader took {reader} MB"
    )

    status, body = whole(port, token, file)
    assert status == 200, body
    assert body["state"] == "ready"
    assert EvidencePackage.objects.filter(sha256=sha256).count() == 1


@pytest.mark.skipif(not machinery.FULL, reason="a small one stands in certificates/tests/test_pipeline.py")
def test_a_million_findings_are_capped_and_counted(folder, server, token):
    _, port = server
    file = folder / "faulty.zip"
    file.write_bytes(small_packages.sound(items=small_packages.faulty_lines(1_000_000)))
    status, body = whole(port, token, file)
    assert status == 201, body
    started = time.monotonic()
    package = EvidencePackage.objects.get(sha256=body["sha256"])
    pipeline.advance(package.pk)
    package.refresh_from_db()
    assert package.state == PackageState.REJECTED
    row = verification.latest(package)
    assert len(row.findings) <= 2000
    counted = len(row.findings) + sum(row.findings_omitted.values())
    assert counted >= 1_000_000
    print(f"\n{counted:,} findings counted in {time.monotonic() - started:.1f} s, {len(row.findings)} kept")


def test_a_cut_connection_leaves_the_part_and_the_upload_may_be_repeated(folder, server, token):
    _, port = server
    file = packages.write(folder / "package.zip", megabytes=8)
    upload = Upload(port, token, file)
    upload.send(at_most=4 * packages.MEGABYTE)
    upload.cut()

    def left():
        return EvidencePackage.objects.filter(state=PackageState.RECEIVING, received_bytes__gt=0).first()

    package = machinery.wait_until(left, seconds=20, what="the server notices the cut")
    assert package.received_bytes <= 4 * packages.MEGABYTE
    assert files_of(folder) == [package.part]
    assert package.deadline_at > clock.now()

    status, body = whole(port, token, file)
    assert status == 201, body
    assert sorted(EvidencePackage.objects.values_list("state", flat=True)) == ["received", "receiving"]


def test_a_disk_that_is_full_in_the_middle_is_507_and_keeps_nothing(folder, server, token):
    working, port = server
    file = packages.write(folder / "package.zip", megabytes=8)
    # The kernel refuses to let any file of that process grow further, as it does on a full disk.
    _, hard = resource.prlimit(working, resource.RLIMIT_FSIZE)
    resource.prlimit(working, resource.RLIMIT_FSIZE, (3 * packages.MEGABYTE, hard))
    status, body = whole(port, token, file)
    assert (status, body["code"]) == (507, "storage_full")
    assert not EvidencePackage.objects.exists()
    assert files_of(folder) == []

    resource.prlimit(working, resource.RLIMIT_FSIZE, (hard, hard))
    status, body = whole(port, token, file)
    assert status == 201, body


def test_without_right_nothing_of_the_body_is_kept(folder, server, db):
    _, port = server
    file = packages.write(folder / "package.zip", megabytes=8)
    certifier = tokens.make(registry.people().certifier, role=Role.CERTIFIER, at=clock.now())
    status, body = whole(port, certifier, file)
    assert status == 403, body
    assert not EvidencePackage.objects.exists()
    assert files_of(folder) == []
