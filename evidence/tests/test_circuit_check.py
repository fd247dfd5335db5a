"""The circuit check: it walks the known way, and says of each request whether what was recorded is what it got.

The registry is a small one made here, whose record can be spoiled; the real recorder is tried where it is tested.
"""

import hashlib
import json
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from urllib.parse import unquote

import pytest
from django.core.management import call_command

from evidence import routes
from evidence.circuit import agreement, walking, way
from evidence.management.commands import circuit_check
from evidence.observed_site import site
from evidence.observed_site.routes import START_DOMAIN

TOKEN = "fehr_" + "ab" * 36
LABEL = "abcdefghijklmnopqrstuvwxyz"


class Registry(ThreadingHTTPServer):
    """Registry and recorder on one port. `spoil` changes the record before it is read back."""

    def __init__(self):
        super().__init__(("127.0.0.1", 0), _Answers)
        self.records = []
        self.spoil = lambda records: records
        self.outcome = "technical"
        self.registers = 201
        Thread(target=self.serve_forever, args=(0.01,), daemon=True).start()

    @property
    def place(self):
        return f"127.0.0.1:{self.server_port}"


class _Answers(BaseHTTPRequestHandler):
    def log_message(self, *args):
        pass

    def _any(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        if self.path == walking.CHECKS and self.command == "POST":
            self._register(body)
        elif self.path.startswith(walking.CHECKS):
            self._read_back()
        else:
            self._record()

    def do_GET(self):
        self._any()

    def do_HEAD(self):
        self._any()

    def do_POST(self):
        self._any()

    def _register(self, body):
        assert json.loads(body) == {}
        registry = self.server
        answer = {
            "run": "EJ-2026-000001",
            "token": TOKEN,
            "entry": f"http://{LABEL}.runs.localhost:{registry.server_port}",
            "address": f"http://{registry.place}",
            "header": "X-Run-Token",
            "variant": {"start_domain": START_DOMAIN},
        }
        if registry.registers != 201:
            answer = {"title": "Too many requests"}
        self._send(registry.registers, [("content-type", "application/json")], json.dumps(answer).encode())

    def _read_back(self):
        assert self.path == f"{walking.CHECKS}EJ-2026-000001/"
        assert self.headers["Authorization"] == f"Bearer {TOKEN}"
        answer = {"outcome": self.server.outcome, "requests": self.server.spoil(self.server.records)}
        self._send(200, [], json.dumps(answer).encode())

    def _record(self):
        shown = (
            self.headers.get("X-Run-Token"),
            self.headers.get("Authorization", "").removeprefix("Bearer "),
            TOKEN if self.headers["Host"].startswith(f"{LABEL}.runs.localhost:") else None,
        )
        if TOKEN not in shown:
            self._send(403, [], b"")
            return
        path, _, query = self.path.partition("?")
        headers = {name.lower(): value for name, value in self.headers.items()}
        answer = site.respond(self.command, unquote(path), query=query, headers=headers)
        sent = b"" if self.command == "HEAD" else answer.body
        self.server.records.append(
            {
                "sequence": len(self.server.records) + 1,
                "method": self.command,
                "url": f"http://{START_DOMAIN}{self.path}",
                "path": routes.normalise(self.path),
                "status": answer.status,
                "size": len(sent),
                "sha256": hashlib.sha256(sent).hexdigest(),
            }
        )
        self._send(answer.status, answer.headers, sent)

    def _send(self, status, headers, body):
        self.send_response(status)
        for name, value in headers:
            if name != "content-length":
                self.send_header(name, value)
        if self.command != "HEAD" and status != 304:
            self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


@pytest.fixture
def registry():
    server = Registry()
    yield server
    server.shutdown()
    server.server_close()


def check(registry):
    return walking.check(f"http://{registry.place}/", progress=lambda step, received: None)


def test_the_way_passes_everything_that_a_run_may_meet():
    statuses = {step.status for step in way.WAY}
    assert statuses >= {200, 206, 301, 304, 404, 405}
    assert {step.method for step in way.WAY} == {"GET", "HEAD", "POST"}
    assert {step.by for step in way.WAY} == {"header", "bearer", "host"}
    assert len(way.WAY) < 40
    codes = [step.code for step in way.WAY]
    assert len(codes) == len(set(codes))
    for step in way.WAY:
        assert routes.normalise(step.target) == step.normalised


def test_everything_agrees_where_everything_was_recorded(registry):
    outcome = check(registry)
    assert outcome.agrees
    assert outcome.run == "EJ-2026-000001"
    assert len(outcome.lines) == len(way.WAY) == len(registry.records)
    assert outcome.refused == 403
    assert all(line.agrees for line in outcome.lines)


def test_one_request_that_was_not_recorded_is_told(registry):
    registry.spoil = lambda records: records[:4] + records[5:]
    outcome = check(registry)
    assert not outcome.agrees
    assert [line.differs for line in outcome.lines if not line.agrees] == [("missing",)]


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("status", 500),
        ("size", 1),
        ("sha256", "0" * 64),
        ("method", "PUT"),
        ("path", "/otra"),
        ("url", "http://x/"),
    ],
)
def test_one_fact_recorded_otherwise_is_told(registry, key, value):
    registry.spoil = lambda records: [records[0] | {key: value}, *records[1:]]
    outcome = check(registry)
    assert [line.differs for line in outcome.lines if not line.agrees] == [(key,)]


def test_a_record_of_what_was_not_asked_is_told(registry):
    registry.spoil = lambda records: [*records, records[0] | {"sequence": 99}]
    outcome = check(registry)
    assert not outcome.agrees
    assert [record["sequence"] for record in outcome.superfluous] == [99]


def test_the_name_of_the_runs_host_in_the_record_is_a_difference(registry):
    host = f"http://{LABEL}.runs.localhost/"
    registry.spoil = lambda records: [records[0] | {"url": host}, *records[1:]]
    assert check(registry).lines[0].differs == ("url",)


def test_a_run_that_is_not_technical_does_not_pass(registry):
    registry.outcome = ""
    assert not check(registry).agrees


def test_a_site_that_answers_otherwise_is_told_even_where_the_record_agrees():
    step = way.WAY[0]
    received = agreement.Received(502, 0, hashlib.sha256(b"").hexdigest())
    record = {
        "sequence": 1,
        "method": "GET",
        "url": f"http://{START_DOMAIN}/",
        "path": "/",
        "status": 502,
        "size": 0,
        "sha256": received.sha256,
    }
    (line,) = agreement.lines([(step, received)], [record], start_domain=START_DOMAIN)
    assert line.differs == ("answer",)


@pytest.mark.parametrize("address", ["localhost:8000", "ftp://localhost/", "http://", "http://localhost:x/"])
def test_what_is_no_address_is_refused(address):
    with pytest.raises(walking.NotWalked) as refused:
        walking.check(address, progress=lambda step, received: None)
    assert refused.value.code == "address"


def test_a_registry_that_gives_no_run_is_told(registry):
    registry.registers = 429
    with pytest.raises(walking.NotWalked) as refused:
        check(registry)
    assert (refused.value.code, refused.value.detail) == (
        "refused",
        f"POST {walking.CHECKS}: 429 Too many requests",
    )


def test_the_command_prints_each_request_and_what_the_check_is_not(registry, capsys):
    call_command(circuit_check.Command(), f"http://{registry.place}/")
    told = capsys.readouterr().out
    assert "Ejecución técnica: EJ-2026-000001" in told
    assert f"http://{START_DOMAIN}/conceptos/%2e%2e/%62orradores/agente" in told
    assert f"Todo coincide: {len(way.WAY)} de {len(way.WAY)} peticiones." in told
    assert "no se evalúa ni se certifica" in told
    assert TOKEN not in told
    assert LABEL not in told


def test_the_command_ends_with_1_and_names_what_differs(registry, capsys):
    registry.spoil = lambda records: records[:-1]
    with pytest.raises(SystemExit) as ended:
        call_command(circuit_check.Command(), f"http://{registry.place}/", "--json")
    assert ended.value.code == 1
    answer = json.loads(capsys.readouterr().out)
    assert answer["agrees"] is False
    assert answer["requests"][-1]["differs"] == ["missing"]
