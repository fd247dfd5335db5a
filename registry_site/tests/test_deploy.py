"""Under production settings `check --deploy` is clean, and it fails on what was made for tests or a demonstration."""

import os
import subprocess
import sys
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from django.core.checks import run_checks
from django.db import connection
from django.test import override_settings

from registry_site.models import Person, User

ROOT = Path(__file__).resolve().parents[2]


def on_the_test_database(url: str) -> str:
    return urlsplit(url)._replace(path=f"/{connection.settings_dict['NAME']}").geturl()


def test_production_settings_are_clean(db, tmp_path):
    """In a process of its own, with what operations.md tells an operator to set."""
    environment = {
        name: value
        for name, value in os.environ.items()
        if name not in {"TESTING", "DEBUG", "CLOCK_MAY_MOVE"}
    }
    environment |= {
        "PUBLIC_URL": "https://registro.example",
        "SECRET_KEY": "k" * 20 + "0123456789" * 5,
        "DATA_DIR": str(tmp_path),
        "DATABASE_APP_URL": on_the_test_database(os.environ["DATABASE_URL"]),
        "DEFAULT_FROM_EMAIL": "registro@registro.example",
        "RUNS_DOMAIN": "ejecuciones.example",
    }
    result = subprocess.run(
        [sys.executable, "manage.py", "check", "--deploy", "--fail-level", "WARNING"],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert result.returncode == 0, result.stderr


def found() -> set[str]:
    return {message.id for message in run_checks(include_deployment_checks=True)}


@override_settings(CLOCK_MAY_MOVE=True)
def test_a_clock_that_may_move_fails(db):
    assert "registry.E001" in found()


@override_settings(PUBLIC_URL="http://registro.example")
def test_an_address_without_encryption_fails(db):
    assert "registry.E002" in found()


@pytest.mark.django_db
def test_a_demonstration_account_fails():
    assert "registry.E003" not in found()
    User.objects.create_user("demo@example.org", person=Person.objects.create(name="D"), is_demo=True)
    assert "registry.E003" in found()


@pytest.mark.parametrize("domain", ["registro.example", "runs.registro.example", "otro.registro.example"])
def test_runs_under_the_registrys_own_domain_fail(db, domain):
    with override_settings(
        PUBLIC_URL="https://www.registro.example", RUNS_DOMAIN=domain, RUNS_ON_LOOPBACK=False
    ):
        assert "registry.E004" in found()


@pytest.mark.parametrize(
    ("url", "domain"),
    [
        ("https://registro.example", "ejecuciones.example"),
        ("https://registro.gob.cl", "ejecuciones.gob.cl"),
        ("https://registro.example", "runs.localhost"),
    ],
)
def test_runs_under_another_domain_pass(db, url, domain):
    on_loopback = domain.endswith(".localhost")
    with override_settings(PUBLIC_URL=url, RUNS_DOMAIN=domain, RUNS_ON_LOOPBACK=on_loopback):
        assert "registry.E004" not in found()


@override_settings(RUNS_PRIVATE_UPSTREAMS=True)
def test_runs_that_reach_this_network_fail(db):
    assert "registry.E005" in found()
