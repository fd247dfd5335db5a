"""Two measurements on the same questions: refused with each differing field, else what differs, never without proof."""

import dataclasses
import io
import json
import random
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evidence import packing
from grading import computing, schemes, statistics
from grading.comparison import (
    ABSTAINED,
    EXACT,
    HALLUCINATES,
    NEED_NOT_ABSTAIN,
    ORDINARY,
    SHOULD_ABSTAIN,
    Answers,
    NotComparable,
    compare,
)
from grading.figures import six_decimals, six_digits
from grading.tests.packages import DESCRIPTOR, descriptor, graded, item, package, response, verdict

ROOT = Path(__file__).resolve().parents[2]
HALU = schemes.shipped()["HALU", "1"]


def answers(bits, *, groups=None, names=None, **changes):
    """A measurement of items by name; `groups` in parallel."""
    groups = groups or ["es"] * len(bits)
    keys = tuple(dict.fromkeys(groups))
    whole = {
        "system": "Uno 1.0",
        "method": "hallucination",
        "scheme": "HALU 1",
        "scheme_sha256": "aa" * 32,
        "set_sha256": "bb" * 32,
        "judges": (("claude", "claude-2026-05", "model"),),
        "digests": [f"{name:>32}".encode() for name in names or range(len(bits))],
        "groups": keys,
        "group_of": [keys.index(group) for group in groups],
        "bits": bits,
        "files": {"grouping": "cc" * 32},
        **changes,
    }
    return Answers(**whole)


def exact(rights):
    return [ORDINARY | NEED_NOT_ABSTAIN | (EXACT if right else HALLUCINATES) for right in rights]


def of(comparison, metric="accuracy"):
    (found,) = [one for one in comparison["outcomes"] if one["metric"] == metric]
    return found


def pairs(a, b, c, d):
    return exact([1] * (a + b) + [0] * (c + d)), exact([1] * a + [0] * b + [1] * c + [0] * d)


def compared(a, b, c, d, **changes):
    first, second = pairs(a, b, c, d)
    return compare(answers(first, **changes), answers(second, **changes), scheme=HALU)


class TestPairs:
    def test_every_number_of_a_row(self):
        row = of(compared(36, 12, 2, 50))["overall"]
        assert (row["both"], row["only_first"], row["only_second"], row["neither"]) == (36, 12, 2, 50)
        difference, low, high = statistics.newcombe_paired(36, 12, 2, 50)
        assert (row["difference"], row["low"], row["high"]) == tuple(
            map(six_decimals, (difference, low, high))
        )
        assert (row["p"], row["mid_p"]) == (
            six_digits(statistics.mcnemar_exact(12, 2)), six_digits(statistics.mcnemar_mid_p(12, 2))
        )  # fmt: skip
        assert (row["first"], row["second"]) == ("0.480000", "0.380000")
        assert (row["significant"], row["better"], row["band"]) == (True, "first", "full")
        assert row["detectable"] == six_decimals(statistics.detectable_paired(12, 2, 100))

    def test_more_hallucinations_are_not_better(self):
        # Who is wrong hallucinates here, so the second has the more of them.
        row = of(compared(36, 12, 2, 50), "hallucination")["overall"]
        assert (row["only_first"], row["only_second"], row["better"]) == (2, 12, "first")

    def test_never_better_without_significance(self):
        # A published pair: 393 against 353, told as an improvement.
        row = of(compared(500, 393, 353, 400))["overall"]
        assert (round(float(row["p"]), 3), row["significant"], row["better"]) == (0.153, False, None)
        assert float(row["detectable"]) > float(row["difference"])

    def test_no_discordant_pairs(self):
        row = of(compared(60, 0, 0, 40))["overall"]
        assert (row["no_discordant_pairs"], row["p"], row["significant"]) == (True, "1", False)
        assert row["cannot_be_significant"]
        assert float(row["detectable"]) > 0

    @pytest.mark.parametrize(("b", "cannot"), [(5, True), (6, False)])
    def test_what_could_never_be_significant(self, b, cannot):
        assert of(compared(60, b, 0, 40))["overall"]["cannot_be_significant"] is cannot

    def test_abstention_that_is_due_is_compared_whatever_the_category(self):
        first = [SHOULD_ABSTAIN | ABSTAINED] * 64 + [SHOULD_ABSTAIN] * 8 + [SHOULD_ABSTAIN] * 28
        second = [SHOULD_ABSTAIN] * 64 + [SHOULD_ABSTAIN | ABSTAINED] * 8 + [SHOULD_ABSTAIN] * 28
        comparison = compare(answers(first), answers(second), scheme=HALU)
        row = of(comparison, "necessary_abstention")["overall"]
        assert (row["only_first"], row["only_second"], f"{float(row['p']):.1e}", row["better"]) == (
            64, 8, "5.8e-12", "first"
        )  # fmt: skip
        assert of(comparison)["overall"] is None

    @settings(max_examples=40)
    @given(st.lists(st.integers(0, 40), min_size=4, max_size=4).filter(lambda cells: sum(cells) > 0))
    def test_the_other_way_round_is_the_mirror(self, cells):
        first, second = pairs(*cells)
        one = of(compare(answers(first), answers(second), scheme=HALU))["overall"]
        other = of(compare(answers(second), answers(first), scheme=HALU))["overall"]
        if one is None:
            assert other is None
            return
        assert (one["p"], one["band"], one["n"]) == (other["p"], other["band"], other["n"])
        assert float(one["low"]) == pytest.approx(-float(other["high"]), abs=2e-6)


class TestWorse:
    def test_significantly_fewer_exact_answers(self):
        comparison = compared(60, 12, 1, 27)
        assert comparison["second_is_worse"]
        assert comparison["worse_in"] == ["accuracy", "hallucination"]

    def test_with_holm_over_the_two(self):
        # 7 to 1 has p = 0.0703; 6 to 0 has 0.03125, too much for the first of two.
        assert not compared(60, 6, 0, 34)["second_is_worse"]
        assert compared(60, 7, 0, 33)["second_is_worse"]

    def test_better_is_not_worse(self):
        assert not compared(60, 1, 20, 19)["second_is_worse"]

    def test_a_size_that_could_not_tell(self):
        assert not compared(30, 6, 0, 4)["could_have_been_told"]
        assert compared(30, 7, 0, 3)["could_have_been_told"]


class TestGroups:
    def test_each_group_with_holm(self):
        groups = ["es"] * 100 + ["en"] * 100 + ["pt"] * 100
        cells = [(50, 13, 2, 35), (60, 8, 2, 30), (60, 5, 5, 30)]
        first = [bit for of_group in cells for bit in pairs(*of_group)[0]]
        second = [bit for of_group in cells for bit in pairs(*of_group)[1]]
        found = of(compare(answers(first, groups=groups), answers(second, groups=groups), scheme=HALU))
        rows = {row["group"]: row for row in found["groups"]}
        assert list(rows) == ["en", "es", "pt"]
        ps = [statistics.mcnemar_exact(8, 2), statistics.mcnemar_exact(13, 2), 1.0]
        assert [row["p_holm"] for row in rows.values()] == list(map(six_digits, statistics.holm(ps)))
        assert [row["significant"] for row in rows.values()] == [False, True, False]
        assert found["overall"]["n"] == 300

    def test_small_groups_are_hidden_and_take_the_next_with_them(self):
        groups = ["es"] * 100 + ["en"] * 40 + ["eu"] * 4
        bits = exact([number % 3 == 0 for number in range(144)])
        sealed = {"groups": groups, "evidence_is_public": False}
        found = of(compare(answers(bits, **sealed), answers(bits, **sealed), scheme=HALU))
        assert [row["group"] for row in found["groups"]] == ["es"]
        assert found["groups_left_out"] == [
            {"group": "en", "band": "suppressed"}, {"group": "eu", "band": "suppressed"}
        ]  # fmt: skip
        public = of(compare(answers(bits, groups=groups), answers(bits, groups=groups), scheme=HALU))
        assert [row["group"] for row in public["groups"]] == ["en", "es"]

    def test_the_few_that_an_intersection_leaves_out_are_not_given_away(self):
        first = answers(exact([1] * 100), names=range(100), evidence_is_public=False)
        for shared, told in ((97, False), (90, True)):
            second = answers(
                exact([1] * shared), names=range(shared), set_sha256="dd" * 32, evidence_is_public=False
            )
            found = of(compare(first, second, scheme=HALU))
            assert (found["overall"] is not None, bool(found["groups"])) == (told, told)

    @staticmethod
    def _left_out(*groups):
        """Two sealed measurements: of each group (name, items of the first, how many of them the second lacks)."""
        keys, names = [], []
        for group, size, lacking in groups:
            keys += [group] * size
            names += [(f"{group}{number}", number >= lacking) for number in range(size)]
        first = answers(
            exact([1] * len(keys)), groups=keys, names=[name for name, _ in names], evidence_is_public=False
        )
        kept = [(group, name) for group, (name, stays) in zip(keys, names, strict=True) if stays]
        second = answers(
            exact([1] * len(kept)),
            groups=[group for group, _ in kept],
            names=[name for _, name in kept],
            set_sha256="dd" * 32,
            evidence_is_public=False,
        )
        return of(compare(first, second, scheme=HALU))

    def test_a_group_that_leaves_few_out_does_not_follow_from_the_total(self):
        # The total leaves out 35 and is shown; without the next group, less the others it would be «es» alone.
        found = self._left_out(("es", 100, 5), ("en", 100, 30), ("pt", 60, 0), ("fr", 80, 0))
        assert found["overall"]["n"] == 305
        # «pt», the smallest, leaves nothing out and so hides nothing; «en» has to join as well.
        assert [row["group"] for row in found["groups"]] == ["fr"]

    def test_a_total_that_leaves_few_out_of_the_groups_it_is_over_is_hidden(self):
        # «fr» is not in the second set at all: of the groups compared, the total leaves out five answers.
        found = self._left_out(("es", 100, 5), ("en", 60, 0), ("fr", 40, 40))
        assert (found["overall"], found["groups"]) == (None, [])

    @settings(max_examples=60)
    @given(
        st.lists(
            st.tuples(st.integers(10, 40), st.integers(0, 40)).filter(
                lambda of_group: of_group[0] >= of_group[1]
            ),
            min_size=1,
            max_size=5,
        )
    )
    def test_nothing_hidden_follows_from_what_is_shown(self, sizes):
        groups = [(f"g{place}", size, lacking) for place, (size, lacking) in enumerate(sizes)]
        if not any(size > lacking for _, size, lacking in groups):
            return
        found = self._left_out(*groups)
        compared = {name: (size, lacking) for name, size, lacking in groups if size > lacking}
        shown = {row["group"] for row in found["groups"]}
        for name in shown:
            assert not 0 < compared[name][1] < 10
        if found["overall"] is not None:
            inside = [of_group for name, of_group in compared.items() if name not in shown]
            assert not 0 < sum(lacking for _, lacking in inside) < 10
            assert len(inside) != 1 or len(compared) == 1

    def test_what_a_measurement_hides_is_hidden_in_its_comparisons(self):
        # Forty questions in Basque, of which four answers were judged: its own page suppresses the verdicts.
        def measured(version):
            items = [
                item(f"{language}{n}", language=language)
                for language in ("es", "eu", "en")
                for n in range(40)
            ]
            responses = [
                response(one["id"], abstained=one["language"] == "eu" and int(one["id"][2:]) >= 4)
                for one in items
            ]
            judged = [one["id"] for one, said in zip(items, responses, strict=True) if not said["abstained"]]
            of_version = {**DESCRIPTOR["system"], "version": version}
            sealed = descriptor(system=of_version, sealed=["data/items.jsonl"])
            return graded(package(items, responses, [verdict(name) for name in judged], of=sealed))[
                0
            ].answers()

        older, newer = measured("1.0"), measured("1.1")
        assert ("accuracy", "eu") in older.hidden
        found = of(compare(older, newer, scheme=HALU))
        assert "eu" not in {row["group"] for row in found["groups"]}
        assert len(found["groups_left_out"]) == 2  # and one more, or the total would tell


class TestSets:
    def test_the_intersection_is_told_to_be_one(self):
        first = answers(exact([1] * 60), names=range(60))
        second = answers(exact([1] * 60), names=range(20, 80), set_sha256="dd" * 32)
        comparison = compare(first, second, scheme=HALU)
        assert comparison["same_set"] is False
        assert comparison["items"] == {"first": 60, "second": 60, "compared": 40}
        assert of(comparison)["overall"]["n"] == 40

    def test_items_are_joined_by_hash_in_any_order(self):
        names = list(range(80))
        random.Random(1).shuffle(names)
        first = answers(exact([number < 50 for number in range(80)]), names=range(80))
        second = answers(exact([number < 40 for number in names]), names=names)
        row = of(compare(first, second, scheme=HALU))["overall"]
        assert (row["both"], row["only_first"], row["only_second"], row["neither"]) == (40, 10, 0, 30)

    def test_equal_items_are_joined_by_id(self):
        first = answers(exact([1, 0] * 20), names=["x"] * 40, ids=[f"{n:02}" for n in range(40)])
        second = answers(exact([0, 1] * 20), names=["x"] * 40, ids=[f"{n ^ 1:02}" for n in range(40)])
        assert of(compare(first, second, scheme=HALU))["overall"]["no_discordant_pairs"]

    def test_sets_without_a_common_item_are_not_compared(self):
        first = answers(exact([1]), names=["a"])
        second = answers(exact([1]), names=["b"], set_sha256="dd" * 32)
        with pytest.raises(NotComparable) as refusal:
            compare(first, second, scheme=HALU)
        assert refusal.value.differences == [{"field": "set_sha256", "first": "bb" * 32, "second": "dd" * 32}]

    def test_each_differing_field_is_named(self):
        first = answers(exact([1]))
        second = dataclasses.replace(
            first,
            scheme="HALU 2",
            scheme_sha256="ee" * 32,
            judges=(("gemini", "gemini-3", "model"),),
            files={"grouping": "ff" * 32, "scheme": "ee" * 32},
        )
        with pytest.raises(NotComparable) as refusal:
            compare(first, second, scheme=HALU)
        assert [difference["field"] for difference in refusal.value.differences] == [
            "scheme", "scheme_sha256", "judges", "files.grouping"
        ]  # fmt: skip

    def test_what_a_package_calls_its_judges_does_not_matter(self):
        judges = (("claude", "1", "model"), ("gemini", "2", "model"))
        first, second = answers(exact([1] * 50), judges=judges), answers(exact([1] * 50), judges=judges[::-1])
        assert compare(first, second, scheme=HALU)["same_set"]


class TestClusters:
    def test_questions_that_stand_together_count_as_many_as_they_are_worth(self):
        # 30 questions in four translations each, all four alike.
        first, second = pairs(40, 40, 0, 40)
        clusters = [number // 4 for number in range(120)]
        row = of(compare(answers(first, clusters=clusters), answers(second), scheme=HALU))["overall"]
        assert (row["clusters"], row["n"], row["only_first"]) == (30, 120, 40)
        assert float(row["design_effect"]) == pytest.approx(4 * 30 / 29, abs=1e-6)
        assert row["p"] == six_digits(statistics.mcnemar_exact(round(40 / (4 * 30 / 29)), 0))
        alone = of(compare(answers(first), answers(second), scheme=HALU))["overall"]
        assert float(row["low"]) < float(alone["low"])
        assert alone["clusters"] is alone["design_effect"] is None

    def test_one_question_a_cluster_is_no_cluster(self):
        first, second = pairs(40, 10, 5, 45)
        row = of(compare(answers(first, clusters=range(100)), answers(second), scheme=HALU))["overall"]
        assert row["clusters"] is None


def measured_answers(rights, *, of=None, **options):
    items = [item(f"q{n}", **options) for n in range(len(rights))]
    items.append(item("h", category="trap", abstention_correct=True))
    responses = [response(one["id"]) for one in items]
    verdicts = [verdict(f"q{n}", "exact" if right else "ill_founded") for n, right in enumerate(rights)]
    return package(items, responses, verdicts, of=of or DESCRIPTOR)


class TestPackages:
    def test_two_versions_of_a_system(self):
        older = graded(measured_answers([1] * 20 + [0] * 20))[0].answers()
        newer = graded(
            measured_answers(
                [1] * 36 + [0] * 4, of=descriptor(system={**DESCRIPTOR["system"], "version": "2026.08.1"})
            )
        )[0].answers()
        comparison = compare(older, newer, scheme=HALU)
        assert (comparison["first"], comparison["second"]) == (
            "Asistente Normativo 2026.07.1", "Asistente Normativo 2026.08.1"
        )  # fmt: skip
        row = of(comparison)["overall"]
        assert (row["n"], row["both"], row["only_second"], row["better"]) == (40, 20, 16, "second")
        assert of(comparison, "hallucination")["overall"]["only_first"] == 16
        assert of(comparison, "unnecessary_abstention")["overall"]["n"] == 40
        assert comparison["same_set"]
        json.dumps(comparison, allow_nan=False)

    def test_runs_are_told_and_the_first_is_compared(self):
        items = [item(f"q{n}") for n in range(40)]
        responses = [response(one["id"], run=run) for one in items for run in (2, 1)]
        verdicts = [
            verdict(one["id"], "exact" if run == 1 else "incorrect", run=run)
            for one in items
            for run in (1, 2)
        ]
        found = graded(package(items, responses, verdicts))[0].answers()
        comparison = compare(found, found, scheme=HALU)
        assert comparison["runs"] == {"first": 2, "second": 2, "compared": 1}
        assert of(comparison)["overall"]["both"] == 40

    def test_from_the_bytes_of_a_package(self):
        into = io.BytesIO()
        files = measured_answers([1] * 30 + [0] * 10)
        packing.pack({name.removeprefix("data/"): text for name, text in files.items()}, into=into)
        report, found = computing.answers(into)
        assert report.integrity == "verified"
        assert of(compare(found, found, scheme=HALU))["overall"]["both"] == 30

    def test_a_refused_package_has_no_answers(self):
        report, found = computing.answers(io.BytesIO(b"no zip"))
        assert (report.integrity, found) == ("failed", None)


def test_nothing_compiled_is_needed():
    code = (
        "import sys; from grading import calibration, comparison; "
        "print(sorted({name.split('.')[0] for name in sys.modules} & {'msgspec', 'isal', 'django', 'rfc8785'}))"
    )
    run = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True)
    assert (run.stdout.strip(), run.stderr) == ("[]", "")


def test_every_key_is_documented():
    documented = (ROOT / "docs" / "figures.md").read_text()
    comparison = compared(36, 12, 2, 50)
    keys = {*comparison, *of(comparison), *of(comparison)["overall"]}
    assert [key for key in sorted(keys) if f"`{key}`" not in documented] == []
