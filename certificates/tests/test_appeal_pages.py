"""The doors to an appeal: the link in the letter, the form, the private page, the staff's pages, the API."""

import re

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from certificates import appeals, attached_files, letters, lifecycle
from certificates.models import Appeal, AppealAttachment, AppealLink, AppealStanding, StatusEvent
from certificates.tests import registry
from certificates.tests.appealing import GROUNDS, REASONS, SUMMARY, admitted, by_link, filed, link_to_follow
from certificates.tests.desks import at_desk, holding
from registry_site import clock, outbox
from registry_site.models import AuditEntry, Outbox
from registry_site.roles import Role

WRITTEN = {"grounds": GROUNDS, "name": "Paula Peumo", "email": "paula@peumo.example"}
PDF = b"%PDF-1.4\n%fin"


@pytest.fixture
def suspension(who):
    return registry.suspend(registry.issued(who), by=who.certifier)


def letter_to_holder(notice) -> str:
    holder = notice.certificate.system_version.system.holder
    row = Outbox.objects.get(concerns=notice.number, recipient=holder.contact_email)
    return outbox.message(row, letters.compose).body


def link_in(body: str) -> str:
    return re.search(r"http://testserver(/es/appeal/(?:link|follow)/[^/\s]+/)", body)[1]


def come(notice, client: Client | None = None) -> Client:
    """A browser that opened the link of the letter."""
    client = client or Client()
    answer = client.get(link_in(letter_to_holder(notice)))
    assert (answer.status_code, answer["Location"]) == (302, "/es/appeal/")
    return client


# ── the holder ───────────────────────────────────────────────────────────────


def test_the_link_of_the_letter_leads_to_the_form_and_the_form_to_a_private_page(who, suspension):
    visitor = come(suspension.notice)
    page = visitor.get("/es/appeal/")
    assert page.status_code == 200
    assert page["Referrer-Policy"] == "same-origin"
    assert "no-store" in page["Cache-Control"]
    assert suspension.notice.number in page.content.decode()
    answer = visitor.post(
        "/es/appeal/", WRITTEN | {"attachments": SimpleUploadedFile("../foto de <b>.pdf", PDF)}
    )
    assert answer.status_code == 302, re.findall(r"class=.err.[^<]*<|<li>.*?</li>", answer.content.decode())
    assert answer["Location"] == "/es/appeal/mine/"
    appeal = Appeal.objects.get()
    own = visitor.get("/es/appeal/mine/").content.decode()
    assert appeal.number in own
    assert "presentada" in own
    assert "foto de &lt;b&gt;.pdf" in own
    kept = AppealAttachment.objects.get()
    with attached_files.storage().open(kept.sha256) as stored:
        assert (kept.kind, stored.read()) == ("pdf", PDF)
    # Back and again: what was recorded is shown, nothing is recorded twice.
    assert come_again(visitor) == "/es/appeal/mine/"
    assert Appeal.objects.count() == 1
    public = Client().get(f"/es/c/{suspension.certificate.number}/").content.decode()
    assert f'id="appeal-{appeal.number}"' in public
    assert (
        f"Hay una apelación en trámite (N.º {appeal.number})"
        in re.sub(r"<[^>]+>|\s+", " ", public).replace("  ", " ").replace("\xa0", " ")
        or appeal.number in public
    )
    for secret in (GROUNDS, "Paula", "paula@peumo.example", "foto de"):
        assert secret not in public


def come_again(visitor: Client) -> str:
    session = visitor.session
    link = AppealLink.objects.filter(purpose="file").first()
    session["appeal_link"] = {**session["appeal_link"], "purpose": "file", "link": link.pk}
    session.save()
    return visitor.post("/es/appeal/", WRITTEN)["Location"]


def test_opening_the_link_changes_nothing_and_twice_does_no_harm(who, suspension):
    body = letter_to_holder(suspension.notice)
    for _ in range(3):
        assert Client().get(link_in(body)).status_code == 302
        assert Client().head(link_in(body)).status_code == 302
    assert not AppealLink.objects.exclude(used_at=None).exists()
    assert Client().post(link_in(body)).status_code == 405


def test_only_the_holders_letter_carries_the_link(who, suspension):
    for row in Outbox.objects.filter(concerns=suspension.notice.number):
        has_it = "/appeal/link/" in outbox.message(row, letters.compose).body
        assert has_it == (row.recipient == suspension.certificate.system_version.system.holder.contact_email)


def test_without_a_link_a_used_one_or_a_wrong_one_the_page_says_so(who, suspension):
    for address in ("/es/appeal/", "/en/appeal/", "/es/appeal/mine/"):
        assert Client().get(address).status_code == 410
    assert Client().get("/es/appeal/link/" + "x" * 43 + "/").status_code == 404
    body = letter_to_holder(suspension.notice)
    come(suspension.notice).post("/es/appeal/", WRITTEN)
    used = Client().get(link_in(body))
    assert used.status_code == 410
    assert "sirve una sola vez" in used.content.decode()


def test_a_session_of_one_decision_is_of_no_use_for_another(who, suspension):
    other = registry.suspend(registry.issued(who), by=who.certifier)
    visitor = come(suspension.notice)
    visitor.post("/es/appeal/", WRITTEN | {"notice": other.notice.number, "number": other.notice.number})
    assert Appeal.objects.get().notice == suspension.notice


def test_an_expired_session_sends_back_to_the_letter(who, suspension):
    visitor = come(suspension.notice)
    session = visitor.session
    session["appeal_link"] = {**session["appeal_link"], "until": clock.now().isoformat()}
    session.save()
    assert visitor.get("/es/appeal/").status_code == 410


@pytest.mark.parametrize(
    ("more", "told"),
    [
        ({"grounds": ""}, "Escriba por qué"),
        ({"grounds": "á" * 100_000}, "100000 caracteres"),
        ({"grounds": "hola\x00"}, "caracteres nulos"),
        ({"email": "nadie"}, "correo"),
        ({"attachments": SimpleUploadedFile("a.exe", b"MZ\x00\x01")}, "Adjunte PDF"),
        ({"attachments": SimpleUploadedFile("a.pdf", b"%PDF-" + b"0" * (10 * 1024**2))}, "10 MB"),
        ({"attachments": [SimpleUploadedFile(f"{n}.txt", b"x") for n in range(6)]}, "5 archivos"),
    ],
)
def test_what_cannot_be_taken_is_said_and_what_was_written_is_kept(who, suspension, more, told):
    visitor = come(suspension.notice)
    answer = visitor.post("/es/appeal/", WRITTEN | more)
    page = answer.content.decode()
    assert answer.status_code == 422
    assert told in page
    assert 'value="Paula Peumo"' in page
    assert not Appeal.objects.exists()


def test_a_gigabyte_is_refused_before_it_is_read(who, suspension):
    visitor = come(suspension.notice)
    answer = visitor.generic(
        "POST",
        "/es/appeal/",
        b"",
        content_type="multipart/form-data; boundary=x",
        CONTENT_LENGTH=str(1024**3),
    )
    assert answer.status_code == 413


def test_a_form_from_another_site_is_refused(who, suspension):
    visitor = come(suspension.notice, Client(enforce_csrf_checks=True))
    assert visitor.post("/es/appeal/", WRITTEN).status_code == 403
    assert not Appeal.objects.exists()


def test_html_in_the_grounds_is_text(who, suspension):
    visitor = come(suspension.notice)
    visitor.post("/es/appeal/", WRITTEN | {"grounds": "<script>alert(1)</script>"})
    own = visitor.get("/es/appeal/mine/").content.decode()
    assert "<script>alert" not in own
    assert "&lt;script&gt;alert(1)" in own
    staff = (
        at_desk(who.appeals_officer).get(f"/staff/appeals/{Appeal.objects.get().number}/").content.decode()
    )
    assert "<script>alert" not in staff


def test_whoever_filed_follows_by_the_link_of_the_confirmation_and_may_withdraw(who, suspension):
    come(suspension.notice).post("/es/appeal/", WRITTEN)
    row = Outbox.objects.get(kind="appeal.filed", recipient=WRITTEN["email"])
    visitor = Client()
    assert visitor.get(link_in(outbox.message(row, letters.compose).body))["Location"] == "/es/appeal/mine/"
    assert "Desistir de la apelación" in visitor.get("/es/appeal/mine/").content.decode()
    for _ in range(2):
        assert visitor.post("/es/appeal/withdraw/")["Location"] == "/es/appeal/mine/"
    assert AppealStanding.objects.get().state == "withdrawn"
    assert "desistida" in visitor.get("/es/appeal/mine/").content.decode()


def test_every_letter_is_written_in_both_languages(who, suspension):
    appeal = admitted(suspension.notice, who)
    appeals.decide(appeal, by=who.appeals_officer, at=clock.now(), outcome="dismissed", reasons=REASONS)
    for row in Outbox.objects.filter(concerns=appeal.number):
        for language in ("es", "en"):
            row.language = language
            letter = outbox.message(row, letters.compose)
            assert appeal.number in letter.subject
            assert "{" not in letter.subject + letter.body
    row = Outbox.objects.get(kind="appeal.decided", recipient=WRITTEN["email"])
    assert outbox.message(row, letters.compose).subject == f"Resultado de la apelación N.º {appeal.number}"
    assert "rechazada" in outbox.message(row, letters.compose).body


# ── where there is no certificate, or no step ────────────────────────────────


@pytest.mark.parametrize(("outcome", "word"), [("upheld", "acogida"), ("dismissed", "rechazada")])
def test_a_refusal_and_its_outcome_have_pages_that_lead_to_each_other(who, outcome, word):
    refusal = lifecycle.refuse_issue(
        registry.measurement(by=who.evaluator),
        by=who.certifier,
        at=clock.now(),
        reason="criteria_not_met",
        statement=registry.STATEMENT,
    )
    visitor = come_by_refusal(refusal)
    assert visitor.get("/es/appeal/").status_code == 200
    appeal = admitted(refusal, who)
    event = appeals.decide(appeal, by=who.appeals_officer, at=clock.now(), outcome=outcome, reasons=REASONS)
    for language in ("es", "en"):
        appealed = Client().get(f"/{language}/notices/{refusal.number}/")
        answered = Client().get(f"/{language}/notices/{event.notice.number}/")
        assert (appealed.status_code, answered.status_code) == (200, 200)
        assert f"/{language}/notices/{event.notice.number}/" in appealed.content.decode()
        assert f"/{language}/notices/{refusal.number}/" in answered.content.decode()
        assert Client().get(f"/{language}/").status_code == 200
    assert word in Client().get(f"/es/notices/{refusal.number}/").content.decode()
    queue = at_desk(who.second_certifier).get("/staff/?kind=measurement").content.decode()
    assert ("/staff/measurements/" in queue) == (outcome == "upheld")


def come_by_refusal(notice) -> Client:
    holder = notice.measurement.system_version.system.holder
    row = Outbox.objects.get(concerns=notice.number, recipient=holder.contact_email)
    client = Client()
    client.get(link_in(outbox.message(row, letters.compose).body))
    return client


def test_a_dismissed_appeal_has_its_notice_beside_the_history(who, suspension):
    appeal = admitted(suspension.notice, who)
    event = appeals.decide(
        appeal, by=who.appeals_officer, at=clock.now(), outcome="dismissed", reasons=REASONS
    )
    answered = Client().get(f"/es/notices/{event.notice.number}/").content.decode()
    assert "Resultado de la apelación contra la decisión" in answered
    page = Client().get(f"/es/c/{suspension.certificate.number}/").content.decode()
    assert f"/es/notices/{event.notice.number}/" in page
    assert REASONS["es"] in page


# ── the staff ────────────────────────────────────────────────────────────────


def sign(client: Client, address: str, written: dict) -> str:
    """Preview, then sign what the preview carries: as a browser does."""
    page = client.post(address, written | {"action": "preview"})
    text = page.content.decode()
    assert page.status_code == 200, text
    seal = re.search(r'name="seal" value="([^"]+)"', text)[1]
    answer = client.post(address, written | {"action": "sign", "seal": seal})
    assert answer.status_code == 302, answer.content.decode()
    return text


def test_from_the_queue_to_in_force_again_and_page_api_and_history_agree(who, suspension):
    number = suspension.certificate.number
    api = f"/api/v1/certificates/{number}"
    appeal = filed(suspension.notice)
    officer = at_desk(who.appeals_officer)
    queue = officer.get("/staff/").content.decode()
    assert f"/staff/appeals/{appeal.number}/" in queue
    page = officer.get(f"/staff/appeals/{appeal.number}/").content.decode()
    assert GROUNDS in page
    assert "paula@peumo.example" in page
    assert AuditEntry.objects.filter(action="appeal.contact_seen", person=who.appeals_officer.person).exists()
    status = Client().get(f"{api}/status/").json()
    assert (status["status"], status["open_appeal"]) == ("suspended", appeal.number)

    text = sign(
        officer,
        f"/staff/appeals/{appeal.number}/admit/",
        {"summary_es": SUMMARY["es"], "summary_en": SUMMARY["en"], "if_sequence": 1},
    )
    assert SUMMARY["es"] in text
    assert SUMMARY["en"] in text
    assert SUMMARY["es"] in Client().get(f"/es/c/{number}/").content.decode()

    certifier = at_desk(who.certifier)
    refused = certifier.get(f"/staff/appeals/{appeal.number}/decide/").content.decode()
    assert "(regla 2)" in refused
    assert '<form method="post" action="/staff/appeals' not in refused
    seen = certifier.get(f"/staff/appeals/{appeal.number}/").content.decode()
    assert "paula@peumo.example" not in seen
    answer = certifier.post(
        f"/staff/appeals/{appeal.number}/decide/",
        {"outcome": "upheld", "reasons_es": "x", "reasons_en": "x", "if_sequence": 2, "action": "preview"},
    )
    assert answer.status_code == 403

    written = {
        "outcome": "upheld",
        "effect": "",
        "reasons_es": REASONS["es"],
        "reasons_en": REASONS["en"],
        "if_sequence": 2,
    }
    before = StatusEvent.objects.count()
    text = sign(officer, f"/staff/appeals/{appeal.number}/decide/", written)
    assert REASONS["en"] in text
    assert StatusEvent.objects.count() == before + 1
    status = Client().get(f"{api}/status/").json()
    assert (status["status"], status["in_force"], status["open_appeal"]) == ("active", True, None)
    events = Client().get(f"{api}/history/").json()["events"]
    assert [event["step"] for event in events] == ["issue", "suspend", "overturn"]
    assert events[1]["appeal"]["outcome"] == "upheld"
    assert events[2]["against"] == suspension.notice.number
    for language, word in (("es", "Vigente"), ("en", "In force")):
        assert word in Client().get(f"/{language}/c/{number}/").content.decode()
    outcome = events[2]["notice"]
    appealed = Client().get(f"/es/notices/{suspension.notice.number}/").content.decode()
    assert f"/es/notices/{outcome}/" in appealed
    answered = Client().get(f"/es/notices/{outcome}/").content.decode()
    assert f"/es/notices/{suspension.notice.number}/" in answered
    assert appeal.number in answered
    assert f"/staff/appeals/{appeal.number}/" not in officer.get("/staff/").content.decode()


def test_an_attachment_leaves_as_a_download_for_whoever_decides(who, suspension):
    visitor = come(suspension.notice)
    visitor.post("/es/appeal/", WRITTEN | {"attachments": SimpleUploadedFile("nota.txt", b"<b>hola</b>")})
    number = Appeal.objects.get().number
    answer = at_desk(who.appeals_officer).get(f"/staff/appeals/{number}/attachments/0/")
    assert answer["Content-Type"] == "application/octet-stream"
    assert answer["Content-Disposition"].startswith("attachment")
    assert b"".join(answer.streaming_content) == b"<b>hola</b>"
    assert at_desk(who.certifier).get(f"/staff/appeals/{number}/attachments/0/").status_code == 403
    assert at_desk(who.appeals_officer).get(f"/staff/appeals/{number}/attachments/7/").status_code == 404


def test_a_second_press_says_that_it_stands_and_records_nothing(who, suspension):
    appeal = filed(suspension.notice)
    officer, address = at_desk(who.appeals_officer), f"/staff/appeals/{appeal.number}/admit/"
    written = {"summary_es": SUMMARY["es"], "summary_en": SUMMARY["en"], "if_sequence": 1}
    seal = re.search(
        r'name="seal" value="([^"]+)"',
        officer.post(address, written | {"action": "preview"}).content.decode(),
    )[1]
    for _ in range(2):
        assert officer.post(address, written | {"action": "sign", "seal": seal}).status_code == 302
    assert appeal.events.count() == 2


def test_a_late_appeal_is_not_offered_for_admission(who, suspension, moving_clock):
    appeal = filed(suspension.notice, at=suspension.appeal_until)
    page = at_desk(who.appeals_officer).get(f"/staff/appeals/{appeal.number}/").content.decode()
    assert "declare_inadmissible" in page
    assert f"/staff/appeals/{appeal.number}/admit/" not in page


# ── the API ──────────────────────────────────────────────────────────────────


def test_programs_meet_the_same_rules(who, suspension):
    appeal = filed(suspension.notice)
    address = f"/api/v1/appeals/{appeal.number}/"
    told = Client().get(address).json()
    assert (told["state"], told["against"]) == ("filed", suspension.notice.number)
    assert GROUNDS not in str(told)
    body = {"outcome": "upheld", "reasons": REASONS}
    for user, role, code in (
        (who.certifier, Role.CERTIFIER, "took_part_in_decision"),
        (who.evaluator, Role.EVALUATOR, "took_part_in_evaluation"),
        (who.second_certifier, Role.CERTIFIER, "role_missing"),
    ):
        answer = holding(user, role).post(address + "decide/", body, content_type="application/json")
        assert (answer.status_code, answer.json()["code"]) == (403, code)
    assert Client().post(address + "decide/", body, content_type="application/json").status_code == 401
    officer = holding(who.appeals_officer, Role.APPEALS_OFFICER)
    early = officer.post(address + "decide/", body, content_type="application/json")
    assert (early.status_code, early.json()["code"]) == (409, "appeal_out_of_order")
    assert (
        officer.post(address + "admit/", {"summary": SUMMARY}, content_type="application/json").status_code
        == 200
    )
    decided = officer.post(address + "decide/", body, content_type="application/json")
    assert (decided.status_code, decided.json()["outcome"]) == (200, "upheld")
    assert Client().get("/api/v1/appeals/AP-2026-999999/").json()["code"] == "appeal_not_found"
    assert lifecycle  # the outcome went through it
    assert (
        Client().get(f"/api/v1/certificates/{suspension.certificate.number}/status/").json()["in_force"]
        is True
    )


def test_a_followed_link_of_another_appeal_withdraws_only_that_one(who, suspension):
    other = registry.suspend(registry.issued(who), by=who.certifier)
    first, second = filed(suspension.notice), filed(other.notice)
    appeals.withdraw(by_link(link_to_follow(second)), at=clock.now())
    assert AppealStanding.objects.get(appeal=first).state == "filed"
