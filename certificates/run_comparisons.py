"""Puts together the page of two systems beside each other by their runs, and what a system's page says of its runs."""

from datetime import datetime
from urllib.parse import urlencode
from zoneinfo import ZoneInfo

from django.conf import settings

from certificates import addresses, page_frame, pages
from evidence.models import Run
from grading import run_comparing
from grading.run_comparing import Group, Pairing


def page(one: str, other: str, *, at: datetime, action: str) -> pages.RunComparisonPage:
    """What is to be said of two groups, each named by a run as somebody typed its number."""
    typed = (one.strip(), other.strip())
    rows = [run_comparing.named(text) if text else None for text in typed]
    unknown = tuple(text for text, row in zip(typed, rows, strict=True) if text and row is None)
    first, second = rows
    frame = page_frame.frame(
        addresses.RUN_COMPARE,
        as_of=at.astimezone(ZoneInfo(settings.REGISTRY_TIME_ZONE)),
        query=urlencode({name: text for name, text in zip(("one", "other"), typed, strict=True) if text}),
    )
    minimum = run_comparing.minimum()
    if unknown or first is None or second is None:
        return pages.RunComparisonPage(
            frame=frame,
            state="unknown" if unknown else "choose",
            action=action,
            typed=typed,
            unknown=unknown,
            first=of_group(run_comparing.group_of(first)) if first else None,
            offered=_offered(first),
            minimum=minimum,
        )
    return _of_pair(
        run_comparing.pair(first, second), frame=frame, action=action, typed=typed, minimum=minimum
    )


def _of_pair(
    pairing: Pairing, *, frame: pages.Frame, action: str, typed: tuple[str, str], minimum: int
) -> pages.RunComparisonPage:
    return pages.RunComparisonPage(
        frame=frame,
        state=state_of(pairing),
        action=action,
        typed=typed,
        first=of_group(pairing.first),
        second=None if pairing.is_same else of_group(pairing.second),
        offered=_offered(pairing.first.named) if pairing.is_same or pairing.fields else (),
        fields=pairing.fields,
        runs=pairing.too_few.runs if pairing.too_few else 0,
        minimum=minimum,
        titles=titles_of(pairing.first.named),
        result=pairing.comparison.as_json() if pairing.comparison else None,
    )


def state_of(pairing: Pairing) -> str:
    """same, not_comparable, too_few or done."""
    if pairing.is_same:
        return "same"
    if pairing.fields:
        return "not_comparable"
    return "too_few" if pairing.too_few else "done"


def of_group(group: Group) -> pages.RunGroup:
    run = group.named
    return pages.RunGroup(
        run=run.number,
        system=_system(run),
        case=run.variant.case.code,
        start_domain=run.variant.start_domain,
        tools=group.aggregate.conditions.tools,
        language=run.language,
        total=group.total,
        aggregate=group.aggregate.as_json(),
        withheld=group.withheld,
    )


def of_system(system: int) -> tuple[pages.RunGroup, ...]:
    """What is said of a system's runs on its page."""
    return tuple(of_group(one) for one in run_comparing.groups_of(system))


def titles_of(run: Run) -> dict[str, pages.Text]:
    """The public titles of the points of a run's case."""
    return {point["code"]: pages.Text(**point["title"]) for point in run.variant.case.points}


def _offered(run: Run | None) -> tuple[pages.RunOffer, ...]:
    """What the group of a run may be compared with, without asking what is said of any."""
    if run is None:
        return ()
    return tuple(
        pages.RunOffer(run=rows[0].number, system=_system(rows[0]), tools=conditions.tools, total=len(rows))
        for conditions, rows in run_comparing.beside(run).items()
    )


def _system(run: Run) -> pages.RunSystem:
    version = run.system_version
    return pages.RunSystem(
        id=version.system_id,
        system=version.system.name,
        version=version.version,
        holder=version.system.holder.name,
    )
