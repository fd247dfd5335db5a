"""Public documents are rendered with the decision, are never older than it, and are never served past their hour."""

import gzip
import json
from datetime import timedelta

import pytest
from django.core.management import call_command

from certificates import addresses, lifecycle, page_facts, projections, publishing
from certificates.states import Status
from certificates.tests import registry
from certificates.tests.registry import STATEMENT, Evidence
from grading import publishable
from grading.tests import test_reviews
from registry_site import clock
from registry_site.models import PublishedDocument

pytestmark = pytest.mark.django_db


def stored(certificate, language="es") -> PublishedDocument:
    return PublishedDocument.objects.get(path=addresses.certificate(certificate.number, language))


def text(document) -> str:
    return gzip.decompress(bytes(document.body)).decode()


def test_each_certificate_has_two_pages_and_a_status(who):
    certificate = registry.issued(who)
    rows = {row.path: row for row in PublishedDocument.objects.filter(certificate=certificate.number)}
    number = certificate.number
    assert set(rows) == {
        f"/es/c/{number}/",
        f"/en/c/{number}/",
        f"/api/v1/certificates/{number}/status/",
    }
    for row in rows.values():
        assert (row.sequence, row.as_of, row.stale_at) == (1, certificate.issued_at, certificate.valid_until)
        assert row.etag.startswith('"')
    assert {row.language for row in rows.values()} == {"es", "en", ""}


def test_the_same_facts_give_the_same_bytes(who):
    certificate = registry.issued(who)
    before = stored(certificate)
    publishing.republish(certificate, at=clock.now())
    after = stored(certificate)
    assert (after.etag, bytes(after.body)) == (before.etag, bytes(before.body))


def test_the_command_renders_all_or_the_named_ones_anew(who, capsys):
    one, other = registry.issued(who), registry.issued(who)
    PublishedDocument.objects.update(body=b"")
    call_command("republish", one.number)
    assert bytes(stored(one).body)
    assert not bytes(stored(other).body)
    call_command("republish")
    assert bytes(stored(other).body)
    assert "2 certificates" in capsys.readouterr().out


def test_an_older_document_never_replaces_a_newer(who):
    certificate = registry.issued(who)
    PublishedDocument.objects.filter(certificate=certificate.number).update(sequence=9, etag='"newer"')
    publishing.republish(certificate, at=clock.now())
    assert stored(certificate).etag == '"newer"'


def test_past_its_hour_a_document_is_rendered_anew_and_never_shown_as_in_force(who):
    certificate = registry.issued(who, valid_until=clock.now() + timedelta(days=3))
    later = clock.now() + timedelta(days=4)
    fresh = publishing.document(certificate.number, kind="status", at=clock.now())
    assert json.loads(text(fresh))["status"] == "active"
    expired = json.loads(text(publishing.document(certificate.number, kind="status", at=later)))
    assert (expired["status"], expired["in_force"], expired["stale_at"]) == ("expired", False, None)
    assert expired["as_of"] == expired["valid_until"]
    for language, word in (("es", "vencido"), ("en", "expired")):
        assert word in text(publishing.document(certificate.number, kind=language, at=later))
    assert stored(certificate).stale_at == certificate.valid_until, "reading writes nothing"
    assert publishing.republish_stale(at=later) == 1
    assert stored(certificate).stale_at is None


def test_an_unknown_number_has_no_document(who):
    assert publishing.document("FEH-2026-000042-87", kind="es", at=clock.now()) is None


def test_a_suspended_document_goes_stale_when_review_or_appeal_end(who):
    certificate = registry.certificate_at(Status.SUSPENDED, who)
    event = certificate.events.get(step="suspend")
    assert stored(certificate).stale_at == min(event.review_until, event.appeal_until)


def test_a_holder_renamed_later_changes_no_certificate(who):
    certificate = registry.issued(who)
    before = stored(certificate)
    holder = certificate.system_version.system.holder
    holder.name = "Otro Nombre SpA"
    holder.save()
    publishing.republish(certificate, at=clock.now())
    assert "Otro Nombre" not in text(stored(certificate))
    assert stored(certificate).etag == before.etag


def test_a_certificate_for_a_newer_version_is_told_and_changes_no_status(who):
    old = registry.issued(who)
    holder = old.system_version.system.holder
    new = registry.issued(who, registry.measurement(registry.version(holder, pinned="5.0"), by=who.evaluator))
    now = clock.now()
    assert stored(old).stale_at <= now, "the stored page does not know yet"
    page = text(publishing.document(old.number, kind="es", at=now))
    assert new.number in page
    status = json.loads(text(publishing.document(old.number, kind="status", at=now)))
    assert (status["status"], status["newer_version_certificate"]) == ("active", new.number)
    publishing.republish_stale(at=now)
    assert new.number in text(stored(old))


def test_no_measurement_is_left_out_of_the_page(who):
    certificate = registry.issued(who)
    again = registry.measurement(certificate.system_version, by=who.evaluator)
    publishing.let_system_go_stale(certificate.system_version.system_id, at=clock.now())
    told = page_facts.of_certificate(certificate, at=clock.now())
    references = {one.reference: one for one in told.page.measurements}
    assert len(references) == 2
    own = references[f"M-{certificate.measurement_id}"]
    other = references[f"M-{again.pk}"]
    assert (own.this_one, own.first, other.this_one, other.first) == (True, True, False, False)
    assert other.headline is not None
    assert f"M-{again.pk}" in text(publishing.document(certificate.number, kind="en", at=clock.now()))


def test_of_a_sealed_member_only_its_commitment_is_told(who):
    sealed = Evidence(access="open", sealed=("data/items.jsonl",))
    certificate = registry.issued(who, registry.measurement(by=who.evaluator, evidence=sealed))
    evidence = page_facts.of_certificate(certificate, at=clock.now()).page.evidence
    members = {member.path: member for member in evidence.members}
    assert (members["data/items.jsonl"].sha256, members["data/items.jsonl"].commitment) == (None, "c0" * 32)
    assert members["data/items.jsonl"].downloadable is False
    assert members["data/evaluation.json"].downloadable is True
    assert evidence.downloadable is False


def test_of_evidence_that_is_digest_only_no_member_is_listed(who):
    closed = Evidence(access="digest_only")
    certificate = registry.issued(who, registry.measurement(by=who.evaluator, evidence=closed))
    evidence = page_facts.of_certificate(certificate, at=clock.now()).page.evidence
    assert (evidence.members, evidence.members_total, evidence.downloadable) == ((), 2, False)


def test_a_page_asks_the_same_number_of_queries_whatever_its_history(who, django_assert_num_queries):
    certificate = registry.issued(who)
    now = clock.now()
    with django_assert_num_queries(count := queries_of(certificate)):
        page_facts.of_certificate(certificate, at=now)
    for _ in range(4):
        registry.suspend(certificate, by=who.certifier)
        lifecycle.reinstate(certificate, by=who.certifier, at=clock.now(), statement=STATEMENT)
    now = clock.now()
    with django_assert_num_queries(count):
        told = page_facts.of_certificate(certificate, at=now)
    assert len(told.page.history) == 9
    assert count <= 16


def queries_of(certificate) -> int:
    from django.db import connection
    from django.test.utils import CaptureQueriesContext

    now = clock.now()
    with CaptureQueriesContext(connection) as context:
        page_facts.of_certificate(certificate, at=now)
    return len(context)


def test_the_history_tells_both_words_of_each_step_and_links_what_it_is_about(who):
    certificate = registry.certificate_at(Status.SUSPENDED, who)
    lifecycle.reinstate(certificate, by=who.certifier, at=clock.now(), statement=STATEMENT)
    rows = projections.events_of(certificate)
    history = page_facts.of_certificate(certificate, at=clock.now(), rows=rows).page.history
    assert [(entry.step, entry.before, entry.after) for entry in history] == [
        ("reinstate", "suspended", "active"),
        ("suspend", "active", "suspended"),
        ("issue", None, "active"),
    ]
    assert history[0].against == history[1].notice


def test_agreement_with_people_is_told_where_it_was_measured():
    result = test_reviews.reviewed_package(test_reviews.AGREED)
    told = publishable.agreement(result.agreement, result.figures)
    kappa = page_facts._limitations({"limitations": []}, told, ()).kappa
    assert (kappa.k, kappa.n, kappa.kappa, kappa.band) == (35, 50, "0.400000", "fair")
    assert page_facts._limitations({"limitations": []}, {}, ()).kappa is None
    few = publishable.agreement(result.agreement, result.figures, suppressed_below=51)
    assert page_facts._limitations({"limitations": []}, few, ()).kappa is None


def test_a_number_typed_into_the_search_leads_to_its_certificate_or_notice(client, who):
    certificate = registry.issued(who)
    decided = certificate.notices.get()

    def led_to(text):
        answer = client.get("/es/certificates/", {"q": text})
        return answer["Location"] if answer.status_code == 302 else None

    assert led_to(f"N.º {certificate.number}") == addresses.certificate(certificate.number, "es")
    assert led_to(decided.number.lower()) == addresses.notice(decided.number, "es")
    assert led_to("AV-2026-999999") is None
