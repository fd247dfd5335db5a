"""What becomes of a HAR: the trace of one site, without secrets, or a refusal that says where it is wrong."""

import base64
import contextlib
import hashlib
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evidence import har
from evidence.run_records import Limits

SITE = "observatoriodeagentes.com"
LIMITS = Limits(requests=40, seconds=1200)
SECRET = "s3cr3t-of-the-session"


def entry(
    url=f"https://{SITE}/conceptos/agente", *, at="2026-11-20T10:00:00.000Z", method="GET", status=200, **more
):
    content = more.pop("content", {"size": 4, "mimeType": "text/html; charset=utf-8", "text": "hola"})
    return {
        "startedDateTime": at,
        "time": 12.5,
        "request": {
            "method": method,
            "url": url,
            "httpVersion": "HTTP/2",
            "headers": more.pop("headers", [{"name": "Accept", "value": "text/html"}]),
            "cookies": more.pop("cookies", []),
            "queryString": [],
            "headersSize": -1,
            "bodySize": 0,
        },
        "response": {
            "status": status,
            "statusText": "",
            "headers": more.pop("response_headers", []),
            "cookies": [],
            "content": content,
            "redirectURL": "",
        },
        "cache": {},
        "timings": {"send": 0, "wait": 1, "receive": 1},
        "serverIPAddress": "203.0.113.9",
        "_initiator": {"type": "script"},
        **more,
    }


def document(*entries, version="1.2"):
    return {"log": {"version": version, "creator": {"name": "x", "version": "1"}, "entries": list(entries)}}


def read(*entries, hosts=(), limits=LIMITS, version="1.2"):
    text = json.dumps(document(*entries, version=version)).encode()
    return har.read(text, start_domain=SITE, limits=limits, hosts=frozenset(hosts))


def refusal(*entries, **more):
    with pytest.raises(har.UnusableHar) as refused:
        read(*entries, **more)
    return [(fault.code, fault.key) for fault in refused.value.faults]


# What is taken


def test_each_request_to_the_site_becomes_an_exchange():
    taken = read(entry())
    (exchange,) = taken.exchanges
    assert exchange.seq == 1
    assert exchange.at.isoformat() == "2026-11-20T10:00:00+00:00"
    assert (exchange.method, exchange.status) == ("GET", 200)
    assert exchange.url == f"https://{SITE}/conceptos/agente"
    assert exchange.request_headers == (("accept", "text/html"),)
    assert exchange.response.type == "text/html; charset=utf-8"
    assert exchange.response.size == 4
    assert exchange.response.sha256 == hashlib.sha256(b"hola").hexdigest()
    assert taken.bodies == {exchange.response.sha256: b"hola"}


def test_the_order_is_that_of_the_times_and_of_the_file_where_they_are_equal():
    taken = read(
        entry(f"https://{SITE}/c", at="2026-11-20T10:00:02Z"),
        entry(f"https://{SITE}/a", at="2026-11-20T07:00:01-03:00"),
        entry(f"https://{SITE}/b", at="2026-11-20T10:00:01Z"),
    )
    assert [exchange.url[-1] for exchange in taken.exchanges] == ["a", "b", "c"]
    assert [exchange.seq for exchange in taken.exchanges] == [1, 2, 3]


def test_what_went_elsewhere_or_came_from_a_cache_is_left_out_and_counted():
    taken = read(
        entry(),
        entry("https://buscador.example/?q=agente"),
        entry("data:text/plain,x"),
        entry(f"wss://{SITE}/s"),
        entry(_fromCache="disk"),
    )
    assert len(taken.exchanges) == 1
    assert (taken.elsewhere, taken.cached) == (3, 1)


def test_the_site_may_have_had_another_name_when_it_was_recorded():
    referer = [
        {"name": "Referer", "value": "http://localhost:3000/?token=abc"},
        {"name": "Host", "value": "x"},
    ]
    taken = read(entry("http://localhost:3000/a%2Fb?x=1#y", headers=referer), hosts=["localhost:3000"])
    assert taken.exchanges[0].url == f"http://{SITE}/a%2Fb?x=1"
    assert taken.exchanges[0].request_headers == (
        ("referer", f"http://{SITE}/?token=[removed]"),
        ("host", SITE),
    )


def test_what_comes_after_the_limits_is_kept_and_marked():
    taken = read(
        entry(at="2026-11-20T10:00:00Z"),
        entry(at="2026-11-20T10:00:01Z"),
        entry(at="2026-11-20T10:00:11Z"),
        limits=Limits(requests=2, seconds=10),
    )
    assert [exchange.beyond_limit for exchange in taken.exchanges] == [False, False, True]


def test_bodies_in_base64_and_empty_and_missing_ones():
    png = b"\x89PNG\0"
    taken = read(
        entry(
            content={
                "size": 5,
                "mimeType": "image/png",
                "text": base64.b64encode(png).decode(),
                "encoding": "base64",
            }
        ),
        entry(status=304, content={"size": 0, "mimeType": "x-unknown"}),
        entry(content={"size": 900, "mimeType": "text/html"}),
        entry(content={"size": 900, "mimeType": "image/png", "text": "AAAA", "encoding": "base64"}),
        entry(status=0, content={"size": 0, "mimeType": ""}),
    )
    whole, empty, missing, cut, broken_off = taken.exchanges
    assert taken.bodies == {whole.response.sha256: png}
    assert (empty.response.size, empty.response.sha256) == (0, hashlib.sha256(b"").hexdigest())
    assert (missing.status, missing.response) == (200, None)
    assert cut.response is None
    assert taken.without_body == 2
    assert (broken_off.status, broken_off.response) == (None, None)


# What is not taken


def test_no_secret_and_no_address_of_a_client_is_left_anywhere():
    text = f"<p>Su sesión es {SECRET}, su dirección 198.51.100.77, su clave clave-secreta-larga</p>"
    taken = read(
        entry(
            f"https://ana:{SECRET}@{SITE}/conceptos/agente?api_key=clave-secreta-larga&q=agente",
            headers=[
                {"name": "Cookie", "value": f"visto=1; sesion={SECRET}"},
                {"name": "Authorization", "value": f"Bearer {SECRET}-b"},
                {"name": "X-Forwarded-For", "value": "198.51.100.77, unknown"},
                {"name": "X-Forwarded-Host", "value": SITE},
                {"name": "X-Api-Key", "value": f"{SECRET}-k"},
                {"name": "X-Unknown", "value": "may be a secret"},
                {"name": "Referer", "value": f"https://{SITE}/entrar?session={SECRET}"},
                {"name": "User-Agent", "value": "agente/1"},
            ],
            response_headers=[{"name": "Set-Cookie", "value": f"sesion={SECRET}-new; Path=/"}],
            content={"size": -1, "mimeType": "text/html", "text": text},
        ),
        entry(f"https://{SITE}/volver/{SECRET}-new"),
    )
    kept = repr(taken.exchanges) + repr(taken.bodies) + repr(taken)
    for secret in (SECRET, "198.51.100.77", "clave-secreta-larga", "may be a secret", "203.0.113.9", "ana:"):
        assert secret not in kept
    assert taken.exchanges[0].url == f"https://{SITE}/conceptos/agente?api_key=[removed]&q=agente"
    assert taken.exchanges[1].url == f"https://{SITE}/volver/[removed]"
    assert dict(taken.exchanges[0].request_headers) == {
        "referer": f"https://{SITE}/entrar?session=[removed]",
        "user-agent": "agente/1",
    }
    assert taken.removed > 8
    assert taken.cleaned(f"Dice {SECRET} y agente") == "Dice [removed] y agente"


def test_short_words_and_the_sites_own_name_are_no_secrets():
    cookies = [{"name": "tema", "value": "claro"}, {"name": "sitio", "value": SITE}]
    content = {"size": -1, "mimeType": "text/html", "text": f"Tema claro de {SITE}"}
    taken = read(entry(cookies=cookies, content=content))
    assert list(taken.bodies.values()) == [f"Tema claro de {SITE}".encode()]


def test_a_public_identification_is_kept():
    agent = {"name": "Signature-Agent", "value": "https://agente.example"}
    assert read(entry(headers=[agent])).exchanges[0].request_headers == (
        ("signature-agent", "https://agente.example"),
    )


# What is refused


def test_what_is_no_har_is_refused():
    for content, code in (
        (b"", "INVALID_JSON"),
        (b"{", "INVALID_JSON"),
        (b"\xff", "INVALID_UTF8"),
        (b"[]", "WRONG_TYPE"),
        (b"{}", "MISSING_KEY"),
        (
            b'{"log": {"version": "1.2", "entries": [' + b'{"a":' * 5000 + b"1" + b"}" * 5000 + b"]}}",
            "RECORD_DEPTH",
        ),
    ):
        with pytest.raises(har.UnusableHar) as refused:
            har.read(content, start_domain=SITE, limits=LIMITS)
        assert [fault.code for fault in refused.value.faults] == [code], content[:20]


def test_a_byte_order_mark_is_passed_over():
    content = b"\xef\xbb\xbf" + json.dumps(document(entry())).encode()
    assert len(har.read(content, start_domain=SITE, limits=LIMITS).exchanges) == 1


def test_another_version_is_refused():
    assert refusal(entry(), version="1.1") == [("FORMAT_UNSUPPORTED", "log.version")]


def test_every_faulty_entry_is_named_at_once():
    nameless = entry()
    del nameless["request"]["url"]
    typed = entry()
    typed["response"]["status"] = "200"
    assert refusal(
        nameless,
        entry(),
        typed,
        entry(at="2026-11-20T10:00:00"),
        entry("sin-esquema"),
        entry(f"https://{SITE}:puerto/"),
        entry(method=""),
        entry(status=42),
        entry(content={"size": 1, "mimeType": "x", "text": "%%", "encoding": "base64"}),
        entry(content={"size": 1, "mimeType": "x", "text": "a", "encoding": "gzip"}),
        entry(headers=[{"name": "Accept", "value": "a\r\nb"}]),
    ) == [
        ("MISSING_KEY", "log.entries[0].request.url"),
        ("WRONG_TYPE", "log.entries[2].response.status"),
        ("VALUE_NOT_ALLOWED", "log.entries[3].startedDateTime"),
        ("VALUE_NOT_ALLOWED", "log.entries[4].request.url"),
        ("VALUE_NOT_ALLOWED", "log.entries[5].request.url"),
        ("VALUE_NOT_ALLOWED", "log.entries[6].request.method"),
        ("VALUE_NOT_ALLOWED", "log.entries[7].response.status"),
        ("VALUE_NOT_ALLOWED", "log.entries[8].response.content.text"),
        ("VALUE_NOT_ALLOWED", "log.entries[9].response.content.encoding"),
        ("UNSAFE_TEXT", "log.entries[10].request.headers[0]"),
    ]


def test_a_har_without_a_request_to_the_site_is_refused():
    assert refusal(entry("https://otro.example/")) == [("VALUE_NOT_ALLOWED", "log.entries")]
    assert refusal() == [("VALUE_NOT_ALLOWED", "log.entries")]


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(),
        lambda c: st.lists(c) | st.dictionaries(st.text(), c),
    )
)
def test_whatever_json_it_is_it_is_read_or_refused(value):
    for content in (value, {"log": value}, document(value), document(entry(content=value))):
        text = json.dumps(content).encode()
        with contextlib.suppress(har.UnusableHar):
            assert har.read(text, start_domain=SITE, limits=LIMITS).exchanges


@given(
    url=st.text() | st.text().map(lambda rest: f"https://{SITE}/{rest}"),
    at=st.text() | st.datetimes().map(lambda moment: f"{moment.isoformat()}Z"),
    text=st.text(),
    headers=st.lists(st.fixed_dictionaries({"name": st.text(), "value": st.text()})),
)
def test_whatever_an_entry_says_a_trace_names_the_site_alone(url, at, text, headers):
    content = {"size": -1, "mimeType": text, "text": text}
    try:
        taken = read(entry(url, at=at, headers=headers, content=content, response_headers=headers))
    except har.UnusableHar:
        return
    for exchange in taken.exchanges:
        assert exchange.url.startswith(f"https://{SITE}/")
        assert exchange.url.isascii()
        assert exchange.url.isprintable()
