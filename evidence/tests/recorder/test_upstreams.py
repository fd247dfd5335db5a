"""Sites that staff configured: down, slow, cut, lying; whatever they do is recorded and none of it is our 500."""

import gzip
import hashlib
import socket
import time

import pytest

from evidence.recorder.rows import Ending
from evidence.recorder.targets import is_public
from evidence.tests.recorder import sites
from evidence.tests.recorder.observed import START_DOMAIN, observed_run
from registry_site.tests.own_registry import family, free_port


def test_the_site_is_asked_as_its_start_domain(recorder, site):
    observed = observed_run(upstream=site.target)
    assert recorder.get(observed.host, "/a%2Fb?c=d", "X-Api-Key: k").body == sites.PAGE
    head = site.asked[-1].decode()
    assert head.startswith("GET /a%2Fb?c=d HTTP/1.1\r\n")
    assert f"host: {START_DOMAIN}\r\n" in head.lower()
    assert "x-api-key: k\r\n" in head.lower()


def test_what_reaches_beyond_the_run_is_recorded_and_not_passed_on(recorder, site):
    observed = observed_run(upstream=site.target)
    answer = recorder.get(observed.host, "/cookies")
    assert [value for name, value in answer.headers if name == "set-cookie"] == ["sid=secreto; Path=/"]
    assert not {"strict-transport-security", "alt-svc"} & {name for name, _ in answer.headers}
    assert answer.header("cache-control") == "no-store"
    (response,) = observed.responses()
    kept = dict(response.headers)
    assert kept["strict-transport-security"] == "max-age=9"
    assert "secreto" not in str(response.headers)


def test_a_redirect_to_the_sites_real_address_leads_back_into_the_record(recorder, site):
    observed = observed_run(upstream=site.target)
    answer = recorder.get(observed.host, "/redirect")
    assert (answer.status, answer.header("location")) == (302, f"http://{observed.host}:{recorder.port}/a")
    (response,) = observed.responses()
    assert dict(response.headers)["location"] == f"http://{START_DOMAIN}/a"
    assert len(site.asked) == 1, "redirects are not followed"


def test_compressed_bodies_pass_as_they_are(recorder, site):
    observed = observed_run(upstream=site.target)
    answer = recorder.get(observed.host, "/gzip", "Accept-Encoding: gzip")
    assert gzip.decompress(answer.body) == sites.PAGE
    (response,) = observed.responses()
    assert recorder.stored(response.sha256) == answer.body
    assert dict(response.headers)["content-encoding"] == "gzip"


@pytest.mark.parametrize(
    ("path", "status", "ending", "whole"),
    [
        ("/closes", 200, Ending.COMPLETE, True),
        ("/cut", 200, Ending.UPSTREAM_CUT, False),
        ("/cut-chunk", 200, Ending.UPSTREAM_CUT, False),
        ("/hangs-midway", 200, Ending.UPSTREAM_CUT, False),
        ("/hangs", 504, Ending.UPSTREAM_DOWN, True),
        ("/garbage", 502, Ending.UPSTREAM_DOWN, True),
        ("/smuggling", 502, Ending.UPSTREAM_DOWN, True),
    ],
)
def test_whatever_a_site_does_is_told_and_recorded(recorder, site, path, status, ending, whole):
    observed = observed_run(upstream=site.target)
    answer = recorder.get(observed.host, path)
    assert (answer.status, answer.is_whole) == (status, whole)
    (response,) = observed.responses()
    assert (response.status, response.ending) == (status, ending)
    assert response.sha256 == hashlib.sha256(recorder.stored(response.sha256)).hexdigest()
    assert recorder.stored(response.sha256).startswith(answer.body)


def test_a_site_that_is_down_is_502(recorder):
    observed = observed_run(upstream=("http", "127.0.0.1", free_port()))
    assert recorder.get(observed.host, "/").status == 502
    nowhere = observed_run(upstream=("http", "no-such-host.invalid", 80))
    assert recorder.get(nowhere.host, "/").status == 502
    assert [r.ending for r in observed.responses() + nowhere.responses()] == [Ending.UPSTREAM_DOWN] * 2


def test_a_stream_passes_while_it_comes(recorder, site):
    observed = observed_run(upstream=site.target)
    with recorder.connect() as agent:
        agent.sendall(f"GET /drip HTTP/1.1\r\nHost: {observed.host}\r\nConnection: close\r\n\r\n".encode())
        seen = b""
        while b"Un a" not in seen:
            seen += agent.recv(4096)
        assert observed.responses() == [], "the response is not over"
        site.go_on.set()
        while more := agent.recv(4096):
            seen += more
    assert seen.endswith(b"0\r\n\r\n")
    (response,) = observed.responses()
    assert recorder.stored(response.sha256) == b"Un agente"


def test_an_agent_that_goes_away_is_recorded_as_such(recorder, site):
    observed = observed_run(upstream=site.target)
    with recorder.connect() as agent:
        agent.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        agent.sendall(f"GET /big HTTP/1.1\r\nHost: {observed.host}\r\n\r\n".encode())
        agent.recv(4096)
    until = time.monotonic() + 10
    while not observed.responses() and time.monotonic() < until:
        time.sleep(0.05)
    (response,) = observed.responses()
    assert response.ending == Ending.CLIENT_GONE
    assert response.size < 24 * len(sites.MIB)


def test_a_large_body_passes_without_being_held(recorder, site):
    observed = observed_run(upstream=site.target)

    def memory() -> int:
        pages = 0
        for pid in family(recorder.process.pid):
            with open(f"/proc/{pid}/statm") as file:
                pages += int(file.read().split()[1])
        return pages * 4096

    before = memory()
    answer = recorder.get(observed.host, "/big")
    assert hashlib.sha256(answer.body).hexdigest() == observed.responses()[0].sha256
    assert len(answer.body) == 24 * len(sites.MIB)
    assert memory() - before < 12 * len(sites.MIB)


@pytest.mark.parametrize(
    ("address", "public"),
    [
        *((address, True) for address in ("1.1.1.1", "2606:4700::1111")),
        *(
            (address, False)
            for address in ("127.0.0.1", "10.0.0.1", "169.254.169.254", "0.0.0.0", "100.64.0.1")  # noqa: S104
        ),
        *(
            (address, False)
            for address in ("::1", "::ffff:127.0.0.1", "64:ff9b::7f00:1", "2002:7f00:1::", "fe80::1%eth0")
        ),
        *((address, False) for address in ("224.0.0.1", "fd00::1", "::", "not-an-address")),
    ],
)
def test_only_the_internet_is_public(address, public):
    assert is_public(address) is public
