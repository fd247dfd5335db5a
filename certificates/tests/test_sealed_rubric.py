"""Before the reveal neither the rubric nor a run's secrets are to be found: not by visitors, operators or agents.

The rubric of these tests holds a name and a route that stand nowhere else. Whoever shows one of them has let it out.
"""

import logging
import re
from urllib.parse import urljoin, urlsplit

import pytest
from django.db import connection
from django.test import Client
from psycopg import sql

from certificates import letters, pipeline
from certificates.tests import registry, rubrics
from evidence import run_package, storage
from evidence.models import Run
from evidence.tests import running
from grading import data, publication, run_grading, series
from registry_site import clock, outbox
from registry_site.models import Outbox

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("evidence_folder")]

SEALED = (rubrics.CANARY, rubrics.ROUTE.removesuffix("/**").strip("/"))
_LINK = re.compile(r'(?:href|src|action)="([^"#]+)')
# A walk that finds more pages than these has left the registry or goes in circles.
MOST_PAGES = 400


@pytest.fixture
def who(db):
    return registry.people()


@pytest.fixture
def sealed(who):
    publication.publish(data.read("schemes/AGENT-1.json"), at=clock.now())
    return rubrics.sealed(who.evaluator)


@pytest.fixture
def operator(who):
    return running.an_operator(who.registrar.person)


@pytest.fixture
def handed(sealed, operator):
    """A run that was closed, verified and marked: everything that its operator can see before the reveal is there."""
    handed = running.registered(sealed, by=operator)
    run = handed.run
    running.recorded(run, "/condiciones", body=b"<p>Condiciones de uso.</p>")
    running.recorded(run, "/conceptos/agente")
    running.closed(run, by=operator)
    pipeline.advance(run_package.write(run.pk).pk)
    run_grading.decide_by_code(Run.objects.get(pk=run.pk), at=clock.now())
    return handed


def walked(client: Client, *starts: str) -> dict[str, bytes]:
    """Address → answer of every page that links lead to from these, signing out left out."""
    seen: dict[str, bytes] = {}
    waiting = list(starts)
    while waiting:
        address = waiting.pop(0)
        if address in seen or "logout" in address or address.startswith("/static/"):
            continue
        assert len(seen) < MOST_PAGES, sorted(seen)
        answer = client.get(address)
        assert answer.status_code < 500, address
        seen[address] = answer.getvalue()
        if answer.headers.get("Content-Type", "").startswith("text/html"):
            for link in _LINK.findall(seen[address].decode()):
                there = urlsplit(urljoin(f"http://testserver{address}", link.replace("&amp;", "&")))
                if there.netloc == "testserver" and there.scheme == "http":
                    waiting.append(there.path + (f"?{there.query}" if there.query else ""))
    return seen


def programs(number: str, code: str) -> list[str]:
    """What a program can ask about a run and its series."""
    api = "/api/v1"
    return [
        *(f"{api}/openapi.json", f"{api}/cases/", f"{api}/cases/PI-001/", f"{api}/series/{code}/"),
        *(f"{api}/runs/", f"{api}/runs/{number}/", f"{api}/runs/{number}/trace/", f"{api}/schemes/"),
    ]


def shows(content: bytes | str, *words: str) -> list[str]:
    text = content if isinstance(content, str) else content.decode("utf-8", "replace")
    return [word for word in words if word in text]


def secrets_of(handed) -> tuple[str, str]:
    return handed.token, handed.label


def test_no_page_that_a_visitor_or_an_operator_can_reach_shows_it(handed, sealed, operator):
    number = handed.run.number
    starts = ["/es/", "/en/", f"/es/runs/{number}/", f"/en/series/{sealed.code}/", "/es/cases/PI-001/"]
    visitor, signed_in = Client(), Client()
    signed_in.force_login(operator)
    pages = walked(visitor, *starts, *programs(number, sealed.code))
    own = walked(signed_in, "/runs/", f"/runs/{number}/", "/runs/new/", f"/runs/{number}/live/")
    assert f"/es/runs/{number}/" in pages
    assert f"/runs/{number}/" in own
    for address, content in (pages | own).items():
        assert shows(content, *SEALED, *secrets_of(handed)) == [], address


def test_neither_package_nor_letter_nor_column_of_text_holds_it(handed, caplog):
    caplog.set_level(logging.DEBUG)
    run = Run.objects.get(pk=handed.run.pk)
    with storage.current().open(run.closing_package.sha256) as file:
        assert shows(file.read(), *SEALED, *secrets_of(handed)) == []
    for row in Outbox.objects.all():
        message = outbox.message(row, letters.compose)
        assert (
            shows(f"{message.subject} {message.body} {message.alternatives}", *SEALED, *secrets_of(handed))
            == []
        )
    with connection.cursor() as cursor:
        for table in connection.introspection.table_names(cursor):
            rows = sql.SQL("SELECT count(*) FROM {} AS r WHERE r::text LIKE %s").format(sql.Identifier(table))
            for word in (*SEALED, *secrets_of(handed)):
                cursor.execute(rows, [f"%{word}%"])
                assert cursor.fetchone() == (0,), (table, word)
    assert shows(caplog.text, *SEALED, *secrets_of(handed)) == []


def test_after_the_reveal_it_is_there_for_everybody(handed, sealed, who):
    at = clock.now()
    series.close(sealed, by=who.evaluator.person, at=at)
    series.reveal(sealed, by=who.evaluator.person, at=at)
    page = Client().get(f"/es/series/{sealed.code}/").content
    # Would the words above be found? This page says so.
    assert shows(page, *SEALED) == list(SEALED)
