"""Several runs together: who counts, what they add up to, and what three of them cannot show."""

from datetime import UTC, datetime, timedelta
from fractions import Fraction
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grading import run_aggregates, sentences
from grading.run_aggregates import Conditions, MarkedRun, OtherConditions, Reason, TooFewRuns

BEGIN = datetime(2026, 11, 30, 12, tzinfo=UTC)
POINTS = ("terms", "excluded", "representation", "address", "nothing_invented")
CONDITIONS = Conditions("Explorador 3.2.0", "a" * 64, "b" * 64, ("browser", "http"), "es")
MARK = {"+": "met", "-": "not_met", "?": "not_observable"}


def run(place, marks="+++++", *, system="Explorador 3.2.0", **changes):
    """The run at a place in the order of time; «+», «-» and «?» are its marks."""
    whole = {
        "number": f"EJ-2026-{place:06d}",
        "conditions": Conditions(system, "a" * 64, "b" * 64, ("browser", "http"), "es"),
        "token_sha256": f"{system} token {place}",
        "evidence": f"{system} trace {place}",
        "began_at": BEGIN + timedelta(hours=place),
        "ended_at": BEGIN + timedelta(hours=place, minutes=10),
        "marks": {code: MARK[mark] for code, mark in zip(POINTS, marks, strict=False)},
    }
    return MarkedRun(**(whole | changes))


def aggregate(*marks, system="Explorador 3.2.0"):
    return run_aggregates.aggregate(
        [run(place, told, system=system) for place, told in enumerate(marks)], minimum=3
    )


def figure(point, metric, denominator):
    return next(of for of in point.figures if (of.metric, of.denominator) == (metric, denominator))


class TestIndependence:
    def test_runs_apart_in_everything_count(self):
        among = run_aggregates.independence([run(2), run(0), run(1)])
        assert [one.number[-1] for one in among.counted] == ["0", "1", "2"]
        assert among.left_out == ()

    @pytest.mark.parametrize(
        ("changes", "reason"),
        [
            ({"outcome": "technical"}, Reason.TECHNICAL),
            ({"outcome": "invalidated"}, Reason.INVALIDATED),
            ({"outcome": "assisted"}, Reason.ASSISTED),
            ({"abandoned": True}, Reason.ABANDONED),
            ({"recorded_by_registry": False}, Reason.RECORDED_BY_SUBMITTER),
            ({"interrupted_by_registry": True}, Reason.INTERRUPTED_BY_REGISTRY),
            ({"before_reveal": False}, Reason.AFTER_REVEAL),
            ({"clean_session": False}, Reason.SESSION_NOT_CLEAN),
            ({"contaminated_at": 7}, Reason.CONTAMINATED),
        ],
    )
    def test_a_run_that_is_not_autonomous_does_not_count(self, changes, reason):
        (out,) = run_aggregates.independence([run(0), run(1, **changes)]).left_out
        assert (out.run.number[-1], out.reason, out.near) == ("1", reason, None)

    @pytest.mark.parametrize(
        ("changes", "reason"),
        [
            ({"token_sha256": "Explorador 3.2.0 token 0"}, Reason.SAME_TOKEN),
            ({"evidence": "Explorador 3.2.0 trace 0"}, Reason.SAME_EVIDENCE),
            ({"began_at": BEGIN + timedelta(minutes=10)}, Reason.OVERLAP),
        ],
    )
    def test_of_two_that_are_too_near_the_first_counts(self, changes, reason):
        among = run_aggregates.independence([run(1, **changes), run(0)])
        assert [one.number[-1] for one in among.counted] == ["0"]
        (out,) = among.left_out
        assert (out.reason, out.near) == (reason, "EJ-2026-000000")

    def test_a_run_that_does_not_count_takes_no_other_with_it(self):
        overlapping = run(1, began_at=BEGIN, ended_at=BEGIN + timedelta(hours=9), outcome="assisted")
        assert len(run_aggregates.independence([overlapping, run(2), run(3)]).counted) == 2

    def test_each_reason_has_its_words(self):
        assert set(sentences.runs.REASONS) == {str(reason) for reason in Reason}

    @given(st.lists(st.integers(0, 4), max_size=8))
    def test_whoever_counts_is_apart_from_all_others_that_count(self, hours):
        runs = [run(hour, number=f"EJ-2026-{place:06d}") for place, hour in enumerate(hours)]
        among = run_aggregates.independence(runs)
        assert len(among.counted) + len(among.left_out) == len(runs)
        assert len({one.token_sha256 for one in among.counted}) == len(among.counted)
        for one, other in combinations(among.counted, 2):
            assert one.ended_at < other.began_at


class TestOneSystem:
    def test_below_three_only_the_count_is_told(self):
        of = aggregate("+++++", "+-+++")
        assert (of.m, of.is_told, of.points, of.total) == (2, False, (), None)
        told = of.as_json()
        assert (told["runs"], told["minimum"], told["reason"]) == (2, 3, "too_few_runs")
        assert told["points"] == told["pass_all"] == []
        assert sentences.runs.tell_aggregate(told, "es") == (
            "Comparación no publicada: 2 de 3 ejecuciones independientes y sin contaminar.",
        )

    def test_contaminated_runs_are_listed_apart_with_their_request(self):
        of = run_aggregates.aggregate([run(0), run(1), run(2, "+++??", contaminated_at=9)], minimum=3)
        assert not of.is_told
        assert of.as_json()["contaminated"][0]["request"] == 9
        assert of.as_json()["left_out"] == []
        assert len(sentences.runs.tell_aggregate(of.as_json(), "en")) == 2

    def test_each_point_has_k_of_n_with_wilson_and_is_always_indicative(self):
        of = aggregate("+++++", "+-+?+", "+-++-")
        terms, excluded, _, address, _ = of.points
        assert [(f.metric, f.denominator, f.k, f.n) for f in excluded.figures] == [
            ("met", "runs", 1, 3),
            ("met", "observable", 1, 3),
            ("not_met", "runs", 2, 3),
            ("not_observable", "runs", 0, 3),
        ]
        assert figure(terms, "met", "runs").low == "0.438503"  # 3 / (3 + z²)
        assert (figure(address, "met", "observable").k, figure(address, "met", "observable").n) == (2, 2)
        assert {f.band for point in of.points for f in point.figures} == {"indicative"}
        assert (of.range, of.flips) == ((3, 5), 3)

    def test_a_point_that_nobody_could_see_has_no_rate_over_what_was_seen(self):
        of = aggregate("?++++", "?++++", "?++++")
        assert figure(of.points[0], "met", "observable").band == "no_data"
        assert not of.points[0].flips

    def test_all_points_together_are_clustered_by_run(self):
        total = aggregate("+++++", "+++++", "-----").total
        assert (total.k, total.n, total.clusters, total.interval) == (10, 15, 3, "wilson_clustered")
        # Five points that stand or fall together are worth one: three runs, fewer when they differ as much.
        assert float(total.n_eff) <= 3
        assert total.band == "indicative"

    def test_a_run_under_other_conditions_is_never_put_in(self):
        with pytest.raises(OtherConditions) as other:
            run_aggregates.aggregate([run(0), run(1, system="Otro 1")], minimum=3)
        assert other.value.fields == ("system",)
        groups = run_aggregates.grouped([run(0), run(1, system="Otro 1"), run(2)])
        assert [len(runs) for runs in groups.values()] == [2, 1]

    def test_one_rubric_has_one_list_of_points(self):
        with pytest.raises(OtherConditions):
            aggregate("+++++", "+++++", "++++")

    def test_what_is_said_of_them(self):
        told = sentences.runs.tell_aggregate(aggregate("+++++", "+-+++", "+-++-").as_json(), "es")
        assert told[1:3] == (
            "Puntos cumplidos en cada ejecución: de 3 a 5, de 5.",
            "Puntos cuya marca cambió de una ejecución a otra: 2 de 5.",
        )
        steady = sentences.runs.tell_aggregate(aggregate("+++++", "+++++", "+++++").as_json(), "en")
        assert steady[1] == "Points met in each run: 5 of 5."
        assert "does not show that none ever does" in steady[2]

    @given(st.lists(st.text("+-?", min_size=3, max_size=3), min_size=3, max_size=6))
    def test_pass_all_is_the_share_of_subsets_that_meet_throughout(self, marks):
        of = aggregate(*marks)
        for j, share in enumerate(of.pass_all, 1):
            subsets = [
                all(marks[place][point] == "+" for place in places)
                for point in range(3)
                for places in combinations(range(len(marks)), j)
            ]
            assert share == Fraction(sum(subsets), len(subsets))
        assert list(of.pass_all) == sorted(of.pass_all, reverse=True)
        assert sum(point.met for point in of.points) == of.total.k
        for point in of.points:
            assert point.met + point.not_met + point.not_observable == len(marks)

    def test_over_several_cases_each_point_counts_once(self):
        one, other = aggregate("+++++", "+++++", "+++++"), aggregate("-", "-", "-")
        assert run_aggregates.over_cases([one, other]) == (Fraction(5, 6),) * 3
        with pytest.raises(TooFewRuns):
            run_aggregates.over_cases([one, aggregate("+", "+")])
        assert run_aggregates.over_cases([]) == ()


class TestTwoSystems:
    def other(self, *marks):
        return aggregate(*marks, system="Navegante 1.0")

    def test_both_need_three(self):
        three, two = aggregate(*["+++++"] * 3), self.other(*["-----"] * 2)
        for one, other in ((three, two), (two, three)):
            with pytest.raises(TooFewRuns) as few:
                run_aggregates.compare(one, other)
            assert (few.value.runs, few.value.minimum) == (2, 3)
        assert sentences.runs.too_few(2, 3, "en").startswith("Comparison not published: 2 of 3")

    def test_three_a_side_show_nothing_and_it_is_said(self):
        of = run_aggregates.compare(aggregate(*["+++++"] * 3), self.other(*["-----"] * 3))
        assert not of.can_reach
        assert not any(point.is_significant for point in of.points)
        assert [point.p for point in of.points] == pytest.approx([0.1] * 5)
        assert sentences.runs.tell_comparison(of.as_json(), "es") == (
            (
                "Con 3 y 3 ejecuciones y 5 puntos, ninguna diferencia puede alcanzar p < 0,05: "
                "harían falta al menos 5 por lado."
            ),
        )

    def test_one_point_alone_needs_four_a_side_and_five_points_five(self):
        assert run_aggregates.compare(aggregate(*"+++"), self.other(*"---")).needed_a_side == 4
        five = run_aggregates.compare(aggregate(*["+++++"] * 5), self.other(*["-++++"] * 5))
        assert five.can_reach
        (found,) = [point for point in five.points if point.is_significant]
        assert found.code == "terms"
        assert found.p_holm == pytest.approx(5 * 2 / 252)
        (said,) = sentences.runs.tell_comparison(five.as_json(), "es", name=str.upper)
        assert said.startswith("TERMS: la primera difiere de la segunda en 100,0 puntos porcentuales [")
        assert "(p = 0,040, con la corrección de Holm)" in said

    def test_no_difference_is_told_with_what_could_have_been_seen(self):
        of = run_aggregates.compare(aggregate(*["+++++"] * 5), self.other(*["+++++"] * 5))
        told = sentences.runs.tell_comparison(of.as_json(), "en")
        assert told[0].startswith("No difference was detected at any point")
        assert "does not show that there is none" in told[1]

    def test_a_point_that_one_side_could_not_see_is_no_test(self):
        of = run_aggregates.compare(aggregate(*["?++++"] * 5), self.other(*["-++++"] * 5))
        assert (of.points[0].p, of.points[0].p_holm, of.points[0].difference) == (None, None, None)
        assert of.points[0].as_json()["first"] == {"k": 0, "n": 0}

    def test_another_variant_or_rubric_is_refused_and_other_tools_are_told(self):
        def under(**changes):
            conditions = {
                "system": "Navegante 1.0",
                "variant": "a" * 64,
                "rubric": "b" * 64,
                "tools": ("browser", "http"),
                "language": "es",
            } | changes
            return run_aggregates.aggregate(
                [run(place, conditions=Conditions(**conditions)) for place in range(3)], minimum=3
            )

        mine = aggregate(*["+++++"] * 3)
        for field in ("variant", "rubric"):
            with pytest.raises(OtherConditions) as other:
                run_aggregates.compare(mine, under(**{field: "c" * 64}))
            assert other.value.fields == (field,)
        of = run_aggregates.compare(mine, under(tools=("mcp",)))
        assert of.differing == ("tools",)
        assert "herramientas" in sentences.runs.tell_comparison(of.as_json(), "es")[-1]
