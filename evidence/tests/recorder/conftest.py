"""One recorder for all tests of this folder, as the application role with exactly its rights."""

import os
import time
from urllib.parse import urlsplit

import pytest
from psycopg import sql

from evidence.tests.recorder.recorders import Recorder
from evidence.tests.recorder.sites import Site


@pytest.fixture(scope="package")
def recorder_database(django_db_setup, django_db_blocker, tmp_path_factory):
    """The test database's address for the application role."""
    from django.db import connection

    from registry_site import database_rights

    with django_db_blocker.unblock():
        urls = database_rights.make_roles(
            tmp_path_factory.mktemp("roles") / "database-roles.json", os.environ["DATABASE_URL"]
        )
        app, reader = database_rights.names()
        database_rights.grant(app=app, reader=reader)
        database = connection.get_connection_params()["dbname"]
    yield urlsplit(urls["app"])._replace(path=f"/{database}").geturl()
    with django_db_blocker.unblock(), connection.cursor() as cursor:
        cursor.execute("TRUNCATE evidence_testcase, evidence_target CASCADE")
        _wait_until_left(cursor, app)
        for role in (app, reader):
            cursor.execute(
                sql.SQL("GRANT {0} TO CURRENT_USER; DROP OWNED BY {0}; DROP ROLE {0}").format(
                    sql.Identifier(role)
                )
            )
    # Beside a browser this is a session of its own, and the database is not dropped under it.
    connection.close()


def _wait_until_left(cursor, role: str) -> None:
    """A server that was ended is still in the database for a moment, which then cannot be dropped."""
    for _ in range(100):
        cursor.execute("SELECT count(*) FROM pg_stat_activity WHERE usename = %s", [role])
        if cursor.fetchone() == (0,):
            return
        time.sleep(0.05)


@pytest.fixture(scope="package")
def recorder(recorder_database, tmp_path_factory):
    server = Recorder(tmp_path_factory.mktemp("recorder"), database_url=recorder_database)
    yield server.start()
    server.stop()


@pytest.fixture(autouse=True)
def db(recorder_database, django_db_blocker):
    """In the place of the fixture of this name: rows are committed, for another process reads them.

    They stand until the last test of this folder is over: to flush the database after each takes far longer than the
    tests.
    """
    with django_db_blocker.unblock():
        yield


@pytest.fixture
def site():
    site = Site()
    yield site
    site.close()
