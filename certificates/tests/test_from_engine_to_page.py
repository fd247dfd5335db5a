"""The whole way of a measurement: an engine is asked, judged, reported, compared, handed in, certified and read."""

import csv
import hashlib
import io
import json
import zipfile

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from certificates import names, pipeline, publishing
from certificates.tests import desks, packages, registry
from evidence import identities
from evidence.models import EvidencePackage, Holder, PackageState, System
from grading import comparing
from grading.harness import commands
from grading.models import ComparisonRequest, Measurement
from grading.tests import packages as records
from registry_site import clock, wording
from registry_site.roles import Role

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("evidence_folder")]

STATEMENT = {"es": "Se certifica lo que se midió.", "en": "What was measured is certified."}


def benchmark(*words) -> tuple[int, str]:
    """What the client prints on standard output, and its exit status."""
    out, err = io.StringIO(), io.StringIO()
    status = commands.main([str(word) for word in words], out=out, err=err)
    assert status in (0, 3), err.getvalue()
    return status, out.getvalue()


@pytest.fixture(scope="module")
def measured(tmp_path_factory):
    """Two versions of the simulated engine, each measured into a package; the second errs more often."""
    folder = tmp_path_factory.mktemp("measured")
    benchmark("simulate", "--into", folder, "--json")
    worse = ("--system-version", "1.1", "--incorrect", "400")
    benchmark("simulate", "--into", folder, *worse, "--json")
    return folder


def hand_in(who, content: bytes) -> EvidencePackage:
    """Through the API, as a program does; then a worker has it."""
    sha256 = hashlib.sha256(content).hexdigest()
    answer = desks.holding(who.evaluator, Role.EVALUATOR).post(
        "/api/v1/evidence/", {"file": SimpleUploadedFile("package.zip", content), "sha256": sha256}
    )
    assert answer.status_code == 201, answer.content
    package = EvidencePackage.objects.get(sha256=sha256)
    pipeline.advance(package.pk)
    package.refresh_from_db()
    return package


def confirm(who) -> None:
    """A registrar confirms whoever the package named."""
    by = who.registrar.person
    for holder in Holder.objects.filter(confirmation="proposed"):
        named = {"name": holder.name, "identifier_kind": "domain", "identifier": "innova.example"}
        identities.confirm_holder(holder, **named, country="CL", by=by, at=clock.now())
    for system in System.objects.filter(confirmation="proposed"):
        identities.confirm_system(system, name=system.name, by=by, at=clock.now())


def issue(who, measurement: Measurement):
    return desks.holding(who.certifier, Role.CERTIFIER).post(
        "/api/v1/certificates/",
        {"measurement": measurement.pk, "statement": STATEMENT},
        content_type="application/json",
    )


def certified(who, path) -> str:
    """The number of the certificate that is issued on the package in a file."""
    package = hand_in(who, path.read_bytes())
    assert package.state == PackageState.READY
    confirm(who)
    answer = issue(who, package.measurements.get())
    assert answer.status_code == 201, answer.content
    return answer.json()["number"]


def filled_in(sheet: str, verdicts: dict[str, str]) -> str:
    """The sheet as a person gives it back who agrees with the judge but on every tenth answer."""
    rows = list(csv.DictReader(io.StringIO(sheet.removeprefix("\ufeff"))))
    out = io.StringIO()
    writer = csv.DictWriter(out, fieldnames=rows[0].keys())
    writer.writeheader()
    for place, row in enumerate(rows):
        verdict = verdicts[row["item"]]
        other = "incomplete" if verdict == "exact" else "exact"
        writer.writerow(row | {"reviewer": "p1", "verdict": other if place % 10 == 0 else verdict})
    return out.getvalue()


def test_the_page_shows_the_numbers_of_the_report(who, measured):
    registry.scheme()
    benchmark("validate", measured / "set")
    number = certified(who, measured / "package-1.0.zip")

    report = json.loads(benchmark("report", measured / "package-1.0.zip", "--format", "json")[1])
    told = Client().get(f"/api/v1/certificates/{number}/figures/").json()["figures"]
    shown = {place(figure): figure for figure in told if figure["band"] not in ("suppressed", "no_data")}
    reported = {place(figure): figure for figure in report["figures"]}
    assert len(shown) > 80
    for at, figure in shown.items():
        if figure["group"] != "rest":
            assert {key: reported[at][key] for key in figure} == figure

    for language, of in (("es", "de"), ("en", "of")):
        page = plain(Client().get(f"/{language}/c/{number}/").content.decode())
        text = plain(benchmark("report", measured / "package-1.0.zip", "--language", language)[1])
        for group in (None, "es", "en", "pt"):
            for denominator in ("judged", "all"):
                one = shown["hallucination", denominator, group, None, None]
                for part in (
                    f"{one['k']} {of} {one['n']}",
                    plain(wording.percentage(one["estimate"], language)),
                ):
                    assert part in page
                    assert part in text


def plain(text: str) -> str:
    """Every kind of space as one."""
    return text.replace("\u00a0", " ").replace("\u202f", " ")


def place(figure: dict) -> tuple:
    return tuple(figure[key] for key in ("metric", "denominator", "group", "category", "judge"))


def test_a_second_version_is_compared_and_stands_on_the_page_of_the_first(who, measured):
    registry.scheme()
    first, second = measured / "package-1.0.zip", measured / "package-1.1.zip"
    status, printed = benchmark("compare", first, second, "--fail-if-worse", "--json")
    compared = json.loads(printed)
    assert (status, compared["second_is_worse"], compared["same_set"]) == (3, True, True)

    earlier, later = (certified(who, path) for path in (first, second))
    publishing.republish_stale(at=clock.now())
    page = Client().get(f"/es/c/{earlier}/").content.decode()
    for measurement in Measurement.objects.all():
        assert names.reference(measurement) in page
    assert later in page

    # The journey itself asked what the change did; a worker answers, with the numbers of the client.
    comparing.compute(ComparisonRequest.objects.get().pk)
    pair = Measurement.objects.order_by("frozen_at")
    ids = dict(zip(("first", "second"), (one.pk for one in pair), strict=True))
    told = Client().get("/api/v1/comparisons/", ids).json()
    overall = {of["metric"]: of["overall"] for of in told["result"]["outcomes"]}
    for of in compared["outcomes"]:
        mine = overall[of["metric"]]
        for count in ("both", "only_first", "only_second", "neither", "p"):
            assert (mine or {}).get(count) == (of["overall"] or {}).get(count)
    text = plain(Client().get("/es/compare/", {side: f"M-{pk}" for side, pk in ids.items()}).content.decode())
    assert f"{overall['accuracy']['only_first']}" in text
    assert "&lt;0,001" in text


def test_people_judge_again_and_the_agreement_is_told(measured, tmp_path):
    package = measured / "package-1.0.zip"
    sheet = tmp_path / "sheet.csv"
    benchmark("report", package, "--sheet", sheet)
    text = sheet.read_text(encoding="utf-8-sig")
    assert "simulado" not in text.partition("\n")[0]
    verdicts = {row["item"]: row["verdict"] for row in judged_in(measured)}
    sheet.write_text(filled_in(text, verdicts), encoding="utf-8")
    answer = json.loads(benchmark("kappa", sheet, package, "--json")[1])
    printed = json.dumps(answer)
    assert '"kappa": "0.' in printed
    told = benchmark("kappa", sheet, package, "--language", "es")[1]
    assert "kappa" in told.lower()
    assert "[" in told


def judged_in(measured) -> list[dict]:
    """The judge's verdicts in the first package."""
    with zipfile.ZipFile(measured / "package-1.0.zip") as archive:
        lines = archive.read(next(n for n in archive.namelist() if n.endswith("verdicts.jsonl")))
    return [json.loads(line) for line in lines.splitlines()]


def test_a_declared_total_that_its_items_contradict_blocks_issue_and_both_numbers_are_shown(who):
    registry.scheme()
    declared = [
        {
            "metric": "hallucination",
            "denominator": "judged",
            "group": None,
            "category": None,
            "value": "0.2733",
        }
    ]
    measured_at = clock.now().strftime("%Y-%m-%dT%H:%M:%SZ")
    content = packages.sound(
        450, of={"declared_figures": declared, "measured_at": measured_at}, **wrong_in(450, 117)
    )
    package = hand_in(who, content)
    assert package.state == PackageState.READY
    confirm(who)
    measurement = package.measurements.get()

    refused = issue(who, measurement)
    assert (refused.status_code, refused.json()["code"]) == (409, "declared_figures_differ")
    for language, numbers in (("es", ("0,2733", "0,260000")), ("en", ("0.2733", "0.260000"))):
        page = desks.at_desk(who.certifier, language=language).get(f"/staff/measurements/{measurement.pk}/")
        text = page.content.decode()
        for number in numbers:
            assert number in text
        assert f"/staff/measurements/{measurement.pk}/issue/" not in text


def wrong_in(size: int, wrong: int) -> dict[str, bytes]:
    """Verdicts on a sound package of that size, so many of them «incorrect»."""
    return {
        "verdicts": records.lines(
            [
                records.verdict(f"q{number:04d}", "incorrect" if number < wrong else "exact")
                for number in range(size)
            ]
        )
    }
