"""Writes ZIP files byte by byte, so that each part can be made wrong on purpose."""

import hashlib
import struct
import zlib
from dataclasses import dataclass, field
from typing import Any

BAGIT = b"BagIt-Version: 1.0\nTag-File-Character-Encoding: UTF-8\n"
LOCAL = "<4s5H3L2H"
CENTRAL = "<4s6H3L5H2L"


def deflated(data: bytes, level: int = 9) -> bytes:
    """Raw deflate."""
    stream = zlib.compressobj(level, zlib.DEFLATED, -zlib.MAX_WBITS)
    return stream.compress(data) + stream.flush()


@dataclass
class Part:
    """One entry. `local` and `central` override single fields of the two headers; `after` follows the data."""

    name: bytes
    data: bytes = b""
    method: int = 8
    flags: int = 0
    packed: bytes | None = None
    before: bytes = b""
    after: bytes = b""
    local: dict[str, Any] = field(default_factory=dict)
    central: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.packed is None:
            self.packed = deflated(self.data) if self.method == 8 else self.data

    def fields(self) -> dict[str, Any]:
        return {
            "flags": self.flags,
            "method": self.method,
            "crc": zlib.crc32(self.data),
            "packed": len(self.packed),
            "size": len(self.data),
            "name": self.name,
            "extra": b"",
            "comment": b"",
            "disk": 0,
            "attributes": 0o100644 << 16,
        }


def descriptor(part: Part, *, signature: bool = True, wide: bool = False) -> bytes:
    """The data descriptor that agrees with `part`."""
    values = struct.pack("<LQQ" if wide else "<3L", zlib.crc32(part.data), len(part.packed), len(part.data))
    return (b"PK\x07\x08" if signature else b"") + values


def streamed(name: bytes, data: bytes, *, signature: bool = True, wide: bool = False) -> Part:
    """A member written without knowing its size: zeros in the local header, a descriptor after the data."""
    part = Part(name, data, flags=0x0008, local={"crc": 0, "packed": 0, "size": 0})
    if wide:
        part.local["extra"] = struct.pack("<2H2Q", 1, 16, 0, 0)
    part.after = descriptor(part, signature=signature, wide=wide)
    return part


def archive(
    parts: list[Part],
    *,
    prefix: bytes = b"",
    before_directory: bytes = b"",
    after_directory: bytes = b"",
    end: dict[str, int] | None = None,
    comment: bytes = b"",
    suffix: bytes = b"",
) -> bytes:
    """The ZIP of `parts`. `end` overrides fields of the end record."""
    body, directory = bytearray(prefix), b""
    for part in parts:
        body += part.before
        offset = len(body)
        local = part.fields() | part.local
        body += struct.pack(
            LOCAL,
            local.get("signature", b"PK\x03\x04"),
            20,
            local["flags"],
            local["method"],
            0,
            0x21,
            local["crc"],
            local["packed"],
            local["size"],
            len(local["name"]),
            len(local["extra"]),
        )
        body += local["name"] + local["extra"] + part.packed + part.after
        central = part.fields() | part.central
        directory += struct.pack(
            CENTRAL,
            b"PK\x01\x02",
            0x0314,
            20,
            central["flags"],
            central["method"],
            0,
            0x21,
            central["crc"],
            central["packed"],
            central["size"],
            len(central["name"]),
            len(central["extra"]),
            len(central["comment"]),
            central["disk"],
            0,
            central["attributes"],
            central.get("offset", offset),
        )
        directory += central["name"] + central["extra"] + central["comment"]
    body += before_directory
    fields = {
        "disk": 0,
        "directory_disk": 0,
        "here": len(parts),
        "entries": len(parts),
        "size": len(directory),
        "offset": len(body),
    } | (end or {})
    record = struct.pack("<4s4H2LH", b"PK\x05\x06", *fields.values(), len(comment))
    return bytes(body) + directory + after_directory + record + comment + suffix


def bag(
    payload: dict[str, bytes] | None = None,
    *,
    root: str = "",
    tags: dict[str, bytes | None] | None = None,
) -> list[Part]:
    """The parts of a small bag; `tags` adds tag files, replaces them, or leaves one out (None)."""
    payload = {"data/a.txt": b"alpha\n"} if payload is None else payload
    manifest = "".join(f"{hashlib.sha256(data).hexdigest()}  {path}\n" for path, data in payload.items())
    files: dict[str, bytes | None] = {"bagit.txt": BAGIT, "manifest-sha256.txt": manifest.encode()}
    files |= payload | (tags or {})
    return [Part((root + path).encode(), data) for path, data in files.items() if data is not None]
