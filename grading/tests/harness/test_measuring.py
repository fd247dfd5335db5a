"""The client counts one answer at a time, the registry a million: every figure is the same."""

import io
import json
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from evidence import packing
from grading import computing, data, schemes
from grading.harness import measuring, packages, scheme_files
from grading.tests.harness.servers import item

SCHEME = scheme_files.shipped()["HALU", "1"]
ANSWERS = (
    "El plazo es de treinta días.",
    "No encuentro fundamento para responder.",
    "Ese artículo no existe.",
    "I cannot find it.",
    "",
)
CITED = st.lists(
    st.builds(
        lambda article, verified: {"source": "Ley 1", "article": article, "verified": verified},
        st.sampled_from(["7", "art. 7", "8", "999"]),
        st.booleans(),
    ),
    max_size=3,
)


@st.composite
def evaluations(draw):
    """Items with clusters, bases, languages and runs; some answers unreadable, some verdicts missing."""
    count = draw(st.integers(1, 9))
    questions, responses, verdicts, reviews = [], [], [], []
    judges = draw(st.sampled_from([[], ["j1"], ["j1", "j2"], ["j1", "j2", "j3"]]))
    for number in range(count):
        category = draw(
            st.sampled_from(["factual_direct", "factual_applied", "trap", "out_of_corpus", "adversarial"])
        )
        question = item(
            f"q{number}",
            category,
            language=draw(st.sampled_from(["es", "es-CL", "en", "xx", None])),
            cluster=draw(st.sampled_from([None, None, "c1", "c2"])),
            item_base=draw(st.sampled_from([None, None, "b1", "b2"])),
            abstention_correct=draw(st.booleans()),
            in_corpus=draw(st.booleans()),
        )
        if draw(st.integers(0, 5)) == 0:
            question.pop("expected_citation", None)
        questions.append(question)
        for run in range(1, draw(st.integers(1, 2)) + 1):
            response = {"item": question["id"], "answer": draw(st.sampled_from(ANSWERS))}
            if run > 1:
                response["run"] = run
            if draw(st.booleans()):
                response["citations"] = draw(CITED)
            if draw(st.integers(0, 6)) == 0:
                response |= {"invalid": True, "answer": ""}
            if draw(st.integers(0, 4)) == 0:
                response["abstained"] = draw(st.booleans())
            if draw(st.booleans()):
                response["confidence"] = draw(st.sampled_from([0.1, 0.95, 1, "alta"]))
            responses.append(response)
            for judge in judges:
                if draw(st.integers(0, 4)):
                    verdict = {
                        "item": question["id"],
                        "judge": judge,
                        "verdict": draw(
                            st.sampled_from(["exact", "incomplete", "ill_founded", "incorrect", "unjudged"])
                        ),
                    }
                    if run > 1:
                        verdict["run"] = run
                    if draw(st.integers(0, 4)) == 0:
                        verdict["eligible"] = draw(st.booleans())
                    verdicts.append(verdict)
        if draw(st.integers(0, 4)) == 0:
            reviews.append((question["id"], draw(st.booleans()), "Ana"))
    catalogue = draw(st.sampled_from([None, [("Ley 1", "7"), ("Ley 1", "8")]]))
    descriptor = {
        "format": "evaluation-package/1",
        "method": "hallucination",
        "scheme": {"code": "HALU", "version": "1"},
        "system": {"name": "S", "version": "1.0", "holder": "H", "model_family": "gpt"},
        "measured_at": "2026-07-10T15:00:00Z",
    }
    if judges:
        descriptor["judges"] = [{"id": judge, "family": "claude", "version": "c-1"} for judge in judges]
    return measuring.Evaluation(descriptor, questions, responses, verdicts, catalogue, reviews)


def payload(evaluation):
    files = {
        "evaluation.json": packing.json_document(evaluation.descriptor),
        "items.jsonl": packing.json_lines(evaluation.items),
        "responses.jsonl": packing.json_lines(evaluation.responses),
        "verdicts.jsonl": packing.json_lines(evaluation.verdicts),
    }
    if evaluation.catalogue is not None:
        files["catalogue.csv"] = packing.csv_table(["source", "article"], evaluation.catalogue)
    if evaluation.abstention_review:
        header = ["item", "abstained", "reviewer"]
        files["abstention-review.csv"] = packing.csv_table(header, evaluation.abstention_review)
    return files


def rules(kind: str) -> bytes:
    """A scheme's file: the shipped one, one that averages its judges, one with criteria that shows small groups too."""
    if kind == "contract":
        content = json.loads((Path(__file__).parents[1] / "schemes" / "CLAUSE-1.json").read_bytes())
        content["suppression"] = {"suppressed_below": 1, "indicative_below": 1, "widest_full": "1.0"}
        content["reference_group"] = "es"
        return json.dumps(content).encode()
    file = data.read("schemes/HALU-1.json")
    if kind == "averaged":
        return file.replace(b'"several_judges": "majority"', b'"several_judges": "mean"')
    return file


@pytest.mark.parametrize(("kind", "examples"), [("majority", 25), ("averaged", 10), ("contract", 40)])
def test_every_figure_is_that_of_the_registry(kind, examples, tmp_path_factory):
    file = rules(kind)
    theirs, ours = schemes.load(file), scheme_files.load(file)
    path = tmp_path_factory.mktemp("packages") / "package.zip"

    @settings(max_examples=examples, suppress_health_check=[HealthCheck.too_slow], deadline=None)
    @given(evaluations())
    def same(evaluation):
        archive = io.BytesIO()
        packing.pack(payload(evaluation), into=archive)
        report, result, _ = computing.compute(archive, scheme=theirs)
        assert result is not None, report.findings
        measured = measuring.measure(evaluation, ours)
        assert [figure.as_json() for figure in measured.figures] == [
            figure.as_json() for figure in result.figures
        ]
        assert measured.set_sha256 == result.set_sha256
        assert measured.reglab == result.reglab
        assert measured.groups == result.groups
        assert measured.criteria == result.criteria
        shared = measured.counts.keys()
        assert measured.counts == {key: result.counts[key] for key in shared}
        # And so are those of the package, read back without compiled packages.
        path.write_bytes(archive.getvalue())
        back = packages.read(path, scheme=ours)
        assert measuring.measure(back.evaluation, ours).figures == measured.figures

    same()


def test_both_read_the_same_from_a_scheme():
    whole = schemes.shipped()["HALU", "1"]
    assert (SCHEME.sha256, SCHEME.title) == (whole.sha256, whole.title)
    assert [(c.code, c.hostile, c.expects_nothing_there) for c in SCHEME.categories] == [
        (c.code, c.hostile, c.expects_nothing_there) for c in whole.categories
    ]
    of = whole.suppression
    assert (SCHEME.suppressed_below, SCHEME.indicative_below, SCHEME.widest_full) == (
        of.suppressed_below,
        of.indicative_below,
        of.widest_full,
    )
