"""What a journal says has been done: answers, judgements, and what got neither."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

Key = tuple[str, int]  # item, run
Said = tuple[str, int, str]  # item (or canary), run, judge


@dataclass(slots=True)
class State:
    """What a journal holds: answers by item and run, judgements by item, run and judge."""

    begun: dict[str, Any] | None = None
    responses: dict[Key, dict[str, Any]] = field(default_factory=dict)
    faults: dict[Key, dict[str, Any]] = field(default_factory=dict)
    eligible: dict[Said, dict[str, Any]] = field(default_factory=dict)
    verdicts: dict[Said, dict[str, Any]] = field(default_factory=dict)
    canaries: dict[Said, dict[str, Any]] = field(default_factory=dict)
    unanswered: dict[Key, dict[str, Any]] = field(default_factory=dict)
    silent: dict[Said, dict[str, Any]] = field(default_factory=dict)
    left_out: int = 0
    finished: bool = False

    @classmethod
    def of(cls, events: Iterable[Mapping[str, Any]]) -> "State":
        state = cls()
        for event in events:
            state.take(event)
        return state

    def take(self, event: Mapping[str, Any]) -> None:
        """Take one event in. Raw replies are left where they are."""
        kind = event["kind"]
        if kind == "run":
            self.begun = dict(event)
        elif kind == "response":
            key = event["item"], event["run"]
            self.responses[key] = event["record"]
            self.left_out += len(event["left_out"])
            if event["fault"]:
                self.faults[key] = event["fault"]
            self.unanswered.pop(key, None)
        elif kind == "unanswered":
            self.unanswered[event["item"], event["run"]] = event["fault"]
        elif kind == "judgement":
            said = event["item"], event["run"], event["judge"]
            stages = {"eligibility": self.eligible, "verdict": self.verdicts, "canary": self.canaries}
            stages[event["stage"]][said] = event["judgement"]
            self.silent.pop(said, None)
        elif kind == "silent":
            self.silent[event["item"], event["run"], event["judge"]] = event["fault"]
        elif kind == "finished":
            self.finished = True
