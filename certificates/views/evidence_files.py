"""The bytes of evidence that are open to everybody: the whole file, or one member straight out of the ZIP."""

import re
import unicodedata
import zipfile
from base64 import b64encode
from collections.abc import Iterator
from http import HTTPStatus
from typing import BinaryIO
from urllib.parse import quote, urlsplit

from django.conf import settings
from django.http import (
    HttpRequest,
    HttpResponse,
    HttpResponseBase,
    HttpResponsePermanentRedirect,
    HttpResponseRedirect,
    StreamingHttpResponse,
)
from django.utils.cache import get_conditional_response
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_safe

from certificates import addresses, finding, measured, sealed_sets
from certificates.models import Certificate
from certificates.views import answers
from evidence import descriptor as descriptors
from evidence import storage
from evidence.descriptor import Access
from registry_site.problems import NotAllowed, Refusal

CHUNK = 256 * 1024


class NotOpen(NotAllowed):
    """The evidence exists and is not for everybody; `access` says how far it is open."""

    code = "evidence_not_open"
    title = _("This evidence is not published")


class Sealed(NotAllowed):
    code = "member_sealed"
    title = _("This member is sealed")


class Withheld(Refusal):
    code = "evidence_withheld"
    status = HTTPStatus.GONE
    title = _("These bytes were withheld. Their digest, size and history remain.")


class MemberNotFound(Refusal):
    code = "member_not_found"
    status = HTTPStatus.NOT_FOUND
    title = _("The evidence has no member of that name")


@require_safe
def evidence_archive(request: HttpRequest, number: str) -> HttpResponseBase:
    """`/c/<number>/evidence.zip`: only where access is open and nothing is sealed."""
    certificate = finding.certificate(number)
    address = addresses.evidence_archive(certificate.number)
    if elsewhere := _one_address(request, number, certificate, address):
        return elsewhere
    verification = certificate.measurement.verification
    access = _access(certificate)
    if access is not Access.OPEN:
        raise NotOpen(_ARCHIVE_CLOSED[access], access=access.value, until=None)
    if sealed_sets.covers(certificate.measurement):
        raise NotOpen(_SET_SEALED, access=access.value, until=None)
    if verification.members.filter(sealed=True).exists():
        raise NotOpen(
            _(
                "A package with a sealed member is not handed out whole; no day has been set on which the "
                "seal is opened. Its open members can be downloaded one by one."
            ),
            access=access.value,
            until=None,
        )
    return _Download(
        request,
        name=f"{certificate.number}-evidence.zip",
        sha256=verification.sha256,
        size=verification.size,
    ).of_file(verification.sha256)


@require_safe
def evidence_member(request: HttpRequest, number: str, member: str) -> HttpResponseBase:
    """`/c/<number>/evidence/<path>`: an unsealed member, unless only the digest is published."""
    certificate = finding.certificate(number)
    address = addresses.evidence_member(certificate.number, quote(member))
    if elsewhere := _one_address(request, number, certificate, address):
        return elsewhere
    verification = certificate.measurement.verification
    access = _access(certificate)
    if access is Access.DIGEST_ONLY:
        raise NotOpen(_ARCHIVE_CLOSED[access], access=access.value, until=None)
    row = verification.members.filter(path=unicodedata.normalize("NFC", member)).first()
    if row is None:
        raise MemberNotFound()
    if not row.sealed and sealed_sets.covers(certificate.measurement) and sealed_sets.is_covered(row.path):
        raise Sealed(_SET_SEALED, commitment=None, until=None)
    if row.sealed:
        raise Sealed(
            _(
                "Its content is kept in the registry, and its salted commitment is public. No day has been "
                "set on which the seal is opened."
            ),
            commitment=row.commitment,
            until=None,
        )
    if row.path == descriptors.PATH and not measured.descriptor_is_open(certificate.measurement):
        raise NotOpen(
            _(
                "It repeats a figure that is not published, because it rests on too few answers. Everything else "
                "that it declares stands on the certificate's page."
            ),
            access=access.value,
            until=None,
        )
    return _Download(
        request, name=f"{certificate.number}-{row.sha256[:16]}.bin", sha256=row.sha256, size=row.size
    ).of_member(verification.sha256, row.path)


_SET_SEALED = _(
    "Its question set is sealed: what quotes a question is not handed out, whatever the package says. The commitment "
    "to the questions is on the page of the set."
)
_ARCHIVE_CLOSED = {
    Access.MEMBERS: _(
        "Whoever handed it in opened its members one by one, not the whole file. This has no end date."
    ),
    Access.DIGEST_ONLY: _(
        "Whoever handed it in publishes its SHA-256 alone. This has no end date; whoever holds the file can "
        "compare it."
    ),
}


def _access(certificate: Certificate) -> Access:
    return Access(certificate.measurement.descriptor.get("access") or Access.MEMBERS)


def _one_address(
    request: HttpRequest, number: str, certificate: Certificate, address: str
) -> HttpResponseRedirect | HttpResponsePermanentRedirect | None:
    """To the canonical spelling, and to the host that hands out files, when there is one."""
    if number != certificate.number:
        return HttpResponsePermanentRedirect(address)
    if settings.FILES_ORIGIN and request.get_host() != urlsplit(settings.FILES_ORIGIN).netloc:
        return HttpResponseRedirect(f"{settings.FILES_ORIGIN}{address}")
    return None


class _Download:
    """Bytes that someone handed in, on their way out: never shown, never run, never guessed at."""

    def __init__(self, request: HttpRequest, *, name: str, sha256: str, size: int):
        self.request, self.name, self.sha256, self.size = request, name, sha256, size

    def of_file(self, sha256: str) -> HttpResponseBase:
        if unchanged := self._unchanged():
            return unchanged
        file = self._open(sha256)
        start, stop = self._range()
        if start >= stop and self.size:
            file.close()
            response = self._with_headers(HttpResponse(status=HTTPStatus.REQUESTED_RANGE_NOT_SATISFIABLE))
            response["Content-Range"] = f"bytes */{self.size}"
            return response
        file.seek(start)
        response = self._answer(_chunks(file, stop - start), file, length=stop - start)
        response["Accept-Ranges"] = "bytes"
        if stop - start != self.size:
            response.status_code = HTTPStatus.PARTIAL_CONTENT
            response["Content-Range"] = f"bytes {start}-{stop - 1}/{self.size}"
        return response

    def of_member(self, sha256: str, path: str) -> HttpResponseBase:
        if unchanged := self._unchanged():
            return unchanged
        file = self._open(sha256)
        archive = zipfile.ZipFile(file)
        member = archive.open(_entry(archive, path))
        # Closed from the inside out when the last byte has left, or the reader has gone.
        response = self._answer(_chunks(member, self.size), member, archive, file, length=self.size)
        response["Accept-Ranges"] = "none"
        return response

    def _answer(self, chunks: Iterator[bytes], *open_files: BinaryIO, length: int) -> HttpResponseBase:
        if self.request.method == "HEAD":
            for file in open_files:
                file.close()
            response: HttpResponseBase = HttpResponse()
        else:
            response = StreamingHttpResponse(chunks)
            response._resource_closers += [file.close for file in open_files]
        response["Content-Length"] = str(length)
        return self._with_headers(response)

    def _unchanged(self) -> HttpResponseBase | None:
        response = get_conditional_response(self.request, etag=self._etag, response=None)
        return self._with_headers(response) if response is not None else None

    def _open(self, sha256: str) -> BinaryIO:
        try:
            return storage.current().open(sha256)
        except storage.NoSuchFile as missing:
            raise Withheld() from missing

    @property
    def _etag(self) -> str:
        return f'"{self.sha256}"'

    def _with_headers(self, response: HttpResponseBase) -> HttpResponseBase:
        response["Content-Type"] = "application/octet-stream"
        answers.quarantined(response, name=self.name)
        response["Cross-Origin-Resource-Policy"] = "cross-origin"
        response["Access-Control-Allow-Origin"] = "*"
        response["Access-Control-Expose-Headers"] = "Repr-Digest, ETag"
        response["ETag"] = self._etag
        response["Cache-Control"] = "public, no-cache"
        response["Repr-Digest"] = f"sha-256=:{b64encode(bytes.fromhex(self.sha256)).decode()}:"
        return response

    def _range(self) -> tuple[int, int]:
        """[start, stop) of the one range asked for; anything else is answered whole (RFC 9110 §14.2)."""
        asked = re.fullmatch(r"bytes=(\d{0,18})-(\d{0,18})", self.request.headers.get("Range", ""))
        same = self.request.headers.get("If-Range", self._etag) == self._etag
        if asked is None or not same or asked[0] == "bytes=-":
            return 0, self.size
        if not asked[1]:
            return max(self.size - int(asked[2]), 0), self.size
        stop = min(int(asked[2]) + 1, self.size) if asked[2] else self.size
        return int(asked[1]), stop


def _chunks(file: BinaryIO, size: int) -> Iterator[bytes]:
    while size > 0 and (chunk := file.read(min(CHUNK, size))):
        size -= len(chunk)
        yield chunk


def _entry(archive: zipfile.ZipFile, path: str) -> zipfile.ZipInfo:
    """The entry of a bag-relative path. The archive was verified: all readers see the same members in it."""
    named = {_name(entry): entry for entry in archive.infolist()}
    top = next((name for name in named if name.count("/") == 1 and name.endswith("/bagit.txt")), "")
    top = "" if "bagit.txt" in named else top.removesuffix("bagit.txt")
    if f"{top}{path}" not in named:
        raise MemberNotFound()
    return named[f"{top}{path}"]


def _name(entry: zipfile.ZipInfo) -> str:
    # Without the UTF-8 flag zipfile reads code page 437; verification has shown that the bytes are UTF-8.
    name = entry.filename
    if not entry.flag_bits & 0x800:
        name = name.encode("cp437").decode("utf-8")
    return unicodedata.normalize("NFC", name)
