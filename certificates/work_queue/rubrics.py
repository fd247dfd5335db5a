"""Rubrics that wait for somebody: a draft for its second reader, a closed series for its reveal, a leak for errata."""

from django.db.models import Exists, F, OuterRef
from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from certificates.models import Certificate, StatusEvent
from certificates.states import Step
from certificates.work_queue.matters import OPEN, SEE, Asked, Kind, Matter
from evidence.models import Series, SeriesEvent, TestCase
from evidence.models.test_case import SeriesStep
from grading import series
from grading.models import RubricDraft
from registry_site import present_language
from registry_site.roles import Role


def read(asked: Asked) -> list[Matter]:
    """What the person may do something about: nobody else is told that a rubric is being written."""
    found = []
    if Role.EVALUATOR in asked.roles:
        found += [*_drafts(asked), *_to_reveal(asked)]
    if Role.CERTIFIER in asked.roles:
        found += _to_correct(asked)
    return found[: asked.limit + 1]


def _drafts(asked: Asked) -> list[Matter]:
    rows = RubricDraft.objects.select_related("case").defer("document").order_by("changed_at", "pk")
    return [
        Matter(
            kind=Kind.RUBRIC,
            title=_("Rubric to seal"),
            number=row.case.code,
            about=_title(row.case),
            missing=_("Someone other than whoever wrote it reads it and seals it."),
            address=reverse("staff:draft", args=[row.pk]),
            action=SEE if row.written_by_id == asked.person.pk else OPEN,
        )
        for row in rows[: asked.limit + 1]
    ]


def _to_reveal(asked: Asked) -> list[Matter]:
    events = SeriesEvent.objects.filter(series=OuterRef("pk"))
    rows = (
        Series.objects.filter(Exists(events.filter(step=SeriesStep.CLOSE)))
        .exclude(Exists(events.filter(step__in=[SeriesStep.REVEAL, SeriesStep.LEAK])))
        .annotate(underway=Exists(series.runs_underway(OuterRef("pk"))))
        .select_related("variant__case")
        .order_by("closes_at", "pk")
    )
    return [
        Matter(
            kind=Kind.RUBRIC,
            title=_("Rubric to reveal"),
            number=row.code,
            about=_title(row.variant.case),
            missing=_("A run of it is still being recorded.")
            if row.underway
            else _("The series is closed: its results wait for the reveal."),
            address=reverse("staff:series", args=[row.code]),
            action=SEE if row.underway else OPEN,
        )
        for row in rows[: asked.limit + 1]
    ]


def _to_correct(asked: Asked) -> list[Matter]:
    """Certificates on the runs of a leaked series, until an erratum says so."""
    leak = SeriesEvent.objects.filter(step=SeriesStep.LEAK, series=OuterRef("series_key"))
    errata = StatusEvent.objects.filter(
        certificate=OuterRef("pk"), step=Step.ERRATUM, at__gte=OuterRef("leaked_at")
    )
    rows = (
        Certificate.objects.annotate(series_key=F("measurement__package__graded_run__series"))
        .filter(Exists(leak))
        .annotate(leaked_at=leak.values("at")[:1], code=F("measurement__package__graded_run__series__code"))
        .exclude(Exists(errata))
        .select_related("system_version__system")
        .order_by("pk")
    )
    return [
        Matter(
            kind=Kind.RUBRIC,
            title=_("Erratum after a leak"),
            number=row.number,
            about=str(row.system_version),
            missing=_("The rubric of its run leaked: an erratum says so."),
            address=reverse("staff:decide", args=[row.number, "erratum"]),
            action=OPEN,
        )
        for row in rows[: asked.limit + 1]
    ]


def _title(case: TestCase) -> str:
    return case.title_en if present_language.code() == "en" else case.title_es
