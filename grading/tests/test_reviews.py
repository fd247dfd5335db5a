"""What blind reviews say of the judges: kappa with its interval and matrix, and a limitation where there are none."""

import json
from pathlib import Path

from grading import statistics
from grading.reviews import VERDICTS, Reviewed, agreement, is_measured
from grading.statistics import fleiss_kappa
from grading.tests.packages import DESCRIPTOR, descriptor, item, measured, package, response, verdict

# (judge, person): how many answers.
AGREED = {
    ("exact", "exact"): 20,
    ("exact", "incorrect"): 5,
    ("incorrect", "exact"): 10,
    ("incorrect", "incorrect"): 15,
}


def reviewed_package(pairs, *, judges=("j1",), reviews=None, extra=(), of=None, **options):
    items, responses, verdicts, rows = [], [], [], []
    for (said, person), count in pairs.items():
        for _ in range(count):
            id_ = f"q{len(items)}"
            items.append(item(id_))
            responses.append(response(id_))
            verdicts += [verdict(id_, said, judge=judge) for judge in judges]
            rows.append(f"{id_},ana,{person}")
    for one, given, row in extra:
        items.append(one)
        responses.append(response(one["id"], **given))
        verdicts += [verdict(one["id"], judge=judge) for judge in judges]
        rows += row
    listed = [{**DESCRIPTOR["judges"][0], "id": judge} for judge in judges]
    csv = "item,reviewer,verdict\n" + "\n".join(rows if reviews is None else reviews) + "\n"
    return measured(package(items, responses, verdicts, of=descriptor(judges=listed), reviews=csv), **options)


def codes(result):
    return {one.code for one in result.limitations}


class TestOneReviewer:
    def test_kappa_with_interval_matrix_and_words(self):
        result = reviewed_package(AGREED)
        (row,) = result.agreement["judges"]
        expected = statistics.cohen_kappa([[20, 5], [10, 15]])
        kappa = row["verdicts"]
        assert row["judge"] is None
        assert (kappa["kappa"], kappa["strength"], kappa["n"]) == ("0.400000", "fair", 50)
        assert (kappa["low"], kappa["high"]) == (f"{expected.low:.6f}", f"{expected.high:.6f}")
        assert (kappa["strength_low"], kappa["strength_high"]) == ("slight", "substantial")
        assert kappa["matrix"] == [[20, 0, 0, 5], [0] * 4, [0] * 4, [10, 0, 0, 15]]
        assert (kappa["rows"], kappa["columns"]) == ([25, 0, 0, 25], [30, 0, 0, 20])
        assert kappa["per_category"] == {
            "exact": "0.727273", "incomplete": None, "ill_founded": None, "incorrect": "0.666667"
        }  # fmt: skip
        assert kappa["raw_agreement"]["k"] == 35
        assert not kappa["indicative"]
        assert "agreement_not_measured" not in codes(result)

    def test_hallucinates_is_one_of_two_verdicts(self):
        pairs = {
            ("ill_founded", "incorrect"): 10,
            ("exact", "incomplete"): 5,
            ("exact", "exact"): 20,
            ("incorrect", "exact"): 2,
        }
        (row,) = reviewed_package(pairs).agreement["judges"]
        assert row["hallucinates"]["matrix"] == [[10, 2], [0, 25]]
        assert row["hallucinates"]["categories"] == ["hallucinates", "does_not"]

    def test_where_all_agree_the_disagreement_is_bounded(self):
        (row,) = reviewed_package({("exact", "exact"): 20, ("incorrect", "incorrect"): 9}).agreement["judges"]
        assert row["verdicts"]["kappa"] == "1.000000"
        assert row["verdicts"]["disagreement_bound"] == f"{statistics.zero_bound(29):.6f}"
        assert row["verdicts"]["indicative"]

    def test_one_category_has_no_kappa_but_its_agreement(self):
        (row,) = reviewed_package({("exact", "exact"): 40}).agreement["judges"]
        assert row["verdicts"]["kappa"] is row["verdicts"]["strength"] is None
        assert (row["verdicts"]["raw_agreement"]["k"], row["verdicts"]["raw_agreement"]["n"]) == (40, 40)

    def test_only_judged_answers_count(self):
        extra = [
            (item("a1"), {"abstained": True}, ["a1,ana,exact"]),
            (item("h1", category="trap"), {}, ["h1,ana,exact"]),
            (item("u1"), {}, ["u1,ana,unjudged"]),
        ]
        found = reviewed_package(AGREED, extra=extra).agreement
        assert (found["answers"], found["compared"]) == (53, 50)
        assert found["left_out"] == {"not_judged": 2, "reviewer_undecided": 1, "reviewers_tied": 0}

    def test_reviews_that_compare_nothing_leave_the_limitation(self):
        extra = [(item("a1"), {"abstained": True}, ["a1,ana,exact"])]
        result = reviewed_package({}, extra=extra)
        assert result.agreement["compared"] == 0
        assert "agreement_not_measured" in codes(result)

    def test_no_review_no_agreement_and_a_declared_limitation(self):
        result = measured(package([item("a")], [response("a")], [verdict("a")]))
        assert result.agreement == {}
        assert "agreement_not_measured" in codes(result)
        assert not is_measured(result.agreement)


class TestSeveral:
    def test_reviewers_count_by_their_majority_and_are_compared(self):
        reviews = ["q0,ana,exact", "q0,eva,exact", "q0,luz,incorrect", "q1,ana,exact", "q1,eva,incorrect"]
        found = reviewed_package({("exact", "exact"): 2}, reviews=reviews).agreement
        assert (found["reviewers"], found["compared"], found["left_out"]["reviewers_tied"]) == (3, 1, 1)
        assert found["between_reviewers"]["kind"] == "fleiss"
        assert found["between_reviewers"]["verdicts"]["reason"] == "different_numbers_of_raters"

    def test_two_reviewers_have_a_kappa_on_what_both_decided(self):
        reviews = [f"q{n},ana,{'exact' if n < 30 else 'incorrect'}" for n in range(50)]
        reviews += [f"q{n},eva,{'exact' if n < 25 or n > 44 else 'incorrect'}" for n in range(50)]
        found = reviewed_package(AGREED, reviews=reviews).agreement["between_reviewers"]
        assert found["verdicts"]["kappa"] == f"{float(statistics.cohen_kappa([[25, 5], [5, 15]]).kappa):.6f}"

    def test_each_judge_has_a_row_beside_their_majority(self):
        result = reviewed_package(AGREED, judges=("j1", "j2", "j3"))
        assert [row["judge"] for row in result.agreement["judges"]] == [None, "j1", "j2", "j3"]
        among = result.agreement["between_judges"]
        assert (among["kind"], among["verdicts"]["kappa"], among["verdicts"]["raters"]) == (
            "fleiss",
            "1.000000",
            3,
        )

    def test_judges_are_compared_without_reviews_too(self):
        items = [item(f"q{n}") for n in range(40)]
        listed = [{**DESCRIPTOR["judges"][0], "id": judge} for judge in ("j1", "j2")]
        verdicts = [verdict(f"q{n}", "exact" if n < 20 else "incorrect") for n in range(40)]
        verdicts += [verdict(f"q{n}", "exact" if n < 30 else "incorrect", judge="j2") for n in range(39)]
        files = package(items, [response(one["id"]) for one in items], verdicts, of=descriptor(judges=listed))
        result = measured(files)
        assert result.agreement["between_judges"]["verdicts"]["matrix"][3] == [10, 0, 0, 9]
        assert "agreement_not_measured" in codes(result)

    def test_averaged_judges_have_no_joint_verdict(self):
        rows = [Reviewed(0, "ana", 1, 0, (1, 4)), Reviewed(1, "ana", 4, 4, (4, 0))]
        found = agreement(rows, judges=["j1", "j2"], between_judges={(1, 4): 1}, judges_are_averaged=True)
        assert [row["judge"] for row in found["judges"]] == ["j1", "j2"]
        assert [row["verdicts"]["n"] for row in found["judges"]] == [2, 1]

    def test_rows_that_are_alike_are_counted(self):
        table = [[3, 0], [1, 2], [0, 3]]
        assert fleiss_kappa(table, [4, 2, 0]) == fleiss_kappa([table[0]] * 4 + [table[1]] * 2)


def test_no_name_of_a_reviewer_is_told():
    result = reviewed_package(AGREED)
    assert "ana" not in json.dumps(result.agreement)


def test_every_key_is_documented():
    documented = (Path(__file__).resolve().parents[2] / "docs" / "figures.md").read_text()
    reviews = [f"q{n},{name},exact" for n in range(50) for name in ("ana", "eva", "luz")]
    found = reviewed_package(AGREED, judges=("j1", "j2", "j3"), reviews=reviews).agreement
    row = found["judges"][0]
    keys = {*found, *row, *row["verdicts"], *row["verdicts"]["raw_agreement"], *found["left_out"]}
    keys |= {*found["between_judges"], *found["between_judges"]["verdicts"]}
    assert [key for key in sorted(keys) if f"`{key}`" not in documented] == []
    assert VERDICTS == ("exact", "incomplete", "ill_founded", "incorrect")
