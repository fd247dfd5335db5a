"""The archive layer against real files: what is refused is refused by its code, what is allowed is accepted."""

import io
import struct
import zlib
from pathlib import Path

import pytest

from evidence import checking, inflate
from evidence.archive import Limits
from evidence.findings import Code, Phrase
from evidence.names import Names, folded, is_junk, shown, unsafe
from evidence.tests.archives import make
from evidence.tests.archives.writing import Part, archive, bag, deflated, descriptor, streamed

HERE = Path(__file__).resolve().parent / "archives"
CRAFTED = [line.split("\t") for line in (HERE / "crafted" / "expected.tsv").read_text().splitlines()[1:]]
STRICTER = {"comment.zip", "empty.zip", "short_usize.zip", "short_usize_zip64.zip"}


def check(content: bytes | Path, *, layer: str = "archive", **options: object) -> checking.Report:
    if isinstance(content, Path):
        with content.open("rb") as source:
            return checking.check(source, layer=layer, **options)
    return checking.check(io.BytesIO(content), layer=layer, **options)


def codes(report: checking.Report) -> set[str]:
    return {str(finding.code) for finding in report.findings}


@pytest.fixture(params=["isal", "zlib"])
def either_inflater(request, monkeypatch):
    """What a platform without ISA-L answers must be the same."""
    if request.param == "zlib":
        monkeypatch.setattr(inflate, "inflater", inflate.ZlibInflater)
        monkeypatch.setattr(inflate, "crc32", zlib.crc32)


# ── files ────────────────────────────────────────────────────────────────────
@pytest.mark.parametrize(("name", "expected"), CRAFTED)
def test_a_crafted_file_is_answered_by_its_code(name, expected, either_inflater):
    found = codes(check(HERE / "crafted" / name, layer="bag"))
    if expected == "accept":
        assert found == set()
    else:
        assert found
        assert found <= set(expected.split("|"))


def test_every_crafted_file_has_its_expectation():
    assert {name for name, _ in CRAFTED} == {path.name for path in (HERE / "crafted").glob("*.zip")}


@pytest.mark.parametrize("path", sorted((HERE / "producers").glob("*.zip")), ids=lambda path: path.stem)
def test_what_common_tools_write_is_accepted(path, either_inflater):
    report = check(path, layer="bag")
    if path.name == "bsdtar_stream.zip":
        assert codes(report) == {"TRAILING_DATA"}
        assert report.findings[0].found == Phrase.ZEROS
        assert "bsdtar" in report.as_json("es")["findings"][0]["mend"]
    else:
        assert report.integrity == "verified"
        assert report.complete
        assert report.verified_digests


@pytest.mark.parametrize("name", make.REJECT)
def test_each_fault_is_refused_by_its_code(name, either_inflater):
    code, _ = make.REJECT[name]
    report = check(HERE / "reject" / f"{name}.zip", layer="bag")
    assert codes(report) == {code}
    assert report.integrity == "failed"
    assert report.findings[0].as_json("es")["mend"]


@pytest.mark.parametrize("name", make.ACCEPT)
def test_each_oddity_is_accepted(name, either_inflater):
    report = check(HERE / "accept" / f"{name}.zip", layer="bag")
    assert report.findings == ()
    assert report.complete
    assert report.verified_digests


def test_the_files_are_those_that_the_script_makes():
    there = {
        path: path.read_bytes() for folder in ("accept", "reject") for path in (HERE / folder).glob("*.zip")
    }
    assert there == make.made(), "write them again: .venv/bin/python -m evidence.tests.archives.make"


@pytest.mark.shared
def test_what_the_python_package_index_refuses_is_refused(shared):
    rejected = sorted((shared / "vectors/zip/warehouse/reject").iterdir())
    assert rejected
    assert [path.name for path in rejected if check(path).integrity != "failed"] == []


@pytest.mark.shared
def test_what_the_python_package_index_accepts_is_accepted_but_for_the_stricter_profile(shared):
    accepted = sorted((shared / "vectors/zip/warehouse/accept").iterdir())
    assert {path.name for path in accepted if check(path).integrity == "failed"} == STRICTER


# ── limits ───────────────────────────────────────────────────────────────────
def test_a_member_too_many_is_refused_before_anything_is_inflated():
    content = archive([Part(b"data/%d" % number, b"x") for number in range(11)])
    report = check(content, limits=Limits(members=10))
    assert codes(report) == {"MEMBER_LIMIT"}
    assert report.findings[0].found == 11
    assert report.members == ()


def test_the_tag_files_of_a_bag_come_on_top_of_the_limit():
    content = archive(bag({f"data/{number}": b"x" for number in range(10)}, root="top/"))
    assert check(content, layer="bag", limits=Limits(members=10)).integrity == "verified"


def test_folders_are_limited_too():
    content = archive([*bag(), *(Part(b"data/%d/" % number, method=0) for number in range(11))])
    assert codes(check(content, limits=Limits(members=10))) == {"MEMBER_LIMIT"}


def test_far_too_many_entries_are_not_even_looked_at():
    content = archive([Part(b"../%d" % number, b"x") for number in range(30)])
    report = check(content, limits=Limits(members=10))
    assert codes(report) == {"MEMBER_LIMIT"}
    assert report.findings[0].found == 30


def test_an_entry_more_than_announced_ends_the_walk():
    parts = [Part(b"data/%d" % number, b"x") for number in range(30)]
    report = check(archive(parts, end={"here": 3, "entries": 3}))
    assert codes(report) == {"ENTRY_COUNT_MISMATCH"}
    assert report.findings[0].found == 4


def test_sizes_are_limited_by_what_the_directory_announces():
    huge = {"size": 0xFFFFFFFF, "extra": struct.pack("<2HQ", 1, 8, 9 << 30)}
    report = check(archive([Part(b"data/%d" % number, b"x", central=huge) for number in range(4)]))
    assert codes(report) == {"SIZE_LIMIT", "RATIO_LIMIT"}
    assert {finding.member for finding in report.findings} == {
        None,
        *(f"data/{number}" for number in range(4)),
    }


def test_a_directory_too_large_is_not_read():
    content = archive([Part(b"data/%03d" % number, b"x") for number in range(100)])
    assert codes(check(content, limits=Limits(directory_bytes=1000))) == {"DIRECTORY_LIMIT"}


def test_a_bomb_that_is_announced_is_refused_unread():
    zeros = bytes(80 << 20)
    report = check(archive([Part(b"data/zeros", zeros, packed=deflated(zeros, 1))]))
    assert codes(report) == {"RATIO_LIMIT"}
    assert report.members == ()


def test_a_bomb_that_is_not_announced_is_stopped_at_the_announced_size(either_inflater):
    zeros = bytes(80 << 20)
    seen = []
    part = Part(b"data/items.jsonl", zeros, packed=deflated(zeros, 1))
    part.local["size"] = part.central["size"] = 300_000
    report = check(archive([part]), layer="package", reader=Recording(seen))
    assert "SIZE_MISMATCH" in codes(report)
    assert sum(map(len, seen)) <= 300_000


def test_sixty_four_mebibytes_of_padding_are_allowed():
    zeros = bytes(1 << 20)
    assert check(archive([Part(b"data/zeros", zeros)])).integrity == "verified"


def test_every_name_and_limit_is_told_at_once():
    content = archive(
        [
            Part(b"../a", b"x"),
            Part(b"b:c", b"x"),
            Part(b"d" * 300, b"x"),
            Part(b"\xff", b"x"),
            Part(b"__MACOSX/e", b"x"),
            Part(b"f", b"x", method=12),
            Part(b"g", b"x"),
            Part(b"G", b"x"),
        ]
    )
    report = check(content, limits=Limits(members=3))
    assert codes(report) == {
        "UNSAFE_NAME",
        "NAME_TOO_LONG",
        "NAME_ENCODING",
        "JUNK_MEMBER",
        "METHOD_UNSUPPORTED",
        "NAME_COLLISION",
        "MEMBER_LIMIT",
    }
    assert report.members == ()
    assert len(report.sha256) == 64


class Recording:
    """A reader that keeps what it is fed."""

    def __init__(self, seen: list[bytes]) -> None:
        self.seen = seen

    def order(self, paths):
        return list(paths)

    def consumer(self, path):
        return self

    def feed(self, chunk: bytes) -> None:
        self.seen.append(bytes(chunk))

    def finish(self):
        return (), ()


# ── data descriptors ─────────────────────────────────────────────────────────
@pytest.mark.parametrize("field", ["crc", "packed", "size"])
def test_a_local_field_may_be_zero_or_equal_when_a_descriptor_follows(field):
    part = streamed(b"data/a", b"alpha")
    part.local[field] = part.fields()[field]
    assert check(archive([part])).integrity == "verified"
    part.local[field] += 1
    assert codes(check(archive([part]))) == {"LOCAL_HEADER_MISMATCH"}


@pytest.mark.parametrize("at", range(16))
def test_no_byte_of_a_descriptor_may_differ(at):
    part = streamed(b"data/a", b"alpha")
    changed = bytearray(descriptor(part))
    changed[at] ^= 0x40
    part.after = bytes(changed)
    assert codes(check(archive([part]))) == {"DATA_DESCRIPTOR_MISMATCH"}


# ── names ────────────────────────────────────────────────────────────────────
@pytest.mark.parametrize(
    ("name", "phrase"),
    [
        ("", Phrase.EMPTY_NAME),
        ("a/../b", Phrase.PARENT_STEP),
        ("./a", Phrase.DOT_STEP),
        ("a//b", Phrase.EMPTY_STEP),
        ("/a", Phrase.ABSOLUTE),
        ("c:/a", Phrase.DRIVE_OR_STREAM),
        ("a\\b", Phrase.BACKSLASH),
        ("a%2e", Phrase.PERCENT),
        ("a\r", Phrase.CONTROL_CHARACTER),
        ("a\x7f", Phrase.CONTROL_CHARACTER),
        ("a\x85", Phrase.CONTROL_CHARACTER),
        ("a\u2028b", Phrase.CONTROL_CHARACTER),
        ("\u202egnp.exe", Phrase.BIDI_CONTROL),
        ("a\u2067", Phrase.BIDI_CONTROL),
        ("a.", Phrase.TRAILING_DOT_OR_SPACE),
        ("a /b", Phrase.TRAILING_DOT_OR_SPACE),
        ("~/a", Phrase.TILDE_FIRST),
        ("aux", Phrase.RESERVED_NAME),
        ("a/COM1.txt", Phrase.RESERVED_NAME),
        ("lpt³", Phrase.RESERVED_NAME),
        ("nul .txt", Phrase.RESERVED_NAME),
        ("conin$", Phrase.RESERVED_NAME),
    ],
)
def test_an_unsafe_name_is_refused_alone_and_in_a_directory(name, phrase):
    assert unsafe(name) == phrase
    _, fault = Names(name_bytes=240, depth=16).take(name.encode())
    assert (fault.code, fault.found) == (Code.UNSAFE_NAME, phrase)


@pytest.mark.parametrize(
    "name",
    [
        "data/ñandú 1.txt",
        "data/日本語.jsonl",
        "a/-rf",
        "a/.hidden",
        "com.txt",
        "console",
        "auxiliar",
        "lpt10",
        "a~",
        "x@2=1,(b)",
    ],
)
def test_an_ordinary_name_is_accepted(name):
    assert Names(name_bytes=240, depth=16).take(name.encode())[1] is None


def test_names_are_compared_in_composed_form_without_case():
    assert folded("Straße/Ñ") == folded("STRASSE/n\u0303")
    known = Names(name_bytes=240, depth=16)
    assert known.take("data/Ñ".encode())[1] is None
    assert known.take("data/n\u0303".encode())[1].code == Code.NAME_COLLISION


def test_junk_is_known_in_any_case_and_depth():
    assert is_junk("a/DESKTOP.INI")
    assert is_junk("top/__macosx/._x")
    assert not is_junk("data/desktop.ini.txt")


def test_a_hostile_name_is_quoted_in_printable_characters():
    assert shown(b"a\x1b[31m\xff\xe2\x80\xae") == "a\\u001b[31m\\xff\\u202e"
    assert len(shown(b"x" * 60_000)) == 241
