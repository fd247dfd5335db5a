"""Whether what the registry recorded is what the client did and received, request by request."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from evidence.circuit.way import Step


@dataclass(frozen=True)
class Received:
    """What came back of one request: of the body its size and SHA-256, as the bytes came."""

    status: int
    size: int
    sha256: str


@dataclass(frozen=True)
class Line:
    """One request: what the client received, what was recorded of it (None: nothing), and where they differ.

    `differs` names `status`, `size`, `sha256`, `method`, `url`, `path`, `answer` (the site answered otherwise than
    it should) or `missing`.
    """

    step: Step
    received: Received
    recorded: Mapping[str, Any] | None
    differs: tuple[str, ...]

    @property
    def agrees(self) -> bool:
        return not self.differs

    def as_json(self) -> dict[str, Any]:
        return {
            "step": self.step.code,
            "method": self.step.method,
            "target": self.step.target,
            "received": {
                "status": self.received.status,
                "size": self.received.size,
                "sha256": self.received.sha256,
            },
            "recorded": None if self.recorded is None else dict(self.recorded),
            "agrees": self.agrees,
            "differs": list(self.differs),
        }


def lines(
    walked: Sequence[tuple[Step, Received]], recorded: Sequence[Mapping[str, Any]], *, start_domain: str
) -> list[Line]:
    """Each request beside its record: the n-th of the run is the n-th that was made."""
    by_sequence = {record.get("sequence"): record for record in recorded}
    return [
        _line(step, received, by_sequence.get(place), start_domain)
        for place, (step, received) in enumerate(walked, 1)
    ]


def superfluous(walked: Sequence[Any], recorded: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Records of requests that the client did not make."""
    return [record for record in recorded if record.get("sequence") not in range(1, len(walked) + 1)]


def _line(step: Step, received: Received, record: Mapping[str, Any] | None, start_domain: str) -> Line:
    differs = [] if received.status == step.status else ["answer"]
    if record is None:
        return Line(step, received, None, (*differs, "missing"))
    wanted = {
        "method": step.method,
        "path": step.normalised,
        "status": received.status,
        "size": received.size,
        "sha256": received.sha256,
    }
    differs += [key for key, value in wanted.items() if record.get(key) != value]
    # The run's own host name is one of its secrets: the start domain stands in its place.
    if record.get("url") not in {f"{scheme}://{start_domain}{step.target}" for scheme in ("http", "https")}:
        differs.append("url")
    return Line(step, received, record, tuple(differs))
