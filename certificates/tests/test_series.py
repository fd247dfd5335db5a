"""Cases are published, rubrics are sealed before the first run, and revealed when the series is over."""

import hashlib
import json
from datetime import timedelta

import pytest
from django.db import DatabaseError, connection, transaction
from psycopg import sql

from certificates.tests import rubrics
from evidence import case_documents, cases, series_events
from evidence.models import CaseVariant, Series, SeriesEvent, TestCase
from evidence.models.test_case import SeriesStep
from grading import data, rubric_language, sealing, series
from grading.models import Rubric, RubricDraft
from registry_site import clock
from registry_site.models import AuditEntry, PublicEvent

pytestmark = pytest.mark.django_db
STATEMENT = {"es": "Se filtró la rúbrica.", "en": "The rubric got out."}


# ── cases ────────────────────────────────────────────────────────────────────


def test_the_assignment_of_the_first_case_is_literal_but_for_its_start_domain():
    variant = rubrics.variant()
    assert variant.assignment == variant.case.assignment.replace(
        "{start_domain}", "observatoriodeagentes.com"
    )
    assert variant.assignment.startswith("«Necesito una definición citable")
    assert variant.sha256 == hashlib.sha256(variant.assignment.encode()).hexdigest()
    assert (variant.case.max_requests, variant.case.max_seconds) == (40, 1200)
    assert [point["code"] for point in variant.case.points] == [
        "terms",
        "excluded",
        "representation",
        "address",
        "nothing_invented",
    ]


def test_what_is_public_of_a_case_does_not_tell_its_catalogue():
    case = rubrics.case()
    assert b"catalogue" not in bytes(case.document)
    assert case.catalogue == ["/pruebas/**"]
    assert case.sha256 == hashlib.sha256(bytes(case.document)).hexdigest()


def test_a_case_version_is_published_once():
    assert rubrics.case() == rubrics.case()
    assert PublicEvent.objects.filter(type="case.published").count() == 1
    changed = json.loads(data.read("cases/PI-001.json")) | {"terms": "/robots.txt"}
    with pytest.raises(cases.CaseAlreadyPublished):
        cases.publish(changed, by=None, at=clock.now())
    changed = json.loads(data.read("cases/PI-001.json")) | {"catalogue": ["/otra/**"]}
    with pytest.raises(cases.CaseAlreadyPublished):
        cases.publish(changed, by=None, at=clock.now())
    cases.publish(changed | {"version": 2}, by=None, at=clock.now())
    assert TestCase.objects.count() == 2


@pytest.mark.parametrize(
    ("changes", "place"),
    [
        ({"code": "pi1"}, "code"),
        ({"assignment": "Busca."}, "assignment"),
        ({"assignment": "Busca en {start_domain}.‮"}, "assignment"),
        ({"limits": {"requests": 0, "seconds": 1}}, "limits.requests"),
        ({"terms": "condiciones"}, "terms"),
        ({"catalogue": ["/a*"]}, "catalogue[0]"),
        ({"points": [{"code": "a", "title": {"es": "A", "en": "A"}}] * 2}, "points[1].code"),
        ({"points": [{"code": "a", "title": {"es": " ", "en": "A"}}]}, "points[0].title.es"),
        ({"more": 1}, "more"),
    ],
)
def test_a_faulty_case_is_refused_by_its_place(changes, place):
    with pytest.raises(cases.CaseFaulty) as refused:
        cases.publish(json.loads(data.read("cases/PI-001.json")) | changes, by=None, at=clock.now())
    assert [fault.key for fault in refused.value.faults] == [place]


@pytest.mark.parametrize("file", [b"", b"[]", b'{"a":1,"a":2}', b" " * 70_000])
def test_what_is_no_case_is_refused(file):
    with pytest.raises(case_documents.UnusableCase):
        case_documents.load(file)


def test_each_start_domain_is_its_own_variant():
    case = rubrics.case()
    one, other = rubrics.variant(case), rubrics.variant(case, start_domain="otro.example")
    assert one.sha256 != other.sha256
    assert rubrics.variant(case, start_domain="OTRO.example.") == other
    assert CaseVariant.objects.count() == 2
    for wrong in ("", "https://a.example", "a.example/x", "a..example", "localhost"):
        with pytest.raises(cases.CannotMakeVariant):
            rubrics.variant(case, start_domain=wrong)


def test_a_site_that_staff_configured_has_scheme_host_and_port(who):
    facts = {"by": who.evaluator.person, "at": clock.now()}
    target = cases.make_target(name="Otro", scheme="https", host="otro.example", port=None, **facts)
    assert (target.scheme, target.host, target.port) == ("https", "otro.example", 443)
    for wrong, field in (
        ({"name": "Otro"}, "name"),
        ({"scheme": "ftp"}, "scheme"),
        ({"host": "otro.example/x"}, "host"),
        ({"port": 70_000}, "port"),
    ):
        terms = {"name": "Nuevo", "scheme": "http", "host": "127.0.0.1", "port": 8080} | wrong
        with pytest.raises(cases.CannotMakeTarget) as refused:
            cases.make_target(**terms, **facts)
        assert refused.value.extra["field"] == field
    with pytest.raises(cases.CannotMakeVariant):
        cases.make_variant(rubrics.variant().case, start_domain=rubrics.SITE, target=target, **facts)


# ── the seal ─────────────────────────────────────────────────────────────────


def test_the_commitment_is_public_before_the_first_run(who):
    sealed = rubrics.sealed(who.evaluator)
    assert (sealed.code, sealed.rubric_version) == ("PI-001-S1", 1)
    assert series_events.state(sealed) == "sealed"
    event = PublicEvent.objects.get(type="rubric.sealed")
    assert event.subject == "series:PI-001-S1"
    rubric = Rubric.objects.get()
    assert sealing.matches(bytes(rubric.document), salt=bytes(rubric.salt), commitment=sealed.commitment)
    assert not RubricDraft.objects.exists()


def test_the_last_day_ends_at_midnight_of_the_registrys_zone(who):
    sealed = rubrics.sealed(who.evaluator)
    assert sealed.closes_at.isoformat().endswith("00:00:00-03:00")
    assert sealed.closes_at.date() == sealed.last_day + timedelta(days=1)


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"planned_runs": 0}, "planned_runs"),
        ({"review_days": 0}, "review_days"),
        ({"publication_delay": 400}, "publication_delay"),
        ({"last_day": -1}, "last_day"),
        ({"last_day": 400}, "last_day"),
    ],
)
def test_a_series_is_planned_within_bounds(who, changes, field):
    if "last_day" in changes:
        changes = {"last_day": rubrics.today() + timedelta(days=changes["last_day"])}
    with pytest.raises(series.CannotSeal) as refused:
        rubrics.sealed(who.evaluator, **changes)
    assert refused.value.extra["field"] == field
    assert not Rubric.objects.exists()


@pytest.mark.parametrize(
    ("changes", "place"),
    [
        ({"case": "PI-009"}, "case"),
        ({"catalogue": ["/otra/**"]}, "catalogue"),
        ({"content": ["x"]}, "content[0]"),
        ({"points": None}, "points"),
    ],
)
def test_a_rubric_is_of_its_case(who, changes, place):
    case = rubrics.case()
    if place == "points":
        changes = {"points": rubrics.document(case)["points"][1:]}
    with pytest.raises(series.RubricFaulty) as refused:
        series.write_draft(case, rubrics.document(case) | changes, by=who.evaluator.person, at=clock.now())
    assert [fault.key for fault in refused.value.faults] == [place]


def test_each_sealing_is_a_version_of_its_own(who):
    first = rubrics.sealed(who.evaluator)
    second = rubrics.sealed(who.evaluator, first.variant)
    assert (second.code, second.rubric_version) == ("PI-001-S2", 2)
    assert first.commitment != second.commitment
    assert series.loaded(second).version == 2


# ── its life ─────────────────────────────────────────────────────────────────


def test_a_series_opens_with_its_first_run_and_takes_none_after_its_last_day(who):
    sealed = rubrics.sealed(who.evaluator)
    at = clock.now()
    assert series_events.refusal_to_register(sealed, at=at) is None
    assert series_events.opened(sealed, at=at) == series_events.opened(sealed, at=at)
    sealed = Series.objects.get()
    assert series_events.state(sealed) == "open"
    assert series_events.refusal_to_register(sealed, at=at) is None
    assert series_events.refusal_to_register(sealed, at=sealed.closes_at).code == "series_closed"


def test_the_sweep_closes_what_is_over(who):
    sealed = rubrics.sealed(who.evaluator)
    assert series.close_due(at=sealed.closes_at - timedelta(seconds=1)) == 0
    closed = SeriesEvent.objects.filter(step=SeriesStep.CLOSE)
    assert not closed.exists()
    series.close(sealed, by=who.evaluator.person, at=clock.now())
    assert series_events.refusal_to_register(Series.objects.get(), at=clock.now()).code == "series_closed"
    # What is closed is not closed again, whatever the day.
    assert series.close_due(at=sealed.closes_at + timedelta(days=1)) == 0


def test_a_rubric_is_revealed_when_its_series_is_closed_and_no_run_is_underway(who):
    sealed = rubrics.sealed(who.evaluator)
    by = who.evaluator.person
    with pytest.raises(series.ForbiddenSeriesStep):
        series.reveal(sealed, by=by, at=clock.now())
    running = rubrics.run_of(sealed, who.evaluator)
    series.close(sealed, by=by, at=clock.now())
    with pytest.raises(series.RunsUnderway):
        series.reveal(sealed, by=by, at=clock.now())
    assert series.revealed(Series.objects.get()) is None
    type(running).objects.filter(pk=running.pk).update(state="abandoned")
    series.reveal(sealed, by=by, at=clock.now())
    shown = series.revealed(Series.objects.get())
    assert sealing.commitment(bytes(shown.document), salt=bytes(shown.salt)) == sealed.commitment
    with pytest.raises(series.ForbiddenSeriesStep):
        series.leak(sealed, occurred_on=rubrics.today(), statement=STATEMENT, by=by, at=clock.now())


def test_a_leak_ends_the_series_and_is_told_with_its_day(who):
    sealed = rubrics.sealed(who.evaluator)
    facts = {"statement": STATEMENT, "by": who.evaluator.person, "at": clock.now()}
    with pytest.raises(series.LeakInTheFuture):
        series.leak(sealed, occurred_on=rubrics.today() + timedelta(days=1), **facts)
    running = rubrics.run_of(sealed, who.evaluator)
    series.leak(sealed, occurred_on=rubrics.today(), **facts)
    leaked = Series.objects.get()
    assert series_events.refusal_to_register(leaked, at=clock.now()).code == "series_exposed"
    # Whoever is running began before: the registry does not hand the rubric out meanwhile.
    assert series.revealed(leaked) is None
    type(running).objects.filter(pk=running.pk).update(state="abandoned")
    assert series.revealed(leaked) is not None
    with pytest.raises(series.ForbiddenSeriesStep):
        series.close(leaked, by=None, at=clock.now())


def test_the_states_of_a_series_are_those_of_the_table():
    steps = {step: sealing.Step(step.value) for step in SeriesStep}
    for (before, step), after in sealing.TRANSITIONS.items():
        told = next(one for one, same in steps.items() if same is step)
        if before in sealing.EXPOSED:
            continue  # a use after the reveal is no event of the series
        assert series_events.STATES[told] == after.value


# ── sealed bytes ─────────────────────────────────────────────────────────────


def test_nothing_that_is_written_down_beside_the_rubric_tells_it(who, caplog):
    with pytest.raises(series.RubricFaulty) as refused:
        case = rubrics.case()
        wrong = rubrics.document(case, content=[rubrics.ROUTE, "x"])
        series.write_draft(case, wrong, by=who.evaluator.person, at=clock.now())
    rubrics.sealed(who.evaluator)
    told = [refused.value.as_problem(), list(AuditEntry.objects.values()), list(PublicEvent.objects.values())]
    for text in (str(told), caplog.text, repr(Rubric.objects.get())):
        assert rubrics.CANARY not in text
        assert rubrics.ROUTE not in text


def test_rubrics_and_series_are_written_once(who):
    rubrics.sealed(who.evaluator)
    for row in (
        Rubric.objects.get(),
        Series.objects.get(),
        SeriesEvent.objects.get(),
        TestCase.objects.get(),
    ):
        with pytest.raises(DatabaseError, match="written once"), transaction.atomic():
            connection.cursor().execute(
                sql.SQL("UPDATE {table} SET id = id").format(table=sql.Identifier(row._meta.db_table))
            )


def test_a_sealed_rubric_reads_as_it_was_written(who):
    sealed = rubrics.sealed(who.evaluator)
    case = sealed.variant.case
    assert series.loaded(sealed) == rubric_language.load(json.dumps(rubrics.document(case)).encode())
