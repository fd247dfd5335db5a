"""Handing evidence in through the API, and following what becomes of it."""

import hashlib
import io
import zipfile

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from certificates import visibility
from certificates.tests import desks, registry
from evidence import storage
from evidence.models import EvidencePackage
from registry_site.models import User
from registry_site.roles import Role

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("evidence_folder")]


@pytest.fixture
def evaluator(db) -> Client:
    return desks.holding(registry.person("Eva", Role.EVALUATOR), Role.EVALUATOR)


def archive(text: str = "nothing that is a bag") -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as package:
        package.writestr("data/a.txt", text)
    return file.getvalue()


ZIP = archive()
SHA256 = hashlib.sha256(ZIP).hexdigest()
ADDRESS = f"/api/v1/evidence/{SHA256}/"


def hand_in(client: Client, data: bytes = ZIP, *, headers=None, **fields):
    body = {"file": SimpleUploadedFile("package.zip", data), **fields}
    return client.post("/api/v1/evidence/", body, headers=headers)


FINDING = {
    "code": "MANIFEST_MISSING",
    "member": "manifest-sha256.txt",
    "key": None,
    "expected": None,
    "found": None,
}


# ── handing in ───────────────────────────────────────────────────────────────────────────────────────────


def test_a_package_is_received_and_its_address_told(evaluator):
    response = hand_in(evaluator, sha256=SHA256)
    assert response.status_code == 201, response.content
    assert response["Location"] == ADDRESS
    body = response.json()
    assert (body["sha256"], body["bytes"], body["state"]) == (SHA256, len(ZIP), "received")
    assert (body["integrity"], body["complete"], body["findings"]) == ("not_checked", None, [])
    with storage.current().open(SHA256) as stored:
        assert stored.read() == ZIP


def test_the_same_bytes_again_are_found_and_not_stored_twice(evaluator):
    hand_in(evaluator)
    again = hand_in(evaluator)
    assert (again.status_code, again["Location"]) == (200, ADDRESS)
    assert EvidencePackage.objects.count() == 1


def test_a_service_account_hands_in(db):
    robot = User.objects.create_user("robot@example.org", service_name="nightly upload")
    assert hand_in(desks.holding(robot, Role.EVALUATOR)).status_code == 201


@pytest.mark.parametrize(
    ("role", "held", "status", "code"),
    [
        (None, (), 403, "role_needed"),
        (Role.CERTIFIER, (Role.CERTIFIER, Role.EVALUATOR), 403, "role_needed"),
        (Role.EVALUATOR, (), 403, "role_needed"),
    ],
)
def test_only_an_evaluators_token_hands_in(role, held, status, code):
    response = hand_in(desks.holding(registry.person("Otto", *held), role))
    assert (response.status_code, response.json()["code"]) == (status, code)
    assert not EvidencePackage.objects.exists()


def test_without_a_token_the_body_is_not_read(visitor):
    response = hand_in(visitor)
    assert (response.status_code, response.json()["code"]) == (401, "not_authenticated")


def test_a_session_hands_nothing_in(visitor):
    visitor.force_login(
        registry.person("Eva", Role.EVALUATOR), backend="allauth.account.auth_backends.AuthenticationBackend"
    )
    assert hand_in(visitor).status_code == 401


@pytest.mark.parametrize(
    ("body", "kind", "status", "code"),
    [
        ("{}", "application/json", 400, "malformed_request"),
        (b"--x\r\n\r\n--x--\r\n", "multipart/form-data; boundary=x", 400, "malformed_request"),
        (b"rubbish", "multipart/form-data; boundary=x", 400, None),
        (b"", "multipart/form-data; boundary=x", 411, "length_required"),
        (b"rubbish", "multipart/form-data", 400, "malformed_request"),
    ],
)
def test_a_body_without_a_file_is_refused(evaluator, body, kind, status, code):
    response = evaluator.post("/api/v1/evidence/", body, content_type=kind)
    assert response.status_code == status, response.content
    assert response["Content-Type"] == "application/problem+json"
    assert code is None or response.json()["code"] == code


def test_a_declared_digest_must_be_one(evaluator):
    response = hand_in(evaluator, sha256="abc")
    assert (response.status_code, response.json()["code"]) == (422, "invalid_sha256")
    assert not EvidencePackage.objects.exists()


def test_a_full_disk_keeps_nothing(evaluator, settings):
    settings.EVIDENCE_FREE_BYTES = 2**62
    response = hand_in(evaluator)
    assert (response.status_code, response.json()["code"]) == (507, "storage_full")
    assert not EvidencePackage.objects.exists()


def test_a_package_that_is_too_large_is_refused_before_it_is_read(evaluator, settings):
    settings.EVIDENCE_MAX_UPLOAD_BYTES = 1
    response = hand_in(evaluator, archive("x" * 200_000))
    assert (response.status_code, response.json()["code"]) == (413, "package_too_large")


# ── handing in twice with one key ────────────────────────────────────────────────────────────────────────

KEY = {"Idempotency-Key": "night-of-30-november"}


def test_a_repeated_upload_is_answered_as_the_first(evaluator):
    first, again = hand_in(evaluator, headers=KEY), hand_in(evaluator, headers=KEY)
    assert (first.status_code, first.content) == (again.status_code, again.content) == (201, first.content)
    assert again["Location"] == ADDRESS


def test_another_file_under_the_same_key_is_refused_and_not_kept(evaluator):
    hand_in(evaluator, headers=KEY)
    other = hand_in(evaluator, archive("another"), headers=KEY)
    assert (other.status_code, other.json()["code"]) == (422, "idempotency_key_reused")
    assert EvidencePackage.objects.count() == 1


def test_an_upload_that_failed_may_be_tried_again_with_its_key(evaluator, settings):
    settings.EVIDENCE_MAX_UPLOAD_BYTES = 1
    assert hand_in(evaluator, archive("x" * 200_000), headers=KEY).status_code == 413
    settings.EVIDENCE_MAX_UPLOAD_BYTES = 10**9
    assert hand_in(evaluator, headers=KEY).status_code == 201


# ── following it ─────────────────────────────────────────────────────────────────────────────────────────


def test_its_submitter_reads_progress_and_findings_in_either_language(evaluator):
    hand_in(evaluator)
    registry.verification(EvidencePackage.objects.get(), findings=[FINDING])
    spanish = evaluator.get(ADDRESS).json()
    english = evaluator.get(ADDRESS, headers={"Accept-Language": "en"}).json()
    assert spanish["integrity"] == "failed"
    assert spanish["progress"] == {"bytes": 0, "total": len(ZIP), "members": 0, "member": ""}
    (one,), (other,) = spanish["findings"], english["findings"]
    assert (one["code"], one["member"]) == ("MANIFEST_MISSING", "manifest-sha256.txt")
    assert one["mend"]
    assert one["mend"] != other["mend"]


def test_before_a_decision_nobody_else_knows_of_it(evaluator, visitor):
    hand_in(evaluator)
    stranger = desks.holding(registry.person("Nadie"), None)
    for client in (visitor, stranger):
        response = client.get(ADDRESS)
        assert (response.status_code, response.json()["code"]) == (404, "evidence_not_found")
    assert response.content == stranger.get(f"/api/v1/evidence/{'0' * 64}/").content


def test_staff_read_it_but_not_what_was_found_in_sealed_members(evaluator):
    hand_in(evaluator)
    inside = {**FINDING, "code": "UNKNOWN_KEY", "member": "data/items.jsonl:3", "key": "x"}
    registry.verification(
        EvidencePackage.objects.get(), findings=[FINDING, inside], sealed=["data/items.jsonl"]
    )
    own = evaluator.get(ADDRESS).json()["findings"]
    staff = (
        desks.holding(registry.person("Clara", Role.CERTIFIER), Role.CERTIFIER)
        .get(ADDRESS)
        .json()["findings"]
    )
    assert [one["code"] for one in own] == ["MANIFEST_MISSING", "UNKNOWN_KEY"]
    assert [one["code"] for one in staff] == ["MANIFEST_MISSING"]


def test_once_decided_on_the_public_reads_it_without_findings(evaluator, visitor, monkeypatch):
    hand_in(evaluator)
    package = EvidencePackage.objects.get()
    registry.verification(package, integrity="verified")
    monkeypatch.setattr(visibility, "package_for", lambda user, sha256: package)
    body = visitor.get(ADDRESS).json()
    assert (body["sha256"], body["integrity"], body["complete"]) == (SHA256, "verified", True)
    assert not {"findings", "warnings", "progress", "filename", "failure", "attempts"} & set(body)


def test_a_hash_in_capitals_is_led_to_the_one_spelling(evaluator):
    hand_in(evaluator)
    response = evaluator.get(f"/api/v1/evidence/{SHA256.upper()}/?x=1")
    assert (response.status_code, response["Location"]) == (308, f"{ADDRESS}?x=1")


@pytest.mark.parametrize("text", ["abc", "0" * 63, "0" * 65, "g" * 64, "é"])
def test_what_is_no_hash_is_not_found(evaluator, text):
    assert evaluator.get(f"/api/v1/evidence/{text}/").json()["code"] == "evidence_not_found"
