"""Doors to test cases and series: what is asked, what is sealed, and the rubric once it is revealed."""

from typing import Any

from django.http import HttpResponseBase
from django.utils.translation import gettext_lazy as _
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from certificates import addresses, case_facts
from certificates.api.shown import ShownText
from certificates.pages import CasePage, SeriesPage
from certificates.views.cases import CaseNotFound, SeriesNotFound
from evidence.models.run import RunOutcome, RunState
from evidence.models.test_case import SeriesStep
from grading import series as series_life
from grading.sealing import State
from registry_site import clock, site_address
from registry_site.api import Endpoint, moved


class ShownCasePoint(serializers.Serializer):
    """A point that is marked. Its controls are in the rubric."""

    code = serializers.CharField()
    title = ShownText()


class ShownVariant(serializers.Serializer):
    """The literal text with a start domain filled in."""

    start_domain = serializers.CharField()
    assignment = serializers.CharField()
    sha256 = serializers.CharField(help_text=_("Of the text, in UTF-8."))


class ShownSeriesRow(serializers.Serializer):
    """A series of a case, in short."""

    code = serializers.CharField()
    state = serializers.ChoiceField(choices=[state.value for state in State])
    start_domain = serializers.CharField()
    sealed_at = serializers.DateTimeField()
    last_day = serializers.DateField()
    planned_runs = serializers.IntegerField()
    runs = serializers.IntegerField(help_text=_("Registered, without technical ones."))


class ShownLimits(serializers.Serializer):
    """What is graded: so many requests, and so many seconds from the first of them."""

    requests = serializers.IntegerField()
    seconds = serializers.IntegerField()


class ShownCaseRow(serializers.Serializer):
    """A test case, in short: its newest version."""

    code = serializers.CharField()
    version = serializers.IntegerField()
    title = ShownText()
    series = ShownSeriesRow(many=True)
    address = serializers.CharField(help_text=_("Of the page."))


class ShownCases(serializers.Serializer):
    """All test cases."""

    cases = ShownCaseRow(many=True)


class ShownCase(serializers.Serializer):
    """One version of a test case. Its catalogue and its rubric are not here."""

    code = serializers.CharField()
    version = serializers.IntegerField()
    title = ShownText()
    language = serializers.CharField()
    limits = ShownLimits()
    terms_path = serializers.CharField()
    points = ShownCasePoint(many=True)
    variants = ShownVariant(many=True)
    series = ShownSeriesRow(many=True)
    sha256 = serializers.CharField(help_text=_("Of the RFC 8785 form of what is public of it."))
    published_at = serializers.DateTimeField()
    other_versions = serializers.ListField(child=serializers.IntegerField())
    address = serializers.CharField(help_text=_("Of the page."))


class ShownSeriesEvent(serializers.Serializer):
    """A dated public fact about the series and its rubric."""

    step = serializers.ChoiceField(choices=SeriesStep.values)
    at = serializers.DateTimeField()
    occurred_on = serializers.DateField(
        allow_null=True, help_text=_("Of a leak: its day, as far as is known.")
    )
    statement = ShownText(allow_null=True)
    hash = serializers.CharField(allow_null=True, help_text=_("SHA-256 of the public event."))


class ShownSeriesRun(serializers.Serializer):
    """A run of the series: that it is there and how far it came."""

    number = serializers.CharField()
    state = serializers.ChoiceField(choices=RunState.values)
    outcome = serializers.ChoiceField(choices=["", *RunOutcome.values])
    registered_at = serializers.DateTimeField()


class ShownSeries(serializers.Serializer):
    """The planned runs of one variant under one sealed rubric."""

    code = serializers.CharField()
    case = serializers.CharField()
    case_version = serializers.IntegerField()
    variant = ShownVariant()
    state = serializers.ChoiceField(choices=[state.value for state in State])
    rubric_version = serializers.IntegerField()
    commitment = serializers.CharField(help_text=_("SHA-256 of the salt and the rubric."))
    planned_runs = serializers.IntegerField()
    last_day = serializers.DateField()
    closes_at = serializers.DateTimeField()
    review_days = serializers.IntegerField()
    publication_delay = serializers.IntegerField(help_text=_("Days after the series has closed."))
    points = ShownCasePoint(many=True)
    events = ShownSeriesEvent(many=True)
    runs = ShownSeriesRun(many=True, help_text=_("Newest first."))
    runs_total = serializers.IntegerField()
    rubric = serializers.JSONField(allow_null=True, help_text=_("Once revealed; null before."))
    salt = serializers.CharField(allow_null=True, help_text=_("Once revealed, in hexadecimal digits."))
    rubric_address = serializers.CharField(
        allow_null=True, help_text=_("Where its very bytes are, once revealed.")
    )
    address = serializers.CharField(help_text=_("Of the page."))


class Cases(Endpoint):
    """All test cases."""

    tag = "runs"

    @extend_schema(
        operation_id="list_cases",
        summary=_("Test cases of agent runs"),
        description=_("The newest version of each, with its series."),
        responses=ShownCases,
    )
    def get(self, request: Request) -> HttpResponseBase:
        page = case_facts.cases(at=clock.now())
        rows = [
            {
                "code": row.code,
                "version": row.version,
                "title": row.title,
                "series": row.series,
                "address": site_address.stored() + addresses.case(row.code, "es"),
            }
            for row in page.cases
        ]
        return Response(ShownCases({"cases": rows}).data)


class OneCase(Endpoint):
    """One test case."""

    tag = "runs"
    problems = {"GET": (CaseNotFound,)}

    @extend_schema(
        operation_id="read_case",
        summary=_("One test case"),
        description=_("The assignment word for word, its limits and what is marked; never how."),
        parameters=[
            OpenApiParameter("code", str, OpenApiParameter.PATH),
            OpenApiParameter(
                "version", int, OpenApiParameter.QUERY, description=_("The newest where none is named.")
            ),
        ],
        responses=ShownCase,
    )
    def get(self, request: Request, code: str) -> HttpResponseBase:
        canonical = code.upper()
        asked = request.query_params.get("version", "")
        if not case_facts.CASE_CODE.fullmatch(canonical) or not (asked == "" or _is_version(asked)):
            raise CaseNotFound
        if canonical != code:
            return moved(request, addresses.case_json(canonical))
        page = case_facts.case(code, at=clock.now(), version=int(asked) if asked else None)
        if page is None:
            raise CaseNotFound
        return Response(ShownCase(_case(page)).data)


class OneSeries(Endpoint):
    """One series of runs."""

    tag = "runs"
    problems = {"GET": (SeriesNotFound,)}

    @extend_schema(
        operation_id="read_series",
        summary=_("One series of runs"),
        description=_("Its commitment and state; rubric and salt once they are revealed."),
        parameters=[OpenApiParameter("code", str, OpenApiParameter.PATH)],
        responses=ShownSeries,
    )
    def get(self, request: Request, code: str) -> HttpResponseBase:
        canonical = code.upper()
        if not case_facts.SERIES_CODE.fullmatch(canonical):
            raise SeriesNotFound
        if canonical != code:
            return moved(request, addresses.series_json(canonical))
        row = case_facts.found(code)
        if row is None:
            raise SeriesNotFound
        page = case_facts.of_series(row, at=clock.now())
        document = series_life.document_of(series_life.rubric_of(row)) if page.rubric else None
        return Response(ShownSeries(_series(page, document)).data)


def _is_version(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) <= 7


def _case(page: CasePage) -> dict[str, Any]:
    return {
        "code": page.code,
        "version": page.version,
        "title": page.title,
        "language": page.language,
        "limits": {"requests": page.max_requests, "seconds": page.max_seconds},
        "terms_path": page.terms_path,
        "points": page.points,
        "variants": page.variants,
        "series": page.series,
        "sha256": page.sha256,
        "published_at": page.published_at,
        "other_versions": page.versions,
        "address": site_address.stored() + addresses.case(page.code, "es"),
    }


def _series(page: SeriesPage, document: dict[str, Any] | None) -> dict[str, Any]:
    return {
        "code": page.code,
        "case": page.case,
        "case_version": page.case_version,
        "variant": page.variant,
        "state": page.state,
        "rubric_version": page.rubric_version,
        "commitment": page.commitment,
        "planned_runs": page.planned_runs,
        "last_day": page.last_day,
        "closes_at": page.closes_at,
        "review_days": page.review_days,
        "publication_delay": page.publication_delay,
        "points": page.points,
        "events": page.events,
        "runs": page.runs,
        "runs_total": page.runs_total,
        "rubric": document,
        "salt": page.rubric.salt if page.rubric else None,
        "rubric_address": addresses.series_rubric(page.code) if page.rubric else None,
        "address": site_address.stored() + addresses.series(page.code, "es"),
    }
