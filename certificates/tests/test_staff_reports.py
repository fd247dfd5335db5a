"""The staff's doors to complaints: what they see of one and who may, the steps on it, what follows from it."""

import io
import re
from datetime import timedelta

import pytest
from django.db import connection
from django.test import Client
from django.utils import translation
from django.utils.html import escape

from certificates import (
    attached_files,
    deadline_sources,
    deadlines,
    holder_requests,
    letters,
    replay,
    report_rows,
    reports,
    work,
    work_queue,
    work_subjects,
)
from certificates.models import Report, ReportContent, ReportEvent, ReportStanding, StaffNote
from certificates.refusals import IncompleteDecision
from certificates.report_secrets import Secret, found_in
from certificates.report_states import ReportKind, ReportStep
from certificates.tests import appealing, registry
from certificates.tests.desks import at_desk, holding
from certificates.tests.reporting import (
    EMAIL,
    REASONS,
    REPLY,
    SUMMARY,
    TEXT,
    decided,
    link_to_follow,
    received,
    replied,
    with_holder,
)
from certificates.work_queue import Filters, Kind
from registry_site import clock, outbox, roles
from registry_site.models import AuditEntry, Outbox
from registry_site.roles import Role

DECISION = {"outcome": "upheld", "reasons_es": REASONS["es"], "reasons_en": REASONS["en"]}
ASKED = {"summary_es": SUMMARY["es"], "summary_en": SUMMARY["en"]}


@pytest.fixture
def certificate(who):
    return registry.issued(who)


def previewed(client: Client, address: str, written: dict):
    return client.post(address, written | {"action": "preview"})


def seal_in(page) -> str:
    text = page.content.decode()
    assert page.status_code == 200, re.findall(r'class="err".*?</p>|<title>.*?</title>', text)
    return re.search(r'name="seal" value="([^"]+)"', text)[1]


def sign(client: Client, address: str, written: dict) -> str:
    """Preview, then sign what the preview carries: as a browser does."""
    page = previewed(client, address, written)
    answer = client.post(address, written | {"action": "sign", "seal": seal_in(page)})
    assert answer.status_code == 302, answer.content.decode()
    return page.content.decode()


# ── what is seen, and by whom ────────────────────────────────────────────────


def test_from_the_desk_to_a_published_outcome(who, certificate):
    report = received(certificate)
    certifier, address = at_desk(who.second_certifier), f"/staff/reports/{report.number}/"
    page = certifier.get(address).content.decode()
    for told in (TEXT, EMAIL, "Violeta Vecina", f"{address}take_up/", f"{address}decline/"):
        assert told in page
    assert f"{address}decide/" not in page
    assert AuditEntry.objects.filter(
        action="report.contact_seen", person=who.second_certifier.person, subject=f"report:{report.number}"
    ).exists()

    assert certifier.post(f"{address}take_up/")["Location"] == address
    assert "Tomar la queja a trámite" not in certifier.get(address).content.decode()

    text = sign(certifier, f"{address}ask_holder/", ASKED | {"proposal": "Suspender.", "if_sequence": 2})
    assert SUMMARY["es"] in text
    assert SUMMARY["en"] in text
    page = certifier.get(address).content.decode()
    assert "El titular aún puede responder" in page
    assert f"{address}decide/" not in page
    assert "Suspender." in page

    reports.reply(report, at=clock.now(), text=REPLY, published=True)
    assert REPLY["es"] in certifier.get(address).content.decode()
    text = sign(certifier, f"{address}decide/", DECISION | {"if_sequence": 4})
    assert REASONS["es"] in text
    assert escape(REASONS["en"]) in text
    event = report.events.get(step=ReportStep.DECIDE)
    page = certifier.get(address).content.decode()
    assert f"/es/notices/{event.notice.number}/" in page
    assert "Carmen Certificadora" in page
    assert REASONS["es"] in Client().get(f"/es/notices/{event.notice.number}/").content.decode()


@pytest.mark.parametrize(
    ("actor", "told"),
    [("certifier", "(regla 2)"), ("evaluator", "(regla 2)"), ("registrar", "Este paso requiere")],
)
def test_whoever_took_part_reads_the_rule_and_not_the_complaint(who, certificate, actor, told):
    kept = attached_files.keep([("contrato de Violeta.pdf", io.BytesIO(b"%PDF-1.7 un contrato"))])
    report = received(certificate, attachments=kept)
    user = getattr(who, actor)
    client, address = at_desk(user), f"/staff/reports/{report.number}/"
    page = client.get(address).content.decode()
    assert told in page
    assert report.number in page
    for secret in (TEXT, EMAIL, "Violeta", "contrato de"):
        assert secret not in page
    assert "data-once" not in page
    assert not AuditEntry.objects.filter(action="report.contact_seen", person=user.person).exists()
    assert client.get(f"{address}attachments/0/").status_code == 403
    assert client.post(f"{address}take_up/").status_code == 403
    for step, written in (("decline", {"reason": "other"}), ("decide", DECISION), ("ask_holder", ASKED)):
        form = client.get(f"{address}{step}/").content.decode()
        assert f'action="{address}{step}/"' not in form
        assert (
            previewed(
                client, f"{address}{step}/", written | ASKED | DECISION | {"if_sequence": 1}
            ).status_code
            == 403
        )
    assert report.events.count() == 1


def test_a_superuser_without_a_role_sees_and_does_nothing(who, certificate):
    report = received(certificate)
    root = at_desk(registry.person("Raíz", is_superuser=True, is_staff=True))
    for address in ("", "attachments/0/", "decide/"):
        answer = root.get(f"/staff/reports/{report.number}/{address}")
        assert answer.status_code == 403
        assert EMAIL not in answer.content.decode()
    assert root.post(f"/staff/reports/{report.number}/take_up/").status_code == 403


def test_an_attachment_leaves_as_a_download_and_the_log_tells_who_had_it(who, certificate):
    kept = attached_files.keep([("nota.txt", io.BytesIO(b"<b>hola</b>"))])
    report = received(certificate, attachments=kept)
    client = at_desk(who.appeals_officer)
    assert "nota.txt" in client.get(f"/staff/reports/{report.number}/").content.decode()
    answer = client.get(f"/staff/reports/{report.number}/attachments/0/")
    assert answer["Content-Type"] == "application/octet-stream"
    assert answer["Content-Disposition"] == f'attachment; filename="{report.number}-1.text"'
    assert b"".join(answer.streaming_content) == b"<b>hola</b>"
    entry = AuditEntry.objects.get(action="report.attachment_seen")
    assert (entry.person, entry.detail) == (who.appeals_officer.person, {"position": 0})
    assert client.get(f"/staff/reports/{report.number}/attachments/7/").status_code == 404


def test_what_is_erased_is_said_to_be(who, certificate):
    kept = attached_files.keep([("nota.txt", io.BytesIO(b"hola"))])
    report = received(certificate, attachments=kept)
    reports.erase(report, at=clock.now())
    client = at_desk(who.second_certifier)
    page = client.get(f"/staff/reports/{report.number}/").content.decode()
    assert "se borraron" in page
    for secret in (TEXT, EMAIL, "nota.txt"):
        assert secret not in page
    assert kept[0].sha256[:8] in page
    assert client.get(f"/staff/reports/{report.number}/attachments/0/").status_code == 404


def test_html_in_a_complaint_is_text_and_a_crowd_is_told(who, certificate, monkeypatch):
    monkeypatch.setattr(reports, "CROWD", 0)
    report = received(certificate, text="<script>alert(1)</script>", name="<b>Ana</b>")
    page = at_desk(who.second_certifier).get(f"/staff/reports/{report.number}/").content.decode()
    assert "<script>alert" not in page
    assert "&lt;script&gt;alert(1)" in page
    assert "llegaron muchas quejas" in page


def test_what_others_do_is_decided_without_a_holder(who):
    report = received(None)
    client, address = at_desk(who.certifier), f"/staff/reports/{report.number}/"
    client.post(f"{address}take_up/")
    page = client.get(address).content.decode()
    assert "https://otra-empresa.example/" in page
    assert f"{address}ask_holder/" not in page
    text = sign(client, f"{address}decide/", DECISION | {"if_sequence": 2})
    assert "Peumo" not in text
    assert report.events.get(step=ReportStep.DECIDE).notice.certificate is None


# ── steps pressed twice, too late, or no longer possible ─────────────────────


def test_a_second_press_records_nothing_again(who, certificate):
    report = received(certificate)
    client, address = at_desk(who.second_certifier), f"/staff/reports/{report.number}/"
    for _ in range(2):
        assert client.post(f"{address}take_up/").status_code == 302
    assert "no se registró otra vez" in client.get(address).content.decode()
    written = ASKED | {"if_sequence": 2}
    seal = seal_in(previewed(client, f"{address}ask_holder/", written))
    for _ in range(2):
        assert (
            client.post(f"{address}ask_holder/", written | {"action": "sign", "seal": seal}).status_code
            == 302
        )
    assert report.events.count() == 3


def test_whoever_comes_too_late_is_told_and_keeps_what_was_written(who, certificate):
    report = replied(certificate, who.second_certifier)
    late, address = at_desk(who.second_certifier), f"/staff/reports/{report.number}/decide/"
    written = DECISION | {"reasons_es": "Mis razones, otras.", "if_sequence": 4}
    seal = seal_in(previewed(late, address, written))
    reports.decide(report, by=who.appeals_officer, at=clock.now(), outcome="dismissed", reasons=REASONS)
    answer = late.post(address, written | {"action": "sign", "seal": seal})
    assert answer.status_code == 409
    assert "otra persona dio un paso" in answer.content.decode()
    assert "Mis razones, otras." in answer.content.decode()
    assert report.events.filter(step=ReportStep.DECIDE).count() == 1
    assert late.post(f"/staff/reports/{report.number}/take_up/", follow=True).status_code == 200
    assert report.events.count() == 5


def test_only_what_was_previewed_is_signed(who, certificate):
    report = replied(certificate, who.second_certifier)
    client, address = at_desk(who.second_certifier), f"/staff/reports/{report.number}/decide/"
    seal = seal_in(previewed(client, address, DECISION | {"if_sequence": 4}))
    other = DECISION | {"reasons_en": "Something else.", "if_sequence": 4, "action": "sign", "seal": seal}
    assert client.post(address, other).status_code == 200, "previewed anew"
    assert not report.events.filter(step=ReportStep.DECIDE).exists()
    back = client.post(address, DECISION | {"if_sequence": 4, "action": "edit"}).content.decode()
    assert REASONS["es"] in back


def test_a_form_lacking_something_keeps_the_rest(who, certificate):
    report = received(certificate)
    client, address = at_desk(who.second_certifier), f"/staff/reports/{report.number}/decline/"
    answer = previewed(client, address, {"reasons_es": "Porque sí.", "reasons_en": "", "if_sequence": 1})
    assert answer.status_code == 422
    assert "Porque sí." in answer.content.decode()
    text = sign(
        client, address, {"reason": "another_body", "reasons_es": "a", "reasons_en": "b", "if_sequence": 1}
    )
    assert "corresponde a otro organismo" in text
    assert report_rows.life_of(reports.report_rows.find(report.number)).state == "out_of_remit"


def test_the_review_is_for_someone_else(who, certificate):
    report = decided(certificate, who.second_certifier, "dismissed")
    reports.ask_review(link_to_follow(report), at=clock.now(), why="No se miró el contrato.")
    address = f"/staff/reports/{report.number}/"
    first = at_desk(who.second_certifier).get(address).content.decode()
    assert "la revisa otra persona (regla 2)" in first
    assert f"{address}decide/" not in first
    other = at_desk(who.appeals_officer)
    assert "No se miró el contrato." in other.get(address).content.decode()
    sign(other, f"{address}decide/", DECISION | {"if_sequence": 6})


# ── what stays says nothing of what is erased ────────────────────────────────


@pytest.mark.parametrize(
    ("written", "told"),
    [
        ("Violeta Vecina dice que cambió.", Secret.NAME),
        ("VIOLETA  VÉCINA lo vio.", Secret.NAME),
        ("Escribió Vecina@Correo.example.", Secret.EMAIL),
        ("Se dice: «el servicio que se vende responde con otra versión».", Secret.WORDS),
        ("el servicio que se\nVENDE responde, con otra", Secret.WORDS),
        ("Violeta es un color; la vecina versión, otra.", None),
        ("El sistema responde con otra versión.", None),
    ],
)
def test_what_repeats_a_complaint(written, told):
    assert found_in(written, name="Violeta Vecina", email=EMAIL, texts=[TEXT]) == told


def test_the_names_of_a_certificate_are_no_secret():
    text = "Vi que Consulta Jurídica de la Biblioteca Nacional 4.2.1 no funciona."
    written = "Consulta Jurídica de la Biblioteca Nacional cambió."
    assert found_in(written, name="", email="", texts=[text]) == Secret.WORDS
    public = ["Consulta Jurídica de la Biblioteca Nacional"]
    assert found_in(written, name="", email="", texts=[text], public=public) is None


@pytest.mark.parametrize("field", ["summary_es", "summary_en", "proposal"])
@pytest.mark.parametrize("written", ["Lo dice Violeta Vecina.", f"Escribe {EMAIL}.", TEXT])
def test_neither_the_holder_nor_the_record_is_told_who_complained(who, certificate, field, written):
    report = received(certificate)
    client, address = at_desk(who.second_certifier), f"/staff/reports/{report.number}/"
    client.post(f"{address}take_up/")
    answer = previewed(client, f"{address}ask_holder/", ASKED | {field: written, "if_sequence": 2})
    page = answer.content.decode()
    assert answer.status_code == 422
    assert f'id="id_{field}_error"' in page
    assert report.events.count() == 2
    assert not ReportEvent.objects.exclude(summary_es="", proposal="").exists()


@pytest.mark.parametrize("step", ["decide", "decline"])
def test_reasons_are_written_without_names(who, certificate, step):
    report = replied(certificate, who.second_certifier) if step == "decide" else received(certificate)
    client = at_desk(who.second_certifier)
    written = DECISION | {
        "reason": "other",
        "reasons_en": f"As {EMAIL} says.",
        "if_sequence": report.events.count(),
    }
    answer = previewed(client, f"/staff/reports/{report.number}/{step}/", written)
    assert answer.status_code == 422
    assert 'id="id_reasons_en_error"' in answer.content.decode()


# ── the list ─────────────────────────────────────────────────────────────────


def test_the_list_tells_numbers_and_states_and_no_words(who, certificate, django_assert_max_num_queries):
    open_one, other = received(certificate), received(None)
    declined = received(certificate, kind=ReportKind.FIGURES)
    reports.decline(declined, by=who.appeals_officer, at=clock.now(), reason="other", reasons=REASONS)
    client = at_desk(who.registrar)
    with django_assert_max_num_queries(15):
        page = client.get("/staff/reports/").content.decode()
    for report in (open_one, other, declined):
        assert f"/staff/reports/{report.number}/" in page
    for secret in (TEXT, EMAIL, "Violeta"):
        assert secret not in page
    only = client.get("/staff/reports/?state=out_of_remit").content.decode()
    assert declined.number in only
    assert open_one.number not in only
    assert client.get("/staff/reports/?state=nonsense&before=x").status_code == 200
    assert open_one.number in client.get(f"/staff/reports/?before={other.pk}").content.decode()
    assert client.get("/staff/reports/QJ-2026-999999/").status_code == 404


def test_a_page_of_a_complaint_asks_little_of_the_database(who, certificate, django_assert_max_num_queries):
    report = with_holder(certificate, who.second_certifier)
    client = at_desk(who.appeals_officer)
    with django_assert_max_num_queries(30):
        client.get(f"/staff/reports/{report.number}/")


# ── what follows for the certificate ─────────────────────────────────────────

SANCTION = {
    "reason": "report_upheld",
    "statement_es": "El servicio dejó de ser lo que se evaluó.",
    "statement_en": "The service is no longer what was evaluated.",
    "if_sequence": 1,
}
TERMS = {"conditions_es": "Volver a la versión.", "conditions_en": "Go back to the version."}


def terms_of_suspension() -> dict:
    day = (clock.now() + timedelta(days=30)).date()
    return TERMS | {"review_on_day": day.day, "review_on_month": day.month, "review_on_year": day.year}


@pytest.mark.parametrize("step", ["suspend", "revoke"])
def test_a_sanction_names_the_complaint_that_was_upheld(who, certificate, step):
    report = decided(certificate, who.appeals_officer, looked_into_by=who.second_certifier)
    dismissed = decided(certificate, who.appeals_officer, "dismissed", looked_into_by=who.second_certifier)
    client, address = at_desk(who.certifier), f"/staff/certificates/{certificate.number}/{step}/"
    form = client.get(address).content.decode()
    assert f'value="{report.number}"' in form
    assert dismissed.number not in form
    more = terms_of_suspension() if step == "suspend" else {}
    for wrong in (
        {"report": ""},
        {"report": dismissed.number},
        {"reason": "system_changed", "report": report.number},
    ):
        answer = previewed(client, address, SANCTION | more | {"report": report.number} | wrong)
        assert answer.status_code == 422
        assert 'id="id_report_error"' in answer.content.decode()
    text = sign(client, address, SANCTION | more | {"report": report.number}).replace("\xa0", " ")
    assert f"se acogió la queja N.º {report.number}" in re.sub(r"<[^>]+>", "", text)
    notice = certificate.notices.get(decision=step)
    assert (notice.reason, notice.reason_number) == ("report_upheld", report.number)
    assert report.number in Client().get(f"/es/c/{certificate.number}/").content.decode()


def test_without_an_upheld_complaint_the_reason_is_not_offered(who, certificate):
    received(certificate)
    form = at_desk(who.certifier).get(f"/staff/certificates/{certificate.number}/suspend/").content.decode()
    assert "report_upheld" not in form
    refuse = registry.measurement(by=who.evaluator)
    assert (
        "report_upheld"
        not in at_desk(who.certifier).get(f"/staff/measurements/{refuse.pk}/refuse/").content.decode()
    )


def test_whoever_looked_into_it_is_told_the_rule_and_cannot_take_the_sanction(who, certificate):
    report = decided(certificate, who.appeals_officer, looked_into_by=who.second_certifier)
    address = f"/staff/certificates/{certificate.number}/revoke/"
    form = at_desk(who.second_certifier).get(address).content.decode()
    assert f'value="{report.number}"' not in form
    assert "Usted investigó la queja" in form or "(regla 2)" in form
    body = {
        "reason": "report_upheld",
        "report": report.number,
        "statement": {"es": "Se revoca.", "en": "It is revoked."},
        "if_sequence": 1,
    }
    api = f"/api/v1/certificates/{certificate.number}/revoke/"
    for user, code in ((who.second_certifier, "looked_into_report"), (who.evaluator, "role_needed")):
        role = Role.CERTIFIER if user is who.second_certifier else Role.EVALUATOR
        answer = holding(user, role).post(api, body, content_type="application/json")
        assert answer.status_code == 403, answer.json()
        assert answer.json()["code"] == code
    root = registry.person("Raíz", Role.CERTIFIER, is_superuser=True, is_staff=True)
    other = received(certificate)
    reports.take_up(other, by=root, at=clock.now())
    reports.ask_holder(other, by=root, at=clock.now(), summary=SUMMARY)
    reports.reply(other, at=clock.now(), text=REPLY, published=True)
    reports.decide(other, by=who.appeals_officer, at=clock.now(), outcome="upheld", reasons=REASONS)
    answer = holding(root, Role.CERTIFIER).post(
        api, body | {"report": other.number}, content_type="application/json"
    )
    assert (answer.status_code, answer.json()["code"]) == (403, "looked_into_report")


def test_programs_name_the_complaint_too(who, certificate):
    report = decided(certificate, who.appeals_officer, looked_into_by=who.second_certifier)
    program, api = (
        holding(who.certifier, Role.CERTIFIER),
        f"/api/v1/certificates/{certificate.number}/suspend/",
    )
    body = {
        "reason": "report_upheld",
        "statement": {"es": "Cambió.", "en": "It changed."},
        "conditions": [{"es": "Volver.", "en": "Go back."}],
        "review_on": (clock.now() + timedelta(days=30)).date().isoformat(),
        "if_sequence": 1,
    }
    for more, code in (
        ({}, "reason_needs_a_report"),
        ({"report": "QJ-2026-999999"}, "report_not_upheld"),
        ({"report": report.number, "reason": "system_changed"}, "reason_needs_a_report"),
        (
            {"report": report.number, "statement": {"es": "Lo vio Violeta Vecina.", "en": "x"}},
            "names_the_reporter",
        ),
    ):
        answer = program.post(api, body | more, content_type="application/json")
        assert (answer.status_code, answer.json()["code"]) == (422, code)
    answer = program.post(api, body | {"report": report.number}, content_type="application/json")
    assert answer.status_code == 200, answer.json()
    assert certificate.notices.get(decision="suspend").reason_number == report.number


def test_a_sanction_does_not_rest_on_an_outcome_that_fell_on_appeal(who, certificate):
    report = decided(certificate, who.second_certifier)
    appealing.decide(appealing.admitted(report.events.get(step=ReportStep.DECIDE).notice, who), who)
    with pytest.raises(IncompleteDecision) as refusal:
        registry.suspend(certificate, by=who.certifier, reason="report_upheld", report=report)
    assert refusal.value.code == "report_not_upheld"


def test_the_pages_of_a_certificate_tell_what_is_open_about_it(who, certificate):
    open_one = with_holder(certificate, who.second_certifier)
    others = received(certificate, kind=ReportKind.MISUSE_BY_OTHERS, place="https://otra.example/")
    appeal = appealing.filed(registry.suspend(certificate, by=who.certifier).notice)
    holder_requests.store(
        certificate,
        by=who.second_certifier,
        at=clock.now(),
        kind="terminate",
        text="Pedimos finalizar el certificado.",
        received_on=clock.now().date(),
    )
    client = at_desk(who.certifier)
    page = client.get(f"/staff/certificates/{certificate.number}/").content.decode()
    for number in (open_one.number, others.number):
        assert f"/staff/reports/{number}/" in page
    assert f"/staff/appeals/{appeal.number}/" in page
    for step, consequence in (("terminate", True), ("revoke", False)):
        form = client.get(f"/staff/certificates/{certificate.number}/{step}/").content.decode()
        assert f"/staff/reports/{open_one.number}/" in form
        assert f"/staff/appeals/{appeal.number}/" in form
        assert f"/staff/reports/{others.number}/" not in form
        assert ("La página pública dirá que estaba en trámite" in form) == consequence


# ── the queue and the morning's letter ───────────────────────────────────────


def in_queue(user) -> dict[str, tuple[str, str]]:
    found = work_queue.read(
        person=user.person, roles=roles.held_by(user), now=clock.now(), filters=Filters(kind=Kind.REPORT)
    )
    matters = [matter for period in found.periods for matter in period.matters]
    with translation.override("es"):
        return {matter.number: (str(matter.title), str(matter.missing)) for matter in matters}


def test_the_queue_tells_what_each_complaint_waits_for(who, certificate):
    arrived, others = received(certificate), received(None)
    reports.take_up(others, by=who.certifier, at=clock.now())
    taken_up = received(certificate)
    reports.take_up(taken_up, by=who.second_certifier, at=clock.now())
    asked = with_holder(certificate, who.second_certifier)
    answered = replied(certificate, who.second_certifier)
    again = decided(certificate, who.second_certifier, "dismissed")
    reports.ask_review(link_to_follow(again), at=clock.now(), why="No se miró el contrato.")
    over = decided(certificate, who.second_certifier)
    told = in_queue(who.appeals_officer)
    assert {number: title for number, (title, _missing) in told.items()} == {
        arrived.number: "Queja recibida",
        others.number: "Queja por decidir",
        taken_up.number: "Queja en trámite",
        asked.number: "Queja en espera del titular",
        answered.number: "Queja por decidir",
        again.number: "Revisión de una queja",
    }
    assert over.number not in told
    page = at_desk(who.appeals_officer).get("/staff/?kind=report").content.decode()
    assert f"/staff/reports/{arrived.number}/" in page
    for secret in (TEXT, EMAIL, "Violeta", "https://otra-empresa"):
        assert secret not in page


def test_when_the_holder_is_silent_the_time_to_decide_counts_from_the_end_of_its_term(
    who, certificate, moving_clock
):
    report = with_holder(certificate, who.second_certifier)
    until = report_rows.life_of(Report.objects.get()).reply_until
    row = report_rows.find(report.number)
    assert reports.next_step_due(row, replied=False, at=until - timedelta(days=1)) == until
    after = until + timedelta(days=reports.DECIDED_WITHIN)
    assert reports.next_step_due(row, replied=False, at=until) == after
    assert not due("complaint", until - timedelta(days=1))
    assert due("complaint", until + timedelta(days=26)) == [report.number]


def due(code: str, at) -> list[str]:
    source = next(one for one in deadline_sources.SOURCES if one.code == code)
    return [one.name for one in source.read(at, at + timedelta(days=source.days))]


def test_whoever_decides_is_reminded_once_in_whatever_roles(who, certificate):
    report = received(certificate)
    both = registry.person("Dora Doble", Role.CERTIFIER, Role.APPEALS_OFFICER)
    deadline = report_rows.find(report.number).standing.deadline_at
    deadlines.remind_staff(at=deadline - timedelta(hours=12))
    for user in (both, who.second_certifier, who.appeals_officer):
        row = Outbox.objects.get(kind="staff.digest", recipient=user.email)
        assert [item["name"] for item in row.data["items"]] == [report.number]
        row.language = "es"
        assert (
            f"Queja que espera su próximo paso: {report.number}" in outbox.message(row, letters.compose).body
        )
    assert not Outbox.objects.filter(kind="staff.digest", recipient=who.registrar.email).exists()


# ── the replay ───────────────────────────────────────────────────────────────


def test_where_complaints_stand_is_where_their_steps_lead(who, certificate):
    declined = received(None)
    reports.decline(declined, by=who.certifier, at=clock.now(), reason="other", reasons=REASONS)
    report = decided(certificate, who.second_certifier, "dismissed")
    reports.ask_review(link_to_follow(report), at=clock.now(), why="No se miró el contrato.")
    reports.erase(declined, at=clock.now())
    found = replay.replay()
    assert (found.reports, found.faults) == (2, ())
    with connection.cursor() as cursor:
        # The owner of the tables can switch triggers off; undone with the test's transaction.
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
        cursor.execute("ALTER TABLE certificates_reportstanding DISABLE TRIGGER USER")
    ReportStanding.objects.filter(report=report).update(state="decided")
    ReportContent.objects.filter(report=report).update(text="Otra cosa.")
    assert {(fault.certificate, fault.code) for fault in replay.replay().faults} == {
        (report.number, "state_differs"),
        (report.number, "content_differs"),
    }


# ── who has it in hand, and notes ────────────────────────────────────────────


def test_a_complaint_is_taken_in_hand_by_whoever_may_work_on_it_and_never_by_who_decided(who):
    report = received(registry.issued(who))
    subject = work_subjects.of(report)
    work.assign(subject, to=who.second_certifier.person, by=who.second_certifier, at=clock.now())
    page = at_desk(who.second_certifier).get("/staff/?hands=mine").content.decode()
    assert report.number in page
    with pytest.raises(work.CannotBeAssigned) as refusal:
        work.assign(
            subject,
            to=who.certifier.person,
            by=who.second_certifier,
            at=clock.now(),
            if_held_by=who.second_certifier.person.pk,
        )
    assert refusal.value.code == "took_part_in_decision"


def test_notes_on_a_complaint_are_for_those_who_may_work_on_it_and_name_nobody(who):
    report = received(registry.issued(who))
    where = f"/staff/work/report/{report.number}/note/"
    client = at_desk(who.second_certifier)
    answer = client.post(where, {"text": "Llamar a Violeta Vecina."})
    assert answer.status_code == 422
    assert "sin nombres" in answer.content.decode()
    assert not StaffNote.objects.exists()
    assert client.post(where, {"text": "Comparar con el contrato."}).status_code == 302
    assert "Comparar con el contrato." in client.get(f"/staff/reports/{report.number}/").content.decode()
    issuer = at_desk(who.certifier)
    assert issuer.get(where).status_code == 403
    assert "Comparar con el contrato." not in issuer.get(f"/staff/reports/{report.number}/").content.decode()
