"""A pair is asked for once, compared once from both packages, and frozen; whatever goes wrong is our own fault."""

import hashlib
import threading
from datetime import timedelta

import psycopg
import pytest
import rfc8785
from django.db import DatabaseError, connection, transaction

from certificates.tests import packages, pairs, registry
from evidence import isolation, leases, storage
from grading import comparing, publication
from grading.models import Comparison, ComparisonRequest, Measurement, RequestOrigin, RequestState
from registry_site import append_only, clock
from registry_site.models import AuditEntry
from registry_site.problems import NotAllowed

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("evidence_folder")]


@pytest.fixture
def scheme(db):
    return registry.scheme()


@pytest.fixture
def versions(who, scheme):
    return pairs.versions(who)


def patience_is_over():
    ComparisonRequest.objects.update(lease_until=clock.now() - timedelta(seconds=1))


# ── what a change did ────────────────────────────────────────────────────────
def test_a_new_version_is_compared_with_the_one_before_by_the_registry_itself(versions):
    request = ComparisonRequest.objects.get()
    assert (request.first, request.second, request.origin, request.state) == (
        *versions,
        "pipeline",
        "requested",
    )
    comparing.compute(request.pk)
    request.refresh_from_db()
    assert (request.state, request.failure, request.attempts) == ("done", "", 1)
    assert request.progress_bytes == request.progress_total > 0
    comparison = Comparison.objects.get()
    assert comparison == comparing.found(*versions) == comparing.found(*reversed(versions))
    accuracy = comparison.result["outcomes"][0]
    row = accuracy["overall"]
    assert [row[key] for key in ("both", "only_first", "only_second", "neither")] == [24, 0, 12, 4]
    assert (row["significant"], row["better"]) == (True, "second")
    assert [group["group"] for group in accuracy["groups"]] == ["en", "es"]
    assert comparison.sha256 == hashlib.sha256(rfc8785.dumps(comparison.result)).hexdigest()
    assert packages.CANARY not in str(comparison.result)


def test_the_first_measurement_of_a_system_is_compared_with_nothing(who, scheme):
    pairs.measure(who, pairs.payload(pairs.BEFORE))
    assert not ComparisonRequest.objects.exists()


def test_another_set_of_questions_is_not_compared_by_the_registry_itself(who, scheme):
    pairs.measure(who, pairs.payload(pairs.BEFORE, of=pairs.version("1.0.0")))
    pairs.measure(who, pairs.payload(pairs.AFTER, of=pairs.version("2.0.0"), ask="other"))
    assert not ComparisonRequest.objects.exists()


def test_computing_twice_leaves_one_comparison(versions):
    request = ComparisonRequest.objects.get()
    for _ in range(2):
        comparing.compute(request.pk)
    assert Comparison.objects.count() == 1
    assert comparing.request(*versions, origin=RequestOrigin.ANYBODY, at=clock.now()) == request


def test_a_comparison_never_changes(versions):
    comparing.compute(ComparisonRequest.objects.get().pk)
    comparison = Comparison.objects.get()
    with pytest.raises(append_only.WrittenOnceError):
        comparison.save()
    for statement in ("UPDATE grading_comparison SET sha256 = ''", "DELETE FROM grading_comparison"):
        with pytest.raises(DatabaseError) as refused, transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(statement)
        assert isinstance(refused.value.__cause__, psycopg.errors.RestrictViolation)


# ── what is not compared ─────────────────────────────────────────────────────
def refused(first, second):
    with pytest.raises(comparing.NotComparable) as refusal:
        comparing.request(first, second, origin=RequestOrigin.ANYBODY, at=clock.now())
    assert not ComparisonRequest.objects.exists()
    return {of["field"]: of for of in refusal.value.extra["differences"]}


def test_another_version_of_the_judge_is_told_without_reading_a_package(who, scheme, monkeypatch):
    monkeypatch.setattr(isolation, "run", None)
    first, second = (
        registry.measurement(
            by=who.evaluator,
            evidence=registry.Evidence(
                descriptor={"judges": [{"id": "j1", "family": "Quillay", "version": version}]}
            ),
        )
        for version in ("quillay-2.0", "quillay-2.1")
    )
    told = refused(second, first)
    assert list(told) == ["judges"]
    assert (told["judges"]["first"], told["judges"]["second"]) == (
        ["quillay · quillay-2.0 · model"],
        ["quillay · quillay-2.1 · model"],
    )
    assert told["judges"]["mend"]["es"].startswith("Haga juzgar las respuestas")


def test_what_a_package_calls_its_judge_does_not_matter(who, scheme):
    first, second = (
        registry.measurement(
            by=who.evaluator,
            evidence=registry.Evidence(
                descriptor={"judges": [{"id": name, "family": family, "version": "1"}]}
            ),
        )
        for name, family in (("j1", "Quillay"), ("judge", "quillay"))
    )
    assert comparing.differences(first, second) == []


def test_another_scheme_is_told_with_its_hash(who, scheme):
    other = publication.publish(
        bytes(scheme.file).replace(b'"version": "1"', b'"version": "2"', 1), at=clock.now()
    )
    assert other.version == "2"
    first = pairs.measure(who, pairs.payload(pairs.BEFORE))
    second = pairs.measure(
        who, pairs.payload(pairs.AFTER, of=pairs.version("2.0.0", scheme={"code": "HALU", "version": "2"}))
    )
    told = refused(first, second)
    assert list(told) == ["scheme", "scheme_sha256"]
    assert (told["scheme"]["first"], told["scheme"]["second"]) == ("HALU 1", "HALU 2")
    assert told["scheme_sha256"]["second"] == other.sha256


def test_another_versioned_file_is_told_by_its_name(who, scheme):
    first, second = (registry.measurement(by=who.evaluator) for _ in range(2))
    first.result["files"] = {"scheme": "aa", "premise_phrases": "11" * 32, "label_table": "22" * 32}
    second.result["files"] = {"scheme": "aa", "premise_phrases": "33" * 32, "label_table": "44" * 32}
    told = refused(first, second)
    assert list(told) == ["files.label_table", "files.premise_phrases"]
    assert told["files.label_table"]["name"] == {
        "es": "tabla de etiquetas (SHA-256)",
        "en": "label table (SHA-256)",
    }


def test_a_measurement_is_not_compared_with_itself(who, scheme):
    one = registry.measurement(by=who.evaluator)
    with pytest.raises(comparing.SameMeasurement):
        comparing.request(one, one, origin=RequestOrigin.ANYBODY, at=clock.now())


def test_sets_without_a_common_question_are_known_when_they_were_read(who, scheme):
    first = pairs.measure(who, pairs.payload(pairs.BEFORE, of=pairs.version("1.0.0")))
    second = pairs.measure(who, pairs.payload(pairs.AFTER, of=pairs.version("2.0.0"), ask="other"))
    request = comparing.request(first, second, origin=RequestOrigin.ANYBODY, at=clock.now())
    comparing.compute(request.pk)
    request.refresh_from_db()
    assert request.state == RequestState.DONE
    (differs,) = comparing.found(first, second).result["not_comparable"]
    assert (differs["field"], differs["first"]) == ("set_sha256", first.set_sha256)


def test_a_part_of_the_set_is_compared_as_an_intersection(who, scheme):
    first = pairs.measure(who, pairs.payload(pairs.BEFORE, of=pairs.version("1.0.0")))
    second = pairs.measure(who, pairs.payload(pairs.AFTER[:30], of=pairs.version("2.0.0")))
    request = comparing.request(second, first, origin=RequestOrigin.STAFF, at=clock.now())
    comparing.compute(request.pk)
    result = comparing.found(first, second).result
    assert (result["same_set"], result["items"]) == (False, {"first": 40, "second": 30, "compared": 30})


def test_sealed_evidence_is_compared_and_its_small_groups_are_not_told(who, scheme):
    languages = ["es"] * 18 + ["en"] * 18 + ["eu"] * 4
    first, second = (
        pairs.measure(
            who,
            pairs.payload(
                rights, languages=languages, of=pairs.version(version, sealed=["data/items.jsonl"])
            ),
        )
        for version, rights in (("1.0.0", pairs.BEFORE), ("2.0.0", pairs.AFTER))
    )
    comparing.compute(comparing.asked(first, second).pk)
    accuracy = comparing.found(first, second).result["outcomes"][0]
    assert accuracy["overall"]["n"] == 40
    # The Basque four, and one more group: otherwise the total less the others would tell them.
    assert len(accuracy["groups"]) == 1
    assert {left["group"] for left in accuracy["groups_left_out"]} >= {"eu"}


# ── asking ───────────────────────────────────────────────────────────────────
def test_what_anybody_asks_for_has_a_cap_and_the_registry_itself_has_none(who, scheme, monkeypatch):
    monkeypatch.setattr(comparing, "MOST_WAITING", 2)
    first, *others = [registry.measurement(by=who.evaluator) for _ in range(5)]
    for other in others[:2]:
        comparing.request(first, other, origin=RequestOrigin.ANYBODY, at=clock.now())
    with pytest.raises(comparing.TooManyWaiting):
        comparing.request(first, others[2], origin=RequestOrigin.ANYBODY, at=clock.now())
    assert comparing.request(first, others[0], origin=RequestOrigin.ANYBODY, at=clock.now())
    comparing.request(first, others[2], origin=RequestOrigin.PIPELINE, at=clock.now())
    ComparisonRequest.objects.update(state=RequestState.DONE)
    comparing.request(first, others[3], origin=RequestOrigin.ANYBODY, at=clock.now())


@pytest.mark.django_db(transaction=True)
def test_two_who_ask_at_once_are_answered_with_one_request(who, monkeypatch):
    registry.scheme()
    sent = []
    monkeypatch.setattr(comparing, "_send", sent.append)
    first, second = (registry.measurement(by=who.evaluator) for _ in range(2))
    ready, answers = threading.Barrier(4), []

    def ask(one, other):
        ready.wait()
        try:
            answers.append(comparing.request(one, other, origin=RequestOrigin.ANYBODY, at=clock.now()).pk)
        finally:
            connection.close()

    threads = [
        threading.Thread(target=ask, args=(first, second) if number % 2 else (second, first))
        for number in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    request = ComparisonRequest.objects.get()
    assert answers == [request.pk] * 4
    assert sent == [request.pk]


# ── our own fault ────────────────────────────────────────────────────────────
def failing_reader(monkeypatch, times):
    real, left = isolation.run, [times]

    def run(*args, **kwargs):
        if left[0]:
            left[0] -= 1
            raise isolation.ReadingFailed("MemoryError at records.py:1")
        return real(*args, **kwargs)

    monkeypatch.setattr(isolation, "run", run)


def test_an_attempt_that_fails_is_followed_by_another(versions, monkeypatch):
    failing_reader(monkeypatch, 2)
    request = ComparisonRequest.objects.get()
    for _ in range(3):
        comparing.compute(request.pk)
        comparing.compute(request.pk)  # not before its pause is over
        patience_is_over()
    request.refresh_from_db()
    assert (request.state, request.attempts, Comparison.objects.count()) == ("done", 3, 1)


def test_three_failed_attempts_are_told_and_the_staff_may_start_anew(who, versions, monkeypatch):
    failing_reader(monkeypatch, 3)
    request = ComparisonRequest.objects.get()
    for _ in range(4):
        comparing.compute(request.pk)
        patience_is_over()
    request.refresh_from_db()
    assert (request.state, request.failure, request.attempts) == ("failed", "MemoryError at records.py:1", 3)
    assert not Comparison.objects.exists()
    with pytest.raises(NotAllowed):
        comparing.restart(request, by=who.certifier, at=clock.now())
    comparing.restart(request, by=who.registrar, at=clock.now())
    assert AuditEntry.objects.filter(action="comparison.restarted").exists()
    comparing.compute(request.pk)
    request.refresh_from_db()
    assert (request.state, request.failure) == ("done", "")
    with pytest.raises(comparing.NotRestartable):
        comparing.restart(request, by=who.registrar, at=clock.now())


def test_bytes_that_our_disk_changed_are_not_compared(versions):
    package = versions[1].package
    storage.current()._place(package.sha256).write_bytes(pairs.payload(pairs.BEFORE, of=pairs.version("9")))
    request = ComparisonRequest.objects.get()
    for _ in range(3):
        comparing.compute(request.pk)
        patience_is_over()
    request.refresh_from_db()
    assert (request.state, request.failure) == ("failed", "stored bytes changed")


def test_answers_that_would_be_read_with_other_files_than_were_frozen_are_not_compared(versions, monkeypatch):
    real = comparing.terms

    def older(of):
        known = real(of)
        return type(known)(
            **{name: getattr(known, name) for name in ("method", "scheme", "scheme_sha256", "judges")},
            files={**known.files, "premise_phrases": "00" * 32},
        )

    monkeypatch.setattr(comparing, "terms", older)
    request = ComparisonRequest.objects.get()
    comparing.compute(request.pk)
    request.refresh_from_db()
    assert (request.state, request.failure) == ("computing", "not what was frozen")


def test_an_attempt_that_was_overtaken_writes_nothing(versions, monkeypatch):
    request = ComparisonRequest.objects.get()
    real = comparing._read

    def slow(*args):
        outcome = real(*args)
        patience_is_over()
        assert comparing._take(request.pk) is not None
        return outcome

    monkeypatch.setattr(comparing, "_read", slow)
    comparing.compute(request.pk)
    request.refresh_from_db()
    assert (request.state, request.attempts) == ("computing", 2)
    assert not Comparison.objects.exists()


# ── lost messages, lost workers, deadlines ───────────────────────────────────
@pytest.fixture
def post(monkeypatch):
    """What was sent for, instead of a broker."""
    sent = []
    monkeypatch.setattr(comparing.current_app, "send_task", lambda name, args: sent.append((name, *args)))
    return sent


@pytest.fixture
def request_(who, scheme):
    first, second = (registry.measurement(by=who.evaluator) for _ in range(2))
    return comparing.request(first, second, origin=RequestOrigin.STAFF, at=clock.now())


def test_the_sweep_sends_what_lost_its_message_once(request_, post):
    assert comparing.sweep() == {"overdue": 0, "woken": 1}
    assert post == [("grading.tasks.compare_measurements", request_.pk)]
    assert comparing.sweep() == {"overdue": 0, "woken": 0}


def test_the_sweep_sends_again_for_one_whose_worker_died(request_, post):
    comparing._take(request_.pk)
    assert comparing.sweep()["woken"] == 0
    patience_is_over()
    assert comparing.sweep()["woken"] == 1
    assert comparing._take(request_.pk).attempt == 2


def test_a_pair_that_kills_every_worker_fails_after_three(request_, post):
    for _ in range(leases.MOST_ATTEMPTS):
        assert comparing._take(request_.pk) is not None
        patience_is_over()
    assert comparing.sweep() == {"overdue": 1, "woken": 0}
    request_.refresh_from_db()
    assert (request_.state, request_.failure) == ("failed", "worker_lost")


def test_what_is_past_its_deadline_has_failed(request_, post):
    ComparisonRequest.objects.update(deadline_at=clock.now())
    assert comparing.sweep() == {"overdue": 1, "woken": 0}
    request_.refresh_from_db()
    assert (request_.state, request_.failure) == ("failed", "overdue")
    comparing.compute(request_.pk)
    assert ComparisonRequest.objects.get().state == "failed"


def test_every_state_ends_or_is_swept():
    assert {*comparing.UNFINISHED, RequestState.DONE, RequestState.FAILED} == set(RequestState)


def test_asking_with_the_broker_down_succeeds(who, scheme, monkeypatch, django_capture_on_commit_callbacks):
    def down(name, args):
        raise ConnectionRefusedError

    monkeypatch.setattr(comparing.current_app, "send_task", down)
    first, second = (registry.measurement(by=who.evaluator) for _ in range(2))
    with django_capture_on_commit_callbacks(execute=True) as sent:
        comparing.request(first, second, origin=RequestOrigin.ANYBODY, at=clock.now())
    assert len(sent) == 1
    assert comparing.sweep() == {"overdue": 0, "woken": 0}


# ── which ones may be compared ───────────────────────────────────────────────
def test_what_may_be_compared_is_offered_newest_first(who, scheme):
    first, second, third = (registry.measurement(by=who.evaluator) for _ in range(3))
    registry.measurement(by=who.evaluator, evidence=registry.Evidence(set_sha256="77" * 32))
    other_judge = {"judges": [{"id": "j1", "family": "maqui", "version": "1"}]}
    registry.measurement(by=who.evaluator, evidence=registry.Evidence(descriptor=other_judge))
    offered = comparing.comparable_with(second, Measurement.objects.all(), limit=10)
    assert offered == [third, first]
