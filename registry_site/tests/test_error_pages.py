"""What is answered when there is no view, or a view failed; and when the database does not answer."""

import pytest
from django.core.exceptions import PermissionDenied
from django.db import OperationalError
from django.http import HttpResponse
from django.test import Client
from django.urls import include, path
from psycopg import errors

from registry_site import error_pages, problems

pytestmark = pytest.mark.urls("registry_site.tests.test_error_pages")


class LockTimedOut(OperationalError):
    def __init__(self):
        self.__cause__ = errors.LockNotAvailable()


FAULTS = {
    "fails": RuntimeError("a fault of ours"),
    "forbidden": PermissionDenied(),
    "away": OperationalError("the connection is closed"),
    "busy": LockTimedOut(),
    "refuses": problems.Refusal("no", code="some_code", status=409),
}


def fault(request, name: str) -> HttpResponse:
    raise FAULTS[name]


urlpatterns = [
    path("page/<name>/", fault),
    path("api/page/<name>/", fault),
    path("api/v1/", include("registry_site.api_urls")),
]
handler400 = error_pages.bad_request
handler403 = error_pages.permission_denied
handler404 = error_pages.page_not_found
handler500 = error_pages.server_error


@pytest.fixture
def visitor() -> Client:
    return Client(raise_request_exception=False)


@pytest.mark.parametrize(
    ("name", "status", "code"),
    [
        ("fails", 500, "internal_error"),
        ("forbidden", 403, "not_allowed"),
        ("away", 503, "unavailable"),
        ("busy", 503, "busy"),
        ("refuses", 409, "some_code"),
    ],
)
def test_a_page_for_people_and_a_problem_document_for_programs(visitor, name, status, code):
    page = visitor.get(f"/page/{name}/")
    assert page.status_code == status
    assert page["Content-Type"] == "text/html; charset=utf-8"
    program = visitor.get(f"/api/page/{name}/")
    assert (program.status_code, program["Content-Type"]) == (status, "application/problem+json")
    assert program.json()["code"] == code
    for response in (page, program):
        assert ("Retry-After" in response) == (status == 503)
        assert "a fault of ours" not in response.content.decode()


def test_what_has_no_view_is_not_found(visitor):
    page = visitor.get("/nowhere/")
    assert page.status_code == 404
    assert 'lang="en"' in page.content.decode()
    assert visitor.get("/api/nowhere/").json()["code"] == "not_found"


@pytest.mark.django_db
def test_the_null_character_is_refused_on_pages_too(visitor):
    page = visitor.get("/page/%00/")
    assert (page.status_code, page["Content-Type"]) == (400, "text/html; charset=utf-8")
    assert visitor.get("/page/away/?q=%00").status_code == 400


def test_another_host_is_refused(visitor):
    page = visitor.get("/page/fails/", headers={"Host": "elsewhere.example"})
    assert (page.status_code, page["Content-Type"]) == (400, "text/html; charset=utf-8")
    program = visitor.get("/api/page/fails/", headers={"Host": "elsewhere.example"})
    assert program.json()["code"] == "malformed_request"


def test_these_pages_ask_no_database(visitor):
    # Without the mark `django_db` every query of a test fails.
    for name in ("fails", "forbidden", "away"):
        assert visitor.get(f"/page/{name}/").status_code in {500, 403, 503}
