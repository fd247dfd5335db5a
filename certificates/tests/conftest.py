"""The people of a registry, for tests that need the database."""

import pytest

from certificates.tests import registry


@pytest.fixture
def who(db) -> registry.People:
    return registry.people()
