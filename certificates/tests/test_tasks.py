"""The timetable names tasks that exist, and each door can be called when there is nothing to do."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
from django.conf import settings

from certificates import tasks
from evidence import tasks as evidence_tasks
from registry_site.celery import app


def test_every_entry_of_the_timetable_is_a_task():
    app.loader.import_default_modules()
    assert {entry["task"] for entry in settings.CELERY_BEAT_SCHEDULE.values()} <= set(app.tasks)
    assert "certificates.tasks.advance_package" in app.tasks


def test_the_timetable_is_told_as_it_is():
    """docs/operations.md has a row for every entry, with its period."""
    units = {"s": 1, "min": 60, "h": 3600}
    page = (Path(settings.BASE_DIR) / "docs" / "operations.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| ([0-9]+) (s|min|h) \| `([a-z_.]+)` \|", page, re.MULTILINE)
    assert {(task, int(number) * units[unit]) for number, unit, task in rows} == {
        (entry["task"], entry["schedule"].run_every.total_seconds())
        for entry in settings.CELERY_BEAT_SCHEDULE.values()
    }


@pytest.mark.django_db
def test_with_nothing_to_do_every_door_does_nothing(settings, tmp_path):
    settings.EVIDENCE_DIR = tmp_path / "evidence"
    assert tasks.sweep_packages() == {"overdue": 0, "woken": 0}
    assert not any(tasks.sweep_certificates().values())
    settings.DATA_DIR = tmp_path
    settings.EMAIL_FILE_PATH = str(tmp_path / "mail")
    assert not any(tasks.sweep_deadlines().values())
    assert tasks.send_outbox() == tasks.erase_mail() == tasks.collect_attachments() == 0
    assert evidence_tasks.collect_storage() == 0
    assert tasks.advance_package(12345) is None


def test_what_reads_hostile_archives_never_loads_django():
    """It would bring SECRET_KEY and the database's address into a process that has no use for them."""
    program = "import sys, grading.reading; print(sorted({m.split('.')[0] for m in sys.modules}))"
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=Path(__file__).resolve().parents[2],
        capture_output=True,
        text=True,
        check=True,
    )
    assert "grading" in done.stdout
    for barred in ("django", "psycopg", "celery", "registry_site"):
        assert f"'{barred}'" not in done.stdout
