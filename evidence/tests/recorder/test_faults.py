"""Whatever dies: what an agent has read whole is in the record, and what we could not store is our fault on record."""

import signal
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import psycopg
from django.db import connection, transaction
from psycopg import sql

from evidence.models import RunCounter, RunEvent
from evidence.tests.recorder.observed import ObservedRun, observed_run
from evidence.tests.recorder.recorders import Recorder
from registry_site import database_rights


def within(seconds: float, is_so) -> bool:
    until = time.monotonic() + seconds
    while not is_so():
        if time.monotonic() > until:
            return False
        time.sleep(0.05)
    return True


def test_killed_in_the_middle_of_a_response_nothing_answered_is_lost(recorder_database, tmp_path, site):
    observed = observed_run(upstream=site.target)
    recorder = Recorder(tmp_path, database_url=recorder_database).start()
    read = [recorder.get(observed.host, f"/{number}").is_whole for number in range(3)]
    with recorder.connect() as agent:
        agent.sendall(f"GET /drip HTTP/1.1\r\nHost: {observed.host}\r\n\r\n".encode())
        seen = b""
        while b"Un a" not in seen:
            seen += agent.recv(4096)
        recorder.stop(signal.SIGKILL)
    assert read == [True] * 3
    assert [hasattr(arrival, "response") for arrival in observed.arrivals()] == [True, True, True, False]
    recorder.start()
    try:
        assert within(10, lambda: RunEvent.objects.filter(run=observed.run, step="fault").exists())
        observed.run.refresh_from_db()
        assert observed.run.our_fault, "who killed the recorder was not the agent"
        assert recorder.get(observed.host, "/").is_whole
        assert [arrival.sequence for arrival in observed.arrivals()] == [1, 2, 3, 4, 5]
    finally:
        recorder.stop()


def test_a_crowd_of_requests_of_one_run_keeps_no_other_run_waiting(recorder):
    crowded, other = observed_run(), observed_run()
    with ThreadPoolExecutor(40) as crowd:
        with transaction.atomic():
            RunCounter.objects.select_for_update().get(run=crowded.run)
            asked = [crowd.submit(recorder.get, crowded.host, "/") for _ in range(40)]
            assert [recorder.get(other.host, "/").status for _ in range(3)] == [200] * 3
        assert {answer.result().status for answer in asked} == {200}
    assert [arrival.sequence for arrival in crowded.arrivals()] == list(range(1, 41))
    crowded.run.refresh_from_db()
    assert not crowded.run.our_fault, "who crowds a run does not make the registry fail it"


def test_while_the_database_is_away_nothing_is_answered_and_the_run_says_so(
    recorder_database, tmp_path, site
):
    observed, unknown, ended = observed_run(upstream=site.target), observed_run(), observed_run()
    recorder = Recorder(tmp_path, database_url=recorder_database).start()
    try:
        recorder.get(observed.host, "/")
        ended.end()
        asked = len(site.asked)
        with database_away(recorder_database):
            assert [recorder.get(run.host, "/").status for run in (ended, observed, unknown)] == [503] * 3
            assert len(site.asked) == asked, "what could not be stored was not asked"
        assert within(10, lambda: _failed(observed, unknown))
        for run in (observed, unknown):
            run.run.refresh_from_db()
        assert observed.run.our_fault
        assert unknown.run.our_fault
        assert within(10, lambda: not list((recorder.data / "recorder-faults").iterdir()))
        ended.run.refresh_from_db()
        assert not ended.run.our_fault, "nothing was to be recorded of it any more"
        assert recorder.get(observed.host, "/").status == 200
        assert [arrival.sequence for arrival in observed.arrivals()] == [1, 2]
    finally:
        recorder.stop()


def _failed(*runs: ObservedRun) -> bool:
    return RunEvent.objects.filter(run__in=[run.run for run in runs], step="fault").count() == len(runs)


@contextmanager
def database_away(url: str) -> Iterator[None]:
    """For the application role alone: its sessions end and it may open no other."""
    role, _ = database_rights.names()
    with connection.cursor() as owner, psycopg.connect(url, autocommit=True) as last:
        owner.execute(sql.SQL("ALTER ROLE {} NOLOGIN").format(sql.Identifier(role)))
        try:
            last.execute(
                "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity "
                "WHERE usename = current_user AND pid <> pg_backend_pid()"
            )
            yield
        finally:
            owner.execute(sql.SQL("ALTER ROLE {} LOGIN").format(sql.Identifier(role)))
