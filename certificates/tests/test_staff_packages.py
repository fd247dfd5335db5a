"""Handing in evidence through the page, following it, and reading what was found."""

import hashlib
from datetime import timedelta

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.utils.html import escape

from certificates.tests import desks, registry
from evidence import findings
from evidence.models import (
    EvidencePackage,
    Fault,
    Integrity,
    PackageState,
    Participation,
)
from registry_site import clock
from registry_site.models import AuditEntry

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("evidence_folder")]
DATA = b"PK\x03\x04" + b"evidencia " * 5000
SHA256 = hashlib.sha256(DATA).hexdigest()


@pytest.fixture
def woken(monkeypatch):
    """The packages that a worker was sent for."""
    sent: list[int] = []
    monkeypatch.setattr("certificates.pipeline.wake", lambda package: sent.append(package.pk))
    return sent


def zip_file(name="paquete.zip", data=DATA):
    return SimpleUploadedFile(name, data, "application/zip")


def package(who, state, **more):
    now = clock.now()
    facts = {
        "sha256": SHA256,
        "size": len(DATA),
        "received_at": now,
        "created_at": now,
        "filename": "paquete.zip",
    }
    facts |= {} if state in ("ready", "failed", "rejected") else {"deadline_at": now + timedelta(hours=1)}
    return EvidencePackage.objects.create(submitter=who.evaluator, state=state, **(facts | more))


# ── handing in ───────────────────────────────────────────────────────────────


def test_an_upload_becomes_a_package_and_wakes_a_worker(who, woken):
    client = desks.at_desk(who.evaluator)
    assert "Subir paquete de evidencia" in client.get("/staff/packages/upload/").content.decode()
    answer = client.post(
        "/staff/packages/upload/", {"sha256": f"{SHA256[:32].upper()} {SHA256[32:]}", "file": zip_file()}
    )
    row = EvidencePackage.objects.get()
    assert (answer.status_code, answer["Location"]) == (302, f"/staff/packages/{row.pk}/")
    assert (row.state, row.sha256, row.declared_sha256, row.filename) == (
        "received",
        SHA256,
        SHA256,
        "paquete.zip",
    )
    assert woken == [row.pk]
    assert Participation.objects.get(package=row).person == who.evaluator.person
    assert AuditEntry.objects.get(action="package.received").subject == f"package:{row.pk}"
    page = client.get(answer["Location"]).content.decode()
    assert "Se está comprobando." in page
    assert f'data-progress="/staff/packages/{row.pk}/progress/"' in page


def test_the_same_file_again_is_the_same_package(who, woken):
    client = desks.at_desk(who.evaluator)
    first = client.post("/staff/packages/upload/", {"file": zip_file()})
    again = client.post("/staff/packages/upload/", {"file": zip_file("otro.zip")})
    assert first["Location"] == again["Location"]
    assert EvidencePackage.objects.count() == 1


@pytest.mark.parametrize(
    ("data", "status", "told"),
    [
        ({"sha256": "abc", "file": True}, 422, "64 dígitos hexadecimales"),
        ({"sha256": SHA256}, 400, "Elija el ZIP que va a presentar."),
    ],
)
def test_what_is_refused_is_told_on_the_form(who, woken, data, status, told):
    client = desks.at_desk(who.evaluator)
    if data.get("file"):
        data = data | {"file": zip_file()}
    answer = client.post("/staff/packages/upload/", data)
    assert answer.status_code == status
    page = answer.content.decode()
    assert "<title>Error: " in page
    assert told in page[page.index('class="errors"') : page.index("<h1>")]
    assert data["sha256"] in page
    assert not EvidencePackage.objects.exists()
    assert woken == []


def test_a_full_disk_keeps_nothing_and_says_so(who, woken, settings):
    settings.EVIDENCE_FREE_BYTES = 10**18
    answer = desks.at_desk(who.evaluator).post("/staff/packages/upload/", {"file": zip_file()})
    assert answer.status_code == 507
    assert "no tiene espacio para este archivo" in answer.content.decode()
    assert not EvidencePackage.objects.exists()


def test_an_upload_from_another_site_is_refused_before_its_bytes(who, woken):
    signed_in = desks.at_desk(who.evaluator)
    client = Client(enforce_csrf_checks=True)
    client.cookies = signed_in.cookies
    answer = client.post("/staff/packages/upload/", {"file": zip_file()})
    assert answer.status_code == 403
    assert not EvidencePackage.objects.exists()


def test_only_evaluators_hand_in(who):
    client = desks.at_desk(who.certifier)
    page = client.get("/staff/packages/upload/").content.decode()
    assert "La evidencia la presenta solo quien tiene la función de evaluación." in page
    assert 'type="file"' not in page
    assert client.post("/staff/packages/upload/", {"file": zip_file()}).status_code == 403
    assert not EvidencePackage.objects.exists()


# ── following ────────────────────────────────────────────────────────────────


def test_progress_is_told_as_json(who):
    row = package(
        who,
        PackageState.VERIFYING,
        progress_bytes=500,
        progress_total=1000,
        progress_member="data/items.jsonl",
    )
    client = desks.at_desk(who.evaluator)
    assert client.get(f"/staff/packages/{row.pk}/progress/").json() == {
        "state": "verifying",
        "done": 500,
        "total": 1000,
        "members": 0,
        "label": "En verificación: data/items.jsonl",
        "finished": False,
    }
    EvidencePackage.objects.filter(pk=row.pk).update(state="ready", deadline_at=None)
    assert client.get(f"/staff/packages/{row.pk}/progress/").json()["finished"] is True


FINDING = {
    "code": "DIGEST_MISMATCH",
    "member": "data/<items>.jsonl",
    "key": None,
    "expected": "a" * 64,
    "found": "b" * 64,
}


def test_findings_say_where_what_and_how_to_mend_it(who):
    row = package(who, PackageState.REJECTED)
    registry.verification(row, findings=[FINDING], omitted={"DIGEST_MISMATCH": 41})
    page = desks.at_desk(who.evaluator).get(f"/staff/packages/{row.pk}/").content.decode()
    assert "No es íntegro: 42 hallazgos." in page
    for told in ("DIGEST_MISMATCH", "data/&lt;items&gt;.jsonl", "a" * 64, "b" * 64, "Hay 41 más, contados"):
        assert told in page
    spanish = findings.told(FINDING, language="es", package="paquete.zip")
    assert escape(spanish["mend"]) in page
    english = desks.at_desk(who.evaluator, language="en").get(f"/staff/packages/{row.pk}/").content.decode()
    assert "It is not intact: 42 findings." in english


def test_findings_on_sealed_members_are_for_the_submitter_alone(who):
    row = package(who, PackageState.REJECTED)
    quoting = FINDING | {"member": "data/items.jsonl:7", "found": "pregunta sellada"}
    registry.verification(row, findings=[quoting], sealed=["data/items.jsonl"])
    address = f"/staff/packages/{row.pk}/"
    assert "pregunta sellada" in desks.at_desk(who.evaluator).get(address).content.decode()
    page = desks.at_desk(who.certifier).get(address).content.decode()
    assert "pregunta sellada" not in page
    assert "Hay 1 más, contado y no listado." in page


def test_warnings_are_shown_apart(who):
    row = package(who, PackageState.READY)
    warning = {
        "code": "BAG_VERSION_OLD",
        "member": "bagit.txt",
        "key": None,
        "expected": "1.0",
        "found": "0.97",
    }
    registry.verification(row, warnings=[warning], integrity=Integrity.VERIFIED)
    page = desks.at_desk(who.evaluator).get(f"/staff/packages/{row.pk}/").content.decode()
    assert "<h2>Advertencias</h2>" in page
    assert "BAG_VERSION_OLD" in page
    assert "<h2>Hallazgos</h2>" not in page


@pytest.mark.parametrize("state", PackageState.values)
def test_every_state_has_its_sentence(who, state):
    row = package(who, state, fault=Fault.SYSTEM if state == "failed" else "")
    for language in ("es", "en"):
        answer = desks.at_desk(who.evaluator, language=language).get(f"/staff/packages/{row.pk}/")
        assert answer.status_code == 200
        assert '<div class="also"><p>' in answer.content.decode()


def test_a_fault_of_ours_can_be_started_anew_by_an_evaluator(who, monkeypatch):
    monkeypatch.setattr("certificates.pipeline._send", lambda package_id: True)
    row = package(who, PackageState.FAILED, fault=Fault.SYSTEM, failure="worker_lost")
    certifier = desks.at_desk(who.certifier)
    page = certifier.get(f"/staff/packages/{row.pk}/").content.decode()
    assert f'action="/staff/packages/{row.pk}/restart/"' not in page
    assert certifier.post(f"/staff/packages/{row.pk}/restart/").status_code == 403

    client = desks.at_desk(who.evaluator)
    assert "Iniciar de nuevo la verificación" in client.get(f"/staff/packages/{row.pk}/").content.decode()
    assert client.post(f"/staff/packages/{row.pk}/restart/")["Location"] == f"/staff/packages/{row.pk}/"
    row.refresh_from_db()
    assert (row.state, row.fault) == ("received", "")
    # The back button: nothing to start any more, and the answer says so.
    assert client.post(f"/staff/packages/{row.pk}/restart/").status_code == 409


def test_the_list_is_paged_by_keyset(who, monkeypatch):
    monkeypatch.setattr("certificates.views.staff.packages.PAGE_SIZE", 2)
    rows = [
        package(who, PackageState.READY, sha256=f"{n:064x}", filename=f"paquete-{n}.zip") for n in range(3)
    ]
    client = desks.at_desk(who.evaluator)
    page = client.get("/staff/packages/").content.decode()
    assert "paquete-2.zip" in page
    assert "paquete-0.zip" not in page
    assert f'href="?before={rows[1].pk}"' in page
    assert "paquete-0.zip" in client.get(f"/staff/packages/?before={rows[1].pk}").content.decode()
    assert client.get("/staff/packages/?before=nada&state=nada").status_code == 200
    assert "paquete-2.zip" not in client.get("/staff/packages/?state=rejected").content.decode()


# ── measurements ─────────────────────────────────────────────────────────────


def test_a_measurement_shows_its_figures_and_its_rules(who):
    row = registry.measurement(by=who.evaluator)
    page = desks.at_desk(who.certifier).get(f"/staff/measurements/{row.pk}/").content.decode()
    assert "15\xa0de\xa0148" in page
    assert f'href="/staff/measurements/{row.pk}/issue/"' in page
    assert f'href="/staff/measurements/{row.pk}/refuse/"' in page
    assert "La evidencia es íntegra y se comprobó completa." in page


def test_a_package_on_which_somebody_decided_waits_for_nobody(who):
    certificate = registry.issued(who)
    where = f"/staff/packages/{certificate.measurement.package_id}/"
    page = desks.at_desk(who.evaluator).get(where).content.decode()
    assert f'href="/staff/certificates/{certificate.number}/"' in page
    assert "espera una decisión" not in page


def test_a_declared_figure_that_differs_stands_beside_ours(who):
    row = registry.measurement(by=who.evaluator, evidence=registry.Evidence(coincides=False))
    declared = {
        "metric": "hallucination", "denominator": "judged", "group": None, "category": None,
        "declared": "0.010", "computed": "0.101351", "coincides": False, "outcome": "differs",
    }  # fmt: skip
    from certificates.views.staff import measurements

    original = measurements.names.with_parents

    def with_declared():
        query = original()
        row_get = query.get

        def get(*args, **kwargs):
            found = row_get(*args, **kwargs)
            found.result = found.result | {"declared": [declared]}
            return found

        query.get = get
        return query

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(measurements.names, "with_parents", with_declared)
        page = desks.at_desk(who.certifier).get(f"/staff/measurements/{row.pk}/").content.decode()
    assert (
        "La cifra declarada (0,010) difiere de la recalculada (0,101351). "
        "No se puede emitir un certificado con esta evidencia."
    ) in page
    assert f'href="/staff/measurements/{row.pk}/issue/"' not in page
    assert f'href="/staff/measurements/{row.pk}/refuse/"' in page
