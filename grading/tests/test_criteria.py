"""A scheme with criteria decides on the bound of the interval, in three outcomes, and silence never conforms."""

import dataclasses
import json
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from grading import clauses, criteria, schemes, statistics
from grading.clauses import Clause, Criteria, Direction, Requirement, Scope
from grading.criteria import Outcome, Reason
from grading.figures import Rate, figure, rate
from grading.methods.answer_tables import PLACES
from grading.schemes import UnusableScheme
from grading.statistics import ClusterSums
from grading.tests.packages import descriptor, item, measured, package, response, verdict

FILE = json.loads((Path(__file__).parent / "schemes" / "CLAUSE-1.json").read_bytes())
EXAMPLE = schemes.load(json.dumps(FILE).encode())
Z2 = Fraction("1.959963984540054") ** 2

SOUND = criteria.Circumstances(judges=1, judged=100, custodian="Auditora", holder_had_access="no")


def at_most(threshold, *, minimum_n=1, scope=Scope.OVERALL, required_groups=(), **changes):
    whole = {
        "metric": "hallucination",
        "denominator": "judged",
        "scope": scope,
        "direction": Direction.AT_MOST,
        "threshold": Fraction(threshold),
        "minimum_n": minimum_n,
        "required_groups": required_groups,
        **changes,
    }
    return Clause(**whole)


def decided(counts, *demands, circumstances=SOUND, evidence_is_public=True):
    """The decision on hallucinations over judged answers; `counts` are (k, n) or rates by group."""
    scheme = dataclasses.replace(EXAMPLE, criteria=Criteria(requires=tuple(Requirement), clauses=demands))
    rates = {
        ("hallucination", "judged", group, None): of if isinstance(of, Rate) else rate(*of)
        for group, of in counts.items()
    }
    figures = [
        figure(of, *place[:2], suppression=scheme.suppression, group=place[2]) for place, of in rates.items()
    ]
    return criteria.decide(
        scheme, figures, rates, circumstances=circumstances, evidence_is_public=evidence_is_public
    )


def clause_of(decision):
    (clause,) = decision["clauses"]
    return clause


thresholds = st.fractions(min_value=Fraction(1, 1000), max_value=Fraction(999, 1000), max_denominator=1000)
counts_ = st.integers(1, 2000).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))


class TestOneRate:
    @given(counts_, thresholds)
    @example((0, 73), Fraction(1, 20))
    @example((0, 72), Fraction(1, 20))
    @example((40, 40), Fraction(1, 2))
    def test_is_decided_by_the_closed_form(self, counts, threshold):
        k, n = counts
        p, distance = Fraction(k, n), n * (threshold - Fraction(k, n)) ** 2
        limit = Z2 * threshold * (1 - threshold)
        expected = Outcome.INSUFFICIENT_EVIDENCE
        if threshold >= p and distance >= limit:
            expected = Outcome.CONFORMS
        elif p > threshold and distance > limit:
            expected = Outcome.DOES_NOT_CONFORM
        assert criteria.of_rate(rate(k, n), at_most(threshold))[0] == expected

    @given(counts_, thresholds)
    def test_agrees_with_the_bounds_that_are_shown(self, counts, threshold):
        low, high = statistics.wilson(*counts)
        if min(abs(low - threshold), abs(high - threshold)) > 1e-9:
            outcome, _ = criteria.of_rate(rate(*counts), at_most(threshold))
            assert (outcome == Outcome.CONFORMS) == (high <= threshold)
            assert (outcome == Outcome.DOES_NOT_CONFORM) == (low > threshold)

    @given(counts_, thresholds)
    def test_at_least_is_the_mirror_of_at_most(self, counts, threshold):
        k, n = counts
        mirrored = at_most(1 - threshold, direction=Direction.AT_LEAST)
        assert criteria.of_rate(rate(n - k, n), mirrored) == criteria.of_rate(rate(k, n), at_most(threshold))

    @given(counts_, thresholds)
    def test_a_case_less_never_makes_it_worse(self, counts, threshold):
        k, n = counts
        order = [Outcome.DOES_NOT_CONFORM, Outcome.INSUFFICIENT_EVIDENCE, Outcome.CONFORMS]
        worse = order.index(criteria.of_rate(rate(k, n), at_most(threshold))[0])
        assert k == 0 or order.index(criteria.of_rate(rate(k - 1, n), at_most(threshold))[0]) >= worse

    @given(counts_, thresholds, st.integers(1, 300))
    def test_unjudged_answers_decide_nothing_that_they_could_overturn(self, counts, threshold, unjudged):
        k, n = counts
        clause = at_most(threshold)
        outcome, reason = criteria.of_rate(rate(k, n, unjudged), clause)
        ends = [(k, n), (k, n + unjudged), (k + unjudged, n + unjudged)]
        if outcome != Outcome.INSUFFICIENT_EVIDENCE:
            assert {criteria.of_rate(rate(*end), clause)[0] for end in ends} == {outcome}
        else:
            assert reason in (Reason.UNJUDGED, Reason.THRESHOLD_INSIDE_INTERVAL)

    def test_the_zero_of_n_that_conforms(self):
        for threshold, n in ((Fraction(1, 10), 35), (Fraction(1, 20), 73), (Fraction(1, 50), 189)):
            assert criteria.of_rate(rate(0, n), at_most(threshold)) == (Outcome.CONFORMS, None)
            outcome = criteria.of_rate(rate(0, n - 1), at_most(threshold))[0]
            assert outcome == Outcome.INSUFFICIENT_EVIDENCE

    def test_clusters_count_once(self):
        # 300 answers to 60 questions, each always the same: worth 60.
        sums = ClusterSums(k=0, n=300, clusters=60, kk=0, kn=0, nn=60 * 25)
        clause = at_most("0.05", minimum_n=60)
        assert criteria.of_rate(Rate(sums), clause)[0] == Outcome.INSUFFICIENT_EVIDENCE
        assert criteria.of_rate(rate(0, 300), clause)[0] == Outcome.CONFORMS
        few = at_most("0.05", minimum_n=61)
        assert criteria.of_rate(Rate(sums), few)[1] == Reason.FEWER_THAN_MINIMUM


class TestOverall:
    @pytest.mark.parametrize(
        ("counts", "outcome", "reason"),
        [
            ((4, 200), "conforms", None),
            ((4, 50), "insufficient_evidence", "threshold_inside_interval"),
            ((40, 200), "does_not_conform", None),
            ((0, 99), "insufficient_evidence", "fewer_than_minimum"),
            ((0, 20), "insufficient_evidence", "indicative"),
            ((0, 5), "insufficient_evidence", "suppressed"),
            ((0, 0), "insufficient_evidence", "no_data"),
        ],
    )
    def test_three_outcomes_and_why(self, counts, outcome, reason):
        minimum = 100 if counts == (0, 99) else 1
        decision = decided({None: counts}, at_most("0.10", minimum_n=minimum))
        assert decision["outcome"] == clause_of(decision)["outcome"] == outcome
        assert clause_of(decision)["reason"] == reason

    def test_margin_and_the_answers_it_would_take(self):
        overall = clause_of(decided({None: (4, 50)}, at_most("0.10")))["overall"]
        assert (overall["needed"], overall["needed_for"], overall["needed_in"]) == (
            865,
            "conforms",
            "answers",
        )
        assert overall["margin"] == f"{0.10 - statistics.wilson(4, 50)[1]:.6f}"
        assert overall["margin"].startswith("-0.08")
        worse = clause_of(decided({None: (40, 200)}, at_most("0.10")))["overall"]
        assert worse["needed_for"] == "does_not_conform"
        at = clause_of(decided({None: (20, 200)}, at_most("0.10")))["overall"]
        assert (at["needed"], at["needed_for"]) == (None, None)

    def test_the_answers_it_would_take_are_no_fewer_than_the_minimum(self):
        overall = clause_of(decided({None: (0, 40)}, at_most("0.10", minimum_n=500)))["overall"]
        assert overall["needed"] == 500

    def test_a_figure_that_is_not_there_is_missing(self):
        assert clause_of(decided({}, at_most("0.10")))["reason"] == "missing"

    def test_of_what_is_not_shown_no_number_is_told(self):
        assert clause_of(decided({None: (1, 5)}, at_most("0.10")))["overall"] is None


class TestEachGroup:
    each = at_most("0.10", scope=Scope.EACH_GROUP)

    def test_all_conform(self):
        decision = decided({None: (8, 400), "es": (4, 200), "en": (4, 200)}, self.each)
        assert decision["outcome"] == "conforms"
        assert [of["group"] for of in clause_of(decision)["groups"]] == ["es", "en"]

    def test_one_that_fails_fails_the_clause(self):
        decision = decided({None: (64, 400), "es": (4, 200), "en": (60, 200)}, self.each)
        assert decision["outcome"] == "does_not_conform"

    def test_among_many_groups_one_fails_only_at_the_level_of_all(self):
        # Alone it fails: its lower bound at 95 % is above 10 %.
        counts = {"g": (32, 200)}
        assert statistics.wilson(32, 200)[0] > 0.10
        assert decided({None: (32, 200), **counts}, self.each)["outcome"] == "does_not_conform"
        among_twenty = {**counts, **{f"a{letter}": (0, 200) for letter in "abcdefghijklmnopqrs"}}
        decision = decided({None: (32, 4000), **among_twenty}, self.each)
        assert decision["outcome"] == "insufficient_evidence"
        assert clause_of(decision)["reason"] == "threshold_inside_interval"

    @pytest.mark.parametrize(
        ("size", "reason"), [(0, "no_data"), (5, "suppressed"), (20, "indicative"), (None, "missing")]
    )
    def test_a_required_group_is_never_skipped(self, size, reason):
        required = at_most("0.10", scope=Scope.EACH_GROUP, required_groups=("es", "eu"))
        counts = {None: (4, 400), "es": (4, 200)} | ({} if size is None else {"eu": (0, size)})
        decision = decided(counts, required)
        clause = clause_of(decision)
        assert (decision["outcome"], clause["reason"]) == ("insufficient_evidence", reason)
        assert clause["required_groups_wanting"] == [{"group": "eu", "reason": reason}]
        # One that is not required is left out, and said to be.
        assert decided(counts, self.each)["outcome"] == "conforms"

    def test_an_overall_clause_may_require_groups_too(self):
        required = at_most("0.10", required_groups=("eu",))
        assert decided({None: (4, 400), "es": (4, 400)}, required)["outcome"] == "insufficient_evidence"

    def test_a_full_group_below_the_minimum_is_not_enough(self):
        each = at_most("0.10", scope=Scope.EACH_GROUP, minimum_n=150)
        decision = decided({None: (0, 300), "es": (0, 200), "en": (0, 100)}, each)
        assert clause_of(decision)["reason"] == "fewer_than_minimum"

    def test_without_a_full_group_nothing_is_decided(self):
        assert clause_of(decided({None: (0, 20), "es": (0, 20)}, self.each))["reason"] == "no_group"

    def test_a_failing_group_decides_though_a_required_one_is_missing(self):
        required = at_most("0.10", scope=Scope.EACH_GROUP, required_groups=("eu",))
        decision = decided({None: (60, 200), "es": (60, 200)}, required)
        assert decision["outcome"] == "does_not_conform"

    def test_a_group_hidden_for_anothers_sake_is_not_told(self):
        counts = {None: (3, 244), "es": (0, 200), "en": (2, 40), "eu": (1, 4)}
        decision = decided(counts, self.each, evidence_is_public=False)
        assert [of["group"] for of in clause_of(decision)["groups"]] == ["es"]
        other = {**counts, "en": (3, 40), "eu": (0, 4)}
        assert decided(other, self.each, evidence_is_public=False) == decision


class TestRequirements:
    @pytest.mark.parametrize(
        ("changes", "code"),
        [
            ({"hostile_missing": ("trap",)}, "hostile_questions"),
            ({"judges": 0}, "other_judge"),
            ({"judged": 0}, "error_types_apart"),
            ({"unknown_families": ("casera",)}, "known_judge_family"),
            ({"holder_had_access": "unknown"}, "set_custody"),
            ({"holder_had_access": "yes"}, "set_custody"),
            ({"custodian": None}, "set_custody"),
        ],
    )
    def test_each_must_be_met(self, changes, code):
        circumstances = dataclasses.replace(SOUND, **changes)
        decision = decided({None: (0, 100)}, at_most("0.10"), circumstances=circumstances)
        assert decision["outcome"] == "insufficient_evidence"
        assert code in {of["code"] for of in decision["requirements"] if not of["met"]}
        assert clause_of(decision)["outcome"] == "conforms"

    def test_a_clause_that_fails_fails_whatever_is_met(self):
        circumstances = dataclasses.replace(SOUND, custodian=None)
        decision = decided({None: (90, 100)}, at_most("0.10"), circumstances=circumstances)
        assert decision["outcome"] == "does_not_conform"


class TestPackage:
    """From the records of a package to the outcome that a certifier may not overlook."""

    questions = {"name": "n", "sha256": None, "custodian": "Auditora", "holder_had_access": "no"}

    def decision(self, *, wrong=0, silent=0, traps=("trap", "out_of_corpus", "adversarial"), **changes):
        items = [item(f"q{n}") for n in range(150)]
        items += [item(f"h{n}", category=traps[n % len(traps)], abstention_correct=True) for n in range(75)]
        responses = [response(one["id"], abstained=n < silent or n >= 150) for n, one in enumerate(items)]
        verdicts = [
            verdict(f"q{n}", "incorrect" if n < silent + wrong else "exact") for n in range(silent, 150)
        ]
        files = package(items, responses, verdicts, of=descriptor(**changes))
        if "question_set" not in changes:
            of = json.loads(files["data/evaluation.json"])
            of["question_set"] = {**self.questions, "sha256": measured(files).set_sha256}
            files["data/evaluation.json"] = json.dumps(of).encode()
        return measured(files, scheme=EXAMPLE).criteria

    def test_conforms(self):
        decision = self.decision()
        assert decision["outcome"] == "conforms"
        assert {of["code"] for of in decision["requirements"] if of["met"]} == set(Requirement)
        assert {clause["outcome"] for clause in decision["clauses"]} == {"conforms"}
        json.dumps(decision, allow_nan=False)

    def test_does_not_conform(self):
        assert self.decision(wrong=60)["outcome"] == "does_not_conform"

    def test_is_insufficient(self):
        assert self.decision(wrong=12)["outcome"] == "insufficient_evidence"

    def test_silence_does_not_conform(self):
        decision = self.decision(silent=110)
        by_metric = {clause["metric"]: clause["outcome"] for clause in decision["clauses"]}
        assert by_metric["hallucination"] != "does_not_conform"
        assert by_metric["abstention"] == decision["outcome"] == "does_not_conform"

    def test_without_hostile_questions_of_every_kind(self):
        decision = self.decision(traps=("trap",))
        (unmet,) = [of for of in decision["requirements"] if not of["met"]]
        assert unmet == {
            "code": "hostile_questions", "met": False, "missing": ["out_of_corpus", "adversarial"]
        }  # fmt: skip
        assert decision["outcome"] == "insufficient_evidence"

    def test_a_judge_whom_nobody_knows(self):
        judges = [{"id": "j1", "family": "casera", "version": "1.0", "temperature": 0}]
        decision = self.decision(judges=judges)
        assert {of["code"]: of["met"] for of in decision["requirements"]}["known_judge_family"] is False
        assert decision["outcome"] == "insufficient_evidence"

    def test_a_descriptive_scheme_decides_nothing(self):
        assert measured(package([item("a")], [response("a")])).criteria is None


def changed(*, of_clause=None, without=None, **of_file):
    file = json.loads(json.dumps({**FILE, **of_file}))
    if of_clause:
        file["criteria"]["clauses"][0].update(of_clause)
    if without is not None:
        del file["criteria"]["clauses"][without]
    return json.dumps(file).encode()


class TestFile:
    def test_the_example(self):
        assert not EXAMPLE.is_descriptive
        first, cap, each, _ = EXAMPLE.criteria.clauses
        assert (first.threshold, first.scope, first.direction) == (Fraction(1, 10), "overall", "at_most")
        assert cap.is_cap_on_abstention
        assert each.required_groups == ("es",)

    @pytest.mark.parametrize(
        ("file", "where"),
        [
            (changed(without=1), r"at criteria.clauses\[0\] expected a clause beside it with abstention"),
            (
                changed(of_clause={"scope": "each_group"}),
                r"at criteria.clauses\[0\] expected a clause beside",
            ),
            (
                changed(of_clause={"required_groups": ["es"]}),
                r"at criteria.clauses\[0\] expected a clause beside",
            ),
            (changed(of_clause={"threshold": "0.0"}), r"clauses\[0\].threshold expected between 0 and 1"),
            (
                changed(of_clause={"threshold": "10.0"}),
                r"VALUE_NOT_ALLOWED at criteria.clauses\[0\].threshold",
            ),
            (changed(of_clause={"threshold": 0.1}), r"WRONG_TYPE at criteria.clauses\[0\].threshold"),
            (changed(of_clause={"metric": "latency"}), r"at criteria.clauses\[0\].metric"),
            (changed(of_clause={"denominator": "hostile"}), r"at criteria.clauses\[0\].metric"),
            (changed(of_clause={"minimum_n": 0}), r"at criteria.clauses\[0\].minimum_n"),
            (
                changed(of_clause={"required_groups": ["spa"]}),
                r"clauses\[0\].required_groups expected groups of",
            ),
            (changed(of_clause={"maximum": 1}), r"UNKNOWN_KEY at criteria.clauses\[0\].maximum"),
            (changed(criteria={"requires": FILE["criteria"]["requires"], "clauses": []}), "criteria.clauses"),
            (
                changed(criteria={**FILE["criteria"], "requires": FILE["criteria"]["requires"][1:]}),
                "criteria.requires expected hostile_questions",
            ),
            (
                changed(criteria={**FILE["criteria"], "clauses": FILE["criteria"]["clauses"][1:2] * 2}),
                "one clause for a rate",
            ),
            (
                changed(categories=[one for one in FILE["categories"] if not one["hostile"]]),
                "categories expected hostile ones",
            ),
        ],
    )
    def test_what_is_no_sound_contract_says_where(self, file, where):
        with pytest.raises(UnusableScheme, match=where):
            schemes.load(file)

    def test_clauses_know_the_rates_that_are_measured(self):
        assert {place for place in PLACES if place[0] != "confident_fabrication"} == clauses.RATES


def test_every_key_is_documented():
    documented = (Path(__file__).resolve().parents[2] / "docs" / "figures.md").read_text()
    decision = decided(
        {None: (4, 300), "es": (4, 300), "eu": (1, 20)}, at_most("0.10", scope=Scope.EACH_GROUP)
    )
    clause = clause_of(decision)
    keys = {*decision, *clause, *clause["groups"][0], *FILE["criteria"], *FILE["criteria"]["clauses"][2]}
    assert [key for key in sorted(keys) if f"`{key}`" not in documented] == []
    words = {*Outcome, *Reason, *Requirement, *Scope, *Direction}
    assert [word for word in sorted(words) if f"`{word}`" not in documented] == []


class TestTheBoundThatDecided:
    def test_is_the_far_one_until_the_near_one_is_beyond(self):
        def bound(k, n):
            of = clause_of(decided({None: (k, n)}, at_most("0.10")))["overall"]
            return of["outcome"], of["decided_on"]

        low = f"{statistics.wilson(30, 100)[0]:.6f}"
        assert bound(30, 100) == (
            "does_not_conform",
            {"bound": "lower", "value": low, "confidence": "0.950000"},
        )
        assert bound(12, 100)[1]["bound"] == "upper"
        assert bound(1, 100) == (
            "conforms",
            {"bound": "upper", "value": f"{statistics.wilson(1, 100)[1]:.6f}", "confidence": "0.950000"},
        )

    def test_at_least_is_decided_below(self):
        clause = at_most("0.70", direction=Direction.AT_LEAST)
        of = clause_of(decided({None: (90, 100)}, clause))["overall"]
        assert of["decided_on"]["bound"] == "lower"
        assert of["decided_on"]["value"] == of["low"]

    def test_a_group_fails_by_its_wider_interval_and_needs_as_many_as_that(self):
        clause = at_most("0.10", scope=Scope.EACH_GROUP)
        counts = {None: (31, 200), "es": (1, 100), "en": (30, 100)}
        (of,) = [one for one in clause_of(decided(counts, clause))["groups"] if one["group"] == "en"]
        assert of["decided_on"]["confidence"] == "0.975000"
        assert Fraction(of["decided_on"]["value"]) < Fraction(of["low"])
        z = statistics.normal_quantile(0.975)
        assert of["needed"] == statistics.answers_needed(30, 100, Fraction(1, 10), z=z)

    def test_unjudged_answers_push_it_as_far_as_they_could(self):
        of = clause_of(decided({None: rate(2, 100, 12)}, at_most("0.10")))["overall"]
        assert (of["outcome"], of["reason"]) == ("insufficient_evidence", "unjudged")
        assert of["decided_on"]["value"] == f"{statistics.wilson(14, 112)[1]:.6f}"
        assert of["margin"].startswith("-0.09")
