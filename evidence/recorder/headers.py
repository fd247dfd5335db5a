"""What of a request's and a response's headers is passed on, what is stored, and what names are put in place of others.

The agent speaks to `<label>.runs.localhost:8001`, the site believes to be spoken to as its start domain, and nothing
that is stored or passed on holds label, token, credential or address of the client.

Headers are ASGI's: `[(name, value), …]` in bytes, names in lower case.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from urllib.parse import quote_from_bytes

Headers = list[tuple[bytes, bytes]]
Stored = list[tuple[str, str]]

RUN_COOKIE = "feh_run"
REMOVED = "[removed]"

# Of one connection alone (RFC 9110 §7.6.1), with those that only ever stood there.
_HOP_BY_HOP = frozenset(
    {
        *(b"connection", b"keep-alive", b"proxy-connection", b"proxy-authenticate", b"proxy-authorization"),
        *(b"te", b"trailer", b"transfer-encoding", b"upgrade", b"http2-settings", b"expect"),
    }
)
# Who asked: credentials, and what a proxy before us may have said of the client's address.
_OF_THE_CLIENT = frozenset(
    {
        *(b"authorization", b"x-run-token", b"forwarded", b"via", b"x-real-ip", b"x-client-ip"),
        *(b"x-cluster-client-ip", b"true-client-ip", b"cf-connecting-ip", b"fastly-client-ip"),
    }
)
_FORWARDED = b"x-forwarded-"
# What is kept of a request. A list of what is known to be harmless: an unknown header may hold a secret.
_KEPT = frozenset(
    {
        *(b"accept", b"accept-charset", b"accept-encoding", b"accept-language", b"cache-control"),
        *(b"content-encoding", b"content-language", b"content-length", b"content-type", b"dnt", b"host"),
        *(b"if-match", b"if-modified-since", b"if-none-match", b"if-range", b"if-unmodified-since"),
        *(b"max-forwards", b"mcp-protocol-version", b"origin", b"pragma", b"prefer", b"priority", b"purpose"),
        *(b"range", b"referer", b"save-data", b"sec-gpc", b"signature-agent", b"upgrade-insecure-requests"),
        *(b"user-agent", b"x-purpose", b"x-requested-with"),
    }
)
_KEPT_FAMILIES = (b"sec-fetch-", b"sec-ch-")
# They would reach beyond the run's own host, or outlive it.
_NEVER_SENT = frozenset(
    {
        *(b"strict-transport-security", b"alt-svc", b"nel", b"report-to", b"reporting-endpoints"),
        *(b"clear-site-data", b"service-worker-allowed"),
    }
)
# Replaced by ours: a copy in a cache would be a visit that is not seen, one in an index a run that is not over.
_OURS = frozenset({b"cache-control", b"expires", b"pragma", b"x-robots-tag"})
_ADDED: Headers = [(b"cache-control", b"no-store"), (b"x-robots-tag", b"noindex, nofollow")]
_WITH_ADDRESSES = frozenset(
    {b"location", b"content-location", b"link", b"refresh", b"access-control-allow-origin"}
)
_SECRET = re.compile(r"fehr?_[0-9a-f]{72}", re.IGNORECASE)


@dataclass(frozen=True)
class Naming:
    """Which names stand for which: the recorder's for the agent, the start domain's for the site and for the record.

    `client` is the origin that the agent uses, such as `http://<label>.runs.localhost:8001`; `hosts` are the names
    under which the recorder answers besides the labels of `domain`; `target` is the configured upstream's host and
    port, None for the built-in site.
    """

    start_domain: str
    client: str
    domain: str
    hosts: frozenset[str]
    label: str | None = None
    target: str | None = None

    def public(self, text: str) -> str:
        """The text with the start domain for every name of the recorder, and without tokens."""
        lowered = text.lower()
        # Most texts hold nothing of ours, which a look for the longest part of each name tells at once.
        if any(part in lowered for part in _parts(self.domain, self.hosts)):
            text = _names(self.domain, self.hosts).sub(self.start_domain, text)
        if "feh" in lowered:
            text = _SECRET.sub(REMOVED, text)
        if self.label and self.label in lowered:
            text = re.sub(self.label, self.start_domain, text, flags=re.IGNORECASE)
        return text

    def of_site(self, text: str) -> str:
        """What the site said, with the start domain for the address it is really reached at."""
        if self.target and "://" in text:
            text = _origins(self.target).sub(rf"\g<1>{self.start_domain}", text)
        return self.public(text)

    def for_client(self, text: str) -> str:
        """What the site said, with the agent's own address for the site's: following it stays in the record."""
        for name in filter(None, (self.start_domain, self.target)):
            text = _origins(name).sub(self.client, text)
        return text


@lru_cache(maxsize=64)
def _parts(domain: str, hosts: frozenset[str]) -> tuple[str, ...]:
    """Of each name of the recorder the longest label: dots may be encoded, letters are sought as they are."""
    return tuple({max(name.split("."), key=len) for name in (domain, *hosts)})


@lru_cache(maxsize=64)
def _names(domain: str, hosts: frozenset[str]) -> re.Pattern[str]:
    """Every name of the recorder, with its port, plain or percent-encoded."""
    dot = r"(?:\.|%2e)"
    own = "|".join(
        dot.join(map(re.escape, name.split("."))) for name in sorted({domain, *hosts}, key=len, reverse=True)
    )
    return re.compile(
        rf"(?:(?<![\w.-])|(?<=%[0-9a-f]{{2}}))(?:[a-z2-7]{{26}}{dot})?(?:{own})(?:(?::|%3a)[0-9]{{1,5}})?(?![\w-])",
        re.IGNORECASE,
    )


@lru_cache(maxsize=1024)
def _origins(name: str) -> re.Pattern[str]:
    """An absolute address's scheme and host, where the host is this one; a port that is named is left out too."""
    port = "" if re.search(r":[0-9]+\Z", name) else r"(?::[0-9]{1,5})?"
    return re.compile(rf"(https?://){re.escape(name)}{port}(?![\w.:@-])", re.IGNORECASE)


# ── of a request ─────────────────────────────────────────────────────────────
def target_text(raw: bytes) -> str:
    """A request's target as text: what is not ASCII is written as triplets, nothing else is changed."""
    return raw.decode("ascii") if raw.isascii() else quote_from_bytes(raw, safe=_ASCII)


_ASCII = "".join(map(chr, range(33, 127)))


def to_target(headers: Iterable[tuple[bytes, bytes]], *, naming: Naming, body_size: int | None) -> Headers:
    """What the site is told. `body_size` is None where the request has no body."""
    headers = list(headers)
    dropped = _named_by_connection(headers)
    out: Headers = [
        (b"host", naming.start_domain.encode("idna" if not naming.start_domain.isascii() else "ascii"))
    ]
    for name, value in headers:
        if name in _HOP_BY_HOP or name in _OF_THE_CLIENT or name in dropped or name.startswith(_FORWARDED):
            continue
        if name in (b"host", b"content-length"):
            continue
        if name == b"cookie" and not (value := _without_run_cookie(value)):
            continue
        out.append((name, naming.public(value.decode("latin-1")).encode("latin-1")))
    if body_size is not None:
        out.append((b"content-length", b"%d" % body_size))
    return out


def stored_request(passed_on: Headers) -> Stored:
    """What is kept of it: of what is passed on, the headers that are known to hold no secret."""
    return [
        (name.decode("ascii"), value.decode("latin-1"))
        for name, value in passed_on
        if name in _KEPT or name.startswith(_KEPT_FAMILIES)
    ]


def _named_by_connection(headers: Headers) -> frozenset[bytes]:
    return frozenset(
        option.strip().lower()
        for name, value in headers
        if name == b"connection"
        for option in value.split(b",")
    )


def _without_run_cookie(value: bytes) -> bytes:
    ours = RUN_COOKIE.encode()
    pairs = (pair.strip() for pair in value.split(b";"))
    return b"; ".join(pair for pair in pairs if pair and pair.partition(b"=")[0].strip() != ours)


# ── of a response ────────────────────────────────────────────────────────────
def to_client(headers: Iterable[tuple[bytes, bytes]], *, naming: Naming) -> Headers:
    """What the agent is told of what the site said."""
    headers = list(headers)
    dropped = _named_by_connection(headers)
    out: Headers = []
    for name, value in headers:
        if name in _HOP_BY_HOP or name in _NEVER_SENT or name in _OURS or name in dropped:
            continue
        if name == b"set-cookie":
            if (cookie := _of_this_host(value)) is None:
                continue
            value = cookie
        elif name in _WITH_ADDRESSES:
            value = naming.for_client(value.decode("latin-1")).encode("latin-1")
        out.append((name, value))
    return out + _ADDED


def stored_response(headers: Iterable[tuple[bytes, bytes]], *, naming: Naming) -> Stored:
    """What is kept of it: all that the site sent, those that are not passed on too; of cookies not the value."""
    out: Stored = []
    for name, value in headers:
        text = value.decode("latin-1")
        if name == b"set-cookie":
            cookie, semicolon, rest = text.partition(";")
            text = f"{cookie.partition('=')[0]}={REMOVED}{semicolon}{rest}"
        out.append((name.decode("latin-1"), naming.of_site(text)))
    return out


def _of_this_host(cookie: bytes) -> bytes | None:
    """A Set-Cookie without Domain: it stays on the run's own host. None for one that would replace ours."""
    first, *attributes = cookie.split(b";")
    if first.partition(b"=")[0].strip() == RUN_COOKIE.encode():
        return None
    kept = [part for part in attributes if part.partition(b"=")[0].strip().lower() != b"domain"]
    return b";".join([first, *kept])
