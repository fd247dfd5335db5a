"""A certificate with five hundred events: its pages and its API ask as often as for one with three."""

from datetime import timedelta

import pytest
from django.db import connection, transaction
from django.test import Client
from django.test.utils import CaptureQueriesContext

from certificates import lifecycle, notices, projections
from certificates.models import Certificate
from certificates.states import Decision, Step
from certificates.tests import desks, registry
from registry_site import clock
from registry_site.models import PublishedDocument

pytestmark = pytest.mark.django_db


@transaction.atomic
def lengthened(certificate: Certificate, *, by, to: int) -> None:
    """Suspended and reinstated in turn until it has `to` events: real rows under every trigger, written without
    the pages that each decision would render.
    """
    frame = lifecycle.steps
    life = frame.Life(certificate, certificate.state, projections.events_of(certificate))
    while len(life.rows) < to:
        at = clock.now()
        suspends = len(life.rows) % 2 == 1
        terms = {"review_on": (at + timedelta(days=20)).date()} if suspends else {}
        until = {"appeal_until": at + timedelta(days=30)} if suspends else {}
        notice = notices.write(
            Decision.SUSPEND if suspends else Decision.REINSTATE,
            at=at,
            decided_by=by.person,
            statement=registry.STATEMENT,
            certificate=certificate,
            reason="figure_error" if suspends else None,
            conditions=[{"es": "Corregir la cifra.", "en": "Correct the figure."}] if suspends else (),
            **terms,
            **until,
        )
        frame.append(
            life,
            Step.SUSPEND if suspends else Step.REINSTATE,
            at=at,
            fixed={"statement": {"es": notice.statement_es, "en": notice.statement_en}},
            notice=notice,
            reason=notice.reason,
            **terms,
            **({"review_until": at + timedelta(days=21)} if suspends else {}),
            **until,
        )
    frame.follow_state(life)
    # What visitors are served was rendered before: let it be rendered while they wait.
    PublishedDocument.objects.filter(certificate=certificate.number).delete()


def test_five_hundred_events_cost_as_many_queries_as_three(who):
    certificate = registry.issued(who)
    staff, visitor = desks.at_desk(who.certifier), Client()
    number = certificate.number
    pages = {
        f"/es/c/{number}/": visitor,
        f"/api/v1/certificates/{number}/history/": visitor,
        f"/api/v1/certificates/{number}/status/": visitor,
        f"/staff/certificates/{number}/": staff,
        f"/staff/certificates/{number}/suspend/": staff,
        f"/staff/work/certificate/{number}/give/": staff,
    }

    def queries() -> dict[str, int]:
        counted = {}
        for address, client in pages.items():
            with CaptureQueriesContext(connection) as captured:
                assert client.get(address).status_code == 200, address
            counted[address] = len(captured)
        return counted

    lengthened(certificate, by=who.certifier, to=3)
    few = queries()
    lengthened(Certificate.objects.get(pk=certificate.pk), by=who.second_certifier, to=501)
    many = queries()
    assert many == few
    # Of the history itself: the events with their notices in one query, who decided in another. What asks for one
    # event of a certificate that superseded it is a question of its own.
    with CaptureQueriesContext(connection) as captured:
        page = staff.get(f"/staff/certificates/{number}/").content.decode()
    asked = [
        query["sql"] for query in captured if query["sql"].startswith('SELECT "certificates_statusevent"')
    ]
    assert len([sql for sql in asked if not sql.endswith("LIMIT 1")]) == 1
    assert "Carmen Certificadora" in page
    history = visitor.get(f"/api/v1/certificates/{number}/history/").json()
    assert len(history["events"]) == 501
