"""What was published stays as it was: for the application, for the tables' owner, and under concurrency."""

import json
import threading

import psycopg
import pytest
from django.core.management import call_command
from django.db import IntegrityError, connection, transaction
from psycopg import sql

from certificates import history, lifecycle, replay
from certificates.models import CertificateState, EventDocument, Notice, StatusEvent
from certificates.refusals import LostRace
from certificates.states import Status, Step
from certificates.tests import registry
from certificates.tests.registry import STATEMENT
from registry_site import append_only, clock
from registry_site.models import Outbox, PublishedDocument
from registry_site.problems import Busy, Refusal

WRITTEN_ONCE = [
    "certificates_certificate",
    "certificates_statusevent",
    "certificates_eventdocument",
    "certificates_notice",
    "grading_measurement",
    "grading_figure",
]


@pytest.fixture
def told(transactional_db):
    """A registry with a revoked certificate, committed."""
    who = registry.people()
    return registry.certificate_at(Status.REVOKED, who)


# ── the SQL console ──────────────────────────────────────────────────────────


def on(table: str, statement: str) -> sql.Composed:
    key = "digest" if table == "certificates_eventdocument" else "id"
    return sql.SQL(statement).format(table=sql.Identifier(table), key=sql.Identifier(key))


CHANGE, DELETE, TRUNCATE = (
    "UPDATE {table} SET {key} = {key}",
    "DELETE FROM {table}",
    "TRUNCATE {table} CASCADE",
)


@pytest.mark.django_db(transaction=True)
def test_the_application_role_can_neither_change_nor_delete_nor_truncate(told, application):
    for table in WRITTEN_ONCE:
        for statement in (CHANGE, DELETE, TRUNCATE):
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                application.execute(on(table, statement))


@pytest.mark.django_db(transaction=True)
def test_not_even_the_owner_changes_or_deletes(told, owner):
    for table in WRITTEN_ONCE:
        for statement in (CHANGE, DELETE):
            with pytest.raises(psycopg.errors.RestrictViolation, match="written once"):
                owner.execute(on(table, statement))


@pytest.mark.django_db(transaction=True)
def test_no_figure_is_slipped_under_a_frozen_measurement(told, owner):
    with pytest.raises(psycopg.errors.RestrictViolation, match="frozen parent"):
        owner.execute(
            "INSERT INTO grading_figure "
            "(measurement_id, position, metric, denominator, k, n, interval, band) "
            "VALUES (%s, 99, 'accuracy', 'judged', 148, 148, 'wilson', 'full')",
            [told.measurement_id],
        )


@pytest.mark.django_db
def test_rows_are_written_once_in_python_too(who):
    certificate = registry.issued(who)
    event = certificate.events.get()
    for row in (certificate, event, event.notice, event.document):
        with pytest.raises(append_only.WrittenOnceError):
            row.save()
        with pytest.raises(append_only.WrittenOnceError):
            row.delete()


# ── one event follows the other ──────────────────────────────────────────────


def a_row(certificate, **changes) -> StatusEvent:
    """The next event of a certificate, correct unless changed, not yet stored."""
    last = certificate.events.order_by("sequence").last()
    salt, content = bytes(32), history.canonical({"v": 1, "n": changes.get("sequence", 0)})
    document = EventDocument(digest=history.document_digest(salt, content), salt=salt, content=content)
    document.save()
    facts = {
        "sequence": last.sequence + 1,
        "at": clock.now(),
        "previous": last.hash,
        "reason": None,
    } | changes
    said = history.event_bytes(
        step=Step.EXPIRE,
        certificate=certificate.number,
        role=None,
        document=document.digest,
        **facts,
    )
    return StatusEvent(
        certificate=certificate,
        step="expire",
        document=document,
        bytes=said,
        hash=history.event_hash(said),
        **facts,
    )


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("changes", "promise"),
    [
        ({"sequence": 5}, "events follow without a gap"),
        ({"previous": "0" * 64}, "names the hash of the one before"),
    ],
)
def test_the_database_refuses_what_breaks_the_chain(who, changes, promise):
    certificate = registry.issued(who)
    row = a_row(certificate, **changes)
    with pytest.raises(IntegrityError, match=promise), transaction.atomic():
        row.save()


@pytest.mark.django_db
def test_the_database_refuses_an_event_dated_back_or_ahead(who):
    certificate = registry.issued(who)
    with pytest.raises(IntegrityError, match="not earlier"), transaction.atomic():
        a_row(certificate, at=registry.later(clock.now(), seconds=-4)).save()
    for seconds in (-30, 30):
        promise = r"nothing is dated back or ahead|not earlier"
        with pytest.raises(IntegrityError, match=promise), transaction.atomic():
            a_row(certificate, at=registry.later(clock.now(), seconds=seconds)).save()


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("field", "value", "promise"),
    [
        ("hash", "0" * 64, "an_event_hash_is_of_its_bytes"),
        ("reason", "other", "say what its columns say"),
        ("step", "suspend", "violates check constraint"),
        ("other", "itself", "a_supersession_names_the_other_certificate"),
        ("target", "first", "an_outcome_names_the_event_it_is_about"),
    ],
)
def test_the_database_refuses_columns_that_contradict_the_bytes_or_each_other(who, field, value, promise):
    certificate = registry.issued(who)
    row = a_row(certificate)
    setattr(row, field, {"itself": certificate, "first": certificate.events.first()}.get(value, value))
    with pytest.raises(IntegrityError, match=promise), transaction.atomic():
        row.save()


@pytest.mark.django_db
def test_the_row_of_lists_cannot_leave_its_history(who):
    certificate = registry.issued(who)
    with pytest.raises(IntegrityError, match="follows its last event"), transaction.atomic():
        CertificateState.objects.filter(pk=certificate.pk).update(sequence=9)


@pytest.mark.django_db
def test_a_notice_speaks_both_languages_and_a_suspension_has_its_terms(who):
    certificate = registry.issued(who)
    facts = {
        "at": clock.now(),
        "role": "certifier",
        "decided_by": who.certifier.person,
        "certificate": certificate,
        "statement_es": "Sí.",
        "statement_en": "Yes.",
    }
    for broken, promise in (
        ({"statement_en": ""}, "a_notice_speaks_both_languages"),
        ({"decision": "suspend", "conditions": []}, "a_suspension_has_conditions_and_a_review_date"),
        ({"number": "AV-26-1"}, "a_notice_number_has_its_form"),
        ({"certificate": None}, "a_refusal_is_about_a_measurement"),
        ({"decision": "terminate"}, "rests_on_a_request"),
    ):
        with pytest.raises(IntegrityError, match=promise), transaction.atomic():
            Notice.objects.create(**({"number": "AV-2026-000099", "decision": "erratum"} | facts | broken))


@pytest.mark.django_db
def test_one_live_certificate_per_measurement_is_held_by_the_database(who):
    first = registry.issued(who)
    second = registry.issued(who)
    with pytest.raises(IntegrityError, match="one_live_certificate_per_measurement"), transaction.atomic():
        CertificateState.objects.filter(pk=second.pk).update(measurement=first.measurement)


# ── two at once ──────────────────────────────────────────────────────────────


@pytest.mark.django_db(transaction=True)
def test_eight_certifiers_press_suspend_at_once_and_one_is_recorded():
    who = registry.people()
    certificate = registry.issued(who)
    outcomes: list[object] = []
    start = threading.Barrier(8)

    def press():
        try:
            start.wait()
            outcomes.append(registry.suspend(certificate, by=who.second_certifier))
        except Refusal as refusal:
            outcomes.append(refusal)
        finally:
            connection.close()

    threads = [threading.Thread(target=press) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    recorded = [one for one in outcomes if isinstance(one, StatusEvent)]
    told = [one for one in outcomes if isinstance(one, LostRace)]
    assert (len(recorded), len(told)) == (1, 7), outcomes
    assert certificate.events.count() == Notice.objects.count() == 2
    for refusal in told:
        assert refusal.status == 409
        assert refusal.extra["present"]["last"]["notice"] == recorded[0].notice.number
    assert Outbox.objects.filter(concerns=recorded[0].notice.number).count() == 3
    assert {row.sequence for row in PublishedDocument.objects.filter(certificate=certificate.number)} == {2}


@pytest.mark.django_db(transaction=True)
def test_two_certifiers_issue_on_one_measurement_and_one_certificate_is_made():
    who = registry.people()
    measured = registry.measurement(by=who.evaluator)
    outcomes: list[object] = []
    start = threading.Barrier(4)

    def press(user):
        try:
            start.wait()
            outcomes.append(lifecycle.issue(measured, by=user, at=clock.now(), statement=STATEMENT).number)
        except Refusal as refusal:
            outcomes.append(refusal.code)
        finally:
            connection.close()

    threads = [
        threading.Thread(target=press, args=[user]) for user in [who.certifier, who.second_certifier] * 2
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(outcomes)[1:] == ["already_certified"] * 3
    assert Busy.code not in outcomes


# ── replay ───────────────────────────────────────────────────────────────────


@pytest.mark.django_db
def test_every_history_replays_without_a_fault(who, capsys):
    for status in Status:
        if status is not Status.EXPIRED:
            registry.certificate_at(status, who)
    call_command("check_history", "--json")
    found = json.loads(capsys.readouterr().out)
    assert found == {"certificates": 6, "events": 10, "reports": 0, "faults": []}


TAMPERED = {
    "certificates_notice": "UPDATE certificates_notice SET statement_es = 'Bien.' WHERE decision = 'revoke'",
    "certificates_statusevent": "UPDATE certificates_statusevent SET reason = 'other' WHERE step = 'revoke'",
    "certificates_certificatestate": "UPDATE certificates_certificatestate SET word = 'active'",
}


@pytest.mark.django_db(transaction=True)
def test_a_history_that_was_tampered_with_is_found(told, owner):
    """The owner of the tables can switch triggers off; the replay says what was touched since."""
    for table, change in TAMPERED.items():
        owner.execute(f"ALTER TABLE {table} DISABLE TRIGGER USER")
        try:
            owner.execute(change)
        finally:
            owner.execute(f"ALTER TABLE {table} ENABLE TRIGGER USER")
    codes = {fault.code for fault in replay.replay().faults}
    assert codes == {"statement_differs", "bytes_differ_from_reason", "state_word_differs"}
    with pytest.raises(SystemExit):
        call_command("check_history")


@pytest.mark.django_db
def test_a_registry_without_certificates_has_no_fault():
    assert replay.replay().as_json() == {"certificates": 0, "events": 0, "reports": 0, "faults": []}
