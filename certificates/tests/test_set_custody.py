"""Custody of question sets: a seal before use, a reveal that is recomputed, a leak that is told, and closed doors."""

import gzip
import io
import json
import logging
from datetime import timedelta
from pathlib import Path

import pytest
from django.core.files import uploadhandler
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import DatabaseError, connection, transaction
from django.test import Client

from certificates import limitations, page_facts, pipeline, policies, publishing, set_custody, visibility
from certificates.models import Notice
from certificates.tests import desks, packages
from certificates.tests.registry import Evidence, issued, measurement, people, scheme
from evidence import intake, packing
from evidence.models import PackageState
from grading import custody, publication, sealing
from grading.harness import question_sets, sealing_sets
from grading.models import Measurement, QuestionSet, QuestionSetEvent, RevealedItems, SetUse
from grading.set_commitments import SetCommitment
from grading.tests import packages as records
from registry_site import clock
from registry_site.models import Outbox, PublicEvent
from registry_site.problems import NotAllowed

pytestmark = pytest.mark.django_db

CANARY = packages.CANARY
SALT = bytes(range(32))
STATEMENT = {"es": "Se difundieron las preguntas.", "en": "The questions got out."}


def items(size=40):
    return [
        records.item(
            f"q{number:04d}",
            language=("es", "en")[number % 2],
            question=f"¿Qué dice la norma {CANARY} q{number:04d}?",
        )
        for number in range(size)
    ]


def content(of=None):
    return sealing_sets.canonical(
        [{key: value for key, value in one.items() if value is not None} for one in of or items()]
    )


def commitment_file(of=None, **more):
    of = of or items()
    facts = {
        "name": "Norma reservada",
        "custodian": "Auditora Ejemplo",
        "set_sha256": question_sets.set_sha256(of),
        "commitment": sealing.commitment(content(of), salt=SALT),
        "items": len(of),
        "by_category": {"factual_direct": len(of)},
        "by_language": {"en": len(of) // 2, "es": len(of) - len(of) // 2},
        "scheme": ("HALU", "1"),
        "examples": (records.item("e1", question="¿Una pregunta inventada?"),),
    }
    return SetCommitment(**(facts | more)).as_file()


@pytest.fixture
def who():
    scheme()
    return people()


def sealed(who, **more):
    return set_custody.seal(commitment_file(**more), by=who.evaluator, at=clock.now())


def revealed(row, who, *, publishes_items=False, **more):
    facts = {"items": packing.json_lines(items()), "salt": SALT} | more
    return set_custody.reveal(
        row,
        by=who.evaluator,
        at=clock.now(),
        publishes_items=publishes_items,
        statement=STATEMENT,
        **facts,
    )


def leaked(row, who, **more):
    at = clock.now()
    return set_custody.leak(
        row,
        by=who.evaluator,
        at=at,
        **({"occurred_on": at.date() - timedelta(days=1), "statement": STATEMENT} | more),
    )


def measured(who, name="1", **descriptor):
    """A package on that set, taken through its whole journey."""
    of = {
        "access": "open",
        "system": {**records.descriptor()["system"], "version": f"2026.{name}"},
    } | descriptor
    package = intake.receive(
        [packages.sound(of=of)], by=who.evaluator, filename=f"set-{name}.zip", at=clock.now()
    )
    pipeline.advance(package.pk)
    package.refresh_from_db()
    assert package.state == PackageState.READY, package.failure
    return package.measurements.get()


# ── the seal ─────────────────────────────────────────────────────────────────


def test_a_set_is_sealed_before_it_is_used(who):
    row = sealed(who)
    kept = custody.of(row.set_sha256)
    assert (kept.state, kept.used_before_seal, kept.keeps_items) == (sealing.State.SEALED, False, True)
    event = PublicEvent.objects.get(type="set.sealed")
    assert event.subject == f"set:{row.set_sha256}"
    assert custody.seal(commitment_file(), by=who.evaluator.person, at=clock.now()) == row, "twice is once"


def test_a_set_registered_after_its_first_use_says_so(who):
    measurement(by=who.evaluator, evidence=Evidence(set_sha256=question_sets.set_sha256(items())))
    kept = custody.of(sealed(who).set_sha256)
    assert (kept.state, kept.used_before_seal) == (sealing.State.OPEN, True)
    assert "después de su primer uso" in Client().get(f"/es/sets/{kept.row.set_sha256}/").text


def test_another_seal_of_the_same_set_is_refused(who):
    sealed(who)
    with pytest.raises(custody.SetAlreadyRegistered):
        sealed(who, name="Otra")


def test_a_seal_is_not_promised_of_questions_that_are_public(who):
    own = measurement(
        by=who.evaluator, evidence=Evidence(set_sha256=question_sets.set_sha256(items()), access="open")
    )
    issued(who, own)
    with pytest.raises(set_custody.QuestionsArePublic):
        sealed(who)
    assert not QuestionSet.objects.exists()


@pytest.mark.parametrize("role", ["certifier", "appeals_officer", "registrar"])
def test_whoever_evaluates_holds_the_sets(who, role):
    with pytest.raises(NotAllowed):
        set_custody.seal(commitment_file(), by=getattr(who, role), at=clock.now())


def test_whoever_registered_a_set_takes_no_decision_on_it(who):
    other = people()
    row = custody.seal(commitment_file(), by=who.certifier.person, at=clock.now())
    own = measurement(by=other.evaluator, evidence=Evidence(set_sha256=row.set_sha256))
    assert policies.refusal_to_issue(who.certifier, own, at=clock.now()).code == "took_part_in_evaluation"


def test_sets_their_events_and_uses_are_written_once(who):
    row = sealed(who)
    revealed(row, who, publishes_items=True)
    measurement(by=who.evaluator)
    SetUse.objects.create(
        measurement=Measurement.objects.get(), set_sha256="5e" * 32, uses_before=0, at=clock.now()
    )
    for model in (QuestionSet, QuestionSetEvent, RevealedItems, SetUse):
        table = model._meta.db_table
        for sql in (f"UPDATE {table} SET id = id", f"DELETE FROM {table}"):  # noqa: S608 - our own tables
            with pytest.raises(DatabaseError, match="written once"), transaction.atomic():
                connection.cursor().execute(sql)


# ── reveal ───────────────────────────────────────────────────────────────────


def test_a_reveal_is_recomputed_and_then_published(who):
    row = sealed(who)
    event = revealed(row, who)
    assert bytes(event.salt) == SALT
    assert custody.of(row.set_sha256).state is sealing.State.REVEALED
    assert PublicEvent.objects.filter(type="set.revealed").count() == 1
    assert not RevealedItems.objects.exists(), "what its custodian does not publish is not kept"
    page = Client().get(f"/en/sets/{row.set_sha256}/").text
    assert SALT.hex() in page
    assert CANARY not in page
    assert Client().get(f"/sets/{row.set_sha256}/items.jsonl").status_code == 403


def test_published_questions_are_the_sealed_bytes(who):
    row = sealed(who)
    # The order of the file and the ids in it do not matter.
    revealed(
        row, who, publishes_items=True, items=packing.json_lines(reversed(items())), salt=SALT.hex().encode()
    )
    answer = Client().get(f"/sets/{row.set_sha256}/items.jsonl")
    assert sealing.matches(answer.content, salt=SALT, commitment=row.commitment)
    assert answer["Content-Type"] == "application/octet-stream"
    assert answer["X-Content-Type-Options"] == "nosniff"
    assert "attachment" in answer["Content-Disposition"]
    assert gzip.decompress(bytes(RevealedItems.objects.get().content)) == answer.content


@pytest.mark.parametrize(
    ("changed", "refusal"),
    [
        ({"salt": bytes(32)}, custody.SealDiffers),
        ({"salt": b"short"}, custody.SealDiffers),
        ({"items": packing.json_lines(items()[1:])}, custody.SealDiffers),
        ({"items": packing.json_lines([*items(), items()[0]])}, custody.SealDiffers),
        ({"items": b""}, custody.SealDiffers),
        ({"items": b"\n" * custody.MOST_BYTES}, custody.SealDiffers),
        ({"items": b'{"question": "' + CANARY.encode() + b'"}\n' * 40}, custody.UnreadableItems),
        ({"items": b"[" * 100_000 + b"\n" * 40}, custody.UnreadableItems),
        ({"items": b"\xff" * 100 + b"\n" * 40}, custody.UnreadableItems),
        ({"items": b"[" * (custody.LONGEST_LINE + 1) + b"\n" * 40}, custody.UnreadableItems),
        ({"items": b" " * (custody.MOST_BYTES + 1)}, custody.UnreadableItems),
    ],
)
def test_what_was_not_sealed_reveals_nothing(who, changed, refusal):
    row = sealed(who)
    with pytest.raises(refusal) as told:
        revealed(row, who, **changed)
    assert CANARY not in str(told.value.as_problem())
    assert custody.of(row.set_sha256).exposure is None
    assert not PublicEvent.objects.filter(type="set.revealed").exists()


def test_a_commitment_to_other_questions_than_the_hash_is_never_revealed(who):
    row = sealed(who, set_sha256="ab" * 32)
    with pytest.raises(custody.SealDiffers):
        revealed(row, who)


def test_a_set_is_exposed_once(who):
    row = sealed(who)
    leaked(row, who)
    with pytest.raises(custody.ForbiddenSetStep):
        revealed(row, who)
    with pytest.raises(custody.ForbiddenSetStep):
        leaked(row, who)
    with pytest.raises(custody.LeakInTheFuture):
        leaked(row, who, occurred_on=clock.now().date() + timedelta(days=2))


# ── uses ─────────────────────────────────────────────────────────────────────


def test_declared_and_counted_uses_are_both_told(who):
    row = sealed(who)
    question_set = {
        "name": "Norma reservada",
        "sha256": row.set_sha256,
        "custodian": "Auditora Ejemplo",
        "holder_had_access": "no",
        "times_used_before": 0,
    }
    first = measured(who, "1", question_set=question_set)
    second = measured(who, "2", question_set=question_set)
    assert [one.set_use.uses_before for one in (first, second)] == [0, 1]
    assert custody.of(row.set_sha256).state is sealing.State.OPEN


def test_a_measurement_after_a_leak_has_a_limitation_and_earlier_ones_stand(who):
    row = sealed(who)
    before = measured(who, "1")
    leaked(row, who)
    after = measured(who, "2")
    assert (before.set_use.exposure, after.set_use.exposure) == ("", "leaked")
    told = custody.limitations_of(after.set_use)
    day = row.events.get(step="leak").occurred_on.isoformat()
    assert told == [{"code": "set_leaked_before", "date": day}]
    # A descriptive scheme prints it and certifies what was measured.
    assert policies.measurements.refusal_of_exposed_set(after) is None
    (sentence,) = limitations.told(told)
    assert sentence.es.startswith("El conjunto de preguntas se filtró el ")
    assert "«" not in sentence.es


def test_under_criteria_nothing_is_certified_on_questions_that_are_out(who):
    clause = Path(__file__).resolve().parents[2] / "grading" / "tests" / "schemes" / "CLAUSE-1.json"
    publication.publish(clause.read_bytes(), at=clock.now())
    under = {"scheme": {"code": "CLAUSE", "version": "1"}}
    row = sealed(who)
    before = measured(who, "1", **under)
    leaked(row, who)
    after = measured(who, "2", **under)
    assert policies.measurements.refusal_of_exposed_set(before) is None
    assert policies.measurements.refusal_of_exposed_set(after).code == "set_exposed"
    desk = desks.at_desk(who.certifier)
    assert f"/staff/sets/{row.pk}/" in desk.get(f"/staff/measurements/{after.pk}/").text


def test_the_list_costs_the_same_however_long_it_is(who, django_assert_num_queries):
    for number in range(3):
        sealed(who, set_sha256=f"{number}a" * 32, name=f"Conjunto {number}")
    rows = list(QuestionSet.objects.all())
    with django_assert_num_queries(2):
        assert {one.state for one in custody.of_rows(rows)} == {sealing.State.SEALED}


def test_what_was_received_before_the_reveal_stands_though_it_is_frozen_later(who):
    row = sealed(who)
    package = intake.receive(
        [packages.sound(of={"access": "open"})], by=who.evaluator, filename="early.zip", at=clock.now()
    )
    revealed(row, who)
    pipeline.advance(package.pk)
    assert package.measurements.get().set_use.exposure == ""


def test_a_certificate_tells_the_custody_and_changes_when_the_set_does(who):
    row = sealed(who)
    own = measurement(by=who.evaluator, evidence=Evidence(set_sha256=row.set_sha256))
    certificate = issued(who, own)
    page = Client().get(f"/en/c/{certificate.number}/").text
    assert "before it was first used" not in page, "the factory's measurement is older than the seal"
    assert f"/en/sets/{row.set_sha256}/" in page
    leaked(row, who)
    assert "leaked on" in Client().get(f"/en/c/{certificate.number}/").text
    assert publishing.republish_stale(at=clock.now()) >= 1
    listed = Client().get(f"/en/sets/{row.set_sha256}/").text
    assert certificate.number in listed


# ── doors ────────────────────────────────────────────────────────────────────


@pytest.fixture
def certified(who):
    """A certificate on evidence whose package says «open», though its set is sealed here."""
    row = sealed(who)
    own = measured(who)
    system = own.system_version.system
    type(system).objects.filter(pk=system.pk).update(confirmation="confirmed")
    type(system.holder).objects.filter(pk=system.holder_id).update(
        confirmation="confirmed", identifier_kind="domain", identifier="innova.example", country="CL"
    )
    return row, issued(who, Measurement.objects.get(pk=own.pk))


HASHES = [question_sets.item_sha256(one) for one in items()]


def shows_nothing(text):
    text = text if isinstance(text, str) else text.decode("utf-8", "replace")
    return CANARY not in text and not any(digest in text for digest in HASHES)


@pytest.mark.parametrize("language", ["es", "en"])
def test_no_public_page_shows_a_question_or_its_hash(certified, language):
    row, certificate = certified
    for path in (
        f"/{language}/sets/{row.set_sha256}/",
        f"/{language}/c/{certificate.number}/",
        f"/{language}/certificates/?q={CANARY}",
        f"/{language}/certificates/?q={row.set_sha256}",
        f"/{language}/compare/?first={certificate.measurement_id}",
        f"/{language}/sets/{CANARY}x/",
        f"/sets/{row.set_sha256}/set-commitment.json",
    ):
        answer = Client().get(path)
        assert shows_nothing(answer.content.replace(f"{CANARY}x".encode(), b"")) or "?q=" in path, path
    assert shows_nothing(Client().get(f"/{language}/c/{certificate.number}/").content)


def test_the_evidence_keeps_what_the_seal_covers_whatever_the_package_says(certified):
    _row, certificate = certified
    whole = Client().get(f"/c/{certificate.number}/evidence.zip")
    assert whole.status_code == 403
    verification = certificate.measurement.verification
    for path in verification.members.values_list("path", flat=True):
        answer = Client().get(f"/c/{certificate.number}/evidence/{path}")
        body = b"".join(answer.streaming_content) if answer.streaming else answer.content
        expected = 200 if path in ("data/evaluation.json", "bagit.txt", "bag-info.txt") else 403
        assert answer.status_code == expected, path
        assert shows_nothing(body), path
    page = page_facts.of_certificate(certificate, at=clock.now()).page
    assert not page.evidence.downloadable
    assert page.sealed
    assert {one.path for one in page.evidence.members if one.sha256} == {
        "data/evaluation.json",
        "bagit.txt",
        "bag-info.txt",
    }


def test_the_api_keeps_it_too(certified):
    row, certificate = certified
    verification = certificate.measurement.verification
    digest = verification.members.get(path="data/items.jsonl").sha256
    for path in (
        f"certificates/{certificate.number}/",
        f"certificates/{certificate.number}/evidence/",
        f"certificates/{certificate.number}/figures/",
        f"evidence/{verification.sha256}/",
        f"measurements/{certificate.measurement_id}/",
        f"sets/{row.set_sha256}/",
        f"lookup/{row.set_sha256}/",
    ):
        answer = Client().get(f"/api/v1/{path}")
        assert answer.status_code == 200, path
        assert shows_nothing(answer.content), path
        assert digest not in answer.text, path
    assert Client().get(f"/api/v1/lookup/{digest}/").status_code == 404
    assert Client().get(f"/api/v1/lookup/{HASHES[0]}/").status_code == 404


def test_findings_that_may_quote_a_question_are_for_its_submitter_alone(certified, who):
    _row, certificate = certified
    verification = certificate.measurement.verification
    told = [
        {"code": "EQUAL_ITEMS", "member": "data/items.jsonl:3", "key": "question", "found": CANARY},
        {"code": "JUDGE_VERSION_FLOATING", "member": "data/evaluation.json", "key": None, "found": "latest"},
    ]
    verification.warnings = told
    assert visibility.findings_for(who.evaluator, verification)[1] == told
    assert visibility.findings_for(who.certifier, verification)[1] == told[1:]


def test_a_set_is_found_by_its_hash(who):
    row = sealed(who)
    answer = Client().get("/en/certificates/", {"q": f"sha256:{row.set_sha256.upper()}"})
    assert answer["Location"] == f"/en/sets/{row.set_sha256}/"
    assert Client().get("/en/certificates/", {"q": "0" * 64}).status_code == 200


def test_after_a_reveal_that_publishes_the_questions_the_evidence_is_what_its_package_says(certified, who):
    row, certificate = certified
    revealed(row, who, publishes_items=True)
    whole = Client().get(f"/c/{certificate.number}/evidence.zip")
    assert whole.status_code == 200
    assert b"".join(whole.streaming_content)
    assert "items_address" in Client().get(f"/api/v1/sets/{row.set_sha256}/").json()


def test_a_leak_opens_no_door(certified, who):
    row, certificate = certified
    leaked(row, who)
    assert Client().get(f"/c/{certificate.number}/evidence.zip").status_code == 403
    assert shows_nothing(Client().get(f"/api/v1/sets/{row.set_sha256}/").content)


def test_staff_pages_mails_and_logs_show_no_question(certified, who, caplog):
    row, certificate = certified
    caplog.set_level(logging.DEBUG)
    package = certificate.measurement.package_id
    for user in (who.evaluator, who.certifier, who.registrar):
        desk = desks.at_desk(user)
        for path in (
            "/staff/",
            "/staff/sets/",
            f"/staff/sets/{row.pk}/",
            f"/staff/packages/{package}/",
            f"/staff/measurements/{certificate.measurement_id}/",
            f"/staff/certificates/{certificate.number}/",
        ):
            answer = desk.get(path)
            assert answer.status_code == 200, path
            assert shows_nothing(answer.content), path
    assert shows_nothing(json.dumps(list(Outbox.objects.values_list("data", flat=True))))
    assert all(shows_nothing(text.statement_es + text.statement_en) for text in Notice.objects.all())
    assert shows_nothing(caplog.text)


# ── the staff's pages ────────────────────────────────────────────────────────


def upload(content, name="set-commitment.json"):
    return SimpleUploadedFile(name, content)


def test_an_evaluator_registers_and_reveals_at_the_desk(who, caplog):
    desk = desks.at_desk(who.evaluator)
    answer = desk.post("/staff/sets/register/", {"file": upload(commitment_file())})
    row = QuestionSet.objects.get()
    assert answer["Location"] == f"/staff/sets/{row.pk}/"
    written = {"publishes": "yes", "statement_es": "Se revela.", "statement_en": "It is revealed."}
    preview = desk.post(f"/staff/sets/{row.pk}/reveal/", {**written, "action": "preview"})
    assert preview.status_code == 200
    assert "Se revela." in preview.text
    assert "It is revealed." in preview.text
    assert custody.of(row.set_sha256).exposure is None, "a preview publishes nothing"
    seal = preview.context["seal"]
    # A browser sends a file that was not chosen as an empty text.
    empty = desk.post(
        f"/staff/sets/{row.pk}/reveal/", {**written, "items": "", "salt": "", "seal": seal, "action": "sign"}
    )
    assert empty.status_code == 422
    assert empty.text.count('name="items"') == 1
    files = {
        "items": upload(packing.json_lines(items()), "items.jsonl"),
        "salt": upload(bytes(32), "set.salt"),
    }
    wrong = desk.post(f"/staff/sets/{row.pk}/reveal/", {**written, **files, "seal": seal, "action": "sign"})
    assert wrong.status_code == 422
    assert shows_nothing(wrong.content)
    files = {"items": upload(packing.json_lines(items()), "items.jsonl"), "salt": upload(SALT, "set.salt")}
    unseen = desk.post(f"/staff/sets/{row.pk}/reveal/", {**written, **files, "seal": "x", "action": "sign"})
    assert unseen.status_code == 200, "what was not previewed is previewed, not signed"
    files = {"items": upload(packing.json_lines(items()), "items.jsonl"), "salt": upload(SALT, "set.salt")}
    done = desk.post(f"/staff/sets/{row.pk}/reveal/", {**written, **files, "seal": seal, "action": "sign"})
    assert done.status_code == 302
    assert custody.of(row.set_sha256).state is sealing.State.REVEALED
    assert shows_nothing(caplog.text)


def test_a_leak_is_recorded_at_the_desk(who):
    row = sealed(who)
    desk = desks.at_desk(who.certifier)
    day = clock.now().date() - timedelta(days=2)
    written = {
        "occurred_on_day": day.day,
        "occurred_on_month": day.month,
        "occurred_on_year": day.year,
        "statement_es": "Se filtró.",
        "statement_en": "It leaked.",
    }
    preview = desk.post(f"/staff/sets/{row.pk}/leak/", {**written, "action": "preview"})
    assert preview.status_code == 200, preview.text
    done = desk.post(
        f"/staff/sets/{row.pk}/leak/", {**written, "seal": preview.context["seal"], "action": "sign"}
    )
    assert done.status_code == 302
    assert custody.of(row.set_sha256).exposure.occurred_on == day
    assert desk.get(f"/staff/sets/{row.pk}/leak/").status_code == 200
    assert desk.post(f"/staff/sets/{row.pk}/leak/", {**written, "action": "preview"}).status_code == 409


def test_others_see_and_do_not_touch(who):
    row = sealed(who)
    desk = desks.at_desk(who.registrar)
    assert desk.get(f"/staff/sets/{row.pk}/").status_code == 200
    assert desk.post("/staff/sets/register/", {"file": upload(commitment_file())}).status_code == 403
    assert desk.post(f"/staff/sets/{row.pk}/reveal/", {"action": "preview"}).status_code == 403
    assert desk.post(f"/staff/sets/{row.pk}/leak/", {"action": "preview"}).status_code == 403
    assert desks.by_password(who.evaluator).get("/staff/sets/").status_code == 302, "without a second factor"
    assert Client().get("/staff/sets/").status_code == 302


def test_a_faulty_file_is_refused_in_its_place(who):
    desk = desks.at_desk(who.evaluator)
    for file in (b"", b"{}", commitment_file()[:-30], b"x" * 300_000):
        answer = desk.post("/staff/sets/register/", {"file": upload(file)})
        assert answer.status_code == 422
    large = desk.post("/staff/sets/register/", {"file": upload(b"x" * 2_000_000)})
    assert large.status_code == 413
    assert not QuestionSet.objects.exists()


def test_a_form_from_another_site_is_refused(who):
    desk = desks.at_desk(who.evaluator)
    strict = Client(enforce_csrf_checks=True)
    strict.cookies = desk.cookies
    assert strict.post("/staff/sets/register/", {"file": upload(commitment_file())}).status_code == 403
    assert not QuestionSet.objects.exists()


def test_what_is_brought_never_touches_the_disk(who, monkeypatch):
    def refused(*_args, **_kwargs):
        raise AssertionError("a temporary file")

    monkeypatch.setattr(uploadhandler, "TemporaryUploadedFile", refused)
    row = sealed(who)
    desk = desks.at_desk(who.evaluator)
    many = io.BytesIO(packing.json_lines(items()) * 700)
    written = {
        "publishes": "no",
        "statement_es": "Se revela.",
        "statement_en": "It is revealed.",
        "action": "sign",
    }
    answer = desk.post(
        f"/staff/sets/{row.pk}/reveal/", {**written, "items": upload(many.getvalue()), "seal": "x"}
    )
    assert len(many.getvalue()) > 5 * 1024**2
    assert answer.status_code == 200


# ── addresses ────────────────────────────────────────────────────────────────


def test_the_addresses_of_a_set(who):
    row = sealed(who)
    upper = row.set_sha256.upper()
    assert Client().get(f"/es/sets/{upper}/")["Location"] == f"/es/sets/{row.set_sha256}/"
    assert Client().get(f"/es/sets/{'0' * 64}/").status_code == 404
    assert Client().get("/es/sets/nada/").status_code == 404
    assert Client().get(f"/sets/{'0' * 64}/items.jsonl").status_code == 404
    assert Client().get(f"/sets/{row.set_sha256}/set-commitment.json").content == commitment_file()
    told = Client().get(f"/api/v1/sets/{row.set_sha256}/").json()
    assert (told["state"], told["commitment"], told["salt"]) == ("sealed", row.commitment, None)
    assert Client().get(f"/api/v1/sets/{'0' * 64}/").status_code == 404
    assert Client().get("/api/v1/sets/nada/").status_code == 400
    assert Client().get(f"/api/v1/sets/{upper}/").status_code == 308
