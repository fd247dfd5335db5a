"""What is answered when there is no view, or a view failed: a page in both languages, a problem document in the API.

These pages need neither database nor session nor language: they must hold when everything else does not.
"""

from http import HTTPStatus

from django.http import HttpRequest, HttpResponse
from django.template.loader import render_to_string
from django.utils.translation import gettext_lazy as _

from registry_site import problems

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
    response = HttpResponse(render_to_string(f"errors/{status.value}.html"), status=status)
    if status == HTTPStatus.SERVICE_UNAVAILABLE:
        response["Retry-After"] = "5"
    return response


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
