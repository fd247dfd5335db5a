"""A canary in a sealed rubric: before the reveal it sings neither to operator and agent nor in any text column."""

import json
import zipfile

import pytest
from django.db import connection
from django.test import Client
from psycopg import sql

from certificates.tests import desks, rubrics
from certificates.tests.registry import person
from certificates.tests.test_run_pages import filled
from evidence import run_package, storage
from evidence.models import Run
from evidence.tests import running
from grading import series
from registry_site import clock
from registry_site.models import Outbox
from registry_site.roles import Role

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("evidence_folder")]
# The catalogue of the observed site is no secret of the rubric, but no operator is handed its address either.
SECRETS = (rubrics.CANARY, rubrics.ROUTE, "huemul", "never_requested", "/pruebas")


@pytest.fixture
def sealed(who):
    return rubrics.sealed(who.evaluator)


@pytest.fixture
def operator(who):
    return running.an_operator(who.registrar.person)


def told_to_an_operator(operator, sealed) -> dict[str, str]:
    """Everything that an operator is shown or sent of a run, from registering it to its package."""
    browser, program = desks.by_password(operator), desks.holding(operator, None)
    told = {"form": browser.get("/runs/new/")}
    told["preview"] = browser.post("/runs/new/", filled(sealed))
    told["secrets"] = browser.post("/runs/new/", filled(sealed, action="register"))
    run = Run.objects.get()
    running.recorded(run, "/condiciones")
    running.recorded(run, "/conceptos/agente")
    for address in ("", "live/", "close/"):
        told[address] = browser.get(f"/runs/{run.number}/{address}")
    for address in ("/api/v1/runs/", f"/api/v1/runs/{run.number}/", f"/api/v1/series/{sealed.code}/"):
        told[address] = program.get(address)
    told["refused"] = program.post(
        "/api/v1/runs/", json.dumps({"series": sealed.code}), content_type="application/json"
    )
    texts = {name: response.content.decode() for name, response in told.items()}
    running.closed(run, by=operator)
    run_package.write(run.pk)
    run.refresh_from_db()
    with storage.current().open(run.closing_package.sha256) as file, zipfile.ZipFile(file) as package:
        texts |= {name: package.read(name).decode("utf-8", "replace") for name in package.namelist()}
    texts["/runs/"] = browser.get("/runs/").content.decode()
    texts["letters"] = str(list(Outbox.objects.values()))
    return texts


def test_nothing_that_an_operator_or_agent_receives_tells_the_rubric(operator, sealed, caplog):
    for name, text in told_to_an_operator(operator, sealed).items():
        for secret in SECRETS:
            assert secret not in text, (name, secret)
    assert rubrics.CANARY not in caplog.text


def test_no_text_column_of_the_database_holds_what_is_sealed(who, operator, sealed):
    second = person("Luis Evaluador", Role.EVALUATOR)
    case = sealed.variant.case
    desk = desks.at_desk(second)
    series.write_draft(case, rubrics.document(case), by=who.evaluator.person, at=clock.now())
    desk.post(f"/staff/series/{sealed.code}/rubric/")
    told_to_an_operator(operator, sealed)
    for table, column in text_columns():
        for secret in (rubrics.CANARY, "huemul"):
            with connection.cursor() as cursor:
                cursor.execute(
                    sql.SQL("SELECT count(*) FROM {table} WHERE {column}::text LIKE %s").format(
                        table=sql.Identifier(table), column=sql.Identifier(column)
                    ),
                    [f"%{secret}%"],
                )
                assert cursor.fetchone() == (0,), (table, column)


def text_columns() -> list[tuple[str, str]]:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT c.table_name, c.column_name FROM information_schema.columns c "
            "JOIN information_schema.tables t USING (table_schema, table_name) "
            "WHERE c.table_schema = current_schema() AND t.table_type = 'BASE TABLE' "
            "AND c.data_type IN ('text', 'character varying', 'jsonb', 'json', 'tsvector', 'ARRAY')"
        )
        return cursor.fetchall()


def test_the_staff_search_and_the_admin_do_not_find_it(who, sealed):
    desk = desks.at_desk(who.certifier)
    for address in ("/staff/search/", "/staff/audit/"):
        page = desk.get(address, {"q": rubrics.CANARY, "subject": rubrics.CANARY}).content.decode()
        # What was asked for may be said again; the rubric's words are not.
        assert "huemul" not in page
    assert "rubric" not in Client().get("/admin/").content.decode().lower()
