"""What the clock does to a certificate, as its page and the API tell it: final, returned on appeal, expired."""

import json
from datetime import timedelta

import pytest
from django.test import Client

from certificates import lifecycle, publishing
from certificates.states import FINALITY_GRACE
from certificates.tests import registry
from certificates.tests.appealing import admitted, decide
from certificates.tests.test_publishing import text
from registry_site import clock

pytestmark = pytest.mark.usefixtures("moving_clock")


@pytest.fixture
def revocation(who):
    return lifecycle.revoke(
        registry.issued(who),
        by=who.certifier,
        at=clock.now(),
        reason="false_declaration",
        statement=registry.STATEMENT,
    )


def page(certificate, *, at) -> str:
    return text(publishing.document(certificate.number, kind="en", at=at)).replace("\u00a0", " ")


def status(certificate, *, at) -> dict:
    return json.loads(text(publishing.document(certificate.number, kind="status", at=at)))


def history(certificate) -> list[str]:
    answer = Client().get(f"/api/v1/certificates/{certificate.number}/history/")
    return [event["step"] for event in answer.json()["events"]]


def test_a_revocation_that_nobody_appealed_is_final_on_page_and_api_once_the_sweep_has_said_so(revocation):
    certificate, over = revocation.certificate, revocation.appeal_until
    assert "The holder may appeal until" in page(certificate, at=revocation.at)
    # The period has ended, and nothing is final before its event.
    waiting = over + timedelta(minutes=1)
    assert lifecycle.sweep(at=waiting)["finalised"] == 0
    assert "the revocation is not yet final" in page(certificate, at=waiting)
    assert status(certificate, at=waiting)["final"] is False

    due = over + FINALITY_GRACE
    assert lifecycle.sweep(at=due)["finalised"] == 1
    assert "<b>revoked</b>, finally, because" in page(certificate, at=due)
    told = status(certificate, at=due)
    assert (told["status"], told["in_force"], told["final"]) == ("revoked", False, True)
    assert history(certificate) == ["issue", "revoke", "finalise"]
    assert lifecycle.sweep(at=due + timedelta(days=1))["finalised"] == 0


def test_a_revocation_that_was_appealed_and_upheld_returns_and_never_becomes_final(who, revocation):
    certificate = revocation.certificate
    decide(admitted(revocation.notice, who), who)
    now = clock.now()
    told = page(certificate, at=now)
    assert "<b>In force</b>, about version" in told
    assert "was overturned by appeal No." in told
    answer = Client().get(f"/api/v1/certificates/{certificate.number}/status/").json()
    assert (answer["status"], answer["in_force"], answer["final"]) == ("active", True, False)
    assert answer["overturned"] == [revocation.notice.number]
    assert history(certificate) == ["issue", "revoke", "overturn"]
    assert lifecycle.sweep(at=revocation.appeal_until + FINALITY_GRACE)["finalised"] == 0


def test_what_expired_while_it_was_suspended_shows_both_facts_swept_or_not(who):
    certificate = registry.issued(who, valid_until=clock.now() + timedelta(hours=1))
    suspension = registry.suspend(certificate, by=who.certifier)
    after = certificate.valid_until + timedelta(seconds=1)

    def told() -> list[tuple[str, str | None]]:
        shown = page(certificate, at=after)
        assert "<b>expired</b> on" in shown
        assert "it had been suspended since" in shown
        assert suspension.notice.number in shown
        answer = status(certificate, at=after)
        assert (answer["status"], answer["in_force"]) == ("expired", False)
        return [(fact["status"], fact["notice"]) for fact in answer["facts"]]

    before = told()
    assert set(before) == {("expired", None), ("suspended", suspension.notice.number)}
    assert lifecycle.sweep(at=after)["expired"] == 1
    assert told() == before
    assert history(certificate) == ["issue", "suspend", "expire"]
