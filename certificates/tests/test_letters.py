"""The e-mails about decisions say what the notice says, in the reader's language; nothing is stored twice."""

import pytest
from django.core import mail

from certificates import letters, lifecycle
from certificates.tests import registry
from registry_site import clock, outbox
from registry_site.models import Outbox

pytestmark = pytest.mark.django_db


def sent():
    """The letters that are due, by recipient and subject."""
    mail.outbox.clear()
    outbox.send_due(compose=letters.compose)
    assert not Outbox.objects.exclude(state="sent").exists(), (
        Outbox.objects.exclude(state="sent").first().error
    )
    return {(letter.to[0], letter.subject): letter for letter in mail.outbox}


def to(found, recipient):
    return [(subject, letter) for (address, subject), letter in found.items() if address == recipient]


def test_a_suspension_is_told_with_its_conditions_and_deadlines(who):
    who.certifier.language = "en"
    who.certifier.save()
    certificate = registry.issued(who)
    sent()
    registry.suspend(certificate, by=who.certifier)
    found = sent()
    holder = certificate.system_version.system.holder

    ((subject, letter),) = to(found, holder.contact_email)
    assert subject == f"Certificado {certificate.number} suspendido: condiciones y plazo"
    assert registry.STATEMENT.es in letter.body
    assert f"- {registry.CONDITIONS[0].es}" in letter.body
    assert "Se puede apelar hasta" in letter.body
    assert f"/es/c/{certificate.number}/" in letter.body
    assert letter.body.count("http://testserver/es/") == letter.body.count("http") == 2
    assert letter.body.count("/es/appeal/link/") == 1, "the way to appeal, for the holder alone"

    ((subject, letter),) = to(found, who.certifier.email)
    assert subject == f"Certificate {certificate.number} suspended: conditions and deadline"
    assert registry.STATEMENT.en in letter.body
    assert registry.STATEMENT.es not in letter.body


def test_a_revocation_says_until_when_one_may_appeal(who):
    certificate = registry.certificate_at(registry.Status.REVOKED, who)
    notice = certificate.notices.get(decision="revoke")
    found = sent()
    holder = certificate.system_version.system.holder
    subjects = [subject for subject, _letter in to(found, holder.contact_email)]
    assert any(
        subject.startswith(f"Certificado {certificate.number} revocado: puede apelar hasta el ")
        for subject in subjects
    )
    assert notice.appeal_until is not None


def test_the_text_of_a_notice_is_escaped_in_html(who):
    certificate = registry.issued(who)
    sent()
    lifecycle.revoke(
        certificate,
        by=who.certifier,
        at=clock.now(),
        reason="false_declaration",
        statement={"es": "El titular declaró <b>datos</b> & más.", "en": "<script>alert(1)</script>"},
    )
    for letter in sent().values():
        html = letter.alternatives[0].content
        assert "<script>" not in html
        assert "<b>" not in html
        assert "&amp;" not in letter.body


@pytest.mark.parametrize("status", list(registry.Status))
def test_every_step_has_its_letter(who, status):
    certificate = registry.certificate_at(status, who)
    if status is registry.Status.EXPIRED:
        import time

        time.sleep(0.25)
        lifecycle.sweep(at=clock.now())
    assert sent()
    assert certificate.number


def test_a_refusal_is_told_though_there_is_no_certificate(who):
    measured = registry.measurement(by=who.evaluator)
    notice = lifecycle.refuse_issue(measured, by=who.certifier, at=clock.now(), statement=registry.STATEMENT)
    found = sent()
    assert all(subject.split("N.º ")[-1].split("No. ")[-1].startswith(notice.number) for _, subject in found)


def test_every_kind_of_decision_letter_has_a_subject():
    assert set(letters._SUBJECTS) == {letters.REFUSED, *letters.STEPS.values()}
