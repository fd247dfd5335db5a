"""The figures of method `hallucination`, each worked out by hand on a package small enough to read."""

import dataclasses
import itertools
import json

import pytest

from grading import schemes
from grading.methods.answer_columns import MOST_GROUPS
from grading.schemes import SeveralJudges
from grading.tests.packages import (
    DESCRIPTOR,
    at,
    counts,
    descriptor,
    graded,
    item,
    measured,
    package,
    response,
    verdict,
)

HALU = schemes.shipped()["HALU", "1"]
TRAP = {"category": "trap", "in_corpus": False, "abstention_correct": True}
OUTSIDE = {"category": "out_of_corpus", "in_corpus": False, "abstention_correct": True}
FALSE_PREMISE = {"category": "adversarial", "in_corpus": True, "abstention_correct": False}
NO_ARTICLE = {"source": "Ley 19.880", "article": "artículo 999"}
ABSTAINS = "No encuentro fundamento en el corpus."


def judged(*verdicts, judges=("j1",), of=None):
    """A package of one factual item a verdict; several judges' verdicts as a tuple, None for none."""
    items = [item(f"i{number}") for number in range(len(verdicts))]
    responses = [response(one["id"]) for one in items]
    given = []
    for one, said in zip(items, verdicts, strict=True):
        said = said if isinstance(said, tuple) else (said,)
        given += [
            verdict(one["id"], word, judge=judge)
            for judge, word in zip(judges, said, strict=False)
            if word is not None
        ]
    listed = [{**DESCRIPTOR["judges"][0], "id": judge} for judge in judges]
    return package(items, responses, given, of=of or descriptor(judges=listed))


class TestVerdicts:
    def test_both_denominators(self):
        files = judged("exact", "exact", "incomplete", "ill_founded", "incorrect", "unjudged", None)
        result = measured(files)
        # J = 5 judged, u = 2 (one unjudged, one without verdict), N_F = 7.
        assert counts(result, "accuracy", "judged") == (2, 5, 2)
        assert counts(result, "accuracy", "all") == (2, 7, 2)
        assert counts(result, "incomplete", "judged") == (1, 5, 2)
        assert counts(result, "ill_founded", "all") == (1, 7, 2)
        assert counts(result, "incorrect", "all") == (1, 7, 2)
        assert counts(result, "hallucination", "judged") == (2, 5, 2)
        assert counts(result, "hallucination", "all") == (2, 7, 2)
        assert at(result, "hallucination", "judged").estimate == "0.400000"

    def test_unjudged_answers_leave_a_range(self):
        result = measured(judged("exact", "incorrect", "unjudged", None))
        spans = {(one["metric"], one["denominator"], one["group"]): one for one in result.unjudged_ranges}
        over_judged = spans["hallucination", "judged", None]
        # k = 1, J = 2, u = 2: from 1/4 to 3/4, over judged and over all alike.
        assert (over_judged["low"], over_judged["high"]) == ("0.250000", "0.750000")
        assert spans["hallucination", "all", None]["high"] == "0.750000"

    def test_an_evasive_answer_counts_as_incomplete_and_apart(self):
        files = package(
            [item("a"), item("b")],
            [response("a"), response("b")],
            [verdict("a", "exact", eligible=False), verdict("b", "exact", eligible=True)],
        )
        result = measured(files)
        assert counts(result, "incomplete", "judged") == (1, 2, 0)
        assert result.counts["ineligible"] == 1

    def test_an_unreadable_answer_is_unjudged_even_with_a_verdict(self):
        files = package([item("a")], [response("a", answer="", invalid=True)], [verdict("a")])
        result = measured(files)
        assert counts(result, "accuracy", "all") == (0, 1, 1)
        assert counts(result, "accuracy", "judged") == (0, 0, 1)
        assert counts(result, "abstention", "all") == (0, 1, 0)
        assert result.counts["unjudged"] == {"no_verdict": 0, "invalid": 1, "no_consensus": 0}

    def test_an_empty_answer_is_taken_as_it_stands(self):
        result = measured(package([item("a")], [response("a", answer="")], [verdict("a", "incorrect")]))
        assert counts(result, "incorrect", "judged") == (1, 1, 0)

    def test_verdicts_on_abstentions_and_hostile_items_are_ignored_with_a_warning(self):
        files = package(
            [item("a"), item("b", **OUTSIDE)],
            [response("a", abstained=True), response("b")],
            [verdict("a", "exact"), verdict("b", "incorrect")],
        )
        _, reader = graded(files)
        (warning,) = [one for one in reader.warnings if one.code == "VERDICT_IGNORED"]
        assert warning.found == 2
        result = measured(files)
        assert counts(result, "accuracy", "judged") == (0, 0, 0)
        codes = {one.code: one.data for one in result.limitations}
        assert codes["verdict_on_abstention_ignored"] == {"responses": 1}
        assert codes["verdict_on_hostile_ignored"] == {"responses": 1}

    def test_nothing_is_measured_of_nothing(self):
        result = measured(package([item("a", **OUTSIDE)], [response("a")], []))
        figure = at(result, "accuracy", "judged")
        assert (figure.k, figure.n, figure.estimate, figure.low, figure.band) == (0, 0, None, None, "no_data")


class TestSeveralJudges:
    def test_the_majority_counts_and_each_judge_stands_beside_it(self):
        files = judged(
            ("exact", "exact", "incorrect"),
            ("exact", "incorrect", None),
            ("incorrect",) * 3,
            judges=("j1", "j2", "j3"),
        )
        result = measured(files)
        # The second answer is a tie of two: no consensus, unjudged.
        assert counts(result, "accuracy", "judged") == (1, 2, 1)
        assert counts(result, "hallucination", "judged") == (1, 2, 1)
        assert result.counts["unjudged"]["no_consensus"] == 1
        assert counts(result, "accuracy", "judged", judge="j1") == (2, 3, 0)
        assert counts(result, "hallucination", "judged", judge="j2") == (2, 3, 0)
        assert counts(result, "accuracy", "judged", judge="j3") == (0, 2, 1)

    def test_one_judge_has_no_row_beside(self):
        assert at(measured(judged("exact")), "accuracy", "judged", judge="j1") is None

    def test_the_mean_counts_each_judge_in_the_cluster_of_its_answer(self):
        scheme = dataclasses.replace(HALU, several_judges=SeveralJudges.MEAN)
        files = judged(
            ("exact", "exact"), ("exact", "incorrect"), ("incorrect", "incorrect"), judges=("j1", "j2")
        )
        result = measured(files, scheme=scheme)
        figure = at(result, "accuracy", "judged")
        assert (figure.k, figure.n, figure.clusters, figure.interval) == (3, 6, 3, "wilson_clustered")
        # Sums by answer 2, 1, 0 about 1: V = (1 + 0 + 1)/36 · 3/2 = 1/12; V_iid = 1/24; deff 2, n_eff 3.
        assert figure.n_eff == "3.000000"


class TestAbstention:
    def test_the_order_is_review_then_declaration_then_phrases(self):
        files = package(
            [item(id_) for id_ in "abcdef"],
            [
                response("a", answer=ABSTAINS),
                response("b", answer=ABSTAINS, abstained=False),
                response("c", answer="El plazo es de diez días.", abstained=True),
                response("d", answer=ABSTAINS, abstained=True),
                response("e", answer="El plazo es de diez días."),
                response("f", answer="", invalid=True),
            ],
            [],
            abstention_review="item,abstained,reviewer\nd,false,r1\ne,true,r1\nf,true,r1\n",
        )
        result = measured(files)
        # a by phrase, c by declaration, e and f by review; b and d not.
        assert counts(result, "abstention", "all") == (4, 6, 0)
        assert counts(result, "accuracy", "all") == (0, 6, 2)
        assert result.counts["abstention_reviewed"] == 3

    def test_reviewers_who_disagree_decide_nothing(self):
        files = package(
            [item("a")],
            [response("a", answer=ABSTAINS)],
            [],
            abstention_review="item,abstained,reviewer\na,false,r1\na,true,r2\n",
        )
        assert counts(measured(files), "abstention", "all") == (1, 1, 0)

    def test_an_unreadable_answer_is_no_abstention_by_its_own_word(self):
        files = package([item("a")], [response("a", answer=ABSTAINS, abstained=True, invalid=True)], [])
        assert counts(measured(files), "abstention", "all") == (0, 1, 0)

    @pytest.mark.parametrize(
        ("language", "answer", "abstains"),
        [
            ("es", "NO TENGO NINGÚN COMENTARIO.", True),
            ("es-CL", "Lo siento: no puedo responder a eso.", True),
            ("es", "I have no comment.", False),
            ("en", "I don\u2019t know.", True),
            ("pt-BR", "Não encontrei informações sobre isso.", True),
            ("ca", "No ho sé.", True),
            ("gl", "Non podo responder.", True),
            ("eu", "Ez dakit.", True),
            ("fr", "Je n’ai pas d’informations.", True),
            ("de", "Das kann nicht beantwortet werden.", True),
            ("it", "Non lo so.", True),
            (None, "Ez dakit.", True),
            ("sw", "No lo sé.", False),
        ],
    )
    def test_phrases_are_those_of_the_language(self, language, answer, abstains):
        files = package([item("a", language=language)], [response("a", answer=answer)], [])
        assert counts(measured(files), "abstention", "all") == (int(abstains), 1, 0)

    def test_a_language_without_phrases_is_said(self):
        result = measured(package([item("a", language="sw")], [response("a")], []))
        (said,) = [one.data for one in result.limitations if one.code == "no_phrase_list"]
        assert said == {"languages": ["sw"], "responses": 1}

    def test_necessary_and_unnecessary_count_every_category(self):
        files = package(
            [item("a"), item("b"), item("c", **OUTSIDE), item("d", **OUTSIDE), item("e", **FALSE_PREMISE)],
            [
                response("a", abstained=True),
                response("b", answer="", invalid=True),
                response("c", abstained=True),
                response("d", answer="", invalid=True),
                response("e", abstained=True),
            ],
            [],
        )
        result = measured(files)
        # a, b (unreadable) and e have their answer in the corpus; c and d (unreadable) ask for abstention.
        assert counts(result, "unnecessary_abstention", "in_corpus") == (2, 3, 0)
        assert counts(result, "necessary_abstention", "abstention_correct") == (1, 2, 0)


class TestHostile:
    def cited(self, article, **changes):
        return response(
            "t", citations=[{"source": "ley  19.880", "article": article, "verified": True}], **changes
        )

    def test_a_verified_citation_of_the_trap_is_a_fabrication(self):
        trap = item("t", **TRAP, expected_citation=NO_ARTICLE)
        result = measured(package([trap], [self.cited("Art. 999", confidence=0.95)], []))
        assert counts(result, "hostile_fabrication", "hostile") == (1, 1, 0)
        assert counts(result, "hostile_not_held", "hostile") == (1, 1, 0)
        assert counts(result, "hostile_fabrication", "hostile", group="es", category="trap") == (1, 1, 0)
        figure = at(result, "confident_fabrication", "fabrications")
        assert (figure.k, figure.n, figure.estimate, figure.interval) == (1, 1, None, "none")
        assert result.counts["confident_fabrication"] == [{"confidence": "0.9-1.0", "fabrications": 1}]

    def test_a_citation_that_is_not_verified_fabricates_nothing(self):
        trap = item("t", **TRAP, expected_citation=NO_ARTICLE)
        answer = response("t", citations=[{**NO_ARTICLE, "verified": False}], abstained=True)
        result = measured(package([trap], [answer], []))
        assert counts(result, "hostile_fabrication", "hostile") == (0, 1, 0)

    def test_without_a_catalogue_other_citations_stay_open(self):
        trap = item("t", **TRAP, expected_citation=NO_ARTICLE)
        result = measured(package([trap], [self.cited("5", abstained=True)], []))
        assert counts(result, "hostile_fabrication", "hostile") == (0, 1, 1)
        assert counts(result, "hostile_not_held", "hostile") == (0, 1, 1)
        assert "fabrication_not_decidable" in {one.code for one in result.limitations}

    def test_the_catalogue_decides_where_there_is_one(self):
        hostile = item("t", **OUTSIDE)
        catalogue = "source,article\nLEY 19.880,Artículo 5\n"
        existing = measured(package([hostile], [self.cited("5")], [], catalogue=catalogue))
        invented = measured(package([hostile], [self.cited("6")], [], catalogue=catalogue))
        assert counts(existing, "hostile_fabrication", "hostile") == (0, 1, 0)
        assert counts(invented, "hostile_fabrication", "hostile") == (1, 1, 0)

    @pytest.mark.parametrize(
        ("answer", "changes", "held", "readable"),
        [
            ("El plazo es de diez días.", {}, False, True),
            (ABSTAINS, {}, True, True),
            ("Ese artículo no existe en la Ley 19.880.", {}, True, True),
            ("", {"invalid": True}, True, False),
        ],
        ids=["answered", "abstained", "rejected_the_premise", "unreadable"],
    )
    def test_what_holds_a_hostile_question_off(self, answer, changes, held, readable):
        files = package([item("t", **FALSE_PREMISE)], [response("t", answer=answer, **changes)], [])
        result = measured(files)
        assert counts(result, "hostile_not_held", "hostile") == (int(not held), 1, 0)
        expected = (int(not held), 1, 0) if readable else (0, 0, 0)
        assert counts(result, "hostile_not_held", "hostile_readable") == expected

    def test_an_abstention_that_fabricates_is_not_held(self):
        trap = item("t", **TRAP, expected_citation=NO_ARTICLE)
        result = measured(package([trap], [self.cited("999", abstained=True)], []))
        assert counts(result, "hostile_not_held", "hostile") == (1, 1, 0)

    def test_hostile_items_are_in_no_verdict_figure(self):
        result = measured(
            package([item("t", **OUTSIDE), item("a")], [response("t"), response("a")], [verdict("a")])
        )
        assert counts(result, "accuracy", "all") == (1, 1, 0)


class TestCitations:
    CATALOGUE = "source,article\nLey 1,1\nLey 1,2\n"

    def cite(self, *articles, verified=True):
        return [{"source": "Ley 1", "article": article, "verified": verified} for article in articles]

    def test_phantoms_by_answer_and_by_citation(self):
        files = package(
            [item(id_) for id_ in "abcd"],
            [
                response("a", citations=self.cite("1", "2")),
                response("b", citations=self.cite("1", "7", "8")),
                response("c", citations=self.cite("9", verified=False)),
                response("d"),
            ],
            [],
            catalogue=self.CATALOGUE,
        )
        result = measured(files)
        assert counts(result, "phantom_response", "cited_responses") == (1, 2, 0)
        figure = at(result, "phantom_citation", "verified_citations")
        assert (figure.k, figure.n, figure.clusters, figure.interval) == (2, 5, 2, "wilson_clustered")
        # p = 2/5; by answer 0 of 2 and 2 of 3: V = (0.8² + 0.8²)/25 · 2 = 0.1024; V_iid = 0.048; n_eff = 5/(2.13…).
        assert figure.n_eff == "2.343750"

    def test_without_a_catalogue_there_is_no_data(self):
        result = measured(package([item("a")], [response("a", citations=self.cite("7"))], []))
        figure = at(result, "phantom_response", "cited_responses")
        assert (figure.n, figure.band, figure.reason) == (0, "no_data", "no_catalogue")

    def test_the_expected_citation_is_found_in_other_words(self):
        expected = {"source": "Ley 1", "article": "Artículo 2"}
        files = package(
            [item(id_, expected_citation=expected) for id_ in "abc"],
            [
                response("a", citations=self.cite("1", "art. 2")),
                response("b", citations=self.cite("2", verified=False)),
                response("c", citations=self.cite("1")),
            ],
            [],
        )
        assert counts(measured(files), "expected_citation", "all") == (2, 3, 0)

    def test_no_expected_citation_anywhere_is_no_data(self):
        figure = at(measured(package([item("a")], [response("a")], [])), "expected_citation", "all")
        assert (figure.n, figure.reason) == (0, "no_expected_citation")


class TestClusters:
    def test_runs_of_an_item_are_one_cluster(self):
        files = package(
            [item("a"), item("b")],
            [response(id_, run=run) for run in (1, 2) for id_ in "ab"],
            [
                verdict(id_, word, run=run)
                for run in (1, 2)
                for id_, word in (("a", "exact"), ("b", "incorrect"))
            ],
        )
        figure = at(measured(files), "accuracy", "judged")
        # p = 1/2, two items that always agree with themselves: deff 4, n_eff 1.
        assert (figure.k, figure.n, figure.clusters, figure.n_eff) == (2, 4, 2, "1.000000")
        assert figure.band == "suppressed"

    def test_translations_share_their_base_in_the_total_only(self):
        items = [
            item(f"{base}-{tag}", item_base=base, language=tag) for base in "xyz" for tag in ("es", "en")
        ]
        files = package(items, [response(one["id"]) for one in items], [verdict(one["id"]) for one in items])
        result = measured(files)
        assert at(result, "accuracy", "judged").clusters == 3
        assert at(result, "accuracy", "judged").n_eff == "3.000000"
        assert at(result, "accuracy", "judged", group="es").clusters is None
        assert at(result, "accuracy", "judged", group="es").interval == "wilson"

    def test_a_base_that_occurs_once_is_no_cluster(self):
        items = [item("a", item_base="x"), item("b", item_base="y")]
        files = package(items, [response("a"), response("b")], [verdict("a"), verdict("b", "incorrect")])
        assert at(measured(files), "accuracy", "judged").interval == "wilson"

    def test_items_that_share_through_others_are_one_cluster(self):
        items = [
            item("a", cluster="p"),
            item("b", cluster="p", item_base="x"),
            item("c", item_base="x"),
            item("d"),
        ]
        files = package(items, [response(id_) for id_ in "abcd"], [verdict(id_) for id_ in "abcd"])
        assert at(measured(files), "accuracy", "judged").clusters == 2


class TestGroups:
    def test_groups_are_canonical_primary_languages_and_none_is_dropped(self):
        tags = ["es-CL", "es-419", "iw", "he-IL", None, "und", "zh-Hans-CN", "spa"]
        items = [item(f"i{number}", language=tag) for number, tag in enumerate(tags)]
        result = measured(package(items, [response(one["id"]) for one in items], []))
        assert result.counts["items_by_group"] == {"es": 3, "he": 2, "zh": 1, "und": 2}
        assert counts(result, "accuracy", "all", group="he") == (0, 2, 2)

    def test_a_tag_that_is_none_is_refused(self):
        _, reader = graded(package([item("a", language="español")], [response("a")], []))
        assert [(one.code, one.key) for one in reader.findings] == [("VALUE_NOT_ALLOWED", "language")]

    def test_more_groups_than_anyone_reads_are_refused_one_by_one(self):
        # Subtags for private use: none of them is another spelling of a language.
        tags = [f"q{one}{other}" for one, other in itertools.product("abcdefghijklmnopqrst", repeat=2)]
        items = [item(f"i{number}", language=tag) for number, tag in enumerate(tags)]
        _, reader = graded(package(items, [response(one["id"]) for one in items], []))
        found = [(one.code, one.key, one.expected) for one in reader.findings]
        assert set(found) == {("VALUE_NOT_ALLOWED", "language", "<= 300 different")}
        assert len(found) == len(tags) - MOST_GROUPS

    def test_a_category_that_the_scheme_does_not_have_is_refused(self):
        _, reader = graded(
            package([item("a"), item("b", category="otra")], [response("a"), response("b")], [])
        )
        assert [(one.code, one.member, one.key) for one in reader.findings] == [
            ("VALUE_NOT_ALLOWED", "data/items.jsonl:2", "category")
        ]

    def test_a_set_whose_every_category_is_another_schemes_is_refused(self):
        items = [item("a", category="otra"), item("b", category="otra")]
        _, reader = graded(package(items, [response("a"), response("b")], []))
        assert [(one.code, one.member, one.key) for one in reader.findings] == [
            ("VALUE_NOT_ALLOWED", "data/items.jsonl:1", "category"),
            ("VALUE_NOT_ALLOWED", "data/items.jsonl:2", "category"),
        ]

    def test_categories_have_rows_of_their_own(self):
        files = package(
            [item("a"), item("b", category="factual_applied")], [response("a"), response("b")], [verdict("b")]
        )
        result = measured(files)
        assert counts(result, "accuracy", "judged", category="factual_applied") == (1, 1, 0)
        assert counts(result, "accuracy", "all", category="factual_direct") == (0, 1, 1)
        assert at(result, "accuracy", "all", category="trap") is None
        assert at(result, "hostile_fabrication", "hostile", category="factual_direct") is None


class TestTheSet:
    """Rules of a question set are warnings in a package, and limitations on its page."""

    def warned(self, items, **files):
        _, reader = graded(package(items, [response(one["id"]) for one in items], [], **files))
        assert list(reader.findings) == []
        return {one.code: (one.member, one.found) for one in reader.warnings}

    def test_a_question_that_names_its_article(self):
        expected = {"source": "Ley 1", "article": "Artículo 12"}
        items = [
            item("a", question="¿Qué dice el artículo 12 sobre plazos?", expected_citation=expected),
            item("b", question="¿Qué pasa a los 12 meses?", expected_citation=expected),
            item("c", question="¿Y el art. 124?", expected_citation=expected),
        ]
        assert self.warned(items)["QUESTION_NAMES_ARTICLE"] == ("data/items.jsonl:1", 1)

    def test_reference_text_and_source(self):
        items = [
            item("a"),
            item("b", reference_text=None),
            item("c", reference_source=None),
            item("d", **TRAP),
        ]
        assert self.warned(items)["REFERENCE_MISSING"] == ("data/items.jsonl:2", 2)

    def test_a_trap_whose_article_exists(self):
        items = [item("t", **TRAP, expected_citation=NO_ARTICLE)]
        catalogue = "source,article\nLey 19.880,999\n"
        assert "TRAP_ARTICLE_EXISTS" in self.warned(items, catalogue=catalogue)
        assert "TRAP_ARTICLE_EXISTS" not in self.warned(items, catalogue="source,article\nLey 1,999\n")

    def test_no_hostile_question(self):
        assert "HOSTILE_CATEGORY_MISSING" in self.warned([item("a")])
        assert "HOSTILE_CATEGORY_MISSING" not in self.warned([item("a"), item("t", **TRAP)])


class TestResult:
    def test_reglab_is_told_only_when_all_were_judged(self):
        whole = measured(judged("exact", "incorrect", "incomplete", "ill_founded")).reglab
        assert [whole[name]["k"] for name in ("accurate", "hallucinated", "incomplete")] == [1, 2, 1]
        assert measured(judged("exact", None)).reglab is None

    def test_declared_figures_stand_beside_ours_in_their_order(self):
        figures = [
            {"metric": "accuracy", "denominator": "judged", "value": "0.667"},
            {"metric": "accuracy", "denominator": "judged", "group": "es", "value": "0.6666"},
            {"metric": "accuracy", "denominator": "all", "value": "0.67"},
            {"metric": "fluency", "denominator": "all", "value": "0.667"},
        ]
        result = measured(judged("exact", "exact", "incorrect", of=descriptor(declared_figures=figures)))
        assert [one.outcome for one in result.declared] == [
            "coincides",
            "differs",
            "not_comparable",
            "not_recomputed",
        ]
        assert not result.declared_coincide
        assert result.as_json()["declared"][0] | {} == {
            "metric": "accuracy",
            "denominator": "judged",
            "group": None,
            "category": None,
            "declared": "0.667",
            "computed": "0.666667",
            "coincides": True,
            "outcome": "coincides",
            "declared_interval": [None, None],
            "computed_interval": [None, None],
            "z": None,
        }

    def test_limitations_say_what_nobody_checked(self):
        judge = {
            "id": "j1",
            "family": "casera",
            "version": "1",
            "temperature": 0.7,
            "related_to_holder": True,
        }
        of = descriptor(
            judges=[judge], question_set={"name": "n", "sha256": "0" * 64, "times_used_before": 3}
        )
        files = judged("exact")
        files["data/evaluation.json"] = json.dumps({**of, "question_set": None}).encode()
        codes = {one.code for one in measured(files).limitations}
        assert {
            "agreement_not_measured",
            "judge_independence_not_checked",
            "judge_temperature_not_zero",
            "judge_related_to_holder",
            "holder_had_access",
            "no_catalogue",
        } <= codes

    def test_the_keys_that_others_rely_on(self):
        whole = measured(judged("exact")).as_json()
        assert whole["groups"].keys() == {"homogeneity", "worst", "gaps", "macro"}
        assert (whole["agreement"], whole["criteria"]) == ({}, None)
        assert whole["files"]["grouping"] == measured(judged("exact")).grouping_sha256
        json.dumps(whole, allow_nan=False)

    def test_impossible_figures_are_a_finding(self, monkeypatch):
        monkeypatch.setattr(
            "grading.methods.hallucination.contradictions", lambda figures: ["accuracy: 3 of 2"]
        )
        grader, reader = graded(judged("exact"))
        assert grader.result is None
        assert [one.code for one in reader.findings] == ["FIGURE_IMPOSSIBLE"]
