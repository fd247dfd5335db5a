"""The structures of a ZIP file (APPNOTE 6.3.10): end records, directory, local headers, extra fields."""

from dataclasses import dataclass
from functools import lru_cache
from struct import Struct
from typing import NamedTuple

from evidence.byte_source import ByteSource
from evidence.findings import Code, Findings, Phrase, Value

# signature, disk, disk of directory, entries here, in all, size of directory, its offset, comment length
END = Struct("<4s4H2LH")
END_SIGNATURE = b"PK\x05\x06"
# signature, disk of the zip64 end record, its offset, number of disks
ZIP64_LOCATOR = Struct("<4sLQL")
ZIP64_LOCATOR_SIGNATURE = b"PK\x06\x07"
# signature, size of the rest, made by, needed, disk, disk of directory, entries here, in all, size, offset
ZIP64_END = Struct("<4sQ2H2L4Q")
ZIP64_END_SIGNATURE = b"PK\x06\x06"
# signature, made by, needed, flags, method, time, date, crc, packed, size, name, extra, comment lengths,
# disk, internal attributes, external attributes, offset
CENTRAL = Struct("<4s6H3L5H2L")
CENTRAL_SIGNATURE = b"PK\x01\x02"
# signature, needed, flags, method, time, date, crc, packed, size, name and extra lengths
LOCAL = Struct("<4s5H3L2H")
LOCAL_SIGNATURE = b"PK\x03\x04"
DESCRIPTOR_SIGNATURE = b"PK\x07\x08"

MAX16 = 0xFFFF
MAX32 = 0xFFFFFFFF

FLAG_ENCRYPTED = 0x0001
FLAG_DESCRIPTOR = 0x0008
FLAG_PATCHED = 0x0020
FLAG_STRONG_ENCRYPTION = 0x0040
FLAG_HIDDEN_HEADERS = 0x2000
# How hard the writer compressed: a remark, which some writers make in one of the two headers only.
FLAGS_REMARK = 0x0006

STORED = 0
DEFLATED = 8
AES = 99

EXTRA_ZIP64 = 0x0001
EXTRA_UNICODE_PATH = 0x7075

# An end record may be followed by a comment of 65,535 bytes; bsdtar pads to blocks of 10,240.
_TAIL = END.size + MAX16
_PADDING_LOOKED_AT = 1 << 20

# Most members of an archive share their extra fields. Long ones are not kept: they could fill the memory.
_REMEMBERED = 64


class BadFrame(Exception):
    """The frame of the ZIP cannot be relied on, so nothing in it is read further."""

    def __init__(self, code: Code, *, expected: Value = None, found: Value = None) -> None:
        super().__init__(code)
        self.code, self.expected, self.found = code, expected, found


@dataclass(frozen=True, slots=True)
class Frame:
    """Where the directory of a ZIP stands, and how many entries it announces."""

    entries: int
    directory_offset: int
    directory_size: int


class Extra(NamedTuple):
    """The extra fields that matter here: the bodies of zip64 and Unicode Path, in order."""

    well_formed: bool
    zip64: tuple[bytes, ...] = ()
    unicode_path: tuple[bytes, ...] = ()


def extra_fields(extra: bytes) -> Extra:
    """Walk a block of extra fields; not well formed when it does not end where its last field ends."""
    return _remembered(extra) if len(extra) <= _REMEMBERED else _walked(extra)


@lru_cache(maxsize=1024)
def _remembered(extra: bytes) -> Extra:
    return _walked(extra)


def _walked(extra: bytes) -> Extra:
    zip64, unicode_path = [], []
    position, end = 0, len(extra)
    while position + 4 <= end:
        field = extra[position] | extra[position + 1] << 8
        start = position + 4
        position = start + (extra[position + 2] | extra[position + 3] << 8)
        if position > end:
            return Extra(False)
        if field == EXTRA_ZIP64:
            zip64.append(extra[start:position])
        elif field == EXTRA_UNICODE_PATH:
            unicode_path.append(extra[start:position])
    return Extra(position == end, tuple(zip64), tuple(unicode_path))


def zip64_values(extra: Extra, values: tuple[int, ...], limits: tuple[int, ...]) -> tuple[int, ...] | None:
    """The header's `values`; the saturated ones (equal to their limit) are taken from the zip64 field.

    None when the field is there twice, is too short, or can be read in two ways. Some writers (Go's, say) put
    every value there although only the first ones are needed: what is left over must repeat the header.
    """
    if len(extra.zip64) > 1:
        return None
    body = extra.zip64[0] if extra.zip64 else b""
    widths = [4 if limit == MAX16 else 8 for limit in limits]
    saturated = [value == limit for value, limit in zip(values, limits, strict=True)]
    result = list(values)
    for place, width in enumerate(widths):
        if saturated[place]:
            if len(body) < width:
                return None
            result[place], body = int.from_bytes(body[:width], "little"), body[width:]
    needed = sum(saturated)
    if body and any(saturated[needed:]):
        return None
    for value, width in zip(values[needed:], widths[needed:], strict=True):
        if body:
            if len(body) < width or int.from_bytes(body[:width], "little") != value:
                return None
            body = body[width:]
    return None if body else tuple(result)


def read_frame(source: ByteSource, findings: Findings, *, directory_bytes: int) -> Frame:
    """Find the end records and where they say the directory is. BadFrame when it cannot be read.

    Comments and trailing data are noted in `findings`, and what stands before them is read on.
    """
    position, comment = _find_end(source)
    end = position + END.size + comment
    if comment:
        findings.note(Code.ARCHIVE_COMMENT, expected=0, found=comment)
    if end < source.size:
        zeros = not source.read_at(end, source.size - end).strip(b"\0")
        found = Phrase.ZEROS if zeros else source.size
        findings.note(Code.TRAILING_DATA, expected=end, found=found)
    _, disk, directory_disk, here, entries, size, offset, _ = END.unpack(source.read_at(position, END.size))
    zip64 = _zip64_end(source, position)
    if zip64 is None:
        if MAX32 in (size, offset):
            raise BadFrame(Code.ZIP64_INVALID, expected=Phrase.ZIP64_RECORD, found=Phrase.ABSENT)
    else:
        position, wide = zip64
        narrow = (disk, directory_disk, here, entries, size, offset)
        for value, limit, value64 in zip(narrow, (*[MAX16] * 4, *[MAX32] * 2), wide, strict=True):
            if value not in (limit, value64):
                raise BadFrame(Code.ZIP64_INVALID, expected=value64, found=value)
        disk, directory_disk, here, entries, size, offset = wide
    if disk or directory_disk or here != entries:
        raise BadFrame(Code.MULTI_DISK, expected=1, found=max(disk, directory_disk, 1) + 1)
    if size > directory_bytes:
        raise BadFrame(Code.DIRECTORY_LIMIT, expected=directory_bytes, found=size)
    if offset + size > position:
        raise BadFrame(Code.TRUNCATED, expected=offset + size, found=position)
    if offset + size < position:
        unaccounted = position - offset - size
        if entries and source.read_at(offset + unaccounted, 4) == CENTRAL_SIGNATURE:
            raise BadFrame(Code.PREPENDED_DATA, expected=0, found=unaccounted)
        raise BadFrame(Code.HIDDEN_DATA, expected=0, found=unaccounted)
    if not entries and not size:
        raise BadFrame(Code.EMPTY_ARCHIVE, expected=1, found=0)
    return Frame(entries, offset, size)


def _find_end(source: ByteSource) -> tuple[int, int]:
    """(offset of the end record, length of its comment): the last one that fits, preferably up to the end."""
    tail_size = min(source.size, _TAIL)
    tail = source.read_at(source.size - tail_size, tail_size)
    if not tail.strip(b"\0"):
        tail_size = min(source.size, _PADDING_LOOKED_AT)
        tail = source.read_at(source.size - tail_size, tail_size)
    fitting = None
    position = len(tail)
    while (position := tail.rfind(END_SIGNATURE, 0, position)) >= 0:
        if position + END.size <= len(tail):
            comment = tail[position + 20] | tail[position + 21] << 8
            after = len(tail) - position - END.size - comment
            if after == 0:
                return source.size - len(tail) + position, comment
            if after > 0 and fitting is None:
                fitting = source.size - len(tail) + position, comment
    if fitting is None:
        begun = source.read_at(0, 4) in (LOCAL_SIGNATURE, DESCRIPTOR_SIGNATURE)
        raise BadFrame(Code.TRUNCATED if begun else Code.NOT_A_ZIP, found=Phrase.NO_END_RECORD)
    return fitting


def _zip64_end(source: ByteSource, end: int) -> tuple[int, tuple[int, ...]] | None:
    """(offset of the zip64 end record, its six values), if a locator stands before the end record."""
    start = end - ZIP64_LOCATOR.size
    if start < 0:
        return None
    signature, disk, offset, disks = ZIP64_LOCATOR.unpack(source.read_at(start, ZIP64_LOCATOR.size))
    if signature != ZIP64_LOCATOR_SIGNATURE:
        return None
    if disk or disks > 1:
        raise BadFrame(Code.MULTI_DISK, expected=1, found=disks)
    # Exactly before its locator, no extensible data: readers look for it in two ways (CVE-2025-8291).
    expected = start - ZIP64_END.size
    if offset != expected:
        raise BadFrame(Code.ZIP64_INVALID, expected=expected, found=offset)
    signature, rest, _, _, *values = ZIP64_END.unpack(source.read_at(offset, ZIP64_END.size))
    if signature != ZIP64_END_SIGNATURE or rest != ZIP64_END.size - 12:
        raise BadFrame(Code.ZIP64_INVALID, expected=ZIP64_END.size - 12, found=rest)
    return offset, tuple(values)
