"""The pages of whoever operates agents: registering, the page with the secrets, the live view, closing, API tokens."""

import base64
import re

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from certificates.tests import registry
from certificates.tests.desks import at_desk, by_password
from evidence import memberships, operators, run_package
from evidence.models import Closing, Operator, Run
from evidence.models.test_case import SeriesStep
from evidence.recorder import tokens
from evidence.tests import running
from registry_site import clock
from registry_site.models import ApiToken, AuditEntry

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("evidence_folder")]


@pytest.fixture
def operator(who):
    return running.an_operator(who.registrar.person)


@pytest.fixture
def browser(operator) -> Client:
    return by_password(operator)


def filled(series, /, **more) -> dict:
    facts = {
        "once": "f1",
        "series": series.code,
        "holder": "Quillay SpA",
        "system": "Quillay Navegante",
        "version": "2.3.1",
        "model_family": "quillay",
        "tools": ["browser", "other"],
        "other_tool": "calculadora",
        "language": "es",
        "operator_name": "Laboratorio Quillay",
        "contact_email": "pruebas@quillay.example",
        "permission": "yes",
        "clean_session": "yes",
    }
    return facts | more


def closing(**more) -> dict:
    return {"answer": running.ANSWER, "interventions": ["nobody"], "knew_catalogue": "no"} | more


# ── registering ──────────────────────────────────────────────────────────────


def test_a_run_is_registered_in_two_pages_and_its_secrets_are_shown_once(browser):
    assert "Todavía no ha registrado" in browser.get("/runs/").content.decode()
    series = running.a_series()
    form = browser.get("/runs/new/").content.decode()
    assert series.variant.assignment in form
    preview = browser.post("/runs/new/", filled(series))
    assert preview.status_code == 200
    assert not Run.objects.exists()
    response = browser.post("/runs/new/", filled(series, action="register"))
    page = response.content.decode()
    run = Run.objects.get()
    token = re.search(r"fehr_[0-9a-f]{72}", page)[0]
    label = re.search(r"http://([a-z2-7]{26})\.runs\.localhost", page)[1]
    assert (tokens.digest(token), tokens.digest(label)) == (run.token.token_sha256, run.token.label_sha256)
    assert "no-store" in response["Cache-Control"]
    assert "Copiar el encargo" in page
    assert "Copiar el token" in page
    assert run.tools == ["browser", "calculadora"]
    assert run.permission.startswith("Tengo permiso")
    again = browser.post("/runs/new/", filled(series, action="register"))
    assert again["Location"] == f"/runs/{run.number}/"
    assert Run.objects.count() == 1
    for address in (f"/runs/{run.number}/", "/runs/"):
        page = browser.get(address).content.decode()
        assert run.number in page
        assert token not in page
        assert label not in page


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"version": "latest"}, "version"),
        ({"holder": "Quill\u202eay"}, "holder"),
        ({"permission": []}, "permission"),
        ({"clean_session": []}, "clean_session"),
        ({"tools": ["other"], "other_tool": ""}, "other_tool"),
        ({"language": "castellano antiguo"}, "language"),
        ({"series": "OTRA"}, "series"),
    ],
)
def test_what_is_wrong_is_told_at_its_field(browser, change, field):
    response = browser.post("/runs/new/", filled(running.a_series(), action="register", **change))
    assert response.status_code == 422
    assert field in response.context["form"].errors
    assert "Quillay Navegante" in response.content.decode()
    assert not Run.objects.exists()


def test_without_an_open_series_the_page_says_so(browser):
    series = running.a_series()
    running.step(series, SeriesStep.CLOSE)
    page = browser.get("/runs/new/").content.decode()
    assert "ninguna serie admite ejecuciones" in page
    assert '<form method="post" data-once' not in page


def test_a_lost_token_is_replaced_until_the_first_request(browser, operator):
    run = running.registered(by=operator).run
    page = browser.post(f"/runs/{run.number}/secrets/").content.decode()
    run.token.refresh_from_db()
    assert tokens.digest(re.search(r"fehr_[0-9a-f]{72}", page)[0]) == run.token.token_sha256
    running.recorded(run, "/")
    assert browser.post(f"/runs/{run.number}/secrets/")["Location"] == f"/runs/{run.number}/"
    assert "¿Perdió el token?" not in browser.get(f"/runs/{run.number}/").content.decode()


# ── watching ─────────────────────────────────────────────────────────────────


def test_requests_are_seen_as_they_arrive_and_nothing_is_sent_twice(browser, operator):
    run = running.registered(by=operator).run
    page = browser.get(f"/runs/{run.number}/").content.decode()
    assert '<noscript><meta http-equiv="refresh" content="10"></noscript>' in page
    assert "Lo que ocurrió fuera del sitio observado no quedó registrado" in page
    first = browser.get(f"/runs/{run.number}/live/")
    assert "Todavía no ha llegado" in first.content.decode()
    unchanged = browser.get(f"/runs/{run.number}/live/", headers={"If-None-Match": first["ETag"]})
    assert (unchanged.status_code, unchanged.content) == (304, b"")
    running.recorded(run, "/conceptos/<b>agente</b>?x=1")
    running.recorded(run, "/lento", is_answered=False)
    changed = browser.get(f"/runs/{run.number}/live/", headers={"If-None-Match": first["ETag"]})
    part = changed.content.decode()
    assert changed.status_code == 200
    assert "GET /conceptos/&lt;b&gt;agente&lt;/b&gt;?x=1" in part
    assert "respondiéndose" in part
    assert "<b>38</b>" in part
    assert 'data-told="2 peticiones registradas"' in part


def test_used_up_limits_are_told(browser, operator):
    series = running.a_series(running.a_variant(max_requests=1))
    run = running.registered(series, by=operator).run
    running.recorded(run, "/")
    running.recorded(run, "/otra")
    part = browser.get(f"/runs/{run.number}/live/").content.decode()
    assert "Los límites se agotaron" in part
    assert "fuera de límite" in part


def test_the_runs_of_others_are_not_there(who, browser, operator):
    other = running.registered(by=running.an_operator(who.registrar.person, name="Otra Operadora")).run
    for address in ("", "live/", "close/"):
        assert browser.get(f"/runs/{other.number}/{address}").status_code == 404
    assert browser.get("/runs/EJ-2026-999999/").status_code == 404
    assert Client().get("/runs/")["Location"].startswith("/accounts/login/")
    refused = at_desk(who.evaluator).get("/runs/")
    assert refused.status_code == 403
    assert "admitido por el registro" in refused.content.decode()


def test_an_operator_comes_here_after_signing_in(browser):
    assert browser.get("/staff/")["Location"] == "/runs/"


def test_who_speaks_for_a_holder_too_finds_both_areas(who, browser, operator):
    holder = registry.holder()
    memberships.link(holder, user=operator, by=who.registrar.person, at=clock.now())
    assert browser.get("/staff/")["Location"] == "/holder/"
    assert 'href="/runs/"' in browser.get(f"/holder/{holder.pk}/").content.decode()
    assert 'href="/holder/"' in browser.get("/runs/").content.decode()


def test_who_operates_no_longer_sees_and_closes_what_is_under_way(who, browser, operator):
    run = running.registered(by=operator).run
    operators.end(Operator.objects.get(), by=who.registrar.person, at=clock.now())
    assert "/runs/new/" not in browser.get("/runs/").content.decode()
    assert browser.get("/runs/new/").status_code == 403
    browser.post(f"/runs/{run.number}/close/", closing(action="close", exact=_exact(running.ANSWER)))
    run.refresh_from_db()
    assert run.state == "closed"


# ── closing ──────────────────────────────────────────────────────────────────


def _exact(answer: str) -> str:
    return base64.b64encode(answer.encode()).decode()


def _carried(page: str) -> str:
    return re.search(r'name="exact" value="([^"]*)"', page)[1]


def test_closing_asks_twice_and_keeps_the_answer_to_the_letter(browser, operator):
    run = running.registered(by=operator).run
    answer = "  Primera línea\n\n<b>última</b> línea \n"
    preview = browser.post(f"/runs/{run.number}/close/", closing(answer=answer.replace("\n", "\r\n")))
    run.refresh_from_db()
    assert run.state == "registered"
    page = preview.content.decode()
    assert "&lt;b&gt;última&lt;/b&gt;" in page
    sent = closing(answer="", exact=_carried(page), action="close")
    assert browser.post(f"/runs/{run.number}/close/", sent)["Location"] == f"/runs/{run.number}/"
    assert Closing.objects.get().answer == answer
    again = browser.post(f"/runs/{run.number}/close/", sent, follow=True).content.decode()
    assert "ya estaba cerrada" in again
    assert Closing.objects.count() == 1
    assert run_package.write(run.pk) is not None
    page = browser.get(f"/runs/{run.number}/").content.decode()
    assert "data-live" not in page
    assert "&lt;b&gt;última&lt;/b&gt;" in page


def test_a_file_is_kept_byte_for_byte(browser, operator):
    run = running.registered(by=operator).run
    text = "línea\r\notra\r\n"
    sent = closing(answer="", file=SimpleUploadedFile("respuesta.md", text.encode()))
    page = browser.post(f"/runs/{run.number}/close/", sent).content.decode()
    browser.post(f"/runs/{run.number}/close/", closing(answer="", exact=_carried(page), action="close"))
    assert Closing.objects.get().answer == text


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"interventions": ["routes"], "note": "la portada"}, "queda invalidada"),
        ({"knew_catalogue": "yes"}, "queda invalidada"),
        ({"interventions": ["other_help"], "note": "reinicio"}, "con ayuda humana"),
        ({"answer": "", "nothing": "yes"}, "no entregó ninguna respuesta"),
    ],
)
def test_what_follows_is_told_before_it_is_closed(browser, operator, change, told):
    run = running.registered(by=operator).run
    page = browser.post(f"/runs/{run.number}/close/", closing(**change)).content.decode()
    assert told in page


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"answer": ""}, "answer"),
        ({"answer": "sí", "nothing": "yes"}, "nothing"),
        ({"interventions": []}, "interventions"),
        ({"interventions": ["nobody", "routes"]}, "interventions"),
        ({"interventions": ["routes"]}, "note"),
        ({"knew_catalogue": ""}, "knew_catalogue"),
        ({"answer": "", "exact": "%%%", "action": "close"}, "answer"),
        ({"answer": "", "file": SimpleUploadedFile("a.txt", b"\xff\xfe")}, "file"),
    ],
)
def test_what_cannot_be_declared_so_is_told_at_its_field(browser, operator, change, field):
    run = running.registered(by=operator).run
    response = browser.post(f"/runs/{run.number}/close/", closing(**change))
    assert response.status_code == 422
    assert field in response.context["form"].errors
    assert not Closing.objects.exists()


def test_going_back_to_correct_keeps_what_was_written(browser, operator):
    run = running.registered(by=operator).run
    page = browser.post(
        f"/runs/{run.number}/close/", closing(answer="", exact=_exact("mi respuesta"), action="edit")
    ).content.decode()
    assert "mi respuesta</textarea>" in page


# ── API tokens ───────────────────────────────────────────────────────────────


def test_a_token_of_the_api_is_made_shown_once_and_revoked(browser, operator):
    page = browser.post("/runs/tokens/", {"label": "robot nocturno"}).content.decode()
    token = re.search(r"feh_[0-9a-f]{72}", page)[0]
    bearer = {"Authorization": f"Bearer {token}"}
    run = running.registered(by=operator).run
    assert Client().get(f"/api/v1/runs/{run.number}/", headers=bearer).status_code == 200
    page = browser.get("/runs/tokens/").content.decode()
    assert "robot nocturno" in page
    assert token not in page
    row = ApiToken.objects.get()
    browser.post(f"/runs/tokens/{row.pk}/revoke/")
    assert Client().get(f"/api/v1/runs/{run.number}/", headers=bearer).status_code == 401
    assert browser.post(f"/runs/tokens/{row.pk}/revoke/").status_code == 404
    assert AuditEntry.objects.filter(action="api_token.revoked", person=operator.person).count() == 1


def test_english_speakers_read_english(operator):
    running.a_series()
    page = by_password(operator, language="en").get("/runs/new/").content.decode()
    assert "I have the permission of whoever answers for the system" in page
