"""Plain factories of pure histories, for the tests of states and of status."""

from datetime import UTC, datetime, timedelta

from certificates.states import APPEALABLE, Event, Step

NINE = datetime(2026, 11, 30, 9, 0, tzinfo=UTC)
YEAR = timedelta(days=365)
DAY = timedelta(days=1)


def history(*steps: Step | tuple[Step, dict], start: datetime = NINE, every: timedelta = DAY) -> list[Event]:
    """One event a day, with the terms that each step must have; `(step, {...})` says more."""
    events: list[Event] = []
    for position, entry in enumerate(steps):
        step, more = entry if isinstance(entry, tuple) else (entry, {})
        at = start + position * every
        facts = {"sequence": position + 1, "step": step, "at": at, "notice": f"AV-2026-{position + 1:06d}"}
        if step is Step.ISSUE:
            facts["valid_until"] = at + YEAR
        if step in (Step.SUSPEND, Step.PROLONG, Step.VARY):
            facts["review_until"] = at + 20 * DAY
            facts["review_on"] = (at + 20 * DAY).date()
        if step in (Step.SUSPEND, Step.REVOKE):
            facts["reason"] = "figure_error"
        if step in APPEALABLE:
            facts["appeal_until"] = at + 30 * DAY
        if step is Step.SUPERSEDE:
            facts["other"] = "FEH-2026-000043-84"
        events.append(Event(**(facts | more)))
    return events
