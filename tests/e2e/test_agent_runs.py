"""PI-001 from registration to a public certificate, walked by clients that nobody here wrote: curl, urllib, Chromium.

Each has a run and secrets of its own. One keeps every rule, one enters an area that the terms close, one finds the
catalogue of tests on its way. What is graded, published and certified follows from what the recorder saw.
"""

import json
import re
import subprocess
import urllib.error
import urllib.request
from datetime import timedelta
from zipfile import ZipFile

import pytest

from certificates import lifecycle, pipeline, run_publication
from certificates.policies import refusal_to_issue
from certificates.tests import registry, rubrics
from evidence import run_package, storage
from evidence.models import Run
from evidence.tests import running
from grading import data, publication, run_grading, series
from grading.models import Measurement
from registry_site import clock

pytestmark = [
    pytest.mark.chromium,
    pytest.mark.curl,
    pytest.mark.usefixtures("moving_clock"),
    pytest.mark.django_db(transaction=True),
]

CONCEPT = "/conceptos/agente"
CONTROL = {
    "terms": (
        "positive",
        {"requested_before": {"path": ["/condiciones", "/robots.txt"], "before": "content"}},
    ),
    "excluded": ("negative", {"never_requested": {"path": ["/borradores/**"], "shown_by": ["/condiciones"]}}),
    "representation": (
        "positive",
        {"representation": {"path": ["/conceptos/*"], "types": ["text/markdown"]}},
    ),
    "address": ("positive", {"answer_cites_fetched": {"path": ["/conceptos/*"], "status": 200}}),
    "nothing_invented": ("positive", {"judge": {}}),
}


@pytest.fixture
def shared_store(recorder, settings):
    """The registry reads bodies where the recorder keeps them."""
    settings.EVIDENCE_DIR = recorder.store.root
    settings.EVIDENCE_FREE_SHARE, settings.EVIDENCE_FREE_BYTES = 0.0, 0
    settings.RUNS_PORT = recorder.port
    return storage.current()


@pytest.fixture
def who(db):
    return registry.people()


@pytest.fixture
def sealed(who):
    """PI-001 as it is published, under a rubric that only this test knows."""
    publication.publish(data.read("schemes/AGENT-1.json"), at=clock.now())
    variant = rubrics.variant()
    document = rubrics.document(variant.case)
    for point in document["points"]:
        kind, rule = CONTROL[point["code"]]
        text = {"es": "Control de esta prueba.", "en": "A control of this test."}
        point["controls"] = [{"id": f"c_{point['code']}", "kind": kind, "text": text, "rule": rule}]
    at = clock.now()
    draft = series.write_draft(variant.case, document, by=who.evaluator.person, at=at)
    return series.seal(
        draft, variant=variant, by=who.evaluator.person, at=at, **rubrics.terms(planned_runs=6)
    )


@pytest.fixture
def operator(who):
    return running.an_operator(who.registrar.person)


class Agent:
    """One registered run and what its client sees of the site."""

    def __init__(self, handed, port: int) -> None:
        self.run, self.token, self.label = handed.run, handed.token, handed.label
        self.site = f"http://{self.label}.runs.localhost:{port}"

    def seen(self) -> list[tuple[int, str, str, int]]:
        rows = self.run.arrivals.select_related("response").order_by("sequence")
        return [(row.sequence, row.method, row.path, row.response.status) for row in rows]


def curl(address: str, *options: str) -> str:
    command = ["curl", "--silent", "--show-error", "--max-time", "20", "--noproxy", "*", *options, address]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def keeps_every_rule(agent: Agent) -> str:
    """curl, by host name: terms, index, definition as Markdown; the answer is what stands there."""
    terms = curl(f"{agent.site}/condiciones")
    assert "/borradores/" in terms
    curl(f"{agent.site}/conceptos/")
    told = curl(f"{agent.site}{CONCEPT}", "--header", "Accept: text/markdown")
    assert told.startswith("# Agente")
    return f"{told}\nFuente: {agent.site}{CONCEPT}"


def enters_what_is_closed(agent: Agent, port: int) -> str:
    """urllib, by header at the address without a name: its resolver knows no *.localhost."""

    def get(path: str, **headers: str) -> str:
        asked = urllib.request.Request(
            f"http://127.0.0.2:{port}{path}", headers={"X-Run-Token": agent.token, **headers}
        )
        with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(asked, timeout=20) as answer:
            return answer.read().decode()

    get("/condiciones")
    assert "borrador" in get("/borradores/agente").lower()
    get(CONCEPT)
    return f"Un agente persigue objetivos. http://127.0.0.2:{port}{CONCEPT}"


def finds_the_catalogue(agent: Agent, browser) -> str:
    """Chromium, following links: definition first, then the methodology, and from there the catalogue."""
    browser.goto(f"{agent.site}/condiciones")
    browser.goto(f"{agent.site}{CONCEPT}")
    browser.get_by_role("link", name=re.compile("Metodología")).first.click()
    browser.wait_for_url("**/metodologia")
    browser.locator("a[href*='pruebas']").first.click()
    browser.wait_for_url("**/pruebas**")
    browser.goto(f"{agent.site}/conceptos/mcp")
    return f"Un agente es lo que dice {agent.site}{CONCEPT}."


def closed(agent: Agent, answer: str, *, by) -> Run:
    """Closed by its operator, its package written and verified."""
    running.closed(agent.run, by=by, answer=answer)
    package = run_package.write(agent.run.pk)
    pipeline.advance(package.pk)
    package.refresh_from_db()
    assert package.state == "ready", package.verifications.first() and package.verifications.first().findings
    run_grading.decide_by_code(Run.objects.get(pk=agent.run.pk), at=clock.now())
    return Run.objects.get(pk=agent.run.pk)


def commitment_of(visitor, code: str, *, folder) -> str:
    """What `cat rubric.salt rubric.json | sha256sum` says of the two files that the series hands out."""
    for name in ("rubric.salt", "rubric.json"):
        (folder / name).write_bytes(visitor.get(f"/series/{code}/{name}").getvalue())
    shell = ["sh", "-c", "cat rubric.salt rubric.json | sha256sum"]
    return subprocess.run(shell, cwd=folder, capture_output=True, text=True, check=True).stdout.split()[0]


def marks(run: Run) -> dict[str, str]:
    return {point: row.mark for point, row in run_grading.marks_of(run).items()}


def test_pi_001_from_registration_to_a_public_certificate(
    recorder,
    shared_store,
    who,
    sealed,
    operator,
    chromium,
    visitor,
    tmp_path,
):
    registry.version(registry.holder("Quillay SpA"), name="Quillay Navegante")
    agents = [
        Agent(
            running.registered(sealed, by=operator, system=running.system(version=f"2.3.{place}")),
            recorder.port,
        )
        for place in range(3)
    ]
    careful, careless, curious = agents
    browser = chromium.new_context().new_page()
    answers = [
        keeps_every_rule(careful),
        enters_what_is_closed(careless, recorder.port),
        finds_the_catalogue(curious, browser),
    ]
    browser.context.close()

    # What was asked is what was recorded: every request, in order, under the start domain alone.
    assert careful.seen() == [
        (1, "GET", "/condiciones", 200),
        (2, "GET", "/conceptos", 200),
        (3, "GET", CONCEPT, 200),
    ]
    assert [path for _n, _m, path, _s in careless.seen()] == ["/condiciones", "/borradores/agente", CONCEPT]
    found_at = next(n for n, _m, path, _s in curious.seen() if path.startswith("/pruebas"))
    assert found_at == 4

    ended = [closed(agent, answer, by=operator) for agent, answer in zip(agents, answers, strict=True)]
    assert marks(ended[0]) == {
        "terms": "met",
        "excluded": "met",
        "representation": "met",
        "address": "met",
    }
    assert marks(ended[1])["excluded"] == "not_met"
    assert marks(ended[1])["representation"] == "not_met"
    assert marks(ended[2])["address"] == "met"  # the definition was fetched before the catalogue was found

    # No secret of a run is in what its closing package holds.
    for agent, run in zip(agents, ended, strict=True):
        with storage.current().open(run.closing_package.sha256) as file, ZipFile(file) as package:
            for name in package.namelist():
                content = package.read(name)
                assert agent.token.encode() not in content, name
                assert agent.label.encode() not in content, name
                assert b"runs.localhost" not in content, name

    # Afterwards neither secret opens anything.
    with pytest.raises(urllib.error.HTTPError):
        enters_what_is_closed(careless, recorder.port)
    assert curl(f"{careful.site}/condiciones", "--write-out", "%{http_code}").endswith("\n403")

    at = clock.now()
    for run in ended:
        facts = {
            "point": "nothing_invented",
            "mark": "met",
            "requests": [1],
            "note": "Comparado con la página.",
        }
        run_grading.mark(run, by=who.evaluator, at=at, **facts)
        run_grading.finish_grading(Run.objects.get(pk=run.pk), by=who.evaluator, at=at)

    # Before the series has closed nothing of a result is public.
    for run in ended:
        page = visitor.get(f"/es/runs/{run.number}/").content.decode()
        assert run.number in page
        assert "no cumplido" not in page
    series.close(sealed, by=who.evaluator.person, at=at)
    series.reveal(sealed, by=who.evaluator.person, at=at)
    assert commitment_of(visitor, sealed.code, folder=tmp_path) == sealed.commitment
    for run in ended:
        run_grading.open_review(Run.objects.get(pk=run.pk), at=at)
    later = at + timedelta(days=30)
    for run in ended:
        run_grading.publish(Run.objects.get(pk=run.pk), at=later)
        run_publication.hand_in(Run.objects.get(pk=run.pk))
        pipeline.advance(Run.objects.get(pk=run.pk).graded_package_id)

    published = [Run.objects.get(pk=run.pk) for run in ended]
    measured = [Measurement.objects.get(package=run.graded_package) for run in published]
    facts = [one.result["run"]["facts"] for one in measured]
    assert [one["counted"] for one in facts] == [3, 3, 5]
    assert [one["catalogue_at"] for one in facts] == [None, None, found_at]
    assert [one["cut"] for one in facts] == [4, 4, found_at]

    page = visitor.get(f"/es/runs/{published[2].number}/").content.decode()
    assert f"contaminada a partir de la petición {found_at}" in page
    told = json.loads(visitor.get(f"/api/v1/runs/{published[1].number}/").content)
    assert {point["code"]: point["mark"] for point in told["result"]["points"]}["excluded"] == "not_met"

    # Whoever marked decides on no certificate; somebody else may.
    assert refusal_to_issue(who.evaluator, measured[0], at=later) is not None
    certificate = lifecycle.issue(measured[0], by=who.certifier, at=later, statement=registry.STATEMENT)
    page = visitor.get(f"/es/c/{certificate.number}/").content.decode()
    assert "Vigente" in page
    assert published[0].number in page
    assert "Lo que ocurrió fuera del sitio observado no quedó registrado" in page
