"""The queue: what must be done next, by deadline, in a bounded number of queries."""

from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from certificates import work_queue
from certificates.states import Status
from certificates.tests import desks, registry
from evidence.models import EvidencePackage, Fault, PackageState
from registry_site import clock

pytestmark = pytest.mark.django_db


def package(who, state, **more):
    now = clock.now()
    facts = {
        "sha256": f"{EvidencePackage.objects.count():064x}",
        "size": 1,
        "received_at": now,
        "created_at": now,
    }
    facts |= (
        {"finished_at": now} if state in ("failed", "rejected") else {"deadline_at": now + timedelta(hours=1)}
    )
    return EvidencePackage.objects.create(submitter=who.evaluator, state=state, **(facts | more))


def text(client, address="/staff/") -> str:
    return client.get(address).content.decode()


def test_an_empty_queue_says_so(who):
    page = text(desks.at_desk(who.certifier))
    assert "<h1>Pendientes, por plazo</h1>" in page
    assert "No hay nada pendiente." in page


def test_what_waits_is_listed_with_what_is_missing(who):
    registry.certificate_at(Status.SUSPENDED, who)
    registry.certificate_at(Status.REVOKED, who)
    registry.measurement(by=who.evaluator)
    package(who, PackageState.FAILED, fault=Fault.SYSTEM, filename="interrumpido.zip")
    rejected = package(who, PackageState.REJECTED, filename="alterado.zip")
    finding = {
        "code": "DIGEST_MISMATCH",
        "member": "data/items.jsonl",
        "key": None,
        "expected": "a",
        "found": "b",
    }
    registry.verification(rejected, findings=[finding])
    proposed = registry.holder(
        "Nueva SpA", confirmation="proposed", identifier="", identifier_kind="", country=""
    )
    page = text(desks.at_desk(who.certifier))
    for told in (
        "Suspensión por revisar",
        "Revocación no firme",
        "Medición lista",
        "interrumpido.zip",
        "data/items.jsonl, DIGEST_MISMATCH",
        proposed.name,
        "Ningún plazo decide por sí solo.",
    ):
        assert told in page
    english = text(desks.at_desk(who.certifier, language="en"))
    for told in (
        "Suspension to review",
        "Revocation not final",
        "Measurement ready",
        "No deadline decides by itself.",
    ):
        assert told in english


def test_periods_follow_the_deadline(who):
    registry.certificate_at(Status.SUSPENDED, who)
    package(who, PackageState.FAILED, fault=Fault.SYSTEM)
    read = work_queue.read(person=who.certifier.person, roles=frozenset({"certifier"}), now=clock.now())
    assert [period.code for period in read.periods] == ["overdue", "later"]
    assert (read.count, read.overdue) == (2, 1)


def test_whoever_took_part_gets_the_rule_in_place_of_the_button(who):
    both = registry.person("Eva de Ambas", "evaluator")
    registry.RoleGrant.objects.create(person=both.person, role="certifier", granted_at=clock.now())
    registry.measurement(by=both)
    page = text(desks.at_desk(both))
    assert "No puede tomar esta decisión: participó en la evaluación (regla 1)." in page
    assert "sin acción" in page


def test_a_kind_can_be_chosen(who):
    registry.certificate_at(Status.SUSPENDED, who)
    registry.measurement(by=who.evaluator)
    client = desks.at_desk(who.certifier)
    page = text(client, "/staff/?kind=suspension")
    assert "Suspensión por revisar" in page
    assert "Medición lista" not in page
    assert client.get("/staff/?kind=nada").status_code == 200


def test_the_query_count_does_not_grow(who):
    client = desks.at_desk(who.certifier)

    def queries() -> int:
        with CaptureQueriesContext(
            connection,
        ) as captured:
            assert client.get("/staff/").status_code == 200
        return len(captured)

    for number in range(3):
        registry.certificate_at(Status.SUSPENDED, who)
        registry.measurement(by=who.evaluator)
        package(who, PackageState.FAILED, fault=Fault.SYSTEM)
        package(who, PackageState.REJECTED)
        registry.holder(
            f"Propuesta {number}", confirmation="proposed", identifier="", identifier_kind="", country=""
        )
        registry.version(name=f"Sistema {number}", confirmation="proposed")
    few = queries()
    for _ in range(5):
        registry.certificate_at(Status.SUSPENDED, who)
        registry.measurement(by=who.evaluator)
        package(who, PackageState.REJECTED)
    assert queries() == few <= 15


def test_a_long_queue_is_cut_and_says_so(who, monkeypatch):
    monkeypatch.setattr(work_queue.reading, "SHOWN", 2)
    for _ in range(3):
        package(who, PackageState.FAILED, fault=Fault.SYSTEM)
    page = text(desks.at_desk(who.certifier))
    assert "Hay más: Paquetes de evidencia." in page
    assert page.count("interrumpid") <= 2
