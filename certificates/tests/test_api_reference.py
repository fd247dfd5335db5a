"""The OpenAPI document and the page that is made from it."""

import json
import re

import pytest
import yaml
from drf_spectacular.drainage import GENERATOR_STATS
from drf_spectacular.validation import validate_schema

from certificates.api import reference
from registry_site import api_urls, openapi
from registry_site.problems import Refusal

# Writes that speak for nobody: asked for without a token.
OPEN_TO_ANYBODY = {"/api/v1/circuit-checks/", "/api/v1/comparisons/", "/api/v1/reports/"}
pytestmark = pytest.mark.django_db


@pytest.fixture
def described(visitor) -> dict:
    return visitor.get("/api/v1/openapi.json").json()


def test_the_document_is_made_without_a_warning_and_is_valid():
    reference.document.cache_clear()
    GENERATOR_STATS.reset()
    document = reference.document("en")
    assert not GENERATOR_STATS._warn_cache, list(GENERATOR_STATS._warn_cache)
    assert not GENERATOR_STATS._error_cache, list(GENERATOR_STATS._error_cache)
    validate_schema(document)
    assert document["openapi"] == "3.1.0"


def test_every_address_is_described_and_nothing_else(described):
    served = {
        "/api/v1/" + re.sub(r"<(?:\w+:)?(\w+)>", r"{\1}", str(one.pattern))
        for one in api_urls.urlpatterns
        if getattr(getattr(one.callback, "cls", None), "schema", None) is not None
    }
    assert set(described["paths"]) == served


def test_every_operation_has_a_summary_an_example_and_its_problems(described):
    for path, operations in described["paths"].items():
        for method, operation in operations.items():
            assert operation["summary"], (method, path)
            answers = operation["responses"]
            (good,) = [status for status in answers if status in {"200", "201", "202"}][:1]
            content = answers[good]["content"]
            content = content.get("application/json") or content["application/jsonl"]
            assert "example" in content or "examples" in content, (method, path)
            assert "application/problem+json" in answers["429"]["content"], (method, path)
            if method == "post":
                nobody_needs_one = [{}] if path in OPEN_TO_ANYBODY else []
                assert operation["security"] == [*nobody_needs_one, {"token": []}], path
                assert {"401", "403"} <= set(answers), path


def test_objects_have_the_names_of_the_domain(described):
    names = set(described["components"]["schemas"])
    assert {"Certificate", "Status", "History", "Figure", "Measurement", "Notice", "Package"} <= names
    assert not [name for name in names if name.startswith("Shown")]


def test_yaml_says_the_same_as_json(visitor, described):
    response = visitor.get("/api/v1/openapi.yaml")
    assert response["Content-Type"].startswith("application/yaml")
    assert yaml.safe_load(response.content) == described


def test_every_refusal_of_the_api_is_documented(described):
    """Classes whose code can reach a client of the API are listed with some operation."""
    documented = set(re.findall(r'"code": "(\w+)"', json.dumps(described)))
    kinds, todo = set(), [Refusal]
    while todo:
        kind = todo.pop()
        todo += kind.__subclasses__()
        kinds.add(kind)
    missing = {
        kind.code
        for kind in kinds
        if kind.__module__.startswith(("certificates.api", "certificates.finding", "registry_site.taken"))
        or kind.__module__.startswith(
            ("registry_site.idempotency", "registry_site.bearer", "evidence.intake")
        )
    } - documented
    # A part upload's own refusals: nothing of it is in the API yet.
    assert missing <= {"upload_closed", "wrong_offset", "csrf_failed"}, missing
    assert set(openapi.FRAMEWORK) <= documented | {"not_found", "method_not_allowed", "malformed_request"}


def test_the_page_needs_no_script_and_nothing_from_elsewhere(visitor):
    response = visitor.get("/api/v1/docs/", headers={"Accept": "text/html"})
    text = response.content.decode()
    assert response.status_code == 200
    assert response["Content-Type"] == "text/html; charset=utf-8"
    assert not re.search(r"""(?:src|href)=["'](?:https?:)?//(?!testserver)""", text)
    assert "<script>" not in text
    for address in ("/api/v1/evidence/", "/api/v1/certificates/{number}/status/"):
        assert address in text
    assert 'id="number_mistyped"' in text
    assert 'id="suspend_certificate"' in text


def test_the_page_speaks_both_languages(visitor):
    spanish = visitor.get("/api/v1/docs/")
    english = visitor.get("/api/v1/docs/?lang=en")
    accepted = visitor.get("/api/v1/docs/", headers={"Accept-Language": "en"})
    assert (spanish["Content-Language"], english["Content-Language"]) == ("es", "en")
    assert '<html lang="es"' in spanish.content.decode()
    assert '<html lang="en"' in english.content.decode()
    assert accepted["Content-Language"] == "en"
    assert 'hreflang="en"' in spanish.content.decode()


def test_the_type_of_a_problem_leads_to_its_description(visitor):
    assert visitor.get("/problems/number_mistyped")["Location"] == "/api/v1/docs/#number_mistyped"
    assert visitor.get("/problems/nonsense")["Location"] == "/api/v1/docs/#problems"
    assert visitor.get("/api/v1/")["Location"] == "/api/v1/docs/"
