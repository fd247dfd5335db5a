"""What the public reads of cases and series: the assignment word for word, and no rubric before its reveal."""

import hashlib
import json
import re
import subprocess

import pytest
from django.test import Client

from certificates import rubric_words
from certificates.tests import rubrics
from evidence import cases
from evidence.models import Series
from grading import rubric_language, series
from registry_site import clock

pytestmark = pytest.mark.django_db
# Every address that tells of a case or a series to somebody who is nobody.
PUBLIC = [
    "/es/cases/",
    "/en/cases/",
    "/es/cases/PI-001/",
    "/en/cases/PI-001/",
    "/es/cases/PI-001/1/",
    "/es/series/PI-001-S1/",
    "/en/series/PI-001-S1/",
    "/series/PI-001-S1/rubric.json",
    "/series/PI-001-S1/rubric.salt",
    "/api/v1/cases/",
    "/api/v1/cases/PI-001/",
    "/api/v1/series/PI-001-S1/",
]


@pytest.fixture
def sealed(who):
    return rubrics.sealed(who.evaluator)


def reveal(row, who):
    by = who.evaluator.person
    series.close(row, by=by, at=clock.now())
    series.reveal(row, by=by, at=clock.now())


def texts(client=None):
    client = client or Client()
    return {address: client.get(address).content.decode("utf-8", "replace") for address in PUBLIC}


def test_the_assignment_stands_word_for_word_with_its_hash(sealed):
    page = Client().get("/es/cases/PI-001/").content.decode()
    shown = re.search(r"<blockquote[^>]*><p>(.*?)</p>", page, re.DOTALL)[1]
    assert hashlib.sha256(shown.encode()).hexdigest() == sealed.variant.sha256
    assert sealed.variant.sha256 in page
    assert "40 peticiones · 20 minutos" in page.replace("\u202f", " ").replace("\xa0", " ")
    assert "Rutas excluidas respetadas" in page


def test_nothing_public_tells_the_rubric_before_its_reveal(sealed, who):
    rubric = series.rubric_of(sealed)
    ids = [
        control["id"]
        for point in series.document_of(rubric)["points"]
        for control in point["controls"]
        if len(control["id"]) > 2
    ]
    secrets = [
        *ids,
        rubrics.CANARY,
        rubrics.ROUTE,
        "huemul",
        "/pruebas",
        bytes(rubric.salt).hex(),
        "never_requested",
    ]
    before = list(texts().values())
    series.close(sealed, by=who.evaluator.person, at=clock.now())
    for text in [*before, *texts().values()]:
        for secret in secrets:
            assert secret not in text


def test_the_files_of_a_sealed_rubric_are_refused(sealed):
    for name in ("rubric.json", "rubric.salt"):
        response = Client().get(f"/series/PI-001-S1/{name}", headers={"Accept": "application/json"})
        assert response.status_code == 403


def test_a_revealed_rubric_is_checked_with_two_downloads_and_a_shell(sealed, who, tmp_path):
    reveal(sealed, who)
    for name in ("rubric.json", "rubric.salt"):
        response = Client().get(f"/series/PI-001-S1/{name}")
        assert response["Content-Disposition"] == f'attachment; filename="{name}"'
        assert response["Content-Security-Policy"].startswith("sandbox")
        (tmp_path / name).write_bytes(response.content)
    said = subprocess.run(
        ["/bin/sh", "-c", "cat rubric.salt rubric.json | sha256sum"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )
    assert said.stdout.split()[0] == sealed.commitment
    for language in ("es", "en"):
        page = Client().get(f"/{language}/series/PI-001-S1/").content.decode()
        assert rubrics.CANARY in page
        assert rubrics.ROUTE in page
        assert f"--commitment {sealed.commitment}" in page


def test_the_state_is_told_with_its_dates(sealed, who):
    assert "Sellada, sin ejecuciones todavía" in texts()["/es/series/PI-001-S1/"]
    statement = {"es": "La rúbrica se publicó en un foro.", "en": "The rubric was posted in a forum."}
    series.leak(
        sealed, occurred_on=rubrics.today(), statement=statement, by=who.evaluator.person, at=clock.now()
    )
    page = Client().get("/es/series/PI-001-S1/").content.decode()
    assert "Filtrada" in page
    assert statement["es"] in page


def test_every_run_is_listed_but_technical_ones(sealed, who):
    rubrics.run_of(sealed, who.evaluator, state="abandoned")
    rubrics.run_of(sealed, who.evaluator, outcome="technical")
    page = Client().get("/en/series/PI-001-S1/").content.decode()
    assert "EJ-2026-000001" in page
    assert "EJ-2026-000002" not in page
    assert "Olga" not in page
    told = Client().get("/api/v1/series/PI-001-S1/").json()
    assert [(run["number"], run["state"]) for run in told["runs"]] == [("EJ-2026-000001", "abandoned")]


def test_what_is_not_there_is_said(db):
    for address in ("/es/cases/PI-009/", "/es/cases/x/", "/es/series/PI-001-S9/", "/es/cases/PI-001/7/"):
        assert Client().get(address).status_code == 404
    for address in ("cases/PI-009/", "series/PI-001-S9/", "cases/PI-001/?version=x"):
        response = Client().get(f"/api/v1/{address}")
        assert response.status_code == 404
        assert response["Content-Type"] == "application/problem+json"
    assert "Todavía no hay ningún caso de prueba publicado." in Client().get("/es/cases/").content.decode()


def test_a_code_is_found_however_it_is_written(sealed):
    for address in ("/es/cases/pi-001/", "/es/series/pi-001-s1/", "/api/v1/series/pi-001-s1/"):
        response = Client().get(address)
        assert response.status_code in (301, 308, 302)
        assert response["Location"].upper() == address.upper()


def test_the_api_tells_commitment_state_and_after_the_reveal_the_rubric(sealed, who):
    before = Client().get("/api/v1/series/PI-001-S1/").json()
    assert (before["state"], before["commitment"]) == ("sealed", sealed.commitment)
    assert (before["rubric"], before["salt"], before["rubric_address"]) == (None, None, None)
    reveal(sealed, who)
    after = Client().get("/api/v1/series/PI-001-S1/").json()
    form = rubric_language.sealed_form(after["rubric"])
    assert hashlib.sha256(bytes.fromhex(after["salt"]) + form).hexdigest() == sealed.commitment
    assert [event["step"] for event in after["events"]] == ["seal", "close", "reveal"]
    case = Client().get("/api/v1/cases/PI-001/").json()
    assert case["limits"] == {"requests": 40, "seconds": 1200}
    assert case["series"][0]["state"] == "revealed"
    assert "catalogue" not in json.dumps(case)


def test_every_rule_and_term_has_its_words():
    terms = {
        name
        for part in vars(rubric_language).values()
        if isinstance(part, type)
        and issubclass(part, rubric_language._Part)
        and part.__name__[1:].lower() in {rule.replace("_", "") for rule in rubric_language.KINDS}
        for name in part.__struct_fields__
    }
    assert set(rubric_words.RULE) == set(rubric_language.KINDS)
    assert set(rubric_words.TERM) == terms


def test_an_older_version_of_a_case_stays(sealed):
    case = sealed.variant.case
    newer = json.loads(bytes(case.document)) | {
        "catalogue": case.catalogue,
        "version": 2,
        "terms": "/robots.txt",
    }
    cases.publish(newer, by=None, at=clock.now())
    page = Client().get("/es/cases/PI-001/").content.decode()
    assert "/robots.txt" in page
    assert 'href="/es/cases/PI-001/1/"' in page
    assert "/robots.txt" not in Client().get("/es/cases/PI-001/1/").content.decode()
    assert Client().get("/api/v1/cases/PI-001/?version=1").json()["terms_path"] == "/condiciones"
    assert Series.objects.get().variant.case.version == 1
