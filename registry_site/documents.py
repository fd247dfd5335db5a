"""How a published document is answered over HTTP: the same bytes and headers before Django and in it."""

import gzip
from collections.abc import Mapping
from dataclasses import dataclass
from http import HTTPStatus

from django.http import HttpRequest, HttpResponse

CACHE_CONTROL = "no-cache"  # kept by browsers, asked for again each time: a suspension shows at once


@dataclass(frozen=True, slots=True)
class Document:
    """One row of PublishedDocument: `body` is gzip, `etag` is quoted and strong."""

    content_type: str
    language: str
    body: bytes
    etag: str


@dataclass(frozen=True, slots=True)
class Answer:
    status: HTTPStatus
    headers: tuple[tuple[str, str], ...]
    body: bytes


def _weak(etag: str) -> str:
    # Weak on the wire: the gzip and the plain form of a document carry the same tag (RFC 9110 §8.8.1).
    return f"W/{etag}"


def _matches(etag: str, if_none_match: str) -> bool:
    tags = {tag.strip().removeprefix("W/") for tag in if_none_match.split(",")}
    return "*" in tags or etag in tags


def answer(document: Document, *, headers: Mapping[str, str]) -> Answer:
    """200 with the body (gzip when the reader takes it) or 304; `headers` is keyed in lower case."""
    common = [
        ("ETag", _weak(document.etag)),
        ("Cache-Control", CACHE_CONTROL),
        ("Vary", "Accept-Encoding"),
    ]
    if document.content_type.startswith("application/json"):
        common.append(("Access-Control-Allow-Origin", "*"))
    if _matches(document.etag, headers.get("if-none-match", "")):
        return Answer(HTTPStatus.NOT_MODIFIED, tuple(common), b"")
    common.append(("Content-Type", document.content_type))
    if document.language:
        common.append(("Content-Language", document.language))
    body = document.body
    if "gzip" in headers.get("accept-encoding", "").replace(" ", "").replace("gzip;q=0,", ""):
        common.append(("Content-Encoding", "gzip"))
    else:
        body = gzip.decompress(body)
    common.append(("Content-Length", str(len(body))))
    return Answer(HTTPStatus.OK, tuple(common), body)


def response(document: Document, request: HttpRequest) -> HttpResponse:
    """The same answer from within a view."""
    told = answer(document, headers={name.lower(): value for name, value in request.headers.items()})
    return HttpResponse(told.body, status=told.status, headers=dict(told.headers))
