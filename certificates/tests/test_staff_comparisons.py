"""Comparisons behind the desk: of measurements that nobody else may see, asked for, watched, started anew."""

import pytest

from certificates.tests import desks, pairs, registry
from certificates.tests.test_compare_page import words
from grading import comparing
from grading.models import ComparisonRequest

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("evidence_folder")]
ADDRESS = "/staff/compare/"


@pytest.fixture
def versions(who):
    registry.scheme()
    return pairs.versions(who)


def named(first, second):
    return {"first": f"M-{first.pk}", "second": f"M-{second.pk}"}


def test_unpublished_ones_are_compared_for_the_staff_alone(who, versions, visitor):
    certifier = desks.at_desk(who.certifier)
    assert visitor.get(ADDRESS, named(*versions)).status_code == 302
    assert visitor.get("/es/compare/", named(*versions)).status_code == 404
    comparing.compute(ComparisonRequest.objects.get().pk)
    told = words(certifier.get(ADDRESS, named(*versions)))
    assert "Primera: exacta 24 0 Primera: no exacta 12 4" in told
    assert "The same set" in words(desks.at_desk(who.certifier, language="en").get(ADDRESS, named(*versions)))


def test_it_is_asked_for_once_and_watched(who, versions):
    ComparisonRequest.objects.all().delete()
    evaluator = desks.at_desk(who.evaluator)
    assert "Pedir la comparación" in words(evaluator.get(ADDRESS, named(*versions)))
    for _ in range(2):
        response = evaluator.post(ADDRESS, named(*reversed(versions)))
        assert response["Location"] == "{}?first={first}&second={second}".format(ADDRESS, **named(*versions))
    request = ComparisonRequest.objects.get()
    assert request.origin == "staff"
    page = evaluator.get(response["Location"])
    assert "se está haciendo" in words(page)
    assert f'data-waiting="{ADDRESS}progress/?first=' in page.content.decode()
    assert not evaluator.get(f"{ADDRESS}progress/", named(*versions)).json()["finished"]
    comparing.compute(request.pk)
    assert evaluator.get(f"{ADDRESS}progress/", named(*versions)).json()["finished"]


def test_the_staff_form_needs_its_token(who, versions):
    from django.test import Client

    evaluator = desks.at_desk(who.evaluator)
    strict = Client(enforce_csrf_checks=True)
    strict.cookies = evaluator.cookies
    assert strict.post(ADDRESS, named(*versions)).status_code == 403


def test_one_that_failed_is_started_anew_by_those_who_may(who, versions):
    request = ComparisonRequest.objects.get()
    ComparisonRequest.objects.update(state="failed", failure="worker_lost", attempts=3)
    certifier, registrar = desks.at_desk(who.certifier), desks.at_desk(who.registrar)
    told = words(certifier.get(ADDRESS, named(*versions)))
    assert "worker_lost" in told
    assert "Una comparación la reinicia alguien de evaluación o del registro." in told
    restart = f"{ADDRESS}requests/{request.pk}/restart/"
    assert certifier.post(restart).status_code == 403
    assert "Reiniciar la comparación" in words(registrar.get(ADDRESS, named(*versions)))
    assert registrar.post(restart).status_code == 302
    request.refresh_from_db()
    assert (request.state, request.attempts) == ("requested", 0)
    assert registrar.post(restart).status_code == 404


def test_unknown_references_are_told(who, versions):
    evaluator = desks.at_desk(who.evaluator)
    assert evaluator.get(ADDRESS, {"first": "M-1x", "second": "2"}).status_code == 404
    assert evaluator.post(ADDRESS, {"first": "M-1x", "second": "2"}).status_code == 404
    assert evaluator.get(ADDRESS).status_code == 200


def test_a_measurement_offers_what_it_may_be_compared_with(who, versions):
    first, second = versions
    page = desks.at_desk(who.certifier).get(f"/staff/measurements/{first.pk}/").content.decode()
    assert f"{ADDRESS}?first=M-{first.pk}&amp;second=M-{second.pk}" in page
