"""How operators of agents are admitted, invited and ended, and who may see them."""

import pytest
from django.test import Client

from certificates.tests import registry
from certificates.tests.desks import at_desk
from evidence.models import Operator
from evidence.tests import running
from registry_site.models import AuditEntry, Invitation, Outbox
from registry_site.people_letters import compose

pytestmark = pytest.mark.django_db

LIST = "/staff/operators/"


def test_a_registrar_admits_somebody_who_has_an_account_and_ends_it(who):
    desk = at_desk(who.registrar)
    oscar = registry.person("Oscar Operador")
    assert "Todavía nadie opera agentes" in desk.get(LIST).content.decode()
    sent = {"email": oscar.email.upper(), "organisation": "Laboratorio Quillay"}
    assert desk.post(f"{LIST}admit/", sent)["Location"] == LIST
    again = desk.post(f"{LIST}admit/", sent)
    assert again.status_code == 422
    assert "ya está admitida" in again.content.decode()
    page = desk.get(LIST).content.decode()
    assert "Oscar Operador" in page
    assert oscar.email in page
    assert AuditEntry.objects.filter(action="operators.listed", person=who.registrar.person).count() == 2
    ending = f"{LIST}{Operator.objects.get().pk}/end/"
    assert "Oscar Operador" in desk.get(ending).content.decode()
    for _ in range(2):
        assert desk.post(ending)["Location"] == LIST
    assert Operator.objects.get().ended_by == who.registrar.person
    assert Outbox.objects.filter(kind="operator.ended").count() == 1


def test_who_accepts_the_invitation_lands_among_their_runs(who):
    desk = at_desk(who.registrar)
    sent = {
        "name": "Nora Nueva",
        "email": "nora@quillay.example",
        "language": "es",
        "organisation": "Quillay SpA",
    }
    assert desk.post(f"{LIST}invite/", sent)["Location"] == LIST
    assert "nora@quillay.example" in desk.get(LIST).content.decode()
    letter = Outbox.objects.get(kind="invitation.made")
    visitor = Client()
    visitor.get(compose(letter).path)
    password = {"password": "una frase de verdad larga", "again": "una frase de verdad larga"}
    visitor.post("/accounts/invitation/", password)
    nora = Invitation.objects.get().account
    assert Operator.objects.get().person == nora.person
    visitor.force_login(nora)
    assert visitor.get("/staff/")["Location"] == "/runs/"


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"email": "nadie@quillay.example"}, "email"),
        ({"organisation": "Quill\u202eay"}, "organisation"),
        ({"organisation": ""}, "organisation"),
    ],
)
def test_what_is_wrong_is_told_at_its_field(who, change, field):
    someone = registry.person("Oscar Operador")
    sent = {"email": someone.email, "organisation": "Quillay"} | change
    response = at_desk(who.registrar).post(f"{LIST}admit/", sent)
    assert response.status_code == 422
    assert field in response.context["form"].errors


def test_nobody_with_a_role_is_admitted_nor_an_operator_given_one(who):
    desk = at_desk(who.registrar)
    response = desk.post(f"{LIST}admit/", {"email": who.evaluator.email, "organisation": "Quillay"})
    assert "tiene una función" in response.content.decode()
    operator = running.an_operator(who.registrar.person)
    page = desk.get(f"/staff/people/{operator.person_id}/roles/evaluator/give/")
    assert "opera ejecuciones de agentes" in page.content.decode()


def test_evaluators_see_them_and_admit_nobody_and_the_others_see_nothing(who):
    running.an_operator(who.registrar.person)
    desk = at_desk(who.evaluator)
    page = desk.get(LIST).content.decode()
    assert "Óscar Operador" in page
    assert "/admit/" not in page
    for step in ("admit/", "invite/", f"{Operator.objects.get().pk}/end/"):
        assert desk.post(f"{LIST}{step}").status_code == 403
    assert at_desk(who.certifier).get(LIST).status_code == 403
