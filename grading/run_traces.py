"""What a run is marked by: the facts of its trace, and the bodies that a rubric may read."""

from collections.abc import Callable

from evidence import storage
from evidence.run_records import Trace
from evidence.storage import NoSuchFile
from grading import run_facts
from grading.rubric_language import Rubric
from grading.run_facts import Facts


def facts_of(trace: Trace, rubric: Rubric) -> Facts:
    return run_facts.facts(trace, catalogue=rubric.catalogue)


def bodies_of(trace: Trace, facts: Facts) -> Callable[[str], bytes | None]:
    """Gives the bytes of a response by their SHA-256, of those that may be read for the marks."""
    readable = frozenset(run_facts.readable_bodies(trace.exchanges, cut=facts.cut))

    def body(sha256: str) -> bytes | None:
        if sha256 not in readable:
            return None
        try:
            with storage.current().open(sha256) as file:
                return file.read(run_facts.MOST_OF_A_BODY)
        except NoSuchFile:
            return None

    return body
