"""Requests made up from the OpenAPI document, good and bad: each is answered, none with a server error.

Small inside script/test; `script/rehearse fuzz` sends fifty times as many.
"""

import json
import random
from urllib.parse import quote, urlencode

import pytest
import schemathesis
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import transaction
from django.test import Client
from django.test.client import BOUNDARY, MULTIPART_CONTENT, encode_multipart
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from schemathesis import GenerationMode

from certificates.api import reference
from certificates.tests import registry
from registry_site import clock, tokens
from registry_site.roles import Role
from tests.rehearsals import machinery

pytestmark = pytest.mark.django_db

EXAMPLES = 200 if machinery.FULL else 4
# Values that the addresses know, so that made-up requests also reach past «not found».
KNOWN = 0.5


class _Undone(Exception):
    """Ends a transaction: whatever a request decided is gone before the next one."""


@pytest.fixture
def who(db) -> registry.People:
    return registry.people()


@pytest.fixture
def clients(who, settings, tmp_path) -> list[Client]:
    """A visitor, an evaluator and a certifier, with room to send as fast as they like."""
    settings.API_RATES = dict.fromkeys(settings.API_RATES, (10**9, 60))
    settings.EVIDENCE_DIR = tmp_path / "evidence"
    settings.EVIDENCE_FREE_SHARE, settings.EVIDENCE_FREE_BYTES = 0.0, 0
    certifier = tokens.make(who.certifier, role=Role.CERTIFIER, at=clock.now())
    evaluator = tokens.make(who.evaluator, role=Role.EVALUATOR, at=clock.now())
    return [
        Client(raise_request_exception=False),
        *(
            Client(headers={"Authorization": f"Bearer {token}"}, raise_request_exception=False)
            for token in (evaluator, certifier)
        ),
    ]


@pytest.fixture
def known(who) -> dict[str, str]:
    """What each parameter of a path may name."""
    certificate = registry.issued(who)
    return {
        "number": certificate.number,
        "sha256": certificate.measurement.package.sha256,
        "measurement": str(certificate.measurement_id),
        "scheme": "HALU-1",
        "notice": certificate.notices.get().number,
    }


def operations() -> list:
    schema = schemathesis.openapi.from_dict(reference.document("en"))
    return [result.ok() for result in schema.get_all_operations()]


def test_made_up_requests_are_answered_by_name(clients, known):
    broken: list[str] = []
    for operation in operations():
        cases = st.one_of(
            operation.as_strategy(generation_mode=GenerationMode.POSITIVE),
            operation.as_strategy(generation_mode=GenerationMode.NEGATIVE),
        )

        @settings(
            max_examples=EXAMPLES,
            deadline=None,
            database=None,
            derandomize=not machinery.FULL,
            phases=[Phase.generate],
            suppress_health_check=list(HealthCheck),
        )
        @given(case=cases, chance=st.randoms(use_true_random=False))
        def send(case, chance):
            # A visitor's writes all end at the door: whoever may write asks more often.
            weights = [1, 3, 6] if case.method == "POST" else [1, 1, 1]
            response = answer(*chance.choices(clients, weights), case, known, chance)
            if response is None:
                return
            told = f"{case.method} {case.formatted_path}: {response.status_code} {response.content[:300]!r}"
            named = response.get("Content-Type") == "application/problem+json"
            if response.status_code >= 500 or (response.status_code >= 400 and not named):
                broken.append(told)

        send()
    assert broken == []


def answer(client: Client, case, known: dict[str, str], chance: random.Random):
    """Send a made-up request, and undo what it decided. None for what no HTTP client could send."""
    path = case.path
    for name, value in (case.path_parameters or {}).items():
        thing = "notice" if "/notices/" in path else name
        text = known.get(thing, value) if chance.random() < KNOWN else value
        path = path.replace(f"{{{name}}}", quote(str(text), safe=""))
    query = urlencode({str(key): value for key, value in (case.query or {}).items()}, doseq=True)
    headers = {str(key): str(value) for key, value in (case.headers or {}).items()}
    if not all(value.isascii() and value.isprintable() for pair in headers.items() for value in pair):
        return None
    headers.pop("Content-Type", None)
    headers.pop("Authorization", None)
    try:
        with transaction.atomic():
            response = client.generic(case.method, f"{path}?{query}", *_body(case, chance), headers=headers)
            raise _Undone
    except _Undone:
        return response
    except UnicodeEncodeError:
        return None


def _body(case, chance: random.Random) -> tuple[bytes, str]:
    if case.method not in {"POST", "PUT", "PATCH"}:
        return b"", "application/octet-stream"
    if case.media_type == "multipart/form-data":
        fields = {
            "file": SimpleUploadedFile("a.zip", b"PK" + bytes(chance.randrange(256) for _one in range(50)))
        }
        if isinstance(case.body, dict) and isinstance(case.body.get("sha256"), str):
            fields["sha256"] = case.body["sha256"].encode("utf-8", "replace").decode()
        return encode_multipart(BOUNDARY, fields), MULTIPART_CONTENT
    if isinstance(case.body, bytes):
        return case.body, "application/json"
    return json.dumps(case.body, default=str).encode(), "application/json"
