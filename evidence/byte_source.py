"""Reads any part of one seekable file, from several threads at once."""

import io
import os
import threading
from typing import BinaryIO


class ByteSource:
    """`read_at` neither moves a position that others rely on nor lets threads disturb each other."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._lock = threading.Lock()
        file.seek(0, os.SEEK_END)
        self.size: int = file.tell()
        self._descriptor = _descriptor_of(file)

    def read_at(self, offset: int, length: int) -> bytes:
        """The bytes from `offset`; fewer than `length` only at the end of the file.

        OSError when the file has become shorter than it was at first.
        """
        length = min(length, self.size - offset)
        data = self._read(offset, length)
        while len(data) < length:
            more = self._read(offset + len(data), length - len(data))
            if not more:
                raise OSError("the file became shorter while it was read")
            data += more
        return data

    def _read(self, offset: int, length: int) -> bytes:
        if self._descriptor is not None:
            return os.pread(self._descriptor, length, offset)
        with self._lock:
            self._file.seek(offset)
            return self._file.read(length)


def _descriptor_of(file: BinaryIO) -> int | None:
    """The descriptor, if the bytes of the file are the bytes of the object (not so with a GzipFile, say)."""
    # Temporary files and Django's File carry the real one in `.file`.
    file = getattr(file, "file", file)
    if isinstance(file, io.BufferedReader | io.BufferedRandom):
        file = file.raw
    return file.fileno() if isinstance(file, io.FileIO) else None
