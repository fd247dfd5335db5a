"""Serves published documents before Django wakes up: one prepared query, ETag, security headers.

A reader's request for a certificate's page costs one primary-key look-up. Whatever is unusual (a query
string, another method, no row, a row past its `stale_at`, a database that does not answer) falls through
to Django: never a stale copy, never an empty 200.
"""

import logging
import re
import threading
from collections.abc import Callable, Iterable
from typing import Any

import psycopg

from registry_site import documents

log = logging.getLogger(__name__)

# Only addresses that are published documents: everything else does not cost a query.
PUBLISHED = re.compile(r"/(?:es|en)/c/[^/]+/|/api/v1/certificates/[^/]+/status/")

HOST = re.compile(r"([a-z0-9.-]+|\[[0-9a-f:.]+\])(?::[0-9]+)?", re.ASCII)

# The stored path is compared with the decoded one; stale_at with the database clock, not ours.
QUERY = """
SELECT content_type, language, body, etag FROM registry_site_publisheddocument
WHERE path = %s AND (stale_at IS NULL OR stale_at > clock_timestamp())
"""


def security_headers(settings: Any) -> tuple[tuple[str, str], ...]:
    """The headers that Django's middleware adds to a page, from the same settings (a test compares them)."""
    from csp.utils import build_policy

    table = [
        ("Content-Security-Policy", build_policy(config=settings.CONTENT_SECURITY_POLICY["DIRECTIVES"])),
        ("X-Frame-Options", settings.X_FRAME_OPTIONS),
        ("X-Content-Type-Options", "nosniff"),
        ("Referrer-Policy", settings.SECURE_REFERRER_POLICY),
        ("Cross-Origin-Opener-Policy", settings.SECURE_CROSS_ORIGIN_OPENER_POLICY),
    ]
    if settings.SECURE_HSTS_SECONDS:
        parts = [f"max-age={settings.SECURE_HSTS_SECONDS}"]
        parts += ["includeSubDomains"] if settings.SECURE_HSTS_INCLUDE_SUBDOMAINS else []
        parts += ["preload"] if settings.SECURE_HSTS_PRELOAD else []
        table.append(("Strict-Transport-Security", "; ".join(parts)))
    return tuple(table)


class FastPath:
    """A WSGI application in front of another.

    `reader_url` is the reader role's; `allowed_hosts` are compared before anything is answered.
    """

    def __init__(
        self,
        application: Callable,
        *,
        reader_url: str,
        headers: Iterable[tuple[str, str]],
        allowed_hosts: Iterable[str],
        https_only: bool = False,
    ):
        self.application = application
        self.reader_url = reader_url
        self.headers = tuple(headers)
        self.allowed_hosts = frozenset(allowed_hosts)
        self.https_only = https_only
        self._local = threading.local()

    def __call__(self, environ: dict[str, Any], start_response: Callable) -> Iterable[bytes]:
        document = self._document(environ)
        if document is None:
            return self.application(environ, start_response)
        answer = documents.answer(
            document,
            headers={
                "if-none-match": environ.get("HTTP_IF_NONE_MATCH", ""),
                "accept-encoding": environ.get("HTTP_ACCEPT_ENCODING", ""),
            },
        )
        start_response(f"{answer.status.value} {answer.status.phrase}", [*answer.headers, *self.headers])
        return [b"" if environ["REQUEST_METHOD"] == "HEAD" else answer.body]

    def _document(self, environ: dict[str, Any]) -> documents.Document | None:
        if environ["REQUEST_METHOD"] not in {"GET", "HEAD"} or environ.get("QUERY_STRING"):
            return None
        if self.https_only and environ.get("HTTP_X_FORWARDED_PROTO", environ["wsgi.url_scheme"]) != "https":
            return None
        try:
            # WSGI hands the path over as latin-1 (PEP 3333).
            path = environ.get("PATH_INFO", "").encode("latin-1").decode("utf-8")
        except UnicodeError:
            return None
        if not PUBLISHED.fullmatch(path) or "\0" in path or self._host(environ) not in self.allowed_hosts:
            return None
        # A connection that died since the last request is opened anew once.
        for attempt in (1, 2):
            try:
                row = self._connection().execute(QUERY, [path], prepare=True).fetchone()
            except psycopg.Error as error:
                self._local.connection = None
                if attempt == 2:
                    log.warning("published documents are not readable: %s", type(error).__name__)
                continue
            return documents.Document(row[0], row[1], bytes(row[2]), row[3]) if row else None
        return None

    @staticmethod
    def _host(environ: dict[str, Any]) -> str:
        """The host without its port; "" when it is none, and then Django says so."""
        match = HOST.fullmatch(environ.get("HTTP_HOST", ""))
        return match[1] if match else ""

    def _connection(self) -> psycopg.Connection:
        connection = getattr(self._local, "connection", None)
        if connection is None or connection.closed:
            connection = psycopg.connect(
                self.reader_url,
                autocommit=True,
                connect_timeout=2,
                options="-c statement_timeout=1s -c default_transaction_read_only=on",
            )
            self._local.connection = connection
        return connection
