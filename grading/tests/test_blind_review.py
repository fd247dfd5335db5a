"""The blind review of a stored package: the client draws the same sheet, and no verdict, judge or system is in it."""

import csv
import io
import json
from base64 import b64encode

import pytest

from evidence import packing
from grading import blind_review, calibration, data
from grading.harness import measuring, packages, review_sheets
from grading.tests.packages import DESCRIPTOR, descriptor, item, package, response, verdict

SCHEME = data.read("schemes/HALU-1.json")


def packed(files):
    into = io.BytesIO()
    packing.pack({name.removeprefix("data/"): text for name, text in files.items()}, into=into)
    into.seek(0)
    return into


def evaluation(count=90, *, judges=("j1",), runs=False):
    """Questions in two languages; some answers are abstentions, unjudged, hostile, or judged in a second run only."""
    items, responses, verdicts = [], [], []
    for number in range(count):
        id_ = f"q{number:03}"
        language = ("es", "pt")[number % 2]
        category = ("factual_direct", "factual_applied", "trap")[number % 3]
        items.append(item(id_, language=language, category=category, question=f"¿Cuál es el plazo {number}?"))
        cited = [{"source": "Norma", "article": str(number), "verified": True}]
        told = {"answer": f"El plazo es de {number} días.", "citations": cited}
        if number % 7 == 0:
            told["abstained"] = True
        responses.append(response(id_, **told, **({"run": 1} if runs else {})))
        for place, judge in enumerate(judges):
            if number % 11:
                word = ("exact", "incomplete", "ill_founded", "incorrect")[(number + place) % 4]
                verdicts.append(verdict(id_, word, judge=judge, **({"run": 1} if runs else {})))
        if runs:
            responses.append(response(id_, answer="Otra vez.", run=2))
            verdicts += [verdict(id_, "exact", judge=judge, run=2) for judge in judges]
    of = descriptor(judges=[{**DESCRIPTOR["judges"][0], "id": judge} for judge in judges])
    return packed(package(items, responses, verdicts, of=of))


def read(source, *, scheme=SCHEME, sheet=True):
    job = {"scheme": b64encode(scheme).decode(), "sheet": sheet, "bytes_per_second": 0}
    return blind_review.read(source, job=job)


@pytest.mark.parametrize("runs", [False, True])
def test_client_and_registry_draw_the_same_sheet(tmp_path, runs):
    source = evaluation(runs=runs)
    outcome = read(source)
    path = tmp_path / "package.zip"
    path.write_bytes(source.getvalue())
    of = packages.read(path, language="es")
    measured = measuring.measure(of.evaluation, of.scheme)
    chosen = review_sheets.sample(measured, verdicts_sha256=of.verdicts_sha256)
    assert outcome["items"] == [one.item["id"] for one in chosen]
    assert outcome["sheet"].encode() == review_sheets.sheet(chosen)
    assert outcome["seed"] == f"{calibration.seed_of(measured.set_sha256, of.verdicts_sha256):016x}"


def test_only_judged_answers_are_sampled_and_shown_as_the_judge_saw_them():
    outcome = read(evaluation())
    numbers = [int(id_[1:]) for id_ in outcome["items"]]
    assert numbers != sorted(numbers)
    assert not [n for n in numbers if n % 7 == 0 or n % 11 == 0 or n % 3 == 2]
    rows = list(csv.DictReader(io.StringIO(outcome["sheet"].removeprefix("\ufeff"), newline="")))
    first = rows[0]
    assert first["question"] == f"¿Cuál es el plazo {numbers[0]}?"
    assert first["answer"] == f"El plazo es de {numbers[0]} días.\n- Norma, {numbers[0]}"
    assert (first["reviewer"], first["verdict"]) == ("", "")


def test_the_sheet_tells_no_verdict_no_judge_and_no_system():
    sheet = read(evaluation())["sheet"]
    system, (judge, *_) = DESCRIPTOR["system"], DESCRIPTOR["judges"]
    hidden = [system["name"], system["version"], system["holder"], system["model_family"], judge["family"]]
    for told in (*hidden, judge["version"], "ill_founded", "incorrect", "exact"):
        assert told not in sheet, told


def test_what_the_judges_said_stays_beside_each_item():
    outcome = read(evaluation(judges=("j1", "j2")), sheet=False)
    assert "sheet" not in outcome
    assert (outcome["judges"], outcome["averaged"]) == (["j1", "j2"], False)
    # Two judges who never agree: no verdict counts, so there is nothing that people could confirm.
    assert outcome["items"] == []


def test_judges_who_are_averaged_count_each_for_itself(tmp_path):
    rules = {**json.loads(SCHEME), "several_judges": "mean"}
    scheme = json.dumps(rules).encode()
    source = evaluation(judges=("j1", "j2"))
    outcome = read(source, scheme=scheme)
    assert outcome["averaged"]
    assert {joint for joint, _ in outcome["verdicts"]} == {0}
    assert all(all(each) for _, each in outcome["verdicts"])
    path = tmp_path / "package.zip"
    path.write_bytes(source.getvalue())
    of = packages.read(path, language="es")
    measured = measuring.measure(of.evaluation, of.scheme)
    chosen = review_sheets.sample(measured, verdicts_sha256=of.verdicts_sha256, averaged=True)
    assert outcome["items"] == [one.item["id"] for one in chosen]


def test_a_package_that_is_no_longer_intact_gives_no_sheet():
    broken = io.BytesIO(evaluation().getvalue()[:-40])
    with pytest.raises(blind_review.NoLongerIntact):
        read(broken)
