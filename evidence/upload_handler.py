"""Takes the file of a multipart body straight into a part file, for the page and for the API alike.

A view reads neither `request.POST` nor `request.data` before it calls::

    upload = upload_handler.receive(request, by=request.user, at=clock.now(), csrf=True)   # page
    upload = upload_handler.receive(request._request, by=request.user, at=clock.now())     # API, bearer token
    pipeline.wake(upload.package)

`upload.package` is the package (`upload.created` tells a new one), `upload.fields` the other fields.
Fields: `file` (required, exactly one) and `sha256` (optional, before or after it). What is refused and how
is written in `evidence.intake`; further: `length_required` 411, `malformed_request` 400, `csrf_failed` 403.

The page's view is `@csrf_exempt`, because Django's check would read the whole body first. The check is not
left out: it runs here, when the file begins and before a byte of it is written, with the token in the header
`X-CSRFToken` or in a field that stands before the file in the form.
"""

import hashlib
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.core.exceptions import RequestDataTooBig, TooManyFieldsSent, TooManyFilesSent
from django.core.files.uploadhandler import FileUploadHandler, StopFutureHandlers
from django.http import HttpRequest, QueryDict, UnreadablePostError
from django.http.multipartparser import MultiPartParser, MultiPartParserError
from django.middleware.csrf import CsrfViewMiddleware
from django.utils.datastructures import MultiValueDict
from django.utils.translation import gettext_lazy as _

from evidence import intake
from evidence.models import EvidencePackage
from registry_site.models import User
from registry_site.problems import Refusal
from registry_site.taken import LengthRequired

# What a multipart body may add around its file: boundaries, headers, a few short fields.
_AROUND = 64 * 1024
# The longest boundary (70 characters) with its dashes, and room for what some clients write after it.
_TAIL = 1024
_UNREADABLE = (MultiPartParserError, RequestDataTooBig, TooManyFieldsSent, TooManyFilesSent)


class MalformedUpload(Refusal):
    code = "malformed_request"
    status = 400
    title = _("The request must be multipart/form-data with one file in the field «file».")


class CsrfFailed(Refusal):
    code = "csrf_failed"
    status = 403
    title = _("The form has expired or came from another site. Open the page again and send it once more.")


@dataclass(frozen=True)
class Upload:
    """What a multipart body became: the package, whether it is new, and the fields beside the file."""

    package: EvidencePackage
    created: bool
    fields: QueryDict


class _CountedBody:
    """The request's body, which counts what arrived and keeps its end: Django takes an early end for the end."""

    def __init__(self, request: HttpRequest):
        self._request = request
        self.arrived = 0
        self.tail = b""

    def read(self, size: int = -1) -> bytes:
        data = self._request.read(size)
        self.arrived += len(data)
        self.tail = data[-_TAIL:] if len(data) >= _TAIL else (self.tail + data)[-_TAIL:]
        return data


class _IntoPartFile(FileUploadHandler):
    """Django's upload handler for the field `file`: each chunk goes to disk and into the digest."""

    chunk_size = 1024**2

    def __init__(self, request: HttpRequest, *, by: User, at: datetime, size: int, csrf: bool):
        super().__init__(request)
        self._by, self._at, self._size, self._csrf = by, at, size, csrf
        self.parser: MultiPartParser | None = None
        self.incoming: intake.Incoming | None = None

    def new_file(self, field_name, file_name, *args, **kwargs):
        super().new_file(field_name, file_name, *args, **kwargs)
        if field_name != "file" or self.incoming is not None:
            raise MalformedUpload
        fields = getattr(self.parser, "_post", None) or QueryDict()
        if self._csrf:
            _check_csrf(self.request, fields)
        self.incoming = intake.begin(
            by=self._by,
            filename=file_name,
            declared_sha256=fields.get("sha256"),
            # The file is a little shorter than the body; its own size is known at its end.
            declared_size=max(self._size - _AROUND, 0),
            at=self._at,
        )
        raise StopFutureHandlers

    def receive_data_chunk(self, raw_data, start):
        self.incoming.write(raw_data)

    def file_complete(self, file_size):
        return None


def _check_csrf(request: HttpRequest, fields: QueryDict) -> None:
    # The parser owns the body by now; Django's own check finds the fields that came before the file here.
    request._post, request._files = fields, MultiValueDict()
    middleware = CsrfViewMiddleware(lambda _request: None)
    if middleware.process_view(request, lambda _request: None, (), {}) is not None:
        raise CsrfFailed


def receive(request: HttpRequest, *, by: User, at: datetime, csrf: bool = False) -> Upload:
    """Read a multipart body whose file becomes a package. See the module's text."""
    try:
        size = int(request.META.get("CONTENT_LENGTH") or 0)
    except ValueError:
        size = 0
    if size <= 0:
        raise LengthRequired
    if request.content_type != "multipart/form-data":
        raise MalformedUpload
    intake.admit(by=by, size=max(size - _AROUND, 0))
    body = _CountedBody(request)
    handler = _IntoPartFile(request, by=by, at=at, size=size, csrf=csrf)
    try:
        parser = MultiPartParser(request.META, body, [handler], request.encoding or "utf-8")
        handler.parser = parser
        fields, files = parser.parse()
    except UnreadablePostError as error:
        _leave(handler)
        raise intake.ConnectionCut from error
    except _UNREADABLE as error:
        _discard(handler)
        raise MalformedUpload from error
    except Refusal:
        # Of the second file in a body, say: what the first one wrote goes as well.
        _discard(handler)
        raise
    except BaseException:
        _leave(handler)
        raise
    request._post, request._files = fields, files
    incoming = handler.incoming
    if body.arrived < size:
        _leave(handler)
        raise intake.ConnectionCut
    last = b"--" + request.content_params["boundary"].encode("ascii", "replace") + b"--"
    if incoming is None or last not in body.tail:
        _discard(handler)
        raise MalformedUpload
    package = incoming.finish(declared_sha256=fields.get("sha256"))
    return Upload(package=package, created=package.pk == incoming.package.pk, fields=fields)


class _Hashing(FileUploadHandler):
    """Reads the file and keeps its digest alone."""

    chunk_size = 1024**2

    def __init__(self, request: HttpRequest):
        super().__init__(request)
        self.digest = hashlib.sha256()

    def new_file(self, *args, **kwargs):
        super().new_file(*args, **kwargs)
        raise StopFutureHandlers

    def receive_data_chunk(self, raw_data, start):
        self.digest.update(raw_data)

    def file_complete(self, file_size):
        return None


def digest_of_file(request: HttpRequest) -> str:
    """SHA-256 of the file in a multipart body, of which nothing is kept. Raises MalformedUpload."""
    handler = _Hashing(request)
    try:
        MultiPartParser(request.META, request, [handler], request.encoding or "utf-8").parse()
    except _UNREADABLE as error:
        raise MalformedUpload from error
    return handler.digest.hexdigest()


def _leave(handler: Any) -> None:
    if handler.incoming is not None:
        handler.incoming.leave()


def _discard(handler: Any) -> None:
    if handler.incoming is not None:
        handler.incoming.discard()
