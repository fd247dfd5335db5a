"""Complaints: who may make, look into, answer, decide and review them, what the public is told, and what is erased."""

import io
from datetime import timedelta

import pytest
from django.db import IntegrityError, connection, transaction

from certificates import (
    appeals,
    attached_files,
    letters,
    lifecycle,
    page_facts,
    publishing,
    report_links,
    report_posts,
    report_rows,
    reports,
)
from certificates.models import (
    Notice,
    Report,
    ReportContent,
    ReportDraft,
    ReportEvent,
    ReportLink,
    ReportStanding,
)
from certificates.models.report import ReportLinkPurpose
from certificates.refusals import (
    IncompleteDecision,
    IncompleteReport,
    ReportRefused,
    RuleOfImpartiality,
)
from certificates.report_states import ReportKind, ReportStep
from certificates.tests import appealing, registry
from certificates.tests.reporting import (
    EMAIL,
    REASONS,
    REPLY,
    SUMMARY,
    TEXT,
    decide,
    decided,
    link_to_confirm,
    link_to_follow,
    link_to_reply,
    received,
    replied,
    sent,
    with_holder,
)
from grading.models import QuestionSet
from registry_site import clock, outbox
from registry_site.append_only import WrittenOnceError
from registry_site.models import AuditEntry, Outbox, OutboxState, PublicEvent
from registry_site.problems import NotAllowed
from registry_site.signed_links import LinkRefused


@pytest.fixture
def certificate(who):
    return registry.issued(who)


def told(certificate):
    return page_facts.of_certificate(certificate, at=clock.now()).page


def page_in_spanish(certificate) -> str:
    return publishing.page(page_facts.of_certificate(certificate, at=clock.now()), "es").content.decode()


# ── the whole story ──────────────────────────────────────────────────────────


def test_a_complaint_is_confirmed_heard_and_upheld_and_the_certificate_is_suspended_for_it(who, certificate):
    draft = sent(certificate)
    assert not Report.objects.exists(), "nothing is recorded before it is confirmed"
    report = reports.confirm(link_to_confirm(draft), at=clock.now())
    assert report.number.startswith("QJ-")
    assert told(certificate).reports == ()

    reports.take_up(report, by=who.second_certifier, at=clock.now())
    assert told(certificate).reports == (), "not public before the holder was told"

    reports.ask_holder(report, by=who.second_certifier, at=clock.now(), summary=SUMMARY)
    page = told(certificate)
    assert [one.number for one in page.reports] == [report.number]
    assert page.verdict.open_report == report.number
    assert page.verdict.in_force is True

    reports.reply(report, at=clock.now(), text=REPLY, published=True, link=link_to_reply(report))
    assert told(certificate).reports[0].reply.es == REPLY["es"]

    event = decide(report, who.appeals_officer)
    page = told(certificate)
    assert (page.reports[0].outcome, page.reports[0].notice) == ("upheld", event.notice.number)
    assert page.verdict.open_report is None
    assert page.verdict.status == "active", "a complaint changes no certificate by itself"

    suspension = registry.suspend(certificate, by=who.certifier, reason="report_upheld", report=report.number)
    assert suspension.notice.reason_number == report.number
    page = told(certificate)
    assert (page.verdict.status, page.verdict.reason_number) == ("suspended", report.number)
    assert f"se acogió la queja N.º {report.number}" in page_in_spanish(certificate).replace("\xa0", " ")


def test_the_public_never_reads_who_complained_nor_in_which_words(who, certificate):
    decided(certificate, who.second_certifier)
    for language in ("es", "en"):
        page = publishing.page(page_facts.of_certificate(certificate, at=clock.now()), language)
        for secret in (TEXT, EMAIL, "Violeta", SUMMARY["es"]):
            assert secret not in page.content.decode()


def test_what_others_do_with_a_mark_is_a_notice_and_no_mark_on_an_innocent_certificate(who, certificate):
    report = received(certificate, kind=ReportKind.MISUSE_BY_OTHERS, place="https://otra.example/")
    reports.take_up(report, by=who.certifier, at=clock.now())
    with pytest.raises(ReportRefused) as refusal:
        reports.ask_holder(report, by=who.certifier, at=clock.now(), summary=SUMMARY)
    assert refusal.value.code == "no_holder_to_hear"
    event = decide(report, who.certifier)
    assert (event.notice.certificate, event.notice.measurement) == (None, None)
    assert event.notice.appeal_until is None
    assert told(certificate).reports == ()
    assert not Outbox.objects.filter(concerns=report.number, recipient__contains="peumo").exists()


# ── confirming ───────────────────────────────────────────────────────────────


def test_what_is_not_confirmed_in_time_leaves_nothing_behind(who, certificate):
    kept = attached_files.keep([("factura.pdf", io.BytesIO(b"%PDF-1.7 una factura"))])
    draft = sent(certificate, attachments=kept)
    outbox.send_due(compose=letters.compose)
    assert attached_files.storage().exists(kept[0].sha256)
    assert reports.sweep(at=clock.now())["forgotten"] == 0
    with transaction.atomic():
        counted = reports.sweep(at=draft.expires_at)
    assert counted["forgotten"] == 1
    assert not ReportDraft.objects.exists()
    assert not ReportLink.objects.exists()
    assert not Outbox.objects.exclude(recipient="").filter(kind="report.confirm").exists()


def test_one_that_cannot_be_forgotten_keeps_none_of_the_others_waiting(who, certificate, monkeypatch, caplog):
    stuck, next_one = sent(certificate), sent(certificate)
    erase = report_posts.erase_the_draft

    def erase_but_one(draft, *, at):
        if draft.pk == stuck.pk:
            raise RuntimeError(draft.email)
        erase(draft, at=at)

    monkeypatch.setattr(report_posts, "erase_the_draft", erase_but_one)
    assert reports.sweep(at=next_one.expires_at) == {"forgotten": 1, "closed": 0, "erased": 0}
    assert ReportDraft.objects.get() == stuck
    assert f"ReportDraft {stuck.pk}: RuntimeError" in caplog.text
    assert EMAIL not in caplog.text


def test_a_second_click_confirms_nothing_again(who, certificate):
    link = link_to_confirm(sent(certificate))
    report = reports.confirm(link, at=clock.now())
    with pytest.raises(LinkRefused) as refusal:
        reports.confirm(link, at=clock.now())
    assert refusal.value.code == "link_used"
    assert list(Report.objects.all()) == [report]
    assert ReportLink.objects.get(pk=link.pk).report == report


@pytest.mark.parametrize(
    ("more", "field"),
    [
        ({"text": "  "}, "text"),
        ({"text": "a" * 100_000}, "text"),
        ({"text": "a\u202eb"}, "text"),
        ({"kind": "nonsense"}, "kind"),
        ({"certificate": None}, "certificate"),
        ({"kind": "misuse_by_others", "place": " "}, "place"),
        ({"name": "a\u202eb"}, "name"),
    ],
)
def test_what_a_complaint_needs(who, certificate, more, field):
    with pytest.raises(IncompleteReport) as refusal:
        sent(
            **({"certificate": certificate} | more | ({"kind": "figures"} if field == "certificate" else {}))
        )
    assert refusal.value.extra["field"] == field
    assert not ReportDraft.objects.exists()


def test_many_about_one_certificate_are_all_received_and_told_to_be_many(who, certificate, monkeypatch):
    monkeypatch.setattr(reports, "CROWD", 2)
    assert [received(certificate).crowded for _ in range(3)] == [False, False, True]


# ── who may ──────────────────────────────────────────────────────────────────


def test_whoever_certified_or_evaluated_does_not_work_on_a_complaint_about_it(who, certificate):
    report = received(certificate)
    for user, code in ((who.certifier, "took_part_in_decision"), (who.evaluator, "took_part_in_evaluation")):
        for step in (reports.take_up, reports.decline):
            more = {"reason": "other", "reasons": REASONS} if step is reports.decline else {}
            with pytest.raises(RuleOfImpartiality) as refusal:
                step(report, by=user, at=clock.now(), **more)
            assert (refusal.value.code, refusal.value.extra["rule"]) == (code, 2)
    with pytest.raises(NotAllowed):
        reports.take_up(report, by=who.registrar, at=clock.now())
    assert report.events.count() == 1


def test_a_superuser_is_asked_like_everybody_else(who, certificate):
    report = received(certificate)
    root = registry.person("Raíz", is_superuser=True, is_staff=True)
    with pytest.raises(NotAllowed):
        reports.take_up(report, by=root, at=clock.now())


def test_who_looked_into_it_may_propose_a_sanction_and_not_take_it(who, certificate):
    report = decided(certificate, who.appeals_officer, looked_into_by=who.second_certifier)
    for step, more in (
        (lifecycle.revoke, {}),
        (lifecycle.suspend, {"conditions": registry.CONDITIONS, "review_on": _in_a_month()}),
    ):
        with pytest.raises(RuleOfImpartiality) as refusal:
            step(
                certificate,
                by=who.second_certifier,
                at=clock.now(),
                reason="report_upheld",
                report=report,
                statement=registry.STATEMENT,
                **more,
            )
        assert refusal.value.code == "looked_into_report"
    registry.suspend(certificate, by=who.certifier, reason="report_upheld", report=report)


def test_another_reason_does_not_lead_around_that_rule(who, certificate):
    report = received(certificate)
    reports.take_up(report, by=who.second_certifier, at=clock.now())
    for _still_open in (True, False):
        with pytest.raises(RuleOfImpartiality) as refusal:
            registry.suspend(certificate, by=who.second_certifier, reason="misuse_of_certificate")
        assert (refusal.value.code, refusal.value.extra["rule"]) == ("looked_into_report", 2)
        if not report.events.filter(step=ReportStep.DECIDE).exists():
            reports.ask_holder(report, by=who.second_certifier, at=clock.now(), summary=SUMMARY)
            reports.reply(report, at=clock.now(), text=REPLY, published=True, link=link_to_reply(report))
            decide(report, who.appeals_officer, "partly_upheld")
    assert certificate.events.count() == 1


def test_nothing_follows_from_a_complaint_that_was_dismissed_or_is_about_others(who, certificate):
    decided(certificate, who.appeals_officer, "dismissed", looked_into_by=who.second_certifier)
    about_others = received(certificate, kind=ReportKind.MISUSE_BY_OTHERS, place="https://otra.example/")
    reports.take_up(about_others, by=who.second_certifier, at=clock.now())
    registry.suspend(certificate, by=who.second_certifier)


def test_whoever_registered_the_questions_took_part_in_the_evaluation(who, certificate):
    report = received(certificate)
    appeal = appealing.filed(registry.suspend(certificate, by=who.certifier).notice)
    QuestionSet.objects.create(
        set_sha256=certificate.measurement.set_sha256,
        commitment="c0" * 32,
        name="Norma ficticia 1",
        custodian="Registro",
        items=148,
        by_category={},
        by_language={},
        scheme_code="HALU",
        scheme_version="1",
        examples=[],
        file=b"{}",
        registered_by=who.appeals_officer.person,
        registered_at=clock.now(),
    )
    for step in (
        lambda: reports.take_up(report, by=who.appeals_officer, at=clock.now()),
        lambda: appeals.admit(appeal, by=who.appeals_officer, at=clock.now(), summary=appealing.SUMMARY),
    ):
        with pytest.raises(RuleOfImpartiality) as refusal:
            step()
        assert (refusal.value.code, refusal.value.extra["rule"]) == ("took_part_in_evaluation", 2)


def test_a_sanction_on_a_complaint_names_one_that_was_upheld_about_this_very_certificate(who, certificate):
    dismissed = decided(certificate, who.second_certifier, "dismissed")
    other = decided(registry.issued(who), who.second_certifier)
    for report in (None, dismissed, other, "QJ-2026-999999"):
        with pytest.raises(IncompleteDecision) as refusal:
            registry.suspend(certificate, by=who.certifier, reason="report_upheld", report=report)
        assert refusal.value.extra["field"] == "report"
    with pytest.raises(IncompleteDecision):
        registry.suspend(certificate, by=who.certifier, reason="system_changed", report=dismissed)


def test_who_decided_the_complaint_does_not_decide_the_appeal_against_what_rests_on_it(who, certificate):
    report = decided(certificate, who.appeals_officer, looked_into_by=who.second_certifier)
    suspension = registry.suspend(certificate, by=who.certifier, reason="report_upheld", report=report)
    appeal = appealing.filed(suspension.notice)
    with pytest.raises(RuleOfImpartiality) as refusal:
        appeals.admit(appeal, by=who.appeals_officer, at=clock.now(), summary=appealing.SUMMARY)
    assert refusal.value.code == "took_part_in_decision"


def test_the_holder_appeals_against_the_outcome_and_only_the_outcome_falls(who, certificate):
    report = decided(certificate, who.second_certifier)
    notice = report.events.get(step=ReportStep.DECIDE).notice
    appeal = appealing.admitted(notice, who)
    with pytest.raises(IncompleteDecision):
        appealing.decide(
            appeal,
            who,
            "partly_upheld",
            effect="vary",
            conditions=registry.CONDITIONS,
            review_on=_in_a_month(),
        )
    appealing.decide(appeal, who)
    page = told(certificate)
    assert page.reports[0].appeal.outcome == "upheld"
    assert [entry.step for entry in page.history] == ["issue"]


def _in_a_month():
    return (clock.now() + timedelta(days=30)).date()


# ── the holder ───────────────────────────────────────────────────────────────


def test_the_holder_is_heard_before_anything_is_decided(who, certificate, moving_clock):
    report = received(certificate)
    reports.take_up(report, by=who.second_certifier, at=clock.now())
    with pytest.raises(ReportRefused) as refusal:
        decide(report, who.second_certifier)
    assert refusal.value.code == "holder_not_heard"
    reports.ask_holder(report, by=who.second_certifier, at=clock.now(), summary=SUMMARY)
    with pytest.raises(ReportRefused) as refusal:
        decide(report, who.second_certifier)
    assert refusal.value.code == "holder_may_still_reply"
    after = report_rows.life_of(Report.objects.get()).reply_until
    reports.decide(report, by=who.second_certifier, at=after, outcome="dismissed", reasons=REASONS)
    assert report_rows.life_of(Report.objects.get()).outcome == "dismissed"


def test_a_reply_is_given_once_and_published_only_where_the_holder_wants_it(who, certificate):
    report = with_holder(certificate, who.second_certifier)
    link = link_to_reply(report)
    reports.reply(report, at=clock.now(), text=REPLY, published=False, link=link)
    assert told(certificate).reports[0].reply is None
    assert ReportContent.objects.get().reply_text == REPLY["es"]
    with pytest.raises(ReportRefused) as refusal:
        reports.reply(report, at=clock.now(), text=REPLY, published=True)
    assert refusal.value.code == "holder_heard_already"
    link.refresh_from_db()
    assert link.used_at is not None


def test_the_link_to_reply_is_of_one_complaint(who, certificate):
    one, other = (
        with_holder(certificate, who.second_certifier),
        with_holder(certificate, who.second_certifier),
    )
    with pytest.raises(LinkRefused):
        reports.reply(one, at=clock.now(), text=REPLY, published=True, link=link_to_reply(other))


# ── the review ───────────────────────────────────────────────────────────────


def test_what_was_dismissed_is_reviewed_once_by_someone_else(who, certificate):
    report = decided(certificate, who.second_certifier, "dismissed")
    reports.ask_review(link_to_follow(report), at=clock.now(), why="No se miró el contrato.")
    assert told(certificate).verdict.open_report == report.number
    with pytest.raises(RuleOfImpartiality) as refusal:
        decide(report, who.second_certifier)
    assert refusal.value.code == "decided_before"
    decide(report, who.appeals_officer, "upheld")
    page = told(certificate)
    assert page.reports[0].outcome == "upheld"
    assert len(page.reports[0].earlier_notices) == 1
    with pytest.raises(ReportRefused) as refusal:
        reports.ask_review(link_to_follow(report), at=clock.now(), why="Otra vez.")
    assert refusal.value.code == "report_not_reviewable"


@pytest.mark.parametrize("case", ["upheld", "late", "open"])
def test_what_cannot_be_reviewed(who, certificate, case, moving_clock):
    at = clock.now()
    if case == "open":
        report = with_holder(certificate, who.second_certifier)
    else:
        report = decided(certificate, who.second_certifier, "upheld" if case == "upheld" else "dismissed")
    if case == "late":
        at = report_rows.life_of(Report.objects.get()).review_until
    with pytest.raises(ReportRefused):
        reports.ask_review(link_to_follow(report), at=at, why="No se miró el contrato.")


# ── outside our remit ────────────────────────────────────────────────────────


def test_what_is_outside_our_remit_is_answered_and_never_public(who, certificate):
    report = received(certificate)
    reports.decline(report, by=who.appeals_officer, at=clock.now(), reason="another_body", reasons=REASONS)
    assert told(certificate).reports == ()
    assert not PublicEvent.objects.filter(subject=report.number).exists()
    row = Outbox.objects.get(kind="report.out_of_remit")
    assert "fuera de nuestra competencia" in outbox.message(row, letters.compose).subject


# ── e-mails ──────────────────────────────────────────────────────────────────


def test_every_letter_can_be_written_in_both_languages(who, certificate):
    sent(certificate)
    declined = received(certificate)
    reports.decline(declined, by=who.appeals_officer, at=clock.now(), reason="other", reasons=REASONS)
    report = decided(certificate, who.second_certifier, "dismissed")
    reports.ask_review(link_to_follow(report), at=clock.now(), why="No se miró el contrato.")
    seen = set()
    for row in Outbox.objects.filter(kind__startswith="report."):
        for row.language in ("es", "en"):
            message = outbox.message(row, letters.compose)
            html = message.alternatives[0][0]
            for secret in (TEXT, EMAIL, "Violeta"):
                assert secret not in message.subject + message.body + html
            assert message.body.count("http") == 1
        seen.add((row.kind, row.data.get("who")))
    assert len(seen) == 13


def test_a_dismissed_reporter_is_told_that_a_review_can_be_asked_for(who, certificate):
    report = decided(certificate, who.second_certifier, "dismissed")
    row = Outbox.objects.get(kind="report.decided", data__who="reporter")
    assert "una sola vez" in outbox.message(row, letters.compose).body
    reports.ask_review(link_to_follow(report), at=clock.now(), why="No se miró el contrato.")
    decide(report, who.appeals_officer, "dismissed")
    last = Outbox.objects.filter(kind="report.decided", data__who="reporter").order_by("-pk").first()
    assert "una sola vez" not in outbox.message(last, letters.compose).body


# ── what stays, what goes ────────────────────────────────────────────────────


def test_what_was_written_stays(who, certificate):
    report = decided(certificate, who.second_certifier)
    with pytest.raises(WrittenOnceError):
        report.events.first().save()
    for table in ("certificates_report", "certificates_reportevent", "certificates_reportreply"):
        with pytest.raises(IntegrityError), transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(f"DELETE FROM {table}")  # noqa: S608 - our own names
    with pytest.raises(IntegrityError), transaction.atomic():
        ReportStanding.objects.update(state="closed", deadline_at=None)


def test_the_personal_data_of_a_closed_complaint_is_erased_after_its_time_and_the_record_stays(
    who, certificate, settings, moving_clock, django_capture_on_commit_callbacks
):
    kept = attached_files.keep([("contrato de Violeta.pdf", io.BytesIO(b"%PDF-1.7 un contrato"))])
    report = replied(certificate, who.second_certifier, published=False, attachments=kept)
    decide(report, who.appeals_officer, "dismissed")
    outbox.send_due(compose=letters.compose)
    review_until = report_rows.life_of(Report.objects.get()).review_until
    assert reports.sweep(at=review_until - timedelta(seconds=1))["closed"] == 0
    assert reports.sweep(at=review_until)["closed"] == 1
    later = review_until + timedelta(days=settings.PERSONAL_DATA_DAYS)
    assert reports.sweep(at=later - timedelta(seconds=1))["erased"] == 0
    assert attached_files.storage().exists(kept[0].sha256)
    with django_capture_on_commit_callbacks(execute=True):
        assert reports.sweep(at=later)["erased"] == 1
    assert not attached_files.storage().exists(kept[0].sha256)
    contents = ReportContent.objects.get()
    assert (contents.text, contents.email, contents.name, contents.reply_text) == ("", "", "", "")
    assert contents.file_names == []
    assert not ReportLink.objects.filter(report=report).exists()
    assert not Outbox.objects.filter(concerns=report.number).exclude(recipient="").exists()
    assert Report.objects.get().attachments.get().sha256 == kept[0].sha256
    assert told(certificate).reports[0].outcome == "dismissed"
    assert AuditEntry.objects.filter(action="report.erased").exists()
    with pytest.raises(IntegrityError), transaction.atomic():
        ReportContent.objects.update(text="de vuelta")
    assert reports.sweep(at=later)["erased"] == 0


def test_a_file_that_another_complaint_holds_is_not_taken_away(who, certificate):
    kept = attached_files.keep([("contrato.pdf", io.BytesIO(b"%PDF-1.7 un contrato"))])
    one, _other = received(certificate, attachments=kept), received(certificate, attachments=kept)
    reports.erase(one, at=clock.now())
    assert report_rows.is_kept_by_another(kept[0].sha256)


def test_an_unsent_letter_of_an_erased_complaint_is_not_sent(who, certificate):
    report = received(certificate)
    reports.erase(report, at=clock.now())
    assert set(Outbox.objects.filter(concerns=report.number).values_list("state", flat=True)) == {
        OutboxState.FAILED
    }
    assert outbox.send_due(compose=letters.compose) == Outbox.objects.filter(state=OutboxState.SENT).count()


# ── the trigger ──────────────────────────────────────────────────────────────


def test_the_database_itself_refuses_the_certifier_and_the_wrong_order(who, certificate):
    report = received(certificate)
    with pytest.raises(IntegrityError, match="own decision"), transaction.atomic():
        _raw(report, ReportStep.TAKE_UP, by=who.certifier)
    with pytest.raises(IntegrityError, match="does not go from"), transaction.atomic():
        _raw(report, ReportStep.ASK_HOLDER, by=who.second_certifier)
    report = decided(certificate, who.second_certifier, "dismissed")
    reports.ask_review(link_to_follow(report), at=clock.now(), why="No se miró el contrato.")
    with pytest.raises(IntegrityError, match="someone else"), transaction.atomic():
        _raw(report, ReportStep.DECIDE, by=who.second_certifier)


def _raw(report, step, *, by):
    return ReportEvent.objects.create(
        report=report,
        sequence=report.events.count() + 1,
        step=step,
        at=clock.now(),
        by=by.person,
        role="certifier",
    )


def test_of_two_who_decide_at_once_the_second_is_told(who, certificate):
    report = decided(certificate, who.second_certifier)
    with pytest.raises(ReportRefused) as refusal:
        decide(report, who.appeals_officer)
    assert refusal.value.code == "report_out_of_order"
    assert Notice.objects.filter(decision="report").count() == 1


def test_links_have_one_purpose(who, certificate):
    report = received(certificate)
    secret = report_links.to_follow(report, at=clock.now())
    with pytest.raises(LinkRefused):
        report_links.find(secret, purpose=ReportLinkPurpose.REPLY, at=clock.now())
