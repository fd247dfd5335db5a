"""A certificate is found by whatever someone has in hand, and a list says what each page says."""

from datetime import timedelta

import pytest

from certificates import front, queries
from certificates.models import CertificateState
from certificates.queries import Searched, Wanted
from certificates.states import Status
from certificates.tests import registry
from certificates.tests.registry import Evidence
from registry_site import clock

pytestmark = pytest.mark.django_db


@pytest.fixture
def known(who):
    """Three certificates: two systems of one holder, and one of another."""
    peumo = registry.holder("Peumo SpA")
    tramite = registry.holder("Trámite Claro SAS", country="CO")
    return [
        registry.issued(who, registry.measurement(of, by=who.evaluator))
        for of in (
            registry.version(peumo),
            registry.version(peumo, name="Ventanilla Única", pinned="2.0"),
            registry.version(tramite, name="Guía Paciente", pinned="2.6.0"),
        )
    ]


def found(q: str = "", **more) -> queries.Found:
    return queries.find(Wanted(q=q, **more), at=clock.now())


def numbers(result: queries.Found) -> list[str]:
    return [row.number for row in result.rows]


def test_by_number_in_any_spelling(known):
    number = known[0].number
    for typed in (number, number.lower(), number.replace("-", " "), number.removeprefix("FEH-")):
        result = found(typed)
        assert (result.searched, result.number, numbers(result)) == (Searched.NUMBER, number, [number])


def test_a_typing_error_is_told_apart_from_an_unknown_number(known):
    mistyped = found("FEH-2026-000001-99")
    assert (mistyped.wrong_check_digit, mistyped.searched, mistyped.rows) == (True, Searched.NUMBER, ())
    unknown = found("FEH-2026-000042-87")
    assert (unknown.wrong_check_digit, unknown.number, unknown.rows) == (False, "FEH-2026-000042-87", ())


def test_by_sha256_or_its_first_eight_digits(known):
    digest = known[1].measurement.package.sha256
    for typed in (digest, digest[:8], digest.upper(), f"sha256:{digest}"):
        result = found(typed)
        assert (result.searched, numbers(result)) == (Searched.SHA256, [known[1].number])
    assert found(digest[:7]).searched is not Searched.SHA256


@pytest.mark.parametrize("typed", ["ventanilla", "VENTANILLA UNICA", "única", "ntanil", "2.0"])
def test_by_words_of_system_or_version_without_accents_or_case(known, typed):
    result = found(typed)
    assert (result.searched, numbers(result)) == (Searched.WORDS, [known[1].number])


def test_by_holder_newest_first(known):
    assert numbers(found("peumo")) == [known[1].number, known[0].number]


@pytest.mark.parametrize(
    "typed", ["", "  ", "%", "_", "'; drop", "\\", "a" * 5000, "ü\x00x", "()&|!:*", "🙂"]
)
def test_whatever_is_typed_is_answered(known, typed):
    assert found(typed).searched in Searched


def test_a_name_that_nobody_has_brings_those_written_alike(known):
    result = found("Tramite Clero")
    assert result.rows == ()
    assert result.suggestions == ("Trámite Claro SAS",)


def test_filters_narrow_and_what_is_no_value_finds_nothing(known):
    assert numbers(found(holder=str(known[2].system_version.system.holder_id))) == [known[2].number]
    assert len(numbers(found(scheme="HALU-1", method="hallucination", group="es", year="2026"))) == 3
    for narrow in (
        {"holder": "x"},
        {"year": "0"},
        {"group": "zz"},
        {"status": "valid"},
        {"scheme": "HALU-9"},
    ):
        assert found(**narrow).rows == ()


def test_status_is_decided_at_the_instant_and_not_by_the_last_sweep(who):
    at = clock.now()
    certificate = registry.issued(who, valid_until=at + timedelta(days=1))
    tomorrow = at + timedelta(days=2)
    for status, instant, there in (
        ("active", at + timedelta(seconds=1), True),
        ("expired", at + timedelta(seconds=1), False),
        ("active", tomorrow, False),
        ("expired", tomorrow, True),
    ):
        result = queries.find(Wanted(status=status), at=instant)
        assert (certificate.number in numbers(result)) is there
    assert queries.census(at=tomorrow) == {"expired": 1}
    (row,) = queries.listed(queries.find(Wanted(), at=tomorrow).rows, at=tomorrow)
    assert (row.verdict.status, row.verdict.in_force) == ("expired", False)


def test_list_and_census_say_what_the_pages_say(who):
    made = {status: registry.certificate_at(status, who) for status in Status if status is not Status.EXPIRED}
    rows = queries.listed(CertificateState.objects.order_by("pk"), at=clock.now())
    words = {row.number: row.verdict.status for row in rows}
    assert all(words[certificate.number] == status for status, certificate in made.items())
    assert queries.census(at=clock.now()) == {
        "active": 2,
        "suspended": 1,
        "revoked": 1,
        "terminated": 1,
        "superseded": 1,
    }


def test_pages_follow_each_other_in_both_directions(who):
    of = registry.version()
    made = [
        registry.issued(
            who,
            registry.measurement(of, by=who.evaluator, evidence=Evidence(set_sha256=f"{n:02d}" * 32)),
        ).number
        for n in range(5)
    ]
    newest = list(reversed(made))
    first = found(size=2)
    second = found(size=2, after=first.following)
    third = found(size=2, after=second.following)
    assert [numbers(page) for page in (first, second, third)] == [newest[:2], newest[2:4], newest[4:]]
    assert (first.earlier, third.following) == (None, None)
    back = found(size=2, before=third.earlier)
    assert numbers(back) == newest[2:4]
    assert numbers(found(size=2, before=back.earlier)) == newest[:2]


@pytest.mark.parametrize("cursor", ["x", "!!!", "bnVsbA", "W10", "WyIyMDI2LTEyLTAxIiwgMV0", "é"])
def test_a_broken_cursor_begins_the_list_anew(known, cursor):
    assert len(found(after=cursor).rows) == 3


def test_a_list_asks_the_same_number_of_queries_whatever_its_length(known, django_assert_max_num_queries):
    with django_assert_max_num_queries(7):
        queries.listed(found().rows, at=clock.now())
    with django_assert_max_num_queries(17):
        front.certificates({"q": "peumo", "status": "active"}, at=clock.now())


def test_the_front_page_tells_the_latest_decisions_and_refusals(who):
    from certificates import lifecycle

    certificate = registry.certificate_at(Status.SUSPENDED, who)
    measured = registry.measurement(by=who.evaluator)
    lifecycle.refuse_issue(measured, by=who.certifier, at=clock.now(), statement=registry.STATEMENT)
    page = front.home(at=clock.now())
    assert page.census == {"suspended": 1}
    assert [(one.step, one.certificate) for one in page.latest] == [
        ("refuse", None),
        ("suspend", certificate.number),
        ("issue", certificate.number),
    ]


def test_a_notice_is_told_with_its_certificate_and_a_refusal_without(who):
    from certificates import lifecycle

    certificate = registry.certificate_at(Status.SUSPENDED, who)
    notice = certificate.notices.get(decision="suspend")
    page = front.notice(notice.number, at=clock.now())
    assert (page.certificate, page.step, page.sequence) == (certificate.number, "suspend", 2)
    assert page.verdict.decision == notice.number
    refusal = lifecycle.refuse_issue(
        registry.measurement(by=who.evaluator), by=who.certifier, at=clock.now(), statement=registry.STATEMENT
    )
    page = front.notice(refusal.number, at=clock.now())
    assert (page.certificate, page.step, page.system) == (None, "refuse", "Peumo Consulta")
    assert front.notice("AV-2026-999999", at=clock.now()) is None
