"""Loopback endpoints that do what a test says, and small sets and configurations to ask them with."""

import json
import socketserver
import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

from evidence import packing

Answer = tuple[int, dict[str, str], bytes]


def as_json(content: Any, status: int = 200, **headers: str) -> Answer:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return status, {"Content-Type": "application/json", **named}, json.dumps(content).encode()


class Scripted(socketserver.ThreadingMixIn, socketserver.TCPServer):
    """Answers each POST with what `answers(path, body, number)` gives; keeps what was asked."""

    allow_reuse_address = True
    daemon_threads = True
    request_queue_size = 128

    def __init__(self, answers: Callable[[str, Any, int], Answer]) -> None:
        self.answers = answers
        self.asked: list[tuple[str, Any, dict[str, str]]] = []
        self.connections = 0
        self.lock = threading.Lock()
        super().__init__(("127.0.0.1", 0), _Handler)
        threading.Thread(target=self.serve_forever, args=(0.02,), daemon=True).start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"

    def __enter__(self) -> "Scripted":
        return self

    def __exit__(self, *_: object) -> None:
        self.shutdown()
        self.server_close()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that went away is part of these tests."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    server: Scripted

    def setup(self) -> None:
        super().setup()
        with self.server.lock:
            self.server.connections += 1

    def do_POST(self) -> None:
        text = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        body = json.loads(text) if self.headers.get("Content-Type") == "application/json" else text.decode()
        with self.server.lock:
            self.server.asked.append((self.path, body, dict(self.headers)))
            number = len(self.server.asked)
        status, headers, content = self.server.answers(self.path, body, number)
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        if "Transfer-Encoding" not in headers:
            self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def do_GET(self) -> None:
        self.do_POST()

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
        """Nothing."""


def item(id_: str, category: str = "factual_direct", **changes: Any) -> dict[str, Any]:
    """A sound question; None takes a key out."""
    hostile = category in ("trap", "out_of_corpus", "adversarial")
    whole: dict[str, Any] = {
        "id": id_,
        "language": "es",
        "category": category,
        "question": f"¿Qué plazo fija la norma en el caso {id_}?",
        "in_corpus": not hostile,
        "abstention_correct": hostile,
    }
    if category == "trap":
        whole["expected_citation"] = {"source": "Ley 1", "article": "999"}
    elif not hostile:
        whole |= {
            "expected_citation": {"source": "Ley 1", "article": "7"},
            "reference_text": "El plazo es de treinta días.",
            "reference_source": "Diario Oficial",
        }
    whole |= changes
    return {key: value for key, value in whole.items() if value is not None}


def items(factual: int = 4) -> list[dict[str, Any]]:
    """Factual questions and one of each hostile category."""
    return [
        *(item(f"q{number}") for number in range(factual)),
        item("t1", "trap"),
        item("o1", "out_of_corpus"),
        item("a1", "adversarial"),
    ]


def write_set(folder: Path, questions: list[dict[str, Any]], catalogue: Any = (("Ley 1", "7"),)) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "items.jsonl").write_bytes(packing.json_lines(questions))
    if catalogue is not None:
        (folder / "catalogue.csv").write_bytes(packing.csv_table(["source", "article"], catalogue))
    return folder


def configuration(
    folder: Path, url: str, *, judge: str = "", more: str = "", endpoint: str = "", **pace: Any
) -> Path:
    """A configuration file in a folder that has its set in `set`."""
    path = folder / "benchmark.toml"
    paced = {"in_flight": 4, "attempts": 2, "first_wait": 0.01, "timeout": 5, **pace}
    lines = "\n".join(f"{key} = {value}" for key, value in paced.items())
    path.write_text(
        f"""
{more}
[set]
path = "set"
name = "prueba"
[system]
name = "Asistente"
version = "2026.07.1"
holder = "Innova SpA"
model_family = "gpt"
[endpoint]
url = "{url}/answer"
body = {{ question = "{{question}}" }}
answer = "answer"
citations = "citations"
confidence = "confidence"
{endpoint}
[pace]
{lines}
[judging]
canaries = 0
{judge}
""",
        encoding="utf-8",
    )
    return path


def judge_of(url: str, id_: str = "j1", family: str = "claude", more: str = "") -> str:
    return f"""
[[judge]]
id = "{id_}"
url = "{url}/v1"
model = "modelo-2026-05"
family = "{family}"
version = "modelo-2026-05"
{more}
"""


def verdict(code: str = "exact", **more: Any) -> Answer:
    """What an OpenAI-compatible judge sends back."""
    return said(json.dumps({"verdict": code, "reason": "contraste", **more}))


def said(text: str) -> Answer:
    return as_json(
        {"model": "modelo-2026-05", "choices": [{"message": {"role": "assistant", "content": text}}]}
    )
