"""A passkey from its set-up to signing in with it alone: Chromium's own virtual authenticator holds the key."""

import pytest
from allauth.mfa.models import Authenticator

from certificates.tests import registry
from tests.e2e.conftest import PASSWORD

pytestmark = [pytest.mark.chromium, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def certifier(transactional_db):
    user = registry.people().certifier
    user.set_password(PASSWORD)
    user.save()
    return user


def with_authenticator(page) -> None:
    session = page.context.new_cdp_session(page)
    session.send("WebAuthn.enable")
    options = {
        "protocol": "ctap2",
        "transport": "internal",
        "hasResidentKey": True,
        "hasUserVerification": True,
        "isUserVerified": True,
        "automaticPresenceSimulation": True,
    }
    session.send("WebAuthn.addVirtualAuthenticator", {"options": options})


def test_a_passkey_is_set_up_and_signs_in_by_itself(open_browser, look, certifier):
    page = open_browser()
    with_authenticator(page)
    page.goto("/accounts/login/")
    page.get_by_label("Correo electrónico").fill(certifier.email)
    page.locator("input[type=password]").fill(PASSWORD)
    page.keyboard.press("Enter")
    page.wait_for_url("**/staff/second-factor/**")
    look(page, "second-factor")

    page.get_by_role("link", name="Agregar una llave de acceso").click()
    page.locator("input[type=password]").fill(PASSWORD)
    look(page, "reauthenticate")
    page.keyboard.press("Enter")
    page.wait_for_url("**/accounts/2fa/webauthn/add/")
    page.locator("input[name=passwordless]").check()
    look(page, "passkey-add")
    page.get_by_role("button", name="Agregar una llave de acceso").click()
    page.wait_for_url("**/accounts/2fa/recovery-codes/")
    assert Authenticator.objects.filter(user=certifier, type="webauthn").exists()
    look(page, "recovery-codes")

    # Set up is not proved: the key is asked once, and then the rooms are open.
    page.get_by_role("link", name="Continuar").click()
    page.wait_for_url("**/accounts/2fa/webauthn/reauthenticate/**")
    look(page, "passkey-asked")
    page.get_by_role("button", name="Usar una llave de acceso").click()
    page.wait_for_url("**/staff/")
    look(page, "queue-after-passkey")

    page.get_by_role("button", name="Cerrar sesión").click()
    page.goto("/accounts/login/")
    page.get_by_role("button", name="Entrar con una llave de acceso").click()
    page.wait_for_url("**/staff/")
    page.goto("/accounts/2fa/webauthn/")
    look(page, "passkeys")
