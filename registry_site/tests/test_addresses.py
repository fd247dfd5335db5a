"""Addresses that a library would offer and the registry does not."""

import pytest

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("path", ["email/", "confirm-email/", "confirm-email/abc/"])
def test_nobody_changes_the_address_of_an_account_alone(client, path):
    assert client.get(f"/accounts/{path}").status_code == 404
    assert (
        client.post(f"/accounts/{path}", {"email": "other@example.org", "action_add": ""}).status_code == 404
    )


def test_people_sign_in(client):
    assert client.get("/accounts/login/").status_code == 200
