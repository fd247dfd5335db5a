"""The certificate of an agent run: its counts and points in the place of figures, every run of the version, no rate."""

import pytest

from certificates import publishing, run_publication
from certificates.tests import registry, running
from certificates.tests.running import Did
from grading import run_grading
from registry_site import clock
from registry_site.models import PublishedDocument

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("moving_clock", "evidence_folder")]


@pytest.fixture
def test(db):
    return running.case()


@pytest.fixture
def version(db):
    return registry.version()


@pytest.fixture
def run(test, version, who):
    row = running.run(test, by=running.operator(), of=version)
    return running.published(test, [row], by=who.evaluator)[0]


@pytest.fixture
def certificate(run, who):
    system = run.system_version.system
    system.confirmation = system.holder.confirmation = "confirmed"
    return registry.issued(who, run.graded_package.measurements.get())


def page(visitor, certificate, language="es"):
    answer = visitor.get(f"/{language}/c/{certificate.number}/")
    assert answer.status_code == 200
    return answer.content.decode()


def test_it_tells_the_points_of_the_run_in_the_place_of_figures(certificate, run, test, visitor):
    told = page(visitor, certificate)
    assert "4 cumplidos, 1 no observable" in told
    assert run.number in told
    assert "Punto terms (es)" in told
    assert test.variant.assignment in told
    assert "No demuestra una propiedad general del modelo" in told
    for other in ("alucina", "Figures by language group", "Cifras por grupo lingüístico", "cada respuesta"):
        assert other not in told
    assert " %" not in told.replace("100 %", "")
    english = page(visitor, certificate, "en")
    assert "4 met, 1 not observable" in english
    assert "allucination" not in english


def test_every_registered_run_of_the_version_is_listed_with_its_outcome(
    certificate, test, version, visitor, who
):
    invalid = running.run(test, by=running.operator("Otto Otro"), of=version, did=Did(outcome="invalidated"))
    run_grading._step(invalid, "invalidate", by=None, at=clock.now(), reason_es="Rutas.", reason_en="Routes.")
    run_publication.sweep()
    told = page(visitor, certificate)
    assert invalid.number in told
    assert "invalidada" in told


def test_a_run_that_changes_lets_the_certificate_be_rendered_anew(certificate, run, who):
    def stale():
        return PublishedDocument.objects.filter(
            stale_at__lte=clock.now(), certificate=certificate.number
        ).exists()

    assert not stale()
    run_grading.invalidate(
        run,
        reason_es="Se entregaron rutas.",
        reason_en="Routes were handed over.",
        by=who.evaluator,
        at=clock.now(),
    )
    run_publication.sweep()
    assert stale()
    publishing.republish_stale(at=clock.now())
    run_publication.sweep()
    assert not stale()


def test_the_program_reads_the_same(certificate, run, visitor):
    told = visitor.get(f"/api/v1/certificates/{certificate.number}/").json()
    assert told["run"]["number"] == run.number
    assert told["run"]["counts"] == {"met": 4, "not_met": 0, "not_observable": 1}
