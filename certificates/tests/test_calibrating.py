"""People judge again, blind, what the judge judged; it stands beside the measurement and changes nothing of it."""

import csv
import io
import json
from dataclasses import replace

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import IntegrityError, connection, transaction
from psycopg import sql

from certificates import calibrating, page_facts, pipeline, policies, publishing
from certificates.calibrating import File
from certificates.refusals import RuleOfImpartiality
from certificates.tests import desks, packages, registry
from evidence import identities, intake
from evidence.models import Holder, Interest, System
from grading import calibration, calibrations, statistics
from grading.calibrations import AlreadyCalibrated, NothingCompared
from grading.models import Calibration, Measurement
from registry_site import clock
from registry_site.models import AuditEntry, PublicEvent
from registry_site.roles import Role

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("evidence_folder")]

JUDGE = {"exact": "exact", "incorrect": "incorrect"}


def measurement_of(who, data, **said) -> Measurement:
    package = intake.receive([data], by=who.evaluator, at=clock.now(), **said)
    pipeline.advance(package.pk)
    return Measurement.objects.select_related("package", "scheme", "system_version__system__holder").get(
        package=package
    )


@pytest.fixture
def measured_once(who) -> Measurement:
    """Sixty answers in two languages, one in eight of them wrong."""
    registry.scheme()
    return measurement_of(who, packages.sound(60))


@pytest.fixture
def certificate(who, measured_once):
    holder, system = Holder.objects.get(), System.objects.get()
    by = who.registrar.person
    identities.confirm_holder(
        holder, name=holder.name, identifier_kind="domain", identifier="innova.example", country="CL",
        by=by, at=clock.now(),
    )  # fmt: skip
    identities.confirm_system(system, name=system.name, by=by, at=clock.now())
    Measurement.objects.filter(pk=measured_once.pk)
    fresh = Measurement.objects.select_related("system_version__system__holder").get(pk=measured_once.pk)
    return registry.issued(who, fresh)


def handed_out(measurement, *, by) -> list[dict[str, str]]:
    _seed, content = calibrating.sheet(measurement, by=by, at=clock.now())
    return list(csv.DictReader(io.StringIO(content.decode("utf-8-sig"), newline="")))


def truth(item: str) -> str:
    """What the judge of `packages.sound` said of an answer."""
    return "incorrect" if int(item[1:]) % 8 == 0 else "exact"


def sheet_by(name: str, rows, say=truth, *, only=None) -> bytes:
    """The sheet as this person gives it back."""
    out = io.StringIO(newline="")
    writer = csv.writer(out)
    writer.writerow(calibration.COLUMNS)
    for row in rows[:only]:
        told = say(row["item"])
        writer.writerow([row["item"], row["question"], row["answer"], row["reference_text"], name, told])
    return out.getvalue().encode()


def strict(item: str) -> str:
    """Someone who finds one more answer in five incorrect."""
    return "incorrect" if int(item[1:]) % 5 == 0 else truth(item)


def add(measurement, *sheets, by) -> Calibration:
    files = [File(f"sheet-{place}.csv", content) for place, content in enumerate(sheets, 1)]
    seen = calibrating.preview(measurement, files, by=by, at=clock.now())
    return calibrating.add(measurement, seen.said, by=by, at=clock.now())


# ── the sheet ────────────────────────────────────────────────────────────────
def test_the_sheet_is_blind_and_that_it_was_handed_out_is_recorded(who, measured_once):
    rows = handed_out(measured_once, by=who.certifier)
    assert len(rows) == 60, "thirty of each language, or all"
    assert {row["verdict"] for row in rows} == {""}
    assert [row["item"] for row in rows] != sorted(row["item"] for row in rows)
    entry = AuditEntry.objects.get(action="review_sheet.viewed")
    assert (entry.person, entry.subject) == (who.certifier.person, f"measurement:{measured_once.pk}")


def test_a_sealed_set_is_handed_out_to_the_staff_and_is_nowhere_else(who):
    registry.scheme()
    sealed = measurement_of(who, packages.sound(40, of={"sealed": ["data/items.jsonl"]}))
    rows = handed_out(sealed, by=who.appeals_officer)
    assert packages.CANARY in rows[0]["question"]
    add(sealed, sheet_by("Luz", rows, strict), by=who.appeals_officer)
    row = Calibration.objects.get()
    assert rows[0]["item"] not in json.dumps([row.agreement, row.sheets])
    with connection.cursor() as cursor:
        for table in connection.introspection.table_names():
            cursor.execute(
                sql.SQL("SELECT count(*) FROM {} t WHERE t::text LIKE %s").format(sql.Identifier(table)),
                [f"%{packages.CANARY}%"],
            )
            assert cursor.fetchone() == (0,), table


def test_whoever_evaluated_neither_gets_the_sheet_nor_adds_a_review(who, measured_once):
    rows = handed_out(measured_once, by=who.certifier)
    for act in (
        lambda: handed_out(measured_once, by=who.evaluator),
        lambda: add(measured_once, sheet_by("Luz", rows), by=who.evaluator),
    ):
        with pytest.raises(RuleOfImpartiality) as refused:
            act()
        assert (refused.value.code, refused.value.extra["rule"]) == ("took_part_in_evaluation", 1)
    assert policies.refusal_to_calibrate(who.registrar, measured_once, at=clock.now()).code == "role_missing"
    colleague = registry.person("Eva", Role.EVALUATOR)
    assert policies.refusal_to_calibrate(colleague, measured_once, at=clock.now()) is None


def test_an_interest_in_the_holder_forbids_it_too(who, measured_once):
    Interest.objects.create(
        person=who.certifier.person,
        holder=Holder.objects.get(),
        kind="owner",
        declared_at=clock.now(),
    )
    refusal = policies.refusal_to_calibrate(who.certifier, measured_once, at=clock.now())
    assert refusal.code == "declared_interest"


def test_a_name_of_whoever_evaluated_is_not_taken_as_a_reviewer(who, measured_once):
    rows = handed_out(measured_once, by=who.certifier)
    for name in ("elena  EVALUADORA", who.evaluator.email.upper()):
        with pytest.raises(calibrating.SheetsRefused) as refused:
            add(measured_once, sheet_by("Luz", rows), sheet_by(name, rows), by=who.certifier)
        (fault,) = refused.value.extra["faults"]
        assert (fault["code"], fault["file"], fault["line"]) == ("reviewer_took_part", "sheet-2.csv", 2)


# ── what it gives ────────────────────────────────────────────────────────────
def test_one_reviewer_gives_a_kappa_with_all_that_belongs_beside_it(who, measured_once):
    before = (measured_once.figures_sha256, json.dumps(measured_once.result, sort_keys=True))
    rows = handed_out(measured_once, by=who.certifier)
    row = add(measured_once, sheet_by("Luz Prado", rows, strict), by=who.certifier)
    kappa = row.agreement["judges"][0]["verdicts"]
    wrong = sum(number % 8 == 0 for number in range(60))
    stricter = sum(number % 5 == 0 and number % 8 != 0 for number in range(60))
    expected = statistics.cohen_kappa([[60 - wrong - stricter, stricter], [0, wrong]])
    assert kappa["kappa"] == f"{float(expected.kappa):.6f}"
    assert (kappa["low"], kappa["high"]) == (f"{expected.low:.6f}", f"{expected.high:.6f}")
    assert (kappa["n"], kappa["matrix"][0][3], kappa["matrix"][3][3]) == (60, stricter, wrong)
    assert row.agreement["between_reviewers"] is None
    assert (row.reviewers, row.sampled, row.role) == (1, 60, "certifier")
    assert "Luz" not in json.dumps([row.agreement, row.sheets])
    fresh = Measurement.objects.get(pk=measured_once.pk)
    assert (fresh.figures_sha256, json.dumps(fresh.result, sort_keys=True)) == before


def test_several_reviewers_count_by_majority_and_have_a_fleiss_kappa(who, measured_once):
    rows = handed_out(measured_once, by=who.certifier)
    row = add(
        measured_once,
        sheet_by("Luz", rows, strict),
        sheet_by("Ana", rows),
        sheet_by("Eva", rows),
        by=who.certifier,
    )
    among = row.agreement["between_reviewers"]
    assert (among["kind"], among["verdicts"]["raters"], among["verdicts"]["reason"]) == ("fleiss", 3, None)
    assert row.agreement["judges"][0]["verdicts"]["kappa"] == "1.000000"
    assert row.agreement["judges"][0]["verdicts"]["disagreement_bound"] == f"{statistics.zero_bound(60):.6f}"
    assert sorted(number for sheet in row.sheets for number in sheet["reviewers"]) == [1, 2, 3]


def test_where_not_everybody_reviewed_the_same_there_is_no_fleiss_kappa_and_it_is_said_why(
    who, measured_once
):
    rows = handed_out(measured_once, by=who.certifier)
    sheets = (sheet_by("Luz", rows), sheet_by("Ana", rows), sheet_by("Eva", rows, only=20))
    among = add(measured_once, *sheets, by=who.certifier).agreement["between_reviewers"]["verdicts"]
    assert (among["kappa"], among["reason"]) == (None, "different_numbers_of_raters")


def test_few_answers_are_indicative_and_one_category_has_no_kappa(who, measured_once):
    rows = handed_out(measured_once, by=who.certifier)
    kappa = add(measured_once, sheet_by("Luz", rows, only=20), by=who.certifier).agreement["judges"][0][
        "verdicts"
    ]
    assert (kappa["n"], kappa["indicative"]) == (20, True)
    exact = [row for row in rows if truth(row["item"]) == "exact"]
    kappa = add(measured_once, sheet_by("Ana", exact), by=who.certifier).agreement["judges"][0]["verdicts"]
    assert kappa["kappa"] is None
    assert (kappa["raw_agreement"]["k"], kappa["raw_agreement"]["n"]) == (len(exact), len(exact))
    assert kappa["matrix"][0][0] == len(exact)


# ── what is refused ──────────────────────────────────────────────────────────
@pytest.mark.parametrize(
    ("spoil", "code"),
    [
        (lambda text: text.replace("q00", "r00"), "item_unknown"),
        (lambda text: text.replace(",exact", ",muy buena"), "verdict_unknown"),
        (lambda text: text.replace(",Luz,", ",,"), "reviewer_missing"),
        (lambda text: text.replace("verdict", "nota"), "column_missing"),
        (lambda text: text + text.splitlines()[1] + "\r\n", "reviewed_twice"),
    ],
)
def test_a_sheet_with_a_fault_is_named_by_line_and_nothing_is_kept(who, measured_once, spoil, code):
    rows = handed_out(measured_once, by=who.certifier)
    with pytest.raises(calibrating.SheetsRefused) as refused:
        add(
            measured_once,
            sheet_by("Ana", rows),
            spoil(sheet_by("Luz", rows).decode()).encode(),
            by=who.certifier,
        )
    faults = refused.value.extra["faults"]
    assert {fault["code"] for fault in faults} == {code}
    assert {fault["file"] for fault in faults} == {"sheet-2.csv"}
    assert all(fault["line"] and fault["mend"] for fault in faults)
    assert not Calibration.objects.exists()


def test_one_person_in_two_sheets_and_the_sheet_of_another_measurement_are_refused(who, measured_once):
    rows = handed_out(measured_once, by=who.certifier)
    with pytest.raises(calibrating.SheetsRefused) as refused:
        add(measured_once, sheet_by("Luz", rows), sheet_by("LUZ", rows, strict), by=who.certifier)
    assert {fault["code"] for fault in refused.value.extra["faults"]} == {"reviewed_twice"}
    other = [{**row, "item": f"x{row['item']}"} for row in rows]
    with pytest.raises(calibrating.SheetsRefused) as refused:
        add(measured_once, sheet_by("Luz", other, lambda _: "exact"), by=who.certifier)
    assert {fault["code"] for fault in refused.value.extra["faults"]} == {"item_unknown"}


def test_empty_verdicts_compare_nothing(who, measured_once):
    rows = handed_out(measured_once, by=who.certifier)
    for word in ("", "sin juzgar"):
        with pytest.raises(NothingCompared):
            add(measured_once, sheet_by("Luz", rows, lambda _, word=word: word), by=who.certifier)


def test_the_same_sheets_are_taken_once(who, measured_once):
    rows = handed_out(measured_once, by=who.certifier)
    first = add(measured_once, sheet_by("Luz", rows), by=who.certifier)
    with pytest.raises(AlreadyCalibrated) as refused:
        add(measured_once, sheet_by("Luz", rows), by=who.second_certifier)
    assert refused.value.extra["calibration"] == first.pk


def test_whoever_adds_it_takes_part_and_decides_no_more_but_may_add_another(who, measured_once):
    rows = handed_out(measured_once, by=who.certifier)
    add(measured_once, sheet_by("Luz", rows), by=who.certifier)
    refusal = policies.refusal_to_issue(who.certifier, measured_once, at=clock.now())
    assert refusal.code == "took_part_in_evaluation"
    add(measured_once, sheet_by("Ana", rows), by=who.certifier)
    assert Calibration.objects.count() == 2


def test_the_database_keeps_it_as_it_was_written(who, measured_once):
    row = add(measured_once, sheet_by("Luz", handed_out(measured_once, by=who.certifier)), by=who.certifier)
    with pytest.raises(TypeError):
        row.save()
    for statement in ("UPDATE grading_calibration SET reviewers = 2", "DELETE FROM grading_calibration"):
        with (
            pytest.raises(IntegrityError, match="written once"),
            transaction.atomic(),
            connection.cursor() as cursor,
        ):
            cursor.execute(statement)
    event = PublicEvent.objects.get(subject=f"calibration:{row.pk}")
    assert event.type == "measurement.frozen"


# ── the pages ────────────────────────────────────────────────────────────────
LIMITATION = "su acuerdo con personas no se ha medido"
NOT_MEASURED = "Limitación declarada: no se ha medido el acuerdo entre el juez y personas."


def test_the_page_tells_it_with_its_date_in_place_of_the_limitation(client, who, certificate):
    address = f"/es/c/{certificate.number}/"
    before = client.get(address).content.decode()
    assert LIMITATION in before
    assert NOT_MEASURED in before
    then = clock.now()
    on = certificate.measurement
    row = add(
        on, sheet_by("Luz Prado", handed_out(on, by=who.second_certifier), strict), by=who.second_certifier
    )

    page = client.get(address).content.decode()
    assert LIMITATION not in page
    assert NOT_MEASURED not in page
    assert row.seed in page
    assert "Luz" not in page
    assert "Carmen" not in page
    publishing.republish_stale(at=clock.now())
    assert client.get(address).content.decode() == page
    # The page as it was stays tellable.
    told = page_facts.of_certificate(certificate, at=then)
    assert (told.page.calibrations, told.page.limitations.kappa) == ((), None)
    now = page_facts.of_certificate(certificate, at=clock.now())
    assert now.as_of == row.at
    assert now.page.limitations.kappa.added_on == now.page.calibrations[0].at


def test_of_several_reviews_the_newest_is_told_first_and_none_is_left_out(client, who, certificate):
    on = certificate.measurement
    rows = handed_out(on, by=who.second_certifier)
    add(on, sheet_by("Luz", rows), by=who.second_certifier)
    add(on, sheet_by("Ana", rows, strict), by=who.second_certifier)
    told = page_facts.of_certificate(certificate, at=clock.now()).page
    assert [one.agreement["judges"][0]["verdicts"]["kappa"] == "1.000000" for one in told.calibrations] == [
        False,
        True,
    ]
    assert told.limitations.kappa.kappa != "1.000000"


def test_an_agreement_on_few_answers_is_hidden_as_a_figure_would_be(who, certificate):
    on = certificate.measurement
    add(on, sheet_by("Luz", handed_out(on, by=who.second_certifier), only=5), by=who.second_certifier)
    told = page_facts.of_certificate(certificate, at=clock.now()).page
    assert told.calibrations[0].agreement["compared"] is None
    assert told.calibrations[0].agreement["judges"][0]["verdicts"]["withheld"] == "few"
    assert told.limitations.kappa is None


def test_the_api_tells_them_and_which_there_were_then(client, who, certificate):
    on = certificate.measurement
    address = f"/api/v1/measurements/{on.pk}/calibrations/"
    assert client.get(address).json()["calibrations"] == []
    then = clock.now()
    row = add(on, sheet_by("Luz", handed_out(on, by=who.second_certifier), strict), by=who.second_certifier)
    (told,) = client.get(address).json()["calibrations"]
    assert (told["id"], told["seed"], told["reviewers"], told["role"]) == (row.pk, row.seed, 1, "certifier")
    assert told["agreement"]["judges"][0]["verdicts"]["n"] == 60
    assert client.get(address, {"as_of": then.isoformat()}).json()["calibrations"] == []
    refused = client.get(address, {"as_of": "2999-01-01"})
    assert (refused.status_code, refused.json()["code"]) == (400, "as_of_in_the_future")


def test_what_is_not_public_is_told_to_nobody_else(client, who, measured_once):
    add(measured_once, sheet_by("Luz", handed_out(measured_once, by=who.certifier)), by=who.certifier)
    assert client.get(f"/api/v1/measurements/{measured_once.pk}/calibrations/").status_code == 404


# ── at the desk ──────────────────────────────────────────────────────────────
def post_sheets(desk, on, *sheets, **fields):
    files = [SimpleUploadedFile(f"hoja-{place}.csv", content) for place, content in enumerate(sheets, 1)]
    return desk.post(
        f"/staff/measurements/{on.pk}/calibrate/",
        {"sheets": files, "declared": "on", "action": "preview", **fields},
    )


def test_from_the_measurements_page_to_the_review_and_back(who, measured_once):
    desk = desks.at_desk(who.certifier)
    page = desk.get(f"/staff/measurements/{measured_once.pk}/")
    assert f"/staff/measurements/{measured_once.pk}/review-sheet/" in page.content.decode()
    answer = desk.get(f"/staff/measurements/{measured_once.pk}/review-sheet/")
    assert answer["Content-Type"] == "application/octet-stream"
    assert "attachment" in answer["Content-Disposition"]
    assert "no-store" in answer["Cache-Control"]
    rows = list(csv.DictReader(io.StringIO(answer.content.decode("utf-8-sig"), newline="")))

    preview = post_sheets(desk, measured_once, sheet_by("Luz", rows, strict), sheet_by("Ana", rows))
    assert preview.status_code == 200, preview.content.decode()
    assert not Calibration.objects.exists()
    seal = preview.context["seal"]
    assert packages.CANARY not in preview.content.decode()
    sent = {"action": "add", "seal": seal}
    answer = desk.post(f"/staff/measurements/{measured_once.pk}/calibrate/", sent, follow=True)
    assert Calibration.objects.get().reviewers == 2
    assert Calibration.objects.get().seed in answer.content.decode()
    # A second press does no harm; somebody else's seal opens nothing.
    desk.post(f"/staff/measurements/{measured_once.pk}/calibrate/", sent)
    desks.at_desk(who.second_certifier).post(f"/staff/measurements/{measured_once.pk}/calibrate/", sent)
    assert Calibration.objects.count() == 1


def test_what_was_typed_is_kept_and_every_fault_is_on_the_page(who, measured_once):
    desk = desks.at_desk(who.certifier)
    rows = handed_out(measured_once, by=who.certifier)
    spoiled = sheet_by("Luz", rows, lambda _: "buenísima")
    answer = post_sheets(desk, measured_once, spoiled, reviewer="Persona de turno")
    page = answer.content.decode()
    assert answer.status_code == 422
    assert "Persona de turno" in page
    assert "«buenísima» no es un veredicto" in page
    assert "hoja-1.csv" in page
    assert page.count("«buenísima» no es un veredicto") == 1
    assert "líneas 2, 3, 4" in page
    answer = desk.post(f"/staff/measurements/{measured_once.pk}/calibrate/", {"reviewer": "Luz"})
    assert answer.status_code == 422
    assert 'value="Luz"' in answer.content.decode()


def test_the_evaluator_sees_the_rule_and_no_button(who, measured_once):
    desk = desks.at_desk(who.evaluator)
    page = desk.get(f"/staff/measurements/{measured_once.pk}/").content.decode()
    assert "review-sheet" not in page
    assert desk.get(f"/staff/measurements/{measured_once.pk}/review-sheet/").status_code == 403
    assert post_sheets(desk, measured_once, b"item,reviewer,verdict\n").status_code == 403


def test_marks_that_are_not_of_this_sample_are_refused(who, measured_once):
    rows = handed_out(measured_once, by=who.certifier)
    seen = calibrating.preview(
        measured_once, [File("a.csv", sheet_by("Luz", rows))], by=who.certifier, at=clock.now()
    )
    with pytest.raises(calibrations.SampleUnavailable):
        calibrating.add(measured_once, replace(seen.said, marks=("1",)), by=who.certifier, at=clock.now())
