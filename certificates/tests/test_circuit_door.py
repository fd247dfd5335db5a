"""The circuit check and its door understand one another: what the door hands out and reads back, the client takes."""

import hashlib

import pytest

from evidence.circuit import agreement, walking
from evidence.circuit.agreement import Received
from evidence.circuit.way import WAY, Step
from evidence.models import Run
from evidence.tests import running

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("evidence_folder")]


def test_the_client_takes_what_the_door_hands_out_and_reads_back(client):
    running.a_variant()
    answer = client.post(walking.CHECKS, "{}", content_type="application/json")
    handed = walking._handed(answer.json())
    run = Run.objects.get(number=handed.run)
    assert run.outcome == "technical"
    assert handed.start_domain == running.DOMAIN
    walked = []
    for step in (one for one in WAY if one.method == "GET"):
        body = step.code.encode()
        running.recorded(run, step.target, body=body, status=step.status)
        walked.append((step, Received(step.status, len(body), hashlib.sha256(body).hexdigest())))
    bearer = {"Authorization": f"Bearer {handed.token}"}
    read = client.get(f"{walking.CHECKS}{handed.run}/", headers=bearer).json()
    assert read["outcome"] == "technical"
    assert [
        line.differs for line in agreement.lines(walked, read["requests"], start_domain=running.DOMAIN)
    ] == [()] * len(walked)
    assert agreement.superfluous(walked, read["requests"]) == []
    walked.append((Step("more", "/", 200), Received(200, 0, "")))
    assert agreement.lines(walked, read["requests"], start_domain=running.DOMAIN)[-1].differs == ("missing",)
