"""Reads the texts of a request as UTF-8, and refuses those that hold U+0000: PostgreSQL cannot hold it."""

from collections.abc import Callable
from http import HTTPStatus
from typing import Any
from urllib.parse import unquote_plus

from django.core.handlers.wsgi import WSGIHandler, WSGIRequest
from django.http import HttpRequest, HttpResponse
from django.utils.http import parse_header_parameters
from django.utils.translation import gettext_lazy as _

from registry_site import problems


class NullCharacter(problems.Refusal):
    code = "null_character"
    status = HTTPStatus.BAD_REQUEST
    title = _("The address holds the character U+0000, which no name here has")


class Utf8Request(WSGIRequest):
    """A request whose Content-Type says nothing of how its texts are read, and cannot end in a server error.

    Django looks its charset up among all codecs of Python, of which some read no text (`rot13`, `hex`), and raises
    for a parameter in a charset that it does not know, both before any view or middleware is asked.
    """

    def _set_content_type_params(self, meta: dict[str, Any]) -> None:
        try:
            self.content_type, self.content_params = parse_header_parameters(meta.get("CONTENT_TYPE", ""))
        except ValueError:
            self.content_type, self.content_params = "", {}


class Utf8Handler(WSGIHandler):
    """Django's WSGI application with requests of that kind."""

    request_class = Utf8Request


class RefuseNullCharacters:
    """Middleware, just outside ProblemsMiddleware: the address is judged before any view sees it."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]):
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if "\0" in request.path_info or "\0" in unquote_plus(request.META.get("QUERY_STRING", "")):
            return problems.answer(request, NullCharacter())
        return self.get_response(request)
