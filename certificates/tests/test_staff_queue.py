"""The queue: what must be done next, by deadline, in a bounded number of queries."""

from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from certificates import work, work_queue, work_subjects
from certificates.models import Appeal, Certificate
from certificates.states import Status
from certificates.tests import appealing, desks, registry
from evidence.models import EvidencePackage, Fault, PackageState
from grading import comparing
from grading.models.comparison import ComparisonRequest
from registry_site import clock
from registry_site.models import PublishedDocument

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


def test_filters_are_in_the_address_and_kinds_are_counted(who):
    certificate = registry.certificate_at(Status.SUSPENDED, who)
    registry.measurement(by=who.evaluator)
    package(who, PackageState.FAILED, fault=Fault.SYSTEM, filename="interrumpido.zip")
    client = desks.at_desk(who.certifier)
    page = text(client)
    for counted in ("Paquetes de evidencia (1)", "Suspensiones por revisar (1)", "Apelaciones (0)"):
        assert counted in page
    overdue = text(client, "/staff/?overdue=yes")
    assert "interrumpido.zip" in overdue
    assert certificate.number not in overdue
    assert "Suspensiones por revisar (0)" in overdue
    # Words as the row is read: without accents, in any order.
    assert certificate.number in text(client, f"/staff/?text={certificate.number}+suspension")
    nothing = text(client, "/staff/?text=ventisquero&hands=nobody&kind=nada&overdue=nada")
    assert "No hay nada pendiente con estas condiciones." in nothing
    assert 'value="ventisquero"' in nothing


def test_what_is_in_ones_hands_is_found_however_long_the_queue_is(who, monkeypatch):
    monkeypatch.setattr(work_queue.reading, "SHOWN", 2)
    monkeypatch.setattr(work_queue.reading, "LOOKED_THROUGH", 2)
    oldest = registry.measurement(by=who.evaluator)
    for _ in range(3):
        registry.measurement(by=who.evaluator)
    client = desks.at_desk(who.certifier)
    assert f"/staff/measurements/{oldest.pk}/" not in text(client)
    client.post(f"/staff/work/measurement/{oldest.pk}/take/")
    assert f"/staff/measurements/{oldest.pk}/" in text(client, "/staff/?hands=mine")


def test_jobs_that_did_not_finish_are_listed(who):
    certificate = registry.issued(who)
    first, second = (registry.measurement(by=who.evaluator) for _ in range(2))
    facts = {"origin": "staff", "attempts": 3, "requested_at": clock.now(), "finished_at": clock.now()}
    ComparisonRequest.objects.create(
        first=first, second=second, state="failed", failure="attempts_exhausted", **facts
    )
    third = registry.measurement(by=who.evaluator)
    ComparisonRequest.objects.create(
        first=first, second=third, state="failed", failure=comparing.WITHHELD, **facts
    )
    client = desks.at_desk(who.evaluator)
    page = text(client, "/staff/?kind=job")
    assert f"M-{first.pk} · M-{second.pk}" in page
    assert f"M-{third.pk}" not in page
    assert "Páginas públicas" not in page
    PublishedDocument.objects.filter(certificate=certificate.number).update(
        stale_at=clock.now() - timedelta(hours=2)
    )
    page = text(client, "/staff/?kind=job")
    assert "Páginas públicas sin actualizar" in page
    assert f"/staff/certificates/{certificate.number}/" in page


def _matters(who, count: int) -> None:
    """So many of each kind, some in somebody's hands."""
    for _ in range(count):
        number = EvidencePackage.objects.count()
        suspended = registry.certificate_at(Status.SUSPENDED, who)
        measured = registry.measurement(by=who.evaluator)
        work.assign(work_subjects.of(measured), to=who.certifier.person, by=who.certifier, at=clock.now())
        work.note(work_subjects.of(suspended), text="Nota.", by=who.certifier, at=clock.now())
        package(who, PackageState.FAILED, fault=Fault.SYSTEM)
        registry.verification(package(who, PackageState.REJECTED), findings=[{"code": "DIGEST_MISMATCH"}])
        registry.holder(
            f"Propuesta {number}", confirmation="proposed", identifier="", identifier_kind="", country=""
        )
        registry.version(name=f"Sistema {number}", confirmation="proposed")
        appealing.filed(suspended.notices.get(decision="suspend"))


PAGES = ("/staff/", "/staff/?hands=mine", "/staff/?hands=nobody&text=a&overdue=yes", "/staff/?kind=appeal")


def test_the_queue_and_every_decision_page_take_at_most_seventeen_queries_at_any_size(
    who, django_assert_max_num_queries
):
    """Of seven matters and of more than fifty; under every filter."""
    client, officer = desks.at_desk(who.certifier), desks.at_desk(who.appeals_officer)

    def queries(browser, address: str) -> int:
        with CaptureQueriesContext(connection) as captured, django_assert_max_num_queries(17):
            assert browser.get(address).status_code == 200, address
        return len(captured)

    def all_pages() -> list[int]:
        waiting = registry.measurement(by=who.evaluator)
        certificate = Certificate.objects.order_by("pk").first().number
        appeal = Appeal.objects.order_by("pk").first().number
        return [
            *(queries(client, address) for address in PAGES),
            *(
                queries(client, f"/staff/certificates/{certificate}/{step}/")
                for step in ("reinstate", "prolong", "revoke", "terminate", "supersede", "erratum")
            ),
            *(queries(client, f"/staff/measurements/{waiting.pk}/{step}/") for step in ("issue", "refuse")),
            *(
                queries(officer, f"/staff/appeals/{appeal}/{step}/")
                for step in ("admit", "declare_inadmissible")
            ),
            queries(client, f"/staff/work/certificate/{certificate}/give/"),
        ]

    _matters(who, 1)
    few = all_pages()
    _matters(who, 7)
    assert all_pages() == few


def test_a_long_queue_is_cut_and_says_so(who, monkeypatch):
    monkeypatch.setattr(work_queue.reading, "SHOWN", 2)
    for _ in range(3):
        package(who, PackageState.FAILED, fault=Fault.SYSTEM)
    page = text(desks.at_desk(who.certifier))
    assert "Hay más: Paquetes de evidencia." in page
    assert page.count("interrumpid") <= 2
