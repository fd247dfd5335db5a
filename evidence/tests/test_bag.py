"""The bag layer by itself: what a manifest may say, and what it must not."""

import hashlib
from dataclasses import dataclass

import pytest

from evidence import bag
from evidence.findings import Caution, Code, Findings

BAGIT = b"BagIt-Version: 1.0\nTag-File-Character-Encoding: UTF-8\n"


@dataclass
class File:
    size: int
    sha256: bytes | None


def judged(files: dict[str, bytes], *, lost: tuple[str, ...] = ()):
    """(outcome, codes, warnings) of a bag with these files; the bytes of `lost` could not be read."""
    members = {
        path: File(len(data), None if path in lost else hashlib.sha256(data).digest())
        for path, data in files.items()
    }
    texts = {path: data for path, data in files.items() if path in bag.TEXT_LIMITS and path not in lost}
    findings, warnings = Findings(), Findings()
    outcome = bag.check_bag(members, texts, findings, warnings)
    return outcome, findings.codes, warnings.codes


def line(path: str, data: bytes) -> bytes:
    return f"{hashlib.sha256(data).hexdigest()}  {path}\n".encode()


def test_a_sound_bag_is_complete_and_verified():
    files = {"bagit.txt": BAGIT, "data/a": b"a", "manifest-sha256.txt": line("data/a", b"a")}
    assert judged(files) == (bag.Outcome(complete=True, verified=True), set(), set())


def test_complete_and_verified_are_told_apart():
    files = {"bagit.txt": BAGIT, "data/a": b"a"}
    changed = files | {"manifest-sha256.txt": line("data/a", b"b")}
    assert judged(changed)[0] == bag.Outcome(complete=True, verified=False)
    missing = files | {"manifest-sha256.txt": line("data/a", b"a") + line("data/b", b"b")}
    assert judged(missing)[0] == bag.Outcome(complete=False, verified=True)


def test_what_could_not_be_read_is_neither_complete_nor_verified_and_not_blamed_twice():
    files = {"bagit.txt": BAGIT, "data/a": b"a", "manifest-sha256.txt": line("data/a", b"a")}
    for lost in files:
        outcome, codes, _ = judged(files, lost=(lost,))
        assert outcome == bag.Outcome(complete=False, verified=False)
        assert codes == set()


@pytest.mark.parametrize("written", ["data/n\u0303", "data/ñ"])
@pytest.mark.parametrize("stored", ["data/n\u0303", "data/ñ"])
def test_paths_agree_in_composed_form(written, stored):
    files = {"bagit.txt": BAGIT, stored: b"a", "manifest-sha256.txt": line(written, b"a")}
    assert judged(files)[1] == set()


def test_the_older_version_and_other_algorithms_are_warnings():
    files = {
        "bagit.txt": BAGIT.replace(b"1.0", b"0.97"),
        "data/a": b"a",
        "manifest-sha256.txt": line("data/a", b"a"),
        "tagmanifest-md5.txt": b"",
    }
    outcome, codes, warnings = judged(files)
    assert (outcome.complete, outcome.verified, codes) == (True, True, set())
    assert warnings == {Caution.BAG_VERSION_OLD, Caution.ALGORITHM_IGNORED}


def test_a_tag_file_too_large_to_read_is_refused_unread():
    files = {"bagit.txt": BAGIT + b"\n" * 5000, "manifest-sha256.txt": b""}
    assert judged(files)[1] == {Code.BAG_DECLARATION}


@pytest.mark.parametrize(
    ("names", "root"),
    [
        (["bolsa/", "bolsa/bagit.txt", "bolsa/data/a"], "bolsa/"),
        (["bagit.txt", "data/a"], ""),
        (["one/bagit.txt", "two/"], ""),
        (["data/a", "data/b"], ""),
        (["bagit.txt"], ""),
        ([], ""),
    ],
)
def test_the_bag_stands_at_the_top_or_in_the_only_folder(names, root):
    assert bag.root_of(names) == root
