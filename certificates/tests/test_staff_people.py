"""The registrar's desk: people, their roles and accounts; every step says first what follows."""

import re

import pytest
from django.contrib.auth import get_user
from django.test import Client

from certificates.tests import desks, registry
from registry_site import accounts, clock, invitations, roles, tokens
from registry_site.models import ApiToken, AuditEntry, Invitation, Outbox, RoleGrant, User
from registry_site.problems import NotAllowed
from registry_site.roles import Role

pytestmark = pytest.mark.django_db
NORA = {"name": "Nora Nueva", "email": "nora@registro.example", "language": "es", "roles": ["certifier"]}


@pytest.fixture
def desk(who) -> Client:
    return desks.at_desk(who.registrar)


def text(answer) -> str:
    return answer.content.decode()


# ── who may look ─────────────────────────────────────────────────────────────


def test_the_pages_are_the_registrars_alone(who):
    invitation = invitations.invite(
        name="Nora Nueva", email=NORA["email"], language="es", by=who.registrar.person, at=clock.now()
    )
    for user in (who.certifier, who.evaluator, who.appeals_officer):
        client = desks.at_desk(user)
        assert "/staff/people/" not in text(client.get("/staff/packages/"))
        for address in (
            "/staff/people/",
            "/staff/people/invite/",
            f"/staff/people/{who.registrar.person.pk}/",
            f"/staff/people/{user.person.pk}/roles/registrar/give/",
            f"/staff/people/accounts/{who.registrar.pk}/deactivate/",
            f"/staff/people/invitations/{invitation.pk}/cancel/",
        ):
            assert client.get(address).status_code == 403
            assert client.post(address, NORA | {"action": "send"}).status_code in (403, 405)
    assert Invitation.objects.filter(cancelled_at=None).count() == 1
    assert desks.by_password(who.registrar).get("/staff/people/").status_code == 302
    assert Client().get("/staff/people/").status_code == 302


def test_the_list_tells_roles_accounts_and_second_factors(who, desk):
    desks.with_app(who.certifier)
    page = text(desk.get("/staff/people/"))
    assert "Carlos Certificador" in page
    assert who.certifier.email in page
    assert "configurado" in page
    assert "sin configurar" in page
    assert "al menos tres personas distintas" in page
    assert AuditEntry.objects.filter(action="people.listed", person=who.registrar.person).exists()
    assert "People" in text(desks.at_desk(who.registrar, language="en").get("/staff/people/"))


@pytest.mark.parametrize(
    ("asked", "there", "not_there"),
    [
        ("role=certifier", "Carlos Certificador", "Elena Evaluadora"),
        ("role=none", "Nadie Todavía", "Carlos Certificador"),
        ("q=ana", "Ana Apelaciones", "Elena Evaluadora"),
        ("q=certificador&role=certifier", "Carlos Certificador", "Ana Apelaciones"),
        ("state=closed", "Beatriz Baja", "Carlos Certificador"),
        ("state=open", "Carlos Certificador", "Beatriz Baja"),
        ("state=without_factor", "Elena Evaluadora", "Carlos Certificador"),
        ("role=<script>&state=x&after=zz", "Elena Evaluadora", "<script>"),
    ],
)
def test_the_list_is_filtered(who, desk, asked, there, not_there):
    registry.person("Nadie Todavía")
    registry.person("Beatriz Baja", is_active=False)
    desks.with_app(who.certifier)
    page = text(desk.get(f"/staff/people/?{asked}"))
    assert there in page
    assert not_there not in page


def test_the_list_has_pages_and_few_queries(who, desk, django_assert_max_num_queries):
    for n in range(60):
        registry.person(f"Persona {n:02}")
    with django_assert_max_num_queries(15):
        first = text(desk.get("/staff/people/?role=none"))
    following = re.search(r'rel="next" href="([^"]+)"', first)[1].replace("&amp;", "&")
    second = text(desk.get(f"/staff/people/{following}"))
    names = [re.findall(r"Persona \d\d", page) for page in (first, second)]
    assert (len(names[0]), len(names[1])) == (50, 10)
    assert not set(names[0]) & set(names[1])
    with django_assert_max_num_queries(20):
        desk.get(f"/staff/people/{who.certifier.person.pk}/")


# ── inviting ─────────────────────────────────────────────────────────────────


def test_an_invitation_is_previewed_then_sent(who, desk):
    assert desk.get("/staff/people/invite/").status_code == 200
    page = text(desk.post("/staff/people/invite/", NORA | {"action": "preview"}))
    assert "decisión de certificación" in page
    assert 'value="nora@registro.example"' in page
    assert not Invitation.objects.exists()
    assert "Nora Nueva" in text(desk.post("/staff/people/invite/", NORA | {"action": "edit"}))
    answer = desk.post("/staff/people/invite/", NORA | {"action": "send"}, follow=True)
    assert "La invitación a nora@registro.example está en camino" in text(answer)
    assert "Invitaciones abiertas" in text(answer)
    # A second press: one invitation, and the reason.
    answer = desk.post("/staff/people/invite/", NORA | {"action": "send"})
    assert answer.status_code == 422
    assert "tiene una invitación abierta" in text(answer)
    assert Invitation.objects.get().roles == ["certifier"]


@pytest.mark.parametrize(
    ("more", "told"),
    [
        ({"email": "nadie"}, "correo"),
        ({"name": ""}, "Nombre"),
        ({"roles": ["superuser"]}, "superuser"),
    ],
)
def test_what_is_wrong_in_an_invitation_is_told_and_kept(who, desk, more, told):
    answer = desk.post("/staff/people/invite/", NORA | {"action": "preview"} | more)
    assert answer.status_code == 422
    assert told in text(answer)


def test_rule_5_and_known_addresses_are_told_when_it_is_sent(who, desk):
    for more, told in (
        ({"roles": ["registrar", "certifier"]}, "(regla 5)"),
        ({"email": who.certifier.email}, "Ya existe una cuenta"),
    ):
        answer = desk.post("/staff/people/invite/", NORA | {"action": "send"} | more)
        assert answer.status_code == 422
        assert told in text(answer)
    assert not Invitation.objects.exists()


def test_an_invitation_is_sent_again_or_cancelled(who, desk):
    desk.post("/staff/people/invite/", NORA | {"action": "send"})
    first = Invitation.objects.get()
    address = f"/staff/people/invitations/{first.pk}"
    assert "dejan de abrir" in text(desk.get(f"{address}/renew/"))
    assert desk.post(f"{address}/renew/")["Location"] == "/staff/people/"
    again = Invitation.objects.get(cancelled_at=None)
    assert again.pk != first.pk
    assert desk.post(f"{address}/cancel/").status_code == 409
    assert "anulada" in text(desk.get(f"{address}/cancel/"))
    desk.post(f"/staff/people/invitations/{again.pk}/cancel/")
    assert not Invitation.objects.filter(cancelled_at=None).exists()
    assert Outbox.objects.filter(kind="invitation.made").count() == 2


# ── roles ────────────────────────────────────────────────────────────────────


def test_a_role_is_given_and_ended_after_a_page_that_says_what_follows(who, desk):
    nora = registry.person("Nora Nueva").person
    address = f"/staff/people/{nora.pk}/"
    assert f"{address}roles/certifier/give/" in text(desk.get(address))
    assert "actúa en: decisión de certificación" in text(desk.get(f"{address}roles/certifier/give/"))
    assert not nora.role_grants.exists()
    for _ in range(2):
        assert desk.post(f"{address}roles/certifier/give/")["Location"] == address
    assert nora.role_grants.get().granted_by == who.registrar.person
    page = text(desk.get(address))
    assert f"{address}roles/certifier/end/" in page
    for _ in range(2):
        assert desk.post(f"{address}roles/certifier/end/")["Location"] == address
    ended = nora.role_grants.get()
    assert (ended.ended_by, ended.ended_at is None) == (who.registrar.person, False)
    page = text(desk.get(address))
    assert "la dio <bdi>Rita Registradora" in page
    assert "la terminó <bdi>Rita Registradora" in page
    assert AuditEntry.objects.filter(action="person.seen", subject=f"person:{nora.pk}").count() == 3


def test_rules_are_told_where_a_button_would_stand(who, desk):
    own = f"/staff/people/{who.registrar.person.pk}/"
    page = text(desk.get(own))
    assert "roles/certifier/give" not in page
    assert "Nadie se asigna una función" in page
    assert "Nadie más tiene la función de registro" in page
    assert desk.post(f"{own}roles/certifier/give/").status_code == 403
    assert desk.post(f"{own}roles/registrar/end/").status_code == 409
    certifier = f"/staff/people/{who.certifier.person.pk}/"
    assert "roles/registrar/give" not in text(desk.get(certifier))
    assert "(regla 5)" in text(desk.get(f"{certifier}roles/registrar/give/"))
    assert desk.post(f"{certifier}roles/registrar/give/").status_code == 403
    assert desk.get(f"{certifier}roles/owner/give/").status_code == 404


def test_rule_4_is_told_before_the_third_person_goes(who, desk):
    appeals = f"/staff/people/{who.appeals_officer.person.pk}/roles/appeals_officer/end/"
    assert "menos de tres personas distintas" in text(desk.get(appeals))
    assert "menos de tres" in text(desk.get(f"/staff/people/accounts/{who.appeals_officer.pk}/deactivate/"))
    # There is a second certifier.
    certifier = f"/staff/people/{who.certifier.person.pk}/roles/certifier/end/"
    assert "menos de tres" not in text(desk.get(certifier))
    desk.post(appeals)
    assert not roles.three_distinct_people()
    assert "menos de tres personas distintas" in text(desk.get("/staff/people/"))


def test_a_token_dies_with_its_role(who, desk):
    program = desks.holding(who.certifier, Role.CERTIFIER)
    reading = desks.holding(who.certifier, None)
    roles.end(who.certifier.person, Role.CERTIFIER, by=who.registrar.person, at=clock.now())
    roles.grant(who.certifier.person, Role.CERTIFIER, by=who.registrar.person, at=clock.now())
    assert program.get("/api/v1/packages/").status_code == 401
    assert reading.get("/api/v1/certificates/").status_code == 200


# ── accounts ─────────────────────────────────────────────────────────────────


def test_a_deactivated_account_is_out_at_once_and_comes_back_without_its_sessions(who, desk):
    inside = desks.at_desk(who.certifier)
    tokens.make(who.certifier, role=Role.CERTIFIER, at=clock.now())
    address = f"/staff/people/accounts/{who.certifier.pk}"
    assert "sus sesiones terminan ahora" in text(desk.get(f"{address}/deactivate/"))
    assert inside.get("/staff/").status_code == 200
    for _ in range(2):
        assert desk.post(f"{address}/deactivate/").status_code == 302
    assert inside.get("/staff/").status_code == 302
    assert not ApiToken.objects.filter(revoked_at=None).exists()
    assert RoleGrant.objects.filter(person=who.certifier.person, ended_at=None).exists()
    assert "desactivada" in text(desk.get("/staff/people/"))
    for _ in range(2):
        assert desk.post(f"{address}/reactivate/").status_code == 302
    who.certifier.refresh_from_db()
    assert who.certifier.is_active
    assert get_user(inside).is_anonymous
    assert desks.at_desk(who.certifier).get("/staff/").status_code == 200
    told = Outbox.objects.filter(kind__startswith="account.").values_list("kind", "recipient")
    assert sorted(told) == [
        (kind, email)
        for kind in ("account.deactivated", "account.reactivated")
        for email in sorted([who.certifier.email, who.registrar.email])
    ]
    entries = AuditEntry.objects.filter(subject=f"account:{who.certifier.pk}").order_by("pk")
    assert [entry.action for entry in entries] == ["account.deactivated", "account.reactivated"]


def test_nobody_closes_the_own_account_or_the_last_registrars(who, desk):
    assert desk.post(f"/staff/people/accounts/{who.registrar.pk}/deactivate/").status_code == 403
    with pytest.raises(roles.LastRegistrar):
        accounts.deactivate(who.registrar, by=None, at=clock.now())
    second = registry.person("Raúl Registrador", Role.REGISTRAR)
    accounts.deactivate(who.registrar, by=second.person, at=clock.now())
    with pytest.raises(NotAllowed):
        accounts.reactivate(who.registrar, by=who.registrar.person, at=clock.now())
    with pytest.raises(NotAllowed):
        accounts.deactivate(who.evaluator, by=who.registrar.person, at=clock.now())
    assert User.objects.get(pk=who.evaluator.pk).is_active


def test_whoever_cannot_come_in_does_not_count_for_rule_4(who):
    assert roles.three_distinct_people()
    accounts.deactivate(who.appeals_officer, by=who.registrar.person, at=clock.now())
    assert not roles.three_distinct_people()


def test_a_service_account_has_no_page_here(who, desk):
    robot = User.objects.create_user("robot@registro.example", service_name="lector")
    assert desk.get(f"/staff/people/accounts/{robot.pk}/deactivate/").status_code == 404
    assert desk.get("/staff/people/999999/").status_code == 404


def test_a_form_from_another_site_does_nothing(who):
    client = desks.at_desk(who.registrar)
    strict = Client(enforce_csrf_checks=True)
    strict.cookies = client.cookies
    assert strict.post(f"/staff/people/accounts/{who.certifier.pk}/deactivate/").status_code == 403
    assert User.objects.get(pk=who.certifier.pk).is_active
