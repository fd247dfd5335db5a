"""Django's admin is a reading room, also for a superuser."""

import pytest
from django.apps import apps
from django.contrib import admin
from django.urls import reverse

from certificates.tests import desks, registry
from evidence.models import Interest
from registry_site.models import AuditEntry, User

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
        if model._meta.app_label not in OURS:
            continue
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


def test_only_reference_data_can_be_entered_at_all():
    from registry_site.admin_site import KeptByRegistrars, ReadOnly

    mine = {model: shelf for model, shelf in admin.site._registry.items() if model._meta.app_label in OURS}
    assert mine
    assert all(isinstance(shelf, ReadOnly) for shelf in mine.values())
    assert [model for model, shelf in mine.items() if isinstance(shelf, KeptByRegistrars)] == [Interest]
    assert apps.get_model("registry_site", "PublishedDocument") not in mine


def test_a_registrar_enters_an_interest_and_it_is_audited(who):
    holder = registry.holder()
    client = desks.at_desk(may_enter(who.registrar))
    facts = {
        "person": who.certifier.person.pk, "holder": holder.pk, "kind": "employee",
        "declared_at_0": "2026-11-01", "declared_at_1": "12:00:00", "ended_at_0": "", "ended_at_1": "",
    }  # fmt: skip
    assert client.post("/admin/evidence/interest/add/", facts).status_code == 302
    interest = Interest.objects.get()
    assert AuditEntry.objects.get(action="interest.added").person == who.registrar.person
    assert client.post(f"/admin/evidence/interest/{interest.pk}/delete/", {"post": "yes"}).status_code == 403
    own = Interest.objects.create(
        person=who.registrar.person, holder=holder, kind="owner", declared_at=interest.declared_at
    )
    assert client.post(f"/admin/evidence/interest/{own.pk}/change/", facts).status_code == 403
