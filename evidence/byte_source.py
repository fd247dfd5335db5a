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
        """The bytes from `offset`; fewer than `length` only at the end of the file."""
        if self._descriptor is not None:
            data = os.pread(self._descriptor, length, offset)
            if len(data) == length or offset + len(data) >= self.size or not data:
                return data
            return data + self.read_at(offset + len(data), length - len(data))
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
