"""The geometry of the forest plot: where marks stand, and in which order."""

from hypothesis import given
from hypothesis import strategies as st

from certificates import forest, tables
from certificates.tests.sample_pages import figure, figures, hidden
from grading.figures import Figure


def x(place: str) -> float:
    return float(place.removesuffix("%"))


def test_rows_stand_by_number_of_answers_then_what_is_suppressed_and_the_total_apart():
    drawn = forest.plot(figures(), metric="hallucination", denominator="judged")

    assert [row.figure.group for row in drawn.rows] == ["es", "pt", "en", "gn", "qu", "arn", "ay"]
    assert [row.kind for row in drawn.rows] == [
        "interval", "interval", "interval", "none", "indicative", "suppressed", "suppressed",
    ]  # fmt: skip
    assert drawn.total.figure.group is None
    assert [row.figure.group for row in drawn.suppressed] == ["arn", "ay"]


def test_the_axis_ends_at_a_round_step_above_every_interval():
    drawn = forest.plot(figures(), metric="hallucination", denominator="judged")

    assert [int(tick.value) for tick in drawn.ticks] == [0, 5, 10, 15, 20, 25]
    assert (drawn.ticks[0].x, drawn.ticks[-1].x) == ("1.00%", "99.00%")
    assert drawn.ticks[-1].last


def test_the_threshold_is_always_in_sight():
    drawn = forest.plot(
        [figure("hallucination", "judged", 1, 400), figure("hallucination", "judged", 1, 400, group="es")],
        metric="hallucination", denominator="judged", threshold="0.100000",
    )  # fmt: skip

    assert 0 < x(drawn.threshold) <= 99


def test_nought_is_a_bar_from_the_left_edge_and_all_one_to_the_right_edge():
    drawn = forest.plot(
        [figure("accuracy", "judged", 0, 61, group="gn"), figure("accuracy", "judged", 61, 61, group="es")],
        metric="accuracy", denominator="judged",
    )  # fmt: skip
    every, none = drawn.rows if drawn.rows[0].kind == "every" else reversed(drawn.rows)

    assert (none.kind, none.low) == ("none", "1.00%")
    assert every.high == "99.00%"


def test_the_joint_rest_stands_between_the_groups_and_what_is_suppressed():
    drawn = forest.plot(
        [
            hidden("hallucination", "judged", "ay"),
            figure("hallucination", "judged", 3, 400, group="rest"),
            figure("hallucination", "judged", 3, 40, group="es"),
        ],
        metric="hallucination", denominator="judged",
    )  # fmt: skip

    assert [row.figure.group for row in drawn.rows] == ["es", "rest", "ay"]


def test_without_figures_there_is_no_plot_and_without_data_no_mark():
    assert forest.plot([], metric="hallucination", denominator="judged") is None
    drawn = forest.plot(
        [Figure(metric="hallucination", denominator="judged", k=0, n=0)],
        metric="hallucination",
        denominator="judged",
    )
    assert drawn.total.kind == "no_data"
    assert drawn.total_line == ""


@given(st.lists(st.tuples(st.integers(1, 5000), st.floats(0, 1)), min_size=1, max_size=25))
def test_every_mark_lies_inside_and_in_order(groups):
    made = [
        figure("hallucination", "judged", min(n, round(n * share)), n, group=f"g{position}")
        for position, (n, share) in enumerate(groups)
    ]
    drawn = forest.plot(made, metric="hallucination", denominator="judged")

    assert 2 <= len(drawn.ticks) <= forest.MOST_TICKS + 1
    for row in drawn.rows:
        assert 1 <= x(row.low) <= x(row.point) <= x(row.high) <= 99
        assert abs(x(row.high) - x(row.low) - x(row.width)) < 0.02


def test_the_answers_of_a_group_add_up_to_all():
    for row in tables.answers(figures()):
        if not row.suppressed:
            assert sum(cell.k for cell in row.cells) + row.unjudged == row.n


def test_tables_end_with_the_total_and_keep_the_order_of_the_plot():
    pairs = tables.pairs(figures(), "hallucination")

    assert [pair.group for pair in pairs] == ["es", "pt", "en", "gn", "qu", "arn", "ay", None]
