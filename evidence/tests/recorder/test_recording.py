"""What an agent asks and what it is answered is in the record, in order, before it has the answer whole."""

import hashlib

import pytest

from evidence.recorder.rows import Ending
from evidence.tests.recorder.observed import START_DOMAIN, observed_run

pytestmark = pytest.mark.django_db(transaction=True)


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
