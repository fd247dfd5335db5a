"""Personal data goes in its time: from every table, from every file and from the log; the record stays."""

import io
import logging
import os
import time
from datetime import timedelta

import pytest
from django.core import mail
from django.db import connection
from django.test import Client

from certificates import (
    appeal_links,
    appeals,
    attached_files,
    collecting,
    letters,
    replay,
    reports,
    undelivered,
)
from certificates.models import Appeal, AppealContact, AppealLink, Report
from certificates.models.appeal import LinkPurpose
from certificates.refusals import IncompleteAppeal, IncompleteDecision, MailRefused
from certificates.tests import desks, registry
from certificates.tests.appealing import admitted, decide, filed, link_to
from certificates.tests.reporting import REASONS as REASONS_OF_REPORT
from certificates.tests.reporting import SUMMARY, link_to_follow, link_to_reply, received
from registry_site import clock, mail_erasure, outbox
from registry_site.models import AuditEntry, Outbox
from registry_site.signed_links import LinkRefused

pytestmark = pytest.mark.django_db
ADDRESS = "paula.peumo.4711@peumo.example"
NAME = "Paula Peumo Cuarenta y Siete"


@pytest.fixture
def folder(settings, tmp_path):
    """A registry without a mail server, on a data folder of its own."""
    settings.DATA_DIR = tmp_path
    settings.EMAIL_BACKEND = "django.core.mail.backends.filebased.EmailBackend"
    settings.EMAIL_FILE_PATH = str(tmp_path / "mail")
    return tmp_path


@pytest.fixture
def suspension(who):
    return registry.suspend(registry.issued(who), by=who.certifier)


def tables_with(text: str) -> list[str]:
    """Every column of every table in which this text stands, whatever its type."""
    found = []
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT table_name, column_name, data_type FROM information_schema.columns "
            "WHERE table_schema = 'public'"
        )
        for table, column, kind in cursor.fetchall():
            as_text = f"encode(\"{column}\", 'escape')" if kind == "bytea" else f'"{column}"::text'
            cursor.execute(
                f'SELECT EXISTS (SELECT FROM "{table}" WHERE {as_text} ILIKE %s)',  # noqa: S608 - our own names
                [f"%{text}%"],
            )
            if cursor.fetchone()[0]:
                found.append(f"{table}.{column}")
    return found


def files_with(folder, text: str) -> list[str]:
    return [path.name for path in folder.rglob("*") if path.is_file() and text.encode() in path.read_bytes()]


class Refusing:
    """A mail server that names the address it refuses, as real ones do."""

    def __init__(self, **_):
        pass

    def send_messages(self, messages):
        raise ConnectionError(f"550 no such user {messages[0].to[0]}")


# ── the end of an appeal ─────────────────────────────────────────────────────


def test_who_appealed_is_nowhere_any_more_after_the_time(
    who, suspension, folder, settings, caplog, moving_clock, django_capture_on_commit_callbacks
):
    caplog.set_level(logging.DEBUG)
    appeal = admitted(suspension.notice, who, email=ADDRESS, name=NAME)
    settings.EMAIL_BACKEND = f"{__name__}.Refusing"
    outbox.send_due(compose=letters.compose)
    settings.EMAIL_BACKEND = "django.core.mail.backends.filebased.EmailBackend"
    assert any("error" in column for column in tables_with(ADDRESS)), "a mail server names it"
    Outbox.objects.update(next_attempt_at=clock.now())
    outbox.send_due(compose=letters.compose)
    decide(appeal, who, "dismissed")
    outbox.send_due(compose=letters.compose)
    row = Outbox.objects.filter(recipient=ADDRESS).first()
    undelivered.came_back(row, by=who.registrar, at=clock.now(), diagnosis=f"550 no such user {ADDRESS}")
    undelivered.settle(row, by=who.registrar, at=clock.now(), note=f"Llamé a {NAME} ({ADDRESS}).")
    desks.at_desk(who.registrar).get(f"/staff/mail/{row.pk}/")
    desks.at_desk(who.appeals_officer).get(f"/staff/appeals/{appeal.number}/")
    assert {one.partition(".")[0] for one in tables_with(ADDRESS)} == {
        "certificates_appealcontact",
        "registry_site_outbox",
    }
    assert files_with(folder, ADDRESS)
    others = len(files_with(folder, who.certifier.email))
    assert others

    later = clock.now() + timedelta(days=settings.PERSONAL_DATA_DAYS + 1)
    with django_capture_on_commit_callbacks(execute=True):
        assert appeals.sweep(at=later) == 1
    for text in (ADDRESS, NAME):
        assert tables_with(text) == []
        assert files_with(folder, text) == []
        assert text not in caplog.text
    assert len(files_with(folder, who.certifier.email)) == others, "the letters of others stay"
    rows = Outbox.objects.filter(concerns=appeal.number)
    assert {row.kind for row in rows} == {"appeal.filed", "appeal.admitted", "appeal.decided"}
    assert all(row.erased_at == later and row.sent_at for row in rows if row.state == "sent")
    assert Appeal.objects.get().number == appeal.number
    told = desks.at_desk(who.registrar).get(f"/staff/mail/{row.pk}/").content.decode()
    assert "La dirección fue borrada." in told
    assert AuditEntry.objects.filter(action="mail.settled").exists()
    with pytest.raises(MailRefused):
        undelivered.send_again(row, by=who.registrar, at=clock.now())


# ── the end of a complaint ───────────────────────────────────────────────────

REPORTER = "violeta.4712@vecina.example"
REPORTER_NAME = "Violeta Vecina Cuarenta y Ocho"
WORDS = "canario-de-la-queja-4713 dice que el servicio cambió"
REVIEW = "canario-de-la-revisión-4714"
REPLY = "canario-de-la-respuesta-4715"
FILE_NAME = "canario-4716.txt"
IN_THE_FILE = "canario-del-archivo-4717"
CANARIES = (REPORTER, REPORTER_NAME, WORDS, REVIEW, REPLY, FILE_NAME, IN_THE_FILE)


def test_who_complained_and_of_what_is_nowhere_any_more_after_the_time_and_the_record_stays(
    who, folder, settings, caplog, moving_clock, django_capture_on_commit_callbacks
):
    """Must show: gone from the database, the attachments, the folder of e-mails and the logs."""
    caplog.set_level(logging.DEBUG)
    certificate = registry.issued(who)
    kept = attached_files.keep([(FILE_NAME, io.BytesIO(IN_THE_FILE.encode()))])
    facts = {"email": REPORTER, "name": REPORTER_NAME, "text": WORDS, "attachments": kept}
    settings.EMAIL_BACKEND = f"{__name__}.Refusing"
    report = received(certificate, **facts)
    outbox.send_due(compose=letters.compose)
    settings.EMAIL_BACKEND = "django.core.mail.backends.filebased.EmailBackend"
    Outbox.objects.update(next_attempt_at=clock.now())
    outbox.send_due(compose=letters.compose)
    desk = desks.at_desk(who.second_certifier)
    assert WORDS in desk.get(f"/staff/reports/{report.number}/").content.decode()
    download = desk.get(f"/staff/reports/{report.number}/attachments/0/")
    assert b"".join(download.streaming_content) == IN_THE_FILE.encode()
    reports.take_up(report, by=who.second_certifier, at=clock.now())
    for leak in (WORDS, f"Lo dice {REPORTER_NAME}.", f"Lo dice {REPORTER}."):
        with pytest.raises(IncompleteDecision):
            reports.ask_holder(
                report, by=who.second_certifier, at=clock.now(), summary=SUMMARY, proposal=leak
            )
    reports.ask_holder(report, by=who.second_certifier, at=clock.now(), summary=SUMMARY)
    reports.reply(report, at=clock.now(), text={"es": REPLY}, published=False, link=link_to_reply(report))
    reports.decide(
        report, by=who.second_certifier, at=clock.now(), outcome="dismissed", reasons=REASONS_OF_REPORT
    )
    reports.ask_review(link_to_follow(report), at=clock.now(), why=REVIEW)
    reports.decide(
        report, by=who.appeals_officer, at=clock.now(), outcome="upheld", reasons=REASONS_OF_REPORT
    )
    registry.suspend(certificate, by=who.certifier, reason="report_upheld", report=report)
    outbox.send_due(compose=letters.compose)
    row = Outbox.objects.filter(recipient=REPORTER).first()
    undelivered.came_back(row, by=who.registrar, at=clock.now(), diagnosis=f"550 no such user {REPORTER}")
    undelivered.settle(row, by=who.registrar, at=clock.now(), note=f"Llamé a {REPORTER_NAME}.")
    for text in CANARIES:
        assert tables_with(text) or files_with(folder, text), "there is something to erase"
    assert files_with(folder, REPORTER)
    assert files_with(folder, IN_THE_FILE)

    closed = clock.now() + timedelta(days=reports.REVIEW_WITHIN + 1)
    assert reports.sweep(at=closed)["closed"] == 1
    with django_capture_on_commit_callbacks(execute=True):
        assert reports.sweep(at=closed + timedelta(days=settings.PERSONAL_DATA_DAYS))["erased"] == 1
    for text in CANARIES:
        assert tables_with(text) == []
        assert files_with(folder, text) == []
        assert text not in caplog.text

    report = Report.objects.get()
    assert report.kind == "system_changed"
    assert report.attachments.get().sha256 == kept[0].sha256
    assert len(report.content) == 64
    steps = [event.step for event in report.events.all()]
    assert steps == ["confirm", "take_up", "ask_holder", "reply", "decide", "ask_review", "decide", "close"]
    assert [event.outcome for event in report.events.all() if event.outcome] == ["dismissed", "upheld"]
    assert certificate.notices.filter(decision="report").count() == 2
    assert replay.replay().faults == ()
    page = Client().get(f"/es/c/{certificate.number}/").content.decode()
    assert report.number in page
    told = desk.get(f"/staff/reports/{report.number}/").content.decode()
    assert "se borraron" in told
    assert AuditEntry.objects.filter(action="report.erased", subject=f"report:{report.number}").exists()


def test_a_letter_that_had_not_left_when_its_case_was_erased_does_not_leave(who, suspension):
    appeal = filed(suspension.notice, email=ADDRESS)
    appeals.erase_contact(appeal, at=clock.now())
    mail.outbox.clear()
    outbox.send_due(compose=letters.compose)
    assert not any(ADDRESS in one.to or not one.to[0] for one in mail.outbox)
    assert AppealContact.objects.get().email == ""
    queue = desks.at_desk(who.registrar).get("/staff/?kind=mail").content.decode()
    assert appeal.number not in queue, "nobody can do anything about it"


def test_of_two_letters_in_one_file_only_the_one_is_erased(
    who, suspension, folder, django_capture_on_commit_callbacks
):
    """The backend may give two letters of one second the same file."""
    appeal = filed(suspension.notice, email=ADDRESS)
    outbox.send_due(compose=letters.compose)
    copies = sorted((folder / "mail").iterdir())
    content = b"".join(path.read_bytes() for path in copies)
    for path in copies:
        path.unlink()
    (folder / "mail" / "20261130-100000-1.log").write_bytes(content)
    with django_capture_on_commit_callbacks(execute=True):
        appeals.erase_contact(appeal, at=clock.now())
    assert files_with(folder, ADDRESS) == []
    assert files_with(folder, who.certifier.email) == ["20261130-100000-1.log"]


# ── any e-mail ───────────────────────────────────────────────────────────────


def test_whom_an_old_e_mail_told_is_erased_and_what_waits_keeps_its_address(
    who, suspension, folder, settings, django_capture_on_commit_callbacks
):
    outbox.send_due(compose=letters.compose)
    waiting = outbox.queue("staff.digest", to=ADDRESS, language="es", at=clock.now(), concerns="digest:1:x")
    not_delivered = Outbox.objects.filter(state="sent").first()
    undelivered.came_back(not_delivered, by=None, at=clock.now())
    sign_in = folder / "mail" / "20260101-000000-1.log"
    sign_in.write_text(f"To: {ADDRESS}\n\nA letter without a row.\n")
    soon = clock.now() + timedelta(days=settings.MAIL_DATA_DAYS - 1)
    assert mail_erasure.forget_old(at=soon) == 0
    assert sign_in.exists()

    later = clock.now() + timedelta(days=settings.MAIL_DATA_DAYS, seconds=1)
    sent = Outbox.objects.filter(state="sent").count()
    with django_capture_on_commit_callbacks(execute=True):
        assert mail_erasure.forget_old(at=later) == sent
    assert mail_erasure.forget_old(at=later) == 0
    assert not list((folder / "mail").iterdir())
    left = set(Outbox.objects.exclude(recipient="").values_list("pk", flat=True))
    assert left == {waiting.pk, not_delivered.pk}


def test_an_erased_letter_is_held_empty_by_the_database(who, suspension):
    from django.db import IntegrityError, transaction

    row = Outbox.objects.first()
    mail_erasure.forget(row.concerns, at=clock.now())
    for fields in ({"recipient": ADDRESS}, {"error": ADDRESS}, {"note": ADDRESS}):
        with pytest.raises(IntegrityError), transaction.atomic():
            Outbox.objects.filter(pk=row.pk).update(**fields)
    with pytest.raises(IntegrityError), transaction.atomic():
        Outbox.objects.filter(pk=row.pk).update(erased_at=None)


# ── files that nobody filed ──────────────────────────────────────────────────


def a_file(text: bytes) -> tuple[str, io.BytesIO]:
    return ("prueba.txt", io.BytesIO(text))


def grow_old(folder, hours=25) -> None:
    then = time.time() - hours * 3600
    for path in (folder / "attachments").rglob("*"):
        os.utime(path, (then, then))


def test_files_of_an_appeal_that_was_refused_are_collected_after_a_day(who, suspension, folder):
    kept = attached_files.keep([a_file(b"refused"), a_file(b"filed")])
    with pytest.raises(IncompleteAppeal):
        filed(suspension.notice, grounds=" ", attachments=kept[:1])
    filed(suspension.notice, attachments=kept[1:])
    assert collecting.collect() == 0, "not within a day"
    grow_old(folder)
    (again,) = attached_files.keep([a_file(b"handed in again")])
    grow_old(folder)
    assert attached_files.keep([a_file(b"handed in again")]) == [again]
    assert collecting.collect() == 1
    store = attached_files.storage()
    assert [store.exists(one.sha256) for one in (*kept, again)] == [False, True, True]
    assert not any(path.is_file() for path in store.parts.iterdir())


# ── links of letters that are written out again ──────────────────────────────


def secret_in(letter) -> str:
    return letter.body.partition("/appeal/link/")[2].partition("/")[0]


def test_of_a_letter_that_is_sent_again_the_last_link_lives_alone(who, suspension):
    row = Outbox.objects.get(concerns=suspension.notice.number, data__to_holder=True)
    secrets = []
    for _ in range(3):
        mail.outbox.clear()
        Outbox.objects.filter(pk=row.pk).update(state="queued", next_attempt_at=clock.now())
        outbox.send_due(compose=letters.compose)
        secrets += [secret_in(one) for one in mail.outbox if "/appeal/link/" in one.body]
    assert len(set(secrets)) == 3
    now = clock.now()
    for dead in secrets[:2]:
        with pytest.raises(LinkRefused) as refusal:
            appeal_links.find(dead, purpose=LinkPurpose.FILE, at=now)
        assert refusal.value.code == "link_expired"
    assert appeal_links.find(secrets[2], purpose=LinkPurpose.FILE, at=now)
    assert AppealLink.objects.filter(used_at=None, expires_at__gt=now).count() == 1


def test_the_link_of_another_letter_is_left_alone(who, suspension):
    outbox.send_due(compose=letters.compose)
    living = link_to(suspension.notice)
    row = Outbox.objects.get(concerns=suspension.notice.number, data__to_holder=True)
    undelivered.came_back(row, by=None, at=clock.now())
    undelivered.send_again(row, by=who.certifier, at=clock.now())
    outbox.send_due(compose=letters.compose)
    living.refresh_from_db()
    assert appeal_links.living(living, at=clock.now())
