"""kill -9 of the recorder while agents ask: what one of them has read whole is in the record, nothing is mixed up.

Small inside script/test; `script/rehearse recorder` has fifty agents and kills it ten times.
"""

import hashlib
import itertools
import random
import signal
import threading
from dataclasses import dataclass, field
from urllib.parse import urlsplit

import pytest
from django.db import connection

from evidence.tests.recorder.observed import ObservedRun, observed_run
from evidence.tests.recorder.recorders import Recorder
from evidence.tests.recorder.sites import ECHO, Site
from tests.rehearsals import machinery

pytestmark = pytest.mark.django_db(transaction=True)

AGENTS = 50 if machinery.FULL else 4
KILLS = 10 if machinery.FULL else 1
# So many answers are read between two kills, at the least.
ANSWERS = 300 if machinery.FULL else 20


@dataclass
class Agent:
    """Asks one page after the other and keeps the digest of each that it has read to its end."""

    observed: ObservedRun
    read: dict[str, str] = field(default_factory=dict)

    def ask_until(self, is_over: threading.Event, recorder: Recorder) -> None:
        for number in itertools.count():
            if is_over.is_set():
                return
            path = f"{ECHO}{self.observed.label[:3]}{number}"
            try:
                answer = recorder.get(self.observed.host, path)
            except OSError:
                is_over.wait(0.05)  # it is being started again
                continue
            if answer.status == 200 and answer.is_whole:
                self.read[path] = hashlib.sha256(answer.body).hexdigest()


def test_killed_while_agents_ask_nothing_answered_is_lost(role_urls, tmp_path):
    site = Site()
    url = urlsplit(role_urls["app"])._replace(path=f"/{connection.settings_dict['NAME']}").geturl()
    agents = [Agent(observed_run(upstream=site.target, requests=1_000_000)) for _ in range(AGENTS)]
    recorder = Recorder(tmp_path / "recorder", database_url=url).start()
    is_over = threading.Event()
    threads = [threading.Thread(target=agent.ask_until, args=(is_over, recorder)) for agent in agents]
    for thread in threads:
        thread.start()
    try:
        for _ in range(KILLS):
            enough = _read(agents) + ANSWERS + random.randrange(ANSWERS)
            machinery.wait_until(lambda enough=enough: _read(agents) >= enough, seconds=120, every=0.01)
            recorder.stop(signal.SIGKILL)
            recorder.start()
        enough = _read(agents) + ANSWERS
        machinery.wait_until(lambda: _read(agents) >= enough, seconds=120)
    finally:
        is_over.set()
        for thread in threads:
            thread.join()
        recorder.stop()
        site.close()
    interrupted = [_look_through(agent, recorder) for agent in agents]
    assert all(count <= KILLS for count in interrupted), "an agent asks one thing at a time"
    print(f"{_read(agents)} answers read whole, {sum(interrupted)} requests interrupted by {KILLS} kills")


def _read(agents: list[Agent]) -> int:
    return sum(len(agent.read) for agent in agents)


def _look_through(agent: Agent, recorder: Recorder) -> int:
    """How many requests were interrupted; AssertionError where the record is not what the agent has read."""
    arrivals = agent.observed.arrivals()
    assert [arrival.sequence for arrival in arrivals] == list(range(1, len(arrivals) + 1))
    times = [arrival.at for arrival in arrivals]
    assert times == sorted(times)
    answered = {arrival.target: arrival.response for arrival in arrivals if hasattr(arrival, "response")}
    for path, sha256 in agent.read.items():
        assert answered[path].sha256 == sha256
        assert hashlib.sha256(recorder.stored(sha256)).hexdigest() == sha256
    return len(arrivals) - len(answered)
