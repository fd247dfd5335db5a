"""The known way of the circuit check, walked through the real recorder: the rows say what the client received."""

from evidence.circuit import agreement, walking, way
from evidence.tests.recorder.observed import START_DOMAIN, observed_run


def records(observed):
    """The rows as the check reads them back."""
    return [
        {
            "sequence": arrival.sequence,
            "method": arrival.method,
            "url": arrival.url,
            "path": arrival.path,
            "status": arrival.response.status,
            "size": arrival.response.size,
            "sha256": arrival.response.sha256,
        }
        for arrival in observed.arrivals()
    ]


def test_every_request_of_the_known_way_is_recorded_as_it_was_answered(recorder):
    observed = observed_run()
    handed = walking.Handed(
        run=observed.run.number,
        token=observed.token,
        header="X-Run-Token",
        entry=f"http://{observed.host}:{recorder.port}/",
        address=f"http://127.0.0.2:{recorder.port}/",
        start_domain=START_DOMAIN,
    )
    assert walking.refused_without_token(handed) == 403
    walked = walking.walk(handed, progress=lambda step, received: None)
    recorded = records(observed)
    lines = agreement.lines(walked, recorded, start_domain=START_DOMAIN)
    assert [(line.step.code, line.differs) for line in lines if not line.agrees] == []
    assert len(recorded) == len(way.WAY)
