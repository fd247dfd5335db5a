"""A run from its closing to its result: marks by code and by people, the operator's review, publication."""

import hashlib
import json
import zipfile
from datetime import timedelta

import pytest

from certificates import run_publication
from certificates.tests import registry, running
from certificates.tests.running import Asked, Did
from evidence import storage
from evidence.models import Interest, RunEvent, SeriesEvent
from evidence.models.run import RunOutcome, RunState
from grading import computing, run_grading, run_rules
from grading.models import Mark
from registry_site import clock
from registry_site.models import AuditEntry, Outbox, PublicEvent
from registry_site.problems import NotAllowed

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("moving_clock", "evidence_folder")]

REASONS = {"reason_es": "Se entregaron rutas.", "reason_en": "Routes were handed over."}


@pytest.fixture
def operator(db):
    return running.operator()


@pytest.fixture
def test(db):
    return running.case()


@pytest.fixture
def run(test, operator):
    return running.run(test, by=operator)


def marks(run):
    return {point: (row.mark, row.requests) for point, row in run_grading.marks_of(run).items()}


def mark(run, who, **more):
    facts = {
        "point": "nothing_invented",
        "mark": "met",
        "requests": [3],
        "by": who.evaluator,
        "at": clock.now(),
    }
    return run_grading.mark(run, **(facts | more))


def reviewed(run, who):
    """Marked by code and by the evaluator, and handed to the operator."""
    run_grading.decide_by_code(run, at=clock.now())
    mark(run, who)
    return running.handed_over(run, by=who.evaluator, at=clock.now())


# ── code ─────────────────────────────────────────────────────────────────────


def test_code_marks_what_the_trace_decides_and_leaves_the_rest(run):
    run_grading.decide_by_code(run, at=clock.now())
    assert marks(run) == {
        "terms": ("met", [1, 2]),
        "excluded": ("met", [1]),
        "representation": ("met", [3]),
        "address": ("met", [3]),
    }
    assert run_grading.unmarked(run) == ["nothing_invented"]
    assert all(row.by is None for row in run.marks.all())


def test_code_marks_once(run):
    run_grading.decide_by_code(run, at=clock.now())
    assert run_grading.decide_by_code(run, at=clock.now()) == []
    assert run.marks.count() == 4


def test_who_touches_an_excluded_route_does_not_keep_it(test, operator):
    did = Did(requests=(*running.GOOD, Asked("/borradores/x")))
    run = running.run(test, by=operator, did=did)
    run_grading.decide_by_code(run, at=clock.now())
    assert marks(run)["excluded"] == ("not_met", [4])


def test_what_came_after_the_catalogue_is_not_marked(test, operator):
    """At its second request the agent finds the catalogue: what it fetched afterwards is an observation."""
    asked = (running.GOOD[0], Asked("/pruebas/"), *running.GOOD[1:])
    run = running.run(test, by=operator, did=Did(requests=asked))
    run_grading.decide_by_code(run, at=clock.now())
    assert marks(run)["terms"][0] != "not_met"
    assert marks(run)["representation"] == ("not_observable", [])
    assert marks(run)["address"] == ("not_observable", [])


def test_a_run_is_marked_when_its_evidence_was_verified(test, operator):
    run = running.run(test, by=operator, verified=False)
    with pytest.raises(run_rules.RunRefused) as refused:
        run_grading.decide_by_code(run, at=clock.now())
    assert refused.value.code == "run_not_verified"
    assert run_grading.sweep(at=clock.now()) == {"marked": 0, "in_review": 0, "published": 0}


@pytest.mark.parametrize("outcome", [RunOutcome.INVALIDATED])
def test_what_was_no_autonomous_run_is_never_marked(test, operator, who, outcome):
    run = running.run(test, by=operator, did=Did(outcome=outcome))
    with pytest.raises(run_rules.RunRefused) as refused:
        run_grading.decide_by_code(run, at=clock.now())
    assert refused.value.code == "run_never_graded"
    with pytest.raises(run_rules.RunRefused):
        mark(run, who)


def test_the_sweep_marks_what_was_verified_and_nothing_twice(run):
    assert run_grading.sweep(at=clock.now())["marked"] == 1
    assert run_grading.sweep(at=clock.now())["marked"] == 0


# ── the evaluator ────────────────────────────────────────────────────────────


def test_an_evaluator_marks_the_rest_and_takes_part_in_the_evidence(run, who):
    row = mark(run, who, note="Cada afirmación está en la respuesta 3.")
    assert (row.mark, row.requests, row.by) == ("met", [3], who.evaluator.person)
    assert run.closing_package.participations.get().kind == "graded"
    assert AuditEntry.objects.filter(action="run.marked", subject=f"run:{run.number}").exists()


@pytest.mark.parametrize(
    ("requests", "given", "code"),
    [
        ([], "met", "no_support"),
        ([7], "met", "no_such_request"),
        ([3], "met", "after_the_cut"),
        ([2], "met", "after_the_cut"),
        ([2], "not_met", "after_the_cut"),  # a point without a negative control
        ([1], "splendid", "unknown_mark"),
    ],
)
def test_a_mark_without_support_before_the_cut_does_not_stand(test, operator, who, requests, given, code):
    asked = (running.GOOD[0], Asked("/pruebas/"), *running.GOOD[1:])
    run = running.run(test, by=operator, did=Did(requests=asked))
    with pytest.raises(run_grading.IncompleteGrading) as refused:
        mark(run, who, requests=requests, mark=given)
    assert refused.value.code == code


def test_the_request_of_the_catalogue_may_show_that_a_negative_control_is_not_met(test, operator, who):
    asked = (running.GOOD[0], Asked("/pruebas/"))
    run = running.run(test, by=operator, did=Did(requests=asked))
    row = mark(run, who, point="excluded", mark="not_met", requests=[2])
    assert row.requests == [2]


def test_not_observable_needs_no_request(run, who):
    assert mark(run, who, mark="not_observable", requests=[]).requests == []


def test_only_an_evaluator_marks(run, who):
    with pytest.raises(NotAllowed) as refused:
        mark(run, who, by=who.certifier)
    assert refused.value.code == "role_missing"


def test_an_evaluator_with_an_interest_in_the_holder_does_not_mark(run, who):
    Interest.objects.create(
        person=who.evaluator.person,
        holder=run.system_version.system.holder,
        kind="employment",
        declared_at=clock.now(),
    )
    with pytest.raises(NotAllowed) as refused:
        mark(run, who)
    assert refused.value.code == "tie_to_the_holder"


def test_a_point_is_marked_once_and_then_changed_with_a_reason(run, who):
    first = mark(run, who)
    with pytest.raises(run_rules.RunRefused) as refused:
        mark(run, who, mark="not_met")
    assert refused.value.code == "marked_already"
    changed = run_grading.change_mark(
        run,
        point="nothing_invented",
        mark="not_met",
        requests=[3],
        reason="La fecha no está en la respuesta.",
        by=who.evaluator,
        at=clock.now(),
    )
    assert changed.replaces == first
    assert marks(run)["nothing_invented"] == ("not_met", [3])
    assert Mark.objects.filter(run=run).count() == 2


def test_a_changed_mark_says_why_and_changes_something(run, who):
    mark(run, who)
    facts = {"point": "nothing_invented", "by": who.evaluator, "at": clock.now()}
    with pytest.raises(run_grading.IncompleteGrading) as refused:
        run_grading.change_mark(run, mark="not_met", requests=[3], reason=" ", **facts)
    assert refused.value.code == "text_needed"
    with pytest.raises(run_grading.IncompleteGrading) as refused:
        run_grading.change_mark(run, mark="met", requests=[3], reason="Lo mismo.", **facts)
    assert refused.value.code == "same_mark"


# ── review ───────────────────────────────────────────────────────────────────


def test_marking_ends_when_every_point_is_marked(run, who):
    run_grading.decide_by_code(run, at=clock.now())
    with pytest.raises(run_grading.IncompleteGrading) as refused:
        run_grading.finish_grading(run, by=who.evaluator, at=clock.now())
    assert refused.value.extra["points"] == ["nothing_invented"]


def test_the_marks_wait_for_the_end_of_the_series(run, who, operator):
    """Whoever knows them knows something of the rubric, and could register the next run."""
    run_grading.decide_by_code(run, at=clock.now())
    mark(run, who)
    run = run_grading.finish_grading(run, by=who.evaluator, at=clock.now())
    assert (run.state, run.review_until, run.deadline_at) == (RunState.GRADED, None, run.series.closes_at)
    with pytest.raises(run_rules.RunRefused) as refused:
        run_grading.open_review(run, at=clock.now())
    assert refused.value.code == "series_open"
    with pytest.raises(run_rules.RunRefused):
        run_grading.comment(run, text="¿Y bien?", by=operator, at=clock.now())
    assert not Outbox.objects.filter(kind="run.review").exists()
    assert run_grading.sweep(at=clock.now())["in_review"] == 0
    SeriesEvent.objects.create(series=run.series, step="close", at=clock.now())
    assert run_grading.sweep(at=clock.now())["in_review"] == 1
    run.refresh_from_db()
    assert run.state == RunState.IN_REVIEW


def test_then_the_operator_has_five_days(run, who, operator):
    at = clock.now()
    run = reviewed(run, who)
    assert run.state == RunState.IN_REVIEW
    assert timedelta(days=5) <= run.review_until - at < timedelta(days=5, minutes=1)
    assert [event.step for event in RunEvent.objects.filter(run=run)] == ["grade", "review"]
    letter = Outbox.objects.get(kind="run.review")
    assert (letter.recipient, letter.data["path"]) == (run.contact_email, f"/runs/{run.number}/review/")
    event = PublicEvent.objects.get(type="run.graded")
    assert event.subject == f"run:{run.number}"
    assert b"nothing_invented" not in bytes(event.bytes)


def test_the_operator_comments_while_the_review_lasts(run, who, operator):
    run = reviewed(run, who)
    run_grading.comment(run, text="La petición 3 era Markdown.", by=operator, at=clock.now())
    assert run.comments.get().text == "La petición 3 era Markdown."
    with pytest.raises(run_rules.RunRefused) as refused:
        run_grading.comment(run, text="Tarde.", by=operator, at=run.review_until + timedelta(seconds=1))
    assert refused.value.code == "review_over"


def test_another_operator_reads_and_says_nothing(run, who):
    run = reviewed(run, who)
    with pytest.raises(NotAllowed) as refused:
        run_grading.comment(run, text="Yo también.", by=running.operator("Otto Otro"), at=clock.now())
    assert refused.value.code == "not_of_the_operator"


def test_a_comment_says_something_and_no_control_characters(run, who, operator):
    run = reviewed(run, who)
    for text, code in ((" ", "text_needed"), ("a\u202eb", "unsafe_text"), ("x" * 10_001, "text_too_long")):
        with pytest.raises(run_grading.IncompleteGrading) as refused:
            run_grading.comment(run, text=text, by=operator, at=clock.now())
        assert refused.value.code == code


# ── publication ──────────────────────────────────────────────────────────────


def test_a_result_waits_for_the_review_the_reveal_and_the_delay(operator, who):
    test = running.case(delay=9)
    run = reviewed(running.run(test, by=operator), who)
    over = run.review_until + timedelta(seconds=1)

    def code(at):
        return run_rules.refusal_to_publish(run_grading.with_parents().get(pk=run.pk), at=at).code

    assert code(clock.now()) == "review_not_over"
    assert code(over) == "rubric_sealed"
    SeriesEvent.objects.create(series=test.series, step="reveal", at=over)
    assert code(over) == "publication_delayed"
    assert run_grading.sweep(at=over)["published"] == 0
    later = over + timedelta(days=5)
    assert run_grading.sweep(at=later)["published"] == 1
    run.refresh_from_db()
    assert (run.state, run.published_at, run.deadline_at) == (RunState.PUBLISHED, later, None)
    assert PublicEvent.objects.filter(type="run.published", subject=f"run:{run.number}").exists()


def test_published_marks_are_frozen(run, test, who):
    run = published(run, test, who)
    with pytest.raises(run_rules.RunRefused):
        run_grading.change_mark(
            run,
            point="nothing_invented",
            mark="not_met",
            requests=[3],
            reason="Se vio después.",
            by=who.evaluator,
            at=clock.now(),
        )


def published(run, test, who):
    run = reviewed(run, who)
    running.end_series(test, at=clock.now())
    return run_grading.publish(run, at=run.review_until + timedelta(seconds=1))


def test_a_leak_ends_the_series_too(run, test, who):
    run = reviewed(run, who)
    SeriesEvent.objects.create(
        series=test.series,
        step="leak",
        at=clock.now(),
        occurred_on=clock.now().date(),
        statement_es="Se filtró.",
        statement_en="It leaked.",
    )
    assert run_grading.publish(run, at=run.review_until + timedelta(seconds=1)).state == RunState.PUBLISHED


# ── outcomes ─────────────────────────────────────────────────────────────────


def test_an_invalidated_run_is_not_published_and_stays_listed(run, test, who):
    run = reviewed(run, who)
    run = run_grading.invalidate(run, by=who.evaluator, at=clock.now(), **REASONS)
    assert (run.state, run.outcome, run.deadline_at) == (RunState.CLOSED, RunOutcome.INVALIDATED, None)
    event = run.events.get(step="invalidate")
    assert (event.reason_es, event.reason_en) == tuple(REASONS.values())
    running.end_series(test, at=clock.now())
    with pytest.raises(run_rules.RunRefused):
        run_grading.publish(run, at=clock.now() + timedelta(days=30))


def test_a_published_run_that_was_none_stays_public_and_says_so(run, test, who):
    run = run_grading.invalidate(published(run, test, who), by=who.evaluator, at=clock.now(), **REASONS)
    assert (run.state, run.outcome) == (RunState.PUBLISHED, RunOutcome.INVALIDATED)


def test_a_helped_run_is_marked_and_published(run, test, who):
    run = reviewed(run, who)
    run_grading.declare_assisted(run, by=who.evaluator, at=clock.now(), **REASONS)
    running.end_series(test, at=clock.now())
    run = run_grading.publish(run, at=run.review_until + timedelta(seconds=1))
    assert (run.state, run.outcome) == (RunState.PUBLISHED, RunOutcome.ASSISTED)


def test_an_outcome_gives_its_reason_in_both_languages(run, who):
    with pytest.raises(run_grading.IncompleteGrading) as refused:
        run_grading.invalidate(run, reason_es="Rutas.", reason_en=" ", by=who.evaluator, at=clock.now())
    assert refused.value.extra["field"] == "reason_en"


def test_a_result_is_withheld_by_a_certifier_who_did_not_mark_it(run, who):
    run = reviewed(run, who)
    with pytest.raises(NotAllowed):
        run_grading.withhold(run, by=who.evaluator, at=clock.now(), **REASONS)
    run = run_grading.withhold(run, by=who.certifier, at=clock.now(), **REASONS)
    assert (run.state, run.deadline_at) == (RunState.WITHHELD, None)
    with pytest.raises(run_rules.RunRefused):
        run_grading.withhold(run, by=who.certifier, at=clock.now(), **REASONS)


def test_whoever_marked_does_not_withhold(run, who):
    both = registry.person("Berta Ambas", registry.Role.EVALUATOR, registry.Role.CERTIFIER)
    mark(run, who, by=both)
    with pytest.raises(NotAllowed) as refused:
        run_grading.withhold(run, by=both, at=clock.now(), **REASONS)
    assert refused.value.code == "marked_the_run"


# ── the package with the marks ───────────────────────────────────────────────


def test_a_published_run_has_a_package_with_its_marks_its_rubric_and_the_salt(run, test, who, monkeypatch):
    woken = []
    monkeypatch.setattr("certificates.pipeline.wake", lambda package: woken.append(package.pk))
    run = published(run, test, who)
    assert run_publication.sweep()["packages"] == 1
    assert run_publication.sweep()["packages"] == 0
    run.refresh_from_db()
    package = run.graded_package
    assert woken == [package.pk]
    assert package.submitter == run.operator
    with storage.current().open(package.sha256) as file, zipfile.ZipFile(file) as archive:
        held = {name: archive.read(name) for name in archive.namelist()}
    assert held["data/rubric.json"] == bytes(test.rubric.document)
    committed = hashlib.sha256(held["data/rubric.salt"] + held["data/rubric.json"]).hexdigest()
    assert committed == test.series.commitment
    marks = [json.loads(line) for line in held["data/marks.jsonl"].splitlines()]
    assert [(one["point"], one["mark"], one["by"]) for one in marks] == [
        ("terms", "met", "code"),
        ("excluded", "met", "code"),
        ("representation", "met", "code"),
        ("address", "met", "code"),
        ("nothing_invented", "met", "evaluator"),
    ]
    assert who.evaluator.person.name.encode() not in b"".join(held.values())
    assert run.contact_email.encode() not in b"".join(held.values())


def test_who_marked_decides_on_no_certificate_that_rests_on_it(run, test, who):
    run = published(run, test, who)
    package = run_grading.write_graded(run, at=clock.now())
    assert package.participations.filter(person=who.evaluator.person, kind="graded").exists()


def test_the_package_with_the_marks_is_verified_and_recomputed(run, test, who):
    """What code marked is marked again from the trace, and agrees; a changed mark carries its reason."""
    run_grading.decide_by_code(run, at=clock.now())
    run_grading.change_mark(
        run,
        point="representation",
        mark="not_met",
        requests=[3],
        reason="El Markdown era de otra página.",
        by=who.evaluator,
        at=clock.now(),
    )
    mark(run, who)
    run = running.handed_over(run, by=who.evaluator, at=clock.now())
    running.end_series(test, at=clock.now())
    run = run_grading.publish(run, at=run.review_until + timedelta(seconds=1))
    package = run_grading.write_graded(run, at=clock.now())
    with storage.current().open(package.sha256) as file:
        report, result, _descriptor = computing.compute(file)
    assert report.findings == ()
    told = {point["code"]: (point["mark"], point["by"], point["changed"]) for point in result.run["points"]}
    assert told["representation"] == ("not_met", "evaluator", True)
    assert told["terms"] == ("met", "code", False)
    assert result.run["rubric"]["commitment"] == test.series.commitment
