"""The journey of a package: to a measurement, to findings that tell how to mend it, or to our own fault."""

import hashlib
import json
from datetime import timedelta
from pathlib import Path

import pytest
from django.core import mail
from django.db import connection
from psycopg import sql

from certificates import letters, pipeline, policies
from certificates.tests import packages, registry
from evidence import intake, isolation, leases, storage, verification
from evidence.models import EvidencePackage, Holder, Member, PackageState, Participation, Verification
from grading import publication, recomputation
from grading.models import Figure, Measurement
from grading.tests import packages as records
from registry_site import clock, outbox
from registry_site.models import AuditEntry, Outbox, PublicEvent
from registry_site.problems import NotAllowed

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("evidence_folder")]


@pytest.fixture
def scheme(db):
    return registry.scheme()


def hand_in(who, data, **said):
    return intake.receive([data], by=who.evaluator, at=clock.now(), **said)


def travel(who, data, **said):
    """Hand a package in and let a worker have it; as it is afterwards."""
    package = hand_in(who, data, **said)
    pipeline.advance(package.pk)
    package.refresh_from_db()
    return package


def codes(package):
    return [finding["code"] for finding in verification.latest(package).findings]


# ── to a measurement ─────────────────────────────────────────────────────────
def test_a_sound_package_becomes_a_measurement(who, scheme):
    package = travel(who, packages.sound())

    assert (package.state, package.attempts, package.fault, package.failure) == (
        PackageState.READY,
        1,
        "",
        "",
    )
    assert package.finished_at is not None
    assert package.lease is None
    row = verification.latest(package)
    assert (row.integrity, row.complete, row.findings) == ("verified", True, [])
    assert row.sha256 == package.sha256
    assert row.members.filter(path="data/items.jsonl", sealed=False).exists()
    assert row.members.count() == row.member_count == package.progress_members
    assert package.progress_bytes == package.progress_total == sum(row.members.values_list("size", flat=True))

    measured = Measurement.objects.get(package=package)
    assert measured.scheme == scheme
    assert measured.verification == row
    assert measured.measured_at.isoformat() == "2026-07-10T15:00:00+00:00"
    overall = measured.figures.get(metric="hallucination", denominator="judged", group=None, category=None)
    assert (overall.k, overall.n) == (5, 40)
    assert {"es", "en"} <= set(measured.figures.values_list("group", flat=True))
    assert measured.declared_coincide
    assert "figures" not in measured.result


def test_thousands_of_members_are_written_down_one_by_one(who, scheme):
    package = travel(who, packages.sound(attachments=4000))
    assert package.state == PackageState.READY
    member = Member.objects.get(path="data/attachments/raw-03999.txt")
    assert (member.size, member.sha256) == (4, hashlib.sha256(b"3999").hexdigest())
    assert Member.objects.count() == package.progress_members == 4008


def test_the_digest_of_the_figures_can_be_computed_from_their_rows(who, scheme):
    measured = Measurement.objects.get(package=travel(who, packages.sound()))
    names = [name.name for name in Figure._meta.fields if name.name not in {"id", "measurement", "position"}]
    rows = [{name: getattr(figure, name) for name in names} for figure in measured.figures.all()]
    assert recomputation.digest_of(rows) == measured.figures_sha256


def test_what_it_names_is_proposed_once_and_found_again(who, scheme):
    first = travel(who, packages.sound())
    other = records.descriptor()["system"] | {"holder": "INNOVA  spa", "version": "2026.08.0"}
    second = travel(who, packages.sound(of={"system": other}))
    holder = Holder.objects.get()
    assert (holder.name, holder.confirmation) == ("Innova SpA", "proposed")
    assert first.system_version.system == second.system_version.system
    assert first.system_version != second.system_version


def test_verification_and_measurement_are_public_events_without_names(who, scheme):
    PublicEvent.objects.filter(type="scheme.published")
    package = travel(who, packages.sound())
    events = {event.type: event for event in PublicEvent.objects.exclude(type="scheme.published")}
    assert set(events) == {"evidence.verified", "measurement.frozen"}
    for event in events.values():
        text = bytes(event.bytes).decode()
        assert "Innova" not in text
        assert package.sha256 not in text


def test_a_declared_figure_that_differs_is_kept_and_shown_as_such(who, scheme):
    declared = {
        "metric": "hallucination",
        "denominator": "judged",
        "group": None,
        "category": None,
        "value": "0.0500",
    }
    package = travel(who, packages.sound(of={"declared_figures": [declared]}))
    assert package.state == PackageState.READY
    measured = package.measurements.get()
    assert not measured.declared_coincide
    (compared,) = measured.result["declared"]
    assert (compared["declared"], compared["computed"], compared["coincides"]) == (
        "0.0500",
        "0.125000",
        False,
    )


def test_a_scheme_with_criteria_decides_and_what_does_not_conform_is_not_certified(who, db):
    clause = Path(__file__).resolve().parents[2] / "grading" / "tests" / "schemes" / "CLAUSE-1.json"
    publication.publish(clause.read_bytes(), at=clock.now())
    under = {"scheme": {"code": "CLAUSE", "version": "1"}}
    outcomes = []
    for size in (120, 1200):
        measured = travel(who, packages.sound(size, of=under)).measurements.get()
        outcomes.append(measured.result["criteria"]["outcome"])
        refusal = policies.measurements.refusal_of_criteria(measured)
        assert (refusal.code, refusal.extra["outcome"]) == ("criteria_not_met", outcomes[-1])
        unmet = {of["code"] for of in measured.result["criteria"]["requirements"] if not of["met"]}
        assert unmet == {"hostile_questions", "set_custody"}
    # One in eight hallucinated: of 1200 that is more than 10 %, of 120 nobody can tell.
    assert outcomes == ["insufficient_evidence", "does_not_conform"]


def test_whoever_handed_it_in_is_told_in_their_language(who, scheme):
    travel(who, packages.sound())
    outbox.send_due(compose=letters.compose)
    (letter,) = mail.outbox
    assert (letter.to, letter.subject) == ([who.evaluator.email], "Paquete de evidencia: íntegro")


def test_a_second_copy_of_the_message_changes_nothing(who, scheme):
    package = travel(who, packages.sound())
    before = EvidencePackage.objects.filter(pk=package.pk).values().get()
    pipeline.advance(package.pk)
    pipeline.advance(package.pk)
    assert EvidencePackage.objects.filter(pk=package.pk).values().get() == before
    assert (Verification.objects.count(), Measurement.objects.count(), Outbox.objects.count()) == (1, 1, 1)


# ── sealed ───────────────────────────────────────────────────────────────────
def test_of_a_sealed_member_there_is_a_commitment_that_can_be_checked(who, scheme):
    data = packages.sound(of={"sealed": ["data/items.jsonl"]})
    package = travel(who, data)
    assert package.state == PackageState.READY
    members = {member.path: member for member in Member.objects.all()}
    sealed = {path for path, member in members.items() if member.sealed}
    assert sealed == {
        "data/items.jsonl",
        "data/responses.jsonl",
        "data/verdicts.jsonl",
        "manifest-sha256.txt",
        "tagmanifest-sha256.txt",
    }
    import io
    import zipfile

    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        for path in sealed:
            member = members[path]
            salted = hashlib.sha256(bytes(member.salt) + archive.read(path)).hexdigest()
            assert salted == member.commitment


def test_sealed_text_is_in_storage_and_nowhere_in_the_database(who, scheme, caplog):
    sealed = {"sealed": ["data/items.jsonl"]}
    travel(who, packages.sound(of=sealed))
    broken = records.lines([records.item("q0", question=f"{packages.CANARY}", hint=packages.CANARY)])
    package = travel(who, packages.sound(of=sealed, items=broken))
    assert package.state == PackageState.REJECTED
    assert "UNKNOWN_KEY" in codes(package)
    assert packages.CANARY not in caplog.text
    with connection.cursor() as cursor:
        cursor.execute("SELECT tablename FROM pg_tables WHERE schemaname = 'public'")
        for (table,) in cursor.fetchall():
            rows = sql.SQL("SELECT count(*) FROM {} AS t WHERE t::text LIKE %s").format(sql.Identifier(table))
            cursor.execute(rows, [f"%{packages.CANARY}%"])
            assert cursor.fetchone() == (0,), table


# ── to findings ──────────────────────────────────────────────────────────────
def a_line_of_50_megabytes():
    return b'{"id": "' + b"x" * 50_000_000 + b'"}\n'


def test_a_wrong_declaration_is_found_before_anything_is_opened(who, scheme):
    data = packages.sound()
    package = travel(who, data, declared_sha256="0" * 64)
    (finding,) = verification.latest(package).findings
    assert package.state == PackageState.REJECTED
    assert (finding["code"], finding["expected"], finding["found"]) == (
        "DIGEST_DECLARED_MISMATCH",
        "0" * 64,
        hashlib.sha256(data).hexdigest(),
    )
    again = travel(who, data, declared_sha256=hashlib.sha256(data).hexdigest())
    assert again == package
    assert again.state == PackageState.READY
    assert Verification.objects.filter(package=package).count() == 2


def test_a_package_that_came_before_its_scheme_is_opened_again_when_handed_in_after_it(who, db):
    data = packages.sound()
    package = travel(who, data)
    assert (package.state, codes(package)) == (PackageState.REJECTED, ["SCHEME_UNKNOWN"])
    assert travel(who, data).state == PackageState.REJECTED
    assert Verification.objects.count() == 1

    registry.scheme()
    again = travel(who, data)
    assert again == package
    assert again.state == PackageState.READY
    assert Verification.objects.count() == 2


@pytest.mark.parametrize(
    ("code", "make"),
    [
        ("NOT_A_ZIP", lambda: b"no ZIP at all"),
        ("NOT_A_ZIP", lambda: b""),
        ("TRUNCATED", lambda: packages.sound()[:-200]),
        ("SCHEME_UNKNOWN", lambda: packages.sound(of={"scheme": {"code": "NADA", "version": "9"}})),
        (
            "VERSION_FLOATING",
            lambda: packages.sound(of={"system": records.descriptor()["system"] | {"version": "latest"}}),
        ),
        ("UNKNOWN_KEY", lambda: packages.sound(of={"metodo": "hallucination"})),
        ("INVALID_UTF8", lambda: packages.sound(items=b'{"id": "\xff"}\n')),
        ("INVALID_JSON", lambda: packages.sound(items=b"{\n")),
        ("LINE_TOO_LONG", lambda: packages.sound(items=a_line_of_50_megabytes())),
        (
            "RECORDS_MISSING",
            lambda: packages.zipped({"evaluation.json": json.dumps(records.descriptor()).encode()}),
        ),
        ("DESCRIPTOR_MISSING", lambda: packages.zipped({"items.jsonl": b"{}\n"})),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_faulty_package_is_kept_as_rejected_with_its_finding(who, scheme, code, make):
    package = travel(who, make())
    assert package.state == PackageState.REJECTED
    assert code in codes(package)
    assert package.fault == ""
    assert not Measurement.objects.exists()
    letter = Outbox.objects.get()
    assert letter.data["problems"] >= 1
    assert storage.current().exists(package.sha256)


def test_a_hundred_thousand_findings_are_capped_and_counted(who, scheme):
    """`script/rehearse big-files` has the million."""
    package = travel(who, packages.sound(items=packages.faulty_lines(100_000)))
    assert package.state == PackageState.REJECTED
    row = verification.latest(package)
    assert len(row.findings) <= 2000
    assert row.findings_total >= 100_000
    assert Outbox.objects.get().data["problems"] >= 100_000


# ── our own fault ────────────────────────────────────────────────────────────
def failing_reader(monkeypatch, times):
    """A reader that fails the first `times` times, as one does whose memory runs out."""
    real, left = isolation.run, [times]

    def run(*args, **kwargs):
        if left[0]:
            left[0] -= 1
            raise isolation.ReadingFailed("MemoryError at records.py:1")
        return real(*args, **kwargs)

    monkeypatch.setattr(isolation, "run", run)


def patience_is_over(package):
    EvidencePackage.objects.filter(pk=package.pk).update(lease_until=clock.now() - timedelta(seconds=1))


def test_an_attempt_that_fails_is_followed_by_another(who, scheme, monkeypatch):
    failing_reader(monkeypatch, 2)
    package = travel(who, packages.sound())
    assert package.state == PackageState.VERIFYING
    assert package.failure == "MemoryError at records.py:1"
    assert package.lease_until > clock.now()
    for _ in range(2):
        patience_is_over(package)
        pipeline.advance(package.pk)
    package.refresh_from_db()
    assert (package.state, package.attempts, package.failure) == (PackageState.READY, 3, "")


def test_three_failed_attempts_are_our_fault_and_cost_the_submitter_nothing(who, scheme, monkeypatch):
    failing_reader(monkeypatch, 3)
    package = travel(who, packages.sound())
    for _ in range(4):
        patience_is_over(package)
        pipeline.advance(package.pk)
    package.refresh_from_db()
    assert (package.state, package.fault, package.attempts) == (PackageState.FAILED, "system", 3)
    assert not Verification.objects.exists()
    assert Outbox.objects.get().data["outcome"] == "failed"

    assert pipeline.refusal_to_restart(who.certifier, package)
    with pytest.raises(NotAllowed):
        pipeline.restart(package, by=who.certifier, at=clock.now())
    pipeline.restart(package, by=who.registrar, at=clock.now())
    pipeline.advance(package.pk)
    package.refresh_from_db()
    assert (package.state, package.fault, package.attempts) == (PackageState.READY, "", 1)
    assert Participation.objects.filter(
        package=package, person=who.registrar.person, kind="restarted"
    ).exists()
    assert AuditEntry.objects.filter(action="package.restarted").exists()


def test_only_our_own_fault_is_started_anew(who, scheme):
    package = travel(who, b"no ZIP at all")
    assert pipeline.refusal_to_restart(who.evaluator, package)
    with pytest.raises(pipeline.NotRestartable):
        pipeline.restart(package, by=who.evaluator, at=clock.now())


def test_one_that_died_between_verification_and_figures_verifies_once(who, scheme, monkeypatch):
    def dies(*args, **kwargs):
        raise MemoryError

    with monkeypatch.context() as dying:
        dying.setattr(recomputation, "recompute", dies)
        package = travel(who, packages.sound())
    assert package.state == PackageState.RECOMPUTING
    patience_is_over(package)
    pipeline.advance(package.pk)
    package.refresh_from_db()
    assert package.state == PackageState.READY
    assert (Verification.objects.count(), Measurement.objects.count()) == (1, 1)
    assert PublicEvent.objects.filter(type="evidence.verified").count() == 1


def test_an_attempt_that_was_overtaken_writes_nothing(who, scheme, monkeypatch):
    package = hand_in(who, packages.sound())
    real = verification._read

    def slow(*args, **kwargs):
        outcome = real(*args, **kwargs)
        patience_is_over(package)
        assert leases.take(package.pk) is not None
        return outcome

    monkeypatch.setattr(verification, "_read", slow)
    pipeline.advance(package.pk)
    package.refresh_from_db()
    assert (package.state, package.attempts) == (PackageState.VERIFYING, 2)
    assert not Verification.objects.exists()
    assert not Outbox.objects.exists()


def test_bytes_that_our_disk_changed_are_our_fault(who, scheme):
    package = hand_in(who, packages.sound())
    (storage.current()._place(package.sha256)).write_bytes(packages.sound(41))
    for _ in range(3):
        pipeline.advance(package.pk)
        patience_is_over(package)
    package.refresh_from_db()
    assert (package.state, package.fault, package.failure) == ("failed", "system", "stored bytes changed")
    assert not Verification.objects.exists()


# ── lost messages, lost workers, deadlines ───────────────────────────────────
@pytest.fixture
def post(monkeypatch):
    """What was sent for, instead of a broker."""
    sent = []
    monkeypatch.setattr(pipeline.current_app, "send_task", lambda name, args: sent.append((name, *args)))
    return sent


def test_the_sweep_sends_what_lost_its_message_once(who, post):
    package = hand_in(who, packages.sound())
    assert pipeline.sweep() == {"overdue": 0, "woken": 1}
    assert post == [("certificates.tasks.advance_package", package.pk)]
    assert pipeline.sweep() == {"overdue": 0, "woken": 0}


def test_the_sweep_sends_again_for_a_package_whose_worker_died(who, post):
    package = hand_in(who, packages.sound())
    leases.take(package.pk)
    assert pipeline.sweep()["woken"] == 0
    patience_is_over(package)
    assert pipeline.sweep()["woken"] == 1
    assert leases.take(package.pk).attempt == 2


def test_a_package_that_kills_every_worker_fails_after_three(who, post):
    package = hand_in(who, packages.sound())
    for _ in range(3):
        assert leases.take(package.pk) is not None
        patience_is_over(package)
    assert pipeline.sweep() == {"overdue": 1, "woken": 0}
    package.refresh_from_db()
    assert (package.state, package.fault, package.failure) == ("failed", "system", "worker_lost")


def test_an_upload_that_never_ended_is_its_submitters_fault(who, post):
    incoming = intake.begin(by=who.evaluator, at=clock.now())
    incoming.write(b"half of it")
    incoming.leave()
    assert pipeline.sweep()["overdue"] == 0
    EvidencePackage.objects.update(deadline_at=clock.now())
    assert pipeline.sweep()["overdue"] == 1
    package = EvidencePackage.objects.get()
    assert (package.state, package.fault, package.failure) == ("failed", "submitter", "upload_unfinished")
    assert not Outbox.objects.exists()


@pytest.mark.parametrize("state", ["received", "verifying", "recomputing"])
def test_what_is_past_its_deadline_has_failed_by_our_fault(who, post, state):
    package = hand_in(who, packages.sound())
    EvidencePackage.objects.update(state=state, deadline_at=clock.now())
    assert pipeline.sweep() == {"overdue": 1, "woken": 0}
    package.refresh_from_db()
    assert (package.state, package.fault, package.failure) == ("failed", "system", "overdue")
    pipeline.advance(package.pk)
    package.refresh_from_db()
    assert package.state == PackageState.FAILED


def test_no_state_is_without_an_end():
    """Every state is terminal, or the sweep moves it on when its deadline is over."""
    moved = {PackageState.RECEIVING, *leases.ACTIVE}
    assert moved | {PackageState.READY, PackageState.REJECTED, PackageState.FAILED} == set(PackageState)


def test_an_upload_with_the_broker_down_succeeds(who, monkeypatch, django_capture_on_commit_callbacks):
    def down(name, args):
        raise ConnectionRefusedError

    monkeypatch.setattr(pipeline.current_app, "send_task", down)
    package = hand_in(who, packages.sound())
    with django_capture_on_commit_callbacks(execute=True) as sent:
        pipeline.wake(package)
    assert len(sent) == 1
    assert pipeline.sweep() == {"overdue": 0, "woken": 0}
    monkeypatch.undo()
    assert leases.waiting().get() == package
