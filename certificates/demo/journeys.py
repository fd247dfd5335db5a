"""Takes packages of the demonstration to the end of their journey, whoever has them in hand."""

import time

from certificates import pipeline
from evidence.models import EvidencePackage, PackageState
from evidence.models.package import TERMINAL_STATES
from registry_site.problems import Refusal

PATIENCE = 120.0  # seconds that a package may take before the telling gives up


class SeedingFailed(Refusal):
    """A package of the demonstration did not get where the story wants it."""

    code = "demo_failed"


def to_its_end(package: EvidencePackage, *, wanted: PackageState = PackageState.READY) -> EvidencePackage:
    """By ourselves, or by waiting for the worker that has it."""
    give_up = time.monotonic() + PATIENCE
    while True:
        pipeline.advance(package.pk)
        package.refresh_from_db()
        if package.state in TERMINAL_STATES:
            break
        if time.monotonic() > give_up:
            raise SeedingFailed(f"{package.filename} is still {package.state} after {PATIENCE:.0f} seconds")
        time.sleep(0.5)
    if package.state != wanted:
        raise SeedingFailed(
            f"{package.filename} is {package.state} {package.failure}, the story wants {wanted}"
        )
    return package
