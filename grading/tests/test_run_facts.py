"""The facts of a run are counted from its trace: order is the sequence, whatever clocks say."""

from datetime import timedelta

from hypothesis import given
from hypothesis import strategies as st

from grading import run_facts
from grading.tests.traces import BEGIN, Told

CATALOGUE = ("/pruebas/**",)


def facts(told, catalogue=CATALOGUE, **changes):
    return run_facts.facts(told.trace(**changes), catalogue=catalogue)


def test_a_run_without_a_request():
    of = facts(Told())
    assert (of.counted, of.beyond_limit, of.interrupted, of.cut) == (0, 0, 0, 1)
    assert of.duration_seconds is of.token_age_seconds is of.catalogue_at is None


def test_a_run_that_meets_no_limit_is_graded_to_its_end():
    told = Told().asked("/").asked("/conceptos/").asked("/conceptos/agente", status=None)
    of = facts(told, token_issued_at=BEGIN - timedelta(minutes=1))
    assert (of.counted, of.interrupted, of.cut) == (3, 1, 4)
    assert (of.duration_seconds, of.token_age_seconds) == (2.0, 61.0)
    assert not of.is_contaminated


def test_the_catalogue_cuts_however_its_address_is_spelled():
    for spelled in ("/pruebas", "/%70ruebas/PI-001", "/x/../pruebas//", "/pruebas%2Fa?b=1"):
        of = facts(Told().asked("/").asked(spelled).asked("/").asked("/pruebas/"))
        assert (of.catalogue_at, of.cut) == (2, 2), spelled


def test_whichever_comes_first_cuts():
    late = Told().asked("/").asked("/", beyond_limit=True).asked("/pruebas/", beyond_limit=True)
    assert (facts(late).catalogue_at, facts(late).first_beyond_limit, facts(late).cut) == (3, 2, 2)
    early = Told().asked("/pruebas/").asked("/", beyond_limit=True)
    assert (facts(early).counted, facts(early).beyond_limit, facts(early).cut) == (1, 1, 1)


def test_a_clock_that_goes_backwards_makes_no_negative_duration():
    of = facts(Told().asked("/").asked("/", after=-30).asked("/", after=1))
    assert of.duration_seconds == 30.0
    assert of.cut == 4


def test_facts_are_told_with_six_decimals():
    told = facts(Told().asked("/").asked("/", after=0.1)).as_json()
    assert told["duration_seconds"] == "0.100000"
    assert told["catalogue_at"] is None


def test_the_same_bodies_are_read_by_whoever_grades(monkeypatch):
    monkeypatch.setattr(run_facts, "MOST_OF_A_BODY", 10)
    monkeypatch.setattr(run_facts, "MOST_OF_ALL_BODIES", 15)
    told = Told().asked("/a", body=b"a" * 8).asked("/b", body=b"b" * 11).asked("/c", body=b"c" * 8)
    told.asked("/a", body=b"a" * 8).asked("/e", body=b"e" * 7).asked("/f", body=b"f").asked("/g", body=b"")
    read = run_facts.readable_bodies(told.exchanges, cut=7)
    assert [told.bodies[digest][:1] for digest in read] == [b"a", b"e"]
    assert run_facts.readable_bodies(told.exchanges, cut=1) == []


@given(
    st.lists(st.tuples(st.sampled_from(["/", "/pruebas/", "/conceptos/a"]), st.booleans()), max_size=12),
    st.lists(st.sampled_from(["/", "/pruebas/x"]), max_size=5),
)
def test_nothing_after_the_cut_moves_it(asked, more):
    told = Told()
    for path, beyond in asked:
        told.asked(path, beyond_limit=beyond)
    before = facts(told)
    if before.cut > len(asked):
        return
    for path in more:
        told.asked(path, beyond_limit=True)
    after = facts(told)
    assert after.cut == before.cut
    assert before.cut == min(x for x in (before.catalogue_at, before.first_beyond_limit) if x)
