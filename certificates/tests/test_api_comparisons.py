"""Comparisons through the API: read, asked for once, refused with each field that differs."""

import hashlib
import json

import pytest
import rfc8785

from certificates.tests import desks, pairs, registry
from certificates.tests.test_compare_page import certify
from grading import comparing
from grading.models import ComparisonRequest
from registry_site.roles import Role

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("evidence_folder")]
ADDRESS = "/api/v1/comparisons/"


@pytest.fixture
def certified(who):
    registry.scheme()
    first, second = pairs.versions(who)
    certify(who, first)
    return first, second


def read(client, first, second, **headers):
    return client.get(ADDRESS, {"first": first.pk, "second": second.pk}, headers=headers)


def ask(client, first, second, **headers):
    body = json.dumps({"first": first.pk, "second": second.pk})
    return client.post(ADDRESS, body, content_type="application/json", headers=headers)


def refused(response, status, code):
    assert response.status_code == status, response.content
    assert response["Content-Type"] == "application/problem+json"
    assert response.json()["code"] == code
    return response.json()


def test_one_that_was_not_made_says_how_to_ask_and_then_is_read(visitor, certified):
    ComparisonRequest.objects.all().delete()
    problem = refused(read(visitor, *certified), 404, "comparison_not_found")
    assert problem["state"] is None
    how = problem["how"]
    for state in ("requested", "computing"):
        response = visitor.post(how["address"], json.dumps(how["body"]), content_type="application/json")
        assert (response.status_code, response.json()["state"], response.json()["result"]) == (
            202,
            state,
            None,
        )
        assert refused(read(visitor, *certified), 404, "comparison_not_found")["state"] == state
        ComparisonRequest.objects.update(state="computing")
    request = ComparisonRequest.objects.get()
    assert request.origin == "anybody"
    ComparisonRequest.objects.update(state="requested")
    comparing.compute(request.pk)
    response = ask(visitor, *certified)
    assert response.status_code == 200
    told = visitor.get(response["Location"]).json()
    assert told == response.json()
    assert told["state"] == "done"
    assert [told[side]["id"] for side in ("first", "second")] == [one.pk for one in certified]
    row = told["result"]["outcomes"][0]["overall"]
    assert (row["only_first"], row["only_second"], row["p"]) == (0, 12, "0.000488281")
    assert hashlib.sha256(rfc8785.dumps(told["result"])).hexdigest() == told["sha256"]
    assert visitor.get(told["address"]).status_code == 200
    assert visitor.get(told["first"]["address"]).status_code == 200


def test_the_other_order_is_led_to_the_one_of_the_pair(visitor, certified):
    first, second = certified
    response = read(visitor, second, first)
    assert (response.status_code, response["Location"]) == (
        308,
        f"{ADDRESS}?first={first.pk}&second={second.pk}",
    )


def test_what_differs_is_named_with_both_values_and_a_remedy(visitor, who):
    registry.scheme()
    first = pairs.measure(who, pairs.payload(pairs.BEFORE, of=pairs.version("1.0.0")))
    judges = [{"id": "j1", "family": "gemini", "version": "gemini-9", "temperature": 0}]
    second = pairs.measure(who, pairs.payload(pairs.AFTER, of=pairs.version("2.0.0", judges=judges)))
    certify(who, first)
    for response in (read(visitor, first, second), ask(visitor, first, second)):
        (differs,) = refused(response, 409, "not_comparable")["differences"]
        assert (differs["field"], differs["second"]) == ("judges", ["gemini · gemini-9 · model"])
        assert differs["mend"]["en"].startswith("Have the answers of one judged")
    assert not ComparisonRequest.objects.exists()


def test_sets_without_a_common_question_are_not_comparable_once_read(visitor, who):
    registry.scheme()
    first = pairs.measure(who, pairs.payload(pairs.BEFORE, of=pairs.version("1.0.0")))
    second = pairs.measure(who, pairs.payload(pairs.AFTER, of=pairs.version("2.0.0"), ask="other"))
    certify(who, first)
    assert ask(visitor, first, second).status_code == 202
    comparing.compute(ComparisonRequest.objects.get().pk)
    for response in (read(visitor, first, second), ask(visitor, first, second)):
        (differs,) = refused(response, 409, "not_comparable")["differences"]
        assert differs["field"] == "set_sha256"


def test_what_is_not_public_is_for_those_who_may_see_it(visitor, who):
    registry.scheme()
    first, second = pairs.versions(who)
    comparing.compute(ComparisonRequest.objects.get().pk)
    refused(read(visitor, first, second), 404, "measurement_not_found")
    refused(ask(visitor, first, second), 404, "measurement_not_found")
    submitter = desks.holding(who.evaluator, Role.EVALUATOR)
    response = read(submitter, first, second)
    assert response.status_code == 200
    assert response["Cache-Control"].startswith("private")
    stranger = desks.holding(registry.person("Nadie"), None)
    refused(read(stranger, first, second), 404, "measurement_not_found")


@pytest.mark.parametrize(
    ("query", "status", "code"),
    [
        ({}, 400, "invalid_field"),
        ({"first": "1"}, 400, "invalid_field"),
        ({"first": "M-1", "second": "2"}, 400, "invalid_field"),
        ({"first": "0", "second": "2"}, 400, "invalid_field"),
        ({"first": str(2**63), "second": "2"}, 400, "invalid_field"),
        ({"first": "1e3", "second": "2"}, 400, "invalid_field"),
        ({"first": "1", "second": "2", "third": "3"}, 400, "invalid_field"),
        ({"first": str(2**63 - 1), "second": "2"}, 404, "measurement_not_found"),
    ],
)
def test_a_query_that_means_nothing_is_refused(visitor, certified, query, status, code):
    refused(visitor.get(ADDRESS, query), status, code)


@pytest.mark.parametrize(
    "body", [{"first": "1", "second": 2}, {"first": True, "second": 2}, {"first": 1}, [], 1]
)
def test_a_body_that_is_no_pair_is_refused(visitor, certified, body):
    response = visitor.post(ADDRESS, json.dumps(body), content_type="application/json")
    refused(response, 400, "invalid_field")


def test_a_measurement_is_not_compared_with_itself(visitor, certified):
    first, _second = certified
    refused(read(visitor, first, first), 400, "same_measurement")
    refused(ask(visitor, first, first), 400, "same_measurement")


def test_a_form_of_another_site_cannot_ask(visitor, certified):
    ComparisonRequest.objects.all().delete()
    first, second = certified
    response = visitor.post(ADDRESS, {"first": first.pk, "second": second.pk})
    refused(response, 415, "unsupported_media_type")
    assert not ComparisonRequest.objects.exists()


def test_who_asks_too_often_waits(visitor, certified, settings):
    settings.API_RATES = settings.API_RATES | {
        "comparisons": (1, 3601)
    }  # a window of its own: counters outlive a test
    assert ask(visitor, *certified).status_code == 202
    assert int(ask(visitor, *certified)["Retry-After"]) > 0
    refused(ask(visitor, *certified), 429, "throttled")


def test_too_many_waiting_is_told_as_such(visitor, certified, monkeypatch):
    ComparisonRequest.objects.all().delete()
    monkeypatch.setattr(comparing, "MOST_WAITING", 0)
    refused(ask(visitor, *certified), 503, "too_many_comparisons")
