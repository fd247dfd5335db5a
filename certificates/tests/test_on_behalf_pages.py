"""The staff's pages for what a holder asks for in writing: one person stores it, a second one acts on it."""

import pytest
from django.test import Client

from certificates.models import Appeal, AppealStanding, HolderRequest
from certificates.tests import registry
from certificates.tests.appealing import GROUNDS
from certificates.tests.desks import at_desk
from registry_site import clock
from registry_site.models import AuditEntry

pytestmark = pytest.mark.django_db


@pytest.fixture
def suspension(who):
    return registry.suspend(registry.issued(who), by=who.certifier)


def written(kind: str, **more) -> dict[str, str]:
    today = clock.now().date()
    return {
        "kind": kind,
        "text": GROUNDS,
        "received_on_day": str(today.day),
        "received_on_month": str(today.month),
        "received_on_year": str(today.year),
    } | more


SIGNED = {"name": "Paula Peumo", "email": "paula@peumo.example", "language": "es"}


def test_from_the_letter_on_paper_to_the_public_page(who, suspension):
    number = suspension.notice.number
    first, second = at_desk(who.second_certifier), at_desk(who.evaluator)
    page = f"/staff/notices/{number}/"
    assert page in first.get(f"/staff/certificates/{suspension.certificate.number}/").content.decode()
    assert f"{page}request/" in first.get(page).content.decode()
    answer = first.post(f"{page}request/", written("appeal"))
    assert answer.status_code == 302, answer.content.decode()
    request = HolderRequest.objects.get()
    act = f"/staff/requests/{request.pk}/"

    refused = first.get(act).content.decode()
    assert "(regla 6)" in refused
    assert GROUNDS not in refused
    assert first.post(act, SIGNED).status_code == 403
    decider = at_desk(who.certifier)
    assert "(regla 2)" in decider.get(act).content.decode()
    assert decider.post(act, SIGNED).status_code == 403
    assert at_desk(who.registrar).post(act, SIGNED).status_code == 403
    assert not Appeal.objects.exists()

    assert act in second.get("/staff/?kind=request").content.decode()
    assert GROUNDS in second.get(act).content.decode()
    assert AuditEntry.objects.filter(action="request.seen", person=who.evaluator.person).exists()
    assert second.post(act, SIGNED | {"name": ""}).status_code == 422
    for _ in range(2):  # the back button, or a second press
        answer = second.post(act, SIGNED)
        assert answer["Location"] == f"/staff/appeals/{Appeal.objects.get().number}/"
    assert Appeal.objects.get().grounds == GROUNDS
    assert act not in second.get("/staff/?kind=request").content.decode()
    public = Client().get(f"/es/c/{suspension.certificate.number}/").content.decode()
    assert "Presentada en nombre del titular, a su petición escrita" in public
    told = Client().get(f"/api/v1/appeals/{Appeal.objects.get().number}/").json()
    assert (told["on_behalf"], told["withdrawn_on_behalf"]) == (True, False)

    assert first.post(f"{page}request/", written("withdraw", text="Desistimos.")).status_code == 302
    withdrawal = HolderRequest.objects.latest("pk")
    for _ in range(2):
        answer = second.post(f"/staff/requests/{withdrawal.pk}/")
        assert answer["Location"] == f"/staff/appeals/{Appeal.objects.get().number}/"
    assert AppealStanding.objects.get().state == "withdrawn"
    told = Client().get(f"/api/v1/appeals/{Appeal.objects.get().number}/").json()
    assert told["withdrawn_on_behalf"] is True


def test_what_makes_no_sense_is_told_and_what_was_typed_stays(who, suspension):
    desk, page = at_desk(who.second_certifier), f"/staff/notices/{suspension.notice.number}/"
    answer = desk.post(f"{page}request/", written("withdraw"))
    assert answer.status_code == 422
    assert GROUNDS in answer.content.decode()
    assert desk.post(f"{page}request/", written("terminate")).status_code == 422
    assert at_desk(who.registrar).post(f"{page}request/", written("appeal")).status_code == 403
    assert desk.get("/staff/notices/AV-2026-999999/").status_code == 404
    assert desk.get("/staff/requests/999999/").status_code == 404
    assert not HolderRequest.objects.exists()
