"""Receives evidence: a stream becomes one stored file and one package row, and nothing is believed yet.

For doors that have a multipart body (page and API): `evidence.upload_handler.receive(request, …)`, which
ends here. Whoever has chunks calls::

    package = intake.receive(chunks, by=user, filename="a.zip", declared_sha256=None, at=clock.now())

or, in steps, `begin(…)` → `Incoming.write(chunk)`* → `Incoming.finish()`; `resume(…)` goes on at an offset.
After it the door calls `certificates.pipeline.wake(package)`: the worker starts at once, and if that message
is lost the sweep sends it.

What a caller sees:

- the package in state `received` (new), or the very package that this submitter's same bytes already made,
  whatever its state: handing in twice is no error;
- `NotAllowed` 403, `TooLarge` 413, `StorageFull` 507, `InvalidDigest` 422 before a byte of the body is read;
- `StorageFull` 507 or `TooLarge` 413 in the middle: nothing is kept, neither file nor row;
- `ConnectionCut` 400 when the body ends early: the part stays, `receiving`, until its deadline;
- a declared SHA-256 that the bytes do not have is no refusal: the package is kept, and its verification
  rejects it with DIGEST_DECLARED_MISMATCH. Handing in the same bytes with the right one opens it again, as
  it does with a package whose scheme was not yet published.

Never whole in memory; the digest is computed while writing.
"""

import errno
import hashlib
import os
import re
import unicodedata
from collections.abc import Iterable, Iterator
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.db import transaction
from django.utils.translation import gettext_lazy as _

from evidence import storage, verification
from evidence.models import EvidencePackage, PackageState, Participation
from evidence.models.package import ParticipationKind
from evidence.storage import StorageFull
from registry_site import audit, clock, roles
from registry_site.models import User
from registry_site.problems import NotAllowed, Refusal
from registry_site.roles import Role

# An upload may be resumed until then; afterwards it has failed, by its submitter's fault.
TIME_TO_ARRIVE = timedelta(hours=24)
# Three attempts at the largest archive fit into this.
TIME_TO_ANSWER = timedelta(hours=12)
_SHA256 = re.compile(r"[0-9a-f]{64}\Z")
# What programs and people put between the digits of a digest.
_GROUPED = re.compile(r"[\s:-]")
_CHECK_ROOM_EVERY = 64 * 1024**2
_READ = 1024**2


class TooLarge(Refusal):
    code = "package_too_large"
    status = 413
    title = _("The file is larger than this registry accepts. Nothing was kept.")


class InvalidDigest(Refusal):
    code = "invalid_sha256"
    status = 422
    title = _("A SHA-256 is written as 64 hexadecimal digits.")


class ConnectionCut(Refusal):
    """The body ended before its announced end; what arrived waits for the rest until its deadline."""

    code = "upload_incomplete"
    status = 400
    title = _("The upload ended before the whole file had arrived. Please send it again.")


class UploadClosed(Refusal):
    code = "upload_closed"
    status = 409
    title = _("This upload is no longer being received. Please send the file again.")


class WrongOffset(Refusal):
    code = "wrong_offset"
    status = 409
    title = _("The upload does not go on where the part ends: see «received_bytes».")


class DigestMismatch(Refusal):
    """Only for bytes that already are a package: a new file is kept and rejected by its verification."""

    code = "digest_declared_mismatch"
    status = 422
    title = _("The file that arrived is not the declared one. It is already here under its own SHA-256.")


# ── who may ──────────────────────────────────────────────────────────────────
def refusal_to_submit(user: Any) -> str | None:
    """Why `user` may not hand in evidence, or None. The page hides its form by it, `begin` asks it too.

    Evaluators hand in; so may a service account (its token's role is the API's to check), which has no
    person and therefore takes part in nothing.
    """
    if not getattr(user, "is_authenticated", False) or not user.is_active:
        return _("Sign in to hand in evidence.")
    if user.person_id is None or roles.holds(user, Role.EVALUATOR):
        return None
    return _("Only an evaluator hands in evidence.")


def admit(*, by: User, size: int | None, recorded_here: bool = False) -> None:
    """Everything that can be refused before the body is read. `size` is the announced one, in bytes.

    What the registry recorded of a run (`recorded_here`) is handed in for whoever operated it, who holds no role.
    """
    if not recorded_here and (reason := refusal_to_submit(by)):
        raise NotAllowed(reason)
    if size is not None and size > settings.EVIDENCE_MAX_UPLOAD_BYTES:
        raise TooLarge(limit=settings.EVIDENCE_MAX_UPLOAD_BYTES)
    if not storage.current().room().has(size or 0):
        raise StorageFull


def declared_digest(text: str | None) -> str:
    """A declared SHA-256 in lower case, or "" for none, however its digits are grouped. Raises InvalidDigest."""
    digest = _GROUPED.sub("", text or "").lower()
    if digest and not _SHA256.match(digest):
        raise InvalidDigest
    return digest


def _plain_name(filename: str) -> str:
    """The last part of a file name as text to show: NFC, no control or bidi characters, ≤ 200."""
    name = unicodedata.normalize("NFC", filename).replace("\\", "/").rpartition("/")[2]
    return "".join(c for c in name if unicodedata.category(c) not in {"Cc", "Cf", "Cs", "Zl", "Zp"})[:200]


# ── receiving ────────────────────────────────────────────────────────────────
class Incoming:
    """One upload on its way into a part file. Exactly one of finish, leave and discard ends it."""

    def __init__(self, package: EvidencePackage, *, offset: int):
        self.package = package
        self.received = offset
        self._store = storage.current()
        try:
            self._file = self._store.write(package.part, offset=offset)
        except BlockingIOError as error:
            raise UploadClosed(_("Another connection is sending this file at the moment.")) from error
        # The state of a digest cannot be stored: an upload that is resumed is hashed once it is whole.
        self._digest = hashlib.sha256() if offset == 0 else None
        self._room_checked_at = offset

    def write(self, chunk: bytes | bytearray | memoryview) -> None:
        """Append. Raises StorageFull or TooLarge, and then nothing of the upload is left."""
        try:
            if self.received + len(chunk) > settings.EVIDENCE_MAX_UPLOAD_BYTES:
                raise TooLarge(limit=settings.EVIDENCE_MAX_UPLOAD_BYTES)
            with storage.refusing_when_full():
                self._write_all(chunk)
            if self._digest is not None:
                self._digest.update(chunk)
            self.received += len(chunk)
            if self.received - self._room_checked_at >= _CHECK_ROOM_EVERY:
                self._room_checked_at = self.received
                if not self._store.room().has(0):
                    raise StorageFull
        except Refusal:
            self.discard()
            raise

    def _write_all(self, chunk: bytes | bytearray | memoryview) -> None:
        view = memoryview(chunk)
        while view:
            # A raw file may write less than it was given, just before the disk is full.
            written = self._file.write(view)
            if not written:
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            view = view[written:]

    def leave(self) -> None:
        """The connection is gone: the part stays as it is, and may be resumed until its deadline."""
        self._file.close()
        EvidencePackage.objects.filter(pk=self.package.pk, state=PackageState.RECEIVING).update(
            received_bytes=self.received
        )

    def discard(self) -> None:
        """Keep nothing: neither part nor row."""
        self._file.close()
        self._store.discard(self.package.part)
        EvidencePackage.objects.filter(pk=self.package.pk, state=PackageState.RECEIVING).delete()

    def finish(self, *, declared_sha256: str | None = None) -> EvidencePackage:
        """The file is whole: store it, make the row `received`, record who took part.

        `declared_sha256` replaces the one given at the beginning (a multipart field may come after the file).
        """
        try:
            with storage.refusing_when_full():
                os.fsync(self._file.fileno())
            self._file.close()
            sha256 = self._digest.hexdigest() if self._digest is not None else self._hash_part()
            declared = declared_digest(declared_sha256) or self.package.declared_sha256
            return _keep(
                self.package, sha256=sha256, size=self.received, declared=declared, store=self._store
            )
        except Refusal:
            self.discard()
            raise

    def _hash_part(self) -> str:
        with self._store.open_part(self.package.part) as file:
            return hashlib.file_digest(file, "sha256").hexdigest()


def begin(
    *,
    by: User,
    filename: str = "",
    declared_sha256: str | None = None,
    declared_size: int | None = None,
    recorded_here: bool = False,
    at: datetime,
) -> Incoming:
    """Open an upload: checks, a part file, a `receiving` row with its deadline."""
    admit(by=by, size=declared_size, recorded_here=recorded_here)
    declared = declared_digest(declared_sha256)
    store = storage.current()
    part = store.begin()
    try:
        package = EvidencePackage.objects.create(
            submitter=by,
            filename=_plain_name(filename),
            declared_sha256=declared,
            part=part,
            state=PackageState.RECEIVING,
            created_at=at,
            deadline_at=at + TIME_TO_ARRIVE,
        )
    except BaseException:
        store.discard(part)
        raise
    return Incoming(package, offset=0)


def resume(package: EvidencePackage, *, offset: int, by: User, declared_size: int | None = None) -> Incoming:
    """Go on with an upload whose connection was cut, at exactly the byte where its part ends."""
    admit(by=by, size=declared_size)
    if package.submitter_id != by.pk:
        raise NotAllowed
    if package.state != PackageState.RECEIVING:
        raise UploadClosed
    received = storage.current().part_size(package.part)
    if offset != received:
        raise WrongOffset(received_bytes=received)
    return Incoming(package, offset=offset)


def receive(
    chunks: Iterable[bytes],
    *,
    by: User,
    filename: str = "",
    declared_sha256: str | None = None,
    declared_size: int | None = None,
    recorded_here: bool = False,
    at: datetime,
) -> EvidencePackage:
    """Receive a whole file from an iterator of chunks; see the module's text for what is refused how.

    An OSError or EOFError of the iterator (the connection) leaves the part `receiving` and raises
    ConnectionCut; so does an end before `declared_size`.
    """
    incoming = begin(
        by=by,
        filename=filename,
        declared_sha256=declared_sha256,
        declared_size=declared_size,
        recorded_here=recorded_here,
        at=at,
    )
    try:
        for chunk in _arriving(chunks):
            incoming.write(chunk)
        if declared_size is not None and incoming.received < declared_size:
            raise ConnectionCut
    except BaseException:
        incoming.leave()  # of what was discarded already nothing is left to leave
        raise
    return incoming.finish()


def _arriving(chunks: Iterable[bytes]) -> Iterator[bytes]:
    """The chunks; what the connection does to them is told from what our own disk does."""
    try:
        yield from chunks
    except (OSError, EOFError) as error:
        raise ConnectionCut from error


def _keep(
    package: EvidencePackage, *, sha256: str, size: int, declared: str, store: storage.LocalStorage
) -> EvidencePackage:
    """The one transaction in which a part becomes evidence, or turns out to be evidence already."""
    with transaction.atomic():
        storage.lock_against_collecting()
        # Eight uploads of the same bytes may end at once: the first makes the package, the rest find it.
        storage.lock_address(sha256)
        if (
            not EvidencePackage.objects.select_for_update()
            .filter(pk=package.pk, state=PackageState.RECEIVING)
            .exists()
        ):
            raise UploadClosed
        # The database clock, read now: an upload may take hours, and nothing is dated back.
        at = clock.now()
        known = (
            EvidencePackage.objects.select_for_update()
            .filter(submitter_id=package.submitter_id, sha256=sha256)
            .first()
        )
        if known is not None:
            if declared and declared != sha256 and declared != known.declared_sha256:
                raise DigestMismatch(expected=declared, found=sha256)
            store.keep(package.part, sha256=sha256)
            package.delete()
            if declared in {"", sha256} and _was_rejected_for_now(known):
                _open_again(known, declared=declared, at=at)
            return known
        store.keep(package.part, sha256=sha256)
        package.part = ""
        package.declared_sha256 = declared
        package.sha256 = sha256
        package.size = package.received_bytes = package.progress_total = size
        package.state = PackageState.RECEIVED
        package.received_at = at
        package.deadline_at = at + TIME_TO_ANSWER
        package.save()
        if package.submitter.person_id is not None:
            Participation.objects.create(
                package=package,
                person_id=package.submitter.person_id,
                kind=ParticipationKind.SUBMITTED,
                at=at,
            )
        audit.record(
            "package.received",
            by=package.submitter.person,
            at=at,
            subject=f"package:{package.pk}",
            sha256=sha256,
        )
        return package


def _was_rejected_for_now(package: EvidencePackage) -> bool:
    """Whether what it was rejected for was not its content: the declaration, or a scheme not yet published."""
    if package.state != PackageState.REJECTED:
        return False
    last = verification.latest(package)
    return last is not None and last.verifier_version in verification.PROVISIONAL


def _open_again(package: EvidencePackage, *, declared: str, at: datetime) -> None:
    """Back to the beginning of its journey, with the declaration of now and three attempts."""
    package.declared_sha256 = declared
    package.state = PackageState.RECEIVED
    package.attempts = 0
    package.received_at = at
    package.finished_at = None
    package.deadline_at = at + TIME_TO_ANSWER
    package.save()
