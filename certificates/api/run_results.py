"""Doors to what is public of agent runs: the list of all, one run, and the trace of a published one."""

from http import HTTPStatus
from typing import Any

from django.conf import settings
from django.http import HttpResponse, HttpResponseBase
from django.utils.translation import gettext_lazy as _
from drf_spectacular.utils import OpenApiExample, OpenApiParameter, OpenApiResponse, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from certificates import addresses, run_comparisons, run_results
from certificates.api.cases import ShownLimits, ShownVariant
from certificates.api.shown import ShownText
from certificates.pages import RunGroup, RunPage, RunResult
from evidence import run_numbers
from evidence.models import Run
from evidence.models.run import RunOutcome, RunState, RunStep
from grading import run_comparing
from grading.models import MarkValue
from grading.sentences import runs as sentences
from registry_site import clock, site_address
from registry_site.api import Endpoint, moved
from registry_site.cursors import CursorPagination, InvalidCursor
from registry_site.problems import NotAllowed, Refusal
from registry_site.taken import InvalidFields, Taken, take

NUMBER = OpenApiParameter(
    "number", str, OpenApiParameter.PATH, description=_("Number of a run: EJ-2026-000012.")
)
TRACE = (
    '{"seq": 1, "at": "2026-11-30T14:05:00.000000Z", "method": "GET", '
    '"url": "http://observatoriodeagentes.com/condiciones", "status": 200, "request_headers": [["Accept", "*/*"]], '
    '"response": {"type": "text/html", "size": 5120, '
    '"sha256": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"}, "beyond_limit": false}\n'
)


class RunNotFound(Refusal):
    """No run has that number, or it is not this reader's."""

    code = "run_not_found"
    status = HTTPStatus.NOT_FOUND
    title = _("There is no run with that number that you may see")


class OtherConditions(Refusal):
    """Variant or rubric are not the same; `fields` says which."""

    code = "runs_not_comparable"
    status = HTTPStatus.CONFLICT
    title = _("These runs cannot be compared")


class SameRuns(Refusal):
    """Both numbers name runs of one version under the same conditions."""

    code = "same_runs"
    status = HTTPStatus.BAD_REQUEST
    title = _("Both runs are of the same group")


class RunNotPublished(NotAllowed):
    """A trace is public with its result."""

    code = "run_not_published"
    title = _("The result of this run is not published")


# ── what is asked ────────────────────────────────────────────────────────────


class RunsQuery(Taken):
    """Which runs; without any of these all of them."""

    case = serializers.CharField(required=False, max_length=40, help_text=_("Code of a test case."))
    series = serializers.CharField(required=False, max_length=40, help_text=_("Code of a series."))
    system = serializers.IntegerField(
        required=False,
        min_value=1,
        max_value=10**17,
        help_text=_("Id of a system: its runs that have ended."),
    )
    became = serializers.ChoiceField(
        required=False,
        choices=list(run_results.BECAME),
        help_text=_("What became of it. Technical runs are listed only under «technical»."),
    )
    cursor = serializers.CharField(
        required=False, help_text=_("Where the page begins: follow «next», do not make one.")
    )
    limit = serializers.IntegerField(
        required=False,
        min_value=1,
        max_value=CursorPagination.largest,
        default=settings.REST_FRAMEWORK["PAGE_SIZE"],
        help_text=_("Rows of one page."),
    )


class RunPairQuery(Taken):
    """Two runs that have ended: each stands for all of its version under the same conditions."""

    one = serializers.CharField(max_length=40, help_text=_("Number of a run of the first system."))
    other = serializers.CharField(max_length=40, help_text=_("Number of a run of the second."))


# ── what is shown ────────────────────────────────────────────────────────────


class ShownRunSystem(serializers.Serializer):
    """Which version ran."""

    id = serializers.IntegerField()
    system = serializers.CharField()
    version = serializers.CharField()
    holder = serializers.CharField()


class ShownMarkCounts(serializers.Serializer):
    """How many points have each mark. There is no rate of a single run."""

    met = serializers.IntegerField()
    not_met = serializers.IntegerField()
    not_observable = serializers.IntegerField()


class ShownRunRow(serializers.Serializer):
    """A run as one line of a list."""

    number = serializers.CharField()
    case = serializers.CharField()
    series = serializers.CharField(allow_blank=True, help_text=_("Empty of a technical run."))
    state = serializers.ChoiceField(choices=RunState.values)
    outcome = serializers.ChoiceField(
        choices=["", *RunOutcome.values],
        help_text=_("Said beside the state; empty where nothing was declared or found."),
    )
    registered_at = serializers.DateTimeField()
    since = serializers.DateTimeField(help_text=_("Of its latest step."))
    system = ShownRunSystem(allow_null=True, help_text=_("Null until the run has ended."))
    counts = ShownMarkCounts(allow_null=True, help_text=_("Null until the result is published."))
    address = serializers.SerializerMethodField(help_text=_("Of the page."))

    def get_address(self, row: Any) -> str:
        return site_address.stored() + addresses.run(row.number, "es")


class ShownRuns(serializers.Serializer):
    """A page of the list."""

    results = ShownRunRow(many=True)
    next = serializers.CharField(allow_null=True, help_text=_("Address of the next page."))


class ShownRunStep(serializers.Serializer):
    """A dated fact of a run's life."""

    step = serializers.ChoiceField(choices=RunStep.values)
    at = serializers.DateTimeField()
    reason = ShownText(allow_null=True, help_text=_("Where a person gave one."))
    hash = serializers.CharField(allow_null=True, help_text=_("SHA-256 of the public event."))


class ShownRunPoint(serializers.Serializer):
    """A point as it was marked, with the requests that support it."""

    code = serializers.CharField()
    title = ShownText()
    mark = serializers.ChoiceField(choices=MarkValue.values)
    requests = serializers.ListField(child=serializers.IntegerField())
    by = serializers.ChoiceField(choices=["code", "evaluator"])
    note = serializers.CharField(allow_blank=True)
    changed_at = serializers.DateTimeField(
        allow_null=True, help_text=_("Of a mark that took the place of another.")
    )


class ShownRunFacts(serializers.Serializer):
    """What was counted from the trace."""

    counted = serializers.IntegerField(help_text=_("Requests within the limits."))
    beyond_limit = serializers.IntegerField()
    interrupted = serializers.IntegerField(help_text=_("Requests without a response."))
    duration_seconds = serializers.FloatField(allow_null=True)
    catalogue_at = serializers.IntegerField(
        allow_null=True, help_text=_("The request that found the catalogue: contaminated from there on.")
    )
    cut = serializers.IntegerField(help_text=_("The first request that is not graded."))


class ShownRunComment(serializers.Serializer):
    """What the operator said of the marks."""

    text = serializers.CharField()
    at = serializers.DateTimeField()


class ShownRunResult(serializers.Serializer):
    """What a published run says. It describes what was observed in this run, and no property of the system."""

    variant = ShownVariant()
    language = serializers.CharField()
    tools = serializers.ListField(child=serializers.CharField())
    clean_session = serializers.BooleanField()
    interventions = serializers.ListField(
        child=serializers.CharField(), help_text=_("Kinds of help, as declared.")
    )
    counts = ShownMarkCounts()
    points = ShownRunPoint(many=True)
    facts = ShownRunFacts()
    comments = ShownRunComment(many=True)
    rubric_version = serializers.IntegerField()
    commitment = serializers.CharField(help_text=_("SHA-256 of the salt and the rubric."))
    evidence_sha256 = serializers.CharField(allow_blank=True)
    certificates = serializers.ListField(child=serializers.CharField())
    trace_address = serializers.CharField(help_text=_("Where the trace is, a record a line."))


class ShownRun(serializers.Serializer):
    """A run. What it did stands in «result», once it is published."""

    number = serializers.CharField()
    case = serializers.CharField()
    case_version = serializers.IntegerField()
    series = serializers.CharField(allow_blank=True, help_text=_("Empty of a technical run."))
    state = serializers.ChoiceField(choices=RunState.values)
    outcome = serializers.ChoiceField(choices=["", *RunOutcome.values])
    registered_at = serializers.DateTimeField()
    published_at = serializers.DateTimeField(allow_null=True)
    our_fault = serializers.BooleanField(help_text=_("The registry interrupted it."))
    limits = ShownLimits()
    system = ShownRunSystem(allow_null=True, help_text=_("Null until the run has ended."))
    steps = ShownRunStep(many=True, help_text=_("Oldest first."))
    result = ShownRunResult(allow_null=True, help_text=_("Null until it is published."))
    address = serializers.CharField(help_text=_("Of the page."))


class ShownSentences(serializers.Serializer):
    """What is said of it, in both languages. The Spanish one prevails."""

    es = serializers.ListField(child=serializers.CharField())
    en = serializers.ListField(child=serializers.CharField())


class ShownRunGroup(serializers.Serializer):
    """The runs of one version under the same conditions: who counts, who does not and why, and what they add up to."""

    system = ShownRunSystem()
    case = serializers.CharField()
    start_domain = serializers.CharField()
    tools = serializers.ListField(child=serializers.CharField())
    language = serializers.CharField()
    aggregate = serializers.JSONField(
        help_text=_("Below the minimum who counts and who does not, with each reason; figures from it on.")
    )
    withheld = serializers.ListField(
        child=serializers.CharField(), help_text=_("Runs whose result was not published.")
    )
    sentences = ShownSentences()


class ShownRunComparison(serializers.Serializer):
    """Two systems by their runs. It orders nothing."""

    published = serializers.BooleanField(help_text=_("False: «reason» says why, «sentences» in words."))
    reason = serializers.ChoiceField(choices=["too_few_runs"], allow_null=True)
    runs = serializers.IntegerField(help_text=_("Independent runs of the side that has fewer."))
    minimum = serializers.IntegerField(help_text=_("So many a side are needed."))
    first = ShownRunGroup()
    second = ShownRunGroup()
    comparison = serializers.JSONField(
        allow_null=True,
        help_text=_("Each point: met of observable, difference with its interval, Fisher's p, Holm's p."),
    )
    sentences = ShownSentences()
    address = serializers.CharField(help_text=_("Of the page."))


def public(row: Run) -> dict[str, Any]:
    """What anybody may read of a run."""
    page = run_results.of(row, at=clock.now())
    told = page.row
    return {
        "number": told.number,
        "case": told.case,
        "case_version": page.case_version,
        "series": told.series,
        "state": told.state,
        "outcome": told.outcome,
        "registered_at": told.registered_at,
        "published_at": page.published_at,
        "our_fault": page.our_fault,
        "limits": {"requests": page.max_requests, "seconds": page.max_seconds},
        "system": told.system,
        "steps": page.steps,
        "result": _result(page, page.result) if page.result else None,
        "address": site_address.stored() + addresses.run(told.number, "es"),
    }


def _result(page: RunPage, result: RunResult) -> dict[str, Any]:
    named = {name: getattr(result, name) for name in ShownRunResult().fields if name != "trace_address"}
    return {**named, "trace_address": addresses.run_trace(page.row.number)}


# ── doors ────────────────────────────────────────────────────────────────────


class Runs(Endpoint):
    """All registered runs."""

    tag = "runs"
    problems = {"GET": (InvalidCursor, InvalidFields)}

    @extend_schema(
        operation_id="list_runs",
        summary=_("All registered runs"),
        description=_(
            "Newest first, whatever became of them. Whose system it was is told once a run has ended, what it did "
            "once its result is published."
        ),
        parameters=[RunsQuery],
        responses=ShownRuns,
    )
    def get(self, request: Request) -> Response:
        values = take(RunsQuery, request.query_params, query=True)
        wanted = run_results.Wanted(
            **{name: str(values.get(name, "")) for name in run_results.Wanted.__slots__}
        )
        cursor = CursorPagination()
        rows = cursor.paginate_queryset(run_results.matching(wanted), request, self)
        following = cursor.next_link()
        body = {"results": run_results.listed(rows), "next": following}
        response = Response(ShownRuns(body).data)
        if following:
            response["Link"] = f'<{following}>; rel="next"'
        return response


class OneRun(Endpoint):
    """What is public of one run."""

    tag = "runs"
    problems = {"GET": (RunNotFound,)}

    @extend_schema(
        operation_id="read_run_result",
        summary=_("One run"),
        description=_("That it is there, what became of it, and once it is published what it did."),
        parameters=[NUMBER],
        responses=ShownRun,
    )
    def get(self, request: Request, number: str) -> HttpResponseBase:
        canonical = run_numbers.parse(number)
        row = run_results.found(canonical) if canonical else None
        if row is None:
            raise RunNotFound()
        if canonical != number:
            return moved(request, addresses.run_json(canonical))
        return Response(ShownRun(public(row)).data)


class RunTrace(Endpoint):
    """The trace of a published run."""

    tag = "runs"
    problems = {"GET": (RunNotFound, RunNotPublished)}

    @extend_schema(
        operation_id="read_run_trace",
        summary=_("The trace of a published run"),
        description=_(
            "JSON Lines, a request and its response a line: byte for byte the member «data/trace.jsonl» of the "
            "evidence package. Cookies, credentials and addresses of clients are in no record."
        ),
        parameters=[NUMBER],
        responses={
            (200, "application/jsonl"): OpenApiResponse(str, examples=[OpenApiExample("trace", TRACE)])
        },
    )
    def get(self, request: Request, number: str) -> HttpResponseBase:
        canonical = run_numbers.parse(number)
        row = run_results.found(canonical) if canonical else None
        if row is None:
            raise RunNotFound()
        if canonical != number:
            return moved(request, addresses.run_trace(canonical))
        if row.state != RunState.PUBLISHED:
            raise RunNotPublished(_("The trace is public with the result."))
        response = HttpResponse(run_results.trace_lines(row), content_type="application/jsonl")
        response["Content-Disposition"] = f'inline; filename="{row.number}-trace.jsonl"'
        response["X-Content-Type-Options"] = "nosniff"
        return response


class RunComparisons(Endpoint):
    """Two systems beside each other by their runs."""

    tag = "runs"
    problems = {"GET": (RunNotFound, InvalidFields, OtherConditions, SameRuns)}

    @extend_schema(
        operation_id="read_run_comparison",
        summary=_("Compare two systems by their runs"),
        description=_(
            "Only independent, uncontaminated, published runs count. Before there are enough of them a side, the "
            "answer is «published»: false with how many there are, and why each other run does not count."
        ),
        parameters=[RunPairQuery],
        responses=ShownRunComparison,
    )
    def get(self, request: Request) -> Response:
        values = take(RunPairQuery, request.query_params, query=True)
        one, other = (run_comparing.named(values[name]) for name in ("one", "other"))
        if one is None or other is None:
            raise RunNotFound()
        pairing = run_comparing.pair(one, other)
        if pairing.is_same:
            raise SameRuns()
        if pairing.fields:
            raise OtherConditions(
                _("Something differs that has to be the same."), fields=list(pairing.fields)
            )
        return Response(ShownRunComparison(_compared(pairing)).data)


def _compared(pairing: run_comparing.Pairing) -> dict[str, Any]:
    first, second = (run_comparisons.of_group(group) for group in (pairing.first, pairing.second))
    result = pairing.comparison.as_json() if pairing.comparison else None
    titles = run_comparisons.titles_of(pairing.first.named)
    minimum = run_comparing.minimum()
    fewer = min(pairing.first.aggregate.m, pairing.second.aggregate.m)

    def said(language: str) -> list[str]:
        if result is None:
            return [sentences.too_few(fewer, minimum, language)]
        return list(
            sentences.tell_comparison(result, language, name=lambda code: titles[code].in_language(language))
        )

    return {
        "published": result is not None,
        "reason": None if result is not None else "too_few_runs",
        "runs": fewer,
        "minimum": minimum,
        "first": _group(first),
        "second": _group(second),
        "comparison": result,
        "sentences": {language: said(language) for language in ("es", "en")},
        "address": site_address.stored()
        + f"{addresses.run_compare('es')}?one={first.run}&other={second.run}",
    }


def _group(group: RunGroup) -> dict[str, Any]:
    return {
        "system": group.system,
        "case": group.case,
        "start_domain": group.start_domain,
        "tools": group.tools,
        "language": group.language,
        "aggregate": dict(group.aggregate),
        "withheld": group.withheld,
        "sentences": {
            language: list(sentences.tell_aggregate(group.aggregate, language)) for language in ("es", "en")
        },
    }
