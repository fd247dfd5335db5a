"""Whoever is of no run gets nothing; what a run may not ask is refused and recorded; no 500 of ours, ever."""

import random
import socket
from datetime import timedelta

import pytest
from django.db import connection

from evidence.models import RunToken
from evidence.recorder import tokens
from evidence.recorder.rows import Ending
from evidence.tests.recorder.observed import START_DOMAIN, observed_run
from evidence.tests.recorder.recorders import read_answer


def raw(*lines: str, body: bytes = b"") -> bytes:
    return "\r\n".join([*lines, "", ""]).encode("latin-1") + body


# ── no run ───────────────────────────────────────────────────────────────────
@pytest.mark.parametrize(
    "lines",
    [
        ["Host: localhost:8001"],
        ["Host: 127.0.0.1:8001"],
        ["Host: [::1]:8001"],
        ["Host: 127.0.0.2:8001"],
        ["Host: runs.localhost"],
        ["Host: evil.example"],
        ["Host: " + "a" * 26 + ".runs.localhost"],
        ["Host: 127.0.0.2", "X-Run-Token: fehr_no"],
        ["Host: 127.0.0.2", f"X-Run-Token: {tokens.new_token()}"],
        ["Host: 127.0.0.2", f"Authorization: Bearer {tokens.new_token()}"],
        ["Host: 127.0.0.2", "Authorization: Basic eDp5"],
        ["Host: 127.0.0.2", f"Cookie: feh_run={tokens.new_token()}"],
        ["X-Run-Token: fehr_no"],
    ],
)
def test_without_a_run_there_is_no_content(recorder, lines):
    answer = recorder.ask(raw("GET /conceptos/ HTTP/1.1", *lines, "Connection: close"))
    assert (answer.status, answer.body) == (403, b"")
    assert answer.header("cache-control") == "no-store"


def test_two_secrets_must_be_of_one_run(recorder):
    mine, other = observed_run(), observed_run()
    assert recorder.get(mine.host, "/", f"X-Run-Token: {mine.token}").status == 200
    assert recorder.get(mine.host, "/", f"X-Run-Token: {other.token}").status == 403
    both = [f"X-Run-Token: {mine.token}", f"Cookie: feh_run={other.token}"]
    assert recorder.get("127.0.0.2", "/", *both).status == 403
    assert (len(mine.arrivals()), len(other.arrivals())) == (1, 0)


def test_an_expired_token_takes_nothing(recorder):
    expired = observed_run(lifetime=timedelta(seconds=-1))
    assert recorder.get(expired.host, "/conceptos/").status == 403
    assert expired.arrivals() == []


def test_secrets_that_were_made_anew_are_dead_though_they_were_looked_up_before(recorder):
    observed = observed_run()
    form = f"token={observed.token}".encode()
    entered = recorder.get("127.0.0.2", "/.run", method="POST", body=form)
    assert (entered.status, observed.arrivals()) == (303, [])
    token, label = tokens.new_token(), tokens.new_label()
    RunToken.objects.filter(run=observed.run).update(
        token_sha256=tokens.digest(token), label_sha256=tokens.digest(label)
    )
    assert recorder.get("127.0.0.2", "/", f"X-Run-Token: {observed.token}").status == 403
    assert recorder.get("127.0.0.2", "/", f"X-Run-Token: {token}").status == 200
    assert recorder.get(f"{label}.runs.localhost", "/").status == 200
    assert len(observed.arrivals()) == 2


# ── shapes that are refused before a run is looked for ──────────────────────
@pytest.mark.parametrize(
    ("first", "lines", "statuses"),
    [
        ("GET / HTTP/1.1", ["Host: {host}", "Host: evil.example"], {403}),
        ("GET / HTTP/1.1", ["Host: {host}, evil.example"], {403}),
        ("GET / HTTP/1.1", ["Host: evil.example@{host}"], {403}),
        ("GET / HTTP/1.1", ["Host: {host}", "X-A: b", " folded"], {400}),
        ("GET / HTTP/1.1", ["Host: {host}", "X-A : b"], {400}),
        ("GET / HTTP/1.1", ["Host: {host}", "X-A: a\rSet-Cookie: b"], {400}),
        ("GET / HTTP/1.1", ["Host: {host}", "X-A: a\0b"], {400}),
        ("GET /a b HTTP/1.1", ["Host: {host}"], {400}),
        ("POST / HTTP/1.1", ["Host: {host}", "Content-Length: 3", "Content-Length: 4"], {400}),
        ("POST / HTTP/1.1", ["Host: {host}", "Content-Length: -1"], {400}),
        ("POST / HTTP/1.1", ["Host: {host}", "Transfer-Encoding: xchunked"], {400}),
        ("GET http://evil.example/ HTTP/1.1", ["Host: evil.example"], {403}),
        ("CONNECT evil.example:443 HTTP/1.1", ["Host: evil.example:443"], {403}),
        ("GET / HTTP/1.1", ["Host: {host}", *(f"X-{n}: a" for n in range(200))], {431}),
        ("GET /" + "a" * 70_000 + " HTTP/1.1", ["Host: {host}"], {414}),
        ("GET / HTTP/1.1", ["Host: {host}", "X-A: " + "a" * 600_000], {0, 431}),
    ],
)
def test_odd_shapes_reach_nothing(recorder, first, lines, statuses):
    observed = observed_run()
    request = raw(first, *(line.replace("{host}", observed.host) for line in lines))
    try:
        status = recorder.ask(request).status
    except (ConnectionResetError, BrokenPipeError):
        status = 0
    assert status in statuses
    assert observed.arrivals() == []


def test_of_two_lengths_the_chunks_count_and_nothing_is_smuggled(recorder, site):
    observed = observed_run(upstream=site.target)
    smuggled = f"GET /interno/secreto HTTP/1.1\r\nHost: {observed.host}\r\n\r\n"
    request = raw(
        "POST /a HTTP/1.1",
        f"Host: {observed.host}",
        "Content-Length: 6",
        "Transfer-Encoding: chunked",
        "Connection: close",
    )
    assert recorder.ask(request + b"0\r\n\r\n" + smuggled.encode()).status in (200, 400)
    assert all(b"secreto" not in head for head in site.asked)
    assert [arrival.path for arrival in observed.arrivals()] in ([], ["/a"])


# ── what a run may not ask: answered and recorded ────────────────────────────
@pytest.mark.parametrize(
    ("first", "lines", "status"),
    [
        ("GET / HTTP/1.1", ["Connection: Upgrade", "Upgrade: websocket"], 403),
        (
            "GET / HTTP/1.1",
            ["Connection: Upgrade, HTTP2-Settings", "Upgrade: h2c", "HTTP2-Settings: AAM"],
            403,
        ),
        ("CONNECT evil.example:443 HTTP/1.1", [], 403),
        ("GET evil.example HTTP/1.1", [], 403),
        ("A" * 60 + " / HTTP/1.1", [], 400),
        ("GET / HTTP/1.1", ["X-A: " + "a" * 40_000, "X-B: " + "b" * 40_000], 431),
        ("POST / HTTP/1.1", ["Content-Length: 999999999"], 413),
        # No row can hold these: were that a fault of ours, an operator could have a place in the series back.
        ("POST / HTTP/1.1", ["Content-Length: 18446744073709551613"], 413),
    ],
)
def test_a_run_that_asks_for_more_than_a_site_is_refused_on_record(recorder, first, lines, status):
    observed = observed_run()
    answer = recorder.ask(raw(first, f"Host: {observed.host}", *lines, "Connection: close"))
    assert answer.status == status
    (arrival,) = observed.arrivals()
    assert (arrival.response.status, arrival.response.ending) == (status, Ending.REFUSED)


def test_a_method_that_grows_by_the_start_domain_is_recorded_all_the_same(recorder):
    observed = observed_run()
    method = "!".join(["127.0.0.2"] * 4)
    assert recorder.get(observed.host, "/", method=method).status == 405
    (arrival,) = observed.arrivals()
    assert arrival.method == f"{START_DOMAIN}!{START_DOMAIN}"[:40]


def test_a_body_without_a_declared_length_ends_somewhere(recorder):
    observed = observed_run()
    chunk = b"100000\r\n" + b"a" * 0x100000 + b"\r\n"
    with recorder.connect() as agent:
        agent.sendall(raw("POST / HTTP/1.1", f"Host: {observed.host}", "Transfer-Encoding: chunked"))
        try:
            for _ in range(12):
                agent.sendall(chunk)
            agent.sendall(b"0\r\n\r\n")
            assert read_answer(agent).status == 413
        except OSError:  # what was still being sent was not waited for
            pass
    (arrival,) = observed.arrivals()
    assert arrival.response.status == 413


@pytest.mark.parametrize(
    "target",
    [
        *(
            "//evil.example/x",
            "/../../../etc/passwd",
            "/%2e%2e/%2e%2e/etc/passwd",
            "/a%00b",
            "/%zz",
            "/\\..\\x",
        ),
        *(
            "http://evil.example/x",
            "/?u=http://evil.example/",
            "/%ff%fe",
            "/a;b=c/d",
            "/.run",
            "*",
            "/%0d%0aX-A:b",
        ),
    ],
)
def test_odd_targets_are_recorded_and_stay_on_the_site(recorder, target):
    observed = observed_run()
    method = "OPTIONS" if target == "*" else "GET"
    answer = recorder.ask(raw(f"{method} {target} HTTP/1.1", f"Host: {observed.host}", "Connection: close"))
    assert 200 <= answer.status < 500
    (arrival,) = observed.arrivals()
    assert arrival.response.status == answer.status
    assert arrival.url.startswith(f"http://{START_DOMAIN}/")


# ── canary ───────────────────────────────────────────────────────────────────
def test_neither_token_nor_label_is_in_any_row_log_or_request_to_the_site(recorder, site):
    observed = observed_run(upstream=site.target)
    by_name, token = f"{observed.host}:{recorder.port}", observed.token
    cases = [
        (
            observed.host,
            f"/?t={token}&h={by_name}",
            [f"Referer: http://{by_name}/?{token}", f"User-Agent: {token}"],
        ),
        (observed.host, f"/{observed.label.upper()}/%{ord(observed.label[0]):02x}{observed.label[1:]}", []),
        (
            observed.host,
            "/cookies",
            [f"X-Run-Token: {token}", f"Cookie: feh_run={token}", f"X-Other: {token}"],
        ),
        ("127.0.0.2", f"/{token}", [f"Authorization: Bearer {token}", f"Origin: http://{by_name}"]),
        ("127.0.0.2", f"/%66{token[1:]}", [f"X-Run-Token: {token}"]),
    ]
    for host, target, lines in cases:
        assert recorder.get(host, target, *lines).status == 200
    assert len(observed.arrivals()) == len(cases)
    with connection.cursor() as cursor:
        cursor.execute("SELECT table_name FROM information_schema.tables WHERE table_schema = 'public'")
        for (table,) in cursor.fetchall():
            cursor.execute(
                f'SELECT count(*) FROM "{table}" AS row WHERE lower(row::text) LIKE ANY (%s)',  # noqa: S608
                [[f"%{token}%", f"%{observed.label}%"]],
            )
            assert cursor.fetchone() == (0,), table
    told = b"".join(site.asked).lower() + recorder.log.read_bytes().lower()
    assert observed.label.encode() not in told
    assert token.encode() not in told.replace(b"%66ehr_", b"")
    assert b"127.0.0.2" not in b"".join(site.asked)


# ── anything at all ──────────────────────────────────────────────────────────
def test_no_bytes_make_a_500_of_ours(recorder):
    observed = observed_run(requests=1_000_000)
    chance = random.Random(20261130)
    orderly = raw(
        "GET /conceptos/agente?x=%2F HTTP/1.1",
        f"Host: {observed.host}",
        "Accept: text/html;q=0.5, */*",
        "Range: bytes=0-9",
        "If-Modified-Since: Tue, 03 Nov 2026 00:00:00 GMT",
        "Connection: close",
    )
    pieces = [
        *b"\0\r\n\t :/\\%;,\"'<>{}\xff\xc0",
        b"\r\n",
        b"%00",
        b"..",
        b"%2e%2e/",
        b"HTTP/1.1",
        b"9" * 30,
        b"a" * 3000,
    ]
    for _ in range(150):
        spoiled = bytearray(orderly)
        for _ in range(chance.randint(1, 4)):
            at = chance.randrange(len(spoiled))
            piece = chance.choice(pieces)
            spoiled[at : at + chance.randint(0, 3)] = piece if isinstance(piece, bytes) else bytes([piece])
        with recorder.connect() as agent:
            agent.sendall(bytes(spoiled))
            agent.shutdown(socket.SHUT_WR)
            status = read_answer(agent).status
        assert status < 500, bytes(spoiled)
    assert all(hasattr(arrival, "response") for arrival in observed.arrivals())
    assert recorder.get(observed.host, "/").status == 200
