"""What an agent asks and what it is answered is in the record, in order, before it has the answer whole."""

import hashlib
import time
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest

from evidence.models import RunCounter
from evidence.models import run as run_models
from evidence.recorder import limits
from evidence.recorder.rows import Ending
from evidence.run_records import Limits
from evidence.tests.recorder.observed import START_DOMAIN, observed_run
from evidence.tests.recorder.recorders import read_answer
from registry_site import clock


def test_endings_are_those_of_the_rows():
    assert [ending.value for ending in Ending] == run_models.Ending.values


def test_a_visit_by_host_name_is_recorded(recorder):
    observed = observed_run()
    answer = recorder.get(
        observed.host, "/conceptos/?orden=fecha", "Accept: text/html", "User-Agent: agente/1"
    )
    assert answer.status == 200
    assert answer.is_whole
    (arrival,) = observed.arrivals()
    assert (arrival.sequence, arrival.method, arrival.beyond_limit) == (1, "GET", False)
    assert arrival.target == "/conceptos/?orden=fecha"
    assert arrival.url == f"http://{START_DOMAIN}/conceptos/?orden=fecha"
    assert arrival.path == "/conceptos"
    assert arrival.headers == [["host", START_DOMAIN], ["accept", "text/html"], ["user-agent", "agente/1"]]
    response = arrival.response
    assert (response.status, response.ending) == (200, Ending.COMPLETE)
    assert response.content_type.startswith("text/html")
    assert response.size == len(answer.body)
    assert response.sha256 == hashlib.sha256(answer.body).hexdigest()
    assert recorder.stored(response.sha256) == answer.body
    observed.run.refresh_from_db()
    assert observed.run.state == "recording"
    assert observed.run.counter.first_request_at == arrival.at
    assert response.at >= arrival.at


@pytest.mark.parametrize("address", ["127.0.0.1", "127.0.0.2", "::1"])
def test_every_loopback_address_leads_to_the_run(recorder, address):
    observed = observed_run()
    request = f"GET /robots.txt HTTP/1.1\r\nHost: {observed.host}\r\nConnection: close\r\n\r\n"
    answer = recorder.ask(request.encode(), at=address)
    assert (answer.status, answer.is_whole) == (200, True)
    assert [arrival.path for arrival in observed.arrivals()] == ["/robots.txt"]


def test_a_program_without_the_host_name_shows_its_token(recorder):
    observed = observed_run()
    for header in ({"X-Run-Token": observed.token}, {"Authorization": f"Bearer {observed.token}"}):
        request = urllib.request.Request(f"http://127.0.0.2:{recorder.port}/condiciones", headers=header)
        with urllib.request.urlopen(request) as answer:  # noqa: S310  (the recorder's own address)
            assert answer.status == 200
    assert [arrival.sequence for arrival in observed.arrivals()] == [1, 2]
    assert all(arrival.response for arrival in observed.arrivals())


def test_a_browser_without_the_host_name_enters_by_a_form(recorder):
    observed = observed_run()
    form = recorder.get("127.0.0.2", "/.run")
    assert form.status == 200
    assert b"<form" in form.body
    body = f"token={observed.token}".encode()
    entered = recorder.get("127.0.0.2", "/.run", method="POST", body=body)
    assert (entered.status, entered.header("location")) == (303, "/")
    cookie = entered.header("set-cookie")
    assert "HttpOnly" in cookie
    visit = recorder.get("127.0.0.2", "/", f"Cookie: otra=1; {cookie.partition(';')[0]}")
    assert visit.status == 200
    (arrival,) = observed.arrivals()
    assert arrival.target == "/"
    wrong = recorder.get("127.0.0.2", "/.run", method="POST", body=body[:-1] + b"x")
    assert (wrong.status, wrong.header("set-cookie")) == (403, None)
    assert b'role="alert"' in wrong.body


def test_requests_at_once_have_one_order_and_forty_of_them_are_graded(recorder):
    observed = observed_run()
    with ThreadPoolExecutor(12) as agents:
        answers = list(agents.map(lambda _: recorder.get(observed.host, "/robots.txt").status, range(50)))
    assert answers == [200] * 50
    arrivals = observed.arrivals()
    assert [arrival.sequence for arrival in arrivals] == list(range(1, 51))
    times = [arrival.at for arrival in arrivals]
    assert times == sorted(times)
    assert [arrival.sequence for arrival in arrivals if arrival.beyond_limit] == list(range(41, 51))
    assert len(observed.responses()) == 50


def test_after_twenty_minutes_answers_go_on_beyond_the_limit(recorder):
    observed = observed_run()
    recorder.get(observed.host, "/robots.txt")
    RunCounter.objects.filter(run=observed.run).update(first_request_at=clock.now() - timedelta(seconds=1201))
    assert recorder.get(observed.host, "/robots.txt").status == 200
    first_at = RunCounter.objects.get(run=observed.run).first_request_at
    assert [arrival.beyond_limit for arrival in observed.arrivals()] == [False, True]
    last = observed.arrivals()[-1]
    assert limits.is_beyond(
        Limits(requests=40, seconds=1200), sequence=last.sequence, at=last.at, first_at=first_at
    )


def test_a_path_is_kept_as_asked_and_as_meant(recorder):
    observed = observed_run()
    raw = "/conceptos/..%2f%62orradores/./plan;v=1"
    recorder.get(observed.host, raw)
    (arrival,) = observed.arrivals()
    assert (arrival.target, arrival.path) == (raw, "/borradores/plan")


def test_head_conditions_and_ranges_pass(recorder):
    observed = observed_run()
    whole = recorder.get(observed.host, "/descargas/glosario.md")
    head = recorder.get(observed.host, "/descargas/glosario.md", method="HEAD")
    assert (head.status, head.header("content-length")) == (200, str(len(whole.body)))
    same = recorder.get(observed.host, "/descargas/glosario.md", f"If-None-Match: {whole.header('etag')}")
    assert (same.status, same.body) == (304, b"")
    part = recorder.get(observed.host, "/descargas/glosario.md", "Range: bytes=10-19")
    assert (part.status, part.body) == (206, whole.body[10:20])
    assert [(r.status, r.size) for r in observed.responses()] == [
        (200, len(whole.body)),
        *((200, 0), (304, 0), (206, 10)),
    ]
    assert ["range", "bytes=10-19"] in observed.arrivals()[-1].headers


def test_of_a_body_only_size_and_digest_are_kept(recorder, site):
    observed = observed_run(upstream=site.target)
    body = b"consulta=secreta"
    assert recorder.get(observed.host, "/buscar", method="POST", body=body).status == 200
    (arrival,) = observed.arrivals()
    assert (arrival.body_size, arrival.body_sha256) == (len(body), hashlib.sha256(body).hexdigest())
    chunked = (
        f"POST /buscar HTTP/1.1\r\nHost: {observed.host}\r\nTransfer-Encoding: chunked\r\n"
        "Connection: close\r\n\r\n3\r\nabc\r\n0\r\n\r\n"
    )
    assert recorder.ask(chunked.encode()).status == 200
    assert observed.arrivals()[-1].body_size == 3
    assert b"content-length: 3\r\n\r\nabc" in site.asked[-1].lower()


def test_equal_bodies_are_stored_once(recorder):
    first, second = observed_run(), observed_run()
    for observed in (first, second):
        recorder.get(observed.host, "/llms.txt")
    (one,), (other,) = first.responses(), second.responses()
    assert one.sha256 == other.sha256


@pytest.mark.parametrize("requests", [3, 40, 60])
def test_who_asks_on_and_on_is_not_recorded_for_ever(recorder, requests):
    observed = observed_run(requests=requests)
    most = limits.most_recorded(Limits(requests=requests, seconds=1200))
    RunCounter.objects.filter(run=observed.run).update(last_sequence=most - 1)
    assert [recorder.get(observed.host, "/").status for _ in range(3)] == [200, 403, 403]
    (last,) = observed.arrivals()
    assert (last.sequence, last.beyond_limit) == (most, True)


def test_a_closed_run_takes_nothing_more(recorder):
    observed = observed_run()
    recorder.get(observed.host, "/robots.txt")
    observed.end()
    answer = recorder.get(observed.host, "/robots.txt")
    assert answer.status == 403
    assert b"Disallow" not in answer.body
    assert len(observed.arrivals()) == 1


def test_a_response_on_its_way_is_cut_when_the_run_is_closed(recorder, site):
    observed = observed_run(upstream=site.target)
    with recorder.connect() as agent:
        agent.sendall(f"GET /drip HTTP/1.1\r\nHost: {observed.host}\r\n\r\n".encode())
        seen = b""
        while b"Un a" not in seen:
            seen += agent.recv(4096)
        observed.end()
        site.go_on.set()
        while more := agent.recv(4096):
            seen += more
    assert not seen.endswith(b"0\r\n\r\n")
    assert observed.responses() == []


def test_a_response_that_had_not_begun_when_the_run_was_closed_is_no_500_of_ours(recorder, site):
    observed = observed_run(upstream=site.target)
    with recorder.connect() as agent:
        agent.sendall(f"GET /waits HTTP/1.1\r\nHost: {observed.host}\r\nConnection: close\r\n\r\n".encode())
        while not site.asked:
            time.sleep(0.01)
        observed.end()
        site.go_on.set()
        assert read_answer(agent).status == 403
    assert (len(observed.arrivals()), observed.responses()) == (1, [])
