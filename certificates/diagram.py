"""PURE. The table of steps drawn for people: a Mermaid state diagram and a Markdown table."""

from certificates.states import BY_THE_CLOCK, TRANSITIONS, Outcome, Standing, Step

_CELLS = {
    Outcome.AS_BEFORE_THE_DECISION: "as before the decision",
    Outcome.STATUS_STAYS: "recorded; the status stays",
    Outcome.ANOTHER_CERTIFIER: "another certifier decides",
}


def mermaid() -> str:
    """The table as a Mermaid state diagram; steps that leave the word as it is stand in the table alone."""
    names = {Standing.NONE: "[*]"}
    lines = ["stateDiagram-v2", "    direction LR"]
    for (standing, step), outcome in TRANSITIONS.items():
        if isinstance(outcome, Standing):
            lines.append(f"    {names.get(standing, standing)} --> {outcome}: {step}")
        elif outcome is Outcome.AS_BEFORE_THE_DECISION:
            lines.append(f"    {standing} --> before: {step}")
    for standing, expired in BY_THE_CLOCK.items():
        lines.append(f"    {standing} --> {expired}: (the clock)")
    lines.append("    before: as before the decision")
    lines.append("    revoked_final: revoked, final")
    return "\n".join(lines) + "\n"


def table() -> str:
    """The table in Markdown: a row for each standing, a column for each step."""
    header = "| from \\ step | " + " | ".join(Step) + " |"
    rule = "|---" * (len(Step) + 1) + "|"
    rows = []
    for standing in Standing:
        cells = [
            _CELLS.get(TRANSITIONS.get((standing, step)), TRANSITIONS.get((standing, step)) or "")
            for step in Step
        ]
        rows.append(f"| {standing} | " + " | ".join(cells) + " |")
    return "\n".join([header, rule, *rows]) + "\n"
