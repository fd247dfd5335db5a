"""What the e-mail about the marks of a run says: read from the run when the e-mail is written, never stored."""

from zoneinfo import ZoneInfo

from django.conf import settings

from evidence.models import Run
from grading import run_grading
from registry_site import outbox, wording
from registry_site.models import Outbox

KIND = run_grading.REVIEW_LETTER
# Numbers and fixed words only, because others than the reader see it. {n} run, {date} last day of the review.
_SUBJECT = ("Ejecución {n}: revise el resultado antes del {date}", "Run {n}: review the result before {date}")
_TEXT = (
    (
        "La ejecución {n} está evaluada. Hasta el {until} puede ver el resultado de cada punto con las peticiones que "
        "lo respaldan, y comentarlo. El comentario se publica con el resultado. Si no comenta, el resultado se publica "
        "igualmente cuando su serie lo permita."
    ),
    (
        "Run {n} is graded. Until {until} you can see the mark of each point with the requests that support it, and "
        "comment on it. Your comment is published with the result. If you do not comment, the result is published all "
        "the same once its series allows it."
    ),
)


def compose(row: Outbox) -> outbox.Letter:
    run = Run.objects.get(number=row.data["run"])
    until = run.review_until.astimezone(ZoneInfo(settings.REGISTRY_TIME_ZONE))
    facts = {
        "n": run.number,
        "date": wording.day(until.date(), row.language),
        "until": wording.moment(until, row.language),
    }
    english = row.language != "es"
    return outbox.Letter(
        "run",
        {"subject": _SUBJECT[english].format(**facts), "text": _TEXT[english].format(**facts)},
        row.data["path"],
    )
