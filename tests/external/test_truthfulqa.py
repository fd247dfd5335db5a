"""A real evaluation that no one here made goes the whole way, from the API to the certificate's page."""

import csv
import hashlib
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from django.test import Client
from psycopg import sql

from certificates import pipeline
from certificates.models import Certificate
from evidence.models import EvidencePackage, Holder, PackageState
from grading import data, publication
from grading.models import Measurement
from registry_site import clock, roles, tokens
from registry_site.models import Person, User
from registry_site.roles import Role
from tests.external import truthfulqa

pytestmark = [pytest.mark.shared, pytest.mark.django_db(transaction=True)]

STATEMENT = {
    "es": "Las cifras son las que resultan de los veredictos humanos publicados.",
    "en": "The figures are those that follow from the published human verdicts.",
}
LONG_AGE = 3650


@pytest.fixture
def folder(shared):
    return shared / "data" / "truthfulqa_multi"


def staff(name: str, role: Role) -> User:
    person = Person.objects.create(name=name)
    roles.grant(person, role, by=None, at=clock.now())
    return User.objects.create_user(f"{name.lower()}@registry.example", person=person)


@pytest.fixture
def registry(settings, tmp_path):
    """A registry with its people, HALU-1 and the scheme TQA-1 of this test."""
    settings.EVIDENCE_DIR = tmp_path / "evidence"
    settings.MAIL_DIR = tmp_path / "mail"
    people = {
        "evaluator": staff("Elena", Role.EVALUATOR),
        "certifier": staff("Mario", Role.CERTIFIER),
        "appeals": staff("Ana", Role.APPEALS_OFFICER),
        "registrar": staff("Rosa", Role.REGISTRAR),
    }
    halu = data.read("schemes/HALU-1.json")
    publication.publish(halu, at=clock.now())
    rules = {**json.loads(halu), "code": "TQA", "max_evidence_age": LONG_AGE}
    publication.publish(json.dumps(rules, ensure_ascii=False).encode(), at=clock.now())
    return people


def bearer(user: User, role: Role) -> dict[str, str]:
    return {"HTTP_AUTHORIZATION": f"Bearer {tokens.make(user, role=role, at=clock.now())}"}


def hand_in(client: Client, registry, package) -> dict:
    """Upload through the API, let the pipeline run, and read the package's answer."""
    content = package.read_bytes()
    token = bearer(registry["evaluator"], Role.EVALUATOR)
    sha256 = hashlib.sha256(content).hexdigest()
    with package.open("rb") as file:
        response = client.post("/api/v1/evidence/", {"file": file, "sha256": sha256}, **token)
    assert response.status_code == 201, response.content
    pipeline.advance(EvidencePackage.objects.get(sha256=sha256).pk)
    answer = client.get(f"/api/v1/evidence/{sha256}/", **token).json()
    assert answer["state"] == PackageState.READY, answer
    return answer


def confirm(registry) -> None:
    from evidence import identities

    holder = Holder.objects.get()
    by = registry["registrar"].person
    identities.confirm_holder(
        holder,
        name=holder.name,
        identifier_kind="domain",
        identifier="deepmind.google",
        country="GB",
        by=by,
        at=clock.now(),
    )
    for system in holder.systems.all():
        identities.confirm_system(system, name=system.name, by=by, at=clock.now())


def issue(client: Client, registry, measurement: int):
    return client.post(
        "/api/v1/certificates/",
        json.dumps({"measurement": measurement, "statement": STATEMENT}),
        content_type="application/json",
        **bearer(registry["certifier"], Role.CERTIFIER),
    )


def published_truth(shared) -> dict[str, int]:
    """Language → «human truth yes» of the system, as published and recomputed by others."""
    figure = f"human truth yes {truthfulqa.SYSTEM}"
    with (shared / "data" / "expected_figures.csv").open(encoding="utf-8") as file:
        return {row["group"]: int(row["k_or_b"]) for row in csv.DictReader(file) if row["figure"] == figure}


def test_the_human_counts_are_on_the_certificate(client, registry, folder, shared, tmp_path):
    package = tmp_path / "truthfulqa.zip"
    truthfulqa.make(folder, package)
    hand_in(client, registry, package)
    confirm(registry)
    response = issue(client, registry, Measurement.objects.get().pk)
    assert response.status_code == 201, response.content
    number = response.json()["number"]

    figures = client.get(f"/api/v1/certificates/{number}/figures/").json()["figures"]
    counts = {
        (f["metric"], f["group"]): f["k"]
        for f in figures
        if f["denominator"] == "all" and f["category"] is None and f["judge"] is None
    }
    truth = published_truth(shared)
    assert len(truth) >= 4
    for language, expected in truth.items():
        assert counts["accuracy", language] + counts["abstention", language] == expected
    assert truth["es"] == 73
    assert {group for _, group in counts if group} == set(truthfulqa.LANGUAGES)

    page = client.get(f"/es/c/{number}/").content.decode()
    for name in ("español", "inglés", "catalán", "euskera", "gallego"):
        assert re.search(name, page, re.IGNORECASE), f"the page names no {name}"


def test_under_halu_it_is_too_old_and_the_refusal_says_so(client, registry, folder, tmp_path):
    package = tmp_path / "truthfulqa.zip"
    truthfulqa.make(folder, package, scheme=("HALU", "1"))
    hand_in(client, registry, package)
    confirm(registry)
    response = issue(client, registry, Measurement.objects.get().pk)
    assert response.status_code == 409
    assert response.json()["code"] == "evidence_too_old"
    assert not Certificate.objects.exists()


def test_sealed_questions_are_shown_nowhere(client, registry, folder, tmp_path, capfd, caplog, settings):
    package = tmp_path / "truthfulqa.zip"
    truthfulqa.make(folder, package, sealed=True)
    hand_in(client, registry, package)
    confirm(registry)
    number = issue(client, registry, Measurement.objects.get().pk).json()["number"]
    answered = [
        client.get(address, follow=True, **headers)
        for address in (
            f"/es/c/{number}/",
            f"/en/c/{number}/",
            f"/api/v1/certificates/{number}/",
            f"/api/v1/certificates/{number}/status/",
            f"/api/v1/certificates/{number}/history/",
            f"/api/v1/certificates/{number}/figures/",
            f"/api/v1/certificates/{number}/evidence/",
            f"/api/v1/measurements/{Measurement.objects.get().pk}/",
            f"/c/{number}/evidence.zip",
            f"/c/{number}/evidence/data/items.jsonl",
            f"/c/{number}/evidence/data/responses.jsonl",
            f"/c/{number}/evidence/data/verdicts.jsonl",
            f"/es/certificates/?q={number}",
        )
        for headers in ({}, bearer(registry["evaluator"], Role.EVALUATOR))
    ]
    shown = b"\n".join(
        b"".join(response.streaming_content) if response.streaming else response.content
        for response in answered
    )
    shown += capfd.readouterr().err.encode() + caplog.text.encode()
    shown += b"".join(path.read_bytes() for path in settings.MAIL_DIR.rglob("*") if path.is_file())
    shown += database_dump()
    questions = [
        json.loads(line)["question"] for line in truthfulqa.records(folder)[0]["items.jsonl"].splitlines()
    ]
    told = shown.decode("utf-8", "replace")
    for question in questions:
        if len(question) > 15:
            assert question not in told
            assert question.encode().hex() not in told  # as a bytes column would show it


def database_dump() -> bytes:
    """Every column of every table as text: what a dump or an export could show."""
    from django.apps import apps
    from django.db import connection

    parts = []
    with connection.cursor() as cursor:
        for model in apps.get_models(include_auto_created=True):
            if model._meta.managed:
                table = sql.Identifier(model._meta.db_table)
                cursor.execute(sql.SQL("SELECT t::text FROM {} t").format(table))
                parts += [row[0].encode() for row in cursor.fetchall()]
    return b"\n".join(parts)


def test_the_converter_runs_as_a_command(folder, tmp_path):
    package = tmp_path / "tqa.zip"
    subprocess.run(
        [sys.executable, "-m", "tests.external.truthfulqa", str(folder), str(package)],
        check=True,
        cwd=Path(__file__).resolve().parents[2],
        timeout=60,
    )
    again = tmp_path / "again.zip"
    truthfulqa.make(folder, again)
    assert package.read_bytes() == again.read_bytes()
