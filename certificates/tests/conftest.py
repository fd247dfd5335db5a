"""The people of a registry, for tests that need the database."""

import pytest


@pytest.fixture
def who(db):
    """Evaluator, certifiers, appeals officer and registrar: five distinct people."""
    # Imported here: the tests of pure modules run without Django.
    from certificates.tests import registry

    return registry.people()
