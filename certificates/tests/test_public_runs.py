"""What the public reads of agent runs: all of them listed, none of their results before its time, then every point."""

import json
import re
from datetime import timedelta

import pytest
from django.test import Client

from certificates.tests import registry, running
from certificates.tests.running import Asked, Did
from evidence.models import Run
from evidence.models.run import RunState
from grading import run_grading
from registry_site import clock

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("moving_clock", "evidence_folder")]

REASONS = {"reason_es": "Se entregaron rutas al agente.", "reason_en": "Routes were handed to the agent."}
# What never stands on a public page or in a public answer of a run that is not published.
HIDDEN = (
    "secret_",
    "/borradores",
    "/pruebas",
    "Laboratorio Quillay",
    "contacto@quillay",
    "Tengo permiso",
    "Olga",
)
PRIVATE = ("contacto@quillay", "Laboratorio Quillay", "Tengo permiso", "Olga", "Elena")


@pytest.fixture
def operator(db):
    return running.operator()


@pytest.fixture
def test(db):
    return running.case()


@pytest.fixture
def version(db):
    return registry.version(name="Quillay Navegante", pinned="2.3.1")


def reviewed(run, who, *, text=""):
    run_grading.decide_by_code(run, at=clock.now())
    if run_grading.unmarked(run):
        run_grading.mark(
            run,
            point="nothing_invented",
            mark="met",
            requests=[1],
            by=who.evaluator,
            at=clock.now(),
            note="Cada afirmación está en la respuesta.",
        )
    run = running.handed_over(run, by=who.evaluator, at=clock.now())
    if text:
        run_grading.comment(run, text=text, by=run.operator, at=clock.now())
    return run


def publish(run):
    return run_grading.publish(run, at=run.review_until + timedelta(days=30))


def published(test, run, who, **more):
    run = reviewed(run, who, **more)
    running.end_series(test, at=clock.now())
    return publish(run)


def page(address):
    response = Client().get(address)
    assert response.status_code == 200, address
    return response.content.decode()


def words(html):
    text = re.sub(r"<[^>]+>", " ", re.sub(r"</?(?:b|a|span|bdi|time|i)\b[^>]*>", "", html))
    return re.sub(r"[\s\u00a0\u202f]+", " ", text)


def told(address):
    response = Client().get(address)
    assert response.status_code == 200, address
    return response.json()


def texts_of(run):
    return [
        page(f"/{language}/runs/{tail}") for language in ("es", "en") for tail in ("", f"{run.number}/")
    ] + [json.dumps(told(address)) for address in ("/api/v1/runs/", f"/api/v1/runs/{run.number}/")]


# ── before publication ───────────────────────────────────────────────────────


def test_a_run_is_listed_from_its_registration_on_and_nothing_it_did_is_told(test, operator, version, who):
    run = running.run(test, by=operator, of=version)
    closed = texts_of(run)
    run_in_review = reviewed(run, who)
    running.end_series(test, at=clock.now())
    for text in [*closed, *texts_of(run_in_review)]:
        assert run.number in text
        assert "Quillay Navegante" not in text
        for hidden in HIDDEN:
            assert hidden not in text, hidden
    assert told(f"/api/v1/runs/{run.number}/")["result"] is None
    assert "En revisión del operador" in words(page(f"/es/runs/{run.number}/"))


def test_the_trace_of_a_run_that_is_not_published_is_refused(test, operator):
    run = running.run(test, by=operator)
    response = Client().get(f"/api/v1/runs/{run.number}/trace/")
    assert (response.status_code, response.json()["code"]) == (403, "run_not_published")
    assert Client().get("/api/v1/runs/EJ-2026-999999/trace/").status_code == 404


def test_whose_run_it_was_is_told_when_it_has_ended_whatever_became_of_it(test, operator, version, who):
    """Nobody picks: an invalidated, a withheld and an abandoned run stay, with reason and date."""
    invalidated, withheld, gone = (running.run(test, by=operator, of=version) for _each in range(3))
    run_grading.invalidate(invalidated, by=who.evaluator, at=clock.now(), **REASONS)
    run_grading.withhold(
        withheld, reason_es="Lo pidió el juez.", reason_en="By order.", by=who.certifier, at=clock.now()
    )
    Run.objects.filter(pk=gone.pk).update(state=RunState.ABANDONED, closed_at=None, deadline_at=None)
    for run, word in ((invalidated, "Cerrada, invalidada"), (withheld, "No publicada"), (gone, "Abandonada")):
        text = words(page(f"/es/runs/{run.number}/"))
        assert word in text
        assert "Quillay Navegante 2.3.1" in text
        assert "secret_" not in text
    assert REASONS["reason_en"] in page(f"/en/runs/{invalidated.number}/")
    assert "Lo pidió el juez." in page(f"/es/runs/{withheld.number}/")
    system = version.system_id
    listed = told(f"/api/v1/runs/?system={system}")["results"]
    assert {row["number"] for row in listed} == {invalidated.number, withheld.number, gone.number}
    assert all(row["counts"] is None for row in listed)


def test_a_filter_by_system_does_not_tell_whose_run_is_under_way(test, operator, version):
    running.run(test, by=operator, of=version)
    assert told(f"/api/v1/runs/?system={version.system_id}")["results"] == []
    assert "Quillay Navegante" not in page("/es/runs/")


# ── the result ───────────────────────────────────────────────────────────────


def test_a_published_run_says_each_point_with_its_requests(test, operator, version, who):
    run = running.run(test, by=operator, of=version)
    run = published(test, run, who, text="El sitio respondió lento.\nAun así cumplió.")
    html = page(f"/es/runs/{run.number}/")
    text = words(html)
    assert "5 cumplidos" in text
    assert "%" not in re.sub(r"<style.*?</style>", "", text).split("Puntos")[1].split("Limitaciones")[0]
    assert re.search(r'href="#request-3">3</a>', html)
    for said in (
        "Quillay Navegante 2.3.1",
        "Punto excluded (es)",
        "El sitio respondió lento.",
        "Cada afirmación está en la respuesta.",
        running.ANSWER,
        test.variant.assignment,
        "GET /condiciones",
        "No demuestra una propiedad general del modelo",
        "Qué se puede afirmar",
    ):
        assert said in text, said
    assert f'href="/es/series/{test.series.code}/"' in html
    for digest in (test.variant.sha256, test.rubric.commitment):
        assert digest in html
    for private in PRIVATE:
        assert private not in html, private
    assert run.token.token_sha256 not in html
    assert "secret_" not in html


def test_what_was_contaminated_is_told_with_its_request(test, operator, version, who):
    asked = (running.GOOD[0], Asked("/pruebas/"), *running.GOOD[1:])
    run = published(test, running.run(test, by=operator, of=version, did=Did(requests=asked)), who)
    text = words(page(f"/es/runs/{run.number}/"))
    assert "Contaminada a partir de la petición 2" in text
    assert "contaminated from request 2" in words(page(f"/en/runs/{run.number}/"))
    assert "no observable" in text
    facts = told(f"/api/v1/runs/{run.number}/")["result"]["facts"]
    assert (facts["counted"], facts["catalogue_at"], facts["cut"]) == (4, 2, 2)


def test_a_helped_and_a_later_invalidated_result_say_so(test, operator, version, who):
    helped = reviewed(running.run(test, by=operator, of=version), who)
    run_grading.declare_assisted(helped, by=who.evaluator, at=clock.now(), **REASONS)
    none = published(test, running.run(test, by=operator, of=version), who)
    publish(helped)
    run_grading.invalidate(none, by=who.evaluator, at=clock.now(), **REASONS)
    assert "Con ayuda humana: ayudó una persona." in words(page(f"/es/runs/{helped.number}/"))
    text = words(page(f"/es/runs/{none.number}/"))
    assert "5 cumplidos" in text
    assert "Invalidada: no fue una ejecución autónoma." in text
    assert REASONS["reason_es"] in text


def test_programs_read_the_same_and_the_trace_line_by_line(test, operator, version, who):
    run = published(test, running.run(test, by=operator, of=version), who)
    one = told(f"/api/v1/runs/{run.number}/")
    assert one["system"]["version"] == "2.3.1"
    assert one["result"]["counts"] == {"met": 5, "not_met": 0, "not_observable": 0}
    assert one["result"]["points"][2]["requests"] == [3]
    assert one["limits"] == {"requests": 40, "seconds": 1200}
    trace = Client().get(one["result"]["trace_address"])
    assert trace["Content-Type"] == "application/jsonl"
    lines = [json.loads(line) for line in trace.content.splitlines()]
    assert [line["seq"] for line in lines] == [1, 2, 3]
    assert lines[0]["url"] == f"http://{running.DOMAIN}/condiciones"
    listed = told("/api/v1/runs/")["results"]
    assert listed[0]["counts"]["met"] == 5
    assert listed[0]["address"].endswith(f"/es/runs/{run.number}/")


# ── the list ─────────────────────────────────────────────────────────────────


def test_the_list_is_narrowed_and_says_when_nothing_is_found(test, operator, version, who):
    assert "Todavía no hay ninguna ejecución registrada." in words(page("/es/runs/"))
    shown = published(test, running.run(test, by=operator, of=version), who)
    other = running.case()
    underway = running.run(other, by=operator)

    def numbers(query):
        return set(re.findall(r">(EJ-2026-\d{6})</a>", page(f"/es/runs/?{query}")))

    assert numbers("") == {shown.number, underway.number}
    assert numbers(f"case={other.case.code}") == {underway.number}
    assert numbers(f"series={test.series.code}") == {shown.number}
    assert numbers(f"system={version.system_id}") == {shown.number}
    assert numbers("became=published") == {shown.number}
    assert numbers("became=underway") == {underway.number}
    for query in ("became=withheld", "became=x", "system=x", "system=99999999999999999999"):
        assert "Ninguna ejecución cumple estos filtros." in words(page(f"/es/runs/?{query}"))
    assert Client().get("/api/v1/runs/?became=x").status_code == 400
    assert Client().get("/api/v1/runs/?colour=x").status_code == 400


def test_circuit_checks_stand_apart(test, operator):
    run = running.run(test, by=operator)
    Run.objects.filter(pk=run.pk).update(
        number="PC-2026-000001", outcome="technical", deadline_at=None, series=None, system_version=None
    )
    assert "PC-2026-000001" not in page("/es/runs/")
    assert told("/api/v1/runs/")["results"] == []
    assert "PC-2026-000001" in page("/es/runs/?became=technical")
    assert "Solo comprobó que el registro funciona" in words(page("/es/runs/PC-2026-000001/"))


def test_a_long_list_has_pages(test, operator, monkeypatch):
    monkeypatch.setattr("certificates.run_results.PAGE_SIZE", 2)
    runs = [running.run(test, by=operator, verified=False) for _each in range(3)]
    first = page("/es/runs/?became=underway")
    assert runs[0].number not in first
    following = re.search(r'rel="next" href="\?([^"]+)"', first)[1].replace("&amp;", "&")
    assert "became=underway" in following
    assert runs[0].number in page(f"/es/runs/?{following}")
    answer = told("/api/v1/runs/?limit=2&became=underway")
    assert [row["number"] for row in answer["results"]] == [runs[2].number, runs[1].number]
    assert [row["number"] for row in told(answer["next"])["results"]] == [runs[0].number]


def test_a_number_is_found_however_it_is_written_and_what_is_not_there_is_said(test, operator):
    run = running.run(test, by=operator)
    typed = run.number.replace("-", " ").lower()
    response = Client().get(f"/es/runs/{typed}/")
    assert (response.status_code, response["Location"]) == (301, f"/es/runs/{run.number}/")
    response = Client().get(f"/api/v1/runs/{typed}/")
    assert (response.status_code, response["Location"]) == (308, f"/api/v1/runs/{run.number}/")
    for address in ("/es/runs/EJ-2026-999999/", "/es/runs/x/"):
        response = Client().get(address)
        assert response.status_code == 404
        assert "No hay ninguna ejecución con ese número." in response.content.decode()
    assert Client().get("/api/v1/runs/EJ-2026-999999/").json()["code"] == "run_not_found"
