"""Which agent runs a certificate may rest on: the published, autonomous ones that this registry recorded."""

import pytest

from certificates import applications, lifecycle, policies
from certificates.refusals import NotCertifiable
from certificates.tests import registry
from certificates.tests.registry import STATEMENT, Evidence
from certificates.work_queue import measurements as queue
from certificates.work_queue.matters import Asked
from evidence.models import Run
from evidence.tests import running
from registry_site import clock, roles

pytestmark = pytest.mark.django_db


@pytest.fixture
def run(who):
    operator = running.an_operator(who.registrar.person)
    return running.registered(by=operator).run


def measured(who, **package_of):
    """A measurement of a run; `graded=` or `closed=` says which package of which run it is of."""
    found = registry.measurement(by=who.evaluator, evidence=Evidence(method="agent_run"))
    for which, run in package_of.items():
        Run.objects.filter(pk=run.pk).update(**{which: found.package})
    return type(found).objects.get(pk=found.pk)


def let_it_be(run, *, state="published", outcome=""):
    now = clock.now()
    published_at = now if state == "published" else None
    deadline_at = None if state in ("published", "withheld") else now
    Run.objects.filter(pk=run.pk).update(
        state=state,
        outcome=outcome,
        closed_at=now,
        published_at=published_at,
        review_until=now,
        deadline_at=deadline_at,
    )


def refused(who, measurement):
    """The code of the refusal to issue, which the writer gives as well; and nobody may apply for it either."""
    asked = policies.refusal_to_issue(who.certifier, measurement, at=clock.now())
    with pytest.raises(NotCertifiable) as raised:
        lifecycle.issue(measurement, by=who.certifier, at=clock.now(), statement=STATEMENT)
    assert raised.value.code == asked.code
    assert policies.refusal_to_apply(measurement).code == asked.code
    assert applications.invite(measurement, at=clock.now()) is False
    return asked.code


def waiting(who):
    """What the queue tells a certifier to decide on."""
    asked = Asked(
        person=who.certifier.person,
        roles=roles.held_by(who.certifier),
        now=clock.now(),
        limit=50,
        in_hand=False,
    )
    return {matter.subject.identifier for matter in queue.read(asked)}


def test_a_published_autonomous_run_may_be_certified(who, run):
    of_run = measured(who, graded_package=run)
    let_it_be(run)
    assert policies.refusal_to_issue(who.certifier, of_run, at=clock.now()) is None
    assert policies.refusal_to_apply(of_run) is None
    assert str(of_run.pk) in waiting(who)


def test_a_run_that_whoever_handed_it_in_recorded_is_never_certified(who):
    imported = measured(who)
    assert refused(who, imported) == "run_not_recorded_here"
    assert str(imported.pk) not in waiting(who)


def test_a_package_that_calls_itself_recorded_by_the_registry_is_not_believed(who, run):
    forged = measured(who)
    forged.result["run"] = {"number": run.number, "recorded_by": "registry"}
    let_it_be(run)
    assert refused(who, forged) == "run_not_recorded_here"


def test_what_was_recorded_is_not_yet_a_result(who, run):
    recorded = measured(who, closing_package=run)
    assert refused(who, recorded) == "run_not_graded"
    assert str(recorded.pk) not in waiting(who)


@pytest.mark.parametrize("state", ["graded", "in_review", "withheld"])
def test_a_result_that_is_not_published_is_not_certified(who, run, state):
    of_run = measured(who, graded_package=run)
    let_it_be(run, state=state)
    assert refused(who, of_run) == "run_not_published"


@pytest.mark.parametrize("outcome", ["assisted", "invalidated"])
def test_a_run_with_help_is_published_and_never_certified(who, run, outcome):
    of_run = measured(who, graded_package=run)
    let_it_be(run, outcome=outcome)
    assert refused(who, of_run) == "run_not_autonomous"


def test_a_second_run_of_the_same_version_is_no_picking(who, run):
    first = measured(who, graded_package=run)
    let_it_be(run)
    other = running.registered(by=run.operator).run
    second = registry.measurement(
        first.system_version, by=who.evaluator, evidence=Evidence(method="agent_run")
    )
    Run.objects.filter(pk=other.pk).update(graded_package=second.package)
    let_it_be(other)
    second = type(second).objects.get(pk=second.pk)
    assert policies.first_measurement(second) == second
    assert policies.refusal_to_issue(who.certifier, second, at=clock.now()) is None
