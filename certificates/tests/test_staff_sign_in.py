"""Who gets to the staff pages: a role, and a second factor in this very session."""

import io
import time

import pytest
from allauth.mfa.models import Authenticator
from allauth.mfa.totp.internal.auth import TOTP, format_hotp_value, generate_totp_secret, hotp_value
from django.core.cache import cache
from django.core.management import CommandError, call_command
from django.test import Client

from certificates.tests import desks, registry
from registry_site.models import User

pytestmark = pytest.mark.django_db
PASSWORD = "una-frase-larga-y-propia"


@pytest.fixture(autouse=True)
def no_used_codes(settings):
    """A code is accepted once: what another test used is forgotten. Passwords are hashed quickly here."""
    cache.clear()
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]


def code_of(secret: str) -> str:
    """The code of now; at the very end of a period that of the next, or the answer would come too late."""
    if (left := 30 - time.time() % 30) < 3:
        time.sleep(left)
    return format_hotp_value(hotp_value(secret, int(time.time()) // 30))


def give_password(user: User) -> None:
    user.set_password(PASSWORD)
    user.save()


def sign_in(client: Client, user: User):
    return client.post("/accounts/login/", {"login": user.email, "password": PASSWORD})


def test_a_visitor_is_sent_to_sign_in(client):
    answer = client.get("/staff/")
    assert (answer.status_code, answer["Location"]) == (302, "/accounts/login/?next=/staff/")
    page = client.get("/accounts/login/", headers={"accept-language": "es"}).content.decode()
    assert "<h1>Iniciar sesión</h1>" in page
    assert (
        "<h1>Sign in</h1>"
        in client.get("/accounts/login/", headers={"accept-language": "en"}).content.decode()
    )


def test_the_first_sign_in_leads_to_the_second_factor(client, who):
    give_password(who.certifier)
    assert sign_in(client, who.certifier)["Location"] == "/staff/"
    assert client.get("/staff/")["Location"] == "/staff/second-factor/?next=%2Fstaff%2F"
    page = client.get("/staff/second-factor/")
    assert "Configure su segundo factor" in page.content.decode()

    # Whoever finds an open session must not add a factor of their own: the password is asked once more.
    asked = client.get("/accounts/2fa/totp/activate/")
    assert asked["Location"] == "/accounts/reauthenticate/?next=%2Faccounts%2F2fa%2Ftotp%2Factivate%2F"
    client.post(asked["Location"], {"password": PASSWORD, "next": "/accounts/2fa/totp/activate/"})
    page = client.get("/accounts/2fa/totp/activate/")
    secret = page.context["form"].secret
    assert secret in page.content.decode()
    code = code_of(secret)
    answer = client.post("/accounts/2fa/totp/activate/", {"code": code})
    assert answer.status_code == 302
    assert Authenticator.objects.filter(user=who.certifier, type="totp").exists()
    # Set up is not proved: one code opens the rooms.
    asked = client.get("/staff/")
    assert asked["Location"] == "/accounts/2fa/reauthenticate/?next=%2Fstaff%2F"
    answer = client.post(asked["Location"], {"code": code, "next": "/staff/"})
    assert answer["Location"] == "/staff/"
    assert client.get("/staff/").status_code == 200


def test_signing_in_with_password_and_code(client, who):
    give_password(who.certifier)
    secret = generate_totp_secret()
    TOTP.activate(who.certifier, secret)
    assert sign_in(client, who.certifier)["Location"] == "/accounts/2fa/authenticate/"
    assert client.get("/staff/")["Location"].startswith("/accounts/login/")
    wrong = client.post("/accounts/2fa/authenticate/", {"code": "000000"})
    assert wrong.status_code == 200
    assert "<title>Error:" in wrong.content.decode()
    answer = client.post("/accounts/2fa/authenticate/", {"code": code_of(secret)})
    assert answer["Location"] == "/staff/"
    assert client.get("/staff/").status_code == 200


def test_a_session_without_second_factor_decides_nothing(who):
    certificate = registry.issued(who)
    early = desks.by_password(who.certifier)
    # Set up elsewhere afterwards: the old session has still given its password alone.
    desks.with_app(who.certifier)
    for address in (
        "/staff/",
        f"/staff/certificates/{certificate.number}/",
        f"/staff/certificates/{certificate.number}/suspend/",
    ):
        assert early.get(address)["Location"].startswith("/accounts/2fa/reauthenticate/")
    answer = early.post(f"/staff/certificates/{certificate.number}/revoke/", {"action": "sign"})
    assert answer["Location"] == "/accounts/2fa/reauthenticate/"
    assert certificate.events.count() == 1


def test_an_account_without_a_role_is_told_so(who):
    nobody = registry.person("Nadie Todavía", is_superuser=True, is_staff=True)
    answer = desks.at_desk(nobody).get("/staff/")
    assert answer.status_code == 403
    assert "no tiene ninguna función en el registro" in answer.content.decode()


def test_the_language_is_the_persons_choice_and_stays(who):
    client = desks.at_desk(who.certifier)
    assert '<html lang="es"' in client.get("/staff/").content.decode()
    answer = client.post("/staff/language/", {"language": "en", "next": "/staff/packages/"})
    assert answer["Location"] == "/staff/packages/"
    assert '<html lang="en"' in client.get("/staff/").content.decode()
    who.certifier.refresh_from_db()
    assert who.certifier.language == "en"
    assert '<html lang="en"' in client.get("/accounts/2fa/").content.decode()


def test_the_language_form_leads_nowhere_else(who):
    client = desks.at_desk(who.certifier)
    for elsewhere in ("https://otro.example/", "//otro.example/", "javascript:alert(1)"):
        assert client.post("/staff/language/", {"language": "en", "next": elsewhere})["Location"] == "/staff/"


def test_nobody_opens_an_account_for_oneself(client):
    page = client.get("/accounts/signup/").content.decode()
    assert "por invitación" in page
    client.post("/accounts/signup/", {"email": "intruso@example.org", "password1": PASSWORD})
    assert not User.objects.filter(email="intruso@example.org").exists()


@pytest.mark.parametrize(
    "address",
    [
        "/accounts/2fa/",
        "/accounts/2fa/totp/activate/",
        "/accounts/2fa/webauthn/",
        "/accounts/password/change/",
        "/accounts/logout/",
        "/staff/second-factor/",
    ],
)
def test_the_pages_of_ones_account_are_in_the_look_of_the_site(who, address):
    give_password(who.certifier)
    client = desks.by_password(who.certifier)
    answer = client.get(address, follow=True)
    assert answer.status_code == 200
    page = answer.content.decode()
    assert 'class="staff"' in page
    assert "style=" not in page
    assert page.count("<h1>") == 1


def test_pages_are_never_cached(who):
    assert "no-store" in desks.at_desk(who.certifier).get("/staff/")["Cache-Control"]


def test_without_the_cache_nobody_signs_in_and_work_goes_on(client, who, settings, tmp_path):
    give_password(who.certifier)
    at_work = desks.at_desk(who.certifier)
    settings.CACHES = {
        "default": {
            "BACKEND": "django.core.cache.backends.redis.RedisCache",
            "LOCATION": f"unix://{tmp_path}/nobody-listens.sock?db=1",
        }
    }
    answer = sign_in(client, who.certifier)
    assert answer.status_code == 503
    assert "El inicio de sesión está cerrado por ahora" in answer.content.decode()
    assert client.get("/es/certificates/").status_code == 200
    assert at_work.get("/staff/").status_code == 200


def test_too_many_attempts_are_stopped_in_the_look_of_the_site(client, who):
    give_password(who.certifier)
    for _ in range(12):
        answer = client.post(
            "/accounts/login/", {"login": who.certifier.email, "password": "otra-cosa-distinta"}
        )
    assert "Demasiados intentos" in answer.content.decode() or answer.status_code == 429
    # The right password does not open either until the time is over.
    assert sign_in(client, who.certifier).status_code != 302


# ── demo_code ────────────────────────────────────────────────────────────────


def test_demo_code_prints_the_present_code(who, settings, monkeypatch):
    settings.LOOPBACK = True
    secret = generate_totp_secret()
    TOTP.activate(who.certifier, secret)
    User.objects.filter(pk=who.certifier.pk).update(is_demo=True)
    monkeypatch.setattr("registry_site.management.commands.demo_code.time.time", lambda: 1_800_000_000)
    out = io.StringIO()
    call_command("demo_code", who.certifier.email, stdout=out)
    assert out.getvalue().strip() == format_hotp_value(hotp_value(secret, 1_800_000_000 // 30))


def test_demo_code_is_for_demo_accounts_on_loopback_only(who, settings):
    desks.with_app(who.certifier)
    with pytest.raises(CommandError, match="not a demo account"):
        call_command("demo_code", who.certifier.email)
    User.objects.filter(pk=who.certifier.pk).update(is_demo=True)
    settings.LOOPBACK = False
    with pytest.raises(CommandError, match="loopback only"):
        call_command("demo_code", who.certifier.email)


@pytest.mark.parametrize(
    "address",
    [
        "/accounts/2fa/",
        "/accounts/2fa/totp/activate/",
        "/accounts/password/change/",
        "/accounts/reauthenticate/",
        "/accounts/login/",
        "/accounts/password/reset/",
        "/staff/",
        "/admin/",
    ],
)
def test_no_browser_keeps_a_page_of_an_account(who, address):
    for client in (desks.at_desk(who.certifier), Client()):
        assert "no-store" in client.get(address)["Cache-Control"]
