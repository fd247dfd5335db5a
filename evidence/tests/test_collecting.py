"""Only what no row names, and only after a day, is ever taken away; never under the hands of an upload."""

import hashlib
import os
import threading
import time
from datetime import timedelta

import pytest
from django.db import connection, transaction

from evidence import collecting, intake, storage
from evidence.models import EvidencePackage, PackageState
from evidence.tests import people
from registry_site import clock

DATA = b"evidence"
SHA256 = hashlib.sha256(DATA).hexdigest()


def files_of(folder):
    return sorted(path.name for path in folder.rglob("*") if path.is_file())


def grow_old(folder, hours=25):
    then = time.time() - hours * 3600
    for path in folder.rglob("*"):
        os.utime(path, (then, then))


def a_stray():
    store = storage.current()
    part = store.begin()
    with store.write(part, offset=0) as file:
        file.write(DATA)
    store.keep(part, sha256=SHA256)


def test_strays_go_after_a_day(db, evidence_folder):
    a_stray()
    part = storage.current().begin()
    grow_old(evidence_folder, hours=23)
    assert collecting.collect() == 0
    assert files_of(evidence_folder) == sorted([SHA256, part])
    grow_old(evidence_folder)
    assert collecting.collect() == 2
    assert files_of(evidence_folder) == []


def test_what_a_row_names_stays(db, evidence_folder):
    evaluator = people.an_evaluator()
    intake.receive([DATA], by=evaluator, at=clock.now())
    receiving = intake.begin(by=evaluator, at=clock.now())
    receiving.write(b"half of it")
    receiving.leave()
    grow_old(evidence_folder)
    assert collecting.collect() == 0
    assert files_of(evidence_folder) == sorted([SHA256, receiving.package.part])


def test_the_part_of_a_failed_upload_goes(db, evidence_folder):
    receiving = intake.begin(by=people.an_evaluator(), at=clock.now())
    receiving.write(b"half of it")
    receiving.leave()
    EvidencePackage.objects.update(state=PackageState.FAILED, fault="submitter", failure="upload_unfinished")
    grow_old(evidence_folder)
    assert collecting.collect() == 1
    assert files_of(evidence_folder) == []


def test_files_of_other_names_are_not_ours(db, evidence_folder):
    (evidence_folder / "ab").mkdir(parents=True)
    (evidence_folder / "ab" / "README").write_text("kept by hand")
    (evidence_folder / "lost+found").mkdir()
    grow_old(evidence_folder)
    assert collecting.collect() == 0
    assert files_of(evidence_folder) == ["README"]


def test_an_empty_registry_has_nothing_to_collect(db, evidence_folder):
    assert collecting.collect() == 0


@pytest.mark.django_db(transaction=True)
def test_the_collector_gives_way_to_an_upload_that_is_just_ending(evidence_folder):
    a_stray()
    grow_old(evidence_folder)
    ending, over = threading.Event(), threading.Event()

    def upload():
        # As intake does it: the old bytes stand there already, the row that names them is not yet committed.
        with transaction.atomic():
            storage.lock_against_collecting()
            ending.set()
            over.wait(10)
        connection.close()

    thread = threading.Thread(target=upload)
    thread.start()
    ending.wait(10)
    assert collecting.collect() == 0
    assert files_of(evidence_folder) == [SHA256]
    over.set()
    thread.join(10)
    assert collecting.collect() == 1
    assert timedelta(hours=24) == collecting.AGE
