"""Small uploads that never touch a disk: what is sealed must not lie in a temporary folder."""

import io
from collections.abc import Callable
from functools import wraps
from http import HTTPStatus
from typing import Any

from django.core.files.uploadedfile import InMemoryUploadedFile
from django.core.files.uploadhandler import FileUploadHandler
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext_lazy as _
from django.views.decorators.csrf import csrf_exempt, csrf_protect

from registry_site.problems import Refusal

# What a form has around its files.
_AROUND = 256 * 1024


class FileTooLarge(Refusal):
    code = "file_too_large"
    status = HTTPStatus.REQUEST_ENTITY_TOO_LARGE
    title = _("The file is larger than this page takes")


class _InMemory(FileUploadHandler):
    def new_file(self, *args: Any, **kwargs: Any) -> None:
        super().new_file(*args, **kwargs)
        self._content = io.BytesIO()

    def receive_data_chunk(self, raw_data: bytes, start: int) -> None:
        self._content.write(raw_data)

    def file_complete(self, file_size: int) -> InMemoryUploadedFile:
        self._content.seek(0)
        return InMemoryUploadedFile(
            self._content, self.field_name, self.file_name, self.content_type, file_size, self.charset
        )


def in_memory(most_bytes: int) -> Callable[[Callable[..., HttpResponse]], Callable[..., HttpResponse]]:
    """A view whose files stay in memory, up to so many bytes in all. The form's token is checked after all."""

    def decorated(view: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
        protected = csrf_protect(view)

        @csrf_exempt  # only until the handler stands: the token is looked for in the body, which it must read
        @wraps(view)
        def door(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
            if not request.user.is_authenticated:
                return view(request, *args, **kwargs)  # sent to sign in, without reading what was sent
            if int(request.META.get("CONTENT_LENGTH") or 0) > most_bytes + _AROUND:
                raise FileTooLarge(_("At most %(most)s KiB.") % {"most": most_bytes // 1024})
            request.upload_handlers = [_InMemory(request)]
            return protected(request, *args, **kwargs)

        return door

    return decorated
