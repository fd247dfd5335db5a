"""One check from the first byte to the last record: order, threads, progress, interruption, what is reported."""

import hashlib
import io
import threading

import pytest

from evidence import checking
from evidence.findings import Code, Findings
from evidence.tests.archives.writing import Part, archive, bag, streamed

LARGE = b"0123456789abcdef" * (3 << 16)  # 3 MiB, so it is read by a thread of its own


class Reader:
    """Asks for an order, notes what it is given, and in which thread."""

    def __init__(self, first: tuple[str, ...] = (), without: tuple[str, ...] = ()) -> None:
        self.first = first
        self.without = without
        self.members: dict[str, bytes] = {}
        self.finished: list[str] = []
        self.threads: set[int] = set()
        self.asked = 0

    def order(self, paths):
        return [*self.first, *(path for path in paths if path not in self.first)]

    def consumer(self, path):
        return None if path in self.without else Consumer(self, path)

    def finish(self):
        self.asked += 1
        findings = Findings()
        findings.note(Code.DUPLICATE_ID, "data/a.txt:1")
        return findings, ()


class Consumer:
    def __init__(self, reader: Reader, path: str) -> None:
        self.reader, self.path, self.data = reader, path, bytearray()

    def feed(self, chunk):
        self.data += chunk
        self.reader.threads.add(threading.get_ident())

    def finish(self):
        self.reader.members[self.path] = bytes(self.data)
        self.reader.finished.append(self.path)


def check(content: bytes, **options):
    return checking.check(io.BytesIO(content), **options)


def test_the_report_names_every_member_by_its_path_in_the_bag():
    content = archive(bag({"data/a.txt": b"alpha", "data/large": LARGE}, root="bolsa/"))
    report = check(content, layer="bag")
    assert report.integrity == "verified"
    assert report.sha256 == hashlib.sha256(content).hexdigest()
    members = {member.path: (member.size, member.sha256) for member in report.members}
    assert members["data/large"] == (len(LARGE), hashlib.sha256(LARGE).hexdigest())
    assert set(members) == {"bagit.txt", "manifest-sha256.txt", "data/a.txt", "data/large"}
    assert report.bytes == sum(member.size for member in report.members)
    answer = report.as_json("es")
    assert answer["members"] == 4
    assert answer["findings_omitted"] == 0


def test_a_declared_digest_must_be_that_of_the_file():
    content = archive(bag())
    digest = hashlib.sha256(content).hexdigest()
    assert check(content, layer="bag", declared_sha256=digest.upper() + "\n").findings == ()
    report = check(content, layer="archive", declared_sha256="0" * 64)
    assert [(finding.code, finding.found) for finding in report.findings] == [
        (Code.DIGEST_DECLARED_MISMATCH, digest)
    ]


def test_a_reader_is_fed_in_its_order_in_the_calling_thread():
    payload = {"data/b.jsonl": b"b" * 10, "data/large": LARGE, "data/evaluation.json": b"{}"}
    reader = Reader(first=("data/evaluation.json", "data/b.jsonl"))
    report = check(archive(bag(payload, root="top/")), reader=reader)
    assert reader.finished[:2] == ["data/evaluation.json", "data/b.jsonl"]
    assert {path: reader.members[path] for path in payload} == payload
    assert reader.threads == {threading.get_ident()}
    assert [finding.code for finding in report.findings] == [Code.DUPLICATE_ID]
    assert report.complete


def test_a_member_without_consumer_is_hashed_beside_the_others():
    reader = Reader(without=("data/large",))
    report = check(archive(bag({"data/a.txt": b"alpha", "data/large": LARGE})), reader=reader)
    assert "data/large" not in reader.members
    assert hashlib.sha256(LARGE).hexdigest() in {member.sha256 for member in report.members}


def test_records_of_a_damaged_archive_are_not_judged():
    parts = bag({"data/a.txt": b"alpha", "data/b.txt": b"beta"})
    parts[2].central["crc"] = parts[2].local["crc"] = 1
    reader = Reader()
    report = check(archive(parts), reader=reader)
    assert {finding.code for finding in report.findings} == {Code.CRC_MISMATCH}
    assert "data/a.txt" not in reader.finished
    assert reader.asked == 0
    assert not report.complete
    assert "data/a.txt" not in {member.path for member in report.members}


def test_faults_of_large_members_come_in_the_order_of_the_archive():
    parts = [Part(b"data/%d" % number, LARGE, local={"crc": 1}, central={"crc": 1}) for number in range(3)]
    report = check(archive([*parts, streamed(b"data/s", LARGE)]), layer="archive")
    assert [finding.member for finding in report.findings] == ["data/0", "data/1", "data/2"]


@pytest.fixture
def impatient(monkeypatch):
    """Progress a hundred times a second, so that a small package is told about too."""
    monkeypatch.setattr(checking, "_SECONDS_BETWEEN_PROGRESS", 0.01)


def test_progress_is_told_in_the_calling_thread_and_never_lies(impatient):
    told, threads = [], set()

    def progress(now):
        told.append(now)
        threads.add(threading.get_ident())

    content = archive([Part(b"data/%d" % number, LARGE, method=0) for number in range(20)])
    check(content, layer="archive", progress=progress)
    assert told
    assert threads == {threading.get_ident()}
    assert [now.done for now in told] == sorted(now.done for now in told)
    assert all(0 <= now.done <= now.total == 20 * len(LARGE) for now in told)


@pytest.mark.parametrize("with_reader", [True, False])
def test_what_progress_raises_ends_the_check_and_every_thread(impatient, with_reader):
    class GivenUp(Exception):
        pass

    def progress(now):
        raise GivenUp

    before = threading.active_count()
    content = archive([Part(b"data/%d" % number, LARGE, method=0) for number in range(20)])
    options = {"reader": Reader()} if with_reader else {"layer": "archive"}
    with pytest.raises(GivenUp):
        check(content, progress=progress, **options)
    assert threading.active_count() == before


def test_the_package_layer_is_never_claimed_without_reading_the_records():
    with pytest.raises(ValueError, match="needs a reader"):
        check(archive(bag()))


def test_any_seekable_binary_file_will_do(tmp_path):
    path = tmp_path / "package.zip"
    path.write_bytes(archive(bag({"data/large": LARGE})))
    with path.open("rb") as buffered, path.open("rb", buffering=0) as raw:
        reports = [
            checking.check(file, layer="bag") for file in (buffered, raw, io.BytesIO(path.read_bytes()))
        ]
    assert reports[0] == reports[1] == reports[2]
    assert reports[0].integrity == "verified"


def test_a_file_that_is_cut_while_it_is_read_is_the_machine_s_fault_not_a_finding(tmp_path, impatient):
    path = tmp_path / "package.zip"
    path.write_bytes(archive([Part(b"data/%d" % number, LARGE, method=0) for number in range(20)]))

    def progress(now):
        path.write_bytes(b"")

    with path.open("rb") as source, pytest.raises(OSError, match="shorter"):
        checking.check(source, layer="archive", progress=progress)
