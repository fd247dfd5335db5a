"""Two persons see a rubric before it is sealed; nobody reads it afterwards without a trace; the demonstration's own."""

import pytest
from django.utils import translation

from certificates import lifecycle, policies, rubric_custody
from certificates.demo import run_series, story
from certificates.tests import registry, rubrics
from certificates.tests.registry import person
from certificates.work_queue import rubrics as queue
from certificates.work_queue.matters import OPEN, SEE, Asked
from evidence import series_events
from evidence.models import Run, Series
from grading import rubric_language, series
from grading.models import Rubric, RubricDraft
from registry_site import clock, roles
from registry_site.models import AuditEntry
from registry_site.problems import NotAllowed
from registry_site.roles import Role

pytestmark = pytest.mark.django_db


@pytest.fixture
def second():
    return person("Luis Evaluador", Role.EVALUATOR)


def written(who):
    case = rubrics.variant().case
    return rubric_custody.write(case, rubrics.document(case), by=who.evaluator, at=clock.now())


def sealed(draft, by):
    return rubric_custody.seal(
        draft, by=by, at=clock.now(), variant=draft.case.variants.get(), **rubrics.terms()
    )


@pytest.mark.parametrize("role", ["certifier", "appeals_officer", "registrar"])
def test_whoever_evaluates_writes_rubrics(who, role):
    case = rubrics.case()
    with pytest.raises(NotAllowed):
        rubric_custody.write(case, rubrics.document(case), by=getattr(who, role), at=clock.now())


def test_whoever_wrote_a_rubric_last_does_not_seal_it(who, second):
    draft = written(who)
    with pytest.raises(NotAllowed) as refused:
        sealed(draft, who.evaluator)
    assert refused.value.code == "own_rubric"
    # Whoever mends a word becomes its author: then the first one is the second person.
    draft = rubric_custody.write(
        draft.case, series.document_of(draft), by=second, at=clock.now(), draft=draft
    )
    with pytest.raises(NotAllowed):
        sealed(draft, second)
    assert sealed(draft, who.evaluator).code == "PI-001-S1"
    assert not RubricDraft.objects.exists()


def test_a_draft_may_be_discarded(who):
    rubric_custody.discard(written(who), by=who.evaluator, at=clock.now())
    assert not RubricDraft.objects.exists()
    assert AuditEntry.objects.filter(action="rubric.discarded").exists()


def test_reading_what_is_sealed_leaves_a_trace(who, second):
    row = sealed(written(who), second)
    assert rubric_custody.read_sealed(row, by=who.evaluator, at=clock.now())["case"] == "PI-001"
    entry = AuditEntry.objects.get(action="rubric.read")
    assert (entry.subject, entry.person) == ("series:PI-001-S1", who.evaluator.person)
    with pytest.raises(NotAllowed):
        rubric_custody.read_sealed(row, by=who.certifier, at=clock.now())


def test_a_certifier_may_tell_a_leak_and_nothing_more(who, second):
    row = sealed(written(who), second)
    with pytest.raises(NotAllowed):
        rubric_custody.close(row, by=who.certifier, at=clock.now())
    assert policies.refusal_to_reveal_rubric(who.certifier).code == "role_missing"
    statement = {"es": "Se filtró.", "en": "It leaked."}
    rubric_custody.leak(
        row, by=who.certifier, at=clock.now(), occurred_on=rubrics.today(), statement=statement
    )
    assert series_events.state(Series.objects.get()) == "leaked"
    assert not rubric_custody.certificates_on(row).exists()


# ── the demonstration ────────────────────────────────────────────────────────


def test_the_demonstration_reveals_its_example_and_seals_a_rubric_of_its_own(who, second):
    users = {story.EVALUATOR.email: who.evaluator, story.SECOND_EVALUATOR.email: second}
    for _once_more in range(2):
        run_series.reveal_example(run_series.example(users), users)
        run_series.sealed(users)
    example, own = Series.objects.order_by("pk")
    assert (example.code, series_events.state(example)) == ("PI-000-S1", "revealed")
    assert (own.code, series_events.state(own)) == ("PI-001-S1", "sealed")
    assert own.variant.start_domain == "observatoriodeagentes.com"
    assert [point.code for point in series.loaded(own).points] == [
        point["code"] for point in own.variant.case.points
    ]
    assert series.revealed(own) is None
    shown = rubric_language.load(bytes(series.revealed(example).document))
    assert [point.code for point in shown.points] == ["terms", "excluded", "address", "faithful"]
    assert Rubric.objects.count() == 2


# ── the queue ────────────────────────────────────────────────────────────────


def queued(user):
    asked = Asked(person=user.person, roles=roles.held_by(user), now=clock.now(), limit=10)
    return [(str(matter.title), matter.number, matter.action) for matter in queue.read(asked)]


def test_the_queue_tells_each_what_waits_for_them(who, second):
    draft = written(who)
    with translation.override("en"):
        assert queued(who.evaluator) == [("Rubric to seal", "PI-001", SEE)]
        assert queued(second) == [("Rubric to seal", "PI-001", OPEN)]
        assert queued(who.certifier) == queued(who.registrar) == []
        row = sealed(draft, second)
        assert queued(second) == []
        rubrics.run_of(row, who.registrar)
        rubric_custody.close(row, by=second, at=clock.now())
        assert queued(second) == [("Rubric to reveal", "PI-001-S1", SEE)]
        Run.objects.update(state="abandoned")
        assert queued(second) == [("Rubric to reveal", "PI-001-S1", OPEN)]


def test_after_a_leak_each_certificate_on_its_runs_waits_for_an_erratum(who, second):
    row = sealed(written(who), second)
    statement = {"es": "Se filtró.", "en": "It leaked."}
    rubric_custody.leak(
        row, by=who.certifier, at=clock.now(), occurred_on=rubrics.today(), statement=statement
    )
    told, waiting = registry.issued(who), registry.issued(who)
    lifecycle.erratum(told, by=who.certifier, at=clock.now(), statement=registry.STATEMENT)
    assert queued(who.certifier) == []
    for certificate in (told, waiting):
        package = certificate.measurement.package
        rubrics.run_of(
            row, who.registrar, state="published", published_at=clock.now(), graded_package=package
        )
    with translation.override("en"):
        assert queued(who.certifier) == [("Erratum after a leak", waiting.number, OPEN)]
    assert set(rubric_custody.certificates_on(row)) == {told, waiting}
