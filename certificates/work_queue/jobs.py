"""Jobs of the registry itself that did not finish: comparisons that failed, pages that were not rendered anew."""

from datetime import datetime, timedelta

from django.db.models import CharField, Count, Min, Value
from django.urls import reverse
from django.utils.text import format_lazy
from django.utils.translation import gettext_lazy as _

from certificates.work_queue.matters import OPEN, SEE, Asked, Kind, Matter
from grading import comparing
from grading.models.comparison import ComparisonRequest, RequestState
from registry_site.models import PublishedDocument
from registry_site.roles import Role

# The sweep renders what is stale within minutes; until then a visitor gets it rendered while waiting.
RENDERED_WITHIN = timedelta(hours=1)
RESTARTING = frozenset({Role.EVALUATOR, Role.REGISTRAR})


def read(asked: Asked) -> list[Matter]:
    failed = (
        ComparisonRequest.objects.filter(state=RequestState.FAILED)
        .exclude(failure=comparing.WITHHELD)  # no fault: the evidence was withheld by law
        .order_by("-pk")
        .values_list("first", "second", "finished_at", Value("", output_field=CharField()))[: asked.limit + 1]
    )
    # One row for all of them: one cause stops them all. Put beside the others, they cost no query of their own.
    stale = (
        PublishedDocument.objects.filter(stale_at__lt=asked.now - RENDERED_WITHIN)
        .exclude(certificate="")
        .annotate(all=Value(1))
        .values("all")
        .annotate(count=Count("path"), since=Min("stale_at"), first=Min("certificate"))
        .values_list("all", "count", "since", "first")
    )
    matters = []
    for first, count, since, number in failed.union(stale, all=True):
        if number == "":
            matters.append(_comparison(first, count, since, asked))
        elif number is not None:  # without any stale page the count is nought, and of nothing
            matters.append(_documents(count, since, number))
    return matters


def _comparison(first: int, second: int, finished_at: datetime, asked: Asked) -> Matter:
    return Matter(
        kind=Kind.JOB,
        title=_("Comparison stopped by a fault of ours"),
        about=f"M-{first} · M-{second}",
        missing=_("Start it anew; both packages are intact."),
        address=f"{reverse('staff:compare')}?first=M-{first}&second=M-{second}",
        action=OPEN if asked.roles & RESTARTING else SEE,
        due=finished_at,
    )


def _documents(count: int, since: datetime, number: str) -> Matter:
    return Matter(
        kind=Kind.JOB,
        title=_("Public pages not rendered anew"),
        number=number,
        about=format_lazy(_("{count} pages and documents, of this certificate and others"), count=count),
        missing=_("Visitors get them right and more slowly: look whether the worker and its timer run."),
        address=reverse("staff:certificate", args=[number]),
        action=SEE,
        due=since,
    )
