"""The directory of a ZIP that may be hostile: what it announces is judged before anything is unpacked."""

from dataclasses import dataclass, field
from operator import attrgetter

from evidence import inflate, names
from evidence.byte_source import ByteSource
from evidence.findings import Code, Finding, Findings, Phrase
from evidence.names import Names
from evidence.zip_format import (
    AES,
    CENTRAL,
    CENTRAL_SIGNATURE,
    DEFLATED,
    FLAG_DESCRIPTOR,
    FLAG_ENCRYPTED,
    FLAG_HIDDEN_HEADERS,
    FLAG_PATCHED,
    FLAG_STRONG_ENCRYPTION,
    FLAGS_REMARK,
    LOCAL,
    MAX16,
    MAX32,
    STORED,
    BadFrame,
    Extra,
    extra_fields,
    read_frame,
    zip64_values,
)

_FILE_TYPES = {0o12: Phrase.SYMLINK}
_REGULAR = (0, 0o10)
_FOLDER = 0o04
_DOS_FOLDER = 0x10

_TAG_FILES = frozenset({"bagit.txt", "bag-info.txt", "manifest-sha256.txt", "tagmanifest-sha256.txt"})


@dataclass(frozen=True, slots=True)
class Limits:
    """How large an archive may be. Bytes, unless the name says otherwise."""

    members: int = 100_000
    member_bytes: int = 8 << 30
    total_bytes: int = 32 << 30
    directory_bytes: int = 64 << 20
    name_bytes: int = 240
    depth: int = 16
    ratio: int = 100
    ratio_from_bytes: int = 64 << 20


class Entry:
    """A member, or a folder (its name ends in «/»). It reaches to `end`, where the next thing begins."""

    __slots__ = ("crc", "end", "flags", "method", "name", "name_size", "offset", "packed", "sha256", "size")

    def __init__(
        self,
        name: str,
        name_size: int,
        offset: int,
        packed: int,
        size: int,
        crc: int,
        flags: int,
        method: int,
    ) -> None:
        self.name = name
        self.name_size = name_size  # bytes, as it stands in the file
        self.offset = offset
        self.packed = packed
        self.size = size
        self.crc = crc
        self.flags = flags
        self.method = method
        self.end = 0
        self.sha256: bytes | None = None

    @property
    def is_folder(self) -> bool:
        return self.name.endswith("/")


@dataclass(slots=True)
class Archive:
    """An archive whose directory was found in order. `entries` stand in the order of the file."""

    source: ByteSource
    entries: list[Entry] = field(default_factory=list)
    members: list[Entry] = field(default_factory=list)  # the entries that are not folders


def open_archive(source: ByteSource, findings: Findings, limits: Limits) -> Archive | None:
    """Read the whole directory and note every fault of it: frame, names, kinds, limits, places.

    Nothing is inflated. None when the frame itself cannot be relied on.
    """
    try:
        frame = read_frame(source, findings, directory_bytes=limits.directory_bytes)
        # Folders have a limit of their own; more entries than that are not even looked at.
        if frame.entries > 2 * limits.members + len(_TAG_FILES):
            raise BadFrame(Code.MEMBER_LIMIT, expected=limits.members, found=frame.entries)
        archive = Archive(source)
        _read_directory(
            archive, frame.directory_offset, frame.directory_size, frame.entries, findings, limits
        )
    except BadFrame as fault:
        findings.note(fault.code, expected=fault.expected, found=fault.found)
        return None
    _check_places(archive, frame.directory_offset, findings)
    _check_limits(archive, findings, limits)
    return archive


def _read_directory(
    archive: Archive, start: int, size: int, announced: int, findings: Findings, limits: Limits
) -> None:
    directory = archive.source.read_at(start, size)
    known = Names(name_bytes=limits.name_bytes, depth=limits.depth)
    position = 0
    header_size, unpack = CENTRAL.size, CENTRAL.unpack_from
    append, take = archive.entries.append, known.take
    for _ in range(announced + 1):
        if position + header_size > size:
            break
        (
            signature,
            _made_by,
            _needed,
            flags,
            method,
            _time,
            _date,
            crc,
            packed,
            length,
            name_size,
            extra_size,
            comment_size,
            disk,
            _internal,
            attributes,
            offset,
        ) = unpack(directory, position)
        if signature != CENTRAL_SIGNATURE:
            break
        name_at = position + header_size
        extra_at = name_at + name_size
        position = extra_at + extra_size + comment_size
        if position > size:
            raise BadFrame(Code.TRUNCATED, expected=start + position, found=start + size)
        raw = directory[name_at:extra_at]
        name, fault = take(raw)
        if fault is not None:
            findings.add(Finding(fault.code, names.shown(raw), fault.key, fault.expected, fault.found))
        if comment_size:
            findings.note(Code.ARCHIVE_COMMENT, name, expected=0, found=comment_size)
        if extra_size:
            extra = extra_fields(directory[extra_at : extra_at + extra_size])
            _check_extra(extra, raw, name, findings)
            if extra.zip64 or MAX32 in (packed, length, offset):
                values = zip64_values(extra, (length, packed, offset, disk), (MAX32, MAX32, MAX32, MAX16))
                if values is None:
                    findings.note(Code.ZIP64_INVALID, name)
                    length = packed = 0  # not known, so not judged
                else:
                    length, packed, offset, disk = values
        elif MAX32 in (packed, length, offset):
            findings.note(Code.ZIP64_INVALID, name, expected=Phrase.ZIP64_RECORD, found=Phrase.ABSENT)
            length = packed = 0
        if disk:
            findings.note(Code.MULTI_DISK, name, expected=0, found=disk)
        entry = Entry(name, name_size, offset, packed, length, crc, flags & ~FLAGS_REMARK, method)
        if method not in (DEFLATED, STORED) or flags & ~(FLAGS_REMARK | FLAG_DESCRIPTOR | 0x0800):
            _check_readable(entry, findings)
        kind = attributes >> 28
        if kind not in _REGULAR or attributes & _DOS_FOLDER or not raw or raw[-1] == 0x2F:
            _check_kind(entry, kind, attributes, findings)
        append(entry)
    if position != size and len(archive.entries) <= announced:
        raise BadFrame(Code.HIDDEN_DATA, expected=0, found=size - position)
    if len(archive.entries) != announced:
        raise BadFrame(Code.ENTRY_COUNT_MISMATCH, expected=announced, found=len(archive.entries))
    for name in known.both_file_and_folder():
        findings.note(Code.NAME_COLLISION, name, found=Phrase.FILE_AND_FOLDER)


def _check_extra(extra: Extra, raw: bytes, name: str, findings: Findings) -> None:
    if not extra.well_formed:
        findings.note(Code.EXTRA_FIELD_MALFORMED, name)
    if extra.unicode_path and not same_unicode_path(extra, raw):
        findings.note(Code.UNICODE_PATH_CONFLICT, name, found=names.shown(extra.unicode_path[-1][5:]))


def same_unicode_path(extra: Extra, raw: bytes) -> bool:
    """Whether the Unicode Path field repeats the name: version 1, the CRC-32 of the name, the name."""
    repeated = b"\x01" + inflate.crc32(raw).to_bytes(4, "little") + raw
    return extra.unicode_path == (repeated,)


def _check_readable(entry: Entry, findings: Findings) -> None:
    if entry.flags & (FLAG_ENCRYPTED | FLAG_STRONG_ENCRYPTION | FLAG_HIDDEN_HEADERS) or entry.method == AES:
        findings.note(Code.ENCRYPTED, entry.name)
    elif entry.method not in (STORED, DEFLATED):
        findings.note(Code.METHOD_UNSUPPORTED, entry.name, expected="0 · 8", found=entry.method)
    elif entry.flags & FLAG_PATCHED:
        findings.note(Code.METHOD_UNSUPPORTED, entry.name, key="flags", found=f"0x{entry.flags:04x}")


def _check_kind(entry: Entry, kind: int, attributes: int, findings: Findings) -> None:
    if kind not in (*_REGULAR, _FOLDER):
        found = _FILE_TYPES.get(kind, Phrase.DEVICE)
        findings.note(Code.NOT_REGULAR_FILE, entry.name, expected=Phrase.REGULAR_FILE, found=found)
    elif entry.is_folder:
        if entry.size or entry.packed:
            findings.note(Code.DIRECTORY_WITH_DATA, entry.name, expected=0, found=entry.size or entry.packed)
    elif kind == _FOLDER or attributes & _DOS_FOLDER:
        findings.note(
            Code.NOT_REGULAR_FILE, entry.name, expected=Phrase.REGULAR_FILE, found=Phrase.FOLDER_WITHOUT_SLASH
        )


def _check_places(archive: Archive, directory_offset: int, findings: Findings) -> None:
    """Give each entry its end, and note what overlaps; what lies in between is seen when each is read."""
    entries = archive.entries
    entries.sort(key=attrgetter("offset"))
    archive.members = [entry for entry in entries if entry.name[-1:] != "/"]
    if entries and entries[0].offset:
        findings.note(Code.PREPENDED_DATA, expected=0, found=entries[0].offset)
    following = directory_offset
    local_size = LOCAL.size
    for entry in reversed(entries):
        offset = entry.offset
        entry.end = following
        # The local header repeats the name, so the entry takes at least this much.
        end = offset + local_size + entry.name_size + entry.packed
        if end > following:
            findings.note(Code.OVERLAP, entry.name, expected=following, found=end)
        following = offset


def _check_limits(archive: Archive, findings: Findings, limits: Limits) -> None:
    members = archive.members
    if not members:
        findings.note(Code.EMPTY_ARCHIVE, expected=1, found=0)
    # The limit is on what is handed in; the few tag files of a bag come on top.
    counted = len(members)
    if counted > limits.members:
        tops = [entry.name.partition("/") for entry in members if entry.name.count("/") < 2]
        counted -= sum((below or top) in _TAG_FILES for top, _, below in tops)
    total = packed = 0
    for entry in members:
        total += entry.size
        packed += entry.packed
        if entry.size > limits.member_bytes:
            findings.note(Code.SIZE_LIMIT, entry.name, expected=limits.member_bytes, found=entry.size)
    for code, key, limit, found in (
        (Code.MEMBER_LIMIT, "members", limits.members, counted),
        (Code.MEMBER_LIMIT, "folders", limits.members, len(archive.entries) - len(members)),
        (Code.SIZE_LIMIT, "total", limits.total_bytes, total),
    ):
        if found > limit:
            findings.note(code, key=key, expected=limit, found=found)
    # Sizes are held to while inflating, so what the directory announces bounds what can come out.
    if total > limits.ratio_from_bytes and total > limits.ratio * packed:
        findings.note(Code.RATIO_LIMIT, expected=limits.ratio, found=total // max(packed, 1))
