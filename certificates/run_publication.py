"""What the clock does with graded runs: marks by code, publication, and the package with the marks on its journey.

closed, verified → marks by code        reviewed, series over → published → graded package → certificates.pipeline
"""

from certificates import pipeline, publishing
from evidence.models import Run
from grading import run_grading
from registry_site import clock, sweeping

# Packages are written one after the other: a sweep that takes longer than its turn is skipped, not doubled.
AT_ONCE = 20


def hand_in(run: Run) -> bool:
    """Write the package with the marks of a published run, and send it on."""
    pipeline.wake(run_grading.write_graded(run, at=clock.now()))
    return True


def sweep() -> dict[str, int]:
    """Mark by code what was verified, publish what is due, write the packages that are missing, and let the pages of
    certificates that list a run which changed be rendered anew. Safe at any time."""
    done = run_grading.sweep(at=clock.now())
    publishing.let_runs_go_stale(at=clock.now())
    return {**done, "packages": sweeping.each(run_grading.without_graded_package()[:AT_ONCE], hand_in)}
