"""The reader of two packages (`python -m grading.pair_reading`): checks both and compares their answers pair by pair.

Run by `evidence.isolation` in a process without Django, keys or database. The answers never leave it: what it says is
progress, what each package is, and the comparison as it may be published.
"""

import os
import sys
from base64 import b64decode
from collections.abc import Callable
from typing import Any, BinaryIO

from evidence import checking, isolation, reading
from grading import comparison, computing, schemes
from grading.comparison import Answers, NotComparable


class NoLongerIntact(Exception):
    """A package that was verified once is refused now: not its submitter's fault."""


def main(arguments: list[str]) -> None:
    """The life of the process."""
    try:
        job = isolation.enter(arguments)
        sources = [sys.stdin.buffer.raw, *(os.fdopen(file, "rb", buffering=0) for file in job["beside"])]
        outcome = read(sources, job=job, tell=lambda progress: isolation.answer({"progress": progress}))
        isolation.answer({"outcome": outcome, "memory": isolation.most_memory()})
    except BaseException as error:
        isolation.answer({"fault": isolation.fault_of(error)})
        raise SystemExit(1) from None


def read(
    sources: list[BinaryIO], *, job: dict[str, Any], tell: Callable[[dict[str, Any]], None] | None = None
) -> dict[str, Any]:
    """Compare two packages: `sides` (what each is), and `result`, or `differences` that forbid one.

    `job`: `scheme` (the file both were measured under, in base64) and `bytes_per_second` (0: no limit).
    """
    scheme = schemes.load(b64decode(job["scheme"]))
    answers = []
    for side, source in enumerate(sources):

        def progress(now: checking.Progress, side: int = side) -> None:
            tell({"side": side, "done": now.done, "total": now.total})

        report, found = computing.answers(
            reading.paced(source, job), scheme=scheme, progress=progress if tell else None
        )
        if found is None:
            raise NoLongerIntact
        answers.append((report.sha256, found))
    sides = [_facts(sha256, found) for sha256, found in answers]
    first, second = (found for _, found in answers)
    try:
        return {"sides": sides, "result": comparison.compare(first, second, scheme=scheme)}
    except NotComparable as refused:
        return {"sides": sides, "differences": refused.differences}


def _facts(sha256: str, of: Answers) -> dict[str, Any]:
    """What was read, for whoever knows what was frozen."""
    return {
        "sha256": sha256,
        "set_sha256": of.set_sha256,
        "method": of.method,
        "scheme": of.scheme,
        "scheme_sha256": of.scheme_sha256,
        "judges": [list(judge) for judge in of.judges],
        "files": dict(of.files),
    }


if __name__ == "__main__":
    main(sys.argv[1:])
