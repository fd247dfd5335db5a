"""Recording an agent's requests, beside nginx passing the same requests to the same site.

Fifty runs at once, each asking twice a second, which no agent that reads does: what the recorder adds, and what it
costs in processor time. Then as fast as the machine goes, and the record is counted through. Then one response of
200 MB.
"""

import asyncio
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from bench.table import Row

RUNS = 50
EVERY_SECONDS = 0.5
STEADY_SECONDS = 15.0
FLAT_OUT_SECONDS = 8.0
PAGE_BYTES = 10_000
LARGE_BYTES = 200_000_000
PROMISED_ADDED_MS = 5.0
PROMISED_CPU_MS = 2.0
PROMISED_RATE = 100.0
# Of a response of 200 MB no more than this share may ever be held.
PROMISED_SHARE = 0.1

_NGINX = """
daemon off; worker_processes 1; pid {folder}/nginx.pid; error_log {folder}/error.log; {user}
events {{ worker_connections 1024; }}
http {{
    access_log off; default_type text/html; sendfile on; keepalive_requests 1000000;
    client_body_temp_path {folder}/body; proxy_temp_path {folder}/proxy; proxy_max_temp_file_size 0;
    fastcgi_temp_path {folder}/a; uwsgi_temp_path {folder}/b; scgi_temp_path {folder}/c;
    upstream site {{ server 127.0.0.1:{site}; keepalive 64; }}
    server {{ listen 127.0.0.1:{site}; root {folder}/site; }}
    server {{
        listen 127.0.0.1:{floor};
        location / {{ proxy_pass http://site; proxy_http_version 1.1; proxy_set_header Connection ""; }}
    }}
}}
"""


def rows() -> Iterator[Row]:
    if shutil.which("nginx") is None:
        print(
            "recorder: left out, it needs nginx: apt-get install -y --no-install-recommends nginx-light",
            file=sys.stderr,
        )
        return
    os.environ["TESTING"] = "1"
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "registry_site.settings")
    import django

    django.setup()
    from django.db import connection

    connection.creation.create_test_db(verbosity=0)
    try:
        with tempfile.TemporaryDirectory() as temporary, _nginx(Path(temporary)) as (site, floor):
            yield from _measured(Path(temporary), site=site, floor=floor)
    finally:
        connection.creation.destroy_test_db("fehaciente", verbosity=0)


@contextmanager
def _nginx(folder: Path) -> Iterator[tuple[int, int]]:
    """One nginx as site and as proxy before it; their ports."""
    from registry_site.tests.own_registry import free_port

    folder.chmod(0o755)
    (folder / "site").mkdir()
    (folder / "site" / "page.html").write_bytes(b"a" * PAGE_BYTES)
    (folder / "site" / "large.html").write_bytes(os.urandom(1_000_000) * (LARGE_BYTES // 1_000_000))
    site, floor = free_port(), free_port()
    user = "user root;" if os.geteuid() == 0 else ""
    (folder / "nginx.conf").write_text(_NGINX.format(folder=folder, site=site, floor=floor, user=user))
    process = subprocess.Popen(["nginx", "-e", "stderr", "-c", str(folder / "nginx.conf")])
    try:
        while not (folder / "nginx.pid").exists():
            if process.poll() is not None:
                raise RuntimeError((folder / "error.log").read_text())
            time.sleep(0.05)
        yield site, floor
    finally:
        process.terminate()
        process.wait()


def _measured(folder: Path, *, site: int, floor: int) -> Iterator[Row]:
    from django.db import connection
    from psycopg.conninfo import conninfo_to_dict

    from evidence.tests.recorder.observed import observed_run
    from evidence.tests.recorder.recorders import Recorder

    known = conninfo_to_dict(os.environ["DATABASE_URL"])
    address = "postgresql://{user}:{password}@/{name}?host={host}&port={port}".format(
        **({"password": "", "host": "localhost", "port": 5432} | known), name=connection.settings_dict["NAME"]
    )
    runs = [observed_run(upstream=("http", "127.0.0.1", site), requests=1_000_000) for _ in range(RUNS)]
    hosts = [run.host for run in runs]
    recorder = Recorder(folder / "recorder", database_url=address).start()
    try:
        passed, _ = asyncio.run(_steady(floor, hosts))
        before = _processor(recorder)
        recorded, count = asyncio.run(_steady(recorder.port, hosts))
        used = (_processor(recorder) - before) / count * 1000
        yield Row(
            f"{RUNS} runs, {RUNS / EVERY_SECONDS:.0f} requests/s",
            "p50, recorder",
            recorded,
            "nginx proxy_pass",
            passed,
            unit="ms",
        )
        yield Row("", "added at p50", recorded - passed, "promised", PROMISED_ADDED_MS, unit="ms", at_most=1)
        yield Row("", "processor, a request", used, "promised", PROMISED_CPU_MS, unit="ms", at_most=1)
        there = asyncio.run(_flat_out(floor, hosts))
        before = _processor(recorder)
        here = asyncio.run(_flat_out(recorder.port, hosts))
        busy = (_processor(recorder) - before) / (here * FLAT_OUT_SECONDS) * 1000
        yield Row(f"{RUNS} runs, flat out", "requests a second", here, "nginx proxy_pass", there, unit="/s")
        yield Row("", "processor, a request", busy, "promised", PROMISED_CPU_MS, unit="ms")
        yield Row("", "seconds for 100", 100 / here, "promised", 100 / PROMISED_RATE, at_most=1)
        counted = _count_through(runs)
        yield Row("", "lost or out of order", 0, "of recorded", counted, unit="", at_most=0)
        yield from _large(recorder, floor, runs[0])
    finally:
        recorder.stop()


# ── load ─────────────────────────────────────────────────────────────────────
async def _steady(port: int, hosts: list[str]) -> tuple[float, int]:
    """The median time of a request in ms, and how many there were."""
    begun = time.perf_counter() + 0.2
    times: list[float] = []

    async def agent(number: int, host: str) -> None:
        turn = begun + number * EVERY_SECONDS / len(hosts)
        async with _connection(port) as (reader, writer):
            while turn < begun + STEADY_SECONDS:
                await asyncio.sleep(max(0.0, turn - time.perf_counter()))
                asked = time.perf_counter()
                await _ask(reader, writer, host)
                times.append(time.perf_counter() - asked)
                turn += EVERY_SECONDS

    await asyncio.gather(*(agent(number, host) for number, host in enumerate(hosts)))
    return statistics.median(times) * 1000, len(times)


async def _flat_out(port: int, hosts: list[str]) -> float:
    """Requests a second when each agent asks as soon as it has been answered."""
    begun = time.perf_counter()
    count = 0

    async def agent(host: str) -> None:
        nonlocal count
        async with _connection(port) as (reader, writer):
            while time.perf_counter() < begun + FLAT_OUT_SECONDS:
                await _ask(reader, writer, host)
                count += 1

    await asyncio.gather(*map(agent, hosts))
    return count / (time.perf_counter() - begun)


class _connection:  # noqa: N801  (used as a function is)
    def __init__(self, port: int) -> None:
        self._port = port

    async def __aenter__(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        reader, self._writer = await asyncio.open_connection("127.0.0.1", self._port)
        return reader, self._writer

    async def __aexit__(self, *_: object) -> None:
        self._writer.close()


async def _ask(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, host: str) -> None:
    writer.write(f"GET /page.html HTTP/1.1\r\nHost: {host}\r\nAccept: text/html\r\n\r\n".encode())
    head = await reader.readuntil(b"\r\n\r\n")
    if not head.startswith(b"HTTP/1.1 200"):
        raise RuntimeError(head.decode("latin-1"))
    await reader.readexactly(PAGE_BYTES)


# ── what is looked at ────────────────────────────────────────────────────────
def _processor(recorder) -> float:
    """Seconds of processor time of the recorder's processes."""
    from registry_site.tests.own_registry import family

    ticks = 0
    for pid in family(recorder.process.pid):
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        ticks += int(fields[11]) + int(fields[12])
    return ticks / os.sysconf("SC_CLK_TCK")


def _peak(recorder) -> int:
    from registry_site.tests.own_registry import family

    peak = 0
    for pid in family(recorder.process.pid):
        for line in Path(f"/proc/{pid}/status").read_text().splitlines():
            if line.startswith("VmHWM:"):
                peak += int(line.split()[1]) * 1024
    return peak


def _count_through(runs) -> int:
    """How many were recorded; RuntimeError when one is missing, double, out of order or without its answer."""
    counted = 0
    for run in runs:
        arrivals = run.arrivals()
        times = [arrival.at for arrival in arrivals]
        sizes = {arrival.response.size for arrival in arrivals}
        if [arrival.sequence for arrival in arrivals] != list(range(1, len(arrivals) + 1)):
            raise RuntimeError(f"{run.run}: numbers are missing or double")
        if times != sorted(times) or sizes != {PAGE_BYTES}:
            raise RuntimeError(f"{run.run}: out of order, or not what was answered")
        counted += len(arrivals)
    return counted


def _large(recorder, floor: int, run) -> Iterator[Row]:
    before = _peak(recorder)
    there = asyncio.run(_fetch(floor, run.host))
    here = asyncio.run(_fetch(recorder.port, run.host))
    megabytes = LARGE_BYTES / 1e6
    yield Row(f"a response of {megabytes:.0f} MB", "wall", here, "nginx proxy_pass", there)
    grown = (_peak(recorder) - before) / 1e6
    yield Row("", "memory added", grown, "of the response", megabytes, unit="MB", at_most=PROMISED_SHARE)


async def _fetch(port: int, host: str) -> float:
    begun = time.perf_counter()
    async with _connection(port) as (reader, writer):
        writer.write(f"GET /large.html HTTP/1.1\r\nHost: {host}\r\n\r\n".encode())
        await reader.readuntil(b"\r\n\r\n")
        left = LARGE_BYTES
        while left:
            piece = await reader.read(1 << 20)
            if not piece:
                raise RuntimeError(f"{left} bytes are missing")
            left -= len(piece)
    return time.perf_counter() - begun
