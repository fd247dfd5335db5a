"""Nothing that figures hide is told by groups, criteria or agreement, and no more than the gate allows is said."""

import dataclasses
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grading import publishable, schemes, suppression
from grading.clauses import Scope
from grading.figures import Band
from grading.tests.sentence_cases import agreement, clause, criteria, entries, groups, total
from grading.tests.test_reviews import reviewed_package

HALU = schemes.shipped()["HALU", "1"]
AGREED = {
    ("exact", "exact"): 20,
    ("exact", "incorrect"): 5,
    ("incorrect", "exact"): 10,
    ("incorrect", "incorrect"): 15,
}


class TestGroups:
    def test_unless_the_gate_opened_no_group_is_the_lowest_and_there_is_no_gap(self):
        told = entries({"es": (15, 150), "en": (18, 150)})
        assert not told["homogeneity"]["differ"]
        assert (told["worst"]["worst"], told["worst"]["tied"], told["worst"]["intervals"]) == (None,) * 3
        assert told["worst"]["tied_groups"] == 2
        assert told["gaps"]["groups"] == []
        assert told["macro"]["estimate"] is not None

    def test_where_it_opened_only_gaps_that_holm_lets_stand_have_a_difference(self):
        told = entries({"es": (15, 150), "en": (45, 150), "pt": (20, 150)})
        stands, falls = told["gaps"]["groups"]
        assert (stands["group"], stands["significant"]) == ("en", True)
        assert stands["difference"] == "0.200000"
        assert (falls["difference"], falls["low"], falls["high"], falls["pairs"]) == (None,) * 4
        assert falls["p_holm"]
        assert told["worst"]["worst"] == ["en"]

    def test_an_entry_goes_with_any_group_whose_figure_is_hidden(self):
        figures, stored = groups({"es": (15, 150), "en": (45, 150), "pt": (20, 150)})
        hidden = [
            dataclasses.replace(of, k=None, n=None, band=Band.SUPPRESSED) if of.group == "pt" else of
            for of in figures
        ]
        told = publishable.groups(stored, hidden)
        assert told == {"homogeneity": [], "worst": [], "gaps": [], "macro": []}

    def test_nothing_stored_is_nothing_told(self):
        assert set(publishable.groups({}, ()).values()) == {None}

    @given(
        st.dictionaries(
            st.sampled_from(["es", "en", "pt", "fr", "it"]),
            st.integers(0, 80).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))),
            min_size=1,
        )
    )
    def test_only_groups_that_are_published_whole_are_ever_named_with_a_number(self, counts):
        if not sum(n for _, n in counts.values()):
            return
        figures, stored = groups(counts)
        shown = suppression.published(figures, HALU)
        full = {of.group for of in shown if of.band == Band.FULL}
        told = publishable.groups(stored, shown)
        for key in ("homogeneity", "worst", "macro"):
            for entry in told[key] or ():
                assert set(entry["groups"]) <= full
        for entry in told["gaps"] or ():
            assert {gap["group"] for gap in entry["groups"]} <= full


class TestCriteria:
    def test_a_rate_whose_figure_is_hidden_is_not_told(self):
        counts = {None: (5, 260), "es": (1, 100), "en": (3, 100), "pt": (1, 60)}
        stored = criteria(counts, clause(), clause(scope=Scope.EACH_GROUP))
        assert len(stored["clauses"][1]["groups"]) == 3
        hidden = [
            total(5, 260),
            total(1, 100, "es"),
            dataclasses.replace(total(3, 100, "en"), k=None, n=None, band=Band.SUPPRESSED),
        ]
        told = publishable.criteria(stored, hidden)
        assert told["clauses"][0]["overall"]["k"] == 5
        assert [of["group"] for of in told["clauses"][1]["groups"]] == ["es"]
        nothing = publishable.criteria(stored, hidden[1:])
        assert nothing["clauses"][0]["overall"] is None

    def test_how_many_answers_were_judged_is_left_to_the_figures(self):
        decided = criteria({None: (1, 100)}, clause())
        assert all("judged" not in of for of in decided["requirements"])

    def test_a_descriptive_scheme_has_none(self):
        assert publishable.criteria(None, ()) is None


class TestAgreement:
    def test_of_fewer_answers_than_figures_are_published_of_nothing_is_told(self):
        told = agreement({("exact", "exact"): 5, ("incorrect", "exact"): 4})
        (judge,) = told["judges"]
        assert (told["reviews"], told["answers"], told["compared"], told["left_out"]) == (None,) * 4
        numbers = {
            key: value
            for table in ("verdicts", "hallucinates")
            for key, value in judge[table].items()
            if key not in ("categories", "indicative", "withheld", "reason")
        }
        assert set(numbers.values()) == {None}
        assert judge["verdicts"]["withheld"] == judge["hallucinates"]["withheld"] == "few"

    def test_ten_answers_are_told_as_figures_are(self):
        (judge,) = agreement({("exact", "exact"): 6, ("incorrect", "exact"): 4})["judges"]
        assert (judge["verdicts"]["n"], judge["verdicts"]["withheld"]) == (10, None)

    @pytest.mark.parametrize(
        ("judged", "withheld"),
        # Of 50 compared: all, all but one … all but nine, all but ten.
        [(50, None), (51, "complementary"), (59, "complementary"), (60, None)],
    )
    def test_a_matrix_that_leaves_few_judged_answers_over_is_withheld(self, judged, withheld):
        figures = [total(25, judged), total(1, 4, "eu")]
        (judge,) = agreement(AGREED, figures=figures)["judges"]
        assert judge["verdicts"]["withheld"] == withheld
        shows = withheld is None
        for key in ("matrix", "rows", "columns", "per_category", "standard_error"):
            assert (judge["verdicts"][key] is not None) == shows
        # Six decimals of a kappa of so many answers would give the margins away.
        assert len(judge["verdicts"]["kappa"]) == (8 if shows else 4)
        assert judge["verdicts"]["raw_agreement"]["k"] == 35

    def test_where_nothing_is_hidden_or_the_evidence_is_public_the_matrix_stays(self):
        open_ = agreement(AGREED, figures=[total(25, 54), total(1, 4, "eu")], evidence_is_public=True)
        nothing_hidden = agreement(AGREED, figures=[total(25, 54), total(10, 54, "es")])
        for told in (open_, nothing_hidden):
            assert told["judges"][0]["verdicts"]["matrix"] is not None

    def test_without_the_total_of_a_judge_nobody_knows_what_is_left_over(self):
        told = agreement(AGREED, judges=("j1", "j2"), figures=[total(25, 50), total(1, 4, "eu")])
        assert [of["verdicts"]["withheld"] for of in told["judges"]] == [None, *["complementary"] * 2]

    def test_nothing_stored_is_nothing_told(self):
        assert publishable.agreement({}, ()) == {}

    def test_of_a_whole_package_it_is_json_that_tells_what_was_stored(self):
        result = reviewed_package(AGREED)
        told = publishable.agreement(result.agreement, result.figures)
        assert json.loads(json.dumps(told)) == told
        (judge,) = told["judges"]
        assert judge["verdicts"] == {**result.agreement["judges"][0]["verdicts"], "withheld": None}
