"""How people come into the registry: invited by a registrar, by a link that opens one account, once."""

import io
import re
from datetime import timedelta

import pytest
from django.contrib.auth import get_user
from django.core.management import CommandError, call_command
from django.db import IntegrityError, transaction
from django.test import Client

from certificates import letters
from certificates.tests import desks, registry
from registry_site import clock, invitations, outbox, roles
from registry_site.invitations import CannotInvite, InvitationRefused
from registry_site.models import AuditEntry, Invitation, InvitationLink, Outbox, Person, RoleGrant, User
from registry_site.problems import NotAllowed
from registry_site.roles import Role

pytestmark = pytest.mark.django_db
PASSWORD = "una-frase-larga-y-propia"
CHOSEN = {"password": PASSWORD, "again": PASSWORD}


@pytest.fixture(autouse=True)
def quick_hashes(settings):
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]


def invite(who, *held: Role, email: str = "nora@registro.example", **more) -> Invitation:
    facts = {"name": "Nora Nueva", "email": email, "language": "es", "by": who.registrar.person}
    return invitations.invite(**(facts | {"at": clock.now(), "roles": held} | more))


def letter(invitation: Invitation):
    return outbox.message(Outbox.objects.get(concerns=f"invitation:{invitation.pk}"), letters.compose)


def link_in(body: str) -> str:
    return re.search(r"(/accounts/invitation/link/\S+/)", body)[1]


def come(invitation: Invitation, client: Client | None = None) -> Client:
    client = client or Client()
    answer = client.get(link_in(letter(invitation).body))
    assert (answer.status_code, answer["Location"]) == (302, "/accounts/invitation/")
    return client


# ── the whole story ──────────────────────────────────────────────────────────


def test_from_the_letter_to_the_second_factor(who):
    invitation = invite(who, Role.EVALUATOR, Role.CERTIFIER)
    sent = letter(invitation)
    assert sent.subject == "Invitación a abrir una cuenta"
    assert "evaluación, decisión de certificación" in sent.body
    visitor = come(invitation)
    page = visitor.get("/accounts/invitation/").content.decode()
    assert "Abrir su cuenta" in page
    assert "nora@registro.example" in page
    answer = visitor.post("/accounts/invitation/", CHOSEN)
    assert answer["Location"] == "/accounts/login/?next=%2Fstaff%2Fsecond-factor%2F"
    account = User.objects.get(email="nora@registro.example")
    assert account.check_password(PASSWORD)
    assert roles.held_by(account) == {Role.EVALUATOR, Role.CERTIFIER}
    assert set(RoleGrant.objects.filter(person=account.person).values_list("granted_by", flat=True)) == {
        who.registrar.person.pk
    }
    login = {"login": account.email, "password": PASSWORD, "next": "/staff/second-factor/"}
    assert visitor.post("/accounts/login/", login)["Location"] == "/staff/second-factor/"
    # Without a second factor the rooms stay closed, as for every role.
    assert visitor.get("/staff/")["Location"].startswith("/staff/second-factor/")
    told = set(
        AuditEntry.objects.filter(person__in=[account.person, who.registrar.person]).values_list(
            "action", flat=True
        )
    )
    assert told == {"invitation.made", "invitation.accepted", "role.granted"}
    registrars = Outbox.objects.get(kind="invitation.accepted")
    assert registrars.recipient == who.registrar.email
    assert "Nora Nueva" in outbox.message(registrars, letters.compose).body


def test_a_person_of_a_holder_gets_an_account_without_a_role(who):
    visitor = come(invite(who))
    assert visitor.post("/accounts/invitation/", CHOSEN)["Location"] == "/accounts/login/"
    assert roles.held_by(User.objects.get(email="nora@registro.example")) == frozenset()


def test_the_account_speaks_the_language_of_the_page_on_which_it_was_opened(who):
    visitor = come(invite(who, language="en"))
    assert "Open your account" in visitor.get("/accounts/invitation/").content.decode()
    visitor.post("/staff/language/", {"language": "es", "next": "/accounts/invitation/"})
    assert "Abrir su cuenta" in visitor.get("/accounts/invitation/").content.decode()
    visitor.post("/accounts/invitation/", CHOSEN)
    assert User.objects.get(email="nora@registro.example").language == "es"


def test_whoever_was_signed_in_here_is_signed_out(who):
    visitor = come(invite(who), desks.at_desk(who.registrar))
    visitor.post("/accounts/invitation/", CHOSEN)
    assert get_user(visitor).is_anonymous


# ── the link ─────────────────────────────────────────────────────────────────


def test_looking_at_the_link_changes_nothing(who):
    link = link_in(letter(invite(who)).body)
    for _ in range(3):
        assert Client().get(link).status_code == 302
    assert Client().post(link).status_code == 405
    assert Invitation.objects.get().accepted_at is None
    assert not User.objects.filter(email="nora@registro.example").exists()


def test_only_the_hash_of_the_secret_is_kept(who):
    secret = link_in(letter(invite(who)).body).split("/")[-2]
    kept = InvitationLink.objects.get()
    assert len(secret) == 43
    assert re.fullmatch("[0-9a-f]{64}", kept.sha256)
    assert secret not in str(list(Outbox.objects.values()) + list(AuditEntry.objects.values()))


def test_the_page_is_reached_by_the_link_alone(who):
    assert Client().get("/accounts/invitation/").status_code == 410
    assert Client().post("/accounts/invitation/", CHOSEN).status_code == 410
    answer = Client().get("/accounts/invitation/link/" + "x" * 43 + "/")
    assert answer.status_code == 404
    assert "no-store" in answer["Cache-Control"]
    visitor = come(invite(who))
    session = visitor.session
    session["invitation"] = session["invitation"] | {"until": clock.now().isoformat()}
    session.save()
    assert visitor.post("/accounts/invitation/", CHOSEN).status_code == 410
    assert not Invitation.objects.exclude(accepted_at=None).exists()


def test_a_second_press_makes_nothing_again(who):
    invitation = invite(who, Role.CERTIFIER)
    # Written out once: of the same letter sent again only the later link lives.
    link, visitor = link_in(letter(invitation).body), Client()
    visitor.get(link)
    for _ in range(2):
        assert visitor.post("/accounts/invitation/", CHOSEN)["Location"].startswith("/accounts/login/")
    assert Person.objects.filter(name="Nora Nueva").count() == 1
    # Somebody else who has the letter opens nothing more.
    assert Client().get(link).status_code == 410
    assert "Sign in" in Client().get(link, headers={"accept-language": "en"}).content.decode()


def test_a_cancelled_or_lapsed_invitation_opens_nothing(who, moving_clock):
    cancelled, lapsed = invite(who), invite(who, email="otra@registro.example")
    visitors = [come(cancelled), come(lapsed)]
    invitations.cancel(cancelled, by=who.registrar.person, at=clock.now())
    Invitation.objects.filter(pk=lapsed.pk).update(expires_at=clock.now())
    for visitor in visitors:
        assert visitor.post("/accounts/invitation/", CHOSEN).status_code == 410
    for row, told in ((cancelled, "ya no está abierta"), (lapsed, "ya no está abierta")):
        assert told in letter(row).body
    assert not User.objects.filter(email__in=[cancelled.email, lapsed.email]).exists()


def test_an_invitation_dies_with_the_role_of_whoever_made_it(who):
    second = registry.person("Raúl Registrador", Role.REGISTRAR)
    invitation = invite(who, Role.CERTIFIER)
    visitor = come(invitation)
    roles.end(who.registrar.person, Role.REGISTRAR, by=second.person, at=clock.now())
    assert visitor.post("/accounts/invitation/", CHOSEN).status_code == 410
    with pytest.raises(InvitationRefused) as refused:
        invitations.accept(invitation, password=PASSWORD, language="es", at=clock.now())
    assert refused.value.code == "inviter_is_no_registrar"


def test_a_form_from_another_site_is_refused(who):
    visitor = come(invite(who), Client(enforce_csrf_checks=True))
    assert visitor.post("/accounts/invitation/", CHOSEN).status_code == 403


@pytest.mark.parametrize(
    ("chosen", "told"),
    [
        ({"password": "", "again": ""}, "Contraseña: "),
        ({"password": PASSWORD, "again": PASSWORD + "x"}, "no son iguales"),
        ({"password": "corta", "again": "corta"}, "12 caracteres"),
        ({"password": "nora@registro.example", "again": "nora@registro.example"}, "similar"),
    ],
)
def test_a_weak_password_is_told_and_no_account_is_made(who, chosen, told):
    visitor = come(invite(who))
    answer = visitor.post("/accounts/invitation/", chosen)
    page = answer.content.decode()
    assert answer.status_code == 422
    assert told in page
    assert "<title>Error:" in page
    assert not User.objects.filter(email="nora@registro.example").exists()


# ── who invites, and whom ────────────────────────────────────────────────────


def test_only_a_registrar_invites(who):
    for user in (who.certifier, who.evaluator, who.appeals_officer):
        with pytest.raises(NotAllowed):
            invite(who, by=user.person)
    User.objects.filter(pk=who.registrar.pk).update(is_active=False)
    with pytest.raises(NotAllowed):
        invite(who)
    assert not Invitation.objects.exists()
    assert not Outbox.objects.exists()


@pytest.mark.parametrize(
    ("more", "code"),
    [
        ({"email": "no es una dirección"}, "cannot_invite"),
        ({"name": "  "}, "cannot_invite"),
        ({"name": "Nora\u202eaveuN"}, "cannot_invite"),
        ({"name": "N" * 201}, "cannot_invite"),
        ({"roles": [Role.REGISTRAR, Role.CERTIFIER]}, "registrar_holds_no_other_role"),
    ],
)
def test_what_cannot_be_an_invitation(who, more, code):
    with pytest.raises(CannotInvite) as refused:
        invite(who, **more)
    assert refused.value.code == code


def test_an_address_with_an_account_is_refused_plainly(who):
    with pytest.raises(CannotInvite) as refused:
        invite(who, email=who.certifier.email.upper())
    assert refused.value.code == "address_has_an_account"


def test_one_open_invitation_per_address_and_it_can_be_sent_again(who, moving_clock):
    first = invite(who, Role.CERTIFIER)
    with pytest.raises(CannotInvite) as refused:
        invite(who, email="NORA@registro.example")
    assert refused.value.code == "invited_already"
    visitor = come(first)
    again = invitations.renew(first, by=who.registrar.person, at=clock.now())
    assert again.roles == ["certifier"]
    assert visitor.post("/accounts/invitation/", CHOSEN).status_code == 410
    with pytest.raises(CannotInvite):
        invitations.cancel(first, by=who.registrar.person, at=clock.now())
    # A lapsed one is in nobody's way.
    Invitation.objects.filter(pk=again.pk).update(expires_at=clock.now() - timedelta(days=1))
    third = invite(who)
    come(third).post("/accounts/invitation/", CHOSEN)
    with pytest.raises(CannotInvite):
        invitations.renew(third, by=who.registrar.person, at=clock.now())


def test_the_database_holds_what_an_invitation_is(who):
    invitation = invite(who)
    for facts in (
        {"accepted_at": clock.now()},
        {"account": who.certifier},
    ):
        with pytest.raises(IntegrityError), transaction.atomic():
            Invitation.objects.filter(pk=invitation.pk).update(**facts)
    with pytest.raises(IntegrityError), transaction.atomic():
        Invitation.objects.filter(pk=invitation.pk).update(
            accepted_at=clock.now(), account=who.certifier, cancelled_at=clock.now()
        )


def test_the_first_registrar_is_invited_on_the_console():
    out = io.StringIO()
    call_command(
        "invite",
        "--name",
        "Rita Primera",
        "--email",
        "rita@registro.example",
        "--role",
        "registrar",
        stdout=out,
    )
    assert "rita@registro.example" in out.getvalue()
    invitation = Invitation.objects.get()
    assert (invitation.invited_by, invitation.roles) == (None, ["registrar"])
    come(invitation).post("/accounts/invitation/", CHOSEN)
    assert roles.is_registrar(User.objects.get().person)
    with pytest.raises(CommandError, match="una cuenta con esta dirección"):
        call_command("invite", "--name", "Rita Primera", "--email", "rita@registro.example")


# ── roles ────────────────────────────────────────────────────────────────────


def test_a_role_is_given_by_a_registrar_to_another_and_everybody_is_told(who):
    second = registry.person("Raúl Registrador", Role.REGISTRAR)
    nora = registry.person("Nora Nueva")
    roles.grant(nora.person, Role.CERTIFIER, by=who.registrar.person, at=clock.now())
    roles.grant(nora.person, Role.CERTIFIER, by=who.registrar.person, at=clock.now())
    told = Outbox.objects.filter(kind="role.granted")
    assert set(told.values_list("recipient", flat=True)) == {nora.email, second.email, who.registrar.email}
    assert told.count() == 3
    body = outbox.message(told.get(recipient=nora.email), letters.compose).body
    assert "decisión de certificación" in body
    assert "Rita Registradora" in body
    for kind in ("role.ended", "role.granted"):
        for row in Outbox.objects.filter(kind=kind):
            for language in ("es", "en"):
                row.language = language
                sent = outbox.message(row, letters.compose)
                assert "Nora" not in sent.subject
                assert "{" not in sent.body
    roles.end(nora.person, Role.CERTIFIER, by=second.person, at=clock.now())
    roles.end(nora.person, Role.CERTIFIER, by=second.person, at=clock.now())
    assert Outbox.objects.filter(kind="role.ended").count() == 3
    assert RoleGrant.objects.get(person=nora.person).ended_by == second.person
    assert AuditEntry.objects.filter(action="role.ended").count() == 1


@pytest.mark.parametrize(
    ("to", "role", "by", "code"),
    [
        ("registrar", Role.CERTIFIER, "registrar", "own_role"),
        ("registrar", Role.CERTIFIER, None, "registrar_holds_no_other_role"),
        ("certifier", Role.REGISTRAR, "registrar", "registrar_holds_no_other_role"),
        ("certifier", Role.EVALUATOR, "second_certifier", "role_missing"),
        ("evaluator", Role.CERTIFIER, "appeals_officer", "role_missing"),
    ],
)
def test_rule_5(who, to, role, by, code):
    with pytest.raises(NotAllowed) as refused:
        roles.grant(getattr(who, to).person, role, by=by and getattr(who, by).person, at=clock.now())
    assert refused.value.code == code


def test_the_last_registrar_stays(who):
    with pytest.raises(roles.LastRegistrar):
        roles.end(who.registrar.person, Role.REGISTRAR, by=who.registrar.person, at=clock.now())
    asleep = registry.person("Raúl Registrador", Role.REGISTRAR, is_active=False)
    with pytest.raises(roles.LastRegistrar):
        roles.end(who.registrar.person, Role.REGISTRAR, by=who.registrar.person, at=clock.now())
    User.objects.filter(pk=asleep.pk).update(is_active=True)
    roles.end(who.registrar.person, Role.REGISTRAR, by=who.registrar.person, at=clock.now())
    assert not roles.is_registrar(who.registrar.person)
    with pytest.raises(NotAllowed):
        roles.end(who.certifier.person, Role.CERTIFIER, by=who.registrar.person, at=clock.now())
