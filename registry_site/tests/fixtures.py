"""Fixtures that any test may ask for: a visitor, an empty store, the test database as each role sees it."""

import os

import pytest


def _connect(url: str):
    """An autocommit session of the role in `url` on the test database (the URL names the owner's)."""
    import psycopg
    from django.db import connection

    return psycopg.connect(url, dbname=connection.get_connection_params()["dbname"], autocommit=True)


@pytest.fixture
def visitor():
    """A browser or program of someone who is not signed in."""
    from django.test import Client

    return Client()


@pytest.fixture
def evidence_folder(settings, tmp_path):
    """An empty store, with room whatever the disk of this machine looks like."""
    settings.EVIDENCE_DIR = tmp_path / "evidence"
    settings.EVIDENCE_FREE_SHARE = 0.0
    settings.EVIDENCE_FREE_BYTES = 0
    return settings.EVIDENCE_DIR


@pytest.fixture
def role_urls(transactional_db, tmp_path):
    """{"app": url, "reader": url} of the two lesser roles, with exactly their rights; dropped afterwards."""
    from django.db import connection
    from psycopg import sql

    from registry_site import database_rights

    urls = database_rights.make_roles(tmp_path / "database-roles.json", os.environ["DATABASE_URL"])
    app, reader = database_rights.names()
    database_rights.grant(app=app, reader=reader)
    yield urls
    with connection.cursor() as cursor:
        for role in (app, reader):
            cursor.execute(
                sql.SQL("GRANT {0} TO CURRENT_USER; DROP OWNED BY {0}; DROP ROLE {0}").format(
                    sql.Identifier(role)
                )
            )


@pytest.fixture
def application(role_urls):
    """A session of the application role, outside Django."""
    with _connect(role_urls["app"]) as session:
        yield session


@pytest.fixture
def reader(role_urls):
    """A session of the reader role, outside Django."""
    with _connect(role_urls["reader"]) as session:
        yield session


@pytest.fixture
def owner(transactional_db):
    """A session of the tables' owner, outside Django."""
    import psycopg
    from django.db import connection

    params = connection.get_connection_params()
    keys = ("dbname", "user", "password", "host", "port")
    with psycopg.connect(**{key: params[key] for key in keys if params.get(key)}, autocommit=True) as session:
        yield session


@pytest.fixture
def moving_clock(db):
    """Lets rows be dated by hand until the end of the test: what takes a month is told in one."""
    from django.db import connection

    with connection.cursor() as cursor:
        # Undone with the test's transaction.
        cursor.execute(
            "CREATE OR REPLACE FUNCTION registry_clock_may_move() RETURNS boolean LANGUAGE sql STABLE "
            "AS 'SELECT true'"
        )
