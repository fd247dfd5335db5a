"""Declared interests: everybody the own ones, a registrar everybody's; they weigh until two years after their end."""

from datetime import UTC, datetime, timedelta

import pytest

from certificates import policies
from certificates.tests import desks, registry
from evidence import interests
from evidence.models import Interest
from registry_site import clock
from registry_site.models import AuditEntry
from registry_site.problems import NotAllowed

pytestmark = pytest.mark.django_db


def text(answer) -> str:
    return answer.content.decode()


def test_everybody_declares_the_own_interest_and_can_decide_no_more_on_that_holder(who):
    certificate = registry.issued(who)
    holder = certificate.system_version.system.holder
    desk = desks.at_desk(who.certifier)
    assert 'href="/staff/interests/"' in text(desk.get("/staff/"))
    assert "No hay ninguno declarado" in text(desk.get("/staff/interests/"))
    for _ in range(2):
        answer = desk.post("/staff/interests/", {"holder": holder.name.upper(), "kind": "consultant"})
        assert answer["Location"] == "/staff/interests/"
    interest = Interest.objects.get()
    assert (interest.person, interest.holder) == (who.certifier.person, holder)
    assert AuditEntry.objects.filter(action="interest.declared", person=who.certifier.person).count() == 1
    refusal = policies.refusal_to_revoke(who.certifier, certificate, at=clock.now())
    assert (refusal.code, refusal.extra["rule"]) == ("declared_interest", 3)
    page = text(desk.get(f"/staff/certificates/{certificate.number}/revoke/"))
    assert "(regla 3)" in page
    # Others decide on it as before.
    assert policies.refusal_to_revoke(who.second_certifier, certificate, at=clock.now()) is None


def test_it_ends_after_a_page_that_says_what_follows_and_weighs_two_years_more(who, moving_clock):
    certificate = registry.issued(who)
    holder, now = certificate.system_version.system.holder, clock.now()
    interest = interests.declare(who.certifier.person, holder, kind="family", by=who.certifier.person, at=now)
    desk = desks.at_desk(who.certifier)
    address = f"/staff/interests/{interest.pk}/end/"
    assert address in text(desk.get("/staff/interests/"))
    assert "dos años más" in text(desk.get(address))
    assert Interest.objects.get().ended_at is None
    for _ in range(2):
        assert desk.post(address)["Location"] == "/staff/interests/"
    assert AuditEntry.objects.filter(action="interest.ended").count() == 1
    page = text(desk.get("/staff/interests/"))
    assert "pesa hasta el" in page
    assert address not in page
    assert policies.refusal_to_revoke(who.certifier, certificate, at=now).code == "declared_interest"
    Interest.objects.update(ended_at=now - timedelta(days=731))
    assert policies.refusal_to_revoke(who.certifier, certificate, at=now) is None


@pytest.mark.parametrize(
    ("ended", "until"),
    [
        (datetime(2026, 11, 30, 12, tzinfo=UTC), datetime(2028, 11, 30, 12, tzinfo=UTC)),
        (datetime(2028, 2, 29, tzinfo=UTC), datetime(2030, 3, 1, tzinfo=UTC)),
        (None, None),
    ],
)
def test_until_when_it_weighs(ended, until):
    assert interests.weighs_until(Interest(ended_at=ended)) == until


def test_nobody_sees_or_touches_those_of_others_but_a_registrar(who):
    holder = registry.holder()
    own = interests.declare(
        who.certifier.person, holder, kind="owner", by=who.certifier.person, at=clock.now()
    )
    other = desks.at_desk(who.evaluator)
    assert other.get(f"/staff/people/{who.certifier.person.pk}/interests/").status_code == 403
    assert other.get(f"/staff/interests/{own.pk}/end/").status_code == 404
    assert other.post(f"/staff/interests/{own.pk}/end/").status_code == 404
    assert holder.name not in text(other.get("/staff/interests/"))
    with pytest.raises(NotAllowed):
        interests.declare(
            who.certifier.person, holder, kind="family", by=who.evaluator.person, at=clock.now()
        )
    assert Interest.objects.get().ended_at is None


def test_a_registrar_sees_all_and_enters_those_of_others(who):
    holder = registry.holder("Boldo Ltda.")
    desk = desks.at_desk(who.registrar)
    address = f"/staff/people/{who.certifier.person.pk}/interests/"
    assert address in text(desk.get(f"/staff/people/{who.certifier.person.pk}/"))
    answer = desk.post(address, {"holder": holder.identifier, "kind": "employee"})
    assert answer["Location"] == address
    assert Interest.objects.get().person == who.certifier.person
    assert AuditEntry.objects.get(action="interest.declared").person == who.registrar.person
    everybodys = text(desk.get("/staff/interests/"))
    assert "Boldo Ltda." in everybodys
    assert "Carlos Certificador" in everybodys
    seen = set(AuditEntry.objects.filter(person=who.registrar.person).values_list("action", flat=True))
    assert {"interests.listed", "person.seen"} <= seen
    desk.get(address)
    assert AuditEntry.objects.filter(action="interests.seen").exists()
    answer = desk.post(f"/staff/interests/{Interest.objects.get().pk}/end/")
    assert answer["Location"] == address


@pytest.mark.parametrize(
    ("written", "told"),
    [
        ({"holder": "Nadie SpA", "kind": "owner"}, "No hay ningún titular"),
        ({"holder": "Peumo SpA", "kind": "owner"}, "identificador"),
        ({"holder": "Peumo SpA", "kind": "friend"}, "friend"),
        ({"holder": "", "kind": ""}, "Titular"),
    ],
)
def test_what_cannot_be_declared_is_told_and_kept(who, written, told):
    registry.holder()
    registry.holder()
    answer = desks.at_desk(who.certifier).post("/staff/interests/", written)
    assert answer.status_code == 422
    assert told in text(answer)
    assert "<title>Error:" in text(answer)
    assert not Interest.objects.exists()


def test_the_list_of_everybodys_has_pages(who):
    now = clock.now()
    Interest.objects.bulk_create(
        Interest(
            person=who.certifier.person, holder=registry.holder(f"Titular {n}"), kind="owner", declared_at=now
        )
        for n in range(55)
    )
    desk = desks.at_desk(who.registrar, language="en")
    first = text(desk.get("/staff/interests/"))
    last = Interest.objects.order_by("-pk")[49]
    assert f"?before={last.pk}" in first
    assert "Titular 0<" in text(desk.get(f"/staff/interests/?before={last.pk}"))
