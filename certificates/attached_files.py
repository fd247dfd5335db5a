"""Files that come with an appeal or a complaint: few, small, of kinds a person can open; by content address."""

import hashlib
import os
import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from django.conf import settings
from django.utils.text import format_lazy
from django.utils.translation import gettext_lazy as _

from certificates.refusals import RefusedAttachment
from evidence.storage import LocalStorage, refusing_when_full
from evidence.typed_json import is_unsafe_name

LARGEST = 10 * 1024**2
MOST = 5
# A request that is longer is refused before its body is read: the files, and room for the text.
LONGEST_REQUEST = MOST * LARGEST + 1024**2
_FIRST_BYTES = {b"%PDF-": "pdf", b"\x89PNG\r\n\x1a\n": "png", b"\xff\xd8\xff": "jpeg"}
_CHUNK = 64 * 1024
_BEFORE_THE_NAME = re.compile(r"^.*[/\\]", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Kept:
    """One file whose bytes are stored; the row that names it comes with what it belongs to."""

    name: str
    kind: str
    size: int
    sha256: str


def storage() -> LocalStorage:
    """Beside the evidence and not in it: its collector takes what no package names."""
    return LocalStorage(Path(settings.DATA_DIR) / "attachments")


def keep(files: Iterable[tuple[str, BinaryIO]]) -> list[Kept]:
    """Check and store (name, file) pairs; refused as a whole by `RefusedAttachment`."""
    given = list(files)
    if len(given) > MOST:
        raise _refused(format_lazy(_("At most {n} files."), n=MOST), "too_many_attachments")
    checked = [(_name(name), _kind(file), file) for name, file in given]
    return [_keep(name, kind, file) for name, kind, file in checked]


def _kind(file: BinaryIO) -> str:
    file.seek(0)
    first = file.read(_CHUNK)
    size = file.seek(0, os.SEEK_END)
    file.seek(0)
    if size > LARGEST:
        raise _refused(
            format_lazy(_("A file has at most {n} MB."), n=LARGEST // 1024**2), "attachment_too_large"
        )
    for begin, kind in _FIRST_BYTES.items():
        if first.startswith(begin):
            return kind
    if first and b"\x00" not in first:
        try:
            first.decode("utf-8")
        except UnicodeDecodeError as error:
            # A letter of several bytes may be cut by the end of what was read.
            if len(first) - error.start > 3 or size <= len(first):
                raise _refused(_KINDS, "attachment_of_another_kind") from error
        return "text"
    raise _refused(_KINDS, "attachment_of_another_kind")


_KINDS = _("Attach PDF, PNG, JPEG or plain text (UTF-8).")


def _keep(name: str, kind: str, file: BinaryIO) -> Kept:
    store = storage()
    part = store.begin()
    digest, size = hashlib.sha256(), 0
    try:
        with refusing_when_full(), store.write(part, offset=0) as out:
            while chunk := file.read(_CHUNK):
                digest.update(chunk)
                out.write(chunk)
                size += len(chunk)
            os.fsync(out.fileno())
        store.keep(part, sha256=digest.hexdigest())
    finally:
        store.discard(part)
    return Kept(name, kind, size, digest.hexdigest())


def _name(name: str) -> str:
    plain = _BEFORE_THE_NAME.sub("", name).strip()[:200]
    return "attachment" if not plain or is_unsafe_name(plain) else plain


def _refused(detail: object, code: str) -> RefusedAttachment:
    return RefusedAttachment(detail, code=code, field="attachments")
