"""What is said of language groups among each other: gate, mean, lowest and gaps, and never a hidden cell."""

import dataclasses
import json
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from grading import between_groups, schemes, statistics
from grading.figures import figure, rate, six_decimals, six_digits
from grading.tests.packages import descriptor, item, measured, package, response, verdict

HALU = schemes.shipped()["HALU", "1"]
AGAINST_SPANISH = dataclasses.replace(HALU, reference_group="es")
SET = "ab" * 32


def among(
    counts, *, scheme=AGAINST_SPANISH, metric="unnecessary_abstention", denominator="in_corpus", **options
):
    """What is said of groups that answered different questions; `counts` are (k, n) by group."""
    rates = {(metric, denominator, group, None): rate(*of) for group, of in counts.items()}
    k, n = (sum(column) for column in zip(*counts.values(), strict=True))
    rates[metric, denominator, None, None] = rate(k, n)
    figures = [
        figure(of, metric, denominator, suppression=scheme.suppression, group=place[2])
        for place, of in rates.items()
    ]
    return between_groups.among(figures, rates, scheme=scheme, set_sha256=SET, **options)


def only(entries):
    (entry,) = entries
    return entry


def parallel(outcomes, *, runs=1, **changes):
    """Questions in several languages: of each base whether each language was right (None: it abstained)."""
    items, responses, verdicts = [], [], []
    for base, languages in enumerate(outcomes):
        for language, right in languages.items():
            id_ = f"{language}-{base}"
            items.append(item(id_, language=language, item_base=f"b{base}"))
            for run in range(1, runs + 1):
                responses.append(response(id_, run=run, abstained=right is None))
                if right is not None:
                    said = right[run - 1] if isinstance(right, tuple) else right
                    verdicts.append(verdict(id_, "exact" if said else "incorrect", run=run))
    result = measured(package(items, responses, verdicts, of=descriptor(**changes)), scheme=AGAINST_SPANISH)
    return result.groups


def of(entries, metric="accuracy", denominator="all"):
    return only([one for one in entries if (one["metric"], one["denominator"]) == (metric, denominator)])


class TestDifferentQuestions:
    counts = {"en": (30, 100), "es": (15, 150), "pt": (10, 50)}

    def test_the_gate_is_chi_square(self):
        gate = only(among(self.counts).homogeneity)
        expected = statistics.homogeneity([30, 15, 10], [100, 150, 50])
        assert (gate["method"], gate["df"], gate["seed"], gate["draws"]) == ("chi_square", 2, None, None)
        assert (gate["statistic"], gate["p"]) == (six_decimals(expected.chi2), six_digits(expected.p_chi2))
        assert (gate["outcome"], gate["differ"], gate["design"]) == ("differ", True, "independent")

    def test_the_mean_gives_every_group_the_same_weight(self):
        macro = only(among({"es": (15, 150), "pt": (10, 50)}).macro)
        assert (macro["estimate"], macro["interval"], macro["clusters"]) == ("0.150000", "mover", None)
        assert (float(macro["low"]), float(macro["high"])) == pytest.approx((0.1022, 0.2214), abs=5e-5)

    def test_gaps_are_the_group_less_the_reference(self):
        gaps = only(among(self.counts).gaps)
        english, portuguese = gaps["groups"]
        assert (gaps["reference"], english["group"], portuguese["group"]) == ("es", "en", "pt")
        difference, low, high = statistics.newcombe_independent(30, 100, 15, 150)
        assert [english[key] for key in ("difference", "low", "high")] == [
            six_decimals(value) for value in (difference, low, high)
        ]
        ps = [statistics.fisher_exact(30, 100, 15, 150), statistics.fisher_exact(10, 50, 15, 150)]
        assert [gap["p"] for gap in gaps["groups"]] == [six_digits(p) for p in ps]
        assert [gap["p_holm"] for gap in gaps["groups"]] == [six_digits(p) for p in statistics.holm(ps)]
        assert (english["significant"], english["test"], english["pairs"]) == (True, "fisher", None)

    def test_the_lowest_comes_with_all_that_may_be_it(self):
        worst = only(among({"en": (20, 100), "es": (18, 100), "pt": (2, 100)}).worst)
        assert (worst["worst"], worst["tied"], worst["confidence"]) == (["en"], ["en", "es"], "0.983333")
        assert worst["observed_range"] == "0.180000"
        assert [one["group"] for one in worst["intervals"]] == ["en", "es", "pt"]

    def test_where_more_is_better_the_least_is_the_lowest(self):
        worst = only(
            among({"en": (90, 100), "es": (50, 100)}, metric="necessary_abstention", denominator="x").worst
        )
        assert (worst["more_is_worse"], worst["worst"]) == (False, ["es"])

    def test_few_cases_are_drawn_with_a_published_seed(self):
        counts = {"en": (1, 100), "es": (2, 110), "pt": (3, 120)}
        gate = only(among(counts).homogeneity)
        drawn = statistics.monte_carlo([1, 2, 3], [100, 110, 120], seed=gate["seed"])
        assert gate["method"] == "monte_carlo"
        assert gate["seed"] == between_groups.seed_of(SET) < 2**48
        assert (gate["p"], gate["draws"]) == (six_digits(drawn.p), drawn.draws)
        assert among(counts) == among(counts)

    @pytest.mark.parametrize("counts", [{"en": (0, 100), "es": (0, 90)}, {"en": (100, 100), "es": (90, 90)}])
    def test_without_variation_there_is_nothing_to_test(self, counts):
        said = among(counts)
        gate = only(said.homogeneity)
        assert (gate["outcome"], gate["differ"], gate["p"]) == ("no_variation", None, None)
        assert only(said.gaps)["outcome"] == "no_variation"
        assert only(said.worst)["worst"] == only(said.worst)["tied"] == ["en", "es"]

    def test_with_fewer_than_two_full_groups_nothing_is_assessed(self):
        said = among({"es": (15, 150), "pt": (4, 20)}, evidence_is_public=True)
        gate = only(said.homogeneity)
        assert (gate["outcome"], gate["groups"]) == ("not_assessed", ["es"])
        assert gate["left_out"] == [{"group": "pt", "band": "indicative"}]
        assert (only(said.macro)["outcome"], only(said.macro)["estimate"]) == ("not_assessed", None)
        assert only(said.worst)["worst"] is None
        assert only(said.gaps)["groups"] == []

    def test_a_reference_group_that_is_not_full_is_named_with_its_band(self):
        gaps = only(among({"en": (15, 150), "pt": (14, 120), "es": (4, 20)}).gaps)
        assert (gaps["outcome"], gaps["reference_band"], gaps["groups"]) == ("not_assessed", "indicative", [])
        assert only(among({"en": (15, 150), "pt": (14, 120)}).gaps)["reference_band"] is None

    def test_without_a_reference_group_there_are_no_gaps(self):
        assert among(self.counts, scheme=HALU).gaps is None

    def test_what_could_never_be_significant_is_told(self):
        small = dataclasses.replace(AGAINST_SPANISH, suppression=schemes.Suppression(1, 2, Fraction(1)))
        gap = only(only(among({"en": (0, 3), "es": (3, 3)}, scheme=small).gaps)["groups"])
        assert (gap["cannot_be_significant"], gap["significant"]) == (True, False)
        assert not only(only(among({"en": (9, 90), "es": (9, 90)}).gaps)["groups"])["cannot_be_significant"]


class TestTheSameQuestions:
    # 40 questions: Spanish right in 36, English in 26, Portuguese in 34.
    outcomes = [
        {"es": base < 36, "en": base < 24 or base in (37, 38), "pt": 4 <= base < 38} for base in range(40)
    ]

    def test_the_gate_and_the_mean_are_by_question(self):
        said = parallel(self.outcomes)
        gate = of(said.homogeneity)
        q = statistics.cochran_q([tuple(map(int, (o["en"], o["es"], o["pt"]))) for o in self.outcomes])
        assert (gate["design"], gate["method"], gate["blocks"]) == ("paired", "cochran_q", 40)
        assert (gate["statistic"], gate["p"]) == (six_decimals(q.statistic), six_digits(q.p))
        macro = of(said.macro)
        mean = statistics.macro_of_blocks([sum(o.values()) for o in self.outcomes], 3)
        assert [macro[key] for key in ("estimate", "low", "high")] == [six_decimals(value) for value in mean]
        assert (macro["interval"], macro["clusters"]) == ("wilson_clustered", 40)

    def test_gaps_are_by_pairs(self):
        english, _ = of(parallel(self.outcomes).gaps)["groups"]
        a = sum(o["en"] and o["es"] for o in self.outcomes)
        b = sum(o["en"] and not o["es"] for o in self.outcomes)
        c = sum(o["es"] and not o["en"] for o in self.outcomes)
        assert english["pairs"] == {
            "both": a, "only_group": b, "only_reference": c, "neither": 40 - a - b - c
        }  # fmt: skip
        assert (english["design"], english["test"]) == ("paired", "mcnemar")
        assert english["p"] == six_digits(statistics.mcnemar_exact(b, c))
        difference = statistics.newcombe_paired(a, b, c, 40 - a - b - c)
        assert [english[key] for key in ("difference", "low", "high")] == [
            six_decimals(value) for value in difference
        ]

    def test_questions_that_a_group_left_open_are_permuted(self):
        outcomes = [dict(o) for o in self.outcomes]
        outcomes[3]["en"] = outcomes[30]["pt"] = None
        said = parallel(outcomes)
        gate, macro = of(said.homogeneity, denominator="judged"), of(said.macro, denominator="judged")
        assert (gate["method"], gate["seed"] is not None) == ("permutation", True)
        assert (macro["interval"], macro["clusters"]) == ("wilson_clustered", 40)
        assert of(said.homogeneity)["method"] == "cochran_q"

    def test_several_runs_are_no_further_questions(self):
        outcomes = [{key: (right, right) for key, right in o.items()} for o in self.outcomes]
        once, twice = parallel(self.outcomes), parallel(outcomes, runs=2)
        assert of(twice.homogeneity)["method"] == "permutation"
        assert of(twice.homogeneity)["blocks"] == 40
        for key in ("estimate", "low", "high"):
            ours, theirs = float(of(once.macro)[key]), float(of(twice.macro)[key])
            assert ours == pytest.approx(theirs, abs=0.01)
        gap = of(twice.gaps)["groups"][0]
        assert (gap["design"], gap["pairs"]) == ("independent", None)
        # As certain as 39 independent questions, C/(C−1) taken off, in whole numbers.
        assert gap["p"] == six_digits(statistics.fisher_exact(25, 39, 35, 39))

    def test_runs_of_one_question_are_taken_together(self):
        items, responses, verdicts = [], [], []
        for language, right in (("es", 36), ("en", 26)):
            for number in range(40):
                id_ = f"{language}{number}"
                items.append(item(id_, language=language))
                for run in (1, 2, 3):
                    responses.append(response(id_, run=run))
                    verdicts.append(verdict(id_, "exact" if number < right else "incorrect", run=run))
        said = measured(package(items, responses, verdicts), scheme=AGAINST_SPANISH).groups
        expected = statistics.homogeneity([26, 36], [40, 40])
        gate = of(said.homogeneity)
        assert (gate["design"], gate["method"]) == ("independent", "chi_square")
        # C/(C−1) makes them worth a little less than 40.
        assert 0 < expected.chi2 - float(gate["statistic"]) < 0.3


def test_a_certificate_without_groups_says_nothing():
    assert between_groups.among([], {}, scheme=HALU, set_sha256=SET).as_json() == {
        "homogeneity": None, "worst": None, "gaps": None, "macro": None
    }  # fmt: skip


# -- nothing gives a hidden cell away ------------------------------------------------------------


@settings(max_examples=100)
@given(
    st.dictionaries(
        st.sampled_from(["es", "en", "pt", "eu", "gl", "und"]),
        st.sampled_from([0, 1, 4, 9, 12, 35, 60, 200]),
        min_size=1,
    ),
    st.data(),
)
def test_what_is_said_is_the_same_whatever_hidden_groups_answered(sizes, data):
    counts = {group: (data.draw(st.integers(0, n)), n) for group, n in sizes.items()}
    said = among(counts)
    taking_part = {group for one in said.homogeneity for group in one["groups"]}
    hidden = {
        one["group"] for one in said.homogeneity[0]["left_out"] if one["band"] in ("suppressed", "indicative")
    }
    assert not taking_part & hidden
    for group in hidden:
        counts[group] = (data.draw(st.integers(0, sizes[group])), sizes[group])
    again = among(counts)
    if {one["group"]: one["band"] for one in again.homogeneity[0]["left_out"]} == {
        one["group"]: one["band"] for one in said.homogeneity[0]["left_out"]
    }:
        assert again == said


def test_a_group_hidden_for_anothers_sake_takes_no_part():
    counts = {"es": (10, 100), "pt": (9, 90), "en": (4, 40), "eu": (1, 4)}
    gate = only(among(counts).homogeneity)
    assert gate["groups"] == ["es", "pt"]
    assert {one["group"]: one["band"] for one in gate["left_out"]} == {"en": "suppressed", "eu": "suppressed"}
    # Where anybody can count, nothing is hidden for another's sake.
    assert only(among(counts, evidence_is_public=True).homogeneity)["groups"] == ["es", "pt", "en"]


def test_sealed_questions_keep_small_groups_apart_in_a_package():
    sizes = {"es": 60, "pt": 50, "en": 40, "eu": 4}
    items = [
        item(f"{language}{n}", language=language) for language, size in sizes.items() for n in range(size)
    ]
    responses = [response(one["id"]) for one in items]
    verdicts = [verdict(one["id"], "exact" if n % 7 else "incorrect") for n, one in enumerate(items)]
    told = {}
    for access in ("members", "digest_only"):
        result = measured(package(items, responses, verdicts, of=descriptor(access=access)))
        told[access] = of(result.groups.homogeneity)["groups"]
    assert told == {"members": ["en", "es", "pt"], "digest_only": ["es", "pt"]}


def test_every_key_is_documented():
    documented = (Path(__file__).resolve().parents[2] / "docs" / "figures.md").read_text()
    said = parallel(TestTheSameQuestions.outcomes)
    entries = [*said.homogeneity, *said.worst, *said.gaps, *said.macro, *of(said.gaps)["groups"]]
    keys = {key for entry in entries for key in entry} | set(of(said.gaps)["groups"][0]["pairs"])
    assert [key for key in sorted(keys) if f"`{key}`" not in documented] == []
    json.dumps(said.as_json(), allow_nan=False)
