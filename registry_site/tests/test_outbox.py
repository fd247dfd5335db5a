"""An e-mail is a row of the decision; it leaves after commit, is tried again, and is seen when it fails."""

import re
import threading
from datetime import timedelta
from pathlib import Path

import pytest
from django.conf import settings
from django.core import mail
from django.db import connection, transaction

from registry_site import clock, outbox
from registry_site.models import Outbox, OutboxState


def a_letter(**said):
    return outbox.queue(
        "package_outcome",
        **{
            "to": "elena@example.org",
            "language": "es",
            "at": clock.now(),
            "outcome": "rejected",
            "problems": 3,
            "sha256": "ab" * 32,
            "path": "/es/staff/packages/7/",
            **said,
        },
    )


@pytest.mark.parametrize(
    ("language", "outcome", "problems", "subject"),
    [
        ("es", "ready", 0, "Paquete de evidencia: íntegro"),
        ("es", "rejected", 3, "Paquete de evidencia: 3 problemas por corregir"),
        ("es", "rejected", 1, "Paquete de evidencia: 1 problema por corregir"),
        ("en", "ready", 0, "Evidence package: intact"),
        ("en", "rejected", 2000, "Evidence package: 2000 problems to mend"),
        ("en", "failed", 0, "Evidence package: system fault"),
    ],
)
def test_the_outcome_of_a_package_is_written_in_the_readers_language(
    db, language, outcome, problems, subject
):
    a_letter(language=language, outcome=outcome, problems=problems)
    assert outbox.send_due() == 1
    (letter,) = mail.outbox
    assert letter.subject == subject
    assert letter.to == ["elena@example.org"]
    link = f"{settings.PUBLIC_URL}/es/staff/packages/7/"
    html = letter.alternatives[0].content
    assert letter.body.count("http") == 1
    assert link in letter.body
    assert set(re.findall(r"https?://[^\s\"<]+", html)) == {link}
    assert outbox.send_due() == 0


def test_a_decision_that_is_rolled_back_sends_nothing(db):
    with pytest.raises(ZeroDivisionError), transaction.atomic():
        a_letter()
        raise ZeroDivisionError
    assert outbox.send_due() == 0


class Unreachable:
    """A mail server that is down."""

    def __init__(self, **kwargs):
        pass

    def send_messages(self, messages):
        raise ConnectionRefusedError("mail server is down")


def fallen_due(**fields):
    Outbox.objects.update(next_attempt_at=clock.now() - timedelta(seconds=1), **fields)


def test_what_could_not_be_sent_is_tried_again_later_and_later(db, settings):
    row = a_letter()
    settings.EMAIL_BACKEND = f"{__name__}.Unreachable"
    pauses = []
    for _ in range(3):
        fallen_due()
        before = clock.now()
        assert outbox.send_due() == 0
        row.refresh_from_db()
        assert row.state == OutboxState.QUEUED
        assert "mail server is down" in row.error
        pauses.append((row.next_attempt_at - before).total_seconds())
    assert [round(pause / 30) for pause in pauses] == [1, 2, 4]

    settings.EMAIL_BACKEND = "django.core.mail.backends.locmem.EmailBackend"
    fallen_due()
    assert outbox.send_due() == 1
    row.refresh_from_db()
    assert (row.state, row.attempts, row.error) == (OutboxState.SENT, 4, "")
    assert row.sent_at is not None


def test_past_its_deadline_it_has_failed_and_is_seen(db, settings):
    row = a_letter()
    settings.EMAIL_BACKEND = f"{__name__}.Unreachable"
    outbox.send_due()
    fallen_due(deadline_at=clock.now())
    assert outbox.send_due() == 0
    row.refresh_from_db()
    assert row.state == OutboxState.FAILED
    assert outbox.send_due() == 0


def test_a_late_sender_still_tries_once(db):
    a_letter()
    fallen_due(deadline_at=clock.now())
    assert outbox.send_due() == 1


def test_one_bad_letter_does_not_hold_up_the_others(db):
    a_letter(language="xx")
    a_letter()
    assert outbox.send_due() == 1
    assert sorted(Outbox.objects.values_list("state", flat=True)) == ["queued", "sent"]


def test_a_sender_that_died_is_followed_by_another(db):
    row = a_letter()
    assert outbox._take() == row
    assert outbox.send_due() == 0  # it may still be at it
    fallen_due()
    assert outbox.send_due() == 1
    assert mail.outbox[0].extra_headers["Message-ID"] == f"<package_outcome.{row.pk}@testserver>"


@pytest.mark.django_db(transaction=True)
def test_four_senders_at_once_send_each_letter_once():
    for number in range(12):
        a_letter(to=f"lectora{number}@example.org")

    def send():
        outbox.send_due()
        connection.close()

    threads = [threading.Thread(target=send) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert len(mail.outbox) == 12
    assert len({letter.to[0] for letter in mail.outbox}) == 12


def test_every_kind_of_letter_exists_in_both_languages_and_forms():
    folder = Path(settings.BASE_DIR) / "templates" / "emails"
    kinds = {path.name.rsplit(".", 2)[0] for path in folder.iterdir() if not path.name.startswith("_")}
    missing = [
        f"emails/{kind}.{language}.{form}"
        for kind in kinds
        for language in ("es", "en")
        for form in ("txt", "html")
        if not (folder / f"{kind}.{language}.{form}").is_file()
    ]
    assert not missing, f"write also: {missing}"
