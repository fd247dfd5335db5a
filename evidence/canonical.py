"""The canonical form of an item, its hash, and the hash of a question set."""

import hashlib
import struct
from collections import deque
from collections.abc import Iterable
from operator import eq, iadd

import msgspec

# For Structs of strings, booleans and objects of these, whose fields stand in alphabetical order, msgspec output is
# RFC 8785: keys are ASCII, so UTF-16 order is byte order, and there are no numbers. A test holds it equal to the
# rfc8785 package. Sorting the keys of each item anew (`order="sorted"`) takes a third longer.
_encoder = msgspec.json.Encoder()
# As many digests as become objects at once.
_TOGETHER = 4096


def forms(items: Iterable[msgspec.Struct]) -> list[bytes]:
    """RFC 8785 forms of Structs with sorted fields and without numbers; those that are None are left out."""
    # A line feed inside a text is escaped, so it only stands between two forms.
    return _encoder.encode_lines(items).split(b"\n")[:-1]


class Digests:
    """The SHA-256 of many items, 32 bytes each, in the order they were added."""

    def __init__(self) -> None:
        self._packed = bytearray()

    def __len__(self) -> int:
        return len(self._packed) // 32

    def __getitem__(self, index: int) -> bytes:
        return bytes(self._packed[index * 32 : index * 32 + 32])

    def extend(self, items: Iterable[msgspec.Struct]) -> None:
        sha256 = hashlib.sha256
        self._packed += b"".join([sha256(form).digest() for form in forms(items)])

    def append_unknown(self) -> None:
        """Keep the place of an item that could not be read."""
        self._packed += bytes(32)

    def set_sha256(self) -> tuple[str, int]:
        """Set hash (each sorted lower-case hex hash followed by a line feed), and how many items equal another."""
        # By first byte, so that a few thousand digests at a time become objects, not a million.
        buckets = [bytearray() for _ in range(256)]
        for start in range(0, len(self._packed), 32 * _TOGETHER):
            packed = self._packed[start : start + 32 * _TOGETHER]
            digests = struct.unpack("32s" * (len(packed) // 32), packed)
            # deque runs through the map: each digest is added to the bucket of its first byte.
            deque(map(iadd, map(buckets.__getitem__, packed[::32]), digests), maxlen=0)
        whole = hashlib.sha256()
        repeated = 0
        for index, bucket in enumerate(buckets):
            buckets[index] = bytearray()
            if bucket:
                # Texts of ASCII characters are what Python sorts fastest.
                lines = bucket.hex("\n", 32).split("\n")
                lines.sort()
                repeated += sum(map(eq, lines, lines[1:]))
                whole.update("\n".join([*lines, ""]).encode())
        return whole.hexdigest(), repeated
