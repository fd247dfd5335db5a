"""What is told of groups, criteria and agreement beside the figures: on the certificate, to the staff, by the API."""

import json
import re

import pytest
from django.utils import translation

from certificates import lifecycle, measured, pipeline, policies
from certificates.demo import engine, seeding, story
from certificates.tests import desks, registry
from certificates.tests.packages import zipped
from evidence import intake
from evidence.models import Holder, PackageState, System
from grading import data, publication
from grading.figures import Band
from grading.tests.test_reviews import AGREED
from registry_site import catalogues, clock

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("evidence_folder")]
MET = next(one for one in story.CHAPTERS if one.system.name == "Acta")
INSUFFICIENT = next(one for one in story.CHAPTERS if one.undecided)
KEYS_WITH_GROUPS = ("groups", "criteria", "agreement")


@pytest.fixture(scope="module", autouse=True)
def _catalogue():
    catalogues.compile_catalogues()


@pytest.fixture
def contract(db):
    return publication.publish(seeding.CONTRACT.read_bytes(), at=clock.now())


def measurement_of(chapter, who, **changes):
    """The chapter's package, measured; its names are confirmed."""
    reviews = changes.pop("reviews", None)
    options = {
        "scheme": chapter.scheme,
        "languages": chapter.languages,
        "judge_family": chapter.judge_family,
        **changes,
    }
    payload = engine.evaluate(chapter.system, at=clock.now(), **options)
    if reviews is not None:
        payload["reviews.csv"] = reviews(payload)
    package = intake.receive([zipped(payload)], by=who.evaluator, at=clock.now())
    pipeline.advance(package.pk)
    package.refresh_from_db()
    assert package.state == PackageState.READY, package.failure
    Holder.objects.update(
        confirmation="confirmed",
        identifier_kind="domain",
        identifier="a.example",
        country="CL",
        contact_email="a@a.example",
    )
    System.objects.update(confirmation="confirmed")
    return package.measurements.select_related("system_version__system__holder", "scheme").get()


def words(html: str) -> str:
    text = re.sub(r"<(script|style|svg)\b.*?</\1>", " ", html, flags=re.DOTALL)
    text = re.sub(r"</?(?:b|a|span|strong)\b[^>]*>", "", text)
    text = re.sub(r"<[^>]+>", " ", text).replace("&#x27;", "'").replace("&lt;", "<").replace("&gt;", ">")
    return re.sub(r"[\s\u00a0\u202f]+", " ", text)


def issued(measurement, who):
    return lifecycle.issue(measurement, by=who.certifier, at=clock.now(), statement=registry.STATEMENT)


def numbers_of(told, group: str) -> list:
    """Everything in an answer that stands in an object about one group, but that it is left out and its band."""
    found = []
    if isinstance(told, dict):
        if told.get("group") == group and set(told) - {"group", "band", "reason"}:
            found.append(told)
        found += [one for value in told.values() for one in numbers_of(value, group)]
    elif isinstance(told, list):
        found += [one for value in told for one in numbers_of(value, group)]
    return found


class TestAContractThatIsMet:
    @pytest.fixture
    def certificate(self, contract, who):
        return issued(measurement_of(MET, who), who)

    def test_page_and_api_tell_groups_criteria_and_agreement(self, certificate, client):
        page = client.get(f"/es/c/{certificate.number}/").content.decode()
        text = words(page)
        assert "umbral 20\u00a0%" in page
        assert "Los grupos lingüísticos difieren (p < 0,001)." in text
        assert "portugués Difiere de español en" in text
        assert "No entran: francés (suprimido) e italiano (suprimido)." in text
        assert "Alucinación, sobre las juzgadas, en el total: a lo más 20 %" in text
        assert "Junto a ella rige el tope de abstención, a lo más 15 % (conforme)" in text
        assert (
            "El conjunto de preguntas tiene custodio, Fehaciente, y el titular no tuvo acceso a él." in text
        )
        assert "Limitación declarada: no se ha medido el acuerdo entre el juez y personas." in text
        english = words(client.get(f"/en/c/{certificate.number}/").content.decode())
        assert "The language groups differ (p < 0.001)." in english
        assert "Hallucination, over judged, in total: at most 20%" in english

        told = client.get(f"/api/v1/certificates/{certificate.number}/figures/").json()
        again = client.get(f"/api/v1/measurements/{certificate.measurement_id}/").json()
        assert {key: told[key] for key in (*KEYS_WITH_GROUPS, "group_names")} == {
            key: again[key] for key in (*KEYS_WITH_GROUPS, "group_names")
        }
        assert told["criteria"]["outcome"] == "conforms"
        assert told["group_names"]["fr"] == {"es": "francés", "en": "French"}
        assert told["agreement"] == {}
        gaps = {gap["group"]: gap for gap in told["groups"]["gaps"][0]["groups"]}
        assert (gaps["en"]["significant"], gaps["en"]["difference"]) == (False, None)
        assert gaps["pt"]["significant"]

    def test_a_suppressed_group_has_no_number_anywhere(self, certificate, client):
        told = client.get(f"/api/v1/certificates/{certificate.number}/figures/").json()
        for group in ("fr", "it"):
            assert [one for one in told["figures"] if one["group"] == group and one["n"]] == []
            for key in KEYS_WITH_GROUPS:
                assert numbers_of(told[key], group) == []


def test_sealed_evidence_gives_no_group_away_that_its_figures_hide(contract, who):
    measurement = measurement_of(MET, who, sealed=("data/items.jsonl",))
    assert not measured.evidence_is_public(measurement)
    figures = measured.published_figures(measurement)
    full = {
        (of.metric, of.denominator, of.group)
        for of in figures
        if of.band == Band.FULL and of.category is None
    }
    from certificates import group_facts

    shown = group_facts.of_measurement(measurement, figures)
    for entry in (*shown.groups["homogeneity"], *shown.groups["macro"]):
        for group in entry["groups"]:
            assert (entry["metric"], entry["denominator"], group) in full
    for clause in shown.criteria["clauses"]:
        for of in clause["groups"]:
            assert (clause["metric"], clause["denominator"], of["group"]) in full


class TestEvidenceThatIsInsufficient:
    def test_the_staff_see_why_clause_by_clause_and_cannot_issue(self, contract, who):
        measurement = measurement_of(INSUFFICIENT, who)
        refusal = policies.refusal_of_measurement(measurement, at=clock.now())
        assert (refusal.code, refusal.extra["outcome"]) == ("criteria_not_met", "insufficient_evidence")
        (clause,) = refusal.extra["clauses"]
        assert (clause["metric"], clause["reason"]) == ("hallucination", "threshold_inside_interval")
        assert refusal.extra["requirements_unmet"] == []

        page = desks.at_desk(who.certifier).get(f"/staff/measurements/{measurement.pk}/").content.decode()
        text = words(page)
        assert f"/staff/measurements/{measurement.pk}/issue/" not in page
        assert "Criterio de aceptación del esquema: evidencia insuficiente." in text
        assert "el umbral está dentro del intervalo; la cota superior," in text
        assert "A esta misma tasa, sería conforme con" in text
        assert "Por qué no se cumple el criterio de aceptación, cláusula por cláusula" in text
        with translation.override("es"):
            assert "no basta para saber" in str(refusal.detail)

    def test_nobody_reads_it_before_it_is_decided_and_then_the_api_says_why(self, contract, who, client):
        measurement = measurement_of(INSUFFICIENT, who)
        address = f"/api/v1/measurements/{measurement.pk}/"
        assert client.get(address).status_code == 404
        lifecycle.refuse_issue(
            measurement,
            by=who.certifier,
            at=clock.now(),
            statement=registry.STATEMENT,
            reason="criteria_not_met",
        )
        told = client.get(address).json()["criteria"]
        assert told["outcome"] == "insufficient_evidence"
        assert told["clauses"][0]["overall"]["needed_for"] == "conforms"
        assert all("judged" not in of for of in told["requirements"])

    def test_what_does_not_conform_is_told_apart(self, contract, who):
        measurement = measurement_of(INSUFFICIENT, who)
        measurement.result["criteria"]["outcome"] = "does_not_conform"
        refusal = policies.measurements.refusal_of_criteria(measurement)
        with translation.override("en"):
            assert "does not conform" in str(refusal.detail)


class TestReviews:
    def reviews(self, payload):
        verdicts = [json.loads(line) for line in payload["verdicts.jsonl"].splitlines()][
            : sum(AGREED.values())
        ]
        return (
            b"item,reviewer,verdict\n"
            + "".join(
                f"{one['item']},{who},{one['verdict'] if place % 5 or who == 'ana' else 'incomplete'}\n"
                for place, one in enumerate(verdicts)
                for who in ("ana", "luis", "eva")
            ).encode()
        )

    def test_kappas_and_matrix_stand_on_the_page_and_in_the_api(self, contract, who, client):
        certificate = issued(measurement_of(MET, who, reviews=self.reviews), who)
        text = words(client.get(f"/es/c/{certificate.number}/").content.decode())
        assert "Acuerdo entre el juez y personas: kappa de Cohen" in text
        assert "Respuestas revisadas a ciegas: 50; personas revisoras: 3; comparadas: 50." in text
        assert "Las personas revisoras entre sí Kappa de Fleiss" in text
        assert "Veredicto exacta incompleta mal fundada incorrecta Suma Acuerdo en él" in text
        assert "ana" not in text.split()
        told = client.get(f"/api/v1/certificates/{certificate.number}/figures/").json()["agreement"]
        (judge,) = told["judges"]
        assert sum(map(sum, judge["verdicts"]["matrix"])) == judge["verdicts"]["n"] == 50
        assert told["between_reviewers"]["kind"] == "fleiss"
        assert "matrix" not in told["between_reviewers"]["verdicts"]


def test_groups_by_script_have_their_names_on_pages_lists_and_in_the_api(who, client):
    rules = json.loads(data.read("schemes/HALU-1.json")) | {"code": "ESCRITURA", "grouping": "script-1"}
    publication.publish(json.dumps(rules).encode(), at=clock.now())
    certificate = issued(measurement_of(MET, who, scheme=("ESCRITURA", "1")), who)
    text = words(client.get(f"/es/c/{certificate.number}/").content.decode())
    assert "latino (escritura) 11 de 124" in text
    assert "latino (escritura)" in words(client.get("/es/certificates/").content.decode())
    (line,) = client.get("/api/v1/certificates/").json()["results"]
    assert (line["groups"], line["group_names"]) == (
        ["Latn"],
        {"Latn": {"es": "latino (escritura)", "en": "Latin (script)"}},
    )
    whole = client.get(f"/api/v1/certificates/{certificate.number}/").json()
    assert whole["group_names"] == line["group_names"]
