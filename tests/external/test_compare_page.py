"""Evaluations that no one here made, compared on the public page: what differs in which language, and what does not."""

import csv
import html
import io
import re

import pytest

from certificates import lifecycle
from certificates.tests import pairs, registry
from certificates.tests.test_compare_page import words
from evidence import packing
from grading import comparing
from grading.models import ComparisonRequest
from registry_site import clock
from tests.external import nomiracl, truthfulqa

pytestmark = [pytest.mark.shared, pytest.mark.django_db, pytest.mark.usefixtures("evidence_folder")]


@pytest.fixture
def compared(db, visitor):
    """Hand two packages in; once both are public, ask for their comparison: its page, and what programs read."""
    who = registry.people()
    registry.scheme()

    def go(*packages: bytes):
        first, second = (pairs.measure(who, data) for data in packages)
        for one in (first, second):
            # Years old, so not certified; a refusal makes a measurement public as well.
            lifecycle.refuse_issue(
                one, by=who.certifier, at=clock.now(), statement=registry.STATEMENT, reason="other"
            )
        named = {"first": f"M-{first.pk}", "second": f"M-{second.pk}"}
        assert visitor.post("/es/compare/", named).status_code == 303
        comparing.compute(ComparisonRequest.objects.get().pk)
        page = visitor.get("/es/compare/", named)
        told = visitor.get("/api/v1/comparisons/", {"first": first.pk, "second": second.pk}).json()
        return page, told

    return go


def zipped(files: dict[str, bytes]) -> bytes:
    into = io.BytesIO()
    packing.pack(files, into=into)
    return into.getvalue()


def printed(page, metric: str) -> dict[str, list[str]]:
    """Language → the cells of its row: n, both, only first, only second, neither, difference, p, mid-p, Holm."""
    section = page.content.decode().partition(f'id="{metric}"')[2].partition("</section>")[0]
    rows = re.findall(r'<tr role="row" data-group="([^"]+)">(.*?)</tr>', section, re.S)
    cell = re.compile(r"<td[^>]*>(.*?)</td>", re.S)
    return {
        group: [html.unescape(re.sub(r"<[^>]+>", "", text)) for text in cell.findall(row)]
        for group, row in rows
    }


def kept(told: dict, metric: str) -> dict[str, dict]:
    (outcome,) = [one for one in told["result"]["outcomes"] if one["metric"] == metric]
    return {row["group"]: row for row in outcome["groups"]}


def test_nomiracl_differs_in_spanish_and_not_in_english_and_the_other_way_round(compared, shared):
    folder = shared / "data" / "nomiracl"
    page, told = compared(
        *(zipped(nomiracl.files(folder, system)) for system in ("gpt-4-azure", "gpt-3.5-turbo-azure"))
    )

    abstention = printed(page, "necessary_abstention")
    assert len(abstention) == 17
    assert abstention["es"][2:4] == ["64", "8"]
    assert (abstention["es"][6], abstention["es"][8]) == ("<0,001", "<0,001")
    assert abstention["en"][2:4] == ["45", "39"]
    assert (abstention["en"][6], abstention["en"][8]) == ("0,586", "1,000")
    rows = kept(told, "necessary_abstention")
    assert f"{float(rows['es']['p']):.1e}" == "5.8e-12"
    assert f"{float(rows['en']['p']):.3f}" == "0.586"

    accuracy = printed(page, "accuracy")
    assert accuracy["es"][2:4] == ["6", "37"]
    assert accuracy["es"][6] == "<0,001"
    assert accuracy["en"][2:4] == ["16", "7"]
    assert accuracy["en"][6] == "0,093"
    assert f"{float(kept(told, 'accuracy')['es']['p']):.1e}" == "1.6e-06"

    read = words(page)
    assert "Entre los grupos, p ajustado por Holm sobre 17 comparaciones: es el que decide." in read
    assert re.search(r"Inglés: No se detectó diferencia \(p = 1,000\)\. Con este tamaño", read)
    assert re.search(r"Español: La primera medición difiere de la segunda en \d+,\d puntos", read)
    # A difference is the first less the second: more due abstention, fewer exact answers.
    assert abstention["es"][5][0].isdigit()
    assert accuracy["es"][5].startswith("−")


def test_truthfulqa_differs_in_two_of_the_languages_that_were_computed_elsewhere(compared, shared):
    folder = shared / "data" / "truthfulqa_multi"
    files = {}
    for system in truthfulqa.SYSTEMS:
        recorded, set_sha256 = truthfulqa.records(folder, system)
        document = truthfulqa.descriptor(
            scheme=("HALU", "1"), set_sha256=set_sha256, sealed=False, system=system
        )
        files[system] = {"evaluation.json": packing.json_document(document), **recorded}
    page, told = compared(*map(zipped, files.values()))

    with (shared / "data" / "expected_figures.csv").open(encoding="utf-8") as file:
        expected = {
            row["group"]: row
            for row in csv.DictReader(file)
            if row["dataset"] == "truthfulqa_multi"
            and row["figure"].startswith("McNemar exact p gemma-2-27b-it vs Meta-Llama-3-8B-Instruct")
        }
    assert len(expected) >= 3
    on_page, rows = printed(page, "hallucination"), kept(told, "hallucination")
    assert set(rows) == set(truthfulqa.LANGUAGES)
    for language, row in expected.items():
        # Theirs counts what is true, ours what is not: only the first true is only the second hallucinated.
        assert (rows[language]["only_second"], rows[language]["only_first"]) == (
            int(row["k_or_b"]),
            int(row["n_or_c"]),
        )
        assert float(rows[language]["p"]) == pytest.approx(float(row["recomputed"]), rel=1e-5)
        assert on_page[language][2:4] == [row["n_or_c"], row["k_or_b"]]
    assert rows["eu"]["significant"]
    assert rows["ca"]["better"] is None
    assert "Hay preguntas que van juntas, como traducciones: valen por 100." in words(page)
