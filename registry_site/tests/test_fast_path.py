"""Published documents are served before Django: current, with the same headers, or not at all."""

import gzip
from datetime import timedelta

import pytest
from django.conf import settings
from django.test import Client

from registry_site import clock, documents, fast_path
from registry_site.models import PublishedDocument

PATH = "/es/c/FEH-2026-000042-87/"
BODY = b"<!doctype html><title>Vigente</title>"
DOCUMENT = documents.Document("text/html; charset=utf-8", "es", gzip.compress(BODY, mtime=0), '"abc"')


def publish(**changes) -> PublishedDocument:
    fields = {
        "path": PATH,
        "content_type": DOCUMENT.content_type,
        "language": "es",
        "body": DOCUMENT.body,
        "etag": DOCUMENT.etag,
        "as_of": clock.now(),
        **changes,
    }
    return PublishedDocument.objects.create(**fields)


class Visit:
    """One request to the fast path with Django behind it replaced by a page that says so."""

    def __init__(self, reader_url: str):
        self.fast_path = fast_path.FastPath(
            self.behind,
            reader_url=reader_url,
            headers=fast_path.security_headers(settings),
            allowed_hosts=["testserver", "[::1]"],
        )

    def behind(self, environ, start_response):
        start_response("200 OK", [("X-Answered-By", "django")])
        return [b"django"]

    def __call__(self, path: str = PATH, **environ):
        answered = {}

        def start_response(status, headers):
            answered["status"], answered["headers"] = status, dict(headers)

        body = self.fast_path(
            {
                "REQUEST_METHOD": "GET",
                "PATH_INFO": path,
                "HTTP_HOST": "testserver:8000",
                "wsgi.url_scheme": "http",
                **environ,
            },
            start_response,
        )
        return answered["status"], answered["headers"], b"".join(body)


@pytest.fixture
def visit(role_urls):
    from django.db import connection
    from psycopg import conninfo

    url = conninfo.make_conninfo(role_urls["reader"], dbname=connection.get_connection_params()["dbname"])
    visit = Visit(url)
    yield visit
    if opened := getattr(visit.fast_path._local, "connection", None):
        opened.close()


def by_django(answer) -> bool:
    return answer[1].get("X-Answered-By") == "django"


def test_a_published_page_is_served_whole(visit):
    publish()
    status, headers, body = visit()
    assert (status, body) == ("200 OK", BODY)
    assert headers["ETag"] == 'W/"abc"'
    assert headers["Cache-Control"] == "no-cache"
    assert headers["Content-Language"] == "es"
    assert headers["Content-Length"] == str(len(BODY))


def test_a_reader_that_takes_gzip_gets_the_stored_bytes(visit):
    publish()
    _, headers, body = visit(HTTP_ACCEPT_ENCODING="br, gzip")
    assert headers["Content-Encoding"] == "gzip"
    assert body == DOCUMENT.body


def test_an_unchanged_page_is_not_sent_again(visit):
    publish()
    status, _, body = visit(HTTP_IF_NONE_MATCH='W/"abc", "other"')
    assert (status, body) == ("304 Not Modified", b"")


def test_head_tells_the_length_and_sends_nothing(visit):
    publish()
    status, headers, body = visit(REQUEST_METHOD="HEAD")
    assert (status, headers["Content-Length"], body) == ("200 OK", str(len(BODY)), b"")


def test_a_page_that_the_clock_has_changed_is_left_to_django(visit):
    publish(stale_at=clock.now() - timedelta(seconds=1))
    assert by_django(visit())


def test_a_page_that_will_change_later_is_served(visit):
    publish(stale_at=clock.now() + timedelta(hours=1))
    assert not by_django(visit())


@pytest.mark.parametrize(
    "request_",
    [
        {"QUERY_STRING": "as_of=2026-01-01"},
        {"REQUEST_METHOD": "POST"},
        {"HTTP_HOST": "elsewhere.example"},
        {"HTTP_HOST": ""},
        {"HTTP_HOST": "testserver:8000@elsewhere.example"},
        {"HTTP_HOST": "testserver:port"},
        {"HTTP_HOST": "[::1]elsewhere.example"},
        {"path": "/es/c/FEH-2026-000001-01/"},
        {"path": "/staff/"},
        {"path": "/es/c/\xff/"},
        {"path": "/es/c/a\0b/"},
    ],
)
def test_whatever_is_unusual_is_left_to_django(visit, request_):
    publish()
    assert by_django(visit(**request_))


def test_without_a_database_django_answers(visit):
    publish()
    visit.fast_path.reader_url = "postgresql:///nowhere?host=/nonexistent&connect_timeout=1"
    assert by_django(visit())


def test_a_lost_connection_is_opened_once_more(visit):
    publish()
    visit()
    visit.fast_path._local.connection.close()
    assert not by_django(visit())


def test_the_security_headers_are_those_of_django(db):
    theirs = Client().get("/es/").headers
    for name, value in fast_path.security_headers(settings):
        # The order of the directives means nothing and django-csp does not keep one.
        assert set(theirs[name].split("; ")) == set(value.split("; "))
