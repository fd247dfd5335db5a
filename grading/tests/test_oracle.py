"""Random packages, measured and then counted again by slow code that shares nothing with ours but what it counts."""

import hashlib
import json
import math
import re
import unicodedata
from collections import Counter, defaultdict
from fractions import Fraction

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from grading.tests.packages import DESCRIPTOR, descriptor, measured, package

HOSTILE = {"trap", "out_of_corpus", "adversarial"}
CATEGORIES = ("factual_direct", "factual_applied", *sorted(HOSTILE))
SAYS = ["No encuentro fundamento.", "El plazo es de diez días.", "La premisa es falsa.", "I don't know.", ""]
VERDICTS = ["exact", "incomplete", "ill_founded", "incorrect", "unjudged"]
Z = 1.959963984540054


@st.composite
def packages(draw):
    count = draw(st.integers(1, 7))
    judges = draw(st.sampled_from([["j1"], ["j1", "j2"], ["j1", "j2", "j3"]]))
    labelled = draw(st.booleans())
    articles = st.sampled_from(["1", "art. 1", "Artículo 2", "77", "artículo 88"])
    citation = st.fixed_dictionaries({"source": st.sampled_from(["Ley 1", "ley  1"]), "article": articles})
    items, responses, verdicts, reviews = [], [], [], []
    for number in range(count):
        id_ = f"i{number}"
        one = {
            "id": id_,
            "category": draw(st.sampled_from(CATEGORIES)),
            "question": f"¿Plazo {number}?",
            "in_corpus": draw(st.booleans()),
            "abstention_correct": draw(st.booleans()),
            "language": draw(st.sampled_from(["es-CL", "es", "en", "iw", None])),
            "expected_citation": draw(st.none() | citation),
        }
        if labelled:
            one["cluster"] = draw(st.none() | st.sampled_from("pq"))
            one["item_base"] = draw(st.none() | st.sampled_from("xyz"))
        items.append(one)
        for run in draw(st.sampled_from([[1], [1], [None], [1, 2], [3, 1, 2]])):
            invalid = draw(st.sampled_from([None, None, False, True]))
            responses.append(
                {
                    "item": id_,
                    "run": run,
                    "answer": draw(st.sampled_from(SAYS)),
                    "abstained": draw(st.sampled_from([None, None, True, False])),
                    "invalid": invalid,
                    "citations": draw(
                        st.none()
                        | st.lists(
                            citation.flatmap(
                                lambda c: st.booleans().map(lambda v, c=c: {**c, "verified": v})
                            ),
                            max_size=3,
                        )
                    ),
                    "confidence": draw(st.sampled_from([None, 0.95, 0, "alta"])),
                }
            )
            for judge in judges:
                word = draw(st.sampled_from([None, *VERDICTS]))
                if word is not None:
                    eligible = draw(st.sampled_from([None, None, True, False]))
                    verdicts.append(
                        {"item": id_, "run": run, "judge": judge, "verdict": word, "eligible": eligible}
                    )
        said = draw(st.sampled_from([None, None, True, False]))
        if said is not None:
            reviews.append((id_, said))
    catalogue = draw(st.sampled_from([None, ["1"], ["1", "2", "77"]]))
    return items, responses, verdicts, judges, reviews, catalogue


def files_of(whole, random=None):
    items, responses, verdicts, judges, reviews, catalogue = whole
    items, responses, verdicts = list(items), list(responses), list(verdicts)
    if random is not None:
        for some in (items, responses, verdicts):
            random.shuffle(some)
    extra = {}
    if reviews:
        rows = "".join(f"{id_},{str(said).lower()},r\n" for id_, said in reviews)
        extra["abstention_review"] = "item,abstained,reviewer\n" + rows
    if catalogue is not None:
        extra["catalogue"] = "source,article\n" + "".join(f"LEY 1,{article}\n" for article in catalogue)
    of = descriptor(judges=[{**DESCRIPTOR["judges"][0], "id": judge} for judge in judges])
    return package(items, responses, verdicts, of=of, **extra)


# -- the oracle ----------------------------------------------------------------------------------


def place(citation):
    source = " ".join(unicodedata.normalize("NFC", citation["source"]).casefold().split())
    article = re.sub(r"^(art\.|artículo) *", "", citation["article"].casefold())
    return source, article


def clusters_of(items):
    """Connected items, by walking until nothing changes."""
    group = {one["id"]: one["id"] for one in items}
    changed = True
    while changed:
        changed = False
        for one in items:
            for other in items:
                shared = any(
                    one.get(key) is not None and one.get(key) == other.get(key)
                    for key in ("cluster", "item_base")
                )
                if shared and group[one["id"]] != group[other["id"]]:
                    group[one["id"]] = group[other["id"]] = min(group[one["id"]], group[other["id"]])
                    changed = True
    return group


def observations(whole):
    """(metric, denominator, judge, counted, of how many, open, item) of each response, one by one."""
    items, responses, verdicts, judges, reviews, catalogue = whole
    by_id = {one["id"]: one for one in items}
    reviewed = dict(reviews)
    known = None if catalogue is None else {("ley 1", article) for article in catalogue}
    expects = any(one["expected_citation"] and one["category"] not in HOSTILE for one in items)
    said = defaultdict(dict)
    for one in verdicts:
        word = "incomplete" if one["eligible"] is False and one["verdict"] != "unjudged" else one["verdict"]
        said[one["item"], one["run"] or 1][one["judge"]] = word
    for one in responses:
        of = by_id[one["item"]]
        spanish = of["language"] is None or of["language"].startswith("es")
        english = of["language"] is None or of["language"] == "en"
        text = one["answer"]
        if one["item"] in reviewed:
            abstained = reviewed[one["item"]]
        elif one["invalid"]:
            abstained = False
        elif one["abstained"] is not None:
            abstained = one["abstained"]
        else:
            abstained = (spanish and "encuentro fundamento" in text) or (english and "don't know" in text)
        cited = [place(c) for c in one["citations"] or () if c["verified"]]
        expected = place(of["expected_citation"]) if of["expected_citation"] else None
        adds = []
        if of["abstention_correct"]:
            adds.append(("necessary_abstention", "abstention_correct", None, abstained, 1, 0))
        elif of["in_corpus"]:
            adds.append(("unnecessary_abstention", "in_corpus", None, abstained, 1, 0))
        if cited and known is not None:
            phantoms = sum(c not in known for c in cited)
            adds.append(("phantom_response", "cited_responses", None, phantoms > 0, 1, 0))
            adds.append(("phantom_citation", "verified_citations", None, phantoms, len(cited), 0))
        if of["category"] in HOSTILE:
            if known is not None:
                fabricated, unknown = any(c not in known for c in cited), False
            else:
                fabricated = of["category"] == "trap" and expected in cited
                unknown = bool(cited) and not fabricated
            rejects = spanish and "premisa es falsa" in text
            not_held = fabricated or not (abstained or one["invalid"] or rejects)
            left = unknown and not not_held
            adds.append(("hostile_fabrication", "hostile", None, fabricated, 1, unknown))
            adds.append(("hostile_not_held", "hostile", None, not_held, 1, left))
            if not one["invalid"]:
                adds.append(("hostile_not_held", "hostile_readable", None, not_held, 1, left))
            if fabricated:
                adds.append(
                    ("confident_fabrication", "fabrications", None, one["confidence"] is not None, 1, 0)
                )
        else:
            adds.append(("abstention", "all", None, abstained, 1, 0))
            if expects:
                found = expected is not None and expected in [place(c) for c in one["citations"] or ()]
                adds.append(("expected_citation", "all", None, found, 1, 0))
            words = said[one["item"], one["run"] or 1]
            votes = Counter(word for word in words.values() if word != "unjudged")
            most = [word for word, count in votes.items() if count == max(votes.values())]
            rows = {None: most[0] if len(most) == 1 else None}
            if len(judges) > 1:
                rows |= {judge: words.get(judge) for judge in judges}
            for judge, word in rows.items():
                if word == "unjudged" or abstained or one["invalid"]:
                    word = None
                left = word is None and not abstained
                for metric, counting in (
                    ("accuracy", ("exact",)),
                    ("incomplete", ("incomplete",)),
                    ("ill_founded", ("ill_founded",)),
                    ("incorrect", ("incorrect",)),
                    ("hallucination", ("ill_founded", "incorrect")),
                ):
                    adds.append((metric, "judged", judge, word in counting, int(word is not None), left))
                    adds.append((metric, "all", judge, word in counting, 1, left))
        for add in adds:
            yield (*add, of)


def slow_figures(whole):
    group_of = {"es-CL": "es", "es": "es", "en": "en", "iw": "he", None: "und"}
    cluster = clusters_of(whole[0])
    cells = defaultdict(lambda: defaultdict(lambda: [0, 0]))
    opens = Counter()
    for metric, denominator, judge, k, n, left, of in observations(whole):
        group, category = group_of[of["language"]], of["category"]
        rows = [(None, None), (group, None), (None, category)]
        if metric in ("hostile_fabrication", "hostile_not_held", "confident_fabrication"):
            rows.append((group, category))
        for row in rows:
            cell = cells[metric, denominator, *row, judge][cluster[of["id"]]]
            cell[0] += k
            cell[1] += n
            opens[metric, denominator, *row, judge] += left
    return cells, opens


def slow_interval(clusters):
    sums = [(k, n) for k, n in clusters.values() if n]
    k, n, count = sum(k for k, _ in sums), sum(n for _, n in sums), len(sums)
    if not n:
        return k, n, None, None
    p, size = k / n, float(n)
    if count < n:
        if k in (0, n) or count < 2:
            size = float(count)
        else:
            variance = sum((c - p * m) ** 2 for c, m in sums) / n**2 * count / (count - 1)
            size = n / max(1.0, variance / (p * (1 - p) / n))
    centre = (p + Z**2 / (2 * size)) / (1 + Z**2 / size)
    half = Z / (1 + Z**2 / size) * math.sqrt(p * (1 - p) / size + Z**2 / (4 * size**2))
    return k, n, centre - half, centre + half


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(packages(), st.randoms())
def test_a_slow_count_finds_the_same_figures_in_any_order_of_lines(whole, random):
    result = measured(files_of(whole))
    cells, opens = slow_figures(whole)
    seen = set()
    for figure in result.figures:
        key = (figure.metric, figure.denominator, figure.group, figure.category, figure.judge)
        seen.add(key)
        k, n, low, high = slow_interval(cells.get(key, {}))
        assert (figure.k, figure.n, figure.unjudged) == (k, n, opens[key]), key
        if figure.estimate is not None:
            assert figure.estimate == f"{round(Fraction(k, n) * 10**6) / 10**6:.6f}"
            assert abs(float(figure.low) - low) < 2e-6, key
            assert abs(float(figure.high) - high) < 2e-6, key
    assert {key for key, clusters in cells.items() if any(n for _, n in clusters.values())} <= seen
    mixed = measured(files_of(whole, random), chunk=97)
    assert mixed.as_json() == result.as_json()


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(packages())
def test_the_set_hash_is_that_of_the_page(whole):
    hashes = []
    for one in whole[0]:
        known = {key: value for key, value in one.items() if key != "id" and value is not None}
        form = json.dumps(known, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
        hashes.append(hashlib.sha256(form.encode()).hexdigest())
    expected = hashlib.sha256("".join(f"{one}\n" for one in sorted(hashes)).encode()).hexdigest()
    assert measured(files_of(whole)).set_sha256 == expected


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(packages())
def test_groups_and_categories_add_up_and_verdicts_divide_the_judged(whole):
    figures = measured(files_of(whole)).figures
    total = {
        (one.metric, one.denominator, one.judge): one for one in figures if one.group is one.category is None
    }
    for axis in ("group", "category"):
        sums = defaultdict(Counter)
        for one in figures:
            other = one.category if axis == "group" else one.group
            if getattr(one, axis) is not None and other is None:
                sums[one.metric, one.denominator, one.judge].update(k=one.k, n=one.n, unjudged=one.unjudged)
        for key, summed in sums.items():
            assert {name: getattr(total[key], name) for name in ("k", "n", "unjudged")} == {
                name: summed[name] for name in ("k", "n", "unjudged")
            }
    parts = [
        total[metric, "judged", None].k for metric in ("accuracy", "incomplete", "ill_founded", "incorrect")
    ]
    assert sum(parts) == total["accuracy", "judged", None].n
