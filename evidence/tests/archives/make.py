"""Writes reject/ and accept/: each file has one fault, or one oddity, and is named for it."""

import hashlib
import struct
from collections.abc import Callable
from pathlib import Path

from evidence.findings import Code
from evidence.tests.archives.writing import BAGIT, Part, archive, bag, deflated, streamed

HERE = Path(__file__).resolve().parent

_A = b"alpha\n"
_DIGEST = hashlib.sha256(_A).hexdigest()
_MANIFEST = f"{_DIGEST}  data/a.txt\n".encode()


def _with(part: Part) -> bytes:
    """A sound bag and one more entry beside its payload file."""
    return archive([*bag(), part])


def _manifest(text: bytes) -> bytes:
    return archive(bag(tags={"manifest-sha256.txt": text}))


def _declared(text: bytes) -> bytes:
    return archive(bag(tags={"bagit.txt": text}))


def _cut(length: int) -> bytes:
    return archive(bag())[:-length]


def _quoting_bomb() -> bytes:
    """Each entry's data is the next entry with its header: the directory counts the last bytes many times."""
    kernel = Part(b"data/z", b"\0" * 4000)
    inner = archive([kernel])[: 30 + len(kernel.name) + len(kernel.packed)]
    stored = len(inner)
    quote = b"\x00" + struct.pack("<2H", stored, stored ^ 0xFFFF) + inner
    outer = Part(b"data/y", inner, packed=deflated(inner), central={"packed": len(quote)})
    return archive([*bag(), outer, kernel])


# name → (code, how it is made)
REJECT: dict[str, tuple[Code, Callable[[], bytes]]] = {
    # archive layer: the frame
    "nothing_at_all": (Code.NOT_A_ZIP, lambda: b""),
    "end_record_cut_off": (Code.TRUNCATED, lambda: _cut(3)),
    "end_record_missing": (Code.TRUNCATED, lambda: _cut(22)),
    "start_cut_off": (Code.TRUNCATED, lambda: archive(bag())[40:]),
    "folders_only": (Code.EMPTY_ARCHIVE, lambda: archive([Part(b"data/", method=0)])),
    "entry_on_another_disk": (Code.MULTI_DISK, lambda: _with(Part(b"README", b"x", central={"disk": 1}))),
    "count_high": (Code.ENTRY_COUNT_MISMATCH, lambda: archive(bag(), end={"here": 4, "entries": 4})),
    "zip64_offset_without_record": (Code.ZIP64_INVALID, lambda: archive(bag(), end={"offset": 0xFFFFFFFF})),
    "zip64_size_without_field": (
        Code.ZIP64_INVALID,
        lambda: _with(Part(b"README", b"x", central={"size": 0xFFFFFFFF})),
    ),
    "zip64_field_twice": (
        Code.ZIP64_INVALID,
        lambda: _with(Part(b"README", b"x", central={"extra": struct.pack("<2HQ", 1, 8, 1) * 2})),
    ),
    "zip64_field_disagrees": (
        Code.ZIP64_INVALID,
        lambda: _with(
            Part(b"README", b"x", central={"size": 0xFFFFFFFF, "extra": struct.pack("<2H2Q", 1, 16, 1, 9)})
        ),
    ),
    # archive layer: unaccounted bytes
    "prefix_counted": (Code.PREPENDED_DATA, lambda: archive(bag(), prefix=b"#!/bin/sh\n")),
    "suffix_text": (Code.TRAILING_DATA, lambda: archive(bag(), suffix=b"and more")),
    "suffix_zeros": (Code.TRAILING_DATA, lambda: archive(bag(), suffix=bytes(100_000))),
    "comment_with_end_record": (
        Code.ARCHIVE_COMMENT,
        lambda: archive(bag(), comment=b"PK\x05\x06" + b"\xff" * 40),
    ),
    "member_comment": (Code.ARCHIVE_COMMENT, lambda: _with(Part(b"README", b"x", central={"comment": b"c"}))),
    "bytes_after_directory": (Code.HIDDEN_DATA, lambda: archive(bag(), after_directory=b"hidden")),
    "bytes_in_directory": (
        Code.HIDDEN_DATA,
        lambda: archive(bag(), after_directory=b"hidden", end={"size": _directory_size(bag()) + 6}),
    ),
    "bytes_after_descriptor": (
        Code.HIDDEN_DATA,
        lambda: _with(_followed(streamed(b"README", b"x"), b"hidden")),
    ),
    "entry_quoted_by_another": (Code.OVERLAP, _quoting_bomb),
    # archive layer: two readings
    "local_signature": (
        Code.LOCAL_HEADER_MISMATCH,
        lambda: _with(Part(b"README", b"x", local={"signature": b"PK\x03\x05"})),
    ),
    "local_flag_utf8": (
        Code.LOCAL_HEADER_MISMATCH,
        lambda: _with(Part(b"README", b"x", local={"flags": 0x800})),
    ),
    "extra_field_too_short": (
        Code.EXTRA_FIELD_MALFORMED,
        lambda: _with(Part(b"README", b"x", central={"extra": b"UT\x09"})),
    ),
    "extra_field_too_long": (
        Code.EXTRA_FIELD_MALFORMED,
        lambda: _with(Part(b"README", b"x", central={"extra": b"UT\x09\x00\x00"})),
    ),
    "local_extra_field_too_long": (
        Code.EXTRA_FIELD_MALFORMED,
        lambda: _with(Part(b"README", b"x", local={"extra": b"UT\x09\x00\x00"})),
    ),
    "descriptor_absent": (
        Code.DATA_DESCRIPTOR_MISMATCH,
        lambda: _with(Part(b"README", b"x", flags=8, local={"crc": 0, "packed": 0, "size": 0})),
    ),
    "descriptor_wide_without_zip64": (
        Code.DATA_DESCRIPTOR_MISMATCH,
        lambda: _with(_without_extra(streamed(b"README", b"x", wide=True))),
    ),
    "unicode_path_twice": (
        Code.UNICODE_PATH_CONFLICT,
        lambda: _with(Part(b"README", b"x", central={"extra": _unicode_path(b"README") * 2})),
    ),
    "local_unicode_path": (
        Code.UNICODE_PATH_CONFLICT,
        lambda: _with(Part(b"README", b"x", local={"extra": _unicode_path(b"LICENSE")})),
    ),
    # archive layer: content
    "stored_size": (
        Code.SIZE_MISMATCH,
        lambda: _with(Part(b"README", b"xy", method=0, local={"size": 3}, central={"size": 3})),
    ),
    "deflate_cut": (
        Code.DEFLATE_CORRUPT,
        lambda: _with(Part(b"README", b"x" * 99, packed=deflated(b"x" * 99)[:-1])),
    ),
    # archive layer: names and kinds
    "backslash": (Code.UNSAFE_NAME, lambda: _with(Part(b"data\\b.txt", b"x"))),
    "absolute": (Code.UNSAFE_NAME, lambda: _with(Part(b"/data/b.txt", b"x"))),
    "drive": (Code.UNSAFE_NAME, lambda: _with(Part(b"C:b.txt", b"x"))),
    "percent": (Code.UNSAFE_NAME, lambda: _with(Part(b"data/100%.txt", b"x"))),
    "trailing_dot": (Code.UNSAFE_NAME, lambda: _with(Part(b"data/b.", b"x"))),
    "trailing_space_of_folder": (Code.UNSAFE_NAME, lambda: _with(Part(b"data/b /c.txt", b"x"))),
    "nul_byte": (Code.UNSAFE_NAME, lambda: _with(Part(b"data/b.txt\x00.exe", b"x"))),
    "reserved_with_extension": (Code.UNSAFE_NAME, lambda: _with(Part(b"data/Nul.tar.gz", b"x"))),
    "case_only": (Code.NAME_COLLISION, lambda: _with(Part(b"data/A.TXT", b"x"))),
    "folder_case_only": (Code.NAME_COLLISION, lambda: _with(Part(b"Data/b.txt", b"x"))),
    "one_letter_twice": (Code.DUPLICATE_NAME, lambda: _with_two(Part(b"r", b"x"), Part(b"r", b"x"))),
    "seventeen_deep": (Code.NAME_TOO_LONG, lambda: _with(Part(b"data/" + b"d/" * 15 + b"b", b"x"))),
    "thumbs": (Code.JUNK_MEMBER, lambda: _with(Part(b"data/Thumbs.db", b"x"))),
    "folder_with_data": (Code.DIRECTORY_WITH_DATA, lambda: _with(Part(b"data/", b"x", method=0))),
    "folder_without_slash": (
        Code.NOT_REGULAR_FILE,
        lambda: _with(Part(b"data/b", method=0, central={"attributes": 0o040755 << 16 | 0x10})),
    ),
    "aes": (Code.ENCRYPTED, lambda: _with(Part(b"README", b"x", method=99))),
    "patched": (Code.METHOD_UNSUPPORTED, lambda: _with(Part(b"README", b"x", flags=0x20))),
    # bag layer
    "no_bagit_txt": (Code.BAG_DECLARATION, lambda: archive(bag(tags={"bagit.txt": None}))),
    "bagit_version_2": (Code.BAG_DECLARATION, lambda: _declared(BAGIT.replace(b"1.0", b"2.0"))),
    "bagit_not_utf8": (Code.BAG_DECLARATION, lambda: _declared(BAGIT.replace(b"UTF-8", b"UTF-16"))),
    "bagit_byte_order_mark": (Code.BAG_DECLARATION, lambda: _declared(b"\xef\xbb\xbf" + BAGIT)),
    "two_top_folders": (
        Code.BAG_DECLARATION,
        lambda: archive([*bag(root="one/"), Part(b"two/", method=0)]),
    ),
    "no_manifest": (Code.MANIFEST_MISSING, lambda: archive(bag(tags={"manifest-sha256.txt": None}))),
    "manifest_without_digest": (Code.MANIFEST_SYNTAX, lambda: _manifest(_MANIFEST + b"data/b.txt\n")),
    "manifest_short_digest": (Code.MANIFEST_SYNTAX, lambda: _manifest(_MANIFEST + b"abc123  data/b.txt\n")),
    "manifest_names_tag_file": (
        Code.MANIFEST_SYNTAX,
        lambda: _manifest(_MANIFEST + _DIGEST.encode() + b"  bagit.txt\n"),
    ),
    "manifest_names_file_twice": (Code.MANIFEST_SYNTAX, lambda: _manifest(_MANIFEST * 2)),
    "manifest_not_utf8": (Code.MANIFEST_SYNTAX, lambda: _manifest(_MANIFEST + b"\xff\xfe")),
    "manifest_case_differs": (
        Code.MISSING_MEMBER,
        lambda: _manifest(_MANIFEST + _DIGEST.encode() + b"  data/A.txt\n"),
    ),
    "manifest_leaves_one_out": (Code.EXTRA_MEMBER, lambda: _with(Part(b"data/b.txt", b"x"))),
    "tag_manifest_digest": (
        Code.DIGEST_MISMATCH,
        lambda: archive(bag(tags={"tagmanifest-sha256.txt": _DIGEST.encode() + b"  bagit.txt\n"})),
    ),
    "tag_manifest_names_missing": (
        Code.MISSING_MEMBER,
        lambda: archive(bag(tags={"tagmanifest-sha256.txt": _DIGEST.encode() + b"  bag-info.txt\n"})),
    ),
    "tag_manifest_names_payload": (
        Code.MANIFEST_SYNTAX,
        lambda: archive(bag(tags={"tagmanifest-sha256.txt": _MANIFEST})),
    ),
    "oxum": (Code.OXUM_MISMATCH, lambda: archive(bag(tags={"bag-info.txt": b"Payload-Oxum: 7.1\n"}))),
    "fetch": (Code.FETCH_NOT_ALLOWED, lambda: archive(bag(tags={"fetch.txt": b""}))),
    "tag_file_of_its_own": (Code.TAG_FILE_NOT_ALLOWED, lambda: archive(bag(tags={"notes.txt": b"x"}))),
    "tag_file_in_folder": (Code.TAG_FILE_NOT_ALLOWED, lambda: archive(bag(tags={"meta/README": b"x"}))),
}

ACCEPT: dict[str, Callable[[], bytes]] = {
    "one_top_folder": lambda: archive([Part(b"bolsa/", method=0), *bag(root="bolsa/")]),
    "stored": lambda: archive([Part(part.name, part.data, method=0) for part in bag()]),
    "descriptor_with_signature": lambda: archive([streamed(part.name, part.data) for part in bag()]),
    "descriptor_bare": lambda: archive([streamed(part.name, part.data, signature=False) for part in bag()]),
    "descriptor_wide": lambda: archive([streamed(part.name, part.data, wide=True) for part in bag()]),
    "zip64_field_repeats_the_header": lambda: archive(
        [
            *bag(),
            Part(b"README", b"x", central={"size": 0xFFFFFFFF, "extra": struct.pack("<2H2Q", 1, 16, 1, 3)}),
        ]
    ),
    "unicode_path_repeats_the_name": lambda: _with(
        Part("LICENSE-ñ".encode(), b"x", central={"extra": _unicode_path("LICENSE-ñ".encode())})
    ),
    "archive_as_payload": lambda: archive(bag({"data/inner.zip": archive(bag())})),
    "empty_files": lambda: archive(bag({"data/empty": b"", "data/sub/empty": b""})),
    "manifest_crlf_and_upper_case": lambda: _manifest(_DIGEST.upper().encode() + b"  data/a.txt\r\n"),
    "manifest_binary_star": lambda: _manifest(_DIGEST.encode() + b" *data/a.txt"),
    "bag_info_folded_line": lambda: archive(
        bag(tags={"bag-info.txt": b"Source-Organization: A\n  and B\nPayload-Oxum:\n 6.1\n"})
    ),
    "other_algorithm": lambda: archive(bag(tags={"manifest-md5.txt": b"never read\n"})),
    "read_me_and_licence": lambda: archive(
        bag(tags={"README.md": b"x", "LICENSE.txt": b"x", "ro-crate-metadata.json": b"{}"})
    ),
    "compression_remark_in_one_header": lambda: _with(Part(b"README", b"x", local={"flags": 0x0002})),
    "sixteen_deep": lambda: archive(bag({"data/" + "d/" * 14 + "b": b"x"})),
}


def _unicode_path(name: bytes) -> bytes:
    import zlib

    body = b"\x01" + zlib.crc32(b"README" if name == b"LICENSE" else name).to_bytes(4, "little") + name
    return struct.pack("<2H", 0x7075, len(body)) + body


def _directory_size(parts: list[Part]) -> int:
    return sum(46 + len(part.name) for part in parts)


def _with_two(one: Part, other: Part) -> bytes:
    return archive([*bag(), one, other])


def _followed(part: Part, after: bytes) -> Part:
    part.after += after
    return part


def _without_extra(part: Part) -> Part:
    part.local.pop("extra")
    return part


def made() -> dict[Path, bytes]:
    """Every file of reject/ and accept/ as it should be."""
    reject = {HERE / "reject" / f"{name}.zip": make() for name, (_, make) in REJECT.items()}
    return reject | {HERE / "accept" / f"{name}.zip": make() for name, make in ACCEPT.items()}


def main() -> None:
    files = made()
    for folder in ("reject", "accept"):
        (HERE / folder).mkdir(exist_ok=True)
        for old in (HERE / folder).glob("*.zip"):
            if old not in files:
                old.unlink()
    for path, content in files.items():
        path.write_bytes(content)


if __name__ == "__main__":
    main()
