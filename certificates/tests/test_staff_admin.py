"""Django's admin is a reading room, also for a superuser."""

import pytest
from django.contrib import admin
from django.urls import reverse

from certificates import policies
from certificates.tests import desks, registry
from registry_site import clock, roles
from registry_site.admin_site import ReadOnly
from registry_site.models import User
from registry_site.problems import NotAllowed
from registry_site.roles import Role

pytestmark = pytest.mark.django_db
OURS = ("registry_site", "evidence", "grading", "certificates")


def may_enter(user: User) -> User:
    User.objects.filter(pk=user.pk).update(is_staff=True, is_superuser=True)
    user.refresh_from_db()
    return user


def test_it_opens_to_a_role_with_a_second_factor_only(who, client):
    assert client.get("/admin/", follow=True).redirect_chain[-1][0] == "/accounts/login/"
    registrar = may_enter(who.registrar)
    assert desks.by_password(registrar).get("/admin/").status_code == 302
    assert desks.at_desk(registrar).get("/admin/").status_code == 200
    nobody = may_enter(registry.person("Nadie Todavía"))
    assert desks.at_desk(nobody).get("/admin/").status_code == 302
    # Its own sign-in form, which knows no second factor, is not there.
    answer = client.post("/admin/login/", {"username": registrar.email, "password": "x"})
    assert (answer.status_code, answer["Location"]) == (302, "/accounts/login/")


def test_a_superuser_adds_changes_and_deletes_nothing(who):
    registry.certificate_at(registry.Status.SUSPENDED, who)
    registry.measurement(by=who.evaluator)
    client = desks.at_desk(may_enter(who.certifier))
    for model, shelf in admin.site._registry.items():
        name = f"admin:{model._meta.app_label}_{model._meta.model_name}"
        assert client.get(reverse(f"{name}_changelist")).status_code == 200
        assert client.get(reverse(f"{name}_add")).status_code == 403
        row = model.objects.first()
        if row is None:
            continue
        change = reverse(f"{name}_change", args=[row.pk])
        assert client.get(change).status_code == 200, model
        assert client.post(change, {"word": "active"}).status_code == 403
        assert client.post(reverse(f"{name}_delete", args=[row.pk]), {"post": "yes"}).status_code == 403
        assert shelf.actions is None


def test_every_shelf_is_there_to_be_looked_at():
    assert admin.site._registry
    for model, shelf in admin.site._registry.items():
        assert isinstance(shelf, ReadOnly), model
        assert model._meta.app_label in OURS


@pytest.mark.parametrize(
    "address",
    [
        "registry_site/person/",
        "registry_site/user/",
        "registry_site/rolegrant/",
        "registry_site/apitoken/",
        "registry_site/auditentry/",
        "registry_site/invitation/",
        "registry_site/factorrecovery/",
        "registry_site/outbox/",
        "evidence/interest/",
        "evidence/holdermember/",
        "certificates/appealcontact/",
        "certificates/report/",
        "certificates/reportdraft/",
        "certificates/reportcontent/",
        "certificates/reportattachment/",
        "certificates/reportevent/",
        "certificates/reportreply/",
        "certificates/reportstanding/",
        "certificates/reportlink/",
        # What libraries would bring along: with them a superuser takes a second factor or an address away.
        "mfa/authenticator/",
        "account/emailaddress/",
        "auth/group/",
    ],
)
def test_people_are_not_in_it_also_for_a_superuser(who, address):
    client = desks.at_desk(may_enter(who.registrar))
    assert client.get(f"/admin/{address}").status_code == 404
    assert client.post(f"/admin/{address}add/", {"role": "certifier"}).status_code == 404


def test_a_superuser_of_the_admin_holds_no_role_by_it(who):
    """Must show: the rules hold in the admin, and what it opens to decides nothing."""
    certificate = registry.issued(who)
    nobody = may_enter(registry.person("Nadie Todavía"))
    desk = desks.at_desk(nobody)
    assert desk.get("/admin/").status_code == 302
    assert (
        desk.post(f"/staff/certificates/{certificate.number}/revoke/", {"action": "sign"}).status_code == 403
    )
    refusal = policies.refusal_to_revoke(nobody, certificate, at=clock.now())
    assert refusal.code == "role_missing"
    with pytest.raises(NotAllowed):
        roles.grant(nobody.person, Role.CERTIFIER, by=nobody.person, at=clock.now())


# ── without a second factor ──────────────────────────────────────────────────


def test_without_a_second_factor_nothing_is_decided_by_any_door(who):
    """The page asks for it, the admin stays shut, and the API takes no session at all."""
    certificate = registry.issued(who)
    certifier = may_enter(who.certifier)
    client = desks.by_password(certifier)
    address = f"/staff/certificates/{certificate.number}/revoke/"
    for method in (client.get, client.post):
        assert method(address)["Location"].startswith("/staff/second-factor/")
    assert client.get("/admin/", follow=True).redirect_chain[-1][0].startswith("/staff/second-factor/")
    assert client.get("/admin/certificates/certificate/").status_code == 302
    # A session counts for nothing in the API, with or without its second factor.
    for session in (client, desks.at_desk(certifier)):
        answer = session.post(f"/api/v1{address.removeprefix('/staff')}", {}, content_type="application/json")
        assert (answer.status_code, answer.json()["code"]) == (401, "not_authenticated")
    assert certificate.events.count() == 1


def test_a_token_without_a_role_reads_and_decides_nothing(who):
    certificate = registry.issued(who)
    program = desks.holding(who.certifier, None)
    body = {"reason": "false_declaration", "statement": {"es": "x", "en": "x"}, "if_sequence": 1}
    answer = program.post(
        f"/api/v1/certificates/{certificate.number}/revoke/", body, content_type="application/json"
    )
    assert (answer.status_code, answer.json()["code"]) == (403, "role_needed")
    assert certificate.events.count() == 1
