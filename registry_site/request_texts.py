"""Refuses requests whose path or query holds U+0000: no name here has one, and PostgreSQL cannot hold it."""

from collections.abc import Callable
from http import HTTPStatus
from urllib.parse import unquote_plus

from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext_lazy as _

from registry_site import problems


class NullCharacter(problems.Refusal):
    code = "null_character"
    status = HTTPStatus.BAD_REQUEST
    title = _("The address holds the character U+0000, which no name here has")


class RefuseNullCharacters:
    """Middleware, just outside ProblemsMiddleware: the address is judged before any view sees it."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]):
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if "\0" in request.path_info or "\0" in unquote_plus(request.META.get("QUERY_STRING", "")):
            return problems.answer(request, NullCharacter())
        return self.get_response(request)
