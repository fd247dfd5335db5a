"""What the observed site answers to a request: a method, an address and headers in, a complete answer out."""

import hashlib
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, time
from functools import cache
from urllib.parse import parse_qs, quote

from evidence.observed_site import content, negotiation, pages, resources
from evidence.observed_site.resources import Resource

METHODS = ("GET", "HEAD")
SEARCH = "/buscar"

Headers = Iterable[tuple[str, str]]


@dataclass(frozen=True)
class Answer:
    """A response. To HEAD it is the answer to GET; whoever sends it leaves the body out."""

    status: int
    headers: tuple[tuple[str, str], ...]
    body: bytes


def respond(method: str, path: str, *, query: str, headers: Mapping[str, str]) -> Answer:
    """The answer to one request: `path` percent-decoded, `headers` by lower-case name."""
    if method not in METHODS:
        refusal = pages.plain("Método no admitido", "Este sitio solo se puede leer.")
        return _page(405, refusal, [("allow", ", ".join(METHODS))])
    plain_path = _without_dots(path)
    address = resources.moves().get(plain_path, plain_path)
    if address != path:
        return _moved(address, query)
    if address == SEARCH:
        return _page(200, _found(query))
    resource = resources.table().get(address)
    return _not_found(address) if resource is None else _represented(resource, headers)


def addresses() -> list[str]:
    """Every address that answers 200, in order."""
    return sorted([*resources.table(), SEARCH])


def _represented(resource: Resource, headers: Mapping[str, str]) -> Answer:
    offered = tuple(resource.bodies)
    kind = negotiation.best(headers.get("accept"), offered)
    if kind is None and len(offered) > 1:
        refusal = pages.plain(
            "Formato no disponible", "Esta dirección existe en otros formatos:", resource.alternates
        )
        return _page(406, refusal, [("vary", "Accept")])
    # Of one form only, it is sent whatever was asked for: RFC 9110 §12.4.1 leaves that to the server.
    kind = kind or offered[0]
    body = resource.bodies[kind]
    etag, (modified, last_modified) = _etag(body), _instant(resource.modified)
    said = [("etag", etag), ("last-modified", last_modified), *_links(resource)]
    if len(offered) > 1:
        said.append(("vary", "Accept"))
    if resource.in_parts:
        said.append(("accept-ranges", "bytes"))
    if negotiation.not_modified(headers, etag=etag, modified=modified):
        return Answer(304, (*said, *_always()), b"")
    said.append(("content-type", f"{kind}; charset=utf-8"))
    part = None
    if resource.in_parts:
        part = negotiation.part(headers, etag=etag, modified=modified, size=len(body))
    if part == negotiation.UNSATISFIABLE:
        refusal = pages.plain("Parte inexistente", "El archivo es más corto que la parte pedida.")
        return _page(416, refusal, [("content-range", f"bytes */{len(body)}")])
    if part is None:
        return _answer(200, said, body)
    said.append(("content-range", f"bytes {part.start}-{part.stop - 1}/{len(body)}"))
    return _answer(206, said, body[part.start : part.stop])


# The same few texts are asked for over and over, and the recorder's time is counted.
@cache
def _etag(body: bytes) -> str:
    return f'"{hashlib.sha256(body).hexdigest()[:32]}"'


@cache
def _instant(day: date) -> tuple[datetime, str]:
    """The beginning of a day, and how HTTP writes it."""
    moment = datetime.combine(day, time(), UTC)
    return moment, negotiation.http_date(moment)


def _links(resource: Resource) -> Headers:
    links = [f'<{address}>; rel="alternate"; type="{kind}"' for address, kind in resource.alternates]
    return [("link", ", ".join(links))] if links else []


def _found(query: str) -> str:
    words = " ".join(parse_qs(query, errors="replace").get("q", [])).strip()[:200]
    sought = _folded(words).split()
    hits = [
        one
        for one in content.articles("concepts").values()
        if sought and all(word in _folded(f"{one.title} {one.english} {one.body}") for word in sought)
    ]
    return pages.found(words, hits)


def _not_found(address: str) -> Answer:
    text = f"En este sitio no hay nada en «{address[:200]}»."
    return _page(404, pages.plain("No encontrado", text, [("/conceptos/", "Ver todos los conceptos")]))


def _moved(path: str, query: str) -> Answer:
    address = quote(path, safe="/~!$&'()*+,;=:@", errors="replace")
    if query:
        address += "?" + quote(query, safe="/~!$&'()*+,;=:@?%", errors="replace")
    page = pages.plain("Cambió de dirección", "El texto está ahora en:", [(address, address)])
    return _page(301, page, [("location", address)])


def _page(status: int, html: str, headers: Headers = ()) -> Answer:
    body = html.encode(errors="replace")
    return _answer(status, [*headers, ("content-type", f"{resources.HTML}; charset=utf-8")], body)


def _answer(status: int, headers: Headers, body: bytes) -> Answer:
    return Answer(status, (*headers, ("content-length", str(len(body))), *_always()), body)


@cache
def _always() -> Headers:
    policy = f"default-src 'none'; style-src {pages.style_source()}; img-src data:; form-action 'self'; base-uri 'none'"
    return (
        ("cache-control", "no-cache"),
        ("content-language", "es"),
        ("content-security-policy", policy),
        ("x-content-type-options", "nosniff"),
    )


def _without_dots(path: str) -> str:
    """`path` as RFC 3986 §5.2.4 resolves it, repeated slashes as one."""
    kept: list[str] = []
    pieces = path.split("/")
    for piece in pieces:
        if piece == "..":
            kept = kept[:-1]
        elif piece not in ("", "."):
            kept.append(piece)
    end = "/" if kept and pieces[-1] in ("", ".", "..") else ""
    return "/" + "/".join(kept) + end


def _folded(text: str) -> str:
    """Without accents and capitals: nobody types them when searching."""
    decomposed = unicodedata.normalize("NFKD", text.casefold())
    return "".join(character for character in decomposed if not unicodedata.combining(character))
