"""Named domain errors: raised once, answered as a page or as RFC 9457 problem+json by one handler."""

from http import HTTPStatus
from typing import Any

from django.core.exceptions import PermissionDenied
from django.db import InterfaceError, OperationalError
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.utils.translation import gettext, gettext_lazy
from rest_framework import exceptions as drf


class Refusal(Exception):
    """A request that the domain refuses, in words that its reader can act on.

    `code` is stable snake_case (programs rely on it), `status` the HTTP status, `detail` one sentence
    in the reader's language, `extra` further members of the problem document (JSON values).
    """

    code = "refused"
    status = HTTPStatus.CONFLICT
    title = gettext_lazy("The request was refused")

    def __init__(
        self, detail: Any = None, *, code: str | None = None, status: int | None = None, **extra: Any
    ):
        self.code = code or self.code
        self.status = int(status or self.status)
        self.detail = detail if detail is not None else self.title
        self.extra = extra
        super().__init__(str(self.code))

    def as_problem(self) -> dict[str, Any]:
        """The RFC 9457 document, in the active language."""
        return {
            "type": f"/problems/{self.code}",
            "title": str(self.title),
            "status": self.status,
            "code": self.code,
            "detail": str(self.detail),
            **self.extra,
        }


class NotAllowed(Refusal):
    """The person may not do this: role, rule of impartiality or object."""

    code = "not_allowed"
    status = HTTPStatus.FORBIDDEN
    title = gettext_lazy("You may not do this")


class Busy(Refusal):
    """A lock was not to be had in time: nothing was done, try again."""

    code = "busy"
    status = HTTPStatus.SERVICE_UNAVAILABLE
    title = gettext_lazy(
        "The registry is busy with another decision. Nothing was recorded; try again in a few seconds."
    )


class Unavailable(Refusal):
    """The database does not answer: nothing is known, and nothing was done."""

    code = "unavailable"
    status = HTTPStatus.SERVICE_UNAVAILABLE
    title = gettext_lazy("The registry cannot answer at the moment. Try again in a few seconds.")


class SignInClosed(Refusal):
    """The counters of attempts cannot be kept: nobody signs in uncounted. Whoever is signed in goes on working."""

    code = "sign_in_closed"
    status = HTTPStatus.SERVICE_UNAVAILABLE
    title = gettext_lazy("Sign-in is closed for the moment")


def lock_timed_out(error: Exception) -> bool:
    """Whether the database gave up waiting for a lock, or for the statement that waited."""
    return getattr(error.__cause__, "sqlstate", None) in {"55P03", "57014"}


def problem_response(problem: dict[str, Any]) -> HttpResponse:
    """A problem document with its media type."""
    return come_back(
        JsonResponse(
            problem,
            status=problem["status"],
            content_type="application/problem+json",
            json_dumps_params={"ensure_ascii": False},
        )
    )


def wants_json(request: HttpRequest) -> bool:
    return request.path.startswith("/api/")


def answer(request: HttpRequest, refusal: Refusal) -> HttpResponse:
    """The page or the problem document of a refusal, as the address is one of the site or of the API."""
    if wants_json(request):
        return problem_response(refusal.as_problem())
    return come_back(render(request, "errors/refusal.html", {"refusal": refusal}, status=refusal.status))


def come_back(response: HttpResponse) -> HttpResponse:
    """With 503, when it is worth asking again."""
    if response.status_code == HTTPStatus.SERVICE_UNAVAILABLE:
        response["Retry-After"] = "5"  # seconds: a lock is waited for two, a database is restarted in three
    return response


_API_CODES = {
    drf.NotAuthenticated: "not_authenticated",
    drf.AuthenticationFailed: "authentication_failed",
    drf.PermissionDenied: "not_allowed",
    drf.NotFound: "not_found",
    drf.MethodNotAllowed: "method_not_allowed",
    drf.NotAcceptable: "not_acceptable",
    drf.UnsupportedMediaType: "unsupported_media_type",
    drf.Throttled: "throttled",
    drf.ParseError: "malformed_request",
    drf.ValidationError: "invalid_field",
}


# What each of the framework's own problems is called; refusals of the domain carry their title themselves.
API_TITLES = {
    "not_authenticated": gettext_lazy("A token is needed"),
    "authentication_failed": gettext_lazy("The token was not accepted"),
    "not_allowed": NotAllowed.title,
    "not_found": gettext_lazy("There is nothing at this address"),
    "method_not_allowed": gettext_lazy("This address does not take that method"),
    "not_acceptable": gettext_lazy("The answer does not exist in the format asked for"),
    "unsupported_media_type": gettext_lazy("The body is in a format that is not taken here"),
    "throttled": gettext_lazy("Too many requests"),
    "malformed_request": gettext_lazy("The request cannot be read"),
    "invalid_field": gettext_lazy("Some fields cannot be accepted"),
}


def _fields(detail: Any, path: str = "") -> list[dict[str, str]]:
    """A validation error flattened: one entry per field, with the pointer that names its place."""
    if isinstance(detail, dict):
        return [entry for key, value in detail.items() for entry in _fields(value, f"{path}/{key}")]
    if isinstance(detail, list):
        entries = []
        for position, value in enumerate(detail):
            entries += _fields(value, f"{path}/{position}" if isinstance(value, dict | list) else path)
        return entries
    return [{"pointer": path or "/", "detail": str(detail), "code": getattr(detail, "code", "invalid")}]


def api_exception_handler(error: Exception, context: dict[str, Any]) -> HttpResponse | None:  # noqa: ARG001
    """DRF's hook: the same problem documents for refusals and for the framework's own errors."""
    from rest_framework.views import set_rollback  # here: its module reads settings that import this one

    set_rollback()
    if isinstance(error, Http404):
        error = drf.NotFound()
    elif isinstance(error, PermissionDenied):
        error = drf.PermissionDenied()
    elif isinstance(error, OperationalError | InterfaceError):
        error = Busy() if lock_timed_out(error) else Unavailable()
    if isinstance(error, Refusal):
        return problem_response(error.as_problem())
    if not isinstance(error, drf.APIException):
        return None
    code = next((code for kind, code in _API_CODES.items() if isinstance(error, kind)), "error")
    problem: dict[str, Any] = {
        "type": f"/problems/{code}",
        "title": str(API_TITLES.get(code, HTTPStatus(error.status_code).phrase)),
        "status": error.status_code,
        "code": code,
    }
    if isinstance(error, drf.ValidationError):
        problem["detail"] = gettext("Some fields cannot be accepted: see «errors».")
        problem["errors"] = _fields(error.detail)
    else:
        problem["detail"] = str(error.detail)
    response = problem_response(problem)
    if getattr(error, "wait", None):
        response["Retry-After"] = str(int(error.wait) + 1)
    if getattr(error, "auth_header", None):
        response["WWW-Authenticate"] = error.auth_header
    return response
