"""What is answered when a view refused, failed or is not there: a page, or in the API a problem document.

Pages of failures are in both languages and need neither database nor session: they must hold when everything else
does not.
"""

import logging
from http import HTTPStatus

from django.db import InterfaceError, OperationalError
from django.http import HttpRequest, HttpResponse
from django.template.loader import render_to_string
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _
from redis.exceptions import RedisError

from registry_site import problems

log = logging.getLogger(__name__)

_PROBLEMS = {
    HTTPStatus.BAD_REQUEST: ("malformed_request", problems.API_TITLES["malformed_request"]),
    HTTPStatus.FORBIDDEN: ("not_allowed", problems.API_TITLES["not_allowed"]),
    HTTPStatus.NOT_FOUND: ("not_found", problems.API_TITLES["not_found"]),
    HTTPStatus.INTERNAL_SERVER_ERROR: (
        "internal_error",
        _("The registry failed. It is not your fault; check what was recorded before you send it again."),
    ),
    HTTPStatus.SERVICE_UNAVAILABLE: (problems.Unavailable.code, problems.Unavailable.title),
}


def answer(request: HttpRequest, status: HTTPStatus) -> HttpResponse:
    """The page or the problem document of one status."""
    if problems.wants_json(request):
        code, title = _PROBLEMS[status]
        return problems.problem_response(
            problems.Refusal(title, code=code, status=status).as_problem() | {"title": str(title)}
        )
    return problems.come_back(HttpResponse(render_to_string(f"errors/{status.value}.html"), status=status))


class ProblemsMiddleware:
    """Turns a Refusal raised by any view into its page or problem document."""

    def __init__(self, get_response):
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return self.get_response(request)

    def process_exception(self, request: HttpRequest, error: Exception) -> HttpResponse | None:
        if isinstance(error, OperationalError | InterfaceError):
            if not problems.lock_timed_out(error):
                log.error("the database does not answer: %s", type(error.__cause__).__name__)
                return answer(request, HTTPStatus.SERVICE_UNAVAILABLE)
            error = problems.Busy()
        if isinstance(error, RedisError):
            log.error("the cache does not answer: %s", type(error).__name__)
            error = problems.SignInClosed(
                gettext(
                    "Attempts to sign in cannot be counted at the moment. "
                    "Try again in a few minutes; reading goes on."
                )
            )
        return problems.answer(request, error) if isinstance(error, problems.Refusal) else None


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:  # noqa: ARG001
    return answer(request, HTTPStatus.BAD_REQUEST)


def permission_denied(request: HttpRequest, exception: Exception) -> HttpResponse:  # noqa: ARG001
    return answer(request, HTTPStatus.FORBIDDEN)


def page_not_found(request: HttpRequest, exception: Exception) -> HttpResponse:  # noqa: ARG001
    return answer(request, HTTPStatus.NOT_FOUND)


def no_such_page(request: HttpRequest) -> HttpResponse:
    """For an address that a library has and this registry does not offer."""
    return answer(request, HTTPStatus.NOT_FOUND)


def server_error(request: HttpRequest) -> HttpResponse:
    return answer(request, HTTPStatus.INTERNAL_SERVER_ERROR)


def csrf_failure(request: HttpRequest, reason: str = "") -> HttpResponse:  # noqa: ARG001
    return answer(request, HTTPStatus.FORBIDDEN)
