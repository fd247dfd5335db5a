"""One search over everything that the staff have pages of, in a bounded number of queries."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from certificates.states import Status
from certificates.tests import appealing, desks, registry, reporting
from evidence.models import EvidencePackage

pytestmark = pytest.mark.django_db


def search(client, q: str, **more) -> str:
    answer = client.get("/staff/search/", {"q": q, **more})
    assert answer.status_code == 200
    return answer.content.decode()


def test_everything_is_found_by_how_it_is_called(who):
    certificate = registry.certificate_at(Status.SUSPENDED, who)
    measurement = certificate.measurement
    package, system = measurement.package, measurement.system_version.system
    EvidencePackage.objects.filter(pk=package.pk).update(filename="entrega-de-otoño.zip")
    notice = certificate.notices.get(decision="suspend")
    appeal = appealing.filed(notice)
    report = reporting.received(certificate)
    client = desks.at_desk(who.certifier)
    for typed, address in (
        (report.number, f"/staff/reports/{report.number}/"),
        (certificate.number, f"/staff/certificates/{certificate.number}/"),
        (certificate.number.lower().replace("-", " "), f"/staff/certificates/{certificate.number}/"),
        ("peumo consul", f"/staff/certificates/{certificate.number}/"),
        (notice.number, f"/es/notices/{notice.number}/"),
        (notice.number[:8], f"/es/notices/{notice.number}/"),
        (appeal.number.lower(), f"/staff/appeals/{appeal.number}/"),
        ("de-OTOÑO", f"/staff/packages/{package.pk}/"),
        (str(package.pk), f"/staff/packages/{package.pk}/"),
        (package.sha256[:12], f"/staff/packages/{package.pk}/"),
        (f"sha256:{package.sha256}", f"/staff/measurements/{measurement.pk}/"),
        (f"M-{measurement.pk}", f"/staff/measurements/{measurement.pk}/"),
        ("Peumo SpA", f"/staff/holders/{system.holder_id}/"),
        ("consulta", f"/staff/systems/{system.pk}/"),
    ):
        assert f'href="{address}"' in search(client, typed), typed


def test_people_are_found_by_registrars_alone(who):
    assert f"/staff/people/{who.evaluator.person_id}/" in search(desks.at_desk(who.registrar), "Elena")
    assert "/staff/people/" not in search(desks.at_desk(who.certifier), "Elena")


def test_what_is_not_found_is_said_and_what_was_typed_is_text(who):
    client = desks.at_desk(who.certifier)
    page = search(client, "<b>ventisquero</b>")
    assert "No se encontró nada. Se buscó: «&lt;b&gt;ventisquero&lt;/b&gt;»." in page
    for odd in ("", "   ", "%", "ab", "9" * 300, "FEH-", "-", "M-"):
        search(client, odd)
    search(client, "zip", kind="poem", before="x")


def test_more_of_a_kind_is_a_page_away_and_nothing_costs_more_queries(who):
    version = registry.version()
    for number in range(21):
        measurement = registry.measurement(version, by=who.evaluator)
        EvidencePackage.objects.filter(pk=measurement.package_id).update(filename=f"lote-{number}.zip")
    client = desks.at_desk(who.registrar)
    with CaptureQueriesContext(connection) as captured:
        page = search(client, "lote")
    assert len(captured) <= 15
    assert page.count("lote-") == 20
    assert "lote-0.zip" not in page
    before = EvidencePackage.objects.get(filename="lote-1.zip").pk
    assert f"?q=lote&amp;kind=package&amp;before={before}" in page
    rest = search(client, "lote", kind="package", before=str(before))
    assert rest.count("lote-") == 1
    assert "lote-0.zip" in rest
