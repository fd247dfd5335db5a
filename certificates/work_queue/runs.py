"""Runs whose evidence was verified and whose points are not all marked, by deadline."""

from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from certificates.work_queue.matters import OPEN, SEE, Asked, Kind, Matter
from certificates.work_subjects import Subject
from evidence.models import Run
from evidence.models.package import PackageState
from evidence.models.run import RunState
from grading import run_rules
from registry_site.roles import Role


def read(asked: Asked) -> list[Matter]:
    waiting = (
        Run.objects.filter(state=RunState.CLOSED, closing_package__state=PackageState.READY)
        .exclude(outcome__in=run_rules.NEVER_GRADED)
        .select_related("variant__case", "system_version__system")
    )
    rows = asked.among(waiting, "run", by="number").order_by("deadline_at", "pk")[: asked.limit + 1]
    return [
        Matter(
            kind=Kind.RUN,
            title=_("Run to mark"),
            number=row.number,
            about=f"{row.system_version} · {row.variant.case.code}",
            missing=_("Mark the points that code left open, and end marking."),
            address=reverse("staff:run", args=[row.number]),
            action=OPEN if Role.EVALUATOR in asked.roles else SEE,
            due=row.deadline_at,
            subject=Subject("run", row.number),
        )
        for row in rows
    ]
