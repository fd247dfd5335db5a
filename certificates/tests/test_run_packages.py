"""A package of an agent run travels as any other: to findings, or to a measurement in counts."""

import pytest

from certificates import measured, pipeline, visibility
from certificates.tests import desks, packages, registry
from evidence import intake, verification
from evidence.models import PackageState
from evidence.models.run import Run
from evidence.tests import run_packages as runs
from evidence.tests import running
from grading import comparing, data, publication
from grading.models import ComparisonRequest, Measurement, SetUse
from registry_site import clock

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("evidence_folder")]

RUBRIC = data.read("rubrics/PI-000.json")
MARKS = [
    runs.mark("terms", requests=[2, 3]),
    runs.mark("excluded", requests=[2]),
    runs.mark("address", requests=[4]),
    runs.mark("faithful", requests=[4]),
]


@pytest.fixture
def scheme(db):
    return publication.publish(data.read("schemes/AGENT-1.json"), at=clock.now())


def travel(who, **of):
    payload = {path.removeprefix("data/"): content for path, content in runs.package(**of).items()}
    package = intake.receive([packages.zipped(payload)], by=who.evaluator, at=clock.now())
    pipeline.advance(package.pk)
    package.refresh_from_db()
    return package


def test_a_closed_run_gives_a_measurement_of_its_trace(who, scheme):
    package = travel(who)
    assert package.state == PackageState.READY
    measured = Measurement.objects.get(package=package)
    assert (measured.method, measured.scheme) == ("agent_run", scheme)
    assert measured.set_sha256 == runs.run()["assignment_sha256"]
    assert measured.set_name == "PI-000 · 1 · observatoriodeagentes.com"
    assert measured.result["run"]["facts"]["counted"] == 4
    assert not SetUse.objects.exists()


def test_a_graded_run_gives_its_marks_and_is_compared_with_no_other_one(who, scheme):
    first = Measurement.objects.get(package=travel(who, rubric=RUBRIC, marks=MARKS, salt=bytes(32)))
    met = first.figures.get(metric="met", category=None)
    assert (met.k, met.n, met.estimate, met.band) == (4, 4, None, "indicative")
    assert first.figures.count() == 15
    other = Measurement.objects.get(package=travel(who, rubric=RUBRIC, marks=MARKS, salt=bytes(range(32))))
    assert [of["field"] for of in comparing.differences(first, other)] == ["single_runs"]
    assert not ComparisonRequest.objects.exists()


def test_the_staff_see_the_measurement_of_a_run_before_and_after_it_is_graded(who, scheme):
    desk = desks.at_desk(who.certifier)
    for of in ({}, {"rubric": RUBRIC, "marks": MARKS, "salt": bytes(32)}):
        measured = Measurement.objects.get(package=travel(who, **of))
        page = desk.get(f"/staff/measurements/{measured.pk}/").content.decode()
        assert "PI-000 · 1 · observatoriodeagentes.com" in page
        assert "review-sheet" not in page
        assert ("todavía no está calificada" in page) is not bool(of)
    assert "Condiciones obtenidas antes de recorrer" in page
    assert "Cumplido" in page
    assert "alucin" not in page.lower()


def test_a_run_whose_mark_was_changed_is_refused(who, scheme):
    changed = [runs.mark("terms", "not_met", [2, 3]), *MARKS[1:]]
    package = travel(who, rubric=RUBRIC, marks=changed)
    assert package.state == PackageState.REJECTED
    (finding,) = verification.latest(package).findings
    assert (finding["code"], finding["member"]) == ("MARK_DIFFERS", "data/marks.jsonl:1")


def test_a_run_under_a_scheme_of_answers_is_refused(who, scheme):
    publication.publish(data.read("schemes/HALU-1.json"), at=clock.now())
    package = travel(who, descriptor={"scheme": {"code": "HALU", "version": "1"}})
    assert package.state == PackageState.REJECTED
    assert [finding["key"] for finding in verification.latest(package).findings] == ["method"]


def listed():
    return set(visibility.public_measurements().filter(method="agent_run"))


def test_of_a_run_only_the_published_result_is_listed(who, scheme):
    certificate = registry.issued(who)
    version = certificate.measurement.system_version
    of = {
        "name": version.system.name,
        "version": version.version,
        "holder": version.system.holder.name,
        "model_family": version.model_family,
    }
    descriptor = {"system": of}
    closing = travel(who, descriptor=descriptor)
    graded = travel(who, descriptor=descriptor, rubric=RUBRIC, marks=MARKS, salt=bytes(32))
    first, second = (Measurement.objects.get(package=package) for package in (closing, graded))
    # As any evidence of a certified system that somebody hands in.
    assert listed() == {first, second}

    operator = running.an_operator(who.registrar.person)
    run = running.closed(running.registered(by=operator).run, by=operator)
    Run.objects.filter(pk=run.pk).update(closing_package=closing, graded_package=graded)
    assert listed() == set()
    assert {one.method for one in measured.relatives_of(certificate)} == {"hallucination"}
    Run.objects.filter(pk=run.pk).update(state="published", published_at=clock.now(), graded_at=clock.now())
    assert listed() == {second}
    assert second in measured.relatives_of(certificate)


def test_a_package_that_calls_itself_ours_is_told_as_its_submitters(who, scheme):
    measured = Measurement.objects.get(package=travel(who, rubric=RUBRIC, marks=MARKS, salt=bytes(32)))
    assert measured.descriptor["method"] == "agent_run"
    assert measured.result["run"]["recorded_by"] == "submitter"
    assert {"code": "run_recorded_by_submitter"} in measured.result["limitations"]
