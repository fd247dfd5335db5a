"""Real runs that no one here made: tau-bench airline, gpt-4o with tools, fifty tasks of four independent trials.

A task is a case of one point, met when its reward is 1. The data have no times: trials stand in their order.
"""

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

from grading.run_aggregates import Conditions, MarkedRun

SYSTEM = "gpt-4o, tool calling"
_BEGIN = datetime(2024, 9, 1, tzinfo=UTC)  # any: only the order counts


def runs(folder: Path) -> list[MarkedRun]:
    """Every trial as a marked run of its task."""
    trials = json.loads((folder / "gpt-4o-airline.json").read_text(encoding="utf-8"))
    return [
        MarkedRun(
            number=f"{trial['task_id']}/{trial['trial']}",
            conditions=Conditions(SYSTEM, f"task {trial['task_id']}", "airline", ("tools",), "en"),
            token_sha256=f"{trial['task_id']}/{trial['trial']}",
            evidence=json.dumps(trial["traj"]),
            began_at=_BEGIN + timedelta(hours=trial["trial"]),
            ended_at=_BEGIN + timedelta(hours=trial["trial"], minutes=30),
            marks={"reward": "met" if trial["reward"] == 1 else "not_met"},
        )
        for trial in trials
    ]
