"""A system's page: what was measured of it through time, each row frozen, nothing picked and nothing unpublished."""

import pytest
from django.test import Client

from certificates import lifecycle, names, pages, system_facts
from certificates.tests import registry
from certificates.tests.registry import Evidence
from grading.figures import Figure
from registry_site import clock

pytestmark = pytest.mark.django_db


def page(key, language="es", **query):
    return Client().get(f"/{language}/systems/{key}/", query)


def facts(system) -> pages.SystemPage:
    return system_facts.of(system.pk, at=clock.now())


@pytest.fixture
def certified(who):
    """A certificate, and with it a public system."""
    return registry.issued(who)


def test_it_tells_holder_versions_certificates_and_measurements(certified):
    system = certified.system_version.system
    for language, words in (("es", "Cada medición está congelada"), ("en", "Each measurement is frozen")):
        text = page(system.pk, language).content.decode()
        for part in (system.name, system.holder.name, certified.number, words, "Norma ficticia 1"):
            assert part in text
        assert names.reference(certified.measurement) in text
    assert f"/es/systems/{system.pk}/" in Client().get(f"/es/c/{certified.number}/").content.decode()


def test_a_remeasurement_adds_a_row_and_leaves_the_earlier_one_as_it_was(who, certified):
    before = facts(certified.system_version.system).measurements
    again = registry.measurement(
        certified.system_version, by=who.evaluator, evidence=Evidence(figures=((None, 30, 150),))
    )
    after = facts(certified.system_version.system).measurements
    assert [one.reference for one in after] == [names.reference(again), *(one.reference for one in before)]
    assert after[1:] == before
    assert after[0].certificates == ()


def test_the_latest_stands_first_whatever_its_figure(who, certified):
    version = certified.system_version
    for k in (90, 2, 60):
        registry.measurement(version, by=who.evaluator, evidence=Evidence(figures=((None, k, 150),)))
    told = facts(version.system).measurements
    assert [one.judged.k for one in told] == [60, 2, 90, 15]


def test_another_set_breaks_the_line_and_says_so(who, certified):
    version = certified.system_version
    registry.measurement(version, by=who.evaluator, evidence=Evidence(set_sha256="6f" * 32))
    told = facts(version.system)
    assert [len(stretch.measurements) for stretch in told.stretches] == [1, 1]
    assert told.measurements[0].breaks == ("set",)
    text = page(version.system.pk).content.decode()
    assert "otro conjunto de preguntas" in text
    assert "no pueden leerse unas junto a otras" in text


def test_other_judges_break_the_line_too(who, certified):
    other = {"judges": [{"id": "j1", "family": "quillay", "version": "quillay-3.0", "temperature": 0.0}]}
    registry.measurement(certified.system_version, by=who.evaluator, evidence=Evidence(descriptor=other))
    assert facts(certified.system_version.system).measurements[0].breaks == ("judges",)


def test_an_erratum_stands_beside_what_was_certified_on(who, certified):
    lifecycle.erratum(
        certified, by=who.certifier, at=clock.now(), statement=registry.STATEMENT, do_not_rely=True
    )
    (one,) = facts(certified.system_version.system).measurements
    (erratum,) = one.errata
    assert erratum.do_not_rely
    assert erratum.notice in page(certified.system_version.system_id).content.decode()


def test_every_row_can_be_read_in_the_api(who, certified):
    version = registry.version(certified.system_version.system.holder, pinned="5.0.0")
    registry.measurement(version, by=who.evaluator)
    for one in facts(certified.system_version.system).measurements:
        key = one.reference.removeprefix("M-")
        assert Client().get(f"/api/v1/measurements/{key}/").status_code == 200


def test_what_rests_on_no_decision_is_not_public(who):
    measurement = registry.measurement(by=who.evaluator)
    key = measurement.system_version.system_id
    for language in ("es", "en"):
        answer = page(key, language)
        assert answer.status_code == 404
        assert measurement.system_version.system.name not in answer.content.decode()


def test_another_systems_measurements_are_not_listed(who, certified):
    other = registry.issued(who, registry.measurement(registry.version(name="Quillay"), by=who.evaluator))
    listed = [one.reference for one in facts(certified.system_version.system).measurements]
    assert names.reference(other.measurement) not in listed


def test_too_few_answers_are_suppressed_here_too(who, certified):
    registry.measurement(
        certified.system_version,
        by=who.evaluator,
        evidence=Evidence(figures=((None, 3, 7),), access="digest_only"),
    )
    one = facts(certified.system_version.system).measurements[0]
    assert (one.judged.band, one.judged.k, one.judged.n) == ("suppressed", None, None)


@pytest.mark.parametrize(
    "key", ["0", "999999", "9" * 40, "1e3", "-1", "\u0661", "x", "1%20or%201=1", "<script>"]
)
def test_odd_ids_are_not_found(certified, key):
    answer = page(key)
    assert answer.status_code == 404
    assert "<script>" not in answer.content.decode()


def test_an_id_has_one_spelling(certified):
    assert page(f"00{certified.system_version.system_id}").status_code == 404


@pytest.mark.parametrize("cursor", ["", "x", "M-", "-1", "9" * 30, "1 or 1=1"])
def test_a_cursor_that_names_nothing_begins_at_the_latest(certified, cursor):
    assert page(certified.system_version.system_id, before=cursor).status_code == 200


def test_pages_follow_each_other_without_gap(who, certified, monkeypatch):
    monkeypatch.setattr(system_facts, "PAGE_SIZE", 2)
    version = certified.system_version
    for _ in range(4):
        registry.measurement(version, by=who.evaluator)
    seen, cursor = [], ""
    for _ in range(3):
        told = system_facts.of(version.system_id, at=clock.now(), before=cursor)
        seen += [one.reference for one in told.measurements]
        cursor = told.older.removeprefix("before=")
    assert cursor == ""
    assert len(seen) == len(set(seen)) == 5


def test_the_number_of_queries_does_not_grow(who, certified, django_assert_max_num_queries):
    version = certified.system_version
    for _ in range(12):
        registry.measurement(version, by=who.evaluator)
    with django_assert_max_num_queries(15):
        page(version.system_id)


def test_a_row_without_the_headline_says_that_there_is_no_data(who, certified):
    registry.measurement(certified.system_version, by=who.evaluator, evidence=Evidence(figures=()))
    told = facts(certified.system_version.system)
    assert told.measurements[0].judged is None
    assert all(isinstance(one.judged, Figure) for one in told.measurements[1:])
    assert page(certified.system_version.system_id).status_code == 200
