"""The people of a registry, for tests that need the database."""

import pytest


@pytest.fixture
def who(db):
    """Evaluator, certifiers, appeals officer and registrar: five distinct people."""
    # Imported here: the tests of pure modules run without Django.
    from certificates.tests import registry

    return registry.people()


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
