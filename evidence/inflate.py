"""Undoes deflate in bounded steps: with ISA-L where it is installed, else with zlib in the same form."""

import zlib
from typing import Protocol

try:
    from isal import igzip_lib, isal_zlib
except ImportError:  # a platform without a wheel: three times slower, otherwise the same
    igzip_lib = isal_zlib = None


class Inflater(Protocol):
    """One raw deflate stream. `decompress` never gives more than `max_length` bytes at a time."""

    eof: bool
    needs_input: bool
    unused_data: bytes

    def decompress(self, data: bytes, max_length: int) -> bytes: ...


class ZlibInflater:
    """zlib with the interface of ISA-L's decompressor."""

    def __init__(self) -> None:
        self._stream = zlib.decompressobj(-zlib.MAX_WBITS)

    def decompress(self, data: bytes, max_length: int) -> bytes:
        return self._stream.decompress(self._stream.unconsumed_tail + data, max_length)

    @property
    def eof(self) -> bool:
        return self._stream.eof

    @property
    def unused_data(self) -> bytes:
        return self._stream.unused_data

    @property
    def needs_input(self) -> bool:
        return not self._stream.eof and not self._stream.unconsumed_tail


def _isal_inflater() -> Inflater:
    return igzip_lib.IgzipDecompressor(igzip_lib.DECOMP_DEFLATE)


if igzip_lib is None:
    ERRORS: tuple[type[Exception], ...] = (zlib.error,)
    inflater, crc32 = ZlibInflater, zlib.crc32
else:
    ERRORS = (igzip_lib.error, zlib.error)
    inflater, crc32 = _isal_inflater, isal_zlib.crc32
