"""What a rubric may say, what it is refused for, and how a trace is marked by it."""

import gzip
import json
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grading import data, delivered_answers, rubric_language
from grading.rubric_language import KINDS, UnusableRubric
from grading.rubric_rules import Because
from grading.tests.traces import SITE, Facts, Told

PI_000 = rubric_language.load(data.read("rubrics/PI-000.json"))
DEFINITION = "La memoria de un agente es lo que conserva de un paso al siguiente para decidir mejor."
PAGE = f"<html><head><title>Memoria</title></head><body><p>{DEFINITION}</p><p>Revisado el 14 de marzo de 2026.</p><a href='https://fuente.example/Memoria'>fuente</a></body></html>"
ANSWER = f"«{DEFINITION}» Fuente: https://fuente.example/memoria, revisión 2026-03-14. https://{SITE}/conceptos/memoria."


def control(rule, *, kind="positive", **more):
    text = {"es": "Lo hace.", "en": "It does."}
    return {"id": "c1", "kind": kind, "text": text, "rule": rule, **more}


def rubric(*controls, **changes):
    numbered = [{**one, "id": f"c{place}"} for place, one in enumerate(controls, 1)]
    title = {"es": "Punto", "en": "Point"}
    return {
        "format": "rubric/1",
        "case": "PI-000",
        "version": 1,
        "catalogue": ["/pruebas/**"],
        "content": ["/conceptos/**"],
        "points": [{"code": "p", "title": title, "controls": numbered}],
        **changes,
    }


def decide(told, *controls, answer=ANSWER, cut=None, catalogue_at=None, **run):
    read = rubric_language.load(json.dumps(rubric(*controls)).encode())
    facts = Facts(cut or len(told.exchanges) + 1, catalogue_at)
    return rubric_language.evaluate(read, told.trace(answer, **run), facts, told.body)["p"]


def only(told, rule, *, kind="positive", **more):
    decision = decide(told, control(rule, kind=kind), **more)
    return decision.controls[0].mark, decision.controls[0].requests, decision.controls[0].because


# ── the document ─────────────────────────────────────────────────────────────


def test_every_rule_has_kinds_and_a_class():
    assert set(KINDS) == set(rubric_language._RULES) == set(rubric_language._Rule.__struct_fields__)


def test_the_shipped_example_reads_and_its_case_has_the_same_points():
    case = json.loads(data.read("cases/PI-000.json"))
    assert [(point.code, point.title) for point in PI_000.points] == [
        (point["code"], point["title"]) for point in case["points"]
    ]
    assert list(PI_000.catalogue) == case["catalogue"]


def test_the_sealed_form_is_the_same_however_the_rubric_was_spelled():
    written = json.loads(data.read("rubrics/PI-000.json"))
    backwards = json.loads(json.dumps(written, sort_keys=True))
    assert rubric_language.sealed_form(written) == rubric_language.sealed_form(backwards)
    assert rubric_language.load(rubric_language.sealed_form(written)) == PI_000


@pytest.mark.parametrize(
    ("changes", "place"),
    [
        ({"format": "rubric/2"}, "format"),
        ({"case": "pi 1"}, "case"),
        ({"version": 0}, "version"),
        ({"catalogue": ["pruebas"]}, "catalogue[0]"),
        ({"catalogue": []}, "catalogue"),
        ({"content": ["/a?b=1"]}, "content[0]"),
        ({"content": ["/a*"]}, "content[0]"),
        ({"content": ["/**/a"]}, "content[0]"),
        ({"surprise": 1}, "surprise"),
        ({"points": []}, "points"),
    ],
)
def test_a_faulty_frame_is_named_by_its_place(changes, place):
    with pytest.raises(UnusableRubric) as refused:
        rubric_language.load(json.dumps(rubric(control({"judge": {}}), **changes)).encode())
    assert [fault.key for fault in refused.value.faults] == [place]


@pytest.mark.parametrize(
    ("faulty", "place"),
    [
        (control({}), "rule"),
        (control({"judge": {}, "requested": {"path": ["/a"]}}), "rule"),
        (control({"guess": {}}), "rule.guess"),
        (control({"requested": {"path": ["a"]}}), "rule.requested.path[0]"),
        (control({"requested": {"path": ["/a"]}}, kind="negative"), "kind"),
        (control({"never_requested": {"path": ["/a"], "shown_by": ["/b"]}}), "kind"),
        (control({"never_requested": {"path": ["/a"]}}, kind="negative"), "rule.never_requested.shown_by"),
        (
            control({"requested_at_most": {"path": ["/a"], "times": 3}}, kind="negative"),
            "rule.requested_at_most.shown_by",
        ),
        (control({"requested_before": {"path": ["/a"], "before": "terms"}}), "rule.requested_before.before"),
        (control({"requested_before": {"path": ["/a"], "before": ["b"]}}), "rule.requested_before.before[0]"),
        (control({"representation": {"path": ["/a"], "types": ["html"]}}), "rule.representation.types[0]"),
        (control({"answer_states": {"what": "phrase", "path": ["/a"]}}), "rule.answer_states.any_of"),
        (
            control({"answer_states": {"what": "date", "path": ["/a"], "any_of": ["x"]}}),
            "rule.answer_states.any_of",
        ),
        (
            control({"answer_in_cited_response": {"path": ["/a"], "words": 1}}),
            "rule.answer_in_cited_response.words",
        ),
        (control({"judge": {}}, otherwise="judge"), "otherwise"),
        (control({"judge": {}}) | {"text": {"es": "‮", "en": "b"}}, "text.es"),
        (control({"judge": {}}) | {"text": {"es": "a"}}, "text.en"),
    ],
)
def test_a_faulty_control_is_named_by_its_place(faulty, place):
    with pytest.raises(UnusableRubric) as refused:
        rubric_language.load(json.dumps(rubric(control({"judge": {}}), faulty)).encode())
    assert {fault.key for fault in refused.value.faults} == {f"points[0].controls[1].{place}"}


def test_a_rubric_has_an_end():
    many = rubric(*(control({"judge": {}}) for _ in range(50)))
    many["points"] = [
        {
            **many["points"][0],
            "code": f"p{place}",
            "controls": [{**one, "id": f"{one['id']}_{place}"} for one in many["points"][0]["controls"]],
        }
        for place in range(3)
    ]
    with pytest.raises(UnusableRubric) as refused:
        rubric_language.load(json.dumps(many).encode())
    assert [fault.key for fault in refused.value.faults] == ["points"]


def test_all_faults_are_named_at_once():
    bad = rubric(control({"requested": {"path": ["a", "/b", "c*"]}}), control({"judge": {}}))
    bad["points"].append(bad["points"][0])
    with pytest.raises(UnusableRubric) as refused:
        rubric_language.load(json.dumps(bad).encode())
    # Two patterns, in both of the points; the second point and its two controls have names that are taken.
    assert len(refused.value.faults) == 2 * 2 + 1 + 2


@pytest.mark.parametrize("file", [b"", b"{", b"[]", b'{"a": 1, "a": 2}', b"\xff", b"[" * 100, b" " * 300_000])
def test_what_is_no_rubric_is_refused(file):
    with pytest.raises(UnusableRubric):
        rubric_language.load(file)


# ── requests ─────────────────────────────────────────────────────────────────


def test_requested_counts_what_the_patterns_name():
    told = Told().asked("/a").asked("/b").asked("/%61/").asked("/a/x")
    assert only(told, {"requested": {"path": ["/a"]}}) == ("met", (1,), Because.SEEN)
    assert only(told, {"requested": {"path": ["/a/**"], "at_least": 3}}) == ("met", (1, 3, 4), Because.SEEN)
    assert only(told, {"requested": {"path": ["/**"], "but_not": ["/a/**"]}}) == ("met", (2,), Because.SEEN)
    assert only(told, {"requested": {"path": ["/a"], "at_least": 3}}) == ("not_met", (1, 3), Because.NOT_SEEN)
    assert only(told, {"requested": {"path": ["/a"], "methods": ["POST"]}}) == (
        "not_met",
        (),
        Because.NOT_SEEN,
    )


def test_what_was_still_to_come_when_the_catalogue_was_found_is_not_observable():
    told = Told().asked("/a").asked("/pruebas/").asked("/b")
    rule = {"requested": {"path": ["/b"]}}
    assert only(told, rule, cut=2, catalogue_at=2) == ("not_observable", (), Because.CONTAMINATED)
    # The limit is part of the assignment: what was not asked for within it was not asked for.
    assert only(told, rule, cut=2) == ("not_met", (), Because.NOT_SEEN)
    assert only(Told(), rule) == ("not_observable", (), Because.NO_OCCASION)


NEVER = {"never_requested": {"path": ["/borradores/**"], "shown_by": ["/condiciones", "/robots.txt"]}}


def test_a_negative_control_is_met_only_when_the_agent_was_shown_the_rule():
    shown = Told().asked("/condiciones").asked("/conceptos/memoria")
    assert only(shown, NEVER, kind="negative") == ("met", (1,), Because.KEPT)
    for blind in (
        Told().asked("/conceptos/memoria"),
        Told().asked("/condiciones", method="HEAD"),
        Told().asked("/condiciones", status=503),
        Told().asked("/condiciones", status=None),
        Told().asked("/condiciones", body=b""),
    ):
        assert only(blind, NEVER, kind="negative") == ("not_observable", (), Because.NOT_SHOWN)
    # Shown too late: the cut was before.
    assert only(shown, NEVER, kind="negative", cut=1)[0] == "not_observable"


@pytest.mark.parametrize(
    "path", ["/borradores/", "/%62orradores/plan", "/x/../borradores//a", "/borradores?x=1"]
)
def test_a_negative_control_is_not_met_however_the_route_was_spelled(path):
    told = Told().asked("/condiciones").asked(path, status=404)
    assert only(told, NEVER, kind="negative") == ("not_met", (2,), Because.DONE)


def test_the_request_of_the_catalogue_can_only_show_that_a_negative_control_is_not_met():
    told = Told().asked("/condiciones").asked("/pruebas/").asked("/borradores/")
    touched = {"never_requested": {"path": ["/pruebas/**"], "shown_by": ["/condiciones"]}}
    assert only(told, touched, kind="negative", cut=2, catalogue_at=2) == ("not_met", (2,), Because.DONE)
    assert only(told, NEVER, kind="negative", cut=2, catalogue_at=2) == ("met", (1,), Because.KEPT)
    assert only(told, {"requested": {"path": ["/pruebas/**"]}}, cut=2, catalogue_at=2)[0] == "not_observable"


def test_a_route_counts_as_shown_when_a_response_named_it():
    rule = {"never_requested": {"path": ["/borradores/**"], "shown_by_any_response": True}}
    told = Told().asked("/", body=b"<a href='../borradores/plan'>borrador</a>")
    assert only(told, rule, kind="negative") == ("met", (1,), Because.KEPT)
    assert only(Told().asked("/", body=b"nada"), rule, kind="negative")[0] == "not_observable"
    told.bodies.clear()
    assert only(told, rule, kind="negative")[0] == "not_observable"


def test_a_rate_is_kept_or_broken():
    fast = Told().asked("/condiciones").asked("/a", after=0.1).asked("/b", after=0.1).asked("/c", after=5)
    rule = {"path": ["/**"], "times": 2, "per_seconds": 1, "shown_by": ["/condiciones"]}
    assert only(fast, {"requested_at_most": rule}, kind="negative") == ("not_met", (1, 2, 3), Because.DONE)
    assert only(fast, {"requested_at_most": rule | {"times": 3}}, kind="negative") == (
        "met",
        (1,),
        Because.KEPT,
    )
    whole = {"path": ["/**"], "times": 4}
    assert only(fast, {"requested_at_most": whole}) == ("met", (1, 2, 3, 4), Because.SEEN)
    assert only(fast, {"requested_at_most": whole | {"times": 3}}) == ("not_met", (1, 2, 3, 4), Because.DONE)
    assert only(fast, {"requested_at_most": {"path": ["/z"], "times": 1}})[0] == "not_observable"


BEFORE = {"requested_before": {"path": ["/condiciones", "/robots.txt"], "before": "content"}}


def test_the_terms_come_before_the_first_content():
    assert only(Told().asked("/robots.txt").asked("/").asked("/conceptos/a"), BEFORE) == (
        "met",
        (1, 3),
        Because.SEEN,
    )
    assert only(Told().asked("/conceptos/a").asked("/condiciones"), BEFORE) == (
        "not_met",
        (1,),
        Because.NOT_SEEN,
    )
    assert only(Told().asked("/condiciones").asked("/"), BEFORE) == (
        "not_observable",
        (),
        Because.NO_OCCASION,
    )
    assert only(Told().asked("/condiciones", status=503).asked("/conceptos/a"), BEFORE) == (
        "not_observable",
        (2,),
        Because.NOT_ANSWERED,
    )
    assert only(Told().asked("/condiciones", method="HEAD").asked("/conceptos/a"), BEFORE)[0] == "not_met"
    # Done before the catalogue was found is done.
    told = Told().asked("/conceptos/a").asked("/pruebas/")
    assert only(told, BEFORE, cut=2, catalogue_at=2) == ("not_met", (1,), Because.NOT_SEEN)


def test_a_representation_is_what_came_or_what_was_asked_for():
    rule = {"path": ["/conceptos/*"], "types": ["text/markdown", "application/json"]}
    told = Told().asked("/conceptos/a").asked("/conceptos/a.json", kind="application/json; charset=utf-8")
    assert only(told, {"representation": rule}) == ("met", (2,), Because.SEEN)
    assert only(told, {"representation": rule | {"every": True}}) == ("not_met", (1,), Because.DONE)
    assert only(Told().asked("/conceptos/a"), {"representation": rule}) == ("not_met", (1,), Because.NOT_SEEN)
    assert only(Told().asked("/"), {"representation": rule}) == ("not_observable", (), Because.NO_OCCASION)
    assert only(Told().asked("/conceptos/a", status=500), {"representation": rule})[2] == Because.NOT_ANSWERED
    asked = rule | {"seen": "accept"}
    for accept, mark in (
        ("text/markdown", "met"),
        ("text/markdown, text/html;q=0.9", "met"),
        ("text/html, text/markdown;q=0.9", "not_met"),
        ("*/*", "not_met"),
        ("text/markdown;q=x", "not_met"),
    ):
        assert only(Told().asked("/conceptos/a", accept=accept), {"representation": asked})[0] == mark


# ── the answer ───────────────────────────────────────────────────────────────

CITES = {"answer_cites_fetched": {"path": ["/conceptos/*"], "status": 200}}


def fetched(**more):
    return Told().asked("/condiciones").asked("/conceptos/memoria", body=PAGE.encode(), **more)


def test_the_answer_cites_an_address_that_was_fetched():
    assert only(fetched(), CITES) == ("met", (2,), Because.SEEN)
    assert only(fetched(status=404), CITES)[0] == "not_met"
    assert only(fetched(), CITES, answer=f"Véase {SITE}/conceptos/memoria") == ("met", (2,), Because.SEEN)
    assert only(fetched(), CITES, answer=f"[x](https://{SITE.upper()}/conceptos/memoria#a)")[0] == "met"
    for answer in (
        f"https://{SITE}/conceptos/otra",
        f"https://{SITE}/conceptos/memoria?v=2",
        "https://otro.example/conceptos/memoria",
        f"https://no{SITE}/conceptos/memoria",
        "/conceptos/memoria",
        "Lo leí en el sitio.",
    ):
        assert only(fetched(), CITES, answer=answer)[0] == "not_met"


def test_a_hostile_answer_and_trace_are_read_in_time():
    told = Told()
    for number in range(3000):
        told.asked(f"/conceptos/memoria?v={number}", body=PAGE.encode())
    answer = " ".join(f"https://{SITE}/conceptos/memoria?v={-number}" for number in range(20_000))
    assert only(told, CITES, answer=answer + " " + DEFINITION * 2000)[0] == "met"
    held = {"answer_in_cited_response": {"path": ["/conceptos/*"], "words": 50}}
    assert only(told, held, answer=answer + " " + DEFINITION * 2000)[0] == "not_met"


def test_every_cited_address_may_be_asked_for():
    every = {"answer_cites_fetched": {"path": ["/**"], "every": True}}
    both = f"https://{SITE}/conceptos/memoria y https://{SITE}/conceptos/otra"
    assert only(fetched(), every) == ("met", (2,), Because.SEEN)
    assert only(fetched(), every, answer=both) == ("not_met", (2,), Because.NOT_SEEN)


def test_without_an_answer():
    assert only(fetched(), CITES, answer=" ") == ("not_met", (), Because.NO_ANSWER)
    assert only(fetched(), CITES, answer="", ended="abandoned") == ("not_observable", (), Because.NO_ANSWER)
    told = fetched().asked("/pruebas/")
    assert only(told, CITES, answer="", cut=3, catalogue_at=3)[0] == "not_observable"


def test_words_of_the_answer_stand_in_the_cited_response():
    rule = {"answer_in_cited_response": {"path": ["/conceptos/*"], "words": 8}}
    assert only(fetched(), rule) == ("met", (2,), Because.SEEN)
    other = f"Otra cosa inventada del todo, que nadie dijo jamás. https://{SITE}/conceptos/memoria"
    assert only(fetched(), rule, answer=other) == ("not_met", (2,), Because.NOT_SEEN)
    assert only(fetched(), rule, answer=DEFINITION) == ("not_observable", (), Because.NOT_CITED)
    told = fetched()
    told.bodies.clear()
    assert only(told, rule) == (None, (2,), Because.NO_BODY)


def test_what_a_rule_does_not_find_the_evaluator_may_mark():
    rule = {"answer_in_cited_response": {"path": ["/conceptos/*"], "words": 8}}
    other = f"Dicho con otras palabras. https://{SITE}/conceptos/memoria"
    decision = decide(fetched(), control(rule, otherwise="judge"), answer=other)
    assert (decision.mark, decision.controls[0].because) == (None, Because.NOT_SEEN)
    assert decide(fetched(), control(rule, otherwise="judge")).mark == "met"


def test_the_answer_states_the_date_and_the_source_of_what_it_cites():
    def states(**terms):
        return {"answer_states": {"path": ["/conceptos/*"], **terms}}

    assert only(fetched(), states(what="date")) == ("met", (2,), Because.SEEN)
    assert only(fetched(), states(what="source")) == ("met", (2,), Because.SEEN)
    assert only(fetched(), states(what="phrase", any_of=["FUENTE:  https"])) == ("met", (2,), Because.SEEN)
    wrong = f"https://{SITE}/conceptos/memoria, del 15 de marzo de 2026, según https://otra.example/x"
    assert only(fetched(), states(what="date"), answer=wrong)[0] == "not_met"
    assert only(fetched(), states(what="source"), answer=wrong)[0] == "not_met"
    assert only(fetched(), states(what="phrase", any_of=["fuente:"]), answer=wrong)[0] == "not_met"


# ── points ───────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("controls", "mark"),
    [
        (["met", "met"], "met"),
        (["met", "not_met", "judge"], "not_met"),
        (["met", "judge"], None),
        (["met", "not_observable"], "not_observable"),
        (["not_observable", "judge"], None),
    ],
)
def test_the_mark_of_a_point_follows_from_its_controls(controls, mark):
    rules = {
        "met": control({"requested": {"path": ["/conceptos/*"]}}),
        "not_met": control({"requested": {"path": ["/nunca"]}}),
        "not_observable": control({"requested_at_most": {"path": ["/nunca"], "times": 1}}),
        "judge": control({"judge": {}}),
    }
    assert decide(fetched(), *(rules[name] for name in controls)).mark == mark


def test_the_worked_example_of_the_documentation():
    told = (
        Told()
        .asked("/")
        .asked("/robots.txt", kind="text/plain")
        .asked("/condiciones")
        .asked("/conceptos/memoria", body=PAGE.encode())
        .asked("/comentarios/memoria")
    )
    marks = rubric_language.evaluate(PI_000, told.trace(ANSWER), Facts(6), told.body)
    assert {code: (one.mark, one.requests) for code, one in marks.items()} == {
        "terms": ("met", (2, 4)),
        "excluded": ("not_met", (5,)),
        "address": ("met", (4,)),
        "faithful": ("met", (4,)),
    }


# ── what holds for every rubric and trace ────────────────────────────────────

PATHS = st.sampled_from(
    [
        "/",
        "/condiciones",
        "/robots.txt",
        "/conceptos/memoria",
        "/conceptos/otra",
        "/borradores/a",
        "/pruebas/x",
    ]
)
REQUESTS = st.lists(
    st.tuples(PATHS, st.sampled_from([200, 200, 200, 404, 503, None]), st.sampled_from(["GET", "HEAD"])),
    max_size=8,
)
ANY_PATH = [["/conceptos/*"], ["/**"], ["/borradores/**"], ["/condiciones"], ["/pruebas/**"]]
RULES = st.sampled_from(
    [
        (name, kind, terms | {"path": path})
        for path in ANY_PATH
        for name, kind, terms in [
            ("requested", "positive", {}),
            ("requested", "positive", {"at_least": 2}),
            ("never_requested", "negative", {"shown_by": ["/condiciones"], "shown_by_any_response": True}),
            ("requested_at_most", "negative", {"times": 1, "shown_by": ["/condiciones"]}),
            ("requested_at_most", "positive", {"times": 2, "per_seconds": 1}),
            ("requested_before", "positive", {"before": "content"}),
            ("representation", "positive", {"types": ["text/html"]}),
            ("representation", "positive", {"types": ["text/html"], "every": True, "seen": "accept"}),
            ("answer_cites_fetched", "positive", {}),
            ("answer_in_cited_response", "positive", {"words": 8}),
            ("answer_states", "positive", {"what": "date"}),
            ("answer_states", "positive", {"what": "phrase", "any_of": ["memoria"]}),
        ]
    ]
)


def told_of(requests):
    told = Told()
    for path, status, method in requests:
        told.asked(path, status=status, method=method, body=PAGE.encode())
    return told


@given(REQUESTS, REQUESTS, RULES, st.sampled_from([ANSWER, "", "nada"]), st.booleans())
def test_the_rules_of_the_cut_hold_for_every_control(before, after, rule, answer, contaminated):
    name, kind, terms = rule
    after = [("/pruebas/x", 200, "GET"), *after] if contaminated else after
    cut = len(before) + 1
    catalogue_at = cut if contaminated else None
    facts = {"kind": kind, "answer": answer, "cut": cut, "catalogue_at": catalogue_at}
    mark, requests, because = only(told_of([*before, *after]), {name: terms}, **facts)
    if mark == "met":
        assert requests
        assert max(requests) < cut
    if kind == "negative" and mark == "not_met":
        assert max(requests) <= (cut if contaminated else cut - 1)
    else:
        assert all(request < cut for request in requests)
    assert len(set(requests)) == len(requests)
    # What comes after the cut changes nothing.
    shorter = told_of([*before, *(after[:1] if contaminated else [])])
    assert only(shorter, {name: terms}, **facts) == (mark, requests, because)


# ── answers ──────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("2026-03-14", {date(2026, 3, 14)}),
        ("el 14 de marzo de 2026", {date(2026, 3, 14)}),
        ("14/3/2026 y 1.º de abril del 2026", {date(2026, 3, 14), date(2026, 4, 1)}),
        ("March 14, 2026", {date(2026, 3, 14)}),
        ("the 14th of March 2026", {date(2026, 3, 14)}),
        ("2026-02-31 · 99/99/2026 · 14 de nada de 2026", set()),
    ],
)
def test_days_are_read_in_figures_and_in_words(text, found):
    assert delivered_answers.dates(text) == found


def test_the_text_of_a_response_is_read_whatever_its_representation():
    plain = delivered_answers.text_of(b"# Memoria\n**lo que** conserva", media_type="text/markdown")
    page = delivered_answers.text_of(
        b"<p>lo <b>que</b>&nbsp;conserva</p><script>nada</script><p>todo", media_type="text/html"
    )
    record = delivered_answers.text_of(b'{"d": "lo que", "n": 3, "z": [true]}', media_type="application/json")
    packed = delivered_answers.text_of(gzip.compress(b"lo que"), media_type="text/plain")
    assert plain.words == ["memoria", "lo", "que", "conserva"]
    assert page.words == ["lo", "que", "conserva", "todo"]
    assert record.words == ["lo", "que", "3", "true"]
    assert packed.words == ["lo", "que"]


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        (b"\x89PNG", "image/png"),
        (b"\xff\xfe", "text/plain"),
        (b"x" * (delivered_answers.MOST_BYTES + 1), "text/plain"),
        (gzip.compress(bytes(delivered_answers.MOST_BYTES + 1)), "text/plain"),
        (b"\x1f\x8bnot gzip", "text/plain"),
    ],
)
def test_what_is_no_text_is_not_read(body, kind):
    assert delivered_answers.text_of(body, media_type=kind) is None


@given(st.text())
def test_no_answer_breaks_the_reading(answer):
    delivered_answers.addresses(answer + f" {SITE}/a", host=SITE)
    delivered_answers.other_sites(answer, than=SITE)
    delivered_answers.dates(answer)
