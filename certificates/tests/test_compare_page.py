"""The page of two measurements: what differs between them, or why they cannot be compared, or how to ask."""

import html
import re

import pytest
from django.test import Client

from certificates import comparisons, pipeline
from certificates.tests import packages, pairs, registry
from certificates.views import comparisons as doors
from evidence import identities, storage
from grading import comparing, publication
from grading.models import Comparison, ComparisonRequest, Measurement
from registry_site import clock, rates

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("evidence_folder")]


@pytest.fixture
def scheme(db):
    return registry.scheme()


@pytest.fixture
def certified(who, scheme):
    """Two versions of a system, both measured, the first one certified: then the second is listed too."""
    first, second = pairs.versions(who)
    certify(who, first)
    return first, second


def certify(who, measurement):
    system = measurement.system_version.system
    if system.holder.confirmation != "confirmed":
        identities.confirm_holder(
            system.holder,
            name=system.holder.name,
            identifier_kind="domain",
            identifier="innova.example",
            country="CL",
            contact_email="contacto@innova.example",
            by=who.registrar.person,
            at=clock.now(),
        )
        identities.confirm_system(system, name=system.name, by=who.registrar.person, at=clock.now())
    measurement = Measurement.objects.select_related("system_version__system__holder").get(pk=measurement.pk)
    return registry.issued(who, measurement)


def words(response) -> str:
    """What is read on a page, without its marks; every space is one."""
    text = re.sub(r"<(script|style|head).*?</\1>", " ", response.content.decode(), flags=re.S)
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", text)).split())


def see(visitor, *named, language="es", **more):
    query = dict(zip(("first", "second"), (f"M-{one.pk}" for one in named), strict=False))
    return visitor.get(f"/{language}/compare/", query, **more)


def ask(visitor, first, second, **headers):
    body = {"first": f"M-{first.pk}", "second": f"M-{second.pk}"}
    return visitor.post("/es/compare/", body, headers=headers)


# ── what differs ─────────────────────────────────────────────────────────────
def test_two_versions_are_told_question_by_question(visitor, certified):
    comparing.compute(ComparisonRequest.objects.get().pk)
    response = see(visitor, *certified)
    assert response.status_code == 200
    told = words(response)
    first, second = certified
    assert f"Comparación de M-{first.pk} y M-{second.pk}" in told
    assert "El mismo conjunto: 40 preguntas." in told
    assert "La primera medición difiere de la segunda en −30,0 puntos porcentuales" in told
    assert "Primera: exacta 24 0 Primera: no exacta 12 4" in told
    assert "p exacto (McNemar) <0,001" in told
    assert "Entre los grupos, p ajustado por Holm sobre 2 comparaciones" in told
    assert packages.CANARY not in told
    english = words(see(visitor, *certified, language="en"))
    assert "The same set: 40 questions." in english
    assert Comparison.objects.get().sha256[:8] in told


def test_the_page_never_says_better_or_worse(visitor, certified):
    comparing.compute(ComparisonRequest.objects.get().pk)
    for language, banned in (("es", r"\b(mejor|peor|ranking)\b"), ("en", r"\b(better|worse|ranking)\b")):
        assert not re.search(banned, words(see(visitor, *certified, language=language)), re.I)


def test_where_nothing_is_shown_the_page_says_what_would_have_been(visitor, who, scheme):
    first = pairs.measure(who, pairs.payload([1] * 30 + [0] * 10, of=pairs.version("1.0.0")))
    second = pairs.measure(who, pairs.payload([1] * 32 + [0] * 8, of=pairs.version("2.0.0")))
    certify(who, first)
    comparing.compute(ComparisonRequest.objects.get().pk)
    told = words(see(visitor, first, second))
    assert "No se detectó diferencia (p = 0,500). Con este tamaño solo se habría detectado una de" in told
    assert "Con tan pocos pares discordantes ninguna diferencia puede alcanzar p < 0,05." in told
    assert "no hay pares discordantes. Con este tamaño solo se habría detectado una diferencia de" in told


def test_small_groups_of_sealed_evidence_are_named_and_not_counted(visitor, who, scheme):
    languages = ["es"] * 18 + ["en"] * 18 + ["eu"] * 4
    first, second = (
        pairs.measure(
            who,
            pairs.payload(rights, languages=languages, of=pairs.version(number, sealed=["data/items.jsonl"])),
        )
        for number, rights in (("1.0.0", pairs.BEFORE), ("2.0.0", pairs.AFTER))
    )
    certify(who, first)
    comparing.compute(ComparisonRequest.objects.get().pk)
    response = see(visitor, first, second)
    assert "y euskera: no se comparan por separado" in words(response)
    assert 'data-group="eu"' not in response.content.decode()


def test_an_intersection_is_told_to_be_one(visitor, who, scheme):
    first = pairs.measure(who, pairs.payload(pairs.BEFORE, of=pairs.version("1.0.0")))
    second = pairs.measure(who, pairs.payload(pairs.AFTER[:30], of=pairs.version("2.0.0")))
    certify(who, first)
    assert ask(visitor, first, second).status_code == 303
    comparing.compute(ComparisonRequest.objects.get().pk)
    assert "Intersección de 30 ítems, no el mismo conjunto." in words(see(visitor, first, second))


def test_a_pair_has_one_address_whichever_way_round_it_is_asked(visitor, certified):
    first, second = certified
    address = f"/es/compare/?first=M-{first.pk}&second=M-{second.pk}"
    for named in (
        {"first": f"M-{second.pk}", "second": f"M-{first.pk}"},
        {"first": str(first.pk), "second": f"m {second.pk}"},
    ):
        response = visitor.get("/es/compare/", named)
        assert (response.status_code, response["Location"]) == (301, address)
    page = visitor.get(address).content.decode()
    assert (
        f'hreflang="en" href="http://testserver{address.replace("/es/", "/en/").replace("&", "&amp;")}"'
        in page
    )


# ── what is not compared ─────────────────────────────────────────────────────
def test_each_field_that_differs_is_told_with_both_values_and_what_to_do(visitor, who, scheme):
    first = pairs.measure(who, pairs.payload(pairs.BEFORE, of=pairs.version("1.0.0")))
    judges = [{"id": "j1", "family": "gemini", "version": "gemini-9", "temperature": 0}]
    second = pairs.measure(who, pairs.payload(pairs.AFTER, of=pairs.version("2.0.0", judges=judges)))
    certify(who, first)
    response = see(visitor, first, second)
    told = words(response)
    assert response.status_code == 200
    assert "Estas dos mediciones no se pueden comparar" in told
    assert "gemini · gemini-9 · model" in told
    assert "Haga juzgar las respuestas de un sistema por los mismos jueces" in told
    assert "Pedir la comparación" not in told
    assert "Have the answers of one judged by the same judges" in words(
        see(visitor, first, second, language="en")
    )
    refused = ask(visitor, first, second)
    assert refused.status_code == 409
    assert not ComparisonRequest.objects.exists()


def test_another_version_of_the_scheme_is_told(visitor, who, scheme):
    publication.publish(bytes(scheme.file).replace(b'"version": "1"', b'"version": "2"', 1), at=clock.now())
    first = pairs.measure(who, pairs.payload(pairs.BEFORE))
    of = pairs.version("2.0.0", scheme={"code": "HALU", "version": "2"})
    second = pairs.measure(who, pairs.payload(pairs.AFTER, of=of))
    certify(who, first)
    told = words(see(visitor, first, second))
    assert "Esquema y versión HALU 1 HALU 2 Mida de nuevo uno de los dos sistemas" in told


def test_questions_that_nobody_shares_are_told_after_they_were_read(visitor, who, scheme):
    first = pairs.measure(who, pairs.payload(pairs.BEFORE, of=pairs.version("1.0.0")))
    second = pairs.measure(who, pairs.payload(pairs.AFTER, of=pairs.version("2.0.0"), ask="other"))
    certify(who, first)
    ask(visitor, first, second)
    comparing.compute(ComparisonRequest.objects.get().pk)
    told = words(see(visitor, first, second))
    assert "No comparten ninguna pregunta." in told
    assert "Conjunto de preguntas (SHA-256)" in told


def test_a_measurement_is_not_compared_with_itself(visitor, certified):
    first, _second = certified
    response = see(visitor, first, first)
    assert response.status_code == 400
    assert "Una medición se compara con otra" in words(response)
    assert ask(visitor, first, first).status_code == 400


def test_what_is_not_public_is_not_found(visitor, who, certified):
    hidden = pairs.measure(
        who, pairs.payload(pairs.BEFORE, of={"system": {**pairs.version("1")["system"], "name": "Reservado"}})
    )
    response = see(visitor, certified[0], hidden)
    assert response.status_code == 404
    assert f"No hay ninguna medición que usted pueda ver con la referencia «M-{hidden.pk}»." in words(
        response
    )
    assert "Reservado" not in response.content.decode()
    unknown = Measurement(pk=10**12)
    assert words(see(visitor, certified[0], unknown)).replace(str(unknown.pk), "N") == words(
        response
    ).replace(f"M-{hidden.pk}", "M-N")
    assert ask(visitor, certified[0], hidden).status_code == 404
    assert ask(visitor, certified[0], unknown).status_code == 404


def test_before_anything_is_certified_nothing_is_public(visitor, who, scheme):
    first, second = pairs.versions(who)
    comparing.compute(ComparisonRequest.objects.get().pk)
    assert see(visitor, first, second).status_code == 404
    assert comparisons.comparisons_of([first, second]) == ()


@pytest.mark.parametrize(
    "typed",
    [
        "x",
        "M-",
        "M-0",
        "M--1",
        "-1",
        "9" * 18,
        "9" * 400,
        "１２",
        "M-1\n2",
        "M-1%00",
        "<script>alert(1)</script>",
        "' OR 1=1 --",
        "\u202e1-M",
        "٣",
    ],
)
def test_whatever_else_is_typed_is_not_found_and_said_so(visitor, certified, typed):
    response = visitor.get("/es/compare/", {"first": typed, "second": f"M-{certified[1].pk}"})
    assert response.status_code == 404
    assert "<script>alert" not in response.content.decode()
    assert visitor.get("/es/compare/progress/", {"first": typed}).json()["finished"]
    assert visitor.post("/es/compare/", {"first": typed, "second": typed}).status_code == 404


def test_a_null_character_is_refused_as_everywhere(visitor, db):
    assert visitor.get("/es/compare/?first=M-1%00").status_code == 400


def test_doubled_parameters_and_other_methods(visitor, certified):
    first, second = certified
    response = visitor.get(f"/es/compare/?first=x&first=M-{first.pk}&second=M-{second.pk}")
    assert response.status_code == 200  # the last one counts
    assert visitor.put("/es/compare/").status_code == 405
    assert visitor.get("/fr/compare/").status_code == 404


# ── choosing ─────────────────────────────────────────────────────────────────
def test_the_empty_page_asks_for_two_references(visitor, db):
    response = visitor.get("/en/compare/")
    assert response.status_code == 200
    assert "First measurement" in words(response)


def test_with_one_reference_it_offers_what_may_be_compared(visitor, certified):
    first, second = certified
    response = see(visitor, first)
    assert f"first=M-{first.pk}&amp;second=M-{second.pk}" in response.content.decode()
    assert "2.0.0" in words(response)


# ── asking ───────────────────────────────────────────────────────────────────
@pytest.fixture
def unasked(certified):
    ComparisonRequest.objects.all().delete()
    return certified


def test_reading_changes_nothing_and_a_button_asks(visitor, unasked):
    told = words(see(visitor, *unasked))
    assert "Nadie ha pedido aún esta comparación." in told
    assert not ComparisonRequest.objects.exists()
    for _ in range(2):
        response = ask(visitor, *unasked)
        assert response.status_code == 303
        assert response["Location"] == f"/es/compare/?first=M-{unasked[0].pk}&second=M-{unasked[1].pk}"
    assert ComparisonRequest.objects.get().origin == "anybody"
    assert visitor.cookies == {}


def test_while_it_is_made_the_page_says_so_without_a_script(visitor, unasked):
    ask(visitor, *unasked)
    request = ComparisonRequest.objects.get()
    ComparisonRequest.objects.update(progress_bytes=40, progress_total=100)
    response = see(visitor, *unasked)
    assert "se está haciendo" in words(response)
    assert '<noscript><meta http-equiv="refresh" content="5"></noscript>' in response.content.decode()
    address = re.search(r'data-waiting="([^"]+)"', response.content.decode())[1]
    assert visitor.get(html.unescape(address)).json() == {"done": 40, "total": 100, "finished": False}
    comparing.compute(request.pk)
    assert visitor.get(html.unescape(address)).json()["finished"]


def test_one_that_failed_says_whose_fault_it_is(visitor, certified):
    ComparisonRequest.objects.update(state="failed", failure="worker_lost")
    assert "por una falla nuestra" in words(see(visitor, *certified))


def test_withheld_evidence_is_compared_no_more_and_that_is_said(visitor, certified):
    storage.current().withhold(certified[1].package.sha256)
    comparing.compute(ComparisonRequest.objects.get().pk)
    assert ComparisonRequest.objects.get().attempts == 1
    assert "la evidencia de una de las dos se retiró" in words(see(visitor, *certified))


@pytest.mark.parametrize(
    ("site", "status"), [("cross-site", 403), ("same-site", 403), ("same-origin", 303), ("none", 303)]
)
def test_a_page_of_another_site_cannot_ask(visitor, unasked, site, status):
    assert ask(visitor, *unasked, **{"Sec-Fetch-Site": site}).status_code == status
    assert ComparisonRequest.objects.exists() == (status == 303)


def test_who_asks_too_often_is_told_when_to_come_back(visitor, unasked, settings):
    settings.API_RATES = settings.API_RATES | {doors.POLICY: (2, 3600)}
    answers = [ask(visitor, *unasked) for _ in range(3)]
    assert [answer.status_code for answer in answers] == [303, 303, 429]
    assert 0 < int(answers[2]["Retry-After"]) <= 3600


def test_without_its_counters_the_cap_still_holds(visitor, unasked, monkeypatch):
    monkeypatch.setattr(rates, "take", lambda *args, **more: None)
    monkeypatch.setattr(comparing, "MOST_WAITING", 0)
    assert ask(visitor, *unasked).status_code == 503


def test_a_browser_that_checks_tokens_needs_none_here(unasked):
    assert ask(Client(enforce_csrf_checks=True), *unasked).status_code == 303


# ── links ────────────────────────────────────────────────────────────────────
def test_a_system_page_can_link_what_was_compared(visitor, certified, django_assert_num_queries):
    comparing.compute(ComparisonRequest.objects.get().pk)
    first, second = certified
    with django_assert_num_queries(2):
        (link,) = comparisons.comparisons_of(certified)
    assert (link.first, link.second) == (f"M-{first.pk}", f"M-{second.pk}")
    assert (link.first_version, link.second_version) == ("1.0.0", "2.0.0")
    assert link.told.es.startswith("Exactas: La primera medición difiere")
    assert visitor.get(f"/es/{link.path}").status_code == 200


def test_reading_costs_the_same_whatever_was_compared(visitor, certified, django_assert_max_num_queries):
    comparing.compute(ComparisonRequest.objects.get().pk)
    with django_assert_max_num_queries(8):
        see(visitor, *certified)


def test_a_pipeline_whose_comparison_is_refused_still_measures(who, scheme, monkeypatch):
    judges = [{"id": "j1", "family": "gemini", "version": "gemini-9", "temperature": 0}]
    pairs.measure(who, pairs.payload(pairs.BEFORE, of=pairs.version("1.0.0")))
    pairs.measure(who, pairs.payload(pairs.AFTER, of=pairs.version("2.0.0", judges=judges)))
    assert not ComparisonRequest.objects.exists()
    assert pipeline.sweep() == {"overdue": 0, "woken": 0}
