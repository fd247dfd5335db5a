"""The measuring client with 64 questions in flight at an endpoint that takes 200 ms, beside httpx by hand."""

import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from bench import cost
from bench.table import Row
from evidence import packing

IN_FLIGHT = 64
SECONDS_AN_ANSWER = 0.2
QUESTIONS = 30 * IN_FLIGHT

_ROOT = Path(__file__).resolve().parent.parent
# In a process of its own; it prints its port, and at the end the most requests it had at once.
_ENDPOINT = """
import asyncio, sys
cited = b'[{"source": "Ley 1", "article": "1", "verified": true}]'
body = b'{"answer": "El plazo es de treinta d\\u00edas.", "citations": ' + cited + b"}"
answer = b"HTTP/1.1 200 OK\\r\\nContent-Type: application/json\\r\\nContent-Length: %d\\r\\n\\r\\n" % len(body) + body
now = most = 0
async def serve(reader, writer):
    global now, most
    try:
        while True:
            head = await reader.readuntil(b"\\r\\n\\r\\n")
            length = int(head.lower().partition(b"content-length:")[2].split(b"\\r\\n")[0])
            await reader.readexactly(length)
            now += 1
            most = max(most, now)
            await asyncio.sleep(float(sys.argv[1]))
            now -= 1
            writer.write(answer)
            await writer.drain()
    except (asyncio.IncompleteReadError, ConnectionError):
        writer.close()
async def main():
    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)
    print(most, flush=True)
asyncio.run(main())
"""
# What one would write by hand with the usual library: the same questions, nothing kept.
_BY_HAND = """
import asyncio, json, sys
import httpx
async def main():
    items = [json.loads(line) for line in open(sys.argv[1], encoding="utf-8")]
    limits = httpx.Limits(max_connections=64, max_keepalive_connections=64)
    gate = asyncio.Semaphore(64)
    async with httpx.AsyncClient(limits=limits, timeout=60, trust_env=False) as client:
        async def ask(item):
            async with gate:
                reply = await client.post(sys.argv[2], json={"question": item["question"]})
                return reply.json()["answer"]
        await asyncio.gather(*map(ask, items))
asyncio.run(main())
"""
_CONFIGURATION = """
[set]
path = "set"
name = "banco"
[system]
name = "Banco de pruebas"
version = "1.0"
holder = "Banco de pruebas"
model_family = "gpt"
[endpoint]
url = "http://127.0.0.1:{port}/answer"
body = {{ question = "{{question}}" }}
answer = "answer"
citations = "citations[].{{source: source, article: article, verified: verified}}"
[pace]
in_flight = {in_flight}
"""


def rows() -> Iterator[Row]:
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        _write(folder / "set")
        endpoint = subprocess.Popen(
            [sys.executable, "-c", _ENDPOINT, str(SECONDS_AN_ANSWER)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        try:
            port = int(endpoint.stdout.readline())
            configuration = folder / "bench.toml"
            configuration.write_text(_CONFIGURATION.format(port=port, in_flight=IN_FLIGHT), encoding="utf-8")
            run = [
                sys.executable,
                "-m",
                "grading.harness",
                "run",
                str(configuration),
                "--into",
                str(folder / "run"),
            ]
            ours = cost.of_command(run, cwd=str(_ROOT))
            by_hand = [
                *(sys.executable, "-c", _BY_HAND),
                *(str(folder / "set" / "items.jsonl"), f"http://127.0.0.1:{port}/answer"),
            ]
            theirs = cost.of_command(by_hand, cwd=str(_ROOT))
            endpoint.stdin.close()
            most = int(endpoint.stdout.readline())
        finally:
            endpoint.stdin.close()
            endpoint.wait(10)
        if most < IN_FLIGHT:
            raise RuntimeError(f"only {most} of {IN_FLIGHT} requests were ever in flight")
        work = f"{QUESTIONS:,} questions, {IN_FLIGHT} in flight, {SECONDS_AN_ANSWER * 1000:.0f} ms an answer"
        least = QUESTIONS * SECONDS_AN_ANSWER / IN_FLIGHT
        yield Row(work, "cores in use", ours.cpu / ours.wall, "one core", 1.0, "", 1)
        yield Row(work, "wall", ours.wall, "as long as the answers take", least, "s", 2)
        yield Row(work, "processor", ours.cpu, "httpx by hand, nothing kept", theirs.cpu, "s", None)


def _write(folder: Path) -> None:
    """A valid set whose questions all differ."""
    folder.mkdir()
    items = []
    for number in range(QUESTIONS):
        category = ("factual_direct", "factual_applied", "trap", "out_of_corpus", "adversarial")[number % 5]
        item = {
            "id": f"q{number:05}",
            "language": "es",
            "category": category,
            "question": f"¿Qué plazo fija la norma en el caso {number}?",
            "in_corpus": number % 5 < 2,
            "abstention_correct": number % 5 > 1,
        }
        if number % 5 < 2:
            item |= {"reference_text": "El plazo es de treinta días.", "reference_source": "Ley 1"}
        if category == "trap":
            item["expected_citation"] = {"source": "Ley 1", "article": "999"}
        items.append(item)
    (folder / "items.jsonl").write_text(
        "".join(json.dumps(item, ensure_ascii=False) + "\n" for item in items), encoding="utf-8"
    )
    (folder / "catalogue.csv").write_bytes(packing.csv_table(["source", "article"], [["Ley 1", "1"]]))
