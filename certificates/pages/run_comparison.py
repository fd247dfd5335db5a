"""Two systems beside each other by their runs: who counts, how many are missing, or what may be said."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from certificates.pages.frame import Frame, Text
    from certificates.pages.run import RunSystem


@dataclass(frozen=True, slots=True, kw_only=True)
class RunGroup:
    """The runs of one version under the same conditions. `run` is the number of one of them, and names the group.

    `aggregate` is what `grading.run_aggregates` says of them: below its minimum only who counts and who does not.
    """

    run: str
    system: RunSystem
    case: str
    start_domain: str
    tools: tuple[str, ...]
    language: str
    total: int
    aggregate: Mapping[str, Any]
    withheld: tuple[str, ...] = ()

    @property
    def left_out(self) -> tuple[tuple[str, str, str | None], ...]:
        """(number, reason, the run that it is too near to) of each run that does not count, contaminated ones apart."""
        out = [(one["number"], one["reason"], one["near"]) for one in self.aggregate["left_out"]]
        return (*out, *((number, "withheld", None) for number in self.withheld))

    @property
    def figures(self) -> Mapping[str, Mapping[str, Any]]:
        """Of each point: how often it was met, of the runs in which it could be seen."""
        return {
            point["code"]: figure
            for point in self.aggregate["points"]
            for figure in point["figures"]
            if (figure["metric"], figure["denominator"]) == ("met", "observable")
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class RunOffer:
    """A group that another may be compared with, named by one of its runs."""

    run: str
    system: RunSystem
    tools: tuple[str, ...]
    total: int


@dataclass(frozen=True, slots=True, kw_only=True)
class RunComparisonPage:
    """`public/run_compare.html`. `state`: choose · unknown · same · not_comparable · too_few · done.

    `result` is what `grading.run_aggregates.compare` says, and there only when it is done.
    """

    frame: Frame
    state: str
    action: str
    typed: tuple[str, str] = ("", "")
    unknown: tuple[str, ...] = ()  # what was typed and is no run that has ended
    first: RunGroup | None = None
    second: RunGroup | None = None
    offered: tuple[RunOffer, ...] = ()  # what the first one may be compared with
    fields: tuple[str, ...] = ()  # variant · rubric: what has to be the same and is not
    runs: int = 0  # of the side that has fewer
    minimum: int = 0
    titles: Mapping[str, Text] = field(default_factory=dict)  # of points, by code
    result: Mapping[str, Any] | None = None

    @property
    def sides(self) -> tuple[RunGroup, ...]:
        return tuple(one for one in (self.first, self.second) if one is not None)

    @property
    def pass_all(self) -> tuple[tuple[int, str, str], ...]:
        """For as many runs as both sides have: how often so many runs all meet a point, on each side."""
        if self.result is None or self.first is None or self.second is None:
            return ()
        both = zip(self.first.aggregate["pass_all"], self.second.aggregate["pass_all"], strict=False)
        return tuple((one["runs"], one["estimate"], other["estimate"]) for one, other in both)
