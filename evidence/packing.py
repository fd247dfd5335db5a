"""Writes evidence packages: a BagIt bag (RFC 8493, SHA-256) in a ZIP, the same bytes for the same content."""

import csv
import hashlib
import io
import json
import zipfile
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, BinaryIO

import rfc8785

_BAGIT = b"BagIt-Version: 1.0\nTag-File-Character-Encoding: UTF-8\n"
_DATE = (1980, 1, 1, 0, 0, 0)  # the oldest that a ZIP can hold: dates are no part of the evidence
_CHUNK = 1 << 20


def json_document(value: Mapping[str, Any]) -> bytes:
    """A descriptor as UTF-8 JSON, indented for people."""
    return (json.dumps(value, ensure_ascii=False, indent=1) + "\n").encode()


def json_lines(records: Iterable[Mapping[str, Any]]) -> bytes:
    """Records as JSON Lines in UTF-8, one object a line."""
    return b"".join(
        json.dumps(record, ensure_ascii=False, separators=(",", ":")).encode() + b"\n" for record in records
    )


def set_sha256(items: Iterable[Mapping[str, Any]]) -> str:
    """The hash of a question set: SHA-256 of its sorted item hashes, each followed by a line feed.

    An item's hash is the SHA-256 of its RFC 8785 form without `id` and without keys that are None.
    """
    hashes = sorted(
        hashlib.sha256(
            rfc8785.dumps({key: value for key, value in item.items() if key != "id" and value is not None})
        ).hexdigest()
        for item in items
    )
    return hashlib.sha256("".join(f"{digest}\n" for digest in hashes).encode()).hexdigest()


def csv_table(header: list[str], rows: Iterable[Iterable[Any]]) -> bytes:
    """A CSV with RFC 4180 quoting; True and False as «true» and «false», None as an empty cell."""
    words = {True: "true", False: "false", None: ""}
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\r\n")
    writer.writerow(header)
    for row in rows:
        writer.writerow([words[cell] if cell is None or isinstance(cell, bool) else cell for cell in row])
    return text.getvalue().encode()


# The bytes themselves, a file to copy, or how to open what is copied.
Content = bytes | Path | Callable[[], BinaryIO]


def pack(
    payload: Mapping[str, Content], *, into: BinaryIO, bag_info: Mapping[str, str] | None = None
) -> None:
    """Write the package of `payload` (path below `data/` → its content) to `into`.

    Files are streamed; the manifest, the Payload-Oxum and the tag manifest are made here. Raises
    ValueError for a path that leaves the payload.
    """
    digests: dict[str, str] = {}
    total = 0
    with zipfile.ZipFile(into, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, content in payload.items():
            if not path or path.startswith("/") or ".." in path.split("/"):
                raise ValueError(f"{path!r} is not a path below data/")
            digest = hashlib.sha256()
            with archive.open(_entry(f"data/{path}"), "w", force_zip64=True) as member:
                for chunk in _chunks(content):
                    digest.update(chunk)
                    total += member.write(chunk)
            digests[f"data/{path}"] = digest.hexdigest()
        info = {**(bag_info or {}), "Payload-Oxum": f"{total}.{len(digests)}"}
        tags = {
            "bagit.txt": _BAGIT,
            "bag-info.txt": "".join(f"{key}: {value}\n" for key, value in info.items()).encode(),
            "manifest-sha256.txt": _manifest(digests),
        }
        tags["tagmanifest-sha256.txt"] = _manifest(
            {path: hashlib.sha256(content).hexdigest() for path, content in tags.items()}
        )
        for path, content in tags.items():
            archive.writestr(_entry(path), content)


def _entry(path: str) -> zipfile.ZipInfo:
    entry = zipfile.ZipInfo(path, date_time=_DATE)
    entry.compress_type = zipfile.ZIP_DEFLATED
    entry.external_attr = 0o100644 << 16
    return entry


def _chunks(content: Content) -> Iterable[bytes]:
    if isinstance(content, bytes):
        yield content
        return
    with content.open("rb") if isinstance(content, Path) else content() as file:
        while chunk := file.read(_CHUNK):
            yield chunk


def _manifest(digests: Mapping[str, str]) -> bytes:
    # RFC 8493 §2.1.3: «%», CR and LF in a path are percent-encoded.
    lines = []
    for path, digest in digests.items():
        written = path.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
        lines.append(f"{digest}  {written}\n")
    return "".join(lines).encode()
