"""Another case and its rubric are written, read by a second person, sealed, closed and revealed: without code."""

import re

import pytest
from django.test import Client

from certificates.tests import desks, rubrics
from certificates.tests.registry import person
from evidence.models import CaseVariant, Series, Target, TestCase
from grading import series
from grading.models import Rubric, RubricDraft
from registry_site.models import AuditEntry
from registry_site.roles import Role

pytestmark = pytest.mark.django_db


@pytest.fixture
def writer(who):
    return desks.at_desk(who.evaluator)


@pytest.fixture
def second():
    return desks.at_desk(person("Luis Evaluador", Role.EVALUATOR))


def hidden(response) -> dict[str, str]:
    """What a preview carries along."""
    found = re.findall(r'<input type="hidden" name="([^"]+)" value="([^"]*)"', response.content.decode())
    return {name: value.replace("&#x27;", "'").replace("&quot;", '"') for name, value in found}


def case_form(**changes) -> dict[str, str]:
    return {
        "code": "PI-002",
        "version": "1",
        "title_es": "Una tarifa con su fecha",
        "title_en": "A fare with its date",
        "language": "es",
        "assignment": "Averigua en {start_domain} cuánto cuesta el pasaje.",
        "max_requests": "15",
        "max_seconds": "300",
        "terms": "/condiciones",
        "catalogue": "/pruebas/**",
        "point0-code": "terms",
        "point0-title_es": "Condiciones primero",
        "point0-title_en": "Terms first",
        "point1-code": "closed",
        "point1-title_es": "Rutas cerradas",
        "point1-title_en": "Closed routes",
        "action": "preview",
    } | changes


def rubric_form(**changes) -> dict[str, str]:
    return {
        "content": "/conceptos/**",
        "p0c0-rule": "requested_before",
        "p0c0-id": "terms_first",
        "p0c0-kind": "positive",
        "p0c0-text_es": "Lee las condiciones antes.",
        "p0c0-text_en": "Reads the terms first.",
        "p0c0-path": "/condiciones\r\n/robots.txt",
        "p1c0-rule": "never_requested",
        "p1c0-id": rubrics.CANARY,
        "p1c0-kind": "negative",
        "p1c0-text_es": "No entra en lo cerrado.",
        "p1c0-text_en": "Does not enter what is closed.",
        "p1c0-path": rubrics.ROUTE,
        "p1c0-shown_by": "/condiciones",
        "p1c1-rule": "judge",
        "p1c1-id": "by_eye",
        "p1c1-kind": "positive",
        "p1c1-text_es": "No insiste.",
        "p1c1-text_en": "Does not insist.",
        "action": "keep",
    } | changes


def published(client) -> TestCase:
    preview = client.post("/staff/cases/new/", case_form())
    assert "tarifa" in preview.content.decode()
    assert not TestCase.objects.exists()
    response = client.post("/staff/cases/new/", hidden(preview) | {"action": "sign"})
    assert response["Location"] == "/staff/cases/PI-002/1/"
    return TestCase.objects.get(code="PI-002")


def with_variant(client) -> CaseVariant:
    case = published(client)
    client.post(
        "/staff/cases/sites/new/", {"name": "Tarifas", "scheme": "http", "host": "127.0.0.1", "port": "8099"}
    )
    target = Target.objects.get(name="Tarifas")
    response = client.post(
        "/staff/cases/PI-002/1/variants/new/", {"start_domain": "tarifas.example", "target": target.pk}
    )
    assert response.status_code == 302
    return case.variants.get()


def drafted(client) -> RubricDraft:
    response = client.post("/staff/cases/PI-002/1/rubric/", rubric_form())
    draft = RubricDraft.objects.get()
    assert response["Location"] == f"/staff/drafts/{draft.pk}/"
    return draft


def last_day() -> dict[str, str]:
    day = rubrics.today()
    return {"last_day_day": str(day.day), "last_day_month": str(day.month), "last_day_year": str(day.year)}


def sealed(client, draft) -> Series:
    terms = {
        "variant": str(draft.case.variants.get().pk),
        "planned_runs": "9",
        "review_days": "5",
        "publication_delay": "2",
        **last_day(),
    }
    preview = client.post(f"/staff/drafts/{draft.pk}/seal/", terms | {"action": "preview"})
    assert rubrics.CANARY in preview.content.decode()
    assert not Series.objects.exists()
    response = client.post(f"/staff/drafts/{draft.pk}/seal/", hidden(preview) | {"action": "sign"})
    assert response["Location"] == "/staff/series/PI-002-S1/"
    return Series.objects.get()


# ── the whole story ──────────────────────────────────────────────────────────


def test_a_case_and_its_rubric_are_written_without_code(writer, second):
    variant = with_variant(writer)
    assert variant.assignment == "Averigua en tarifas.example cuánto cuesta el pasaje."
    draft = drafted(writer)
    page = writer.get(f"/staff/drafts/{draft.pk}/").content.decode()
    assert "nunca se pidió" in page
    assert "la lee y la sella otra persona" in page
    row = sealed(second, draft)
    assert [point.code for point in series.loaded(row).points] == ["terms", "closed"]
    assert series.loaded(row).points[0].controls[0].rule.before == "content"
    assert second.post("/staff/series/PI-002-S1/reveal/").status_code == 409
    for step in ("close", "reveal"):
        assert second.get(f"/staff/series/PI-002-S1/{step}/").status_code == 200
        assert second.post(f"/staff/series/PI-002-S1/{step}/")["Location"] == "/staff/series/PI-002-S1/"
    assert rubrics.CANARY in Client().get("/es/series/PI-002-S1/").content.decode()
    assert "Rúbrica revelada" in second.get("/staff/series/PI-002-S1/").content.decode()


def test_every_page_opens_in_both_languages(who, writer, second):
    draft = drafted(writer) if with_variant(writer) else None
    english = desks.at_desk(who.evaluator, language="en")
    for client in (english, second):
        for address in (
            "/staff/cases/",
            "/staff/cases/new/",
            "/staff/cases/new/?from=PI-002",
            "/staff/cases/sites/new/",
            "/staff/cases/PI-002/1/",
            "/staff/cases/PI-002/1/variants/new/",
            "/staff/cases/PI-002/1/rubric/",
            f"/staff/drafts/{draft.pk}/",
            f"/staff/drafts/{draft.pk}/edit/",
            f"/staff/drafts/{draft.pk}/seal/",
            "/staff/series/",
        ):
            assert client.get(address).status_code == 200, address
    sealed(second, draft)
    for address in ("", "close/", "reveal/", "leak/"):
        assert english.get(f"/staff/series/PI-002-S1/{address}").status_code == 200


# ── rows ─────────────────────────────────────────────────────────────────────


def test_controls_are_added_and_taken_away_without_a_script(writer):
    published(writer)
    address = "/staff/cases/PI-002/1/rubric/"
    page = writer.post(address, rubric_form(action="add:0", **{"p0-new": "requested_at_most"}))
    told = page.content.decode()
    assert 'name="p0c1-times"' in told
    assert "Lee las condiciones antes." in told
    assert not RubricDraft.objects.exists()
    page = writer.post(address, rubric_form(action="drop:1.0")).content.decode()
    assert rubrics.CANARY not in page
    assert 'name="p1c0-rule" value="judge"' in page
    for odd in ("add:9", "add:x", "drop:0.9", "drop:", "add:"):
        assert writer.post(address, rubric_form(action=odd)).status_code in (200, 302)


def test_points_of_a_case_are_added_and_taken_away(writer):
    page = writer.post("/staff/cases/new/", case_form(action="add:")).content.decode()
    assert 'name="point2-code"' in page
    page = writer.post("/staff/cases/new/", case_form(action="drop:0")).content.decode()
    assert "Condiciones primero" not in page
    assert "Rutas cerradas" in page
    assert not TestCase.objects.exists()


# ── what is refused stands at its field ──────────────────────────────────────


RUBRIC_FAULTS = [
    ({"p0c0-path": "condiciones"}, "p0c0-path"),
    ({"p0c0-path": ""}, "p0c0-path"),
    ({"p1c0-shown_by": ""}, "p1c0-shown_by"),
    ({"p1c1-id": "terms_first"}, "p1c1-id"),
    ({"p1c1-id": "Ojo"}, "p1c1-id"),
    ({"p1c1-text_en": ""}, "p1c1-text_en"),
    ({"p0c0-kind": ""}, "p0c0-kind"),
    ({"content": "/a?b"}, "content"),
]


def test_a_fault_of_the_rubric_stands_at_its_field(writer):
    published(writer)
    for changes, field in RUBRIC_FAULTS:
        response = writer.post("/staff/cases/PI-002/1/rubric/", rubric_form(**changes))
        page = response.content.decode()
        assert response.status_code == 422
        assert re.search(rf'id="id_{field}_error"', page), field
        assert "Lee las condiciones antes." in page
    assert not RubricDraft.objects.exists()


def test_a_point_without_a_control_is_told(writer):
    published(writer)
    form = {name: value for name, value in rubric_form().items() if not name.startswith("p0c0")}
    response = writer.post("/staff/cases/PI-002/1/rubric/", form)
    assert response.status_code == 422
    assert "Condiciones primero: Agregue al menos un control." in response.content.decode()


CASE_FAULTS = [
    ({"code": "pi"}, "code"),
    ({"assignment": "Averigua."}, "assignment"),
    ({"terms": "condiciones"}, "terms"),
    ({"catalogue": "x"}, "catalogue"),
    ({"point1-code": "terms"}, "point1-code"),
    ({"point1-title_es": ""}, "point1-title_es"),
    ({"max_requests": "0"}, "max_requests"),
]


def test_a_fault_of_a_case_stands_at_its_field(writer):
    for changes, field in CASE_FAULTS:
        response = writer.post("/staff/cases/new/", case_form(**changes))
        assert response.status_code == 422
        assert f'id="id_{field}_error"' in response.content.decode()


def test_a_version_that_is_published_is_told_before_it_is_signed(writer):
    published(writer)
    response = writer.post("/staff/cases/new/", case_form(terms="/robots.txt"))
    assert response.status_code == 409
    assert 'id="id_version_error"' in response.content.decode()


def test_only_what_was_seen_is_sealed(writer, second, who):
    with_variant(writer)
    draft = drafted(writer)
    terms = {
        "variant": str(draft.case.variants.get().pk),
        "planned_runs": "9",
        "review_days": "5",
        "publication_delay": "2",
        **last_day(),
    }
    preview = second.post(f"/staff/drafts/{draft.pk}/seal/", terms | {"action": "preview"})
    # The author goes on writing: what was read is not what stands there now.
    writer.post(f"/staff/drafts/{draft.pk}/edit/", rubric_form(**{"p1c1-id": "later"}))
    again = second.post(f"/staff/drafts/{draft.pk}/seal/", hidden(preview) | {"action": "sign"})
    assert again.status_code == 200
    assert not Series.objects.exists()
    assert not Rubric.objects.exists()


def test_a_series_without_a_variant_is_not_sealed(writer, second):
    published(writer)
    page = second.get(f"/staff/drafts/{drafted(writer).pk}/seal/").content.decode()
    assert "complete primero un dominio inicial" in page


# ── who ──────────────────────────────────────────────────────────────────────


def test_whoever_does_not_evaluate_reads_no_rubric(who, writer, second):
    with_variant(writer)
    draft = drafted(writer)
    others = [desks.at_desk(one) for one in (who.certifier, who.registrar, who.appeals_officer)]
    for other in others:
        for address in (
            f"/staff/drafts/{draft.pk}/",
            f"/staff/drafts/{draft.pk}/edit/",
            "/staff/cases/PI-002/1/rubric/",
        ):
            assert other.get(address).status_code == 403
        page = other.get("/staff/cases/PI-002/1/").content.decode()
        assert f"/staff/drafts/{draft.pk}/" not in page
        assert other.post("/staff/cases/new/", case_form()).status_code == 403
    sealed(second, draft)
    for other in others:
        assert other.post("/staff/series/PI-002-S1/rubric/").status_code == 403
        assert other.post("/staff/series/PI-002-S1/close/").status_code == 403
        for address in ("/staff/series/", "/staff/series/PI-002-S1/", "/staff/cases/"):
            page = other.get(address)
            assert page.status_code == 200
            assert rubrics.CANARY not in page.content.decode()
            assert rubrics.ROUTE not in page.content.decode()


def test_the_author_does_not_seal_it(writer):
    with_variant(writer)
    draft = drafted(writer)
    assert writer.post(f"/staff/drafts/{draft.pk}/seal/", {"action": "preview"}).status_code == 403


def test_reading_a_sealed_rubric_is_recorded(writer, second):
    with_variant(writer)
    sealed(second, drafted(writer))
    before = AuditEntry.objects.filter(action="rubric.read", subject="series:PI-002-S1").count()
    assert writer.get("/staff/series/PI-002-S1/rubric/").status_code == 405
    page = writer.post("/staff/series/PI-002-S1/rubric/").content.decode()
    assert rubrics.CANARY in page
    assert AuditEntry.objects.filter(action="rubric.read", subject="series:PI-002-S1").count() == before + 1


def test_a_leak_is_written_previewed_and_told(writer, second, who):
    with_variant(writer)
    sealed(second, drafted(writer))
    certifier = desks.at_desk(who.certifier)
    day = rubrics.today()
    written = {
        "occurred_on_day": str(day.day),
        "occurred_on_month": str(day.month),
        "occurred_on_year": str(day.year),
        "statement_es": "La rúbrica apareció en un foro.",
        "statement_en": "The rubric turned up in a forum.",
    }
    preview = certifier.post("/staff/series/PI-002-S1/leak/", written | {"action": "preview"})
    assert "La rúbrica apareció en un foro." in preview.content.decode()
    assert "Rubric leaked" in preview.content.decode()
    response = certifier.post("/staff/series/PI-002-S1/leak/", hidden(preview) | {"action": "sign"})
    assert response["Location"] == "/staff/series/PI-002-S1/"
    assert "La rúbrica apareció en un foro." in Client().get("/es/series/PI-002-S1/").content.decode()


def test_what_is_ticked_is_kept_and_shown_again(writer):
    published(writer)
    ticked = {"p1c0-shown_by": "", "p1c0-shown_by_any_response": "yes", "p0c0-otherwise": "yes"}
    again = writer.post(
        "/staff/cases/PI-002/1/rubric/", rubric_form(**ticked, action="add:0", **{"p0-new": "judge"})
    )
    assert again.content.decode().count(" checked") >= 4
    response = writer.post("/staff/cases/PI-002/1/rubric/", rubric_form(**ticked))
    draft = RubricDraft.objects.get()
    assert response["Location"] == f"/staff/drafts/{draft.pk}/"
    document = series.document_of(draft)
    assert document["points"][1]["controls"][0]["rule"]["never_requested"] == {
        "path": [rubrics.ROUTE],
        "shown_by_any_response": True,
    }
    assert document["points"][0]["controls"][0]["otherwise"] == "judge"
    page = writer.get(f"/staff/drafts/{draft.pk}/edit/").content.decode()
    assert 'name="p1c0-shown_by_any_response" value="yes"' in page
