"""A simulated endpoint and judge over the fictitious norm, on loopback: they err at rates that are known."""

import hashlib
import json
import re
import socketserver
import threading
import time
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from typing import Any
from urllib.parse import urlsplit

from grading.harness import fictitious_norm as norm
from grading.harness import simulated_system
from grading.harness.simulated_system import System

_DELIMITER = re.compile(r"\n?=== [0-9a-f]{32} ===\n?")
_ENGINE, _JUDGE = "/answer", "/v1/chat/completions"


@dataclass(frozen=True, slots=True)
class Behaviour:
    """How the two behave. Rates are per mille; `delay` is seconds an answer takes."""

    system: System
    judge_errs: int = 0
    judge_obeys: int = 0
    judge_talks: int = 0
    delay: float = 0.0


@dataclass(slots=True)
class Counters:
    """What was asked of the server, for tests and benchmarks."""

    asked: int = 0
    judged: int = 0
    in_flight: int = 0
    most_in_flight: int = 0
    questions: dict[str, int] = field(default_factory=dict)
    lock: threading.Lock = field(default_factory=threading.Lock)


class Server(socketserver.ThreadingMixIn, socketserver.TCPServer):
    """Serves one behaviour on 127.0.0.1 until `close`. `url` is where."""

    allow_reuse_address = True
    daemon_threads = True
    request_queue_size = 256

    def __init__(self, behaviour: Behaviour, *, port: int = 0) -> None:
        self.behaviour = behaviour
        self.counters = Counters()
        self.items = {(item["language"], item["question"]): item for item in simulated_system.items()}
        super().__init__(("127.0.0.1", port), _Handler)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"

    def start(self) -> "Server":
        threading.Thread(target=self.serve_forever, args=(0.05,), daemon=True, name="simulated").start()
        return self

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Nothing: a client that was stopped is no error of the server."""

    def close(self) -> None:
        self.shutdown()
        self.server_close()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    server: Server

    def do_POST(self) -> None:
        counters = self.server.counters
        with counters.lock:
            counters.in_flight += 1
            counters.most_in_flight = max(counters.most_in_flight, counters.in_flight)
        try:
            self._answer()
        finally:
            with counters.lock:
                counters.in_flight -= 1

    def _answer(self) -> None:
        length = int(self.headers.get("Content-Length") or 0)
        try:
            asked = json.loads(self.rfile.read(length))
        except ValueError:
            self._send(400, {"error": "not JSON"})
            return
        if self.server.behaviour.delay:
            time.sleep(self.server.behaviour.delay)
        path = urlsplit(self.path).path
        if path == _ENGINE:
            self._send(*engine(self.server, asked))
        elif path == _JUDGE:
            self._send(*judge(self.server, asked))
        else:
            self._send(404, {"error": "not found"})

    def do_GET(self) -> None:
        system = self.server.behaviour.system
        self._send(200, {"system": system.name, "version": system.version, "simulated": True})

    def _send(self, status: int, content: dict[str, Any]) -> None:
        body = json.dumps(content, ensure_ascii=False).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
        """Nothing: what was asked is in the counters."""


def engine(server: Server, asked: dict[str, Any]) -> tuple[int, dict[str, Any]]:
    """The simulated system's reply to {"question", "language"}, in Spanish keys as a real one might have."""
    item = server.items.get((asked.get("language"), asked.get("question")))
    with server.counters.lock:
        server.counters.asked += 1
        key = f"{asked.get('language')} {asked.get('question')}"
        server.counters.questions[key] = server.counters.questions.get(key, 0) + 1
    if item is None:
        return 200, {"respuesta": simulated_system.ABSTENTION["es"], "citas": [], "confianza": None}
    response = simulated_system.reply(server.behaviour.system, item)
    return 200, {
        "respuesta": response["answer"],
        "citas": [
            {
                "norma": citation["source"],
                "articulo": citation["article"],
                "estado": "verificada" if citation["verified"] else "sin verificar",
            }
            for citation in response["citations"]
        ],
        "confianza": response.get("confidence"),
        "version": server.behaviour.system.version,
    }


def judge(server: Server, asked: dict[str, Any]) -> tuple[int, dict[str, Any]]:
    """The simulated judge's reply to a chat request: right but for its known errors."""
    with server.counters.lock:
        server.counters.judged += 1
    try:
        text = asked["messages"][-1]["content"]
    except (LookupError, TypeError):
        return 400, {"error": "messages are missing"}
    behaviour = server.behaviour
    # The delimiter is random, and the verdict should not be.
    before, _, answer = (*_DELIMITER.split(text, maxsplit=3)[:3], "", "")[:3]
    draw = int.from_bytes(hashlib.sha256(f"{before}\0{answer}".encode()).digest()[:4], "big") % 1000
    if draw < behaviour.judge_talks:
        said = "A mi juicio la respuesta es razonable."
    elif '"eligible"' in text:
        said = json.dumps({"eligible": True, "reason": "aborda la pregunta"}, ensure_ascii=False)
    else:
        verdict = _verdict(before, answer, obeys=draw < behaviour.judge_obeys)
        if 1000 - behaviour.judge_errs <= draw:
            verdict = "incomplete" if verdict == "exact" else "exact"
        said = json.dumps(
            {"verdict": verdict, "reason": "contraste con el texto oficial"}, ensure_ascii=False
        )
    message = {"role": "assistant", "content": said}
    return 200, {"model": "juez-simulado-1.0", "choices": [{"index": 0, "message": message}]}


def _verdict(before: str, answer: str, *, obeys: bool) -> str:
    """By comparison of the answer with the official text that stands in the prompt."""
    for language in norm.LANGUAGES:
        for article in norm.ARTICLES:
            official = f"{article.said(language)} {article.wording(language).detail}"
            if official not in before:
                continue
            said = answer.partition("\n\n")[0]
            if said == article.said(language):
                return "incomplete"
            if said != official:
                return "exact" if obeys and "exact" in answer else "incorrect"
            cited = answer.rpartition(", ")[2]
            return "exact" if cited == str(article.number) else "ill_founded"
    return "incorrect"


CONFIGURATION = """\
# Medición simulada: un motor y un juez ficticios en esta máquina (`benchmark simulate`).
[set]
path = "set"
name = "puerto-ficticio"
custodian = "Fehaciente"
holder_had_access = "no"
times_used_before = 0

[system]
name = "{name}"
version = "{version}"
holder = "{holder}"
model_family = "{family}"

[corpus]
documents = 1

[endpoint]
url = "{url}/answer"
body = {{ question = "{{question}}", language = "{{language}}" }}
answer = "respuesta"
citations = "citas[].{{source: norma, article: articulo, verified: estado}}"
verified_values = ["verificada"]
confidence = "confianza"
kind = "public_user_route"

[pace]
in_flight = 16
timeout = 20

[judging]
language = "item"
canaries = 22

[[judge]]
id = "j1"
url = "{url}/v1"
model = "juez-simulado-1.0"
family = "juez-simulado"
version = "1.0"
"""


def configuration(server: Server) -> str:
    """A configuration file that measures this server."""
    system = server.behaviour.system
    return CONFIGURATION.format(
        url=server.url,
        name=system.name,
        version=system.version,
        holder=system.holder,
        family=system.model_family,
    )
