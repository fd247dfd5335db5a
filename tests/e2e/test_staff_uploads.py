"""An evaluator hands in evidence in a real browser, watches it being checked, and reads what was found."""

import io
import re

import pytest

from certificates import pipeline
from certificates.demo import engine, story
from certificates.tests import registry
from evidence import packing
from evidence.models import EvidencePackage, PackageState
from grading.models import Measurement
from registry_site import clock

pytestmark = [pytest.mark.chromium, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def who(transactional_db):
    return registry.people()


@pytest.fixture(autouse=True)
def no_worker(settings, tmp_path, monkeypatch):
    """A store of its own, and the journey taken by the test itself."""
    settings.EVIDENCE_DIR = tmp_path / "evidence"
    settings.EVIDENCE_FREE_SHARE = 0.0
    settings.EVIDENCE_FREE_BYTES = 0
    monkeypatch.setattr("certificates.pipeline._send", lambda package_id: True)


def a_package(tmp_path, *, spoiled: bool = False):
    registry.scheme()
    payload = engine.evaluate(
        story.CHAPTERS[0].system, scheme=("HALU", "1"), at=clock.now(), languages=("es", "en")
    )
    if spoiled:
        payload["verdicts.jsonl"] = payload["verdicts.jsonl"].replace(b'"exact"', b'"exacta"', 1)
    file = io.BytesIO()
    packing.pack(payload, into=file)
    path = tmp_path / "evaluacion.zip"
    path.write_bytes(file.getvalue())
    return path


def hand_in(page, path) -> EvidencePackage:
    page.goto("/staff/packages/upload/")
    page.locator("input[type=file]").set_input_files(path)
    page.get_by_role("button", name="Subir paquete de evidencia").click()
    page.wait_for_url(re.compile(r"/staff/packages/\d+/$"))
    return EvidencePackage.objects.get(pk=page.url.rstrip("/").rpartition("/")[2])


def test_upload_progress_and_a_measurement_ready(open_browser, sign_in, look, who, tmp_path):
    page = open_browser()
    sign_in(page, who.evaluator)
    page.goto("/staff/packages/upload/")
    look(page, "upload")
    row = hand_in(page, a_package(tmp_path))
    assert row.state == PackageState.RECEIVED
    bar = page.locator("progress")
    assert bar.is_visible()
    look(page, "package-received")
    # Progress as a worker writes it: the page tells it without being asked.
    EvidencePackage.objects.filter(pk=row.pk).update(
        state="verifying", progress_bytes=row.size // 2, progress_member="data/responses.jsonl"
    )
    page.get_by_text("En verificación: data/responses.jsonl").wait_for()
    assert bar.evaluate("bar => bar.value / bar.max") == pytest.approx(0.5, abs=0.01)
    look(page, "package-verifying")
    EvidencePackage.objects.filter(pk=row.pk).update(state="received", progress_bytes=0, progress_member="")

    pipeline.advance(row.pk)
    page.get_by_text("Es íntegro y sus cifras están calculadas").wait_for()
    look(page, "package-ready")
    page.get_by_role("link", name=re.compile("Con el esquema HALU-1")).click()
    assert Measurement.objects.get().package == row
    look(page, "measurement-evaluator")
    assert page.get_by_role("link", name="Emitir certificado").count() == 0


def test_findings_in_the_readers_language(open_browser, sign_in, look, who, tmp_path):
    page = open_browser(width=320)
    sign_in(page, who.evaluator)
    row = hand_in(page, a_package(tmp_path, spoiled=True))
    pipeline.advance(row.pk)
    page.get_by_text("No es íntegro: 1 hallazgo.").wait_for()
    found = page.locator(".find").inner_text()
    assert "VALUE_NOT_ALLOWED" in found
    assert "data/verdicts.jsonl" in found
    assert "exacta" in found
    look(page, "package-rejected-320")
    page.get_by_role("button", name="English").click()
    page.get_by_text("It is not intact: 1 finding.").wait_for()


def test_upload_without_scripts(open_browser, sign_in, who, tmp_path):
    page = open_browser(script=False)
    sign_in(page, who.evaluator)
    row = hand_in(page, a_package(tmp_path))
    pipeline.advance(row.pk)
    page.get_by_role("link", name="Actualizar").click()
    assert "Es íntegro y sus cifras están calculadas" in page.locator("main").inner_text()


def test_a_refusal_of_the_upload_is_told_on_the_form(open_browser, sign_in, look, who, tmp_path):
    page = open_browser()
    sign_in(page, who.evaluator)
    page.goto("/staff/packages/upload/")
    page.locator("#id_sha256").fill("abc")
    page.locator("input[type=file]").set_input_files(a_package(tmp_path))
    page.get_by_role("button", name="Subir paquete de evidencia").click()
    page.locator(".errors").wait_for()
    assert page.title().startswith("Error:")
    assert page.locator("#id_sha256").input_value() == "abc"
    assert not EvidencePackage.objects.exists()
    look(page, "upload-refused")
