"""A hostile archive meets a process without keys, with hard limits, that dies with its worker."""

import os
import socket
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path

import pytest

from evidence import isolation

LIMITS = isolation.Limits(memory=1024**3, seconds=60)
MODULE = "evidence.tests.misbehaving"


@pytest.fixture
def source(tmp_path):
    path = tmp_path / "package.zip"
    path.write_bytes(b"the bytes of a package")
    with path.open("rb") as file:
        file.read(5)
        yield file


def run(do, source, silence=30.0):
    with closing(
        isolation.run(MODULE, job={"do": do}, source=source, limits=LIMITS, silence=silence)
    ) as answers:
        return list(answers)


def test_it_gets_the_bytes_and_its_job_and_nothing_else(source, monkeypatch):
    monkeypatch.setenv("SECRET_KEY", "the real one")
    monkeypatch.setenv("DATABASE_URL", "postgres://owner:password@/registry")
    (known,) = run("tell_what_it_knows", source)
    assert set(known["environment"]) <= {
        "PYTHONPATH",
        "PATH",
        "LANG",
        "LC_CTYPE",
        "PYTHONDONTWRITEBYTECODE",
        "MALLOC_ARENA_MAX",
    }
    assert known["django"] is False
    assert known["read"] == "the bytes of a package"
    assert known["folder"] == "/"
    assert "the real one" not in " ".join(known["arguments"])


@pytest.mark.parametrize(
    ("deed", "kind"),
    [("eat_memory", "MemoryError"), ("write_a_file", "OSError"), ("open_many_files", "OSError")],
)
def test_its_limits_hold(source, deed, kind):
    with pytest.raises(isolation.ReadingFailed) as failed:
        run(deed, source)
    assert failed.value.reason.startswith(f"{kind} at ")


def test_it_has_no_network(tmp_path):
    """The networks that this machine has are those of `lo` alone, and that one is down: it reaches nobody."""
    with socket.create_server(("127.0.0.1", 0)) as home:
        path = tmp_path / "package.zip"
        path.write_text(f"{home.getsockname()[1]}\n")
        with path.open("rb") as source:
            (seen,) = run("list_its_networks", source)
            if seen["networks"] != ["lo"]:
                pytest.skip("this kernel or container lets no process leave the network: see decision 5")
            with pytest.raises(isolation.ReadingFailed, match="OSError"):
                run("call_home", source)


def test_a_fault_is_told_by_kind_and_place_and_never_by_what_was_read(source, capfd):
    with pytest.raises(isolation.ReadingFailed) as failed:
        run("quote_a_secret", source)
    assert failed.value.reason.startswith("ValueError at misbehaving.py:")
    assert "sellada" not in str(failed.value)
    assert "sellada" not in "".join(capfd.readouterr())


def test_one_that_is_killed_is_told_from_one_that_has_ended(source):
    with pytest.raises(isolation.ReadingFailed, match="SIGKILL"):
        run("be_killed", source)


def test_one_that_falls_silent_is_ended(source):
    answers = isolation.run(MODULE, job={"do": "fall_silent"}, source=source, limits=LIMITS, silence=1.5)
    pid = next(answers)["pid"]
    with pytest.raises(isolation.ReadingFailed, match="silent"):
        next(answers)
    assert not Path(f"/proc/{pid}").exists()


def test_who_stops_listening_ends_it(source):
    answers = isolation.run(MODULE, job={"do": "fall_silent"}, source=source, limits=LIMITS, silence=30)
    pid = next(answers)["pid"]
    answers.close()
    assert not Path(f"/proc/{pid}").exists()


def test_a_long_answer_arrives_whole(source):
    (answer,) = run("answer_at_length", source)
    assert len(answer["long"]) == 5_000_000


def test_it_dies_with_its_worker(tmp_path):
    path = tmp_path / "package.zip"
    path.write_bytes(b"x")
    program = f"""
from evidence import isolation
limits = isolation.Limits(memory={LIMITS.memory}, seconds=60)
with open({str(path)!r}, "rb") as source:
    for answer in isolation.run(
        {MODULE!r}, job={{"do": "fall_silent"}}, source=source, limits=limits, silence=60
    ):
        print(answer["pid"], flush=True)
"""
    worker = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, cwd=isolation.ROOT)
    with worker:
        pid = int(worker.stdout.readline())
        assert Path(f"/proc/{pid}").exists()
        worker.kill()
    # Its end is told by the kernel; whoever adopts it takes it away.
    for _ in range(100):
        try:
            if Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z":
                return
        except FileNotFoundError:
            return
        time.sleep(0.05)
    os.kill(pid, 9)
    raise AssertionError("the reader outlived its worker")
