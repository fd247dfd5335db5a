"""The test cases of the demonstration: PI-000, an example whose rubric is revealed, and PI-001, whose rubric is sealed.

PI-001's rubric is drawn here, at the first start of each registry, and stands in its database alone.
"""

import json
import random
from datetime import timedelta
from zoneinfo import ZoneInfo

from django.conf import settings

from certificates import rubric_custody
from certificates.demo import run_story, story
from evidence import cases, series_events
from evidence.models import CaseVariant, Series, TestCase
from evidence.observed_site import routes
from grading import data, rubric_drawing
from registry_site import clock
from registry_site.models import User

EXAMPLE, SEALED = "PI-000", "PI-001"
# Long enough to try, short enough to see its end.
DAYS, PLANNED = 90, 30


def tell(users: dict[str, User]) -> None:
    """Both series, from where they stand; of the example one run, with its certificate."""
    series = example(users)
    run = run_story.record(series, users)
    reveal_example(series, users)
    if run is not None:
        run_story.publish(run, users)
    sealed(users)


def example(users: dict[str, User]) -> Series:
    """The series of PI-000, sealed unless it was before."""
    document = json.loads(data.read(f"rubrics/{EXAMPLE}.json"))
    return _series(EXAMPLE) or _seal(_variant(EXAMPLE, users), document, users, delay=0)


def reveal_example(series: Series, users: dict[str, User]) -> None:
    by = users[story.EVALUATOR.email]
    if series_events.state(series) in ("sealed", "open"):
        rubric_custody.close(series, by=by, at=clock.now())
    series = Series.objects.get(pk=series.pk)
    if series_events.state(series) == "closed":
        rubric_custody.reveal(series, by=by, at=clock.now())


def sealed(users: dict[str, User]) -> Series:
    """The series of PI-001 with a rubric of this registry's own, drawn unless it was before."""
    found = _series(SEALED)
    if found is not None:
        return found
    case = json.loads(data.read(f"cases/{SEALED}.json"))
    drawn = rubric_drawing.draw(case, blocks(), chance=random.SystemRandom())
    return _seal(_variant(SEALED, users), drawn, users, delay=2)


def blocks() -> rubric_drawing.Blocks:
    """What the built-in observed site offers to be marked."""
    return rubric_drawing.Blocks(
        terms=routes.TERMS,
        content=routes.CONTENT,
        concepts=routes.CONCEPTS,
        more_content=(*routes.ARCHIVE, *routes.COMMUNITY),
        areas=tuple(
            rubric_drawing.Area(
                code=area.code,
                patterns=(area.pattern,),
                title={"es": area.title[0], "en": area.title[1]},
            )
            for area in routes.EXCLUDED
        ),
        machine_readable=routes.REPRESENTATIONS[1:],
    )


def _series(code: str) -> Series | None:
    return Series.objects.filter(variant__case__code=code).order_by("pk").first()


def _variant(code: str, users: dict[str, User]) -> CaseVariant:
    by, at = users[story.EVALUATOR.email].person, clock.now()
    case: TestCase = cases.publish(json.loads(data.read(f"cases/{code}.json")), by=by, at=at)
    return cases.make_variant(
        case, start_domain=routes.START_DOMAIN, target=cases.observed_site(at=at), by=by, at=at
    )


def _seal(variant: CaseVariant, document: dict, users: dict[str, User], *, delay: int) -> Series:
    """One evaluator writes it, the other seals it."""
    at = clock.now()
    # A telling that was interrupted may have left a draft; what is drawn is drawn once more.
    for left in variant.case.rubric_drafts.all():
        rubric_custody.discard(left, by=users[story.EVALUATOR.email], at=at)
    draft = rubric_custody.write(variant.case, document, by=users[story.EVALUATOR.email], at=at)
    today = at.astimezone(ZoneInfo(settings.REGISTRY_TIME_ZONE)).date()
    return rubric_custody.seal(
        draft,
        by=users[story.SECOND_EVALUATOR.email],
        at=clock.now(),
        variant=variant,
        planned_runs=PLANNED,
        last_day=today + timedelta(days=DAYS),
        publication_delay=delay,
        review_days=5,
    )
