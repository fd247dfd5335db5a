"""The outbox as the staff see it: who may look, what is shown, and what is done about what did not arrive."""

import re
from datetime import timedelta
from io import BytesIO, StringIO, TextIOWrapper

import pytest
from django.core import mail
from django.core.management import CommandError, call_command

from certificates import letters, lifecycle, undelivered, words
from certificates.models import AppealLink, CertificateState
from certificates.refusals import NotYetFinal
from certificates.states import FINALITY_GRACE
from certificates.tests import desks, registry
from certificates.tests.appealing import filed
from certificates.tests.reporting import received
from evidence import contacts
from registry_site import bounces, clock, outbox
from registry_site.models import AuditEntry, Outbox, OutboxState
from registry_site.problems import NotAllowed

pytestmark = pytest.mark.django_db


@pytest.fixture
def revocation(who):
    return lifecycle.revoke(
        registry.issued(who),
        by=who.certifier,
        at=clock.now(),
        reason="false_declaration",
        statement=registry.STATEMENT,
    )


def to_the_holder(event) -> Outbox:
    return Outbox.objects.get(concerns=event.notice.number, data__to_holder=True)


def send() -> list[mail.EmailMultiAlternatives]:
    mail.outbox.clear()
    outbox.send_due(compose=letters.compose)
    return mail.outbox


def failed(row: Outbox) -> Outbox:
    Outbox.objects.filter(pk=row.pk).update(
        state=OutboxState.FAILED, error="SMTPRecipientsRefused({'contacto@peumo.example': (550, b'no')})"
    )
    row.refresh_from_db()
    return row


def page(client, address: str, status: int = 200) -> str:
    response = client.get(address)
    assert response.status_code == status
    return response.content.decode()


# ── the list ─────────────────────────────────────────────────────────────────


def test_the_list_tells_what_became_of_each_e_mail_and_shows_no_address(who, revocation):
    row = failed(to_the_holder(revocation))
    told = page(desks.at_desk(who.certifier), "/staff/mail/")
    assert "<h1>Correos</h1>" in told
    assert "Revocación" in told
    assert "No entregado" in told
    assert "SMTPRecipientsRefused" in told
    assert row.recipient not in told
    assert "contacto@peumo.example" not in told
    only = page(desks.at_desk(who.certifier), "/staff/mail/?state=failed")
    assert only.count("<tr") == 2, "the head and the one that failed"
    assert "No hay correos en este estado." in page(
        desks.at_desk(who.certifier), "/staff/mail/?state=settled"
    )


def test_the_list_leads_to_the_complaint_that_an_e_mail_is_about(who):
    report = received(registry.issued(who))
    registrar = desks.at_desk(who.registrar)
    assert f'href="/staff/reports/{report.number}/"' in page(registrar, "/staff/mail/")


def test_a_long_list_has_pages_by_the_last_one_seen(who, monkeypatch):
    from certificates.views.staff import mail as door

    monkeypatch.setattr(door, "PAGE_SIZE", 2)
    registry.issued(who)
    client = desks.at_desk(who.certifier)
    first = page(client, "/staff/mail/")
    following = re.search(r'rel="next" href="\?(before=\d+)"', first)[1]
    second = page(client, f"/staff/mail/?{following}")
    numbers = [set(re.findall(r"/staff/mail/(\d+)/", told)) for told in (first, second)]
    assert not numbers[0] & numbers[1]
    assert len(numbers[0] | numbers[1]) == Outbox.objects.count() == 3


@pytest.mark.parametrize("size", [3, 30])
def test_the_list_costs_the_same_at_any_length(who, size, django_assert_max_num_queries):
    for number in range(size):
        outbox.queue("staff.digest", to="a@b.example", language="es", at=clock.now(), concerns=str(number))
    client = desks.at_desk(who.certifier)
    with django_assert_max_num_queries(9):
        page(client, "/staff/mail/")


def test_in_a_registry_without_a_mail_server_the_page_names_the_folder(who, settings, tmp_path):
    settings.EMAIL_BACKEND = "django.core.mail.backends.filebased.EmailBackend"
    settings.EMAIL_FILE_PATH = str(tmp_path / "mail")
    assert str(tmp_path / "mail") in page(desks.at_desk(who.registrar), "/staff/mail/")


# ── who may look ─────────────────────────────────────────────────────────────


def test_who_only_evaluates_sees_no_e_mails(who, revocation):
    client = desks.at_desk(who.evaluator)
    page(client, "/staff/mail/", 403)
    page(client, f"/staff/mail/{to_the_holder(revocation).pk}/", 403)
    assert "/staff/mail/" not in page(client, "/staff/")


def test_what_tells_whoever_appealed_is_for_the_registrar_who_decides_nothing(who, revocation):
    appeal = filed(revocation.notice)
    row = Outbox.objects.filter(concerns=appeal.number).first()
    failed(row)
    registrar, certifier = desks.at_desk(who.registrar), desks.at_desk(who.certifier)
    for address in ("/staff/mail/", "/staff/?kind=mail"):
        assert f"/staff/mail/{row.pk}/" in page(registrar, address)
        assert f"/staff/mail/{row.pk}/" not in page(certifier, address)
    assert appeal.number in page(registrar, f"/staff/mail/{row.pk}/")
    page(certifier, f"/staff/mail/{row.pk}/", 403)
    page(desks.at_desk(who.appeals_officer), "/staff/mail/", 403)
    page(registrar, "/staff/mail/999999/", 404)


def test_the_writer_asks_the_same_as_the_page(who, revocation):
    row = failed(to_the_holder(revocation))
    superuser = registry.person("Susana Superusuaria", is_superuser=True, is_staff=True)
    for user in (who.evaluator, who.appeals_officer, superuser):
        for act in (undelivered.send_again, undelivered.settle, undelivered.came_back):
            with pytest.raises(NotAllowed):
                act(row, by=user, at=clock.now(), **({"note": "x"} if act is undelivered.settle else {}))


# ── one e-mail ───────────────────────────────────────────────────────────────


def test_the_text_is_shown_without_the_secret_of_its_link_and_who_looked_is_recorded(who, revocation):
    (letter,) = [one for one in send() if "/appeal/link/" in one.body]
    (secret,) = re.findall(r"/appeal/link/([A-Za-z0-9_-]+)/", letter.body)
    links = list(AppealLink.objects.values_list("pk", "sha256", "used_at", "expires_at"))
    row = to_the_holder(revocation)
    told = page(desks.at_desk(who.certifier), f"/staff/mail/{row.pk}/")
    assert row.recipient in told
    assert registry.STATEMENT.es in told
    assert "/es/appeal/link/…/" in told
    assert not re.search(r"/appeal/link/[A-Za-z0-9_-]{40}", told)
    assert secret not in told
    assert list(AppealLink.objects.values_list("pk", "sha256", "used_at", "expires_at")) == links
    seen = AuditEntry.objects.get(action="mail.seen")
    assert (seen.person, seen.subject) == (who.certifier.person, f"mail:{row.pk}")
    assert row.recipient not in str(seen.detail)


def test_what_a_letter_says_is_text_and_no_markup(who):
    certificate = registry.issued(who)
    event = lifecycle.revoke(
        certificate,
        by=who.certifier,
        at=clock.now(),
        reason="false_declaration",
        statement={"es": "<script>alert(1)</script>", "en": "<b>x</b>"},
    )
    told = page(desks.at_desk(who.certifier), f"/staff/mail/{to_the_holder(event).pk}/")
    assert "&lt;script&gt;alert(1)" in told
    assert "<script>alert" not in told


def test_one_that_cannot_be_written_out_says_so(who):
    row = outbox.queue("of_a_later_version", to="a@b.example", language="es", at=clock.now())
    assert "No se puede redactar: KeyError." in page(desks.at_desk(who.certifier), f"/staff/mail/{row.pk}/")


# ── what did not arrive ──────────────────────────────────────────────────────


def test_a_failed_letter_of_a_revocation_is_a_matter_of_the_queue(who, revocation):
    failed(to_the_holder(revocation))
    told = page(desks.at_desk(who.certifier), "/staff/?kind=mail")
    assert "Correo no entregado" in told
    assert "El titular no fue avisado: la revocación no queda firme antes." in told
    assert "Correo no entregado" not in page(desks.at_desk(who.evaluator), "/staff/")


def test_a_revocation_of_which_the_holder_was_not_told_does_not_become_final(who, revocation, moving_clock):
    certificate = revocation.certificate
    send()
    row = to_the_holder(revocation)
    client = desks.at_desk(who.certifier)
    answer = client.post(f"/staff/mail/{row.pk}/returned/", {"diagnosis": "550 no such user"}, follow=True)
    assert "Quedó registrado que el correo volvió." in answer.content.decode()
    row.refresh_from_db()
    assert (row.state, row.error, row.returned_at is not None) == ("failed", "550 no such user", True)

    final_from = revocation.appeal_until + FINALITY_GRACE
    with pytest.raises(NotYetFinal) as refusal:
        lifecycle.finalise(certificate, at=final_from)
    assert refusal.value.code == "mail_bounced"
    assert lifecycle.sweep(at=final_from)["finalised"] == 0

    holder = certificate.system_version.system.holder
    asked = clock.now()
    contacts.ask(holder, by=who.registrar.person, at=asked, email="nuevo@peumo.example", language="es")
    assert contacts.apply_due(at=asked + contacts.CONTACT_WAITS) == 1
    send()
    with pytest.raises(NotYetFinal):
        lifecycle.finalise(certificate, at=final_from)
    page_after = client.post(f"/staff/mail/{row.pk}/again/", follow=True).content.decode()
    assert "El correo está de nuevo por enviar" in page_after
    (letter,) = [one for one in send() if "revocado" in one.subject]
    assert letter.to == ["nuevo@peumo.example"]
    assert lifecycle.sweep(at=final_from)["finalised"] == 1
    assert CertificateState.objects.get(number=certificate.number).final
    assert {"mail.returned", "mail.sent_again"} <= set(AuditEntry.objects.values_list("action", flat=True))


def test_told_otherwise_with_a_note_lets_it_become_final(who, revocation, moving_clock):
    row = failed(to_the_holder(revocation))
    client = desks.at_desk(who.registrar)
    refused = client.post(f"/staff/mail/{row.pk}/settle/", {"note": "   "})
    assert refused.status_code == 422
    assert "Hay algo que corregir" in refused.content.decode()
    kept = "Carta certificada del 1 de diciembre."
    client.post(f"/staff/mail/{row.pk}/settle/", {"note": kept})
    row.refresh_from_db()
    assert (row.state, row.note, row.settled_by) == ("settled", kept, who.registrar.person)
    assert kept in page(client, f"/staff/mail/{row.pk}/")
    assert lifecycle.sweep(at=revocation.appeal_until + FINALITY_GRACE)["finalised"] == 1
    assert kept not in str(AuditEntry.objects.get(action="mail.settled").detail)


def test_pressing_twice_does_it_once(who, revocation):
    row = failed(to_the_holder(revocation))
    client = desks.at_desk(who.certifier)
    for _ in range(2):
        answer = client.post(f"/staff/mail/{row.pk}/again/", follow=True)
        assert answer.status_code == 200
    assert "Otra persona ya actuó sobre este correo" in answer.content.decode()
    assert AuditEntry.objects.filter(action="mail.sent_again").count() == 1
    for address in ("settle", "returned"):
        answer = client.post(f"/staff/mail/{row.pk}/{address}/", {"note": "x"}, follow=True)
        assert "Otra persona ya actuó sobre este correo" in answer.content.decode()
    assert client.get(f"/staff/mail/{row.pk}/settle/").status_code == 302
    assert client.get(f"/staff/mail/{row.pk}/again/").status_code == 405


def test_sent_again_it_has_its_attempts_and_its_time_anew(who, revocation):
    row = failed(to_the_holder(revocation))
    Outbox.objects.filter(pk=row.pk).update(attempts=20, deadline_at=clock.now() - timedelta(days=1))
    undelivered.send_again(row, by=who.certifier, at=clock.now())
    assert any(one.to == [row.recipient] for one in send())
    row.refresh_from_db()
    assert (row.state, row.attempts, row.error) == ("sent", 1, "")
    assert AuditEntry.objects.get(action="mail.sent_again").detail["attempts"] == 20


# ── what a mail server says ──────────────────────────────────────────────────

REPORT = """\
From: MAILER-DAEMON@mx.example
To: registro@localhost
Subject: Undelivered Mail Returned to Sender
MIME-Version: 1.0
Content-Type: multipart/report; report-type=delivery-status; boundary="b"

--b
Content-Type: text/plain

I could not deliver it.
--b
Content-Type: message/delivery-status

Reporting-MTA: dns; mx.example

Final-Recipient: rfc822; contacto@peumo.example
Action: {action}
Status: 5.1.1
Diagnostic-Code: smtp; 550 5.1.1 no such
 user
--b
Content-Type: text/rfc822-headers

Message-ID: <{message_id}>
Subject: x
--b--
"""


def report(row: Outbox, action: str = "failed") -> bytes:
    message_id = f"{row.kind}.{row.pk}@testserver"
    return REPORT.format(action=action, message_id=message_id).encode()


def test_a_delivery_report_is_read(revocation):
    row = to_the_holder(revocation)
    assert bounces.read(report(row)) == bounces.Bounce(row.pk, "smtp; 550 5.1.1 no such user")
    assert bounces.read(report(row, action="delayed")) is None
    assert bounces.read(report(row).replace(b"@testserver", b"")) is None
    assert bounces.read(b"\xff\x00 no mail at all") is None
    assert bounces.row_of("<12345@other.example>") is None


def test_the_console_records_a_bounce_by_its_message_id_or_its_report(who, revocation, monkeypatch):
    send()
    first, second = Outbox.objects.filter(concerns=revocation.notice.number).order_by("pk")[:2]
    out = StringIO()
    call_command("record_bounce", f"<{first.kind}.{first.pk}@testserver>", stdout=out)
    monkeypatch.setattr("sys.stdin", TextIOWrapper(BytesIO(report(second))))
    call_command("record_bounce", "-", stdout=out)
    assert set(Outbox.objects.filter(state="failed").values_list("pk", flat=True)) == {first.pk, second.pk}
    assert AuditEntry.objects.filter(action="mail.returned", person=None).count() == 2
    monkeypatch.setattr("sys.stdin", TextIOWrapper(BytesIO(report(second, "delayed"))))
    call_command("record_bounce", "-", stdout=out)
    assert "nothing recorded" in out.getvalue()
    for wrong in ("nonsense", "<certificate.revoked.999999@testserver>", f"<x.{first.pk}@testserver>"):
        with pytest.raises(CommandError):
            call_command("record_bounce", wrong, stdout=out)


def test_every_kind_and_state_of_e_mail_has_its_word():
    assert set(words.MAIL) == set(letters.KINDS)
    assert set(words.MAIL_STATE) == set(OutboxState.values)
