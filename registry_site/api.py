"""What all endpoints of /api/v1/ share: language, limits, conditional reads, other origins, repeated writes.

An endpoint is an `Endpoint`: it finds, asks the domain, answers. Who asks is read by `registry_site.bearer`,
what is sent by `registry_site.taken`, pages of lists are made by `registry_site.cursors`.
"""

import hashlib
from datetime import timedelta
from http import HTTPStatus
from typing import Any

from django.conf import settings
from django.core.exceptions import RequestDataTooBig, SuspiciousOperation
from django.http import HttpResponse, HttpResponseBase, HttpResponseRedirect
from django.urls import Resolver404, resolve
from django.utils import timezone, translation
from django.utils.cache import get_conditional_response, patch_vary_headers
from django.utils.translation import gettext_lazy as _
from django.utils.translation.trans_real import get_supported_language_variant, parse_accept_lang_header
from rest_framework import exceptions
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from registry_site import clock, idempotency, rates
from registry_site.client_address import client_address
from registry_site.models import ApiToken
from registry_site.problems import Refusal
from registry_site.taken import LengthRequired, TooLarge

READS = frozenset({"GET", "HEAD", "OPTIONS"})
EXPOSED_HEADERS = "ETag, Link, Location, RateLimit, RateLimit-Policy, Repr-Digest, Retry-After"


class _Replay(Exception):
    """The answer to an earlier request with the same Idempotency-Key."""

    def __init__(self, response: HttpResponse):
        super().__init__("replay")
        self.response = response


def language_of(request: Any) -> str:
    """«es» or «en» after Accept-Language alone: a cookie of the site does not change what a program reads."""
    for tag, _quality in parse_accept_lang_header(request.META.get("HTTP_ACCEPT_LANGUAGE", "")):
        if tag == "*":
            break
        try:
            return get_supported_language_variant(tag)
        except LookupError:
            continue
    return settings.LANGUAGE_CODE


class Endpoint(APIView):
    """The base of every address under /api/v1/."""

    public = True  # what it answers is the same for everybody who sends no token
    idempotency_lease = timedelta(minutes=1)
    keeps_refusals = True  # a refusal of a write is its answer, and is repeated like any other
    _record = None
    _rate: rates.Rate | None = None
    body_sha256 = ""  # of a streamed body, named by the view that read it

    def dispatch(self, request: Any, *args: Any, **kwargs: Any) -> HttpResponseBase:
        translation.activate(language_of(request))
        request.LANGUAGE_CODE = translation.get_language()
        response = super().dispatch(request, *args, **kwargs)
        if self._record is not None:
            self._keep_answer(response)
        if self._rate is not None:
            for name, value in self._rate.headers.items():
                response[name] = value
        patch_vary_headers(response, ["Accept-Language"])
        if request.method in READS:
            return self._as_read(request, response)
        response["Cache-Control"] = "no-store"
        return response

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        super().initial(request, *args, **kwargs)
        if "Transfer-Encoding" in request.headers and not request.META.get("CONTENT_LENGTH"):
            # It would read as empty, and be refused for fields that were sent.
            raise LengthRequired()
        if request.method == "POST" and "Idempotency-Key" in request.headers and request.auth is not None:
            self._begin_idempotent(request)

    def perform_authentication(self, request: Request) -> None:
        try:
            super().perform_authentication(request)
        except exceptions.APIException:
            # A wrong token is counted by address: another one with each guess opens no fresh quota.
            self._count(request, None)
            raise
        self._count(request, request.auth)

    def _count(self, request: Request, token: ApiToken | None) -> None:
        policy = "writes" if request.method not in READS else "token" if token else "anonymous"
        client = f"token:{token.pk}" if token else client_address(request)
        self._rate = rates.take(policy, client, at=timezone.now())
        if self._rate is not None and self._rate.exceeded:
            raise exceptions.Throttled(wait=self._rate.reset)

    def handle_exception(self, exc: Exception) -> HttpResponseBase:
        if isinstance(exc, _Replay):
            return exc.response
        if isinstance(exc, RequestDataTooBig):
            exc = TooLarge()
        elif isinstance(exc, SuspiciousOperation):
            exc = exceptions.ParseError()
        elif isinstance(exc, Refusal) and "errors" not in exc.extra and "field" in exc.extra:
            # The domain names a field as «statement.es»; here every wrong field has its pointer.
            pointer = "/" + str(exc.extra["field"]).replace(".", "/")
            exc.extra["errors"] = [{"pointer": pointer, "code": exc.code, "mend": str(exc.detail)}]
        return super().handle_exception(exc)

    def options(self, request: Request, *args: Any, **kwargs: Any) -> HttpResponse:
        """The preflight of a browser: reads are open to every origin, without credentials."""
        response = HttpResponse(status=HTTPStatus.NO_CONTENT)
        response["Access-Control-Allow-Methods"] = "GET, HEAD, OPTIONS"
        response["Access-Control-Allow-Headers"] = "Accept, Accept-Language, If-None-Match"
        response["Access-Control-Max-Age"] = "86400"
        return response

    # ── conditional reads, CORS ──

    def _as_read(self, request: Any, response: HttpResponseBase) -> HttpResponseBase:
        own = "HTTP_AUTHORIZATION" in request.META
        if not own:
            response["Access-Control-Allow-Origin"] = "*"
            response["Access-Control-Expose-Headers"] = EXPOSED_HEADERS
        patch_vary_headers(response, ["Authorization"])
        if response.streaming:
            return response
        if isinstance(response, Response):
            response.render()
        if "Cache-Control" not in response:
            response["Cache-Control"] = "private, no-cache" if own or not self.public else "no-cache"
        if response.status_code == HTTPStatus.OK and request.method in {"GET", "HEAD"}:
            etag = response.get("ETag") or f'"{hashlib.sha256(response.content).hexdigest()[:32]}"'
            response["ETag"] = etag
            return get_conditional_response(request, etag=etag, response=response)
        return response

    # ── writes that may be sent twice ──

    def _begin_idempotent(self, request: Request) -> None:
        key = idempotency.key_of(request.headers["Idempotency-Key"])
        record = idempotency.begin(
            request.auth,
            method=request.method,
            path=request.path,
            key=key,
            body_sha256=self.digest_of_body(request),
            at=clock.now(),
            lease=self.idempotency_lease,
        )
        if record.status is None:
            self._record = record
        else:
            self.repeat(record)

    def digest_of_body(self, request: Request) -> str:
        """SHA-256 of the body; empty in a view that streams it and names `body_sha256` itself."""
        return idempotency.digest(request._request.body)

    def repeat(self, record: Any) -> None:
        """Answer as before."""
        response = HttpResponse(bytes(record.body), status=record.status)
        for name, value in record.headers.items():
            response[name] = value
        raise _Replay(response)

    def _keep_answer(self, response: HttpResponseBase) -> None:
        passing = response.status_code >= 500 or response.status_code == HTTPStatus.TOO_MANY_REQUESTS
        if passing or (response.status_code >= 400 and not self.keeps_refusals):
            idempotency.forget(self._record)
            return
        if isinstance(response, Response):
            response.render()
        kept = {name: response[name] for name in ("Content-Type", "Location") if name in response}
        idempotency.finish(
            self._record,
            status=response.status_code,
            headers=kept,
            body=response.content,
            body_sha256=self.body_sha256,
        )


class NoSuchAddress(Endpoint):
    """Whatever else is asked for under /api/: a problem document, with each method.

    An address without its last slash is led to the one that has it; 308 keeps method and body.
    """

    schema = None

    def get(self, request: Request, **kwargs: Any) -> HttpResponseBase:
        if not request.path.endswith("/") and _is_served(f"{request.path}/"):
            return moved(request, f"{request.path}/")
        raise exceptions.NotFound(_("There is no such address in this API. See /api/v1/docs/."))

    head = post = put = patch = delete = get


def _is_served(path: str) -> bool:
    try:
        return getattr(resolve(path).func, "cls", None) is not NoSuchAddress
    except Resolver404:
        return False


def moved(request: Request, address: str) -> HttpResponseRedirect:
    """308 to the one spelling of an address; the query string comes along, and the method stays."""
    query = request.META.get("QUERY_STRING", "")
    response = HttpResponseRedirect(f"{address}?{query}" if query else address)
    response.status_code = HTTPStatus.PERMANENT_REDIRECT
    return response
