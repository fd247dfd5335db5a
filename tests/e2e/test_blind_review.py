"""Someone who took no part hands out the sheet, adds what came back, and reads it on the measurement's page."""

import csv
import io

import pytest

from certificates import pipeline
from certificates.tests import packages, registry
from evidence import intake
from grading.models import Calibration, Measurement
from registry_site import clock

pytestmark = [pytest.mark.chromium, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def who(transactional_db):
    return registry.people()


@pytest.fixture
def measurement(who, settings, tmp_path, monkeypatch):
    settings.EVIDENCE_DIR = tmp_path / "evidence"
    settings.EVIDENCE_FREE_SHARE = 0.0
    settings.EVIDENCE_FREE_BYTES = 0
    monkeypatch.setattr("certificates.pipeline._send", lambda package_id: True)
    registry.scheme()
    package = intake.receive([packages.sound(60)], by=who.evaluator, at=clock.now())
    pipeline.advance(package.pk)
    return Measurement.objects.get(package=package)


def filled(sheet: bytes, name: str, verdict: str) -> bytes:
    """As a spreadsheet of half the world saves it: semicolons, a byte order mark, a column more."""
    header, *rows = csv.reader(io.StringIO(sheet.decode("utf-8-sig"), newline=""))
    out = io.StringIO(newline="")
    writer = csv.writer(out, delimiter=";")
    writer.writerow([*header, "notas"])
    writer.writerows(
        [*row[:4], name, verdict if place % 4 == 0 else "Exacta", ""] for place, row in enumerate(rows)
    )
    return b"\xef\xbb\xbf" + out.getvalue().encode()


@pytest.mark.parametrize(
    "window", [{"width": 320, "dark": True}, {"script": False}], ids=["small", "no script"]
)
def test_from_the_sheet_to_the_page(open_browser, sign_in, look, who, measurement, window):
    page = open_browser(**window)
    scripted = window.get("script", True)
    seen = look if scripted else (lambda _page, _name: None)
    sign_in(page, who.certifier)
    page.goto(f"/staff/measurements/{measurement.pk}/")
    seen(page, "measurement")
    with page.expect_download() as download:
        page.get_by_role("link", name="Descargar la planilla de revisión a ciegas").click()
    sheet = download.value.path().read_bytes()

    page.get_by_role("link", name="Agregar planillas llenas").click()
    seen(page, "calibrate")

    def hand_in(content: bytes) -> None:
        page.locator("input[type=file]").set_input_files(
            [{"name": "hoja-ana.csv", "mimeType": "text/csv", "buffer": content}]
        )
        page.locator("input[name=declared]").check()
        page.get_by_role("button", name="Leer las planillas").click()

    hand_in(filled(sheet, "Ana Rojas", "buenísima"))
    page.get_by_text("«buenísima» no es un veredicto").first.wait_for()
    seen(page, "calibrate-faults")
    hand_in(filled(sheet, "Ana Rojas", "Mal fundada"))
    page.get_by_role("heading", name="Lo que resulta de las planillas").wait_for()
    seen(page, "calibrate-preview")
    page.get_by_role("button", name="Agregarla a las páginas").click()
    page.get_by_role("heading", name="Revisión a ciegas agregada el").wait_for()
    seen(page, "measurement-calibrated")
    assert "Ana Rojas" not in page.content()
    assert Calibration.objects.get().reviewers == 1
