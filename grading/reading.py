"""The reader of one package (`python -m grading.reading`): checks it and computes its figures in one pass.

Run by `evidence.isolation` in a process without Django, keys or database; see there for what it is told.
"""

import sys
from base64 import b64decode
from typing import Any

from evidence import reading
from evidence.descriptor import Descriptor
from grading import computing, schemes
from grading.schemes import Scheme


class Grader(computing.Chosen):
    """Sees each record as it passes, under the published scheme that the descriptor names."""

    def __init__(self, published: dict[tuple[str, str], Scheme]):
        super().__init__(None)
        self._published = published

    def begin(self, descriptor: Descriptor, *, files: frozenset[str]) -> Any:
        named = descriptor.scheme
        self.scheme = self._published[named.code, named.version]
        return super().begin(descriptor, files=files)

    def outcome(self) -> dict[str, Any]:
        """What recomputation freezes: the result as JSON, and the hash of the language grouping."""
        result = self.grader.result
        return {"result": result.as_json(), "grouping_sha256": result.grouping_sha256}


def observe(job: dict[str, Any]) -> Grader:
    """The grader for a job, whose `schemes` are [code, version, file in base64]."""
    files = [schemes.load(b64decode(file)) for _code, _version, file in job["schemes"]]
    return Grader({(scheme.code, scheme.version): scheme for scheme in files})


if __name__ == "__main__":
    reading.main(sys.argv[1:], observe)
