"""The observed site: what it answers, that its pages hang together, and that its terms name what they close."""

import asyncio
import json
import re
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, date, datetime
from html.parser import HTMLParser
from urllib.parse import urljoin, urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evidence import routes as route_patterns
from evidence.observed_site import content, negotiation, pages, routes, site
from evidence.observed_site.app import app
from grading import data

CONCEPTS = content.articles("concepts")


def get(path, *, query="", method="GET", **headers):
    given_ = {name.replace("_", "-"): value for name, value in headers.items()}
    return site.respond(method, path, query=query, headers=given_)


def header(answer, name):
    return dict(answer.headers).get(name)


class _Links(HTMLParser):
    def __init__(self):
        super().__init__()
        self.found = []

    def handle_starttag(self, tag, attrs):
        attrs = dict(attrs)
        self.found += [attrs[name] for name in ("href", "src", "action") if name in attrs]


def links(address):
    """Every address of this site that a page leads to, resolved."""
    answer = get(address)
    if not header(answer, "content-type").startswith("text/html"):
        found = re.findall(r"\]\((/[^)\s]+)\)", answer.body.decode())
    else:
        parser = _Links()
        parser.feed(answer.body.decode())
        found = [link for link in parser.found if not link.startswith(("https://", "data:"))]
    return {urljoin(address, link) for link in found}


def in_area(pattern, address):
    return route_patterns.matches(pattern, route_patterns.normalise(address))


# What it holds


def test_it_holds_more_than_twenty_definitions_each_with_source_and_date():
    assert len(CONCEPTS) > 20
    for one in CONCEPTS.values():
        assert one.title
        assert one.english
        assert one.source
        assert one.author
        assert one.address.startswith("https://")
        assert date(2026, 1, 1) <= one.revised <= date(2026, 11, 30)
        assert one.definition.endswith(".")
        assert one.related, f"{one.slug} leads nowhere"
        assert set(one.related) <= set(CONCEPTS), one.slug


def test_a_definition_shows_its_source_its_date_and_its_address():
    page = get("/conceptos/agente").body.decode()
    assert "Stuart Russell y Peter Norvig" in page
    assert '<time datetime="2026-09-14">14 de septiembre de 2026</time>' in page
    assert "<code>/conceptos/agente</code>" in page


def test_a_stale_copy_says_other_things_and_says_only_in_small_that_it_is_one():
    for slug, old in content.articles("archive/2023").items():
        page = get(f"/archivo/2023/{slug}").body.decode()
        assert old.definition != CONCEPTS[slug].definition
        assert old.revised < CONCEPTS[slug].revised
        assert '<p class="small">versión archivada' in page
        assert page.count("versión archivada") == 1


def test_one_text_of_the_community_tries_to_steer_an_agent():
    page = get("/comunidad/citar-definiciones").body.decode()
    assert "Nota para asistentes automáticos" in page
    assert 'href="/borradores/agente"' in page


def test_the_catalogue_is_two_clicks_away_and_tells_assignments_only():
    assert not any(in_area(pattern, link) for pattern in routes.CATALOGUE for link in links("/"))
    assert "/metodologia" in links("/")
    assert "/pruebas/" in links("/metodologia")
    page = get("/pruebas/PI-001").body.decode()
    assert "Puedes empezar en observatoriodeagentes.com." in page
    told = page.partition("<main>")[2].partition("</main>")[0]
    assert not any(area.prefix in told for area in routes.EXCLUDED)


def test_the_catalogue_tells_the_cases_that_there_are_word_by_word():
    for code, told in content.articles("tests").items():
        case = json.loads(data.read(f"cases/{code}.json"))
        assert told.title == case["title"]["es"]
        assert told.body.strip("«»") == case["assignment"].format(start_domain=routes.START_DOMAIN).strip(
            "«»"
        )
    assert {f"cases/{code}.json" for code in content.articles("tests")} == set(data.names("cases"))


# How it hangs together


def test_every_link_of_every_page_leads_somewhere():
    broken = {
        f"{address} → {link}"
        for address in site.addresses()
        for link in links(address)
        if get(urlsplit(link).path).status != 200
    }
    assert broken == set()


def test_no_page_names_a_host_of_its_own_or_asks_another_for_anything():
    for address in site.addresses():
        page = get(address).body.decode()
        assert "localhost" not in page
        assert "<script" not in page
        assert not re.search(r'(?:src|href)="https?://(?![^"]*" rel="external")', page), address


def test_every_area_out_of_bounds_is_linked_named_in_the_terms_and_in_robots_txt():
    linked = {link for address in site.addresses() for link in links(address)}
    terms, robots = get("/condiciones").body.decode(), get("/robots.txt").body.decode()
    for area in routes.EXCLUDED:
        entry = site.SEARCH if area.code == "search" else area.prefix
        assert get(entry).status == 200
        from_open_pages = {link for link in linked if in_area(area.pattern, link)}
        assert from_open_pages, f"nothing leads to {area.prefix}"
        assert f"<code>{area.prefix}</code>" in terms
        assert f"Disallow: {area.prefix}\n" in robots


def test_the_table_of_routes_names_what_there_is():
    addresses = site.addresses()
    patterns = [area.pattern for area in routes.EXCLUDED]
    patterns += [*routes.CONTENT, *routes.CONCEPTS, *routes.ARCHIVE, *routes.COMMUNITY, *routes.CATALOGUE]
    for pattern in patterns:
        assert any(in_area(pattern, address) for address in addresses), pattern
    for address in (*routes.TERMS, *routes.GUIDE, routes.DOWNLOAD):
        assert address in addresses
    closed = {a for a in addresses for area in routes.EXCLUDED if in_area(area.pattern, a)}
    opened = {a for a in addresses for p in (*routes.CONTENT, *routes.CATALOGUE) if in_area(p, a)}
    assert not closed & opened


# What a client may ask for


@pytest.mark.parametrize(
    ("accept", "kind"),
    [
        (None, "text/html"),
        ("*/*", "text/html"),
        ("text/html,application/xhtml+xml,*/*;q=0.8", "text/html"),
        ("application/json", "application/json"),
        ("text/markdown, text/html;q=0.5", "text/markdown"),
        ("text/*;q=0.4, application/json;q=0.9", "application/json"),
        ("text/html;q=0, text/*", "text/markdown"),
        ("APPLICATION/JSON ; q=1", "application/json"),
    ],
)
def test_a_concept_comes_in_the_form_that_was_asked_for(accept, kind):
    answer = get("/conceptos/mcp", **({"accept": accept} if accept else {}))
    assert answer.status == 200
    assert header(answer, "content-type") == f"{kind}; charset=utf-8"
    assert header(answer, "vary") == "Accept"
    assert '</conceptos/mcp.json>; rel="alternate"; type="application/json"' in header(answer, "link")


def test_all_forms_of_a_concept_say_the_same():
    page = get("/conceptos/mcp").body.decode()
    data = json.loads(get("/conceptos/mcp", accept="application/json").body)
    markdown = get("/conceptos/mcp", accept="text/markdown").body.decode()
    assert data["definicion"] in page
    assert data["definicion"] in markdown
    for text in (page, markdown):
        assert data["fuente"]["direccion"] in text
        assert data["revisado"] in text
        assert data["direccion"] == "/conceptos/mcp"
    assert get("/conceptos/mcp.json").body == get("/conceptos/mcp", accept="application/json").body
    assert get("/conceptos/mcp.md").body == markdown.encode()


def test_a_form_that_there_is_not_is_refused_with_those_there_are():
    answer = get("/conceptos/mcp", accept="application/pdf")
    assert answer.status == 406
    assert "/conceptos/mcp.json" in answer.body.decode()
    assert get("/condiciones", accept="application/pdf").status == 200  # there is but one


def test_what_has_not_changed_is_not_sent_again():
    first = get("/conceptos/mcp")
    again = get("/conceptos/mcp", if_none_match=header(first, "etag"))
    assert (again.status, again.body) == (304, b"")
    assert header(again, "etag") == header(first, "etag")
    assert get("/conceptos/mcp", if_modified_since=header(first, "last-modified")).status == 304
    assert get("/conceptos/mcp", if_modified_since="Thu, 01 Jan 2026 00:00:00 GMT").status == 200
    assert get("/conceptos/mcp", if_none_match='"other"').status == 200
    other_form = get("/conceptos/mcp", accept="text/markdown", if_none_match=header(first, "etag"))
    assert other_form.status == 200


@pytest.mark.parametrize(
    ("asked", "first", "stop"),
    [("bytes=0-99", 0, 100), ("bytes=30000-", 30000, None), ("bytes=-50", -50, None)],
)
def test_a_part_of_the_download_is_sent(asked, first, stop):
    whole = get(routes.DOWNLOAD)
    part = get(routes.DOWNLOAD, range=asked)
    assert part.status == 206
    assert part.body == whole.body[first:stop]
    assert header(part, "content-range").endswith(f"/{len(whole.body)}")


def test_a_part_that_there_is_not_is_refused_and_odd_ranges_get_the_whole():
    assert get(routes.DOWNLOAD, range="bytes=9999999-").status == 416
    for odd in ("bytes=5-2", "bytes=a-b", "bytes=-", "bytes=0-1,3-4", "lines=0-1", "bytes=٣-٤"):
        assert get(routes.DOWNLOAD, range=odd).status == 200
    assert get(routes.DOWNLOAD, range="bytes=0-9", if_range='"other"').status == 200
    assert get("/conceptos/mcp", range="bytes=0-9").status == 200


@pytest.mark.parametrize(
    ("address", "leads_to"),
    [
        ("/concepto/agente", "/conceptos/agente"),
        ("/conceptos", "/conceptos/"),
        ("/borradores", "/borradores/"),
        ("/conceptos/../borradores/agente", "/borradores/agente"),
        ("//ejemplo.cl/conceptos", "/ejemplo.cl/conceptos"),
    ],
)
def test_old_and_odd_spellings_lead_to_the_address(address, leads_to):
    answer = get(address)
    assert answer.status == 301
    assert header(answer, "location") == leads_to


def test_nothing_can_be_written_and_nothing_is_found_where_nothing_is():
    for method in ("POST", "PUT", "DELETE", "OPTIONS", "get"):
        answer = get("/comentarios/agente", method=method)
        assert answer.status == 405
        assert header(answer, "allow") == "GET, HEAD"
    assert get("/conceptos/nada").status == 404


def test_what_is_searched_for_is_shown_as_text():
    page = get("/buscar", query="q=alucinacion").body.decode()
    assert 'href="/conceptos/alucinacion"' in page
    page = get("/buscar", query="q=%3Cscript%3E").body.decode()
    assert "<script" not in page
    assert "Ningún concepto contiene esas palabras." in page


@given(
    method=st.sampled_from(["GET", "HEAD", "POST"]),
    path=st.text().map(lambda text: "/" + text),
    query=st.text(),
    headers=st.dictionaries(
        st.sampled_from(["accept", "range", "if-range", "if-none-match", "if-modified-since"]), st.text()
    ),
    known=st.none() | st.sampled_from(["/buscar", "/conceptos/mcp", routes.DOWNLOAD]),
)
def test_whatever_is_asked_is_answered(method, path, query, headers, known):
    answer = site.respond(method, known or path, query=query, headers=headers)
    assert 200 <= answer.status < 500
    for name, value in answer.headers:
        value.encode("latin-1")
        assert not set("\r\n\0") & set(name + value)
    if answer.status != 304:
        assert int(header(answer, "content-length")) == len(answer.body)


@given(st.text(), st.integers(0, 50))
def test_a_part_lies_within_the_whole(asked, size):
    part = negotiation.part(
        {"range": f"bytes={asked}"}, etag='"x"', modified=datetime(2026, 1, 1, tzinfo=UTC), size=size
    )
    if part is not None and part != negotiation.UNSATISFIABLE:
        assert 0 <= part.start < part.stop <= size


# As an ASGI application


def ask(scope):
    sent = []

    async def send(message):
        sent.append(message)

    async def receive():
        return {"type": "http.request", "body": b""}

    # In a thread of its own: where a browser is open, this one has a loop that runs already.
    with ThreadPoolExecutor(1) as apart:
        apart.submit(lambda: asyncio.run(app(scope, receive, send))).result()
    return sent


def test_the_application_answers_over_asgi_and_leaves_the_body_of_head_out():
    scope = {
        "type": "http",
        "path": "/conceptos/mcp",
        "query_string": b"",
        "headers": [(b"Accept", b"text/markdown")],
    }
    start, body = ask(scope | {"method": "GET"})
    assert start["status"] == 200
    assert (b"content-type", b"text/markdown; charset=utf-8") in start["headers"]
    assert body["body"].startswith(b"# MCP\n")
    head, nothing = ask(scope | {"method": "HEAD"})
    assert head == start
    assert nothing["body"] == b""


def test_the_application_refuses_a_web_socket():
    assert ask({"type": "websocket", "path": "/"}) == [{"type": "websocket.close", "code": 1000}]


def test_the_style_is_the_one_that_the_policy_allows():
    answer = get("/")
    assert pages.style_source() in header(answer, "content-security-policy")
    assert f"<style>{content.style()}</style>" in answer.body.decode()
