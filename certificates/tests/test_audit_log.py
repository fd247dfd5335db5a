"""The audit log as people read it: their own entries, a registrar everybody's; every action has its words."""

import ast
import csv
import importlib
import io
from collections.abc import Iterator, Mapping
from datetime import timedelta
from pathlib import Path
from types import ModuleType

import pytest
from django.utils import translation

from certificates import audit_words, states
from certificates.tests import desks, registry
from registry_site import audit, audit_log, clock, csv_cells
from registry_site.models import AuditEntry
from registry_site.tests import architecture

ROOT = Path(__file__).resolve().parents[2]


def text(answer) -> str:
    return answer.content.decode()


# ── words ────────────────────────────────────────────────────────────────────


def test_every_action_written_in_the_code_has_its_words():
    written = dict(actions_written())
    assert {"role.granted", "certificate.revoke", "appeal.admitted", "interest.ended"} <= set(written)
    missing = {code: module for code, module in written.items() if code not in audit_words.ACTIONS}
    assert missing == {}, "add them to certificates.audit_words.ACTIONS, then script/messages"


def test_the_words_are_told_apart_in_both_languages():
    for language in ("es", "en"):
        with translation.override(language):
            words = [str(one) for one in audit_words.ACTIONS.values()]
            assert len(set(words)) == len(words)


def actions_written() -> Iterator[tuple[str, str]]:
    """(action, module) of every call of `audit.record`, read from the syntax trees."""
    for module in architecture.modules(ROOT):
        if not module.is_test:
            for call in ast.walk(module.tree):
                if isinstance(call, ast.Call) and ast.unparse(call.func) == "audit.record":
                    for action in _values(call.args[0], call, module):
                        yield action, module.name


def _values(node: ast.expr, call: ast.Call, module: architecture.Module) -> list[str]:
    """What the expression of an action can be: a text, a constant, a value of a table, what a caller passes."""
    if isinstance(node, ast.Constant):
        return [node.value]
    if isinstance(node, ast.IfExp):
        return _values(node.body, call, module) + _values(node.orelse, call, module)
    loaded = importlib.import_module(module.name)
    if isinstance(node, ast.Subscript):
        return [str(one) for one in _table(node.value, loaded, module).values()]
    if isinstance(node, ast.JoinedStr):
        return [f"{node.values[0].value}{step}" for step in states.Step]
    around = next(
        one
        for one in ast.walk(module.tree)
        if isinstance(one, ast.FunctionDef) and any(inner is call for inner in ast.walk(one))
    )
    names = [arg.arg for arg in (*around.args.args, *around.args.kwonlyargs)]
    if node.id not in names:
        return [str(getattr(loaded, node.id))]
    passed = []
    for other in ast.walk(module.tree):
        if isinstance(other, ast.Call) and getattr(other.func, "id", "") == around.name:
            given = dict(zip(names, other.args, strict=False)) | {k.arg: k.value for k in other.keywords}
            passed += _values(given[node.id], other, module)
    return passed


def _table(node: ast.Name, loaded: ModuleType, module: architecture.Module) -> Mapping[str, str]:
    """A table by its name: of the module, or of the function that uses it."""
    if hasattr(loaded, node.id):
        return getattr(loaded, node.id)
    written = next(
        one.value
        for one in ast.walk(module.tree)
        if isinstance(one, ast.Assign) and getattr(one.targets[0], "id", "") == node.id
    )
    return eval(compile(ast.Expression(written), module.name, "eval"), vars(loaded))  # noqa: S307 - our own source


@pytest.mark.parametrize("start", ["=", "+", "-", "@", "\t", "\r"])
def test_a_cell_that_a_spreadsheet_would_compute_is_told_to_be_text(start):
    assert csv_cells.guarded(f"{start}cmd") == f"'{start}cmd"
    assert csv_cells.guarded(f"x{start}") == f"x{start}"
    assert csv_cells.guarded("") == ""


# ── who reads what ───────────────────────────────────────────────────────────


@pytest.fixture
def entries(who) -> None:
    now = clock.now()
    audit.record("package.received", by=who.evaluator.person, at=now, subject="package:7", size=10)
    audit.record(
        "appeal.contact_seen", by=who.appeals_officer.person, at=now, subject="appeal:AP-2026-000007"
    )
    audit.record(
        "role.granted",
        by=who.registrar.person,
        at=now,
        subject=f"person:{who.certifier.person.pk}",
        role="certifier",
    )
    audit.record("appeal.filed", by=None, at=now, subject="appeal:AP-2026-000007")


@pytest.mark.django_db
def test_a_registrar_reads_everybodys_with_words_and_links(who, entries):
    desk = desks.at_desk(who.registrar)
    page = text(desk.get("/staff/audit/"))
    assert 'href="/staff/audit/" aria-current="page"' in page
    for there in (
        "Contacto de una apelación visto",
        "Función dada",
        "Ana Apelaciones",
        'href="/staff/appeals/AP-2026-000007/"',
        f'href="/staff/people/{who.certifier.person.pk}/"',
        'href="/staff/packages/7/"',
        "role=certifier",
        "nadie del personal",
    ):
        assert there in page
    english = text(desks.at_desk(who.registrar, language="en").get("/staff/audit/"))
    assert "Contact of an appeal seen" in english
    assert "Role given" in english


@pytest.mark.django_db
def test_others_read_their_own_entries_whatever_they_ask_for(who, entries):
    desk = desks.at_desk(who.appeals_officer)
    for query in ("", f"?person={who.evaluator.person.pk}", "?action=package.received", "?subject=7"):
        page = text(desk.get(f"/staff/audit/{query}"))
        assert 'href="/staff/packages/7/"' not in page
        assert "Elena Evaluadora" not in page
        file = b"".join(desk.get(f"/staff/audit/file/{query}").streaming_content).decode()
        assert "package:7" not in file
    page = text(desk.get("/staff/audit/"))
    assert "AP-2026-000007" in page
    assert '<select id="id_person"' not in page


@pytest.mark.django_db
def test_it_is_for_the_staff_alone(who, client):
    assert client.get("/staff/audit/").status_code == 302
    assert desks.by_password(who.registrar).get("/staff/audit/file/").status_code == 302
    assert desks.at_desk(registry.person("Nadie Todavía")).get("/staff/audit/").status_code == 403
    assert desks.at_desk(who.registrar).post("/staff/audit/").status_code == 405


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("query", "there", "not_there"),
    [
        ("action=role.granted", "person:", "appeal:"),
        ("subject=ap-2026-000007", "appeal:", "person:"),
        ("subject=package:7", "package:7", "appeal:"),
        ("subject=nada", "at,person", "package"),
        ("since=2001-01-01", "package:7", "ninguno"),
        ("until=2001-01-01", "at,person", "package"),
        ("until=9999-12-31", "package:7", "ninguno"),
        ("since=2001-01-01&until=2100-01-01&action=appeal.contact_seen", "Ana", "Elena"),
    ],
)
def test_it_is_filtered(who, entries, query, there, not_there):
    answer = desks.at_desk(who.registrar).get(f"/staff/audit/file/?{query}")
    rows = b"".join(answer.streaming_content).decode()
    assert there in rows
    assert not_there not in rows


@pytest.mark.django_db
def test_one_person_is_asked_for(who, entries):
    desk = desks.at_desk(who.registrar)
    page = text(desk.get(f"/staff/audit/?person={who.evaluator.person.pk}"))
    assert 'href="/staff/packages/7/"' in page
    assert "AP-2026-000007" not in page
    assert f"/staff/audit/?person={who.evaluator.person.pk}" in text(
        desk.get(f"/staff/people/{who.evaluator.person.pk}/")
    )


@pytest.mark.django_db
@pytest.mark.parametrize("query", ["since=ayer", "until=2026-13-45", "person=abc", "before=-1"])
def test_what_cannot_be_read_in_the_filter_is_told(who, entries, query):
    desk = desks.at_desk(who.registrar)
    answer = desk.get(f"/staff/audit/?{query}")
    assert answer.status_code == 422
    assert "<title>Error:" in text(answer)
    assert desk.get(f"/staff/audit/file/?{query}").status_code == 422


@pytest.mark.django_db
def test_the_day_that_is_asked_for_is_one_of_the_registrys_zone(who, moving_clock):
    desk = desks.at_desk(who.registrar)
    now = clock.now()
    # An hour before midnight in Chile it is the next day in UTC.
    at = now.replace(year=2026, month=7, day=2, hour=3, minute=30)
    audit.record("people.listed", by=who.certifier.person, at=at)
    same_day = desk.get("/staff/audit/?since=2026-07-01&until=2026-07-01")
    assert "Carlos Certificador</bdi>" in text(same_day)
    assert "Carlos Certificador</bdi>" not in text(
        desk.get("/staff/audit/?since=2026-07-02&until=2026-07-02")
    )


@pytest.mark.django_db
def test_pages_follow_each_other_without_a_gap_and_with_few_queries(who, django_assert_max_num_queries):
    now = clock.now()
    AuditEntry.objects.bulk_create(
        AuditEntry(at=now, person=who.certifier.person, action="people.listed", subject=f"package:{n}")
        for n in range(150)
    )
    desk = desks.at_desk(who.registrar)
    with django_assert_max_num_queries(15):
        page = text(desk.get("/staff/audit/?action=people.listed"))
    first = audit_log.page(audit_log.Wanted(), reader=who.registrar.person)
    assert "?action=people.listed&amp;before=" in page
    second = audit_log.page(audit_log.Wanted(before=first.before), reader=who.registrar.person)
    seen = [entry.subject for entry in (*first.entries, *second.entries)]
    assert len(seen) == len(set(seen)) == 150
    assert second.before is None


@pytest.mark.django_db
def test_the_file_holds_no_formula_and_that_it_was_taken_is_an_entry(who):
    evil = registry.person("=HYPERLINK(1)").person
    audit.record("people.listed", by=evil, at=clock.now() - timedelta(seconds=1), label="@x")
    answer = desks.at_desk(who.registrar).get("/staff/audit/file/")
    assert answer["Content-Disposition"].startswith("attachment")
    assert "no-store" in answer["Cache-Control"]
    rows = list(csv.reader(io.StringIO(b"".join(answer.streaming_content).decode())))
    assert rows[0] == ["at", "person", "action", "subject", "detail"]
    assert rows[-1][1] == "'=HYPERLINK(1)"
    assert rows[-1][4] == "label=@x"
    assert AuditEntry.objects.filter(action="audit.exported", person=who.registrar.person).count() == 1


@pytest.mark.django_db
def test_an_action_that_is_written_no_longer_shows_its_code(who):
    audit.record(
        "interest.added", by=who.registrar.person, at=clock.now(), subject="strange", text="<b>x</b>"
    )
    audit.record("people.listed", by=who.registrar.person, at=clock.now(), subject="appeal:of another form")
    page = text(desks.at_desk(who.registrar).get("/staff/audit/"))
    assert "interest.added" in page
    assert "<b>x</b>" not in page
    assert "of another form" in page
