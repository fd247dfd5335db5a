"""Storage of its own for every test of this app."""

import pytest


@pytest.fixture(autouse=True)
def evidence_folder(settings, tmp_path):
    """An empty store, with room whatever the disk of this machine looks like."""
    settings.EVIDENCE_DIR = tmp_path / "evidence"
    settings.EVIDENCE_FREE_SHARE = 0.0
    settings.EVIDENCE_FREE_BYTES = 0
    return settings.EVIDENCE_DIR
