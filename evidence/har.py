"""HAR 1.2 → the trace of a run: the exchanges with one site in their order, and the bodies, without secrets.

A HAR is written by the program that made the requests, not by the site that answered them. What it holds is the word of
whoever hands it in, and this module cannot make more of it: it takes what a trace has, and leaves the rest behind.

Left behind: requests to other hosts and those that a cache answered; cookies, credentials, tokens and addresses of
clients; every header that is not known to be harmless. A secret found there is taken out wherever else it stands,
bodies included, and counted. Bodies are those that the HAR has: decoded, where the site sent them compressed.
"""

import base64
import binascii
import hashlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from ipaddress import ip_address
from itertools import islice
from urllib.parse import SplitResult, parse_qsl, quote, urlsplit

import msgspec

from evidence.plain_json import MOST_FAULTS, Fault, is_unsafe_name, shown
from evidence.recorder import headers as recorded_headers
from evidence.recorder.headers import REMOVED
from evidence.recorder.limits import is_beyond
from evidence.run_records import Body, Exchange, Limits

VERSION = "1.2"
MOST_ENTRIES = 100_000
_FIRST_YEAR, _LAST_YEAR = 1970, 2199
_PORTS = {"http": 80, "https": 443}
# A name of a query parameter, header or cookie that holds a secret: one of these words in it, or it alone.
_SECRET_WORDS = ("token", "secret", "passw", "apikey", "credential", "signature", "session", "authorization")
_SECRET_NAMES = frozenset(
    {"key", "sig", "sid", "pwd", "pass", "auth", "jwt", "otp", "code", "cookie", "setcookie"}
)
_PUBLIC_NAMES = frozenset({"signatureagent"})
_ADDRESS_NAMES = frozenset(
    {"forwarded", "xforwardedfor", "xrealip", "xclientip", "trueclientip", "cfconnectingip"}
)
# A shorter value would be found in texts where it is no secret.
_LEAST_SECRET = 12


class UnusableHar(ValueError):
    """Not a HAR that a trace can be made of: `faults` says where and why."""

    def __init__(self, faults: list[Fault]) -> None:
        super().__init__("; ".join(f"{fault.key or 'HAR'}: {fault.code}" for fault in faults[:5]))
        self.faults = faults


@dataclass(frozen=True)
class Imported:
    """What became of a HAR.

    `bodies` are by their SHA-256. `elsewhere` requests went to other hosts, `cached` ones were answered by a cache;
    `without_body` responses had one that the HAR does not hold. `removed` counts the headers left behind and the
    places that a secret was taken out of; `secrets` are what was taken out, for texts that come beside the HAR.
    """

    exchanges: list[Exchange]
    bodies: dict[str, bytes]
    elsewhere: int
    cached: int
    without_body: int
    removed: int
    secrets: frozenset[str] = field(repr=False)

    def cleaned(self, text: str) -> str:
        """A text that came beside the HAR, such as the final answer, without the secrets that the HAR held."""
        return _without(text, self.secrets)[0]


class _Pair(msgspec.Struct, frozen=True):
    name: str
    value: str


class _Content(msgspec.Struct, frozen=True, rename={"mime_type": "mimeType"}):
    size: int | float = -1
    mime_type: str = ""
    text: str | None = None
    encoding: str | None = None


class _Request(msgspec.Struct, frozen=True):
    method: str
    url: str
    headers: list[_Pair]
    cookies: list[_Pair] = []


class _Response(msgspec.Struct, frozen=True):
    status: int
    headers: list[_Pair] = []
    cookies: list[_Pair] = []
    content: _Content = _Content()


class _Entry(msgspec.Struct, frozen=True, rename={"started": "startedDateTime", "from_cache": "_fromCache"}):
    started: str
    request: _Request
    response: _Response
    from_cache: str | None = None


class _Log(msgspec.Struct, frozen=True):
    version: str
    entries: list[msgspec.Raw]


class _Har(msgspec.Struct, frozen=True):
    log: _Log


def read(
    content: bytes, *, start_domain: str, limits: Limits, hosts: frozenset[str] = frozenset()
) -> Imported:
    """The trace that a HAR holds of one site.

    `hosts` are the names that the site went by when the HAR was written, each with its port where it is not the
    scheme's own; the start domain is always one of them, and stands in the place of all. Raises UnusableHar.
    """
    log = _log(content)
    faults: list[Fault] = []
    known = frozenset({start_domain, *hosts})
    taken: list[tuple[datetime, _Entry, SplitResult]] = []
    secrets: set[str] = set()
    elsewhere = cached = 0
    for place, raw in enumerate(log.entries):
        entry, wrong = _entry(raw, f"log.entries[{place}]")
        if entry is None or wrong:
            faults += wrong
            continue
        address = urlsplit(entry.request.url)
        if address.scheme not in _PORTS or _host(address) not in known:
            elsewhere += 1
        elif entry.from_cache:
            cached += 1
        else:
            taken.append((_instant(entry.started), entry, address))
            secrets |= set(_secrets(entry))
    if not faults and not taken:
        faults = [
            Fault(
                "VALUE_NOT_ALLOWED", "log.entries", f"a request to {start_domain}", f"{elsewhere} to others"
            )
        ]
    if faults:
        raise UnusableHar(list(islice(faults, MOST_FAULTS)))
    secrets = {secret for secret in secrets if not any(secret in host for host in known)}
    # By the clock of whoever wrote it; the format asks for this order and does not promise it.
    taken.sort(key=lambda one: one[0])
    return _Making(start_domain, known, limits, frozenset(secrets)).trace(
        taken, elsewhere=elsewhere, cached=cached
    )


class _Making:
    """One trace in the making: what each part needs to know of the whole."""

    def __init__(
        self, start_domain: str, hosts: frozenset[str], limits: Limits, secrets: frozenset[str]
    ) -> None:
        self.start_domain = start_domain
        self.hosts = hosts
        self.limits = limits
        self.secrets = secrets
        self.bodies: dict[str, bytes] = {}
        self.without_body = 0
        self.removed = 0

    def trace(
        self, taken: Sequence[tuple[datetime, _Entry, SplitResult]], *, elsewhere: int, cached: int
    ) -> Imported:
        first_at = taken[0][0]
        exchanges = []
        for sequence, (at, entry, address) in enumerate(taken, 1):
            status = entry.response.status or None  # 0: the request was broken off
            exchanges.append(
                Exchange(
                    seq=sequence,
                    at=at,
                    method=entry.request.method,
                    url=self._url(address),
                    status=status,
                    request_headers=self._headers(entry.request.headers),
                    response=None if status is None else self._body(entry.response.content),
                    beyond_limit=is_beyond(self.limits, sequence=sequence, at=at, first_at=first_at),
                )
            )
        return Imported(
            exchanges=exchanges,
            bodies=self.bodies,
            elsewhere=elsewhere,
            cached=cached,
            without_body=self.without_body,
            removed=self.removed,
            secrets=self.secrets,
        )

    def _url(self, address: SplitResult) -> str:
        """The address with the start domain as its host, without credentials, fragment and secrets."""
        path = quote(address.path or "/", safe="/%~!$&'()*+,;=:@")
        query = self._query(address.query)
        return self._clean(f"{address.scheme}://{self.start_domain}{path}{'?' if query else ''}{query}")

    def _query(self, query: str) -> str:
        pieces = []
        for piece in query.split("&"):
            name, equals, value = piece.partition("=")
            if value and _is_secret(name):
                self.removed += 1
                piece = f"{name}{equals}{REMOVED}"
            pieces.append(piece)
        return quote("&".join(pieces), safe="/%~!$&'()*+,;=:@?[]")

    def _headers(self, headers: Sequence[_Pair]) -> tuple[tuple[str, str], ...]:
        raw = [
            (one.name.lower().encode(errors="replace"), one.value.encode("latin-1", "replace"))
            for one in headers
        ]
        kept = recorded_headers.stored_request(raw)
        # Those of HTTP/2 that begin with a colon say again what method and address say.
        self.removed += sum(not name.startswith(b":") for name, _ in raw) - len(kept)
        return tuple((name, self._header(name, value)) for name, value in kept)

    def _header(self, name: str, value: str) -> str:
        if name == "host":
            return self.start_domain
        address = urlsplit(value) if name in ("referer", "origin") else None
        if address is not None and address.scheme in _PORTS and _host(address) in self.hosts:
            return self._url(address) if name == "referer" else f"{address.scheme}://{self.start_domain}"
        return self._clean(value)

    def _body(self, content: _Content) -> Body | None:
        body = _bytes(content)
        if body is None:
            self.without_body += 1
            return None
        for secret in self.secrets:
            if (encoded := secret.encode()) in body:
                self.removed += body.count(encoded)
                body = body.replace(encoded, REMOVED.encode())
        digest = hashlib.sha256(body).hexdigest()
        if body:
            self.bodies[digest] = body
        kind = content.mime_type[:200]
        return Body(type="" if is_unsafe_name(kind) else kind, size=len(body), sha256=digest)

    def _clean(self, text: str) -> str:
        text, found = _without(text, self.secrets)
        self.removed += found
        return text


def _log(content: bytes) -> _Log:
    """The frame of a HAR, its entries still as they came."""
    content = content.removeprefix(b"\xef\xbb\xbf")
    try:
        content.decode()
    except UnicodeDecodeError as error:
        raise UnusableHar(
            [Fault("INVALID_UTF8", expected="UTF-8", found=f"byte {error.start + 1}")]
        ) from error
    log = _decoded(content, _Har, "").log
    if log.version != VERSION:
        raise UnusableHar([Fault("FORMAT_UNSUPPORTED", "log.version", VERSION, shown(log.version))])
    if len(log.entries) > MOST_ENTRIES:
        found = str(len(log.entries))
        raise UnusableHar([Fault("VALUE_NOT_ALLOWED", "log.entries", f"<= {MOST_ENTRIES}", found)])
    return log


def _entry(raw: msgspec.Raw, at: str) -> tuple[_Entry | None, list[Fault]]:
    try:
        entry = _decoded(raw, _Entry, at)
    except UnusableHar as unusable:
        return None, unusable.faults
    return entry, list(_faults(entry, at))


def _decoded(content: bytes | msgspec.Raw, struct: type, at: str):
    """What it decodes to, keys unknown to HAR 1.2 passed over: programs add their own."""
    try:
        return msgspec.json.decode(content, type=struct)
    except msgspec.ValidationError as error:
        message, _, place = str(error).partition(" - at `$")
        key = (at + place.removesuffix("`")).removeprefix(".") or None
        missing = message.partition("Object missing required field `")[2].removesuffix("`")
        if missing:
            raise UnusableHar(
                [Fault("MISSING_KEY", ".".join(filter(None, (key, missing))), missing)]
            ) from error
        wanted, _, found = message.removeprefix("Expected ").replace("`", "").partition(", got ")
        raise UnusableHar([Fault("WRONG_TYPE", key, wanted, found or None)]) from error
    except RecursionError as error:
        raise UnusableHar([Fault("RECORD_DEPTH", at or None)]) from error
    except (msgspec.DecodeError, ValueError) as error:
        raise UnusableHar([Fault("INVALID_JSON", at or None, "JSON", shown(str(error)))]) from error


def _faults(entry: _Entry, at: str) -> Iterator[Fault]:
    request, response = entry.request, entry.response
    if _instant(entry.started) is None:
        expected = f"ISO 8601 with offset, {_FIRST_YEAR} – {_LAST_YEAR}"
        yield Fault("VALUE_NOT_ALLOWED", f"{at}.startedDateTime", expected, shown(entry.started))
    if not 1 <= len(request.method) <= 40 or is_unsafe_name(request.method):
        yield Fault("VALUE_NOT_ALLOWED", f"{at}.request.method", "a method", shown(request.method))
    if is_unsafe_name(request.url) or not _is_address(request.url):
        yield Fault("VALUE_NOT_ALLOWED", f"{at}.request.url", "an absolute address", shown(request.url))
    for place, header in enumerate(request.headers):
        if is_unsafe_name(header.name) or is_unsafe_name(header.value):
            # Not the value: it may be a secret.
            yield Fault("UNSAFE_TEXT", f"{at}.request.headers[{place}]", found=shown(header.name))
    if response.status != 0 and not 100 <= response.status <= 599:
        yield Fault("VALUE_NOT_ALLOWED", f"{at}.response.status", "0, 100 – 599", str(response.status))
    yield from _faults_of_content(response.content, f"{at}.response.content")


def _faults_of_content(content: _Content, at: str) -> Iterator[Fault]:
    if content.encoding not in (None, "", "base64"):
        yield Fault("VALUE_NOT_ALLOWED", f"{at}.encoding", "base64", shown(content.encoding))
        return
    try:
        _bytes(content)
    except binascii.Error:
        yield Fault("VALUE_NOT_ALLOWED", f"{at}.text", "base64")
    except UnicodeEncodeError:
        yield Fault("RECORD_TEXT", f"{at}.text", found="an unpaired surrogate")


def _bytes(content: _Content) -> bytes | None:
    """The body as the HAR has it; None where there was one and the HAR does not hold all of it."""
    if content.text is None:
        return b"" if content.size <= 0 else None
    if content.encoding != "base64":
        return content.text.encode()
    body = base64.b64decode(content.text, validate=True)
    return None if 0 <= content.size != len(body) else body


def _instant(text: str) -> datetime | None:
    try:
        moment = datetime.fromisoformat(text)
        moment = moment.astimezone(UTC) if moment.tzinfo else None
    except (ValueError, OverflowError):
        return None
    return moment if moment and _FIRST_YEAR <= moment.year <= _LAST_YEAR else None


def _is_address(text: str) -> bool:
    try:
        address = urlsplit(text)
        return bool(address.scheme) and (address.scheme not in _PORTS or bool(_host(address)))
    except ValueError:
        return False


def _host(address: SplitResult) -> str:
    """Host and port as `hosts` names them: the port only where it is not the scheme's own. Raises ValueError."""
    host, port = address.hostname or "", address.port
    return host if port in (None, _PORTS.get(address.scheme)) else f"{host}:{port}"


def _secrets(entry: _Entry) -> Iterator[str]:
    """Values that were meant for one reader, and addresses of clients: wherever they stand, they are taken out."""
    for header in [*entry.request.headers, *entry.response.headers]:
        yield from _secrets_of_header(_plain_name(header.name), header.value.strip())
    for cookie in [*entry.request.cookies, *entry.response.cookies]:
        yield from _long([cookie.value])
    yield from _long(
        value for name, value in parse_qsl(urlsplit(entry.request.url).query) if _is_secret(name)
    )


def _secrets_of_header(name: str, value: str) -> Iterator[str]:
    if name in _ADDRESS_NAMES:
        yield from _addresses(value)
    elif name == "cookie":
        yield from _long(piece.partition("=")[2].strip() for piece in value.split(";"))
    elif name == "setcookie":
        yield from _long([value.partition(";")[0].partition("=")[2].strip()])
    elif name not in _PUBLIC_NAMES and _is_secret(name):
        yield from _long([value, value.rpartition(" ")[2]])


def _long(values: Iterable[str]) -> Iterator[str]:
    return (value for value in values if len(value) >= _LEAST_SECRET)


def _addresses(value: str) -> Iterator[str]:
    for piece in value.replace(";", ",").split(","):
        address = piece.rpartition("=")[2].strip().strip('"[]')
        try:
            yield str(ip_address(address))
        except ValueError:
            continue  # a host name or a word such as «unknown»


def _is_secret(name: str) -> bool:
    plain = _plain_name(name)
    return plain in _SECRET_NAMES or any(word in plain for word in _SECRET_WORDS)


def _plain_name(name: str) -> str:
    return name.lower().replace("-", "").replace("_", "")


def _without(text: str, secrets: frozenset[str]) -> tuple[str, int]:
    """The text with each secret taken out, also as an address spells it, and in how many places it stood."""
    found = 0
    for secret in sorted(secrets, key=len, reverse=True):
        for spelled in {secret, quote(secret, safe="")}:
            if spelled in text:
                found += text.count(spelled)
                text = text.replace(spelled, REMOVED)
    return text, found
