"""The doors to a complaint: the form, the link that confirms it, the private page, the holder's reply, the API."""

import re
from datetime import timedelta

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from certificates import letters, reports
from certificates.models import Report, ReportAttachment, ReportContent, ReportDraft, ReportLink, ReportReply
from certificates.report_states import ReportStep
from certificates.tests import registry
from certificates.tests.desks import by_password
from certificates.tests.reporting import (
    EMAIL,
    REPLY,
    SUMMARY,
    TEXT,
    decide,
    link_to_follow,
    received,
    replied,
    sent,
    with_holder,
)
from certificates.views import tickets
from evidence import memberships
from registry_site import clock, outbox
from registry_site.models import AuditEntry, Outbox
from registry_site.problems import NotAllowed

WRITTEN = {"kind": "system_changed", "text": TEXT, "name": "Violeta Vecina", "email": EMAIL}
PDF = b"%PDF-1.4\n%fin"


@pytest.fixture
def certificate(who):
    return registry.issued(who)


@pytest.fixture(autouse=True)
def read_in_no_time(monkeypatch):
    monkeypatch.setattr(tickets, "QUICKEST", timedelta(0))


def body_to(recipient: str, kind: str) -> str:
    row = Outbox.objects.filter(recipient=recipient, kind=kind).latest("pk")
    return outbox.message(row, letters.compose).body


def link_in(body: str) -> str:
    return re.search(r"http://testserver(/es/report/(?:link|follow|reply)/[^/\s]+/)", body)[1]


def ticket_of(visitor: Client, address: str = "/es/report/") -> str:
    return re.search(r'name="ticket" value="([^"]+)"', visitor.get(address).content.decode())[1]


def send(visitor: Client, about=None, **more):
    written = WRITTEN | {"certificate": about.number if about else "", **more}
    written.setdefault("ticket", ticket_of(visitor))
    return visitor.post("/es/report/", written)


def come(visitor: Client) -> Client:
    assert visitor.get(link_in(body_to(EMAIL, "report.confirm")))["Location"] == "/es/report/confirm/"
    return visitor


def followed(report: Report, visitor: Client | None = None) -> Client:
    """A browser that opened a link to the private page."""
    visitor = visitor or Client()
    session = visitor.session
    session["report_follow"] = {
        "link": link_to_follow(report).pk,
        "purpose": "follow",
        "until": (clock.now() + timedelta(hours=1)).isoformat(),
    }
    session.save()
    return visitor


def asked_holder(certificate) -> Client:
    """A browser of the holder, who opened the link of its letter."""
    holder = certificate.system_version.system.holder
    visitor = Client()
    answer = visitor.get(link_in(body_to(holder.contact_email, "report.with_holder")))
    assert answer["Location"] == "/es/report/reply/"
    return visitor


def text_of(answer) -> str:
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", answer.content.decode())).replace("\xa0", " ")


# ── sending and confirming ───────────────────────────────────────────────────


def test_a_visitor_complains_confirms_by_the_letter_and_follows_on_a_private_page(who, certificate):
    visitor = Client()
    page = visitor.get(f"/es/report/?certificate={certificate.number.lower()}")
    assert page.status_code == 200
    assert certificate.names["system"] in text_of(page)
    answer = send(visitor, certificate, attachments=SimpleUploadedFile("../foto de <b>.pdf", PDF))
    assert (answer.status_code, answer["Location"]) == (302, "/es/report/sent/")
    assert EMAIL in text_of(visitor.get("/es/report/sent/"))
    assert not Report.objects.exists()

    come(visitor)
    shown = visitor.get("/es/report/confirm/")
    assert TEXT in text_of(shown)
    assert "foto de &lt;b&gt;.pdf" in shown.content.decode()
    assert not Report.objects.exists(), "looking confirms nothing"
    assert visitor.post("/es/report/confirm/")["Location"] == "/es/report/mine/"
    report = Report.objects.get()
    assert (report.certificate, report.kind) == (certificate, "system_changed")
    assert ReportAttachment.objects.get().kind == "pdf"
    own = visitor.get("/es/report/mine/")
    assert own["Referrer-Policy"] == "same-origin"
    assert "no-store" in own["Cache-Control"]
    for told in (report.number, "recibida", TEXT, "foto de"):
        assert told in text_of(own)
    # Back and again: what was recorded is shown, and nothing is recorded twice.
    for act in (visitor.get, visitor.post):
        assert act("/es/report/confirm/")["Location"] == "/es/report/mine/"
    assert Report.objects.count() == 1
    assert "Nothing waits" in text_of(visitor.get("/en/report/sent/"))


def test_a_number_is_read_in_any_spelling(who, certificate):
    send(Client(), None, certificate=certificate.number.replace("-", " ").lower())
    assert ReportDraft.objects.get().certificate == certificate


def test_what_others_do_with_a_mark_needs_a_place_and_no_certificate(who):
    visitor = Client()
    refused = send(visitor, kind="misuse_by_others")
    assert refused.status_code == 422
    assert "una dirección o un lugar" in text_of(refused)
    send(visitor, kind="misuse_by_others", place="https://otra.example/")
    assert ReportDraft.objects.get().place == "https://otra.example/"


@pytest.mark.parametrize(
    ("more", "told"),
    [
        ({"kind": ""}, "Elija de qué trata"),
        ({"kind": "nonsense"}, "Elija de qué trata"),
        ({"certificate": ""}, "Escriba el número del certificado"),
        ({"certificate": "FEH-2026-999999-00"}, "Revise los dos últimos dígitos"),
        ({"certificate": "ninguno"}, "Se buscó: «ninguno»"),
        ({"text": ""}, "Diga de qué se trata"),
        ({"text": "á" * 100_000}, "100000 caracteres"),
        ({"text": "hola\x00"}, "caracteres nulos"),
        ({"text": "a\u202eb"}, "sentido de la escritura"),
        ({"email": "nadie"}, "correo"),
        ({"reference": "https://spam.example"}, "campo que las personas no ven"),
        ({"ticket": "nonsense"}, "abierto demasiado tiempo"),
        ({"attachments": SimpleUploadedFile("a.exe", b"MZ\x00\x01")}, "Adjunte PDF"),
        ({"attachments": SimpleUploadedFile("a.pdf", b"%PDF-" + b"0" * (10 * 1024**2))}, "10 MB"),
        ({"attachments": [SimpleUploadedFile(f"{n}.txt", b"x") for n in range(6)]}, "5 archivos"),
    ],
)
def test_what_cannot_be_taken_is_said_and_what_was_written_is_kept(who, certificate, more, told):
    answer = send(Client(), **({"certificate": certificate.number} | more))
    assert answer.status_code == 422
    assert told in text_of(answer)
    assert 'value="Violeta Vecina"' in answer.content.decode()
    assert not ReportDraft.objects.exists()
    assert not Outbox.objects.filter(kind="report.confirm").exists()


def test_a_form_that_comes_back_at_once_was_not_read_by_a_person(who, certificate, monkeypatch):
    monkeypatch.setattr(tickets, "QUICKEST", timedelta(hours=1))
    visitor = Client()
    refused = send(visitor, certificate)
    assert refused.status_code == 422
    assert "demasiado rápido" in text_of(refused)
    monkeypatch.setattr(tickets, "QUICKEST", timedelta(0))
    # The form that is shown again goes on counting, and can be sent.
    ticket = re.search(r'name="ticket" value="([^"]+)"', refused.content.decode())[1]
    assert send(visitor, certificate, ticket=ticket).status_code == 302


def test_a_form_sends_once_however_often_it_is_sent(who, certificate):
    visitor, ticket = Client(), ticket_of(Client())
    for browser in (visitor, visitor, Client()):
        assert send(browser, certificate, ticket=ticket)["Location"] == "/es/report/sent/"
    assert ReportDraft.objects.count() == 1
    assert Outbox.objects.filter(kind="report.confirm").count() == 1
    come(visitor).post("/es/report/confirm/")
    assert send(visitor, certificate, ticket=ticket)["Location"] == "/es/report/sent/"
    assert not ReportDraft.objects.exists()


def test_a_flood_from_one_address_is_told_to_wait_and_keeps_what_was_written(who, certificate, settings):
    settings.API_RATES = settings.API_RATES | {"reports": (2, 3600)}
    visitor = Client()
    assert [send(visitor, certificate).status_code for _ in range(3)] == [302, 302, 429]
    assert 'value="Violeta Vecina"' in send(visitor, certificate).content.decode()
    assert ReportDraft.objects.count() == 2


def test_a_gigabyte_is_refused_before_it_is_read(who):
    answer = Client().generic(
        "POST",
        "/es/report/",
        b"",
        content_type="multipart/form-data; boundary=x",
        CONTENT_LENGTH=str(1024**3),
    )
    assert answer.status_code == 413


def test_a_form_from_another_site_is_refused(who, certificate):
    visitor = Client(enforce_csrf_checks=True)
    assert send(visitor, certificate).status_code == 403
    assert not ReportDraft.objects.exists()


def test_a_link_to_a_certificate_that_there_is_not_says_so(who, certificate):
    mistyped = certificate.number[:-2] + ("11" if certificate.number[-2:] != "11" else "22")
    assert "Revise los dos últimos dígitos" in text_of(Client().get(f"/es/report/?certificate={mistyped}"))
    assert "Se buscó: «x»" in text_of(Client().get("/es/report/?certificate=x"))
    assert "<script>" not in Client().get("/es/report/?certificate=<script>").content.decode()


# ── links ────────────────────────────────────────────────────────────────────


def test_opening_a_link_changes_nothing_and_twice_does_no_harm(who, certificate):
    send(Client(), certificate)
    link = link_in(body_to(EMAIL, "report.confirm"))
    for _ in range(2):
        assert Client().get(link).status_code == 302
        assert Client().head(link).status_code == 302
    assert Client().post(link).status_code == 405
    assert not Report.objects.exists()
    assert not ReportLink.objects.exclude(used_at=None).exists()


def test_a_second_click_later_tells_the_number_and_nothing_else(who, certificate):
    visitor = Client()
    send(visitor, certificate)
    link = link_in(body_to(EMAIL, "report.confirm"))
    visitor.get(link)
    visitor.post("/es/report/confirm/")
    later = Client().get(link)
    assert later.status_code == 410
    assert Report.objects.get().number in text_of(later)
    assert TEXT not in text_of(later)


def test_without_a_link_an_expired_one_or_one_of_another_purpose_the_page_says_so(who, certificate):
    for address in ("/es/report/confirm/", "/en/report/mine/", "/es/report/reply/"):
        assert Client().get(address).status_code == 410
        assert Client().post(address).status_code == 410
    for purpose in ("link", "follow", "reply"):
        assert Client().get(f"/es/report/{purpose}/{'x' * 43}/").status_code == 404
    send(Client(), certificate)
    link = link_in(body_to(EMAIL, "report.confirm"))
    assert Client().get(link.replace("/link/", "/follow/")).status_code == 404
    visitor = come(Client())
    ReportLink.objects.update(expires_at=clock.now())
    assert "venció" in text_of(Client().get(link)) or Client().get(link).status_code == 410
    assert visitor.post("/es/report/confirm/").status_code == 410
    assert not Report.objects.exists()


def test_what_was_forgotten_unconfirmed_cannot_be_confirmed_any_more(who, certificate):
    send(Client(), certificate)
    visitor = come(Client())
    reports.sweep(at=ReportDraft.objects.get().expires_at)
    assert visitor.post("/es/report/confirm/").status_code == 410
    assert not Report.objects.exists()


def test_html_is_text_everywhere(who, certificate):
    visitor = Client()
    send(visitor, certificate, text="<script>alert(1)</script>", name="<b>yo</b>")
    come(visitor)
    for page in (visitor.get("/es/report/confirm/"), visitor.post("/es/report/confirm/", follow=True)):
        assert "<script>alert" not in page.content.decode()
        assert "&lt;script&gt;alert(1)" in page.content.decode()
        assert "<b>yo" not in page.content.decode()


# ── the private page ─────────────────────────────────────────────────────────


def test_the_private_page_says_what_happens_next_at_every_step(who, certificate):
    report = received(certificate)
    visitor = followed(report)

    def now() -> str:
        return text_of(visitor.get("/es/report/mine/"))

    assert "si es de nuestra competencia" in now()
    reports.take_up(report, by=who.second_certifier, at=clock.now())
    assert "Es de nuestra competencia" in now()
    reports.ask_holder(report, by=who.second_certifier, at=clock.now(), summary=SUMMARY)
    assert "El titular puede responder hasta el" in now()
    reports.reply(report, at=clock.now(), text={"es": "RESPUESTA RESERVADA"}, published=False)
    assert "El titular respondió" in now()
    assert "RESPUESTA RESERVADA" not in now()
    decide(report, who.second_certifier, "dismissed")
    assert "rechazada" in now()
    assert "Se comprobó en el sitio del titular" in now()
    assert visitor.post("/es/report/mine/", {"why": " "}).status_code == 422
    for _ in range(2):
        assert (
            visitor.post("/es/report/mine/", {"why": "Falta ver la captura."})["Location"]
            == "/es/report/mine/"
        )
    assert "Otra persona" in now()
    assert "Falta ver la captura." in now()
    assert report.events.filter(step=ReportStep.ASK_REVIEW).count() == 1


def test_what_is_outside_our_remit_says_why_to_whoever_complained_alone(who, certificate):
    report = received(certificate)
    reasons = {"es": "Compete al tribunal.", "en": "It is for the court."}
    reports.decline(report, by=who.second_certifier, at=clock.now(), reason="another_body", reasons=reasons)
    own = text_of(followed(report).get("/es/report/mine/"))
    assert "fuera de nuestra competencia" in own
    assert "Compete al tribunal." in own
    assert report.number not in text_of(Client().get(f"/es/c/{certificate.number}/"))


def test_an_upheld_complaint_is_not_reviewed(who, certificate):
    report = replied(certificate, who.second_certifier)
    decide(report, who.second_certifier)
    visitor = followed(report)
    assert "Pedir una revisión" not in text_of(visitor.get("/es/report/mine/"))
    assert visitor.post("/es/report/mine/", {"why": "x"}).status_code == 302
    assert not report.events.filter(step=ReportStep.ASK_REVIEW).exists()


def test_one_complaints_link_shows_no_other(who, certificate):
    other = received(certificate, text="Otra cosa muy distinta.")
    own = text_of(followed(received(certificate)).get(f"/es/report/mine/?number={other.number}"))
    assert other.number not in own
    assert "Otra cosa" not in own


def test_after_the_erasure_the_private_page_is_gone(who, certificate):
    report = received(certificate)
    visitor = followed(report)
    reports.erase(report, at=clock.now())
    assert visitor.get("/es/report/mine/").status_code == 410
    assert ReportContent.objects.get().text == ""


# ── the holder ───────────────────────────────────────────────────────────────


def test_the_holder_replies_sees_the_public_text_first_and_the_public_reads_it(who, certificate):
    report = with_holder(certificate, who.second_certifier)
    visitor = asked_holder(certificate)
    page = visitor.get("/es/report/reply/")
    assert SUMMARY["es"] in text_of(page)
    for secret in (TEXT, EMAIL, "Violeta"):
        assert secret not in text_of(page)
    written = {"text_es": REPLY["es"], "publish": "yes"}
    preview = visitor.post("/es/report/reply/", written | {"action": "preview"})
    assert preview.status_code == 200
    assert REPLY["es"] in text_of(preview)
    assert not ReportReply.objects.exists()
    assert REPLY["es"] in text_of(visitor.post("/es/report/reply/", written | {"action": "edit"}))
    for _ in range(2):
        answer = visitor.post("/es/report/reply/", written | {"action": "send"}, follow=True)
        assert "La respuesta quedó registrada" in text_of(answer)
    assert ReportReply.objects.count() == 1
    public = text_of(Client().get(f"/es/c/{certificate.number}/"))
    assert report.number in public
    assert REPLY["es"] in public


def test_an_unpublished_reply_is_nowhere_public(who, certificate):
    with_holder(certificate, who.second_certifier)
    written = {"text_es": "Solo para quien decide.", "publish": "no", "action": "send"}
    asked_holder(certificate).post("/es/report/reply/", written)
    assert ReportContent.objects.get().reply_text == "Solo para quien decide."
    for address in (f"/es/c/{certificate.number}/", f"/api/v1/certificates/{certificate.number}/"):
        assert "Solo para quien decide." not in Client().get(address).content.decode()


@pytest.mark.parametrize(
    ("written", "told"),
    [
        ({"text_es": " ", "publish": "yes"}, "Escriba la respuesta"),
        ({"text_es": "Sí."}, "Elija quién puede leer la respuesta"),
        ({"text_es": "á" * 100_000, "publish": "yes"}, "100000 caracteres"),
        ({"text_es": "a\u202eb", "publish": "no"}, "sentido de la escritura"),
    ],
)
def test_what_a_reply_needs(who, certificate, written, told):
    with_holder(certificate, who.second_certifier)
    answer = asked_holder(certificate).post("/es/report/reply/", written | {"action": "send"})
    assert answer.status_code == 422
    assert told in text_of(answer)
    assert not ReportReply.objects.exists()


def test_a_reply_after_its_term_or_after_the_decision_is_refused(who, certificate):
    with_holder(certificate, who.second_certifier)
    visitor = asked_holder(certificate)
    ReportLink.objects.filter(purpose="reply").update(expires_at=clock.now())
    written = {"text_es": "Tarde.", "publish": "yes", "action": "send"}
    assert visitor.post("/es/report/reply/", written).status_code == 410
    assert not ReportReply.objects.exists()


def test_the_holders_people_reply_from_their_account_too(who, certificate):
    report = with_holder(certificate, who.second_certifier)
    holder = certificate.system_version.system.holder
    paula = registry.person("Paula Peumo")
    address = f"/holder/{holder.pk}/complaints/{report.number}/reply/"
    assert by_password(paula).get(address).status_code == 404
    memberships.link(holder, user=paula, by=who.registrar.person, at=clock.now())
    browser = by_password(paula)
    assert report.number in text_of(browser.get(f"/holder/{holder.pk}/"))
    listed = text_of(browser.get(f"/holder/{holder.pk}/complaints/"))
    assert SUMMARY["es"] in listed
    for secret in (TEXT, EMAIL, "Violeta"):
        assert secret not in listed + text_of(browser.get(address))
    written = {"text_es": REPLY["es"], "publish": "yes"}
    assert REPLY["es"] in text_of(browser.post(address, written | {"action": "preview"}))
    for _ in range(2):
        answer = browser.post(address, written | {"action": "send"}, follow=True)
        assert "La respuesta quedó registrada" in text_of(answer)
    assert ReportReply.objects.count() == 1
    assert AuditEntry.objects.get(action="report.replied").person == paula.person
    other = registry.issued(who)
    foreign = other.system_version.system.holder
    hers = with_holder(other, who.second_certifier)
    for path in (f"{foreign.pk}/complaints/", f"{holder.pk}/complaints/{hers.number}/reply/"):
        assert browser.get(f"/holder/{path}").status_code == 404
    with pytest.raises(NotAllowed):
        reports.reply(hers, at=clock.now(), text=REPLY, published=True, by=paula)


def test_the_english_pages_are_whole(who, certificate):
    visitor = Client()
    assert "What happens next" in text_of(visitor.get("/en/report/"))
    report = with_holder(certificate, who.second_certifier)
    assert "The holder may reply until" in text_of(followed(report, visitor).get("/en/report/mine/"))
    holder = asked_holder(certificate)
    assert "You may reply until" in text_of(holder.get("/en/report/reply/"))


def test_what_comes_by_no_form_is_sent_each_time(who, certificate):
    assert sent(certificate).once != sent(certificate).once


# ── what everybody reads ─────────────────────────────────────────────────────


def test_nothing_personal_is_on_any_public_page_nor_in_the_api(who, certificate):
    report = replied(certificate, who.second_certifier, place="https://sitio-reservado.example/")
    first = decide(report, who.second_certifier, "dismissed")
    number, against = certificate.number, [f"notices/{first.notice.number}/", ""]
    reports.ask_review(link_to_follow(report), at=clock.now(), why="Motivo reservado.")
    assert report.number in text_of(Client().get(f"/es/notices/{first.notice.number}/"))
    addresses = [f"/{language}/{path}" for language in ("es", "en") for path in (f"c/{number}/", *against)]
    addresses += [
        f"/api/v1/certificates/{number}/{below}" for below in ("", "history/", "status/", "figures/")
    ]
    addresses += [f"/api/v1/reports/{report.number}/", f"/api/v1/notices/{first.notice.number}/"]
    for address in addresses:
        answer = Client().get(address)
        assert answer.status_code == 200, address
        for secret in (TEXT, EMAIL, "Violeta", "sitio-reservado", "Motivo reservado", SUMMARY["es"]):
            assert secret not in answer.content.decode(), (address, secret)


def test_page_notice_and_api_tell_the_same_of_a_complaint(who, certificate):
    report = replied(certificate, who.second_certifier)
    status = f"/api/v1/certificates/{certificate.number}/status/"
    assert Client().get(status).json()["open_report"] == report.number
    event = decide(report, who.second_certifier)
    assert Client().get(status).json()["open_report"] is None
    (told,) = Client().get(f"/api/v1/certificates/{certificate.number}/history/").json()["reports"]
    assert told == Client().get(f"/api/v1/reports/{report.number.lower()}/").json()
    assert (told["outcome"], told["notice"]) == ("upheld", event.notice.number)
    assert told["reply"]["es"] == REPLY["es"]
    for address in (f"/es/c/{certificate.number}/", f"/es/notices/{event.notice.number}/"):
        page = text_of(Client().get(address))
        for part in (report.number, "acogida", REPLY["es"], "Se comprobó en el sitio del titular"):
            assert part in page.replace("Acogida", "acogida"), (address, part)
    assert (
        f"/es/report/?certificate={certificate.number}"
        in Client().get(f"/es/c/{certificate.number}/").content.decode()
    )


def test_the_notice_on_what_others_do_names_no_certificate(who, certificate):
    report = received(certificate, kind="misuse_by_others", place="https://otra.example/")
    reports.take_up(report, by=who.certifier, at=clock.now())
    event = decide(report, who.certifier)
    for language, word in (("es", "acogida"), ("en", "upheld")):
        page = Client().get(f"/{language}/notices/{event.notice.number}/")
        assert page.status_code == 200
        assert report.number in text_of(page)
        assert word in text_of(page).lower()
        assert certificate.number not in page.content.decode()
    assert Client().get(f"/api/v1/reports/{report.number}/").json()["notice"] == event.notice.number


def test_a_complaint_that_the_holder_was_not_told_of_is_not_in_the_api(who, certificate):
    report = received(certificate)
    reports.take_up(report, by=who.second_certifier, at=clock.now())
    for number in (report.number, "QJ-2026-999999", "nonsense"):
        answer = Client().get(f"/api/v1/reports/{number}/")
        assert (answer.status_code, answer.json()["code"]) == (404, "report_not_found")


# ── a program that complains ─────────────────────────────────────────────────


def post(body: dict):
    return Client().post("/api/v1/reports/", body, content_type="application/json", HTTP_ACCEPT_LANGUAGE="en")


def test_a_program_sends_a_complaint_that_its_sender_confirms_by_e_mail(who, certificate):
    answer = post(WRITTEN | {"certificate": certificate.number.lower()})
    assert (answer.status_code, answer.json()["state"]) == (202, "unconfirmed")
    draft = ReportDraft.objects.get()
    assert (draft.certificate, draft.language) == (certificate, "en")
    assert "/en/report/link/" in body_to(EMAIL, "report.confirm")
    assert not Report.objects.exists()


@pytest.mark.parametrize(
    ("more", "status", "pointer"),
    [
        ({"kind": "nonsense"}, 400, "/kind"),
        ({"certificate": ""}, 400, "/certificate"),
        ({"certificate": "FEH-2026-999999-00"}, 422, "/certificate"),
        ({"certificate": "nonsense"}, 422, "/certificate"),
        ({"text": "a" * 100_000}, 400, "/text"),
        ({"text": "a\u202eb"}, 422, "/text"),
        ({"email": "nobody"}, 400, "/email"),
        ({"kind": "misuse_by_others"}, 422, "/place"),
        ({"attachments": []}, 400, "/attachments"),
    ],
)
def test_what_a_program_sends_wrongly_is_named_by_its_field(who, certificate, more, status, pointer):
    answer = post(WRITTEN | {"certificate": certificate.number} | more)
    assert answer.status_code == status
    assert [one["pointer"] for one in answer.json()["errors"]] == [pointer]
    assert not ReportDraft.objects.exists()


def test_a_program_that_floods_is_told_when_to_come_back(who, certificate, settings):
    settings.API_RATES = settings.API_RATES | {"reports": (1, 1800)}
    body = WRITTEN | {"certificate": certificate.number}
    assert [post(body).status_code for _ in range(2)] == [202, 429]
    assert int(post(body)["Retry-After"]) > 0
