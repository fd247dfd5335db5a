"""The life of a certificate in the database: each step is one event, and the same word everywhere."""

import gzip
import json
from datetime import date, timedelta

import pytest

from certificates import holder_requests, lifecycle, projections, states
from certificates.models import Certificate, CertificateState, HolderRequest, Notice, StatusEvent
from certificates.refusals import ForbiddenStep, IncompleteDecision, LostRace, NotYetFinal
from certificates.states import Status
from certificates.tests import registry
from certificates.tests.registry import CONDITIONS, STATEMENT
from registry_site import clock
from registry_site.models import Outbox, PublicEvent, PublishedDocument

pytestmark = pytest.mark.django_db


def word(certificate) -> str:
    rows = projections.events_of(certificate)
    return states.status_of(projections.facts_of(rows), clock.now()).word.value


def status_document(certificate) -> dict:
    row = PublishedDocument.objects.get(path=f"/api/v1/certificates/{certificate.number}/status/")
    return json.loads(gzip.decompress(bytes(row.body)))


def page(certificate, language="es") -> str:
    row = PublishedDocument.objects.get(path=f"/{language}/c/{certificate.number}/")
    return gzip.decompress(bytes(row.body)).decode()


def test_issuing_makes_everything_at_once(who):
    certificate = registry.issued(who)
    event = certificate.events.get()
    assert (event.step, event.sequence, event.previous) == ("issue", 1, None)
    notice = event.notice
    assert (notice.decision, notice.statement_es) == ("issue", STATEMENT.es)
    assert notice.decided_by == who.certifier.person
    assert certificate.state.word == "active"
    assert certificate.state.event_hash == event.hash
    assert certificate.names["holder"]["name"] == "Peumo SpA"
    assert certificate.names["groups"] == ["en", "es"]
    assert status_document(certificate)["in_force"] is True
    for language in ("es", "en"):
        assert certificate.number in page(certificate, language)
        assert f'lang="{language}"' in page(certificate, language)
    told = set(Outbox.objects.filter(concerns=notice.number).values_list("recipient", flat=True))
    holder = certificate.system_version.system.holder
    assert told == {who.certifier.email, who.second_certifier.email, holder.contact_email}


def test_numbers_are_given_out_without_a_gap(who):
    numbers = [registry.issued(who).number for _ in range(3)]
    assert [number.split("-")[2] for number in numbers] == ["000001", "000002", "000003"]
    assert [notice.number[-6:] for notice in Notice.objects.order_by("pk")] == ["000001", "000002", "000003"]


def test_the_term_is_the_longest_of_the_scheme_unless_an_earlier_day_is_chosen(who):
    whole = registry.issued(who)
    assert 365 <= (whole.valid_until - whole.issued_at).days <= 366
    day = (clock.now() + timedelta(days=90)).date()
    shorter = registry.issued(who, valid_until=day)
    assert shorter.valid_until.hour in (3, 4), "24:00 in Chile"


@pytest.mark.parametrize("status", Status)
def test_every_status_is_reached_by_real_steps_and_is_the_same_everywhere(who, status):
    certificate = registry.certificate_at(status, who)
    if status is Status.EXPIRED:
        while clock.now() < certificate.valid_until:
            continue
        assert certificate.state.word == "active", "the sweep has not been here yet"
        assert word(certificate) == "expired"
        lifecycle.sweep(at=clock.now())
    certificate.state.refresh_from_db()
    assert word(certificate) == certificate.state.word == status_document(certificate)["status"] == status
    assert certificate.state.live == (status in (Status.ACTIVE, Status.SUSPENDED, Status.REVOKED))


def test_suspended_reinstated_and_revoked_the_page_follows_in_both_languages(who):
    certificate = registry.issued(who)
    assert "Vigente" in page(certificate)
    registry.suspend(certificate, by=who.certifier)
    assert "suspendido" in page(certificate)
    assert "suspended" in page(certificate, "en")
    assert CONDITIONS[0].es in page(certificate)
    lifecycle.reinstate(certificate, by=who.certifier, at=clock.now(), statement=STATEMENT)
    assert status_document(certificate)["status"] == "active"
    lifecycle.revoke(
        certificate, by=who.certifier, at=clock.now(), reason="figure_error", statement=STATEMENT
    )
    document = status_document(certificate)
    assert (document["status"], document["final"], document["sequence"]) == ("revoked", False, 4)
    assert [event.step for event in certificate.events.order_by("sequence")] == [
        "issue",
        "suspend",
        "reinstate",
        "revoke",
    ]


def test_a_suspension_is_prolonged_to_a_later_day_and_keeps_its_conditions(who):
    certificate = registry.certificate_at(Status.SUSPENDED, who)
    certificate.state.refresh_from_db()
    earlier = certificate.state.review_until
    first = certificate.events.get(step="suspend")
    with pytest.raises(IncompleteDecision) as refusal:
        lifecycle.prolong(
            certificate, by=who.certifier, at=clock.now(), statement=STATEMENT, review_on=first.review_on
        )
    assert refusal.value.code == "review_date_not_later"
    event = lifecycle.prolong(
        certificate,
        by=who.certifier,
        at=clock.now(),
        statement=STATEMENT,
        review_on=first.review_on + timedelta(days=10),
    )
    assert event.notice.about == first.notice
    certificate.state.refresh_from_db()
    assert certificate.state.review_until > earlier
    assert CONDITIONS[0].es in page(certificate)


def test_a_second_press_on_the_same_button_is_told_what_happened(who):
    certificate = registry.certificate_at(Status.SUSPENDED, who)
    with pytest.raises(LostRace) as refusal:
        registry.suspend(certificate, by=who.second_certifier)
    problem = refusal.value.as_problem()
    assert (problem["code"], problem["status"], problem["step"]) == ("lost_race", 409, "suspend")
    present = problem["present"]
    assert (present["status"], present["in_force"], present["sequence"]) == ("suspended", False, 2)
    assert present["last"]["step"] == "suspend"
    assert certificate.events.count() == 2


def test_a_decision_on_an_older_sequence_is_not_recorded(who):
    certificate = registry.certificate_at(Status.SUSPENDED, who)
    with pytest.raises(LostRace):
        lifecycle.revoke(
            certificate,
            by=who.certifier,
            at=clock.now(),
            reason="figure_error",
            statement=STATEMENT,
            if_sequence=1,
        )
    assert word(certificate) == "suspended"


def test_a_step_that_the_table_does_not_allow_is_refused_by_name(who):
    certificate = registry.issued(who)
    with pytest.raises(ForbiddenStep, match="forbidden_transition") as refusal:
        lifecycle.reinstate(
            certificate,
            by=who.certifier,
            at=clock.now(),
            statement=STATEMENT,
        )
    assert refusal.value.status == 409
    assert certificate.events.count() == 1


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"statement": {"es": "Sólo español.", "en": " "}}, "both_languages_needed"),
        ({"statement": {"es": "Sólo español."}}, "both_languages_needed"),
        ({"statement": "one text"}, "both_languages_needed"),
        ({"statement": {"es": "Texto \u202e oculto", "en": "Hidden"}}, "unsafe_text"),
        ({"statement": {"es": "x" * 5000, "en": "x"}}, "text_too_long"),
        ({"reason": ""}, "reason_needed"),
        ({"reason": "because"}, "unknown_reason"),
        ({"reason": "report_upheld"}, "reason_needs_a_report"),
        ({"conditions": []}, "conditions_needed"),
        ({"conditions": [{"es": "Sólo español."}]}, "both_languages_needed"),
        ({"review_on": None}, "review_date_needed"),
        ({"review_on": "2027-01-01"}, "review_date_needed"),
    ],
)
def test_a_suspension_that_does_not_say_everything_is_refused_and_nothing_is_kept(who, change, code):
    certificate = registry.issued(who)
    with pytest.raises(IncompleteDecision) as refusal:
        registry.suspend(certificate, by=who.certifier, **change)
    assert refusal.value.code == code
    assert refusal.value.status == 422
    assert certificate.events.count() == Notice.objects.count() == 1


@pytest.mark.parametrize("days", [-1, 0, 500])
def test_a_review_lies_ahead_and_not_too_far(who, days):
    certificate = registry.issued(who)
    with pytest.raises(IncompleteDecision) as refusal:
        registry.suspend(
            certificate,
            by=who.certifier,
            review_on=(clock.now() - timedelta(hours=4) + timedelta(days=days)).date(),
        )
    assert refusal.value.code == "review_date_out_of_range"


def test_a_refusal_is_a_notice_of_its_own_and_a_public_event(who):
    measured = registry.measurement(by=who.evaluator)
    notice = lifecycle.refuse_issue(
        measured, by=who.certifier, at=clock.now(), statement=STATEMENT, reason="criteria_not_met"
    )
    assert (notice.decision, notice.certificate, notice.measurement) == ("refuse", None, measured)
    assert notice.appeal_until > notice.at
    event = PublicEvent.objects.get(type="decision.refused")
    assert event.subject == notice.number
    assert STATEMENT.es.encode() not in bytes(event.bytes)
    with pytest.raises(Exception, match="already_refused"):
        registry.issued(who, measured)


def test_the_end_at_the_holders_wish_needs_its_request_and_a_second_person(who):
    certificate = registry.issued(who)
    request = holder_requests.store(
        certificate,
        by=who.certifier,
        at=clock.now(),
        kind="terminate",
        text="Pedimos finalizar.",
        received_on=clock.now().date(),
    )
    with pytest.raises(Exception, match="second_person_needed"):
        lifecycle.terminate(
            certificate, by=who.certifier, at=clock.now(), statement=STATEMENT, request=request.pk
        )
    with pytest.raises(IncompleteDecision, match="unknown_request"):
        lifecycle.terminate(
            certificate, by=who.certifier, at=clock.now(), statement=STATEMENT, request=request.pk + 1
        )
    event = lifecycle.terminate(
        certificate, by=who.second_certifier, at=clock.now(), statement=STATEMENT, request=request.pk
    )
    assert event.notice.request == request
    assert HolderRequest.objects.get().text == "Pedimos finalizar."
    assert request.text not in page(certificate)


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"kind": "suspend"}, "unknown_kind"),
        ({"text": " "}, "text_needed"),
        ({"text": "x" * 20_001}, "text_too_long"),
        ({"received_on": date(2999, 1, 1)}, "received_in_the_future"),
    ],
)
def test_a_written_request_is_whole_or_not_stored(who, change, code):
    certificate = registry.issued(who)
    facts = {"kind": "terminate", "text": "Pedimos finalizar.", "received_on": certificate.issued_at.date()}
    facts["received_on"] -= timedelta(days=1)
    with pytest.raises(IncompleteDecision, match=code):
        holder_requests.store(certificate, by=who.certifier, at=clock.now(), **(facts | change))
    assert not HolderRequest.objects.exists()


def test_a_term_without_an_offset_is_refused(who):
    naive = (clock.now() + timedelta(days=9)).replace(tzinfo=None)
    with pytest.raises(IncompleteDecision, match="offset_needed"):
        registry.issued(who, valid_until=naive)


def test_a_newer_measurement_of_the_version_supersedes_with_links_both_ways(who):
    old = registry.issued(who)
    again = registry.measurement(old.system_version, by=who.evaluator)
    new = registry.issued(who, again, supersedes=old)
    assert word(old) == "superseded"
    assert old.events.last().other == new
    assert new.supersedes == old
    assert new.number in page(old)
    assert old.number in page(new)
    assert status_document(old)["superseded_by"] == new.number


def test_another_version_does_not_supersede_without_the_holders_request(who):
    holder = registry.holder()
    old = registry.issued(who, registry.measurement(registry.version(holder), by=who.evaluator))
    newer = registry.issued(
        who, registry.measurement(registry.version(holder, pinned="5.0"), by=who.evaluator)
    )
    with pytest.raises(IncompleteDecision, match="another_version"):
        lifecycle.supersede(old, by=who.certifier, at=clock.now(), other=newer.number, statement=STATEMENT)
    request = holder_requests.store(
        old,
        by=who.second_certifier,
        at=clock.now(),
        kind="supersede",
        text="Que lo sustituya el de la versión 5.0.",
        received_on=clock.now().date(),
    )
    lifecycle.supersede(
        old, by=who.certifier, at=clock.now(), other=newer.number, statement=STATEMENT, request=request
    )
    assert word(old) == "superseded"
    assert old.number in page(newer)


def test_an_erratum_that_says_do_not_rely_is_the_first_sentence(who):
    certificate = registry.issued(who)
    event = lifecycle.erratum(
        certificate, by=who.certifier, at=clock.now(), statement=STATEMENT, do_not_rely=True
    )
    document = status_document(certificate)
    assert (document["status"], document["do_not_rely"]) == ("active", True)
    assert document["errata"] == [event.notice.number]


def test_what_the_clock_has_ended_no_longer_holds_its_measurement(who):
    measured = registry.measurement(by=who.evaluator)
    first = registry.issued(who, measured, valid_until=clock.now() + timedelta(seconds=0.2))
    while clock.now() < first.valid_until:
        continue
    second = registry.issued(who, measured)
    assert [event.step for event in first.events.order_by("sequence")] == ["issue", "expire"]
    assert (word(first), word(second)) == ("expired", "active")


def test_a_revocation_is_not_final_while_its_period_runs(who):
    certificate = registry.certificate_at(Status.REVOKED, who)
    with pytest.raises(NotYetFinal):
        lifecycle.finalise(certificate, at=clock.now())
    assert lifecycle.sweep(at=clock.now()) == {"expired": 0, "finalised": 0, "republished": 0}


def test_stored_bytes_and_hashes_are_what_the_history_says(who):
    certificate = registry.certificate_at(Status.REVOKED, who)
    event = certificate.events.get(step="revoke")
    said = json.loads(bytes(event.bytes))
    assert said["type"] == "certificate.revoked"
    assert said["previous"] == certificate.events.get(sequence=1).hash
    assert said["document"] == event.document_id
    assert STATEMENT.es.encode() not in bytes(event.bytes)


def test_no_certificate_is_issued_twice_on_a_measurement(who):
    certificate = registry.issued(who)
    with pytest.raises(Exception, match="already_certified"):
        registry.issued(who, certificate.measurement)
    assert Certificate.objects.count() == CertificateState.objects.count() == StatusEvent.objects.count() == 1
