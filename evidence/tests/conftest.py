"""Storage of its own for every test of this app."""

import pytest


@pytest.fixture(autouse=True)
def own_store(evidence_folder):
    return evidence_folder
