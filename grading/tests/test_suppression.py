"""What is published never lets a hidden cell be worked out, and joins what it hides."""

from collections import defaultdict

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from grading import schemes
from grading.figures import figure, rate
from grading.suppression import determined, published

HALU = schemes.shipped()["HALU", "1"]


def of(k, n, metric="unnecessary_abstention", denominator="in_corpus", **place):
    return figure(rate(k, n), metric, denominator, suppression=HALU.suppression, **place)


def groups(sizes, metric="unnecessary_abstention", denominator="in_corpus"):
    """A total and its groups, each with a case."""
    cells = [of(min(1, n), n, metric, denominator, group=name) for name, n in sizes.items()]
    return [of(sum(one.k for one in cells), sum(sizes.values()), metric, denominator), *cells]


def shown(figures, **options):
    return {one.group: (one.n, one.reason) for one in published(figures, HALU, **options)}


def test_a_small_group_takes_the_next_smallest_with_it():
    assert shown(groups({"es": 100, "en": 40, "eu": 4})) == {
        None: (144, None),
        "es": (100, None),
        "en": (None, "complementary"),
        "eu": (None, "few"),
        "rest": (44, None),
    }


def test_two_small_groups_of_ten_together_need_no_other():
    found = shown(groups({"es": 100, "en": 40, "eu": 4, "gl": 6}))
    assert (found["en"], found["rest"]) == ((40, None), (10, None))


def test_two_small_groups_of_fewer_than_ten_together_need_another():
    assert shown(groups({"es": 100, "en": 40, "eu": 2, "gl": 3}))["rest"] == (45, None)


def test_an_empty_group_hides_nothing():
    assert shown(groups({"es": 100, "eu": 0})) == {None: (100, None), "es": (100, None), "eu": (0, None)}


def test_a_small_total_hides_all():
    assert set(shown(groups({"es": 4, "eu": 3})).values()) == {(None, "few")}


def test_a_hidden_figure_has_no_numbers():
    hidden = next(one for one in published(groups({"es": 100, "en": 40, "eu": 4}), HALU) if one.group == "eu")
    numbers = (hidden.k, hidden.n, hidden.unjudged, hidden.estimate, hidden.low, hidden.high, hidden.clusters)
    assert numbers == (None,) * 7
    assert (hidden.band, hidden.interval) == ("suppressed", "none")


def test_where_the_evidence_is_public_the_band_alone_decides():
    assert shown(groups({"es": 100, "en": 40, "eu": 4}), evidence_is_public=True) == {
        None: (144, None),
        "es": (100, None),
        "en": (40, None),
        "eu": (None, "few"),
    }


def test_few_judged_hide_every_verdict_and_the_abstentions_of_a_group():
    figures = []
    for group, judged, all_ in ((None, 110, 160), ("es", 60, 70), ("en", 45, 60), ("eu", 5, 30)):
        figures += [
            of(3, judged, "accuracy", "judged", group=group),
            of(3, all_, "accuracy", "all", group=group),
            of(9, all_, "abstention", "all", group=group),
            of(2, all_, "unnecessary_abstention", "in_corpus", group=group),
        ]
    hidden = {(one.metric, one.denominator, one.group) for one in published(figures, HALU) if one.n is None}
    of_eu = {("accuracy", "judged", "eu"), ("accuracy", "all", "eu"), ("abstention", "all", "eu")}
    assert {place for place in hidden if place[2] == "eu"} == of_eu
    # With the next smallest, and the same one over both denominators.
    assert {place[2] for place in hidden} == {"eu", "en"}


def test_determined_by_elimination():
    assert determined([[1, 1]], 2) == []
    assert determined([[1, 1], [0, 1]], 2) == [0, 1]
    assert determined([[1, 1, 0, 0], [0, 0, 1, 1], [1, 0, 1, 0], [0, 1, 0, 1]], 4) == []


# -- nothing hidden for being small can be worked out --------------------------------------------


def follows(figures, cells):
    """Hidden cells of one denominator that the shown totals determine: groups, categories, and their crossing."""
    unknown = [one for one in figures if one.n is None]
    place = {(one.group, one.category): index for index, one in enumerate(unknown)}
    equations = []

    def equation(whole, parts):
        row = [0] * len(unknown)
        for cell, sign in [*((part, 1) for part in parts), (whole, -1)]:
            # An empty cell is known to be empty, shown or not: the reader may know the set.
            if cell in place:
                row[place[cell]] = sign
        if any(row):
            equations.append(row)

    groups_ = sorted({g for g, c in cells if g and not c})
    categories = sorted({c for g, c in cells if c and not g})
    equation((None, None), [(g, None) for g in groups_])
    if categories:
        equation((None, None), [(None, c) for c in categories])
    if any(g and c for g, c in cells):
        for g in groups_:
            equation((g, None), [(g, c) for c in categories])
        for c in categories:
            equation((None, c), [(g, c) for g in groups_])
    return [unknown[index] for index in determined(equations, len(unknown))]


@given(st.lists(st.integers(0, 40), min_size=1, max_size=8))
def test_no_small_group_follows_from_the_total_and_the_others(sizes):
    figures = published(groups({f"g{index}": n for index, n in enumerate(sizes)}), HALU)
    own = [one for one in figures if one.group != "rest"]
    assert not [
        one for one in follows(own, {(one.group, one.category) for one in own}) if one.reason == "few"
    ]
    total = own[0].n
    if total is not None:
        rest = sum(one.n for one in figures if one.group == "rest")
        assert sum(one.n or 0 for one in own[1:]) + rest == total


@settings(max_examples=150)
@given(
    st.integers(1, 6).flatmap(
        lambda rows: st.lists(
            st.lists(st.sampled_from([0, 0, 1, 3, 9, 10, 12, 25]), min_size=3, max_size=3),
            min_size=rows,
            max_size=rows,
        )
    )
)
def test_no_small_cell_of_a_crossed_table_follows_from_its_margins(table):
    sizes = defaultdict(int)
    for g, row in enumerate(table):
        for c, n in enumerate(row):
            for cell in ((None, None), (f"g{g}", None), (None, f"c{c}"), (f"g{g}", f"c{c}")):
                sizes[cell] += n
    figures = [of(0, n, "hostile_fabrication", "hostile", group=g, category=c) for (g, c), n in sizes.items()]
    own = [one for one in published(figures, HALU) if "rest" not in (one.group, one.category)]
    assert not [one for one in own if one.n is not None and 0 < one.n < 10]
    assert not [one for one in follows(own, set(sizes)) if one.reason == "few"]


@pytest.mark.parametrize("public", [False, True])
def test_order_and_places_are_kept(public):
    figures = groups({"es": 100, "en": 40, "eu": 4})
    found = published(figures, HALU, evidence_is_public=public)[: len(figures)]
    assert [(one.metric, one.group) for one in found] == [(one.metric, one.group) for one in figures]
