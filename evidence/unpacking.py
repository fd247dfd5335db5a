"""Reads members once: local header, inflate, size, CRC-32 and SHA-256 in one pass of bounded memory."""

import hashlib
from collections.abc import Callable, Iterator
from struct import Struct

from evidence import inflate, names
from evidence.archive import Archive, Entry, same_unicode_path
from evidence.findings import Code, Finding, Phrase, Value
from evidence.zip_format import (
    DEFLATED,
    DESCRIPTOR_SIGNATURE,
    FLAG_DESCRIPTOR,
    FLAGS_REMARK,
    LOCAL,
    LOCAL_SIGNATURE,
    MAX16,
    MAX32,
    extra_fields,
    zip64_values,
)

# Unpacked in steps that stay in the processor's second cache; read from the file in larger ones.
_STEP = 128 << 10
_READ = 1 << 20
# Up to these sizes a member is read whole, out of a window that holds its neighbours too.
_SMALL_PACKED = 64 << 10
_SMALL = 256 << 10

_NARROW = Struct("<3L")
_WIDE = Struct("<LQQ")
_LONGEST_DESCRIPTOR = len(DESCRIPTOR_SIGNATURE) + _WIDE.size

Feed = Callable[[bytes], None]


class _Fault(Exception):
    """What is wrong with one member; the others are still read."""

    def __init__(
        self, code: Code, *, key: str | None = None, expected: Value = None, found: Value = None
    ) -> None:
        super().__init__(code)
        self.code, self.key, self.expected, self.found = code, key, expected, found


class Unpacker:
    """Reads members of one archive, one after the other; every thread has its own.

    `after_step` is told how many bytes were just unpacked; what it raises ends the reading.
    """

    def __init__(self, archive: Archive, *, after_step: Callable[[int], None]) -> None:
        self._source = archive.source
        self._after_step = after_step
        self._window = b""
        self._window_at = 0

    def read(self, entry: Entry, feed: Feed | None = None) -> Finding | None:
        """Check one member, handing its bytes to `feed`: what is wrong, or None and `entry.sha256` is set.

        What `feed` was given counts only if nothing is wrong: the CRC stands at the end.
        """
        small = entry.end - entry.offset <= _SMALL_PACKED and entry.size <= _SMALL
        try:
            if small:
                self._read_small(entry, feed)
            else:
                self._read_large(entry, feed)
        except _Fault as fault:
            return Finding(fault.code, entry.name, fault.key, fault.expected, fault.found)
        return None

    def _read_small(self, entry: Entry, feed: Feed | None) -> None:
        at = entry.offset - self._window_at
        end = entry.end - self._window_at
        if at < 0 or end > len(self._window):
            self._window = self._source.read_at(entry.offset, max(entry.end - entry.offset, _READ))
            self._window_at = entry.offset
            at, end = 0, entry.end - entry.offset
        window = self._window
        data_at, wide = _local_header(window, at, end, entry)
        data_end = data_at + entry.packed
        if data_end != end or entry.flags & FLAG_DESCRIPTOR:
            _check_after(window[data_end:end], end - data_end, wide, entry)
        data = window[data_at:data_end]
        size = entry.size
        if entry.method == DEFLATED:
            stream = inflate.inflater()
            try:
                data = stream.decompress(data, size + 1)
            except inflate.ERRORS:
                raise _Fault(Code.DEFLATE_CORRUPT, found=Phrase.STREAM_DAMAGED) from None
            if len(data) <= size and not stream.eof:
                raise _Fault(Code.DEFLATE_CORRUPT, expected=Phrase.END_OF_STREAM, found=Phrase.STREAM_CUT)
            if stream.unused_data and len(data) == size:
                raise _Fault(Code.DEFLATE_TRAILING, expected=0, found=len(stream.unused_data))
        if len(data) != size:
            found = Phrase.LONGER if len(data) > size else len(data)
            raise _Fault(Code.SIZE_MISMATCH, expected=size, found=found)
        crc = inflate.crc32(data)
        if crc != entry.crc:
            raise _Fault(Code.CRC_MISMATCH, expected=f"{entry.crc:08x}", found=f"{crc:08x}")
        if feed is not None and data:
            feed(data)
        entry.sha256 = hashlib.sha256(data).digest()
        self._after_step(size)

    def _read_large(self, entry: Entry, feed: Feed | None) -> None:
        source = self._source
        end = entry.end - entry.offset
        header = source.read_at(entry.offset, min(end, LOCAL.size + 2 * MAX16))
        data_at, wide = _local_header(header, 0, end, entry)
        data_end = data_at + entry.packed
        if data_end != end or entry.flags & FLAG_DESCRIPTOR:
            after = source.read_at(entry.offset + data_end, max(0, min(end - data_end, _LONGEST_DESCRIPTOR)))
            _check_after(after, end - data_end, wide, entry)
        steps = self._inflated if entry.method == DEFLATED else self._stored
        digest = hashlib.sha256()
        crc = size = 0
        for chunk in steps(entry.offset + data_at, entry.offset + data_end, entry.size):
            size += len(chunk)
            if size > entry.size:
                raise _Fault(Code.SIZE_MISMATCH, expected=entry.size, found=Phrase.LONGER)
            crc = inflate.crc32(chunk, crc)
            digest.update(chunk)
            if feed is not None:
                feed(chunk)
            self._after_step(len(chunk))
        if size != entry.size:
            raise _Fault(Code.SIZE_MISMATCH, expected=entry.size, found=size)
        if crc != entry.crc:
            raise _Fault(Code.CRC_MISMATCH, expected=f"{entry.crc:08x}", found=f"{crc:08x}")
        entry.sha256 = digest.digest()

    def _stored(self, start: int, end: int, size: int) -> Iterator[bytes]:
        if end - start != size:
            raise _Fault(Code.SIZE_MISMATCH, expected=size, found=end - start)
        while start < end:
            chunk = self._source.read_at(start, min(_READ, end - start))
            start += len(chunk)
            yield chunk

    def _inflated(self, start: int, end: int, size: int) -> Iterator[bytes]:
        stream = inflate.inflater()
        left = size + 1  # one more than announced, so that a longer stream is seen and never let out
        while not stream.eof:
            data = b""
            if stream.needs_input:
                if start == end:
                    raise _Fault(Code.DEFLATE_CORRUPT, expected=Phrase.END_OF_STREAM, found=Phrase.STREAM_CUT)
                data = self._source.read_at(start, min(_READ, end - start))
                start += len(data)
            try:
                chunk = stream.decompress(data, min(_STEP, left))
            except inflate.ERRORS:
                raise _Fault(Code.DEFLATE_CORRUPT, found=Phrase.STREAM_DAMAGED) from None
            left -= len(chunk)
            if chunk:
                yield chunk
        trailing = len(stream.unused_data) + end - start
        if trailing and left == 1:
            raise _Fault(Code.DEFLATE_TRAILING, expected=0, found=trailing)


def _local_header(block: bytes, at: int, end: int, entry: Entry) -> tuple[int, bool]:
    """Compare the header at `at` with the directory: (where the data begins, whether it has a zip64 field).

    Sizes and CRC may be 0 when a descriptor follows the data; dates and other extra fields may differ.
    """
    signature, _, flags, method, _, _, crc, packed, size, name_size, extra_size = LOCAL.unpack_from(block, at)
    name_at = at + LOCAL.size
    extra_at = name_at + name_size
    data_at = extra_at + extra_size
    # Nearly every header is all of this, so it is asked first and at once.
    agrees = (
        crc == entry.crc
        and packed == entry.packed
        and size == entry.size
        and flags & ~FLAGS_REMARK == entry.flags
        and method == entry.method
    )
    if signature != LOCAL_SIGNATURE:
        raise _Fault(
            Code.LOCAL_HEADER_MISMATCH, key="signature", expected="PK\\x03\\x04", found=Phrase.ABSENT
        )
    raw = entry.name.encode()
    if block[name_at:extra_at] != raw:
        found = names.shown(block[name_at : min(extra_at, end)])
        raise _Fault(Code.LOCAL_HEADER_MISMATCH, key="name", found=found)
    if data_at + entry.packed > end:
        raise _Fault(Code.OVERLAP, expected=end - at, found=data_at + entry.packed - at)
    wide = False
    if extra_size:
        extra = extra_fields(block[extra_at:data_at])
        wide = bool(extra.zip64)
        if not extra.well_formed:
            raise _Fault(Code.EXTRA_FIELD_MALFORMED)
        if extra.unicode_path and not same_unicode_path(extra, raw):
            found = names.shown(extra.unicode_path[-1][5:])
            raise _Fault(Code.UNICODE_PATH_CONFLICT, found=found)
        if wide:
            values = zip64_values(extra, (size, packed), (MAX32, MAX32))
            if values is None:
                raise _Fault(Code.ZIP64_INVALID)
            size, packed = values
    if not agrees:
        _compare(entry, flags & ~FLAGS_REMARK, method, {"crc": crc, "packed": packed, "size": size})
    return data_at, wide


def _compare(entry: Entry, flags: int, method: int, announced: dict[str, int]) -> None:
    """Find where a local header differs from the directory, if that is not allowed."""
    for key, expected, found in (("flags", entry.flags, flags), ("method", entry.method, method)):
        if found != expected:
            raise _Fault(Code.LOCAL_HEADER_MISMATCH, key=key, expected=expected, found=found)
    for key, found in announced.items():
        expected = getattr(entry, key)
        if found != expected and not (found == 0 and flags & FLAG_DESCRIPTOR):
            raise _Fault(Code.LOCAL_HEADER_MISMATCH, key=key, expected=expected, found=found)


def _check_after(after: bytes, size: int, wide: bool, entry: Entry) -> None:
    """Judge the `size` bytes between the data and the next entry: nothing, or a descriptor that agrees.

    `after` is their beginning. The descriptor is wide when the local header has a zip64 field (APPNOTE
    4.3.9.2), else narrow; where a size needs more than 32 bits some writers make it wide without that field.
    """
    if not entry.flags & FLAG_DESCRIPTOR:
        raise _Fault(Code.HIDDEN_DATA, expected=0, found=size)
    values = (entry.crc, entry.packed, entry.size)
    wide = wide or max(values[1:]) > MAX32
    agreed = (_WIDE if wide else _NARROW).pack(*values)
    for form in (DESCRIPTOR_SIGNATURE + agreed, agreed):
        if after[: len(form)] == form:
            if size > len(form):
                raise _Fault(Code.HIDDEN_DATA, expected=len(form), found=size)
            return
    raise _Fault(Code.DATA_DESCRIPTOR_MISMATCH, expected=agreed.hex(), found=after.hex() or Phrase.ABSENT)
